/** @file One tag for each kernel of the shown plan, in its colour; many kernels scroll. */
import { useEffect, useRef } from "react";
import { playground, selectHandKernels, selectKernelColours, usePlayground, type RunState } from "../../state";
import { kernelTitle, type Kernel } from "../../fusion";
import { kernelColour } from "../model/kernel/kernels";
import { refusedAt } from "../model/kernel/refused";
import { useShownKernel } from "./use-shown-kernel";

/** More tags than these are counted, with a list of all and a way to the next. */
const FEW_TAGS = 4;
/** More tags than these are reached by the list. */
const MAX_TAGS = 40;

function titleOf(kernel: Kernel, run: RunState, hand: readonly string[]): string {
  const own = hand.includes(kernel.id) ? ", edited by hand" : "";
  return `${kernelTitle(kernel)}${own}${refusedAt(kernel, run) ? ": refused by the GPU's compiler" : ""}`;
}

export function KernelTabs() {
  const { plan, kernel } = useShownKernel();
  const colours = usePlayground(selectKernelColours);
  const run = usePlayground((state) => state.run);
  const hand = usePlayground(selectHandKernels);
  const shown = useRef<HTMLButtonElement>(null);
  const id = kernel?.id;
  useEffect(() => {
    // Together with the frame's own layout: on its own it would force one.
    const frame = requestAnimationFrame(() => shown.current?.scrollIntoView({ block: "nearest", inline: "nearest" }));
    return () => cancelAnimationFrame(frame);
  }, [id]);
  if (!plan || plan.kernels.length === 0) return null;
  const show = (next: string): void => playground.getState().actions.showKernel(next);
  const tags = plan.kernels.slice(0, MAX_TAGS);
  const at = plan.kernels.findIndex((each) => each.id === id);
  const step = (by: number): void => show(plan.kernels[(at + by + plan.kernels.length) % plan.kernels.length]!.id);
  const many = plan.kernels.length > FEW_TAGS;
  return (
    <div className="kernel-row">
      <div className="kernel-tags" role="group" aria-label="Kernels">
        {tags.map((each, i) => (
          <button
            key={each.id}
            ref={each.id === id ? shown : null}
            type="button"
            className="kernel-tag"
            data-refused={refusedAt(each, run) !== null}
            data-hand={hand.includes(each.id)}
            data-colour={kernelColour(colours, each, i)}
            aria-pressed={each.id === id}
            title={titleOf(each, run, hand)}
            onClick={() => show(each.id)}
          >
            {each.id}
          </button>
        ))}
      </div>
      {many && (
        <div className="kernel-count" role="group" aria-label="Kernel by kernel">
          <button type="button" aria-label="Previous kernel" title="Previous kernel" onClick={() => step(-1)}>
            ‹
          </button>
          <label className="kernel-of">
            {id} of {plan.kernels.length}
            <select aria-label="All kernels" value={id ?? ""} onChange={(event) => show(event.target.value)}>
              {plan.kernels.map((each) => (
                <option key={each.id} value={each.id}>
                  {kernelTitle(each)}
                </option>
              ))}
            </select>
          </label>
          <button type="button" aria-label="Next kernel" title="Next kernel" onClick={() => step(1)}>
            ›
          </button>
        </div>
      )}
    </div>
  );
}

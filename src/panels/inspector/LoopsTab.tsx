/** @file The kernel as a loop nest, and the loops it replaced. */
import { useMemo } from "react";
import { apartLoops, fusedLoops, type Fusion, type Kernel, type LoopLine, type NodeId, type Plan } from "../../fusion";
import { playground, selectHandKernels, selectNaiveFusion, usePlayground } from "../../state";
import { isFrom, naiveKernels } from "../model/kernel/kernels";
import { count, plural } from "../model/units";

interface Props {
  readonly plan: Plan;
  readonly fusion: Fusion;
  readonly kernel: Kernel;
}

interface NestProps {
  readonly lines: readonly LoopLine[];
  readonly isLit: (nodes: readonly NodeId[]) => boolean;
}

function Nest({ lines, isLit }: NestProps) {
  const hover = (id: NodeId | null): void => playground.getState().actions.hover(id);
  return (
    <ol className="loops-nest">
      {lines.map((line, i) => (
        <li
          key={i}
          className={isLit(line.nodes) ? "lit" : undefined}
          style={{ paddingLeft: `${line.depth * 2}ch` }}
          onPointerEnter={() => hover(line.nodes[0] ?? null)}
          onPointerLeave={() => hover(null)}
        >
          <LoopText line={line} />
          {line.note && <em data-note={line.note}>{line.note}</em>}
        </li>
      ))}
    </ol>
  );
}

/** Lines that compute are buttons: they select their op. */
function LoopText({ line }: { readonly line: LoopLine }) {
  const [id] = line.nodes;
  if (!id) return <code>{line.text}</code>;
  return (
    <button type="button" onClick={() => playground.getState().actions.select({ kind: "node", id })}>
      <code>{line.text}</code>
    </button>
  );
}

/** How many kernels of the naive plan compute what this one does; 0 where that is not known. */
function useNaiveCount(kernel: Kernel, { graph }: Fusion): number {
  const plan = usePlayground((state) => state.derived.compilation?.naivePlan ?? null);
  const naive = usePlayground(selectNaiveFusion);
  return useMemo(
    () => (plan && naive ? naiveKernels(plan, naive.graph, kernel, graph).length : 0),
    [plan, naive, kernel, graph],
  );
}

/** Kernels that go over a row once, tile by tile, whatever folds of the whole row they take part in. */
const ONE_PASS: ReadonlySet<Kernel["template"]> = new Set(["flash", "contract-reduce"]);

/** Several loops stand here for one: each reads as if the fold before it had ended. */
const runAsOne = (lines: readonly LoopLine[], { template }: Kernel): boolean =>
  ONE_PASS.has(template) &&
  lines.some(
    ({ text, depth }, i) =>
      depth > 0 &&
      text.startsWith("for ") &&
      lines.slice(0, i).some((line) => line.depth === depth && line.text === text),
  );

export function LoopsTab({ plan, fusion, kernel }: Props) {
  const hovered = usePlayground((state) => state.hovered);
  const region = fusion.regions.get(kernel.region);
  const fused = useMemo(() => {
    const kernels = plan.kernels.filter((each) => each.region === kernel.region);
    return region ? fusedLoops(fusion.graph, region, kernels) : [];
  }, [plan, fusion, region, kernel]);
  const apart = useMemo(() => (region ? apartLoops(fusion.graph, region) : []), [fusion, region]);
  const naive = useNaiveCount(kernel, fusion);
  const isByHand = usePlayground(selectHandKernels).includes(kernel.id);
  const isLit = (nodes: readonly NodeId[]): boolean =>
    hovered !== null && nodes.some((id) => isFrom(fusion.graph, id, hovered));
  if (!region) return <p className="kernel-none">This kernel&apos;s ops are not in the shown graph.</p>;
  return (
    <div className="kernel-scroll loops">
      <h3>{isByHand ? "The generated kernel" : "This kernel"}</h3>
      <Nest lines={fused} isLit={isLit} />
      {runAsOne(fused, kernel) && (
        <p>
          Loops over the same axis run as one, tile by tile: what needs a whole row takes what is known of it so far,
          and sums are rescaled when that changes.
        </p>
      )}
      {apart.length > 1 && (
        <>
          <h3>
            Op by op, {plural(apart.length, "kernel")}
            {naive > apart.length && `: the naive plan has ${count(naive)} for them, before the graph was rewritten`}
            {naive > 0 && naive < apart.length && `: the naive plan has ${count(naive)} for them, one for each call`}
          </h3>
          {apart.map((lines, i) => (
            <Nest key={i} lines={lines} isLit={isLit} />
          ))}
        </>
      )}
    </div>
  );
}

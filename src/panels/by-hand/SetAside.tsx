/** @file Texts whose kernel is not in the plan any more: to look at, to use for another kernel, to throw away. */
import { useMemo } from "react";
import type { Kernel } from "../../fusion";
import { asideOf, playground, selectPlan, usePlayground } from "../../state";
import "./by-hand.css";

/** What is bound by texts that were set aside. */
export function useAside(): readonly string[] {
  const byHand = usePlayground(({ document }) => document.byHand);
  const compilation = usePlayground(({ derived }) => derived.compilation);
  const plans = usePlayground(({ derived }) => derived.plans);
  const shown = usePlayground(selectPlan);
  return useMemo(
    () =>
      compilation ? asideOf(byHand, [compilation.naivePlan, compilation.fusedPlan, shown, ...plans.values()]) : [],
    [byHand, compilation, shown, plans],
  );
}

export function SetAside({ kernel }: { readonly kernel: Kernel }) {
  const aside = useAside();
  const texts = usePlayground(({ document }) => document.byHand);
  const { actions } = playground.getState();
  if (aside.length === 0 || !texts) return null;
  return (
    <details className="hand-aside">
      <summary>Set aside: {aside.length === 1 ? "one text" : `${aside.length} texts`} edited by hand</summary>
      {aside.map((binds) => (
        <section key={binds}>
          <p>
            Binds <code>{binds}</code>
          </p>
          <pre>{texts[binds]}</pre>
          <button type="button" className="kernel-action" onClick={() => actions.placeKernel(binds, kernel)}>
            Use for {kernel.id}
          </button>
          <button type="button" className="kernel-action" onClick={() => actions.placeKernel(binds, null)}>
            Delete
          </button>
        </section>
      ))}
    </details>
  );
}

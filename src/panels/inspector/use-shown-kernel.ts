/** @file The plan, the graph and the kernel that the inspector shows. */
import type { Fusion, Kernel, Plan } from "../../fusion";
import { selectFusion, selectPlan, selectStep, usePlayground } from "../../state";
import { shownKernel } from "../model/kernels";

interface Shown {
  /** null while the plan is made, or when the program has none. */
  readonly plan: Plan | null;
  readonly fusion: Fusion | null;
  readonly kernel: Kernel | null;
}

export function useShownKernel(): Shown {
  const plan = usePlayground(selectPlan);
  const fusion = usePlayground(selectFusion);
  const asked = usePlayground((state) => state.kernel);
  const selection = usePlayground((state) => state.selection);
  const step = usePlayground(selectStep);
  return { plan, fusion, kernel: plan && shownKernel(plan, asked, selection, step) };
}

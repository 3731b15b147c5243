/** @file The plan, the graph and the kernel that the inspector shows. */
import type { Compilation, Fusion, Kernel, Plan } from "../../fusion";
import {
  selectFusion,
  selectHasHoles,
  selectIsEmpty,
  selectPlan,
  selectStep,
  usePlayground,
  type PlaygroundState,
} from "../../state";
import { shownKernel } from "../model/kernel/kernels";

interface Planned {
  /** null while the first plan is made, or when the program has none. */
  readonly plan: Plan | null;
  readonly fusion: Fusion | null;
}

const NOTHING: Planned = { plan: null, fusion: null };
const shown = new WeakMap<Compilation, Planned>();

/** Plan and graph of one state. While a step's plan is still being made, those shown before stay: nothing flickers. */
function selectPlanned(state: PlaygroundState): Planned {
  const { compilation } = state.derived;
  if (!compilation || selectHasHoles(state) || selectIsEmpty(state)) return NOTHING;
  const before = shown.get(compilation) ?? NOTHING;
  const [plan, fusion] = [selectPlan(state), selectFusion(state)];
  if (!plan || !fusion || (plan === before.plan && fusion === before.fusion)) return before;
  const planned = { plan, fusion };
  shown.set(compilation, planned);
  return planned;
}

export function useShownKernel(): Planned & { readonly kernel: Kernel | null } {
  const { plan, fusion } = usePlayground(selectPlanned);
  const asked = usePlayground((state) => state.kernel);
  const selection = usePlayground((state) => state.selection);
  const step = usePlayground(selectStep);
  return { plan, fusion, kernel: plan && shownKernel(plan, asked, selection, step) };
}

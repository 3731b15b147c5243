/** @file Outputs of a run against the 64-bit reference: all elements, or a sample where all would take minutes. */
import {
  amplifiesRounding,
  compareOutputs,
  knownInputs,
  node,
  runReference,
  sampleReference,
  sizeOf,
  toleranceFor,
} from "../fusion";
import type { ComputedElement, Graph, NodeId, Plan } from "../fusion";
import type { PlanName } from "../gpu";

export type Data = ArrayLike<number>;

/** From here on an agreement is not shown without its reason: a share of the output's largest value. */
const LOOSE = 0.01;

export interface CheckedOutput {
  readonly name: NodeId;
  readonly plan: PlanName;
  readonly maxAbs: number;
  readonly maxRel: number;
  readonly maxUlp: number;
  /** Why the output counts as agreeing though it is off by more than 1 % of its largest value; null where it isn't. */
  readonly loose: string | null;
  /** Whether f64 itself moves as far where it is off; null where that can't be told. */
  readonly amplified: boolean | null;
  readonly pass: boolean;
}

export interface Checked {
  readonly outputs: readonly CheckedOutput[];
  /** Elements compared of each output, when that is not all of them. */
  readonly sampled: number | null;
}

/** FLOP that the reference does in some seconds. */
const REFERENCE_FLOPS = 3e9;
const SAMPLE = 1024;

/** What is wanted of each output, and which elements those are (null: all). */
interface Wanted {
  readonly values: ReadonlyMap<NodeId, Data>;
  readonly at: ReadonlyMap<NodeId, readonly number[]> | null;
}

/** Elements spread over an output, the first and the last among them. */
export function spread(size: number): number[] {
  const count = Math.min(size, SAMPLE);
  return Array.from({ length: count }, (_, i) => (count === 1 ? 0 : Math.floor((i * (size - 1)) / (count - 1))));
}

function wantedOf(graph: Graph, naive: Plan, inputs: ReadonlyMap<NodeId, Data>): Wanted {
  const flops = naive.kernels.reduce((total, kernel) => total + kernel.flops, 0);
  if (flops > REFERENCE_FLOPS) {
    const at = new Map(graph.outputs.map((id) => [id, spread(sizeOf(node(graph, id).type.shape))]));
    const values = sampleReference(graph, inputs, at);
    if (values) return { values, at };
  }
  const all = runReference(graph, inputs, { precision: "f64" });
  return { values: new Map([...all].map(([id, { data }]) => [id, data])), at: null };
}

/** So many elements are asked about where an output is off. */
const ASKED = 32;

/** The elements that are farthest off, with what was computed there. */
function farthest(want: Data, got: Data, at: readonly number[] | undefined): readonly ComputedElement[] {
  const off = (i: number): number => {
    const apart = Math.abs(got[i]! - want[i]!);
    return Number.isNaN(apart) ? Infinity : apart;
  };
  const order = Array.from({ length: want.length }, (_, i) => i).filter((i) => !Object.is(got[i], want[i]));
  return order
    .toSorted((a, b) => off(b) - off(a))
    .slice(0, ASKED)
    .map((i) => ({ at: at?.[i] ?? i, got: [got[i]!] }));
}

/** `got(plan, output)` answers what a plan computed, or null for an output that is an input: nothing computed it. */
export function checkOutputs(
  graph: Graph,
  naive: Plan,
  inputs: ReadonlyMap<NodeId, Data>,
  got: (plan: PlanName, output: NodeId) => Data | null,
  plans: readonly PlanName[] = ["naive", "fused"],
): Checked {
  const { values, at } = wantedOf(graph, naive, inputs);
  const outputs = plans.flatMap((plan) =>
    graph.outputs.map((name): CheckedOutput => {
      const all = got(plan, name) ?? inputs.get(name)!;
      const chosen = at?.get(name)?.map((flat) => all[flat]!) ?? all;
      const tolerance = toleranceFor(graph, name);
      const want = values.get(name)!;
      const { maxAbs, maxRel, maxUlp, ofScale, pass } = compareOutputs(want, chosen, tolerance);
      const loose = pass && ofScale > LOOSE ? tolerance.reason : null;
      const amplified = pass
        ? false
        : amplifiesRounding(graph, knownInputs(graph, inputs), name, farthest(want, chosen, at?.get(name)));
      return { name, plan, maxAbs, maxRel, maxUlp, loose, amplified, pass: pass || amplified === true };
    }),
  );
  return { outputs, sampled: at ? SAMPLE : null };
}

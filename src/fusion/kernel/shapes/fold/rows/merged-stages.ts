/**
 * @file Two passes over a row that one can do, since what the second needed of the first can be repaired while both run: sums of
 * exponentials below a running peak (online softmax, arXiv 1805.02867), squares around a running mean (Welford, Technometrics 1962).
 * A pass may hold several of these, and folds that need none of this beside them.
 * @about max, sum, mean, exp, sub, square, mul: the running maximum of a softmax and the running mean of a variance.
 */
import { findNode, node, type Graph, type Node, type NodeId, type Region } from "../../../../ir";
import type { RowAnalysis } from "../classify-rows";
import type { RegionForm } from "../../../types";
import { isFreeView } from "../../../indices/views";

/** A fold whose value so far changes, and the folds of the next pass that are repaired whenever it does. */
export interface RunningPair {
  readonly kind: "peak" | "moments";
  readonly first: NodeId;
  /** Of moments there is one: the squares. */
  readonly seconds: readonly NodeId[];
  /** What the first one folds. */
  readonly operand: NodeId;
}

export interface MergedStages {
  /** The earlier of the two; the other follows it. */
  readonly stage: number;
  readonly pairs: readonly RunningPair[];
  /** Folds of the earlier one that nothing of the later one needs. */
  readonly plain: readonly NodeId[];
}

/** All folds of two merged stages: those of the first of them, then those of the second. */
export const foldsOfMerged = ({ pairs, plain }: MergedStages): NodeId[] => [
  ...pairs.map(({ first }) => first),
  ...plain,
  ...pairs.flatMap(({ seconds }) => seconds),
];

/** What a chain of free views shows. */
function seen(graph: Graph, id: NodeId): Node {
  let n = node(graph, id);
  while (isFreeView(n)) n = node(graph, n.inputs[0]!);
  return n;
}

/** The fold that is taken from its own operand, `x − first`, however the row's value is spread; null where `id` is no such difference. */
function centre(graph: Graph, id: NodeId, firsts: readonly Node[]): Node | null {
  const { op, inputs } = node(graph, id);
  if (op !== "sub") return null;
  const [x, by] = inputs;
  const { id: taken } = seen(graph, by!);
  return firsts.find((first) => first.id === taken && first.inputs[0] === x) ?? null;
}

/** Which of `firsts` repairs the second reduction, and how; null where none does. */
function repairOf(
  graph: Graph,
  firsts: readonly Node[],
  second: Node,
  independent: (id: NodeId) => boolean,
): { readonly kind: RunningPair["kind"]; readonly first: Node } | null {
  const folded = findNode(graph, second.inputs[0]!);
  if (!folded || second.type.dtype !== "f32") return null;
  const squares = folded.op === "square" || (folded.op === "mul" && folded.inputs[0] === folded.inputs[1]);
  if (squares) {
    const mean = centre(graph, folded.inputs[0]!, firsts);
    const sums = second.op === "mean" || second.op === "sum";
    return mean?.op === "mean" && sums ? { kind: "moments", first: mean } : null;
  }
  if (second.op !== "sum") return null;
  // A sum of multiples of exp(x − peak) shrinks with the peak, whatever multiplies it.
  const [factor, others] = exponential(graph, folded);
  const peak = factor && centre(graph, factor.inputs[0]!, firsts);
  return peak?.op === "max" && others.every(independent) ? { kind: "peak", first: peak } : null;
}

/** The one exponential that a value is a multiple of, and what it is multiplied by. */
function exponential(graph: Graph, folded: Node): readonly [Node | null, readonly NodeId[]] {
  if (folded.op === "exp") return [folded, []];
  if (folded.op !== "mul") return [null, []];
  const [a, b] = folded.inputs.map((id) => findNode(graph, id));
  if (a?.op === "exp" && b) return [a, [b.id]];
  return b?.op === "exp" && a ? [b, [a.id]] : [null, []];
}

/** Neighbouring stages that one walk folds: nothing is stored in them, and all of the second is repaired. None beside scans and sorts. */
export function mergedStages(
  graph: Graph,
  { outputs }: Pick<Region, "outputs">,
  form: RegionForm,
  { roles }: Pick<RowAnalysis, "roles">,
): MergedStages[] {
  // A scan goes on from where it stands and a sort holds the row: each is walked by passes of its own.
  if (form.scans.length + form.orders.length > 0) return [];
  const stages = new Map<number, Node[]>();
  for (const { node: id, stage } of form.reductions) stages.set(stage, [...(stages.get(stage) ?? []), node(graph, id)]);
  const stored = new Set<number>();
  for (const id of outputs) {
    const { role, stage } = roles.get(id)!;
    if (role !== "row") stored.add(stage);
  }
  const merged: MergedStages[] = [];
  for (const [stage, firsts] of stages) {
    const next = stages.get(stage + 1);
    if (!next || stored.has(stage) || stored.has(stage + 1) || merged.at(-1)?.stage === stage - 1) continue;
    const pairs = pairsOf(graph, firsts, next, (id) => (roles.get(id)?.stage ?? 0) <= stage);
    if (!pairs) continue;
    const changing = new Set(pairs.map(({ first }) => first));
    merged.push({ stage, pairs, plain: firsts.flatMap(({ id }) => (changing.has(id) ? [] : [id])) });
  }
  return merged;
}

/** Every one of `seconds` with the one of `firsts` that repairs it; null where one of them has none. */
function pairsOf(
  graph: Graph,
  firsts: readonly Node[],
  seconds: readonly Node[],
  independent: (id: NodeId) => boolean,
): RunningPair[] | null {
  const pairs = new Map<NodeId, RunningPair>();
  for (const second of seconds) {
    const repair = repairOf(graph, firsts, second, independent);
    if (!repair || repair.first.type.dtype !== "f32") return null;
    const { kind, first } = repair;
    const known = pairs.get(first.id);
    if (known && (known.kind === "moments" || kind === "moments")) return null;
    const others = known?.seconds ?? [];
    pairs.set(first.id, { kind, first: first.id, seconds: [...others, second.id], operand: first.inputs[0]! });
  }
  return [...pairs.values()];
}

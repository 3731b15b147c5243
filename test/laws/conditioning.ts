/** @file How far rounding alone may move a result: the f64 reference again, every rounding moved by chance. What is a difference of near equals moves far. */
import { node as nodeOf, topological, type Graph, type Node, type NodeId } from "../../src/fusion/ir";
import { opDef, roundToHalf } from "../../src/fusion/ops";
import { evaluate } from "../../src/fusion/reference/run";

/** What a fold of a thousand terms may round by, of what is folded. */
const ROUNDING = 1e-13;
/** Each try decides a tie by chance: of fifty ties that a program has, all turn both ways but once in a thousand. */
const TRIES = 16;
/** The farthest of a few tries is this near to the farthest there is. */
const MARGIN = 8;

type Values = ReadonlyMap<NodeId, Float64Array>;

/** What a store into f16 rounds by, of what is stored and at least. */
const HALF = { relative: 2 ** -10, least: 2 ** -24 };
const isHalf = ({ type }: Node): boolean => type.dtype === "f16";
/** Kinds whose results are elements that were there before. */
const MOVES: ReadonlySet<string> = new Set(["movement", "source", "gather"]);

/** Whether an op's result is rounded at all: maxima, moves and tests are not. Anything new in f16 may be stored. */
const rounds = (node: Node): boolean => {
  const { op, type } = node;
  const { kind, tolerance } = opDef(op);
  if (isHalf(node)) return !MOVES.has(kind);
  return type.dtype === "f32" && (kind === "contraction" || tolerance.rtol > 0);
};

/**
 * The distance of each result's elements that rounding can explain; Infinity where it decides between a number and none.
 * @param inputs data of the input nodes
 * @param results the undisturbed results
 * @param rounding what each value may be rounded by, of its size: f64 unless stated
 * @param saved values that the backward pass reads in another form than they were computed in
 */
export function roundingReach(
  graph: Graph,
  inputs: Values,
  results: Values,
  rounding = ROUNDING,
  saved: Saved = new Map(),
): Map<NodeId, Float64Array> {
  const reach = new Map([...results].map(([id, { length }]) => [id, new Float64Array(length)]));
  const chance = chances();
  for (let i = 0; i < TRIES; i++) {
    const late = saved.size > 0 ? { saved, follows: i % 2 === 1 } : null;
    const moved = disturbed(graph, inputs, chance, rounding, late);
    for (const [id, want] of results) {
      const [far, got] = [reach.get(id)!, moved.get(id)!];
      const least = isHalf(nodeOf(graph, id)) ? 2 * HALF.relative : 0;
      for (const [k, value] of want.entries())
        far[k] = Math.max(far[k]!, MARGIN * apart(value, got[k]!), least * Math.abs(value));
    }
  }
  return reach;
}

function apart(a: number, b: number): number {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return 0;
  const distance = Math.abs(a - b);
  return Number.isNaN(distance) ? Infinity : distance;
}

/** How the backward pass gets at a value: as a half, or computed back from a result that it went into. */
export type Saved = ReadonlyMap<NodeId, "f16" | "invert">;

/** What the backward pass reads, and whether forward values that it recomputes follow from that. */
interface Late {
  readonly saved: Saved;
  readonly follows: boolean;
}

function disturbed(graph: Graph, inputs: Values, chance: () => number, rounding: number, late: Late | null): Values {
  const values = new Map<NodeId, Float64Array>();
  /** What the backward pass reads where that is something else. */
  const again = new Map<NodeId, Float64Array>();
  for (const id of topological(graph)) {
    const node = nodeOf(graph, id);
    const types = node.inputs.map((input) => nodeOf(graph, input).type);
    const isLate = node.phase === "backward";
    const read = (input: NodeId): Float64Array => (isLate ? again.get(input) : undefined) ?? values.get(input)!;
    const operands = node.inputs.map(read);
    const data = evaluate(node, operands, types, "f64", inputs);
    values.set(id, data);
    if (late) {
      const follows = !isLate && late.follows && node.inputs.some((input) => again.has(input));
      const newly = node.inputs.map((input) => again.get(input) ?? values.get(input)!);
      const own = follows ? evaluate(node, newly, types, "f64", inputs) : data;
      const form = late.saved.get(id);
      if (form === "f16")
        again.set(
          id,
          own.map((value) => roundToHalf(value + halfStep(value, rounding) * chance())),
        );
      else if (form === "invert") again.set(id, computedBack(graph, node, own, values, chance));
      else if (follows) again.set(id, own);
    }
    if (!rounds(node)) continue;
    // Sums round by the size of their terms, however small the sum.
    const folds = ["reduce", "contraction"].includes(opDef(node.op).kind);
    const sizes = folds
      ? evaluate(
          node,
          operands.map((list) => list.map(Math.abs)),
          types,
          "f64",
          inputs,
        )
      : data;
    const half = isHalf(node);
    for (const [k, size] of sizes.entries()) {
      data[k]! += half ? halfStep(size, rounding) * chance() : rounding * Math.abs(size) * chance();
      if (half) data[k] = roundToHalf(data[k]!);
    }
  }
  return values;
}

const halfStep = (size: number, rounding: number): number =>
  Math.max(rounding, HALF.relative) * Math.abs(size) + HALF.least;

/** Step of a difference that shows how steep an op is. */
const STEP = 1e-6;

/** The value as far off as the least steep op that can be inverted leaves it: a digit that its result has lost is missing in it. */
function computedBack(
  graph: Graph,
  node: Node,
  value: Float64Array,
  values: Values,
  chance: () => number,
): Float64Array {
  const far = new Float64Array(value.length);
  for (const reader of graph.nodes.values()) {
    const operand = reader.inputs.indexOf(node.id);
    const others = reader.inputs.map((input) => values.get(input));
    if (operand < 0 || reader.phase === "backward" || !opDef(reader.op).inverse?.(operand)) continue;
    if (reader.inputs.some((input, i) => i !== operand && !others[i] && input !== node.id)) continue;
    const types = reader.inputs.map((input) => nodeOf(graph, input).type);
    const at = (data: Float64Array): Float64Array =>
      evaluate(
        reader,
        others.map((other, i) => (i === operand ? data : other!)),
        types,
        "f64",
        new Map(),
      );
    const step = value.map((x) => STEP * Math.max(1, Math.abs(x)));
    const [here, there] = [at(value), at(value.map((x, k) => x + step[k]!))];
    if (here.length !== value.length) continue;
    for (const [k, x] of value.entries()) {
      const slope = Math.abs(there[k]! - here[k]!) / step[k]!;
      const off = ROUNDING * (Math.abs(x) + Math.abs(here[k]!) / slope);
      far[k] = Math.max(far[k]!, Number.isFinite(off) ? off : Infinity);
    }
  }
  return value.map((x, k) => x + (far[k] === 0 ? 0 : far[k]! * chance()));
}

/** The same numbers in [-1, 1) each time. */
function chances(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  };
}

/** Asked for at most once. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

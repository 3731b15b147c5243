/** @file How far rounding alone may move a result: the f64 reference again, every rounding moved by chance. What is a difference of near equals moves far. */
import { node as nodeOf, topological, type Graph, type Node, type NodeId } from "../../src/fusion/ir";
import { opDef } from "../../src/fusion/ops";
import { evaluate } from "../../src/fusion/reference/run";

/** What a fold of a thousand terms may round by, of what is folded. */
const ROUNDING = 1e-13;
const TRIES = 4;
/** The farthest of a few tries is this near to the farthest there is. */
const MARGIN = 8;

type Values = ReadonlyMap<NodeId, Float64Array>;

/** Whether an op's result is rounded at all: maxima, moves and tests are not. */
const rounds = ({ op, type }: Node): boolean => {
  const { kind, tolerance } = opDef(op);
  return (type.dtype === "f32" || type.dtype === "f16") && (kind === "contraction" || tolerance.rtol > 0);
};

/**
 * The distance of each result's elements that rounding can explain; Infinity where it decides between a number and none.
 * @param inputs data of the input nodes
 * @param results the undisturbed results
 * @param rounding what each value may be rounded by, of its size: f64 unless stated
 */
export function roundingReach(
  graph: Graph,
  inputs: Values,
  results: Values,
  rounding = ROUNDING,
): Map<NodeId, Float64Array> {
  const reach = new Map([...results].map(([id, { length }]) => [id, new Float64Array(length)]));
  const chance = chances();
  for (let i = 0; i < TRIES; i++) {
    const moved = disturbed(graph, inputs, chance, rounding);
    for (const [id, want] of results) {
      const [far, got] = [reach.get(id)!, moved.get(id)!];
      for (const [k, value] of want.entries()) far[k] = Math.max(far[k]!, MARGIN * apart(value, got[k]!));
    }
  }
  return reach;
}

function apart(a: number, b: number): number {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return 0;
  const distance = Math.abs(a - b);
  return Number.isNaN(distance) ? Infinity : distance;
}

function disturbed(graph: Graph, inputs: Values, chance: () => number, rounding: number): Values {
  const values = new Map<NodeId, Float64Array>();
  for (const id of topological(graph)) {
    const node = nodeOf(graph, id);
    const types = node.inputs.map((input) => nodeOf(graph, input).type);
    const operands = node.inputs.map((input) => values.get(input)!);
    const data = evaluate(node, operands, types, "f64", inputs);
    values.set(id, data);
    if (!rounds(node)) continue;
    // Sums round by the size of their terms, however small the sum.
    const folds = ["reduce", "contraction"].includes(opDef(node.op).kind);
    const sizes = folds ? evaluate(node, operands.map((list) => list.map(Math.abs)), types, "f64", inputs) : data; // prettier-ignore
    for (const [k, size] of sizes.entries()) data[k]! += rounding * Math.abs(size) * chance();
  }
  return values;
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

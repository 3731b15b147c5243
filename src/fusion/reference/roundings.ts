/** @file How far roundings of f32 move what a program computes: whether a difference is a wrong kernel, or the program makes much of a rounding. */
import type { Graph, Node, NodeId } from "../ir";
import { compareOutputs, fittedTo, largestFinite } from "./compare";
import { planSampling, type Known, type Sampling } from "./sample";
import { toleranceFor } from "./tolerance";

/** One element alone may depend on this many; else it is not computed by itself. */
export const ONE_ELEMENT = 1e6;
/** Half a step between neighbouring f32 values, of the value. */
const ROUNDING = 2 ** -24;
/** Half a step of f16. */
const HALF_ROUNDING = 2 ** -11;
/** Disturbed evaluations where a point lies beyond its limit. */
const TRIES = 16;
/** Roundings that a value may be off by: a sum of many terms rounds more often than it is read. Steps are crossed only so. */
const ROUNDINGS = 4;
/** The farthest of a few tries is this near to the farthest there is. */
const MARGIN = 4;

/** Moves each rounded value by up to a few roundings, either way: a step of a counter decides. */
function disturbance(seed: number): (value: number, node: Node) => number {
  let state = (seed * 0x9e3779b9) >>> 0;
  return (value, { type }) => {
    if (type.dtype !== "f32" && type.dtype !== "f16") return value;
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return value * (1 + (state / 2 ** 31 - 1) * ROUNDINGS * (type.dtype === "f16" ? HALF_ROUNDING : ROUNDING));
  };
}

/** How far roundings can move each value, seen in a few tries; Infinity where they decide between a number and none. */
export function reachOf(
  sampling: Sampling,
  id: NodeId,
  found: ReadonlyMap<NodeId, ArrayLike<number>>,
  want: Float64Array,
) {
  const reach = new Float64Array(want.length);
  for (let i = 1; i <= TRIES; i++) {
    const moved = sampling.values(found, disturbance(i)).get(id)!;
    for (const [k, value] of want.entries()) {
      const apart = value === moved[k] ? 0 : Math.abs(moved[k]! - value);
      reach[k] = Math.max(reach[k]!, Number.isNaN(apart) ? Infinity : apart);
    }
  }
  return reach;
}

export const isReached = (got: number, want: number, reach: number): boolean =>
  reach === Infinity || Math.abs(got - want) <= MARGIN * reach;

/** An element of an output, and what plans computed there. */
export interface ComputedElement {
  readonly at: number;
  readonly got: readonly number[];
}

/**
 * Whether a program amplifies roundings at elements of an output that are off: f64 itself moves as far there when each value
 * changes by a few roundings of f32. null where one element depends on too many others to tell.
 */
export function amplifiesRounding(
  graph: Graph,
  known: Known,
  output: NodeId,
  elements: readonly ComputedElement[],
): boolean | null {
  if (elements.length === 0) return false;
  const flats = Uint32Array.from(elements, ({ at }) => at);
  const sampling = planSampling(graph, known, new Map([[output, flats]]), ONE_ELEMENT * flats.length);
  if (!sampling || sampling.needs.size > 0) return null;
  const want = sampling.values(new Map()).get(output)!;
  const reach = reachOf(sampling, output, new Map(), want);
  const tolerance = fittedTo(toleranceFor(graph, output), largestFinite(want));
  return elements.every(({ got }, i) =>
    got.every((each) => compareOutputs([want[i]!], [each], tolerance).pass || isReached(each, want[i]!, reach[i]!)),
  );
}

/** Says so; `where` in words, `at 3 points`. */
export const amplifiedWords = (where: string): string =>
  `This program amplifies rounding: ${where} f64 moves as far when each value changes by a few roundings of f32.`;

/** Nothing is claimed where nothing could be computed. */
export const UNSETTLED =
  "One element there depends on too many others for f64 to tell a wrong kernel from amplified rounding: choose a smaller size to know.";

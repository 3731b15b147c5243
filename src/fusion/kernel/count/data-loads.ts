/** @file How long threads wait for loads whose addresses are loaded first: searches in sorted keys, and rows that a list names. */
import { node, sizeOf, type Graph, type NodeId } from "../../ir";
import { opDef } from "../../ops";
import type { Machine } from "../nest/nest";
import { THREADS } from "../nest/waves";

/** µs from a load to its value: of keys, which a cache holds; of listed rows, a few of which are on their way at once. */
const CACHED = 0.3;
const LISTED = 0.4;

/** Loads of a search that wait for one another. */
export const searchSteps = (keys: number): number => Math.floor(Math.log2(Math.max(1, keys))) + 1;

/** Rows that a range of this op has, on average. */
export function rangeTerms(graph: Graph, inputs: readonly NodeId[]): number {
  const [listed, count] = [inputs[1]!, inputs[2]!].map((id) => sizeOf(node(graph, id).type.shape));
  return listed! / Math.max(1, count!);
}

/** µs that so many threads wait where each computes every search and range of `members` once; 0 where there are none. */
export function waitingMicros(
  graph: Graph,
  members: readonly NodeId[],
  threads: number,
  { multiprocessors }: Pick<Machine, "multiprocessors">,
): number {
  const inside = new Set(members);
  let micros = 0;
  for (const id of members) {
    const { op, inputs } = node(graph, id);
    const { kind } = opDef(op);
    if (kind === "search") {
      const steps = searchSteps(sizeOf(node(graph, inputs[0]!).type.shape));
      // Keys that are computed here are loaded by an address that is loaded before.
      micros += steps * CACHED * (inside.has(inputs[0]!) ? 2 : 1);
    } else if (kind === "ranges") micros += Math.max(1, rangeTerms(graph, inputs)) * LISTED;
  }
  return micros * Math.max(1, threads / (multiprocessors * THREADS));
}

/** @file How long threads wait for loads whose addresses are loaded first: searches in sorted keys, and rows that a list names. */
import { node, sizeOf, type Graph, type Node, type NodeId } from "../../ir";
import { opDef } from "../../ops";
import type { Machine } from "../nest/nest";
import { THREADS } from "../nest/waves";

/** µs from a load to its value: of keys, which a cache holds; of listed rows. */
const CACHED = 0.3;
const LISTED = 0.25;
/** Standard deviations above the mean of the largest of eight random numbers: a workgroup waits for the longest of its ranges. */
const LONGEST = 1.4;

/** Loads of a search that wait for one another. */
export const searchSteps = (keys: number): number => Math.floor(Math.log2(Math.max(1, keys))) + 1;

/** Rows that a range of this op has, on average. */
export function rangeTerms(graph: Graph, inputs: readonly NodeId[]): number {
  const [listed, count] = [inputs[1]!, inputs[2]!].map((id) => sizeOf(node(graph, id).type.shape));
  return listed! / Math.max(1, count!);
}

/** Rows of a range that are on their way at once, as long as ranges have so many. */
export const rangeStep = (terms: number): 1 | 2 | 4 => (terms >= 4 ? 4 : terms >= 2 ? 2 : 1);

/** Loads that wait for one another before a value is known: of a stored one itself, of a listed element the list first. */
function depthOf(graph: Graph, members: ReadonlySet<NodeId>, id: NodeId, known: Map<NodeId, number>): number {
  if (!members.has(id)) return 1;
  const found = known.get(id);
  if (found !== undefined) return found;
  const { op, inputs } = node(graph, id);
  const depths = inputs.map((input) => depthOf(graph, members, input, known));
  const [first = 0, ...rest] = depths;
  const depth = opDef(op).kind === "gather" ? first + Math.max(0, ...rest) : Math.max(0, ...depths);
  known.set(id, depth);
  return depth;
}

/** Whether neighbours that one thread takes have ranges of their own, which it then goes through one after another. */
export function hasRangesApart(graph: Graph, members: readonly NodeId[]): boolean {
  return members.some((id) => isRangeApart(node(graph, id)));
}

function isRangeApart({ op, attrs, type: { shape } }: Node): boolean {
  return opDef(op).kind === "ranges" && sizeOf(shape.slice(opDef(op).ranges!.axis(attrs, shape) + 1)) % 4 !== 0;
}

/**
 * µs that a thread waits where it computes every search and range of `members` once; 0 where there are none.
 * @param width neighbours for which it does so
 * @param isAsked which of them count
 */
export function waitingMicros(
  graph: Graph,
  members: readonly NodeId[],
  width: number,
  isAsked: (elements: number) => boolean = () => true,
): number {
  const inside = new Set(members);
  const depths = new Map<NodeId, number>();
  const depth = (id: NodeId): number => depthOf(graph, inside, id, depths);
  // What a range folds is computed for each of its rows: a range inside another waits that often.
  const often = new Map<NodeId, number>();
  const ask = (id: NodeId, times: number): void => {
    often.set(id, Math.max(times, often.get(id) ?? 1));
  };
  for (const id of members.toReversed()) {
    const { op, inputs } = node(graph, id);
    const times = often.get(id) ?? 1;
    const terms = opDef(op).kind === "ranges" ? Math.max(1, rangeTerms(graph, inputs)) : 1;
    for (const [operand, input] of inputs.entries()) ask(input, operand === 0 ? times * terms : times);
  }
  let micros = 0;
  for (const id of members) {
    const n = node(graph, id);
    const { kind } = opDef(n.op);
    if ((kind !== "search" && kind !== "ranges") || !isAsked(sizeOf(n.type.shape))) continue;
    const { inputs } = n;
    const times = often.get(id) ?? 1;
    if (kind === "search") {
      micros += times * searchSteps(sizeOf(node(graph, inputs[0]!).type.shape)) * CACHED * depth(inputs[0]!);
      continue;
    }
    const terms = rangeTerms(graph, inputs);
    const longest = Math.max(1, terms + LONGEST * Math.sqrt(terms)) * (isRangeApart(n) ? width : 1);
    micros += times * Math.ceil(longest / rangeStep(terms)) * LISTED * (depth(inputs[1]!) + depth(inputs[0]!));
  }
  return micros;
}

/** Points that a thread goes through one after another, where a machine runs so many threads at once. */
export const pointsOfThread = (points: number, { multiprocessors }: Pick<Machine, "multiprocessors">): number =>
  Math.max(1, points / (multiprocessors * THREADS));

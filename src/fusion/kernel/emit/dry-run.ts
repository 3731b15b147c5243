/** @file A dry run: which loads a value needs, as functions of the asked indices. Nothing of it is stored. */
import type { Graph, NodeId } from "../../ir";
import type { Index, IndexSpace, IndexVar, Tuple } from "./index-space";
import { Lowering } from "./lowering";

export interface ProbedLoad {
  readonly value: NodeId;
  readonly offset: Index;
  readonly elements: number;
  /** Only some lanes load it. */
  readonly conditional: boolean;
}

/** Loads behind the values `wanted`, in first-use order, each distinct one once. */
export function probeLoads(
  graph: Graph,
  members: readonly NodeId[],
  space: IndexSpace,
  wanted: readonly { readonly id: NodeId; readonly at: Tuple }[],
): ProbedLoad[] {
  const low = new Lowering(graph, members, [], space);
  const loads: ProbedLoad[] = [];
  low.onLoad = (buffer, offset, conditional) => {
    loads.push({ value: buffer.value, offset, elements: buffer.elements, conditional });
    return null;
  };
  for (const { id, at } of wanted) low.valueAt(id, at);
  return loads;
}

/** How far one step of `variable` moves in memory; null when that is no constant. */
export function strideOf(offset: Index, variable: IndexVar): number | null {
  let stride = 0;
  for (const { atom, by } of offset.terms) {
    if (atom === variable) stride += by;
    else if (atom.kind !== "var" && mentions(atom.of, variable)) return null;
  }
  return stride;
}

/** Steps of a run that are looked at: no tile is wider. */
const LONG_RUN = 64;

/** How many neighbours along `variable` lie side by side in memory, from the first one on. */
export function runOf(space: IndexSpace, offset: Index, variable: IndexVar): number {
  const at = (value: number): Index => space.substitute(offset, variable, space.int(value));
  const start = at(0);
  let run = 1;
  while (run < LONG_RUN && run <= variable.max && at(run) === space.add(start, space.int(run))) run++;
  return run;
}

const mentions = (index: Index, variable: IndexVar): boolean =>
  index.terms.some(({ atom }) => (atom.kind === "var" ? atom === variable : mentions(atom.of, variable)));

/**
 * @file A merge that binds too many buffers, or that loads with a stride what was transposed, with what lies between left out: slices and
 * transposes whose sources it reads in place.
 */
import { node, type NodeId, type Region } from "../../ir";
import { opDef } from "../../ops";
import { neededBy } from "../../kernel";
import type { Candidate } from "./define";
import { bindingsOf, priorityOf, unionOf } from "./merge";
import type { Planner } from "./planner";
import { NO_MICROS } from "../profitability/weigh";

/** What such candidates are called. */
export const IN_PLACE = "in-place";

/** Every element of the region's result is one element of one operand: transposes, slices, expansions, views. */
export const isIndexMap = (planner: Planner, region: Region): boolean =>
  region.members.every((id) => {
    const n = node(planner.graph, id);
    const { movement } = opDef(n.op);
    return movement !== undefined && movement.fill === undefined && n.inputs.length === 1;
  });

/** The same merge with fewer buffers, or with fewer strides; null where it has none too many, or this does not help. */
export function readingInPlace(planner: Planner, candidate: Candidate): Candidate | null {
  const [merged] = candidate.add;
  if (!merged || candidate.add.length > 1) return null;
  const few = bindsFew(planner, merged);
  if (few === null) return null;
  const read = few ? readWithStride(planner, merged) : planner.inputsOf(merged);
  const moves = [...new Set(read.flatMap((value) => planner.homeOf(value) ?? []))]
    .map(planner.region)
    .filter((home) => !candidate.remove.includes(home) && isIndexMap(planner, home) && !planner.isView(home));
  if (moves.length === 0) return null;
  const { id, outputs } = merged;
  const members = neededBy((each) => node(planner.graph, each), unionOf(planner, [...moves, merged]), outputs);
  const region: Region = { id, members, outputs };
  if (bindsFew(planner, region) !== true) return null;
  const gone = new Set(candidate.remove.map((each) => each.id));
  const unread = moves.filter(
    (move) => !move.outputs.some(planner.isOutput) && planner.readersOf(move.id).every((reader) => gone.has(reader)),
  );
  const found = {
    ...candidate,
    rule: IN_PLACE,
    edges: candidate.edges,
    nodes: [...candidate.nodes, ...moves.flatMap((move) => move.outputs)],
    remove: [...candidate.remove, ...unread],
    add: [region],
  };
  return few && priorityOf(planner, found) <= NO_MICROS ? null : found;
}

/** Values of which the region fetches more than it uses. */
const readWithStride = (planner: Planner, region: Region): readonly NodeId[] =>
  planner.factsOf(region).schedule.reads.flatMap(({ value, waste }) => (waste > 1 ? [value] : []));

/** Whether the region binds no more than it may; null where it is no kernel. */
function bindsFew(planner: Planner, region: Region): boolean | null {
  const facts = planner.kernelOf(region);
  return facts && bindingsOf(planner, facts) <= planner.profile.maxBindings;
}

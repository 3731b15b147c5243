/** @file How many walks over a row compute a member anew: what no register keeps from one walk to the next is computed in each that asks for it. */
import { node, sizeOf, type Graph, type NodeId } from "../../ir";
import { factorsOf } from "../shapes/fold/fold-factors";
import type { RegionForm, RegionSchedule } from "../types";
import type { Body } from "../schedule/schedule-parts";

/** Walks by their number, the first one 0, as bits. */
type Walks = number;
const count = (walks: Walks): number => walks.toString(2).replaceAll("0", "").length;

/**
 * The walks that compute each member of rows; members that are computed in one are left out.
 * @param perRow values known once per row: they are computed between walks
 */
export function walksOf(
  graph: Graph,
  { members, outputs }: Body,
  form: RegionForm | null,
  schedule: RegionSchedule,
  perRow: ReadonlySet<NodeId>,
): ReadonlyMap<NodeId, number> {
  if (!form || !schedule.fold || form.reductions.length === 0 || factorsOf(schedule.fold).held) return new Map();
  // Folds of two stages that one walk makes together are of one walk.
  const walkOf = (stage: number): number => stage - schedule.merged.filter((first) => first < stage).length;
  const stages = new Map(form.reductions.map(({ node: id, stage }) => [id, walkOf(stage)]));
  /** The walk after which all is known that a member is computed from; −1: nothing is waited for. */
  const known = new Map<NodeId, number>();
  for (const id of members) {
    const before = node(graph, id).inputs.map((input) => known.get(input) ?? -1);
    known.set(id, Math.max(stages.get(id) ?? -1, ...before));
  }
  const asked = new Map<NodeId, Walks>();
  const ask = (id: NodeId, walks: Walks): void => void asked.set(id, (asked.get(id) ?? 0) | walks);
  for (const id of outputs) if (sizeOf(node(graph, id).type.shape) > form.rows) ask(id, 2 ** (known.get(id)! + 1));
  for (const id of members.toReversed()) {
    const own = perRow.has(id) ? 0 : (asked.get(id) ?? 0);
    const walks = stages.has(id) ? 2 ** stages.get(id)! : own;
    for (const input of node(graph, id).inputs) ask(input, walks);
  }
  return new Map(
    members.flatMap((id) => {
      const walks = perRow.has(id) ? 1 : count(asked.get(id) ?? 0);
      return walks > 1 ? [[id, walks] as const] : [];
    }),
  );
}

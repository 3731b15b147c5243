/** @file A value larger than the device binds at once can't be stored: what lets it disappear is worth it, whatever it costs. */
import { bytesOf, node, type NodeId, type ReasonCode } from "../ir";
import type { Candidate, CostDelta, Opinion } from "./define";
import type { Planner } from "./planner";
import { overruled, timeOf } from "./weigh";
import { capital, namesOf, nameOf, showBytes, yes } from "./sentences";

/** Refusals by cost, which the device overrules; people's wishes and budgets stand. */
const BY_COST: ReadonlySet<ReasonCode> = new Set(["C_NEGATIVE", "C_RECOMPUTE", "C_PARALLELISM", "C_BEATEN"]);

/** Yes where the candidate takes the last store of such a value away and brings none; else null. */
export function removesOverLimit(
  planner: Planner,
  candidate: Candidate,
  delta: CostDelta,
  refused: Opinion,
): Opinion | null {
  const { add, remove, nodes, rewrite } = candidate;
  if (rewrite || !BY_COST.has(refused.code)) return null;
  const { graph, profile } = planner;
  const size = (id: NodeId): number => bytesOf(node(graph, id).type);
  const large = (regions: typeof add): NodeId[] =>
    regions.flatMap(({ outputs }) => outputs.filter((id) => size(id) > profile.maxBindingBytes));
  const [before, after] = [large(remove), new Set(large(add))];
  const gone = before.find((id) => !after.has(id));
  if (gone === undefined || [...after].some((id) => !before.includes(id))) return null;
  const bytes = size(gone);
  return yes(
    "L_BINDINGS",
    nodes,
    `${nameOf(graph, gone)} has ${showBytes(bytes)} and the device binds at most ${showBytes(profile.maxBindingBytes)}, so it can't be stored. ${capital(namesOf(graph, nodes))} become one kernel, whatever the times: ${timeOf(delta.fused, delta.apart)}.`,
    {
      numbers: { bytes, limit: profile.maxBindingBytes },
      limit: { what: "bytes in one buffer", value: bytes, limit: profile.maxBindingBytes, unit: "B" },
      weighed: overruled("limit", candidate, delta, refused),
    },
  );
}

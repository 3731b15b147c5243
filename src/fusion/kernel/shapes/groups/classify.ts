/** @file Elements that are grouped by their keys: which regions are one kernel. */
import { node, type Graph, type NodeId } from "../../../ir";
import { opDef } from "../../../ops";
import { refuse, storedRemedy } from "../../refusal";
import { elementwise, type Classified } from "../../types";
import { walksRows } from "../fold/rows/row-ops";

/** A region with a member that groups: keys are computed elementwise on the way, and nothing else is stored. */
export function classifyGroups(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  [group, second]: readonly NodeId[],
): Classified {
  const grouped = node(graph, group!);
  const label = (id: NodeId): string => `\`${node(graph, id).label}\``;
  const counts = `${label(grouped.id)} counts all its keys before it puts the first element into its range`;
  const refused = (id: NodeId, why: string, remedy: string): Classified =>
    refuse("L_ROOT", [id, grouped.id], `${counts}: ${why}.`, remedy);
  if (second !== undefined)
    return refused(second, `${label(second)} counts others`, "Nothing here: each counts in kernels of its own.");
  const reader = members.find((id) => node(graph, id).inputs.includes(grouped.id));
  if (reader !== undefined)
    return refused(reader, `${label(reader)} reads it when it is complete`, "Nothing here: a later kernel reads it.");
  const other = outputs.find((id) => id !== grouped.id);
  if (other !== undefined)
    return refused(
      other,
      `${label(other)} is needed in memory, and the keys are computed twice`,
      storedRemedy(graph, members, other, grouped.id),
    );
  const folding = members.find((id) => walksRows(node(graph, id)) || opDef(node(graph, id).op).kind === "contraction");
  if (folding !== undefined)
    return refused(
      folding,
      `each of its threads has a few keys, and ${label(folding)} folds all that it is computed from`,
      "Store it; the kernels that count read it.",
    );
  return { ok: true, form: elementwise("groups", node(graph, grouped.inputs[0]!).type.shape) };
}

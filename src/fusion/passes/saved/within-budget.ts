/** @file A budget for saved values holds for the plan, too: no merge may have the backward pass read more of the forward pass than it allows. */
import { savedBuffers } from "../../cost";
import { bytesOf, isInput, node, type NodeId, type Region } from "../../ir";
import { storedInputs } from "../../region";
import type { Candidate, Opinion } from "../driver/define";
import type { Planner } from "../driver/planner";
import { namesOf, no, showBytes } from "../driver/sentences";
import { isLate } from "./partition";

/** Values of the forward pass that kernels of `regions` read in the backward pass. */
function savedFor({ graph }: Planner, regions: readonly Region[]): ReadonlySet<NodeId> {
  const late = (id: NodeId): boolean => isLate(node(graph, id));
  const read = regions
    .filter(({ members }) => members.some(late))
    .flatMap(({ members }) => storedInputs(graph, members));
  return new Set(read.filter((id) => !late(id) && !isInput(node(graph, id))));
}

/** Why kernels may not be merged so; null where no budget is set, it holds, or more was saved already. */
export function overBudget(planner: Planner, { add, remove, nodes, rewrite }: Candidate): Opinion | null {
  const { graph, options, regions } = planner;
  const { savedValues: { policy, budgetBytes } = {} } = options;
  if (budgetBytes === undefined || policy !== "cut" || rewrite) return null;
  const [before, after] = [savedFor(planner, remove), savedFor(planner, add)];
  const gone = new Set(remove.map(({ id }) => id));
  const isRead = (id: NodeId): boolean =>
    [...planner.regionsReading(id)].some(
      (reader) => !gone.has(reader) && planner.region(reader).members.some((member) => isLate(node(graph, member))),
    );
  const bytes = (ids: Iterable<NodeId>): number => [...ids].reduce((sum, id) => sum + bytesOf(node(graph, id).type), 0);
  const more = [...after].filter((id) => !before.has(id) && !isRead(id));
  const less = [...before].filter((id) => !after.has(id) && !isRead(id));
  if (bytes(more) <= bytes(less)) return null;
  const saved = bytes(savedBuffers({ graph, regions }).map(({ value }) => value));
  const total = saved + bytes(more) - bytes(less);
  if (total <= budgetBytes) return null;
  return no(
    "C_PEAK_MEMORY",
    nodes,
    `The merged kernel would read ${namesOf(graph, more)} in the backward pass: ${showBytes(total)} would be saved instead of ${showBytes(saved)}, above the ${showBytes(budgetBytes)} allowed.`,
    {
      numbers: { bytesBefore: saved, bytesAfter: total, limit: budgetBytes },
      limit: { what: "saved values", value: total, limit: budgetBytes, unit: "B" },
      remedy: `Options, Saved values: allow at least ${showBytes(total)}.`,
      remedyOptions: { savedValues: { ...options.savedValues!, budgetBytes: total } },
    },
  );
}

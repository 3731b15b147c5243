/** @file Where forward and backward run separately, no kernel belongs to both. */
import { bytesOf, node, type NodeId, type Region, type Verdict } from "../../ir";
import type { Candidate } from "../define";
import type { Planner, PlanOptions } from "../planner";
import { nameOf, no, showBytes } from "../sentences";
import { isLate } from "./partition";

/** The backward pass runs later: what it reads of the forward pass goes through memory. Null where nothing is mixed. */
export function crossPhase({ graph, options }: Planner, { add, remove }: Candidate): Verdict | null {
  if (options.savedValues?.apart !== true) return null;
  const late = (id: NodeId): boolean => isLate(node(graph, id));
  const isMixed = ({ members }: Region): boolean => members.some(late) && !members.every(late);
  const mixed = add.find(isMixed);
  if (!mixed || remove.some(isMixed)) return null;
  const { members } = mixed;
  for (const reader of members.filter(late)) {
    const value = node(graph, reader).inputs.find((input) => members.includes(input) && !late(input));
    if (value === undefined) continue;
    const bytes = bytesOf(node(graph, value).type);
    const text = `${nameOf(graph, reader)} reads ${nameOf(graph, value)} in the backward pass, which runs later: its ${showBytes(bytes)} have to be saved until then.`;
    return no("L_SAVED", [value, reader], text, { numbers: { bytes }, ...oneGraph(options) });
  }
  const [early, other] = [members.find((id) => !late(id))!, members.find(late)!];
  const text = `${nameOf(graph, early)} belongs to the forward pass and ${nameOf(graph, other)} to the backward pass, which runs later.`;
  return no("L_SAVED", [early, other], text, oneGraph(options));
}

/** Planned together, values cross between the passes in registers. */
const oneGraph = ({ savedValues }: PlanOptions): Pick<Verdict, "remedy" | "remedyOptions"> => ({
  remedy: "Options, Saved values: plan both passes as one graph.",
  remedyOptions: { savedValues: { choices: {}, ...savedValues, apart: false } },
});

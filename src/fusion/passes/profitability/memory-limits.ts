/** @file What a plan may hold in memory: its peak, and what the backward pass reads of the forward pass. */
import { savedBuffers, savedFor } from "../../cost";
import { bytesOf, node, type NodeId, type Region } from "../../ir";
import type { Candidate, Opinion } from "../driver/define";
import type { Planner } from "../driver/planner";
import { namesOf, no, showBytes } from "../driver/sentences";

/**
 * The plan must stay below the profile's memory limit, unless it was above it already. It is held against the order of the text, which no
 * plan's own peak is above.
 */
export function overPeak(planner: Planner, { add, remove, nodes, rewrite }: Candidate): Opinion | null {
  const { profile, storedPeak = Infinity } = planner.options;
  const limit = Math.min(profile.memoryLimitBytes, storedPeak);
  const before = planner.peakBytes();
  if (rewrite) return null;
  const reach = add.reduce((sum, region) => sum + planner.figuresOf(region).traffic.bytes, 0);
  if (before + reach <= limit) return null;
  const after = planner.peakAfter(remove, add);
  if (after <= limit || after <= before) return null;
  const isStored = limit === storedPeak;
  const what = isStored ? `the ${showBytes(limit)} of saving every value` : `the limit of ${showBytes(limit)}`;
  return no(
    "C_PEAK_MEMORY",
    nodes,
    `In the order of the text the inputs of the merged kernel would have to stay in memory until it runs, which raises the peak from ${showBytes(before)} to ${showBytes(after)}, above ${what}.`,
    {
      numbers: { bytesBefore: before, bytesAfter: after, limit },
      limit: { what: "peak memory in the order of the text", value: after, limit, unit: "B" },
      ...(isStored
        ? { remedy: "Options, Saved values: save every value." }
        : {
            remedy: `A memory limit of at least ${showBytes(after)} (Options, device).`,
            remedyOptions: { profile: { ...profile, memoryLimitBytes: after } },
          }),
    },
  );
}

/** No merge may have the backward pass read more than the budget that saved values were chosen by; null where none is set, it holds, or more was saved already. */
export const overBudget = (planner: Planner, candidate: Candidate): Opinion | null =>
  candidate.rewrite ? null : overBudgetAs(planner, candidate, (ask) => ask());

/**
 * The same of a rewrite that makes kernels of both passes.
 * @param rewritten asks something of the graph as it is rewritten
 */
export function overBudgetAs(
  planner: Planner,
  { add, remove, nodes }: Candidate,
  rewritten: <T>(ask: () => T) => T,
): Opinion | null {
  const { graph, options, regions } = planner;
  const { savedValues: { policy, budgetBytes } = {} } = options;
  if (budgetBytes === undefined || policy !== "cut" || options.disabledPasses.includes("saved-values")) return null;
  const savedForAll = (kernels: readonly Region[]): ReadonlySet<NodeId> =>
    new Set(kernels.flatMap(({ members }) => savedFor(planner.graph, members)));
  const [before, after] = [savedForAll(remove), rewritten(() => savedForAll(add))];
  const gone = new Set(remove.map(({ id }) => id));
  const isRead = (id: NodeId): boolean =>
    [...planner.regionsReading(id)].some(
      (reader) => !gone.has(reader) && savedFor(graph, planner.region(reader).members).includes(id),
    );
  const bytes = (ids: Iterable<NodeId>): number =>
    rewritten(() => [...ids].reduce((sum, id) => sum + bytesOf(node(planner.graph, id).type), 0));
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

/** @file Readers walk a tensor in another order instead of waiting for a copy of it. Views and index maps move into their readers. */
import { bytesOf, node, type Region } from "../ir";
import { opDef } from "../ops";
import type { Answer, Candidate, FusionPass } from "./define";
import { copyCandidate, costOf, legalMerge, patchOf, shownByView } from "./merge";
import type { Planner } from "./planner";
import { capital, namesOf, nameOf, no, showBytes, showMicros, yes } from "./sentences";
import { overBudget, policyOnContraction } from "./profitability";

/** Every element of the region's result is one element of one operand: transposes, slices, expansions, views. */
export const isIndexMap = (planner: Planner, region: Region): boolean =>
  region.members.every((id) => {
    const n = node(planner.graph, id);
    const { movement } = opDef(n.op);
    return movement !== undefined && movement.fill === undefined && n.inputs.length === 1;
  });

export const transposeFolding: FusionPass = {
  name: "transpose-folding",
  title: "Fold transposes and views",
  teaches: "layout",
  summary: "Lets a reader walk a tensor in another order instead of writing a re-ordered copy first.",
  numerics: "bitwise",
  *match(planner) {
    // Readers first: a chain of views then collapses into its last reader one link at a time.
    const ids = planner.inOrder().toReversed();
    for (const id of ids) {
      const region = planner.regions.get(id);
      if (!region || !isIndexMap(planner, region)) continue;
      if (planner.isView(region)) yield* eachReader(planner, region);
      else yield* allReaders(planner, region);
    }
  },
  legal(planner, candidate) {
    if (candidate.rule === "view") return legalMerge(planner, candidate);
    const [moved, ...readers] = candidate.remove;
    const result = moved!.outputs.find((id) => planner.isOutput(id));
    if (result !== undefined) {
      return no(
        "L_ROOT",
        candidate.nodes,
        `${nameOf(planner.graph, result)} is a result, so it is stored in its own order; its readers take the stored one.`,
        {
          numbers: { bytes: bytesOf(node(planner.graph, result).type) },
          remedy: "Return the value as it lies and turn it where it is read.",
        },
      );
    }
    return shownByView(planner, moved!, readers) ?? legalMerge(planner, candidate);
  },
  cost: costOf,
  profitability(planner, candidate, delta) {
    const refusal = overBudget(planner, candidate) ?? policyOnContraction(planner, candidate);
    if (refusal) return refusal;
    const { graph } = planner;
    const moved = namesOf(
      graph,
      candidate.remove[0]!.outputs.filter((id) => candidate.nodes.includes(id)),
    );
    const readers = namesOf(
      graph,
      candidate.add.flatMap(({ outputs }) => outputs),
    );
    const numbers = { bytesSaved: delta.bytesSaved, microsApart: delta.microsApart, microsFused: delta.microsFused };
    const both = `${showMicros(delta.microsFused)} instead of ${showMicros(delta.microsApart)}`;
    if (candidate.rule === "view" && delta.microsFused <= delta.microsApart + 1e-9) {
      const text = `${capital(moved)} holds the same elements in the same order: ${readers} reads them under the other shape, for nothing.`;
      return yes("A_VIEW", candidate.nodes, text, { numbers });
    }
    if (delta.microsFused < delta.microsApart) {
      const text = `${capital(readers)} reads the source of ${moved} through another index, so ${moved} is never written: ${showBytes(delta.bytesSaved)} less traffic, ${both}.`;
      return yes("A_VIEW", candidate.nodes, text, { numbers });
    }
    const text = `Reading against the grain fetches about four times what ${readers} needs: ${both}. So ${moved} is written once, in order.`;
    return no("C_NEGATIVE", candidate.nodes, text, { numbers, remedy: "Fuse anyway on this edge to see it run." });
  },
  apply: (_planner, candidate) => patchOf(candidate),
};

/** A view costs nothing wherever it is: each reader that can take it does. */
function* eachReader(planner: Planner, view: Region): Generator<Candidate, void, Answer> {
  const kept = view.outputs.some(planner.isOutput);
  let left = planner.readersOf(view.id).length;
  for (const id of planner.readersOf(view.id)) {
    const candidate = copyCandidate(planner, "view", view, [planner.region(id)], kept || left > 1);
    if ((yield candidate).accepted) left--;
  }
}

function* allReaders(planner: Planner, region: Region): Generator<Candidate, void, Answer> {
  const readers = planner.readersOf(region.id).map((id) => planner.region(id));
  if (readers.length > 0) yield copyCandidate(planner, "fold", region, readers);
}

/** @file P2: readers walk a tensor in another order instead of waiting for a copy of it. Views and index maps move into their readers. */
import { bytesOf, isLiteral, node, parseEdgeId, type Region } from "../ir";
import type { Answer, Candidate, FusionPass } from "./driver/define";
import { copyCandidate } from "./driver/copies";
import { costOf, legalMerge, patchOf, shownByView } from "./driver/merge";
import { isIndexMap } from "./driver/read-in-place";
import type { Planner } from "./driver/planner";
import { bothWays, bytesOfWays, choosing, movesLess, NO_MICROS, takesIt, timeOf, weigh } from "./profitability/weigh";
import { capital, nameOf, namesOf, no, subjectOf, yes } from "./driver/sentences";
import { forcing, overBudget, policyOnContraction } from "./profitability/profitability";
import { storedInputs } from "../kernel";
import { titled } from "./catalogue";

export const transposeFolding: FusionPass = {
  ...titled("transpose-folding"),
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
        `${nameOf(planner.graph, result)} is a result, so it is written in its own order, and its readers load that.`,
        {
          numbers: { bytes: bytesOf(node(planner.graph, result).type) },
          remedy: "Returning the value as it was before, and transposing it where it is read.",
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
    const ends = candidate.edges.map((edge) => parseEdgeId(edge)!);
    const moved = namesOf(graph, ends.length > 0 ? ends.map(({ producer }) => producer) : candidate.nodes);
    const readers =
      ends.length > 0 ? ends.map(({ consumer }) => consumer) : candidate.add.flatMap(({ outputs }) => outputs);
    // An `x` that is bound again has the name of what it reads.
    const next = namesOf(graph, readers) === moved ? "the next " : "";
    const reading = (what: string): string => next + subjectOf(graph, readers, `reads ${what}`, `read ${what}`);
    const { members } = candidate.remove[0]!;
    const repeated = storedInputs(graph, members).every((id) => isLiteral(node(graph, id)));
    const how = repeated ? `the number that ${moved} repeats` : `the source of ${moved} with another index`;
    const { apart, fused } = delta;
    const numbers = {
      bytesSaved: apart.bytes - fused.bytes,
      microsApart: apart.micros,
      microsFused: fused.micros,
    };
    const [without, withIt] = bothWays(candidate, delta);
    const ways = [
      { ...without, what: "written out" },
      { ...withIt, what: "read in place" },
    ];
    if (candidate.rule === "view" && fused.micros <= apart.micros + NO_MICROS) {
      const text = `${capital(moved)} has the same elements in the same order: ${reading("them")} with the other shape, at no cost.`;
      return yes("A_VIEW", candidate.nodes, text, { numbers, weighed: choosing("time", ways, 1) });
    }
    const weighed = weigh("time", ways);
    if (takesIt(weighed)) {
      const bytes = movesLess(fused, apart) ? `${bytesOfWays(fused, apart)} of traffic, ` : "";
      const text = `${capital(reading(how))}, so ${moved} is never written: ${bytes}${timeOf(fused, apart)}.`;
      return yes("A_VIEW", candidate.nodes, text, { numbers, weighed });
    }
    const text = `Read in place, ${moved} would be loaded with a stride, which fetches more than it uses: ${timeOf(fused, apart)}. So it is written once, in order.`;
    return no("C_NEGATIVE", candidate.nodes, text, { numbers, weighed, ...forcing(planner, candidate) });
  },
  apply: (_planner, candidate) => patchOf(candidate),
};

/** A view costs nothing wherever it is: each reader that can take it does. */
function* eachReader(planner: Planner, view: Region): Generator<Candidate, void, Answer> {
  const needed = view.outputs.some(planner.isOutput);
  let left = planner.readersOf(view.id).length;
  for (const id of planner.readersOf(view.id)) {
    const candidate = copyCandidate(planner, "view", view, [planner.region(id)], {
      storesProducer: needed || left > 1,
    });
    if ((yield candidate).accepted) left--;
  }
}

function* allReaders(planner: Planner, region: Region): Generator<Candidate, void, Answer> {
  const readers = planner.readersOf(region.id).map((id) => planner.region(id));
  if (readers.length > 0) yield copyCandidate(planner, "fold", region, readers);
}

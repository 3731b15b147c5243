/** @file What the naive plan chose for what is scattered, as decisions: its kernels compare all targets with all updates, or sort. */
import type { NaiveChoice } from "../../ir";
import { titled } from "../catalogue";
import type { FusionPass } from "../driver/define";
import { costOf, NOTHING } from "../driver/merge";
import { nameOf, no, showCount, yes } from "../driver/sentences";
import type { Planner } from "../driver/planner";
import { timeOf, weigh } from "../profitability/weigh";

const BEFORE: Record<NaiveChoice["way"], string> = {
  grouped:
    "Once all threads have counted how many updates each index has, the updates of one index are put side by side",
  sorted: "After a sort and a search for where they start, the updates of one index are neighbours",
  counted: "Each update adds one to the count of its index, which all threads share",
  latest: "Each update leaves its number at its index, where the largest one stays",
  loaded: "Each takes one value",
};
const WHY: Record<NaiveChoice["takes"], string> = {
  fold: "and each is read once.",
  count: "and their number is known.",
  last: "and the last of them is found among these alone.",
  value: "and a load at that index reads no other.",
};

const WHAT: Record<NaiveChoice["way"], string> = {
  grouped: "grouped",
  sorted: "sorted",
  counted: "counted by the index",
  latest: "the last at each index",
  loaded: "loaded at the index",
};

export const sortedScatter: FusionPass = {
  ...titled("sorted-scatter"),
  *match(planner) {
    for (const { node } of planner.choices) {
      const regions = [...planner.regions.values()].filter(({ members }) => members.includes(node));
      if (regions.length === 0) continue;
      yield {
        rule: "sort-updates",
        kind: "graph",
        edges: [],
        nodes: [node],
        remove: regions,
        add: regions,
        into: null,
        merged: [],
      };
    }
  },
  legal: (planner, { nodes }) => yes("A_PATTERN", nodes, textOf(planner, choiceOf(planner, nodes[0]!))),
  cost(planner, candidate) {
    const { compared, instead } = choiceOf(planner, candidate.nodes[0]!);
    return { ...costOf(planner, candidate), apart: compared, fused: instead };
  },
  profitability(planner, { nodes }, { apart, fused }) {
    const choice = choiceOf(planner, nodes[0]!);
    const weighed = weigh("time", [
      { what: "compared in one kernel", ...apart },
      { what: WHAT[choice.way], ...fused },
      ...choice.others.map(({ way, work }) => ({ what: WHAT[way], ...work })),
    ]);
    const numbers = { bytesSaved: apart.bytes - fused.bytes, launchesSaved: apart.launches - fused.launches };
    if (choice.taken)
      return yes(
        "A_PATTERN",
        nodes,
        `${textOf(planner, choice)} The naive plan does so, too: ${timeOf(fused, apart)}.`,
        {
          numbers,
          weighed,
        },
      );
    const text = `${textOf(planner, choice)} That takes longer than one kernel that compares all of them: ${timeOf(fused, apart)}.`;
    return no("C_NEGATIVE", nodes, text, { numbers, weighed, remedy: "More updates, or more targets." });
  },
  apply: () => NOTHING,
};

const choiceOf = ({ choices }: Planner, id: NaiveChoice["node"]): NaiveChoice =>
  choices.find(({ node }) => node === id)!;

function textOf({ graph }: Planner, { node, takes, way, targets, updates }: NaiveChoice): string {
  const [one, other] = takes === "value" ? [updates, targets] : [targets, updates];
  const what = takes === "value" ? ["indices", "values"] : ["targets", "updates"];
  return `As written, ${nameOf(graph, node)} compares each of ${showCount(one)} ${what[0]} with all ${showCount(other)} ${what[1]}. ${BEFORE[way]}, ${way === "latest" ? "and no other is looked at." : WHY[takes]}`;
}

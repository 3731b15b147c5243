/** @file P5: reductions over the same rows, what feeds several of them and what follows them become one kernel that walks each row once. */
import { factorsOf } from "../kernel";
import { OPS_PER_NOTCH, type Region, type RegionId } from "../ir";
import type { RegionSchedule } from "../region";
import type { Answer, Candidate, FusionPass, Opinion } from "./define";
import { costOf, edgesBetween, hasContraction, walksRows, legalMerge, mergeCandidate, nodesOf, patchOf } from "./merge";
import type { Planner } from "./planner";
import { countOf, inWords, namesOf, showBytes } from "./sentences";
import { judge } from "./profitability";
import { titled } from "./catalogue";

/** Ops in the groups of the first round. */
const FIRST_GROUPS = 16;

export const rowGroups: FusionPass = {
  ...titled("row-groups"),
  teaches: "row-groups",
  *match(planner) {
    // Small groups grow one by one, as one would read them; then groups of like size join, so that long programs stay cheap.
    const largest = OPS_PER_NOTCH * planner.options.groupSize;
    for (let limit = FIRST_GROUPS; ; limit *= 2) {
      const ids = planner.inOrder();
      for (const id of ids) yield* producersInto(planner, id, limit < largest ? limit : Infinity);
      if (limit >= largest) return;
    }
  },
  legal: legalMerge,
  cost: costOf,
  profitability(planner, candidate, delta) {
    const doing = `Fusing ${namesOf(planner.graph, candidate.nodes)}, which work on the same rows,`;
    return withRowSize(planner, candidate, judge(planner, candidate, delta, doing));
  },
  apply: (_planner, candidate) => patchOf(candidate),
};

/** Merges a region with those of its producers that walk the same rows, up to `limit` ops. */
function* producersInto(planner: Planner, id: RegionId, limit: number): Generator<Candidate, void, Answer> {
  const tried = new Set<RegionId>();
  let current = id;
  for (let grown = true; grown;) {
    grown = false;
    const consumer = planner.regions.get(current);
    if (!consumer || planner.isView(consumer) || hasContraction(planner, consumer)) return;
    for (const from of planner.producersOf(current).toReversed()) {
      const producer = planner.region(from);
      if (tried.has(from) || producer.members.length + consumer.members.length > limit) continue;
      if (!belongTogether(planner, producer, consumer)) continue;
      tried.add(from);
      const edges = edgesBetween(planner, producer, consumer);
      const about = { edges, nodes: nodesOf(edges, producer), id: producer.id };
      const { accepted } = yield mergeCandidate(planner, "same-rows", [producer, consumer], about);
      if (!accepted) continue;
      current = producer.id;
      grown = true;
      break;
    }
  }
}

/** The producer reduces, or feeds a reduction and something else besides. */
function belongTogether(planner: Planner, producer: Region, consumer: Region): boolean {
  if (planner.isView(producer) || hasContraction(planner, producer)) return false;
  if (walksRows(planner, producer)) return true;
  return walksRows(planner, consumer) && planner.readersOf(producer.id).length > 1;
}

/** What a workgroup has of a row, or that it reads it more than once. */
function withRowSize(planner: Planner, { add }: Candidate, verdict: Opinion): Opinion {
  if (!verdict.ok) return verdict;
  const { form, schedule } = planner.factsOf(add[0]!);
  if (form === null) return verdict;
  const said = holding(schedule, form.columns);
  return said === null
    ? verdict
    : { ...verdict, text: `${verdict.text} ${said}`, numbers: { ...verdict.numbers, bytesOfRow: 4 * form.columns } };
}

/** How workgroups share rows; null where each row is one thread's. */
function holding({ variant, chunks, reads, fold }: RegionSchedule, columns: number): string | null {
  const row = `row (${columns} values, ${showBytes(4 * columns)})`;
  const rereads = reads.reduce((most, read) => Math.max(most, read.rereads), 0);
  if (rereads > 0) return `Each ${row} is read ${rereads === 1 ? "twice" : `${inWords(rereads + 1)} times`}.`;
  if (variant === "fold" && chunks > 1)
    return `Each ${row} is reduced in ${countOf(chunks, "chunk")}, which a second dispatch combines.`;
  const alone = variant === "mixed-thread" || (fold !== undefined && factorsOf(fold).lanes === 1);
  return alone ? null : `Each ${row} stays on chip until it is done.`;
}

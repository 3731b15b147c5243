/** @file P5: reductions over the same rows, what feeds several of them and what follows them become one kernel that walks each row once. */
import { classifyPlain, factorsOf, lineOf, type RegionSchedule } from "../../kernel";
import { OPS_GROWING, type NodeId, type Region, type RegionId } from "../../ir";
import type { Answer, Candidate, FusionPass, Opinion } from "../driver/define";
import {
  bindingsOf,
  costOf,
  edgesBetween,
  hasContraction,
  leastBindings,
  legalMerge,
  mergeCandidate,
  mergedRegion,
  nodesOf,
  patchOf,
  walksRows,
} from "../driver/merge";
import { isRefusal } from "../../cost";
import type { Planner } from "../driver/planner";
import { countOf, inWords, namesOf, showBytes } from "../driver/sentences";
import { judge } from "../profitability/profitability";
import { titled } from "../catalogue";

/** Ops in the groups of the first round. */
const FIRST_GROUPS = 16;

export const rowGroups: FusionPass = {
  ...titled("row-groups"),
  *match(planner) {
    // Small groups grow one by one, as one would read them; then groups of like size join, so that long programs stay cheap.
    const largest = OPS_GROWING * planner.options.groupSize;
    for (let limit = FIRST_GROUPS; ; limit *= 2) {
      const ids = planner.inOrder();
      for (const id of ids) yield* producersInto(planner, id, limit < largest ? limit : Infinity);
      if (limit >= largest) return;
    }
  },
  legal: legalMerge,
  cost: costOf,
  profitability(planner, candidate, delta) {
    const { form } = planner.factsOf(candidate.add[0]!);
    const doing = `Fusing ${namesOf(planner.graph, candidate.nodes)}, which work on the same ${form ? lineOf(form) : "row"}s,`;
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
      let { accepted } = yield mergeCandidate(planner, "same-rows", [producer, consumer], about);
      const more = accepted ? null : withThoseBetween(planner, [producer, consumer], limit);
      if (more) ({ accepted } = yield wholeGroup(planner, more, producer.id));
      if (!accepted) continue;
      current = producer.id;
      grown = true;
      break;
    }
  }
}

const opsOf = (regions: readonly Region[]): number => regions.reduce((ops, { members }) => ops + members.length, 0);

/** Kernels that a group takes in at most, so that two of it can meet. */
const MAX_BETWEEN = 8;

/**
 * A group that one kernel can bind and that waits for nothing outside, grown from one that can't: what lies on a path that returns goes
 * in, and all readers of a value that can't be stored, and, as long as too many buffers are bound, the neighbour that leaves the fewest.
 * Null where there is none of up to `limit` ops, or none is needed.
 */
function withThoseBetween(planner: Planner, pair: readonly Region[], limit: number): readonly Region[] | null {
  const group = [...pair];
  const most = planner.profile.maxBindings;
  const mostOps = OPS_GROWING * planner.options.groupSize;
  const merged = (regions: readonly Region[]): Region => mergedRegion(planner, regions, pair[0]!.id);
  const bindings = (region: Region): number => {
    const facts = planner.kernelOf(region);
    return facts ? bindingsOf(planner, facts) : Infinity;
  };
  const fits = (region: Region): boolean => !planner.isView(region) && !hasContraction(planner, region);
  const largest = pair.length + MAX_BETWEEN;
  while (group.length < largest && opsOf(group) <= limit) {
    const path = planner.order.returns(group.map(({ id }) => id));
    if (path.found) {
      const via = planner.region(path.via);
      if (!fits(via)) return null;
      group.push(via);
      continue;
    }
    const ids = new Set(group.map(({ id }) => id));
    const together = merged(group);
    const now = bindings(together);
    if (now <= most) return group.length > pair.length ? group : null;
    if (now === Infinity) {
      const missing = readersMissing(planner, together, ids);
      group.push(...missing);
      if (missing.length === 0 || group.length >= largest || opsOf(group) > mostOps || !missing.every(fits))
        return null;
      continue;
    }
    const around = new Set(group.flatMap(({ id }) => [...planner.readersOf(id), ...planner.producersOf(id)]));
    const neighbours = [...around]
      .flatMap((id) => (ids.has(id) || !fits(planner.region(id)) ? [] : [planner.region(id)]))
      .toSorted((a, b) => planner.order.at(a.id) - planner.order.at(b.id))
      .map((region) => ({ region, whole: merged([...group, region]) }))
      .map((each) => ({ ...each, least: leastBindings(planner, each.whole) }))
      .toSorted((a, b) => a.least - b.least);
    let next: { readonly region: Region; readonly bound: number } | null = null;
    // Whether one kernel can do it at all is dear to know: it is asked of those that may be the best.
    for (const { region, whole, least } of neighbours) {
      if (least > Math.min(now, next?.bound ?? Infinity)) break;
      const bound = bindings(whole);
      const isEarlier =
        next !== null && bound === next.bound && planner.order.at(region.id) < planner.order.at(next.region.id);
      if (bound <= now && (next === null || bound < next.bound || isEarlier)) next = { region, bound };
    }
    if (!next) return null;
    group.push(next.region);
  }
  return null;
}

/**
 * The regions that all have to join a group that is no kernel, so that it need not store a value that none of its kernels can store.
 * Empty where no reader helps: one kernel doesn't compute these members, whatever it stores, or the value is a result.
 */
function readersMissing(planner: Planner, together: Region, group: ReadonlySet<RegionId>): readonly Region[] {
  const { members, outputs } = together;
  const isKernel = (stored: readonly NodeId[]): boolean => classifyPlain(planner.graph, members, stored).ok;
  const refused = planner.facts(together);
  if (!isRefusal(refused) || !isKernel([])) return [];
  const inTheWay = refused.nodes.find((id) => outputs.includes(id) && !isKernel([id]));
  if (inTheWay === undefined || planner.isOutput(inTheWay)) return [];
  const readers = [...planner.regionsReading(inTheWay)].filter((reader) => !group.has(reader));
  return readers.map(planner.region);
}

function wholeGroup(planner: Planner, group: readonly Region[], id: RegionId): Candidate {
  const inOrder = group.toSorted((a, b) => planner.order.at(a.id) - planner.order.at(b.id));
  const edges = inOrder.flatMap((a) => inOrder.flatMap((b) => (a === b ? [] : edgesBetween(planner, a, b))));
  const nodes = inOrder.flatMap(({ outputs }) => outputs.slice(0, 1));
  return mergeCandidate(planner, "same-rows", inOrder, { edges, nodes, id });
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
  const said = holding(schedule, form.columns, lineOf(form));
  return said === null
    ? verdict
    : { ...verdict, text: `${verdict.text} ${said}`, numbers: { ...verdict.numbers, bytesOfRow: 4 * form.columns } };
}

/** How workgroups share rows; null where each row is one thread's. */
function holding(schedule: RegionSchedule, columns: number, folded: string): string | null {
  const { variant, chunks, reads, fold, cached, workgroupBytes } = schedule;
  const row = `${folded} (${countOf(columns, "value")}, ${showBytes(4 * columns)})`;
  const rereads = reads.reduce((most, read) => Math.max(most, read.rereads), 0);
  if (rereads > 0) return `Each ${row} is read ${rereads === 1 ? "twice" : `${inWords(rereads + 1)} times`}.`;
  if (variant === "fold" && chunks > 1)
    return `Each ${row} is reduced in ${countOf(chunks, "chunk")}, which a second dispatch combines.`;
  const alone = variant === "mixed-thread" || (fold !== undefined && factorsOf(fold).lanes === 1);
  if (alone) return null;
  const held = cached.length > 0 || workgroupBytes >= 4 * columns;
  return held ? `Each ${row} stays on chip until it is done.` : `One pass over each ${row} is enough.`;
}

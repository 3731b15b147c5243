/** @file A producer moves into all of its readers or into none, the most profitable first (after XLA's priority fusion). */
import { bytesOf, node, type NodeId, type Region, type RegionId, type Verdict } from "../ir";
import { opDef } from "../ops";
import type { Answer, Candidate, CostDelta, FusionPass, Opinion } from "./driver/define";
import { copyCandidate, rememberedCopies } from "./driver/copies";
import {
  costOf,
  hasContraction,
  legalMerge,
  mergeCandidate,
  patchOf,
  priorityOf,
  refusedMerge,
  shownByView,
  walksRows,
  edgesBetween,
  nodesOf,
} from "./driver/merge";
import { IN_PLACE, isIndexMap, readingInPlace } from "./driver/read-in-place";
import type { Planner } from "./driver/planner";
import { together } from "./driver/together";
import { bothWays, settledBy, timeOf, weigh, winsTie, workOf } from "./profitability/weigh";
import { countOf, inWords, nameOf, namesOf, no, showMicros, yes } from "./driver/sentences";
import {
  forcing,
  isOverSize,
  judge,
  opsLimit,
  overBudget,
  policyOnContraction,
  prologueVerdict,
} from "./profitability/profitability";
import { titled } from "./catalogue";

interface Entry {
  readonly id: RegionId;
  /** Of the producer and its readers when it was priced; an older one is stale. */
  readonly version: number;
  /** Predicted µs saved: a promise until the candidate is built, exact then. */
  readonly micros: number;
  /** The merged kernel computes values at several positions: first what is computed once finds its kernel. */
  readonly again: boolean;
  readonly candidate: Candidate | null;
  /** Among equals: small kernels grow one by one in text order, larger ones join their like. */
  readonly rank: number;
}

/** Ops at which a kernel stops growing one by one; a power of two, so that equal halves fill the budget. */
const SMALL_KERNEL = 16;

export const producerConsumer: FusionPass = {
  ...titled("producer-consumer"),
  *match(planner) {
    const queue = openQueue(planner);
    for (let entry = queue.next(); entry !== null; entry = queue.next()) {
      const { accepted, code }: Answer = yield entry.candidate!;
      if (code === "C_CODE_SIZE") queue.tooLarge(entry.id);
      const inPlace = accepted ? null : readingInPlace(planner, entry.candidate!);
      if (accepted) queue.changed(entry.candidate!);
      else if (inPlace && (yield inPlace).accepted) queue.changed(inPlace);
      else if (entry.candidate!.rule === "diamond") queue.copies(entry);
    }
  },
  legal: (planner, candidate) => needed(planner, candidate) ?? legalMerge(planner, candidate),
  cost: costOf,
  profitability(planner, candidate, delta) {
    const policy = policyOnContraction(planner, candidate) ?? prologueVerdict(planner, candidate);
    if (policy) return policy;
    const { options } = planner;
    const producer = candidate.remove[0]!;
    const readers = candidate.add.length;
    const doing = candidate.rule === "diamond" ? aboutDiamond(planner, candidate) : aboutMerge(planner, candidate);
    if (readers === 1) return judge(planner, candidate, delta, doing);
    if (options.policy === "materialise" || options.policy === "multi") return byPolicy(planner, candidate);
    if (options.policy === "duplicate" && !hasHeavyWork(planner, producer)) {
      return overBudget(planner, candidate) ?? copiedByPolicy(planner, candidate, delta);
    }
    return beaten(planner, candidate, delta) ?? judge(planner, candidate, delta, doing);
  },
  apply: (_planner, candidate) => patchOf(candidate),
};

const aboutDiamond = (planner: Planner, { nodes }: Candidate): string =>
  `Merging ${namesOf(planner.graph, nodes)}, between which the paths split and join again,`;

function aboutMerge(planner: Planner, { rule, remove, add, nodes, edges }: Candidate): string {
  const { graph } = planner;
  if (rule === IN_PLACE)
    return `Merging ${namesOf(graph, nodesOf(edges, remove[0]!))} into one kernel that reads the sources of ${namesOf(
      graph,
      nodes.filter((id) => isMoved(planner, id)),
    )}`;
  const own = new Set(remove[0]!.members);
  const [value, reader] = [
    namesOf(graph, remove[0]!.outputs),
    namesOf(
      graph,
      nodes.filter((id) => !own.has(id)),
    ),
  ];
  if (add.length > 1) return `Merging ${value} into each of its ${inWords(add.length)} readers`;
  return `Merging ${value} into ${value === reader ? `the next ${reader}` : reader}`;
}

const isMoved = ({ graph }: Planner, id: NodeId): boolean => opDef(node(graph, id).op).kind === "movement";

const hasHeavyWork = (planner: Planner, region: Region): boolean =>
  hasContraction(planner, region) || walksRows(planner, region);

/** The producer's value is needed in memory whatever its readers do. */
function needed(planner: Planner, { rule, remove, nodes }: Candidate): Verdict | null {
  if (rule === "diamond") return null;
  const producer = remove[0]!;
  const result = producer.outputs.find(planner.isOutput);
  if (result !== undefined) {
    // Its name in the text: an op may be called like another of the text's values.
    const { label } = node(planner.graph, result);
    return no(
      "L_ROOT",
      nodes,
      nodes[0] === result || producer.outputs.length === 1
        ? `${nameOf(planner.graph, result)} is a result of the program, so it is stored in any case: computing it in its readers would only repeat it.`
        : `The kernel of ${nameOf(planner.graph, nodes[0]!)} also stores \`${label}\`, a result of the program, so it runs in any case: computing it in its readers too would only repeat it.`,
      {
        numbers: { bytes: bytesOf(node(planner.graph, result).type) },
        remedy: `Leave \`${label}\` out of the results; “Several outputs from one kernel” tries one that stores it.`,
      },
    );
  }
  return shownByView(planner, producer, remove.slice(1));
}

function copiedByPolicy(planner: Planner, candidate: Candidate, delta: CostDelta): Opinion {
  const { remove, add, nodes } = candidate;
  const value = namesOf(planner.graph, remove[0]!.outputs);
  const text = `You chose to recompute shared values, so the ${inWords(add.length)} readers of ${value} compute it themselves: ${timeOf(delta.fused, delta.apart)}.`;
  return yes("U_FORCE", nodes, text, { weighed: settledBy("choice", bothWays(candidate, delta), true) });
}

function byPolicy(planner: Planner, { add, remove, nodes }: Candidate): Opinion {
  const value = namesOf(planner.graph, remove[0]!.outputs);
  const how =
    planner.options.policy === "materialise"
      ? `to store shared values: ${value} is written once, and its ${countOf(add.length, "reader")} load it`
      : `one kernel with several results for shared values: ${value} is computed once, for its ${inWords(add.length)} readers`;
  return no("U_USER_BARRIER", nodes, `You chose ${how}.`, {
    remedy: "Options, Shared values: Recompute.",
    remedyOptions: { policy: "duplicate" },
  });
}

/**
 * One kernel for the producer and all readers would be faster than a copy for each, or, where a reader waits for another one, a kernel
 * that stores the value and goes on to the first: it is left to the multi-output pass.
 */
function beaten(planner: Planner, candidate: Candidate, delta: CostDelta): Opinion | null {
  if (planner.options.disabledPasses.includes("multi-output")) return null;
  const [producer, ...readers] = candidate.remove;
  if (readers.some((reader) => planner.isView(reader))) return null;
  const [first, ...others] = readers.toSorted((a, b) => planner.order.at(a.id) - planner.order.at(b.id));
  // What is cheap to know is asked first: whether a path returns is a walk through the graph.
  const pair = together(planner, producer!, [first!]);
  if (isOverSize(planner, pair) || !planner.kernelOf(pair.add[0]!)) return null;
  const waits = planner.order.returns(candidate.remove.map(({ id }) => id)).found;
  const rival = waits ? pair : together(planner, producer!, readers);
  if (isOverSize(planner, rival) || !planner.kernelOf(rival.add[0]!)) return null;
  const reader = namesOf(planner.graph, pair.nodes.slice(-1));
  const shared = waits
    ? { what: `stored by the kernel of ${reader}`, ...workOf(planner, [...pair.add, ...others]) }
    : { what: "one kernel for all", ...workOf(planner, rival.add) };
  if (winsTie(delta.fused, shared)) return null;
  const ways = [...bothWays(candidate, delta), shared] as const;
  const weighed = weigh("time", ways);
  if (!weighed.alternatives[2]!.chosen || overBudget(planner, rival) || refusedMerge(planner, rival)) return null;
  const [stored, copied, joined] = ways.map(({ micros }) => showMicros(micros));
  const value = namesOf(planner.graph, producer!.outputs);
  const third = waits ? `storing it in the kernel that goes on to ${reader}` : "one kernel for all";
  return no(
    "C_BEATEN",
    candidate.nodes,
    `${value} has ${countOf(readers.length, "reader")}. Storing it takes ${stored}, recomputing it in each reader ${copied}, and ${third} ${joined}. That is left to the pass “Several outputs from one kernel”.`,
    {
      numbers: { microsFused: ways[1].micros, microsShared: ways[2].micros },
      weighed,
      ...(hasHeavyWork(planner, producer!)
        ? forcing(planner, candidate)
        : { remedy: "Options, Shared values: Recompute.", remedyOptions: { policy: "duplicate" } }),
    },
  );
}

interface Queue {
  next(): Entry | null;
  changed(done: Candidate): void;
  /** Kernels only grow: this producer is not offered again while it is too large for a reader. */
  tooLarge(producer: RegionId): void;
  /** Asks for a copy in each reader, where one kernel for all that lies between was refused. */
  copies(refused: Entry): void;
}

/** Producers by promise, priced again when they or their readers change. */
function openQueue(planner: Planner): Queue {
  const copied = rememberedCopies(planner);
  const versions = new Map<RegionId, number>();
  const tooLarge = new Set<RegionId>();
  const before = (a: Entry, b: Entry): boolean =>
    a.again === b.again ? a.micros > b.micros || (a.micros === b.micros && a.rank < b.rank) : b.again;
  const heap = heapOf<Entry>(before);
  const offer = (id: RegionId): void => {
    const version = (versions.get(id) ?? 0) + 1;
    versions.set(id, version);
    if (!isProducer(planner, id)) return;
    heap.push({ id, version, micros: promise(planner, id), again: false, candidate: null, rank: rankOf(planner, id) });
  };
  const ids = planner.inOrder();
  for (const id of ids) offer(id);
  return {
    next() {
      for (let entry = heap.pop(); entry !== null; entry = heap.pop()) {
        if (entry.version !== versions.get(entry.id) || !planner.regions.has(entry.id)) continue;
        // The far end of a diamond may have changed since its candidate was built.
        if (entry.candidate?.remove.every((region) => planner.regions.get(region.id) === region)) return entry;
        // Where nobody needs a result, the kernel that computes it may be gone, and with it the only reader.
        if (planner.readersOf(entry.id).length === 0) continue;
        const candidate = build(planner, entry.id, copied);
        if (tooLarge.has(entry.id) && isOverSize(planner, candidate)) continue;
        const micros = price(planner, candidate, entry.micros);
        const priced = { ...entry, candidate, micros, again: computesAgain(planner, candidate) };
        const rival = heap.peek();
        if (rival === null || !before(rival, { ...priced, rank: -Infinity })) return priced;
        heap.push(priced);
      }
      return null;
    },
    tooLarge(producer) {
      // What a person forces is done whatever its size, as soon as the other limits allow it.
      if (planner.options.forced.length === 0) tooLarge.add(producer);
    },
    copies(refused) {
      const candidate = copies(planner, refused.id, copied);
      heap.push({ ...refused, candidate, micros: price(planner, candidate, refused.micros) });
    },
    changed({ add }) {
      const affected = new Set<RegionId>();
      for (const { id } of add) {
        affected.add(id);
        for (const producer of planner.producersOf(id)) affected.add(producer);
      }
      for (const id of affected) offer(id);
    },
  };
}

/** Size class first, then position in the order: long chains merge evenly, short ones as one reads them. */
function rankOf(planner: Planner, id: RegionId): number {
  const ops = planner.region(id).members.length;
  const size = ops < SMALL_KERNEL ? 0 : Math.floor(Math.log2(ops));
  return size * planner.regionCount + planner.order.at(id);
}

/** Kernels with readers; what P2 and P4 own is left to them. */
function isProducer(planner: Planner, id: RegionId): boolean {
  const region = planner.region(id);
  if (planner.isView(region) || isIndexMap(planner, region)) return false;
  const readers = planner.readersOf(id);
  if (readers.length === 0) return false;
  if (!planner.options.disabledPasses.includes("contraction-epilogue")) return true;
  return ![id, ...readers].some((each) => hasContraction(planner, planner.region(each)));
}

/** µs that would be saved if nothing had to be computed or read twice. */
function promise(planner: Planner, id: RegionId): number {
  const region = planner.region(id);
  let bytes = 0;
  for (const output of region.outputs) {
    const readers = planner.regionsReading(output).size;
    if (readers > 0) bytes += (1 + readers) * bytesOf(node(planner.graph, output).type);
  }
  const { dispatches } = planner.figuresOf(region).schedule;
  return (bytes / planner.profile.bandwidth) * 1e6 + dispatches * planner.profile.launchMicros;
}

type CopyInto = ReturnType<typeof rememberedCopies>;

function build(planner: Planner, id: RegionId, copied: CopyInto): Candidate {
  const into = copies(planner, id, copied);
  // One kernel for a diamond has the ops of each reader and more.
  if (planner.readersOf(id).length < 2 || isOverSize(planner, into)) return into;
  return diamondOf(planner, planner.region(id)) ?? into;
}

function copies(planner: Planner, id: RegionId, copied: CopyInto): Candidate {
  const readers = planner.readersOf(id).map((reader) => planner.region(reader));
  return copyCandidate(planner, "into-readers", planner.region(id), readers, { copied });
}

/** The exact priority where every part is a kernel; what is refused anyway keeps its promise and is refused at once. */
function price(planner: Planner, candidate: Candidate, promised: number): number {
  if (candidate.add.some((region) => !planner.kernelOf(region))) return promised;
  const exact = priorityOf(planner, candidate);
  // Equal up to rounding is equal: chains then merge evenly.
  return Math.abs(exact - promised) <= 1e-6 * Math.abs(promised) ? promised : exact;
}

/** Does a kernel of what lies between two ends compute more than its parts do? */
function computesAgain(planner: Planner, { rule, add, remove }: Candidate): boolean {
  if (rule !== "diamond") return false;
  const flops = (regions: readonly Region[]): number =>
    regions.reduce((total, region) => total + planner.figuresOf(region).flops, 0);
  return flops(add) > flops(remove);
}

/** Regions between the two ends that are looked at before giving up. */
const WINDOW = 16;

/**
 * The producer, the region where all its paths meet and everything between, as one candidate.
 * Null when they don't meet within the window, when something between is a result, or when one kernel can't do it.
 */
function diamondOf(planner: Planner, producer: Region): Candidate | null {
  const group = closedGroup(planner, producer);
  if (!group) return null;
  const ops = group.reduce((sum, { members }) => sum + members.length, 0);
  if (ops > opsLimit(planner, false)) return null;
  const edges = group.flatMap((from) => group.flatMap((to) => (from === to ? [] : edgesBetween(planner, from, to))));
  const about = { edges, nodes: nodesOf(edges, producer), id: group.at(-1)!.id };
  const candidate = mergeCandidate(planner, "diamond", group, about);
  return planner.kernelOf(candidate.add[0]!) ? candidate : null;
}

/** Walks the readers in order until exactly one region is open: that is where the paths meet. */
function closedGroup(planner: Planner, producer: Region): Region[] | null {
  const open = new Set<RegionId>(planner.readersOf(producer.id));
  const group: Region[] = [producer];
  if (producer.outputs.some(planner.isOutput)) return null;
  while (open.size > 1) {
    // All but one of those that are open have to go in.
    if (group.length + open.size - 2 >= WINDOW) return null;
    let first: RegionId | null = null;
    for (const id of open) if (first === null || planner.order.at(id) < planner.order.at(first)) first = id;
    const region = planner.region(first!);
    open.delete(first!);
    const readers = planner.readersOf(first!);
    if (readers.length === 0 || planner.isView(region)) return null;
    if (region.outputs.some(planner.isOutput)) return null;
    group.push(region);
    for (const reader of readers) open.add(reader);
  }
  const meeting = [...open][0];
  if (meeting === undefined || planner.isView(planner.region(meeting))) return null;
  return [...group, planner.region(meeting)];
}

/** A binary heap: the smallest by `before` comes first. */
interface Heap<T> {
  push(item: T): void;
  /** Null when empty. */
  pop(): T | null;
  peek(): T | null;
}

function heapOf<T>(before: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = [];
  const swap = (i: number, j: number): void => {
    const item = items[i]!;
    items[i] = items[j]!;
    items[j] = item;
  };
  return {
    peek: () => items[0] ?? null,
    push(item) {
      items.push(item);
      for (let at = items.length - 1; at > 0;) {
        const parent = (at - 1) >> 1;
        if (!before(items[at]!, items[parent]!)) break;
        swap(at, parent);
        at = parent;
      }
    },
    pop() {
      const first = items[0];
      if (first === undefined) return null;
      const last = items.pop()!;
      if (items.length === 0) return first;
      items[0] = last;
      for (let at = 0; ;) {
        let least = at;
        for (const child of [2 * at + 1, 2 * at + 2]) {
          if (child < items.length && before(items[child]!, items[least]!)) least = child;
        }
        if (least === at) break;
        swap(at, least);
        at = least;
      }
      return first;
    },
  };
}

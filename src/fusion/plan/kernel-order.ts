/** @file In which orders the kernels of a plan can run: that of the text, and depth first, so that values die soon. */
import { bug, bytesOf, node, type Fusion, type NodeId, type Region } from "../ir";
import { positionsOf } from "../cost";
import { storedForm } from "../kernel/code";
import { isViewRegion, resolveView, storedInputs } from "../kernel";

/** How many of the most recently enabled regions are weighed against each other. */
const WINDOW = 32;

interface Entry {
  readonly region: Region;
  readonly reads: readonly NodeId[];
  /** Where its last member stands in the text. */
  readonly position: number;
}

interface Entries {
  /** In the order of their positions. */
  readonly all: readonly Entry[];
  /** Which of them stores a value. */
  readonly home: ReadonlyMap<NodeId, Entry>;
}

/** Regions that need kernels, in the two orders. Views are left out. */
export function kernelOrders(fusion: Fusion): {
  readonly text: readonly Region[];
  readonly depthFirst: readonly Region[];
} {
  const entries = entriesOf(fusion);
  return { text: textOrder(entries), depthFirst: depthFirstOrder(fusion, entries) };
}

function entriesOf({ graph, regions }: Fusion): Entries {
  const positions = positionsOf(graph);
  const all: Entry[] = [];
  const home = new Map<NodeId, Entry>();
  for (const given of regions.values()) {
    const region = storedForm(graph, given);
    if (region.outputs.length === 0 || isViewRegion(graph, region)) continue;
    const position = positions.of(node(graph, given.members.at(-1)!));
    const entry: Entry = { region, reads: storedInputs(graph, region.members), position };
    all.push(entry);
    for (const output of region.outputs) home.set(output, entry);
  }
  return { all: all.toSorted((a, b) => a.position - b.position), home };
}

/** Each where its last member stands, or just before the first one that reads what it stores. */
function textOrder({ all, home }: Entries): Region[] {
  const order = new Set<Region>();
  const entered = new Set<Entry>();
  const waiting = all.toReversed();
  while (waiting.length > 0) {
    const entry = waiting.at(-1)!;
    const missing = entry.reads.flatMap((value) => {
      const producer = home.get(value);
      return producer && producer !== entry && !order.has(producer.region) ? [producer] : [];
    });
    if (missing.length === 0) {
      waiting.pop();
      order.add(entry.region);
    } else if (entered.has(entry)) throw bug("the regions wait for each other in a circle");
    else {
      entered.add(entry);
      waiting.push(...missing.toSorted((a, b) => b.position - a.position));
    }
  }
  return [...order];
}

/** An order that keeps little memory alive: what was enabled last comes next, unless something else frees more. */
function depthFirstOrder({ graph }: Fusion, { all, home }: Entries): Region[] {
  const waiting = new Map<Entry, number>(all.map((entry) => [entry, 0]));
  const readers = new Map<NodeId, Entry[]>();
  for (const entry of all) {
    for (const value of entry.reads) {
      if (home.has(value) && home.get(value) !== entry) waiting.set(entry, waiting.get(entry)! + 1);
      const list = readers.get(value);
      if (list) list.push(entry);
      else readers.set(value, [entry]);
    }
  }
  const outputs = new Set(graph.outputs.map((id) => resolveView(graph, id)));
  const left = new Map<NodeId, number>([...readers].map(([value, list]) => [value, list.length]));
  const ready = all.filter((entry) => waiting.get(entry) === 0).toReversed();
  const order: Region[] = [];
  /** Bytes alive afterwards minus before. */
  const growth = ({ region, reads }: Entry): number => {
    let bytes = 0;
    for (const id of region.outputs) bytes += bytesOf(node(graph, id).type);
    for (const id of reads)
      if (left.get(id) === 1 && home.has(id) && !outputs.has(id)) bytes -= bytesOf(node(graph, id).type);
    return bytes;
  };
  while (ready.length > 0) {
    const entry = takeBest(ready, growth);
    order.push(entry.region);
    for (const value of entry.reads) left.set(value, left.get(value)! - 1);
    for (const output of entry.region.outputs) {
      for (const reader of readers.get(output) ?? []) {
        const still = waiting.get(reader)! - 1;
        waiting.set(reader, still);
        if (still === 0) ready.push(reader);
      }
    }
  }
  if (order.length !== all.length) throw bug("the regions wait for each other in a circle");
  return order;
}

/** The most recently enabled one, unless an older one frees more. */
function takeBest(ready: Entry[], growth: (entry: Entry) => number): Entry {
  let best = ready.length - 1;
  if (ready.length > 1) {
    let least = growth(ready[best]!);
    for (let i = ready.length - 2; i >= Math.max(0, ready.length - WINDOW); i--) {
      const bytes = growth(ready[i]!);
      if (bytes < least) [best, least] = [i, bytes];
    }
  }
  return ready.splice(best, 1)[0]!;
}

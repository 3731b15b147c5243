/** @file In which order the kernels of a plan run: depth first, so that values die soon. */
import { bug, bytesOf, node, type Fusion, type NodeId, type Region } from "../ir";
import { storedForm } from "../kernel/code";
import { isViewRegion, resolveView, storedInputs } from "../kernel";

/** How many of the most recently enabled regions are weighed against each other. */
const WINDOW = 32;

interface Entry {
  readonly region: Region;
  readonly reads: readonly NodeId[];
  waiting: number;
}

/** Regions that need kernels, in a valid order that keeps little memory alive. Views are left out. */
export function kernelOrder({ graph, regions }: Fusion): Region[] {
  const entries = new Map<string, Entry>();
  const home = new Map<NodeId, Entry>();
  for (const given of regions.values()) {
    const region = storedForm(graph, given);
    if (region.outputs.length === 0 || isViewRegion(graph, region)) continue;
    const entry: Entry = { region, reads: storedInputs(graph, region.members), waiting: 0 };
    entries.set(region.id, entry);
    for (const output of region.outputs) home.set(output, entry);
  }
  const readers = new Map<NodeId, Entry[]>();
  for (const entry of entries.values()) {
    for (const value of entry.reads) {
      if (home.has(value) && home.get(value) !== entry) entry.waiting++;
      readers.set(value, [...(readers.get(value) ?? []), entry]);
    }
  }
  const outputs = new Set(graph.outputs.map((id) => resolveView(graph, id)));
  const left = new Map<NodeId, number>([...readers].map(([value, list]) => [value, list.length]));
  const ready = [...entries.values()].filter(({ waiting }) => waiting === 0).toReversed();
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
        reader.waiting--;
        if (reader.waiting === 0) ready.push(reader);
      }
    }
  }
  if (order.length !== entries.size) throw bug("the regions wait for each other in a circle");
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

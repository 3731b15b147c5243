/** @file Counts what a kernel moves. The only file where bytes and transfers are counted; times are model.ts's business. */
import { type Access, bytesOf, dtypeBytes, type Graph, isLiteral, node, type NodeId, type Region } from "../../ir";
import { opDef } from "../../ops";
import type { RegionForm, RegionSchedule } from "../types";

/** What one region moves in one run. */
export interface RegionTraffic {
  readonly reads: readonly Access[];
  readonly writes: readonly Access[];
  /** Bytes read of what the kernels of a region hand over: partials of a split reduction, runs of a merged order, what iterations of a loop carry. */
  readonly temporaryBytes: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** `bytesRead + bytesWritten`. */
  readonly bytes: number;
  /** (kernel, tensor) events, rereads and partials included. */
  readonly transfers: number;
  readonly fullSizeTransfers: number;
}

export const noTraffic: RegionTraffic = {
  reads: [],
  writes: [],
  temporaryBytes: 0,
  bytesRead: 0,
  bytesWritten: 0,
  bytes: 0,
  transfers: 0,
  fullSizeTransfers: 0,
};

const thresholds = new WeakMap<Graph, number>();

/**
 * An event is full-size from this many bytes on: a quarter of the largest tensor that the outputs depend on
 * (what is dead does not count, so that removing it changes no tally). A copy that repeats its operand's elements,
 * such as a convolution's windows, is no measure of size: it seldom exists.
 */
export function fullSizeBytes(graph: Graph): number {
  const known = thresholds.get(graph);
  if (known !== undefined) return known;
  let largest = 0;
  const seen = new Set<NodeId>(graph.outputs);
  const open = [...graph.outputs];
  while (open.length > 0) {
    const n = node(graph, open.pop()!);
    const { type, inputs } = n;
    if (!isLiteral(n) && opDef(n.op).kind !== "movement") largest = Math.max(largest, bytesOf(type));
    for (const input of inputs) {
      if (seen.has(input)) continue;
      seen.add(input);
      open.push(input);
    }
  }
  thresholds.set(graph, largest / 4);
  return largest / 4;
}

/**
 * What `region` reads and writes. A tensor read twice in one kernel counts once, a broadcast operand its own small size,
 * a further explicit pass once more; constants and views count nothing.
 * @param fullSize bytes from which an event is full-size; by default a quarter of the graph's largest tensor
 */
export function regionTraffic(
  graph: Graph,
  region: Pick<Region, "members" | "outputs">,
  _form: RegionForm | null,
  schedule: RegionSchedule,
  fullSize: number = fullSizeBytes(graph),
): RegionTraffic {
  if (schedule.dispatches === 0) return noTraffic;
  const access = (value: NodeId, bytes: number, rereads: number): Access => ({
    value,
    bytes,
    rereads,
    fullSize: bytes > 0 && bytes >= fullSize,
  });
  const reads = schedule.reads
    .filter(({ elements }) => elements > 0)
    .map(({ value, elements, rereads }) =>
      access(value, elements * dtypeBytes(node(graph, value).type.dtype), rereads),
    );
  const writes = region.outputs.map((value) => access(value, bytesOf(node(graph, value).type), 0));
  const partials = schedule.temporaryBytes;
  const partialsRead = schedule.temporaryReads ?? partials;
  let bytesRead = partialsRead;
  let bytesWritten = partials;
  const { temporaries = 1 } = schedule;
  let transfers = partials > 0 ? 2 * temporaries : 0;
  let fullSizeTransfers = partials > 0 && partials / temporaries >= fullSize ? 2 * temporaries : 0;
  let handedRead = 0;
  for (const { bytes, writes: written, reads: read } of schedule.handed ?? []) {
    bytesWritten += bytes * written;
    handedRead += bytes * read;
    transfers += written + read;
    if (bytes >= fullSize) fullSizeTransfers += written + read;
  }
  bytesRead += handedRead;
  for (const { bytes, rereads, fullSize: full } of reads) {
    bytesRead += bytes * (1 + rereads);
    transfers += 1 + rereads;
    if (full) fullSizeTransfers += 1 + rereads;
  }
  for (const { bytes, fullSize: full } of writes) {
    bytesWritten += bytes;
    transfers += 1;
    if (full) fullSizeTransfers += 1;
  }
  return {
    reads,
    writes,
    temporaryBytes: partialsRead + handedRead,
    bytesRead,
    bytesWritten,
    bytes: bytesRead + bytesWritten,
    transfers,
    fullSizeTransfers,
  };
}

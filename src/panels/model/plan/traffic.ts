/** @file Reads the counts that the planner stored with every kernel and adds them up for the traffic table. */
import {
  bytesOfAccess,
  bytesOfKernel,
  findNode,
  isPartials,
  kernelTitle,
  showType,
  splitMade,
  transfersIn,
  transfersOfAccess,
  type Access,
  type Graph,
  type Kernel,
  type NodeId,
  type Plan,
} from "../../../fusion";
import type { Tally } from "./score";

export const eventsOf = ({ reads, writes }: Kernel): number => transfersIn(reads) + transfersIn(writes);

/** FLOP per byte; 0 when nothing moves. */
export const intensityOf = (flops: number, bytes: number): number => (bytes === 0 ? 0 : flops / bytes);

/** Of several launches for one region the first is given the arithmetic of all: those that join its partial results have none of their own. */
export const isCountedBefore = ({ flops, reads }: Pick<Kernel, "flops" | "reads">): boolean =>
  flops === 0 && reads.some(({ value }) => isPartials(value));

export interface TrafficRow {
  readonly kernel: string;
  readonly direction: "read" | "write";
  readonly tensor: string;
  /** `f32[2048, 768]`, empty when the graph no longer knows the value. */
  readonly type: string;
  readonly events: number;
  readonly bytes: number;
  readonly fullSize: boolean;
}

export interface KernelTraffic {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly TrafficRow[];
  readonly events: number;
  readonly fullSize: number;
  readonly bytes: number;
  readonly flops: number;
  /** It joins what the launch before it left, and its arithmetic is counted there. */
  readonly joins: boolean;
  readonly intensity: number;
  readonly modelledBytes: number;
}

/** What a tensor is called: a node's label; what lies between two dispatches of a region is named after the node that it is for. */
export function tensorName(graph: Graph, id: NodeId): string {
  const { of, made } = splitMade(id);
  return [findNode(graph, of)?.label ?? of, ...(isPartials(id) ? ["partials"] : made)].join(" ");
}

function rowsOf(kernel: Kernel, graph: Graph): TrafficRow[] {
  const row = (direction: TrafficRow["direction"], access: Access): TrafficRow => {
    const found = findNode(graph, access.value);
    return {
      kernel: kernel.id,
      direction,
      tensor: tensorName(graph, access.value),
      type: found ? showType(found.type) : "",
      events: transfersOfAccess(access),
      bytes: bytesOfAccess(access),
      fullSize: access.fullSize,
    };
  };
  return [...kernel.reads.map((each) => row("read", each)), ...kernel.writes.map((each) => row("write", each))];
}

/** What one kernel moves, tensor by tensor. */
export function kernelTraffic(kernel: Kernel, graph: Graph): KernelTraffic {
  const bytes = bytesOfKernel(kernel);
  const all = [...kernel.reads, ...kernel.writes];
  return {
    id: kernel.id,
    title: kernelTitle(kernel),
    rows: rowsOf(kernel, graph),
    events: transfersIn(all),
    fullSize: transfersIn(all.filter((each) => each.fullSize)),
    bytes,
    flops: kernel.flops,
    joins: isCountedBefore(kernel),
    intensity: intensityOf(kernel.flops, bytes),
    modelledBytes: kernel.modelledBytes,
  };
}

/** The transfers of a plan that a tally counts, reads and writes apart. */
export function transferBlocks(
  plan: Plan,
  { counts }: Pick<Tally, "counts">,
): { readonly reads: number; readonly writes: number } {
  const full = (accesses: readonly Access[]): number => transfersIn(accesses.filter(counts));
  return plan.kernels.reduce(
    (total, kernel) => ({
      reads: total.reads + full(kernel.reads),
      writes: total.writes + full(kernel.writes),
    }),
    { reads: 0, writes: 0 },
  );
}

/** FLOP of all kernels. */
export const flopsOfPlan = (plan: Pick<Plan, "kernels">): number =>
  plan.kernels.reduce((total, kernel) => total + kernel.flops, 0);

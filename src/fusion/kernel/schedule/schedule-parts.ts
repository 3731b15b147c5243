/** @file What every schedule is made of: an empty one, the values alive at once, registers that any kernel takes. */
import { type Graph, isLiteral, node, type NodeId, type Region } from "../../ir";
import { opDef } from "../../ops";
import { liveInLoop, loopOf } from "../shapes/loop/map-loops";
import type { RegionSchedule, Variant } from "../types";

export type Body = Pick<Region, "members" | "outputs">;
/** Address arithmetic and loop counters of any kernel. */
export const BASE_REGISTERS = 12;
/** 32-bit registers that a thread of any machine can have: what needs more spills to memory. */
export const MAX_REGISTERS = 255;

export const blank = (given: Partial<RegionSchedule> & { variant: Variant }): RegionSchedule => ({
  cached: [],
  merged: [],
  width: 1,
  turns: 1,
  unrolled: false,
  chunks: 1,
  chunkLength: 1,
  tileAxes: null,
  matmul: null,
  reads: [],
  stridedWrites: [],
  workgroups: 0,
  threadsPerWorkgroup: 0,
  workgroupBytes: 0,
  registers: 0,
  dispatches: 1,
  temporaryBytes: 0,
  modelledBytes: 0,
  ...given,
});

/** Most values alive at once when the members run in order. */
export function liveScalars(graph: Graph, { members, outputs }: Body): number {
  const lastUse = new Map<NodeId, number>();
  const isValue = (id: NodeId): boolean => !isLiteral(node(graph, id));
  members.forEach((id, i) =>
    node(graph, id)
      .inputs.filter(isValue)
      .forEach((input) => lastUse.set(input, i)),
  );
  for (const id of outputs) lastUse.set(id, members.length);
  const dying = new Map<number, number>();
  for (const at of lastUse.values()) dying.set(at, (dying.get(at) ?? 0) + 1);
  const born = new Set<NodeId>();
  let live = 0;
  let most = 0;
  members.forEach((id, i) => {
    for (const value of [...node(graph, id).inputs, id]) {
      if (born.has(value) || !lastUse.has(value)) continue;
      born.add(value);
      live++;
    }
    most = Math.max(most, live + within(graph, members, id));
    live -= dying.get(i) ?? 0;
  });
  return most;
}

/** What a loop keeps in registers besides its operands and results. */
function within(graph: Graph, members: readonly NodeId[], id: NodeId): number {
  const n = node(graph, id);
  if (!opDef(n.op).loop) return 0;
  const results = loopOf(graph, members, id);
  return results[0] === id ? liveInLoop(results.map((each) => node(graph, each))) - new Set(n.inputs).size : 0;
}

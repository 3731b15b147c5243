/** @file How many threads of a workgroup its memory has room for. */
import { node, type Graph, type Target } from "../ir";
import { opDef } from "../ops";
import type { RegionForm } from "./types";

const MOST_THREADS = 256;

/**
 * The largest power of two of threads that the device has, when each needs a share of workgroup memory.
 * @param bytes of workgroup memory a thread
 */
export const threadsWithin = (target: Target, bytes: number): number =>
  Math.min(MOST_THREADS, target.maxWorkgroupSize, 2 ** Math.floor(Math.log2(Math.max(1, target.maxWorkgroupBytes / bytes)))); // prettier-ignore

/** Bytes of workgroup memory that each thread needs to join the reductions of a row: stages take turns with two sets of places. */
export function joinBytes(graph: Graph, form: RegionForm): number {
  const slots = new Map<number, number>();
  const places = new Set<string>();
  for (const { node: id, stage } of form.reductions) {
    const slot = slots.get(stage) ?? 0;
    slots.set(stage, slot + 1);
    const { op, inputs, type } = node(graph, id);
    const { arg } = opDef(op).reduce!;
    const { dtype } = arg ? node(graph, inputs[0]!).type : type;
    places.add(`${stage % 2} ${slot} ${dtype === "f16" ? "f32" : dtype}`);
    if (arg) places.add(`${stage % 2} ${slot} place`);
  }
  return 4 * places.size;
}

/** Bytes of workgroup memory that each thread needs to scan what it holds of a row in one turn: scans of one dtype take turns. */
export const scanBytes = (graph: Graph, form: RegionForm): number =>
  4 * new Set(form.scans.map((id) => (node(graph, id).type.dtype === "f16" ? "f32" : node(graph, id).type.dtype))).size;

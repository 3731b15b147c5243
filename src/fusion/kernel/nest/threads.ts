/** @file How many threads of a workgroup its memory has room for. */
import { node, type Graph, type Knobs, type NodeId, type Target } from "../../ir";
import { retainedOf, type Network } from "./networks";
import { opDef } from "../../ops";
import type { Joining, RegionForm } from "../types";

const MAX_THREADS = 256;

/**
 * The largest power of two of threads that the device has, when each needs a share of workgroup memory.
 * @param bytes of workgroup memory a thread
 * @param besides bytes that the workgroup takes whatever its threads
 */
export function threadsWithin(target: Target, bytes: number, besides = 0): number {
  const most = Math.min(MAX_THREADS, target.maxWorkgroupSize);
  return bytes === 0
    ? most
    : Math.min(most, 2 ** Math.floor(Math.log2(Math.max(1, (target.maxWorkgroupBytes - besides) / bytes))));
}

/** Threads of the smallest subgroup there can be (WebGPU, GPUAdapterInfo). */
export const MIN_SUBGROUP = 4;

/** How the threads of a workgroup join what they have folded: as chosen, where the machine can. */
export const joiningOf = ({ subgroups }: Target, { joined }: Knobs): Joining =>
  subgroups && joined === "subgroups" ? joined : "tree";

/**
 * Bytes of workgroup memory that each thread needs to join the reductions of a row: stages take turns with two sets of cells. Of
 * subgroups only one thread needs a cell.
 */
export function joinBytes(graph: Graph, form: RegionForm, joined: Joining): number {
  const slots = new Map<number, number>();
  const cells = new Set<string>();
  for (const { node: id, stage } of form.reductions) {
    const slot = slots.get(stage) ?? 0;
    slots.set(stage, slot + 1);
    for (const dtype of typesOf(graph, id)) cells.add(`${stage % 2} ${slot} ${dtype === "f16" ? "f32" : dtype}`);
  }
  return (4 * cells.size) / (joined === "tree" ? 1 : MIN_SUBGROUP);
}

/** Values that a fold leaves for those who join it: argmax and argmin leave an index beside theirs. */
export const leftBy = (graph: Graph, id: NodeId): number => (opDef(node(graph, id).op).reduce!.arg ? 2 : 1);

/** The same for rows that are cut, of which a kernel joins the folds of several steps one after another, in two sets of cells. */
export function stepsBytes(
  graph: Graph,
  steps: readonly { readonly folds: readonly NodeId[] }[],
  joined: Joining,
): number {
  const types = new Set(steps.flatMap(({ folds }) => folds.flatMap((id) => typesOf(graph, id))));
  const most = Math.max(...steps.map(({ folds }) => folds.reduce((sum, id) => sum + leftBy(graph, id), 0)));
  return (8 * most * types.size) / (joined === "tree" ? 1 : MIN_SUBGROUP);
}

/** What threads that join a fold hand over: what it folds, and indices. */
function typesOf(graph: Graph, id: NodeId): readonly string[] {
  const { op, inputs, type } = node(graph, id);
  return opDef(op).reduce!.arg ? [node(graph, inputs[0]!).type.dtype, "index"] : [type.dtype];
}

/** Bytes of workgroup memory that each thread needs to scan what it holds of a row in one turn: scans of one dtype take turns. */
export const scanBytes = (graph: Graph, form: RegionForm): number =>
  4 * new Set(form.scans.map((id) => (node(graph, id).type.dtype === "f16" ? "f32" : node(graph, id).type.dtype))).size;

/** A sort of rows that several orders share. */
export interface RowSort {
  readonly operand: NodeId;
  readonly descending: boolean;
  readonly orders: readonly NodeId[];
  readonly stage: number;
  /** Whether some of them ask where an element stood. */
  readonly indices: boolean;
  /** Of a row that a workgroup does not sort whole, how many of the first are retained while it goes by; 0 where it does. */
  readonly retained: number;
  /** How many of the first are wanted. */
  readonly count: number;
}

/** Sorts of a row group, each once. */
export function sortsOf(graph: Graph, form: RegionForm): RowSort[] {
  const sorts = new Map<string, RowSort>();
  for (const { node: id, stage } of form.orders) {
    const { inputs, attrs, op } = node(graph, id);
    const { descending, count, indices } = opDef(op).order!;
    const key = `${inputs[0]!} ${String(descending(attrs))}`;
    const known = sorts.get(key);
    sorts.set(key, {
      operand: inputs[0]!,
      descending: descending(attrs),
      orders: [...(known?.orders ?? []), id],
      stage,
      indices: indices || (known?.indices ?? false),
      retained: 0,
      count: Math.max(known?.count ?? 0, count(attrs, form.columns)),
    });
  }
  return [...sorts.values()].map((sort) => ({ ...sort, retained: retainedOf(form.columns, sort.count) }));
}

/** Sorts of the rows of a kernel as networks of its workgroups. */
export const networksOf = ({ rows, columns }: RegionForm, sorts: readonly RowSort[]): Network[] =>
  sorts.map(({ retained, indices, count }) => ({ rows, columns, retained, indices, count }));

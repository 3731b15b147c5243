/** @file Plans: ordered kernels with their WGSL and their exact counts, plus where every value lives. Plain data that crosses workers. */
import type { NodeId, RegionId } from "./ids";
import type { TensorType } from "./types";
import type { Totals } from "./verdict";

export type TemplateName =
  | "pointwise"
  | "row-reduce"
  | "general-reduce"
  | "split-reduce"
  | "transpose"
  | "matmul"
  | "copy"
  | "flash"
  | "contract-reduce"
  | "merge-sort"
  | "groups"
  | "row-loop";

/** What one kernel reads or writes of one tensor. */
export interface Access {
  /** The value in memory (a source or a region output); views are resolved to what they look at. */
  readonly value: NodeId;
  /** Bytes of distinct elements touched. */
  readonly bytes: number;
  /** Further explicit passes over the input: each counts as a transfer and as bytes again. 0 for writes. */
  readonly rereads: number;
  readonly fullSize: boolean;
}

export interface Binding {
  readonly binding: number;
  /** Identifier in the WGSL. */
  readonly name: string;
  readonly value: NodeId;
  /** `uniform`: read, and counted apart from the storage bindings. */
  readonly access: "read" | "read_write" | "uniform";
  readonly type: TensorType;
  /** An input that `value` is written over: the buffer has to hold its data before the kernel runs. */
  readonly begins?: NodeId;
  /** Threads add to what stands there: the kernel is run again only after those before it in its region. */
  readonly adds?: true;
}

/** Shares of full occupancy that each resource allows by itself; above 1 there is room to spare. */
export interface OccupancyLimits {
  readonly registers: number;
  readonly workgroupMemory: number;
  /** Workgroups against multiprocessors, at most 1. */
  readonly workgroups: number;
}

/** What a kernel's predicted time is made of, µs. Moving and computing overlap, so the parts may add up to more than the whole. */
export interface KernelTimeParts {
  readonly launchMicros: number;
  readonly readMicros: number;
  /** What is read again from the cache, while others read from memory. */
  readonly cachedMicros: number;
  readonly writeMicros: number;
  readonly computeMicros: number;
  /** Threads wait for loads, for one another, or for their own arithmetic: what the whole takes above the parts; 0 where these hide one another. */
  readonly waitingMicros: number;
  readonly occupancy: OccupancyLimits;
}

export interface Kernel {
  /** Stable within a plan: `K1`, `K2` … in plan order. */
  readonly id: string;
  /** Readable name, also the WGSL entry point: `add_relu_log`, `row_stats`. */
  readonly name: string;
  readonly template: TemplateName;
  /** One sentence: `One workgroup per row, 256 threads, 3 values each.` */
  readonly schedule: string;
  readonly region: RegionId;
  readonly nodes: readonly NodeId[];
  readonly bindings: readonly Binding[];
  readonly reads: readonly Access[];
  readonly writes: readonly Access[];
  readonly flops: number;
  /** Bytes that tiles read again if nothing is cached: priced as reads from the cache, shown apart from the headline. */
  readonly modelledBytes: number;
  readonly workgroupSize: readonly [number, number, number];
  readonly workgroups: readonly [number, number, number];
  readonly workgroupBytes: number;
  /** Estimated live 32-bit registers per thread. */
  readonly registers: number;
  readonly wgsl: string;
  /** `lines[i]`: the nodes that line i+1 of the WGSL came from (graph ids of the planned state). */
  readonly lines: readonly (readonly NodeId[])[];
  readonly predictedMicros: number;
  readonly predicted: KernelTimeParts;
}

/** Where a value lives during a run. */
export interface BufferPlan {
  readonly value: NodeId;
  readonly type: TensorType;
  readonly bytes: number;
  readonly role: "input" | "output" | "temporary";
  /** An input whose data it has to hold before the plan runs: a kernel reads it there and writes this value over it. */
  readonly begins?: NodeId;
  /** Values with the same slot share one GPU buffer; slot size is the largest of them. */
  readonly slot: number;
  /** Kernel indices: first writer (−1 for inputs) and last reader (kernels.length for outputs). */
  readonly firstKernel: number;
  readonly lastKernel: number;
}

export interface Plan {
  readonly kernels: readonly Kernel[];
  readonly buffers: readonly BufferPlan[];
  /** Graph outputs that no kernel writes under their name: free views of a stored value (same bytes in the same order), and inputs. */
  readonly aliases: readonly { readonly output: NodeId; readonly value: NodeId }[];
  readonly totals: Totals;
  /** Memory reserved after slot sharing, inputs and outputs included. */
  readonly plannedBytes: number;
  /** Largest live set: no plan can do with less. */
  readonly lowerBoundBytes: number;
}

/** Ends the name of a WGSL function whose plain name means something else there already. */
export const KERNEL_SUFFIX = "_kernel";

/** `layer_norm_gelu` → `layer norm gelu`; the suffix is WGSL's business. */
export const kernelWords = (name: string): string =>
  (name.endsWith(KERNEL_SUFFIX) ? name.slice(0, -KERNEL_SUFFIX.length) : name).replaceAll("_", " ");

/** `K1 layer norm gelu` */
export const kernelTitle = ({ id, name }: { readonly id: string; readonly name: string }): string =>
  `${id} ${kernelWords(name)}`;

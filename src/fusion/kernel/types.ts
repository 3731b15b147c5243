/** @file What a set of nodes looks like as one kernel. The one answer that passes (legality), cost (traffic) and the written kernel (loops) share. */
import { sizeOf, type NodeId, type Shape, type TemplateName, type Verdict } from "../ir";
import type { Band } from "./indices/bands";
import type { BinFactors } from "./shapes/bins/factors";
import type { CountFactors } from "./shapes/groups/count-factors";
import type { DigitFactors } from "./shapes/sort/sort-factors";
import type { RunFactors } from "./shapes/loop/run-factors";
import type { FoldNest } from "./shapes/fold/fold-factors";

/** How the loops of a region run. Extents of `space` are the output index space; `reduced` those that reductions walk. */
export interface RegionForm {
  readonly template: TemplateName;
  /** Iteration space of the widest values: rows × columns for row groups, the output for pointwise and matmul. */
  readonly space: Shape;
  /** Axes of `space` that reductions fold; empty for pointwise and matmul. */
  readonly reducedAxes: readonly number[];
  readonly rows: number;
  readonly columns: number;
  /** Reductions in dependence order with their stage: a reduction that needs another's result is one stage later. */
  readonly reductions: readonly { readonly node: NodeId; readonly stage: number }[];
  /** Scans in dependence order: a row goes in and a row of the same length comes out, in the pass that asks for it. */
  readonly scans: readonly NodeId[];
  /** Folds of whole columns, over all rows, made while the rows go by: results, known when the last row is done. */
  readonly columnFolds: readonly NodeId[];
  /** Orders with the pass that puts the row into workgroup memory: one stage later, its elements are known in order. */
  readonly orders: readonly { readonly node: NodeId; readonly stage: number }[];
  readonly contraction: NodeId | null;
}

/** The form of a region whose threads take the elements of `space`, and fold nothing. */
export const elementwise = (template: TemplateName, space: Shape): RegionForm => ({
  template,
  space,
  reducedAxes: [],
  rows: sizeOf(space),
  columns: 1,
  reductions: [],
  scans: [],
  columnFolds: [],
  orders: [],
  contraction: null,
});

/** What one result is folded from, or put in order: a row, a column of a matrix, or a group of elements from several axes. */
export function lineOf({ space, reducedAxes }: Pick<RegionForm, "space" | "reducedAxes">): "row" | "column" | "group" {
  const axes = space.flatMap((extent, axis) => (extent > 1 ? [axis] : []));
  const folded = axes.filter((axis) => reducedAxes.includes(axis));
  if (folded.length === 0 || String(axes.slice(-folded.length)) === String(folded)) return "row";
  return axes.length === 2 ? "column" : "group";
}

export type Classified =
  { readonly ok: true; readonly form: RegionForm } | { readonly ok: false; readonly verdict: Verdict };

/** One stored value that a region reads, with what of it is touched; several where launches of a region touch parts of it. */
export interface RegionRead {
  readonly value: NodeId;
  /** Distinct elements touched. Exact for every region that classify accepts. */
  readonly elements: number;
  /** Bytes that neighbouring threads fetch for each that they use: 1 where they walk in order. Priced, never counted. */
  readonly waste: number;
  /** Further explicit passes (streaming rows): a transfer and bytes each. */
  readonly rereads: number;
}

/**
 * How threads map to the iteration space.
 * `flat`: one vec4 (or scalar) per thread. `tile`: the same through a transposing workgroup tile.
 * `fold`: rows that are walked and folded, by the factors of a nest (kernel/shapes/fold/fold-factors.ts).
 * `scan-band`: a workgroup walks `chunks` rows that lie across memory, a thread `chunkLength` neighbours of one in each turn.
 * `row-loop`: a thread for each element that a loop carries goes along all rows; longer runs are shared by the threads of a workgroup.
 * `merge-sort`: `chunks` runs of each row are sorted by a workgroup each, then merged two by two, a kernel at a time.
 * `digit-sort`: parts of each row count a digit of their keys, counts are added up, and each element is put where it belongs; digit after digit.
 * `groups`: elements are counted by their keys, each key gets a range, and each element is put into its own.
 * `bins`: threads fold updates into bins of their own, one for every index, and a kernel joins them.
 * `mixed-row`, `mixed-thread`: bands of rows, whose columns are folded as well, with a finisher that joins the bands. `matmul-tile`, `matmul-registers` (CPU), `matmul-direct`:
 * a thread for every few outputs; threads along k (`thin`); threads that slide over the windows of a row (`sliding`).
 * `matmul-rows`, `matmul-rows-thread` (CPU): a tile, or a thread, that owns whole rows of the product and folds them.
 * `flash-tile`: rows between two contractions folded while tiles of keys and values pass through workgroup memory, all of them or
 * `chunks`, which a second kernel joins; `flash-thread`:
 * the same with one thread per row. `reduce-tile`, `reduce-thread`: rows of one contraction folded while they
 * are made; elements of them are stored as they pass, or in a second walk that makes them once more.
 */
export type Variant =
  | "flat"
  | "tile"
  | "fold"
  | "scan-band"
  | "row-loop"
  | "merge-sort"
  | "digit-sort"
  | "groups"
  | "bins"
  | "mixed-row"
  | "mixed-thread"
  | "matmul-tile"
  | "matmul-registers"
  | "matmul-direct"
  | "matmul-rows"
  | "matmul-rows-thread"
  | "flash-tile"
  | "flash-thread"
  | "reduce-tile"
  | "reduce-thread"
  | "launched"
  | "view";

/** A matmul tile: workgroup tile m×n×k, outputs per thread rm×rn. */
export interface MatmulTile {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly rm: number;
  readonly rn: number;
  /** Slices of every step of k, each multiplied by threads of its own; they are added up at the end. Absent: one. */
  readonly slices?: number;
}

/** Few rows or columns: which way the threads of a workgroup stand, how many there are, and the outputs of each product they make together. */
export interface ThinFactors {
  readonly along: "k" | "m" | "n";
  readonly threads: number;
  readonly rows: number;
  readonly columns: number;
}

/** Windows along one axis, a step of one from one to the next: tap t of window p sees element p + t. */
export interface SlidingAxis {
  readonly taps: number;
  readonly positions: number;
  /** Elements before `first`, and from `end` on, are zeros. */
  readonly first: number;
  readonly end: number;
}

/** Windows that threads slide over: vectors of outputs of each, taps that it takes in a step, and in how many parts of them all are staged. */
export interface SlidingFactors {
  readonly axis: SlidingAxis;
  readonly threads: number;
  readonly vectors: number;
  readonly step: number;
  /** Taps whose windows wait in workgroup memory at once. */
  readonly part: number;
}

/** Rows and columns of the scores that a workgroup holds at a time, and rows per thread (columns: four). */
export interface FlashTile {
  readonly m: number;
  readonly n: number;
  readonly rm: number;
  /** The rows' left operand waits in workgroup memory; otherwise each step reads it from memory again, through the cache. */
  readonly queries: boolean;
}

/** Where four neighbours of one load lie in a row group: along the row, across rows, or nowhere. */
export type Lane = "columns" | "rows" | "none";

/** How the threads of a workgroup combine their partial results. */
export type Joining = "tree" | "subgroups";

/** How a long row is put in order: its first few are found while it goes by, or runs of it are sorted and merged, or it is sorted digit by digit. */
export type OrderWay = "selected" | "merged" | "digits";

/** An output of a kernel, and the input whose buffer it takes over. */
export interface InPlace {
  readonly output: NodeId;
  readonly input: NodeId;
}

/** Elementwise results of one size in a grid that may hold several. */
export interface Segment {
  /** Indices among the region's outputs. */
  readonly which: readonly number[];
  readonly size: number;
  /** Neighbours that a thread takes at once, so many times in a row, and how often it does all that. */
  readonly width: 1 | 2 | 4;
  readonly run: number;
  readonly turns: number;
  /** Its first workgroup. */
  readonly first: number;
}

/** What a mask by position leaves of a product. */
export interface ProductBand {
  /** Outside of the band this operand is 0, or nobody wants the result. */
  readonly side: "left" | "right" | "result";
  /** By rows and columns of it; of the right operand by columns and rows. */
  readonly band: Band;
  /** Rows of the left operand, columns of the right one, that walk the same part of k. */
  readonly rows: number;
}

/** What the chosen schedule costs in resources. */
export interface RegionSchedule {
  readonly variant: Variant;
  /** Rows: the loops of the kernel, and of the one that joins their parts where they are folded in several. Absent for other kernels. */
  readonly fold?: FoldNest;
  readonly finish?: FoldNest;
  /** Rows that are held: values (members or stored inputs) cached in registers from the pass that makes them to later passes. */
  readonly cached: readonly NodeId[];
  /** Rows: four neighbours of one load lie along the row, across rows, or nowhere. Absent for other kernels. */
  readonly lane?: Lane;
  /** Where threads of a workgroup join what they have folded, how; absent where they don't. */
  readonly joined?: Joining;
  /** Rows that no workgroup has room for: how they are put in order, and why not the other ways. Absent for other kernels. */
  readonly order?: { readonly way: OrderWay; readonly against: ReadonlyMap<OrderWay, Verdict> };
  /** Rows that are sorted digit by digit. Absent for other kernels. */
  readonly digits?: DigitFactors;
  /** Loops whose runs threads share. Absent for other kernels. */
  readonly run?: RunFactors;
  /** Keys that are counted in workgroup memory. Absent for other kernels. */
  readonly counting?: CountFactors;
  /** Updates that are folded into bins. Absent for other kernels. */
  readonly bins?: BinFactors;
  /** Rows that are read again: first stages of pairs that one walk folds together. */
  readonly merged: readonly number[];
  /** Flat: neighbours that a thread takes at once, how often, and whether that is written out. */
  readonly width: 1 | 2 | 4;
  readonly turns: number;
  readonly unrolled: boolean;
  /** Flat: outputs that are written over inputs, one buffer for both. Absent: none. */
  readonly inPlace?: readonly InPlace[];
  /** Flat: the parts of the grid, the largest first; `width` and `turns` are that one's. Absent for other kernels. */
  readonly segments?: readonly Segment[];
  /** Split: chunks per row, of k or of attention's keys, and elements per chunk (the last may be shorter). Mixed: bands, and rows in each. 1 and `columns` otherwise. */
  readonly chunks: number;
  readonly chunkLength: number;
  /** Tile: [axis along which the transposed operands lie contiguously, innermost axis of the space]. */
  readonly tileAxes: readonly [number, number] | null;
  readonly matmul: MatmulTile | null;
  /** Products of few rows or columns whose k several threads share. Absent for other kernels. */
  readonly thin?: ThinFactors;
  /** Long convolutions of single rows, whose windows wait in workgroup memory. Absent for other kernels. */
  readonly sliding?: SlidingFactors;
  /** Outputs of a thread that shares nothing with others, of a row beside its neighbours. Absent for other kernels. */
  readonly alone?: 1 | 4;
  /** Tiles that leave out what a mask hides. Absent: none does. */
  readonly band?: ProductBand;
  readonly flash?: FlashTile;
  readonly reads: readonly RegionRead[];
  /** Outputs that neighbouring threads store far apart: priced as strided reads are, never counted. */
  readonly stridedWrites: readonly NodeId[];
  readonly workgroups: number;
  readonly threadsPerWorkgroup: number;
  readonly workgroupBytes: number;
  readonly registers: number;
  /** Those of them in which a row waits from pass to pass, or sums of a product: the choice of its factors. Absent: none. */
  readonly waiting?: number;
  /** Dispatches: 2 for a split reduction (partials + finisher), one and a merge after another for a merged order. */
  readonly dispatches: number;
  /** Bytes of what these hand over to one another: written once and read back once. */
  readonly temporaryBytes: number;
  /** Bytes of it that are read back where that is not once. */
  readonly temporaryReads?: number;
  /** In how many tensors. Absent: one. */
  readonly temporaries?: number;
  /** Bytes of them alive at once. Absent: all of them. */
  readonly temporaryPeak?: number;
  /** Launched loops: values that launches hand to one another, by size, and how often one is written and read. */
  readonly handed?: readonly { readonly bytes: number; readonly writes: number; readonly reads: number }[];
  /** Share of the work that each dispatch does; absent: the first does all of it. */
  readonly shares?: readonly number[];
  /** Bytes that tiles of products read again, if nothing is cached: priced as reads from the cache, never counted. */
  readonly modelledBytes: number;
  /** Share of a contraction's tiles that are computed, 0…1: a mask hides the others. Absent: all of them. */
  readonly computedShare?: number;
  /** Share of the arithmetic peak that the whole kernel reaches, waves and residents counted, 0…1; it stands for `efficiency` and occupancy. */
  readonly reached?: number;
  /** Members that are evaluated once while rows are folded, and once more when they are known as a whole. Absent: none. */
  readonly again?: readonly NodeId[];
  /** µs that the kernel's threads wait for loads and for one another, however fast memory is. Absent: what the counts say. */
  readonly leastMicros?: number;
  /** The threads of a row retain the first few elements that each of them meets, and choose among these: nothing is sorted. */
  readonly byThread?: boolean;
  /** Share of the arithmetic peak that a tile's inner loop can reach, 0…1: the rest goes into loads, edges and waiting. Absent: all of it. */
  readonly efficiency?: number;
}

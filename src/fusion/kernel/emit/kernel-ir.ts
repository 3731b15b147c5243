/**
 * @file The lowered kernel: a structured loop program of named values. WGSL is printed from it (print/) and the CPU
 * interpreter runs it (interpret/), so what is counted and checked is what runs.
 */
import type { Attrs, DType, NodeId, RegionId, TemplateName, TensorType } from "../../ir";
import type { OpDef } from "../../ops";
import type { Cond, Index, IndexSpace, IndexVar } from "./index-space";

/** bool in registers is WGSL's `bool`; in memory it is a u32. */
/** `key`: what a sort compares, a whole number in the order of the elements. */
export type Scalar = DType | "key";
export type Width = 1 | 4;

/** A named value. `var`s are assigned, all others are set once. */
export interface Reg {
  readonly kind: "reg";
  readonly id: number;
  readonly name: string;
  readonly scalar: Scalar;
  readonly width: Width;
  /** Depth of the scope that defines it. */
  readonly level: number;
}
export interface Literal {
  readonly kind: "literal";
  readonly value: number;
  readonly scalar: Scalar;
}
export type Value = Reg | Literal;

/** A tensor in memory as one kernel binds it. */
export interface Buffer {
  readonly kind: "buffer";
  readonly name: string;
  readonly value: NodeId;
  readonly type: TensorType;
  readonly elements: number;
  access: "read" | "read_write" | "uniform";
  /** 4 as soon as one access takes four neighbours at once, and for uniforms. */
  width: Width;
  /** An input whose data it holds before the kernel runs: `value` is written over it. */
  readonly begins?: NodeId;
  /** How many of its elements the kernel writes; absent: all. */
  written?: number;
  /** Threads add to its elements at once. */
  atomic?: true;
}

/** Rows in workgroup memory that are put in order: keys, and beside each the index its element had. */
export interface SortArrays {
  readonly keys: SharedArray;
  readonly indices: SharedArray | null;
  /** WGSL function that puts two of them in order. */
  readonly name: string;
}

/** Elements that wait behind those of a row that are retained, in the order in which threads come. */
export interface Waiting {
  readonly sort: SortArrays;
  /** The first index of those that wait. */
  readonly first: number;
  /** How many wait: all threads add to it at once. */
  readonly count: SharedArray;
  /** The same, for all threads to read. */
  readonly known: SharedArray;
  /** WGSL function that puts an element there. */
  readonly name: string;
}

/** The first few elements that a thread has met, in its registers: keys, and where each stood. */
export interface Retained {
  /** WGSL name of the list, and part of the names of the functions that change it. */
  readonly name: string;
  readonly count: number;
  /** Threads of a row, which are of one subgroup. */
  readonly lanes: number;
  /** Whether a key may be as large as what stands where nothing is retained: then indices decide. */
  readonly ties: boolean;
}

/** Workgroup memory. */
export interface SharedArray {
  readonly kind: "shared";
  readonly name: string;
  readonly scalar: Scalar;
  readonly width: Width;
  /** In units of `width`. */
  readonly length: number;
  /** Every thread has one of its own, full of zeros at first: registers that a loop can number. */
  readonly own?: true;
  /** One number that is no negative; threads may add to an atomic one at once. */
  readonly number?: "plain" | "atomic";
  /** Whole numbers that threads may add to at once. */
  readonly counts?: true;
}

export type Expr =
  | Value
  | {
      readonly kind: "op";
      readonly def: OpDef;
      readonly args: readonly Value[];
      readonly attrs: Attrs;
      readonly index: Index | null;
    }
  /** `lanes`: which of four neighbours of each side; the whole values otherwise. */
  | {
      readonly kind: "combine";
      readonly def: OpDef;
      readonly a: Value;
      readonly b: Value;
      readonly lanes?: readonly [number, number];
    }
  | { readonly kind: "map"; readonly def: OpDef; readonly a: Value }
  | { readonly kind: "finish"; readonly def: OpDef; readonly a: Value; readonly count: number }
  /** `index` counts elements; four from there on when `width` is 4. */
  | {
      readonly kind: "load";
      readonly buffer: Buffer;
      readonly index: Index;
      readonly width: Width;
      /** Where it fails, some element is read and dropped by what follows. */
      readonly when?: Cond;
    }
  | { readonly kind: "loadShared"; readonly array: SharedArray; readonly index: Index }
  | { readonly kind: "splat"; readonly a: Value }
  | { readonly kind: "pack"; readonly parts: readonly Value[] }
  | { readonly kind: "part"; readonly a: Value; readonly lane: number }
  /** a·b + c; `lane` takes one of a's four. */
  | { readonly kind: "fma"; readonly a: Value; readonly lane: number | null; readonly b: Value; readonly c: Value }
  | { readonly kind: "select"; readonly when: Cond; readonly yes: Value; readonly no: Value }
  /** `yes` where lane `a` is better than `b` for argmax / argmin; used with values and with indices. */
  | {
      readonly kind: "better";
      readonly def: OpDef;
      readonly a: Value;
      readonly b: Value;
      readonly ia: Value;
      readonly ib: Value;
    }
  | { readonly kind: "choose"; readonly when: Value; readonly yes: Value; readonly no: Value }
  /** What the thread `by` lanes further holds, or nearer: the two swap. Both are of one subgroup. */
  | { readonly kind: "shuffle"; readonly a: Value; readonly by: Index }
  | { readonly kind: "convert"; readonly a: Value; readonly to: Scalar }
  | { readonly kind: "generate"; readonly def: OpDef; readonly at: readonly Index[]; readonly attrs: Attrs }
  | { readonly kind: "index"; readonly index: Index };

interface From {
  /** The graph nodes this line computes. */
  readonly nodes: readonly NodeId[];
}
export type Stmt =
  | ({ readonly kind: "let"; readonly reg: Reg; readonly value: Expr } & From)
  | ({ readonly kind: "var"; readonly reg: Reg; readonly value: Expr } & From)
  | ({ readonly kind: "set"; readonly reg: Reg; readonly value: Expr } & From)
  | { readonly kind: "bind"; readonly variable: IndexVar; readonly value: Index }
  /** An index that is data, held inside 0 … variable.max. */
  | ({ readonly kind: "bindValue"; readonly variable: IndexVar; readonly value: Value } & From)
  | ({
      readonly kind: "store";
      readonly buffer: Buffer;
      readonly index: Index;
      readonly value: Value;
      readonly width: Width;
    } & From)
  /** reg = what stood in `buffer`, to which every thread adds `value` by itself, however many do so at once; or the larger of both stays. */
  | ({
      readonly kind: "fetchAtomic";
      readonly takes: "add" | "max";
      readonly reg: Reg;
      readonly buffer: Buffer;
      readonly index: Index;
      readonly value: Value;
    } & From)
  /**
   * reg = a number of `key` that no other thread has: those for which `when` holds take them one after another, by slices of `slice`
   * threads, and in a slice in their own order. The next one of each stands in array[index], a slice's own.
   */
  | ({
      readonly kind: "takeNumber";
      readonly reg: Reg;
      readonly array: SharedArray;
      /** WGSL function that finds it. */
      readonly name: string;
      readonly index: Index;
      readonly key: Index;
      /** Bits of a key, and threads of a slice, which lie in one subgroup. */
      readonly bits: number;
      readonly slice: number;
      /** One word holds the votes of a subgroup. */
      readonly oneWord: boolean;
      /** Which thread of its subgroup this is; null where each thread is a slice of its own. */
      readonly lane: Index | null;
      readonly when: Cond;
    } & From)
  /** Two halves that share a word, from the even index `index` on; past the end of the tensor the second is nobody's. */
  | ({
      readonly kind: "storePair";
      readonly buffer: Buffer;
      readonly index: Index;
      readonly values: readonly [Value, Value];
    } & From)
  /** `lane`: one component of a vec4 cell. */
  | ({
      readonly kind: "storeShared";
      readonly array: SharedArray;
      readonly index: Index;
      readonly value: Value;
      readonly lane: Index | null;
    } & From)
  /** Every thread adds `value` to a cell of `array`, however many do so at once. */
  | ({
      readonly kind: "addShared";
      readonly array: SharedArray;
      readonly index: Index;
      readonly value: Value;
    } & From)
  /** array[into] ← combine(array[into], array[from]): one step of a tree. */
  | ({
      readonly kind: "foldShared";
      readonly array: SharedArray;
      readonly def: OpDef;
      readonly into: Index;
      readonly from: Index;
    } & From)
  /**
   * One step of a bitonic network: two elements are put in order, as far as both are among the first `below`. Elements fall into runs
   * of `2·stride`; pair `pair` is an element of the first half of one and that as far behind, or, `mirrored`, that as far from its end.
   */
  | ({
      readonly kind: "exchangePair";
      readonly sort: SortArrays;
      readonly pair: Index;
      readonly stride: Index;
      readonly mirrored: boolean;
      /** Null where all pairs are. */
      readonly below: Index | null;
    } & From)
  /** An element waits, unless its key comes after `bar`, or is `bar` and the index not before `barIndex`. */
  | ({
      readonly kind: "wait";
      readonly waiting: Waiting;
      readonly key: Value;
      readonly index: Value | null;
      readonly bar: Value;
      readonly barIndex: Value | null;
    } & From)
  /** variable = how many wait, after a barrier and before one. */
  | { readonly kind: "countWaiting"; readonly waiting: Waiting; readonly variable: IndexVar }
  /** Nothing is retained yet. */
  | { readonly kind: "retainNone"; readonly list: Retained }
  /** An element goes among those that its thread retains, and the last of them goes, or the element itself. */
  | ({ readonly kind: "retain"; readonly list: Retained; readonly key: Value; readonly index: Value } & From)
  /** key, index = the first element of all that the threads of a row retain; the thread that has it lets it go. */
  | ({ readonly kind: "takeRetained"; readonly list: Retained; readonly key: Reg; readonly index: Reg } & From)
  /** Nobody waits. */
  | { readonly kind: "noneWait"; readonly waiting: Waiting }
  /**
   * variable = the index in `values` of element number `at` of two runs merged: `left` elements from `start` on, and the `right` ones
   * after them, both in the order of their keys. Of equal elements those of the left run come first.
   */
  | ({
      readonly kind: "merge";
      readonly variable: IndexVar;
      readonly values: Buffer;
      /** WGSL function that finds it. */
      readonly name: string;
      readonly key: OpDef;
      readonly attrs: Attrs;
      readonly start: Index;
      readonly left: Index;
      readonly right: Index;
      readonly at: Index;
    } & From)
  | { readonly kind: "if"; readonly when: Cond; readonly body: Stmt[]; readonly otherwise: Stmt[] }
  /** `rows`: each iteration is a row of its own, whose passes are the loops inside. */
  | {
      readonly kind: "for";
      readonly variable: IndexVar;
      readonly count: number;
      readonly body: Stmt[];
      readonly rows?: true;
    }
  /** Names what the machine decides about subgroups: how many of the workgroup's threads are in one, which one this is, how many there are. */
  | {
      readonly kind: "subgroups";
      readonly threads: number;
      readonly peers: IndexVar;
      readonly own: IndexVar;
      readonly count: IndexVar;
    }
  /** variable = from, from/2, … 1 */
  | { readonly kind: "halve"; readonly variable: IndexVar; readonly from: Index; readonly body: Stmt[] }
  /** variable = from, from + step … while it is below `limit` */
  | {
      readonly kind: "range";
      readonly variable: IndexVar;
      readonly from: Index;
      readonly limit: Index;
      readonly step: number;
      readonly body: Stmt[];
    }
  /** variable = 1, 2, 4 … while it is below `limit`, which all threads agree on. */
  | { readonly kind: "double"; readonly variable: IndexVar; readonly limit: Index; readonly body: Stmt[] }
  | { readonly kind: "barrier" }
  /** Lanes for which it does not hold are done. */
  | { readonly kind: "guard"; readonly when: Cond }
  | { readonly kind: "comment"; readonly text: string };

/** The values that an expression reads. */
export function operandsOf(expr: Expr): readonly Value[] {
  switch (expr.kind) {
    case "reg":
    case "literal":
      return [expr];
    case "op":
      return expr.args;
    case "combine":
      return [expr.a, expr.b];
    case "map":
    case "finish":
    case "splat":
    case "part":
    case "shuffle":
    case "convert":
      return [expr.a];
    case "pack":
      return expr.parts;
    case "fma":
      return [expr.a, expr.b, expr.c];
    case "select":
      return [expr.yes, expr.no];
    case "better":
      return [expr.a, expr.b, expr.ia, expr.ib];
    case "choose":
      return [expr.when, expr.yes, expr.no];
    case "load":
    case "loadShared":
    case "generate":
    case "index":
      return [];
  }
}

/** The values that a statement reads itself, without those in its blocks. */
export function valuesOf(stmt: Stmt): readonly Value[] {
  if (stmt.kind === "let" || stmt.kind === "var" || stmt.kind === "set") return operandsOf(stmt.value);
  if (stmt.kind === "bindValue" || stmt.kind === "store" || stmt.kind === "storeShared") return [stmt.value];
  if (stmt.kind === "fetchAtomic" || stmt.kind === "addShared") return [stmt.value];
  if (stmt.kind === "wait")
    return [stmt.key, stmt.bar, ...[stmt.index, stmt.barIndex].filter((value) => value !== null)];
  return stmt.kind === "storePair" ? stmt.values : [];
}

export type Loop = Extract<Stmt, { readonly kind: "for" | "halve" | "double" | "range" }>;
export const isLoop = (stmt: Stmt): stmt is Loop =>
  stmt.kind === "for" || stmt.kind === "halve" || stmt.kind === "double" || stmt.kind === "range";

export interface KernelProgram {
  /** Also the WGSL entry point. */
  readonly name: string;
  readonly template: TemplateName;
  /** What it computes, one line of the header comment. */
  readonly title: string;
  /** One sentence: how threads meet elements. */
  readonly schedule: string;
  readonly region: RegionId;
  readonly nodes: readonly NodeId[];
  readonly buffers: readonly Buffer[];
  readonly shared: readonly SharedArray[];
  readonly workgroupSize: readonly [number, number, number];
  readonly workgroups: readonly [number, number, number];
  readonly body: readonly Stmt[];
  readonly space: IndexSpace;
  readonly registerCount: number;
  /** The largest number behind the first part of a name that it declares: `h_2` has 2. */
  readonly largestNumber: number;
  /** f16 lies two to a u32 in memory: the target can't bind halves. */
  readonly packedHalves: boolean;
  /** One of many launches of a kernel on other values: what it binds now and what it touches of it, in the order of `buffers`, and its own FLOP. */
  readonly launch?: {
    readonly values: readonly NodeId[];
    readonly touched: readonly Touched[];
    readonly flops: number;
  };
}

/** Distinct elements of a value that a launch touches, and how often it reads them again. */
export interface Touched {
  readonly elements: number;
  readonly rereads: number;
}

/** The values that a program's buffers are bound to. */
export const boundValues = ({ buffers, launch }: KernelProgram): readonly NodeId[] =>
  launch?.values ?? buffers.map(({ value }) => value);

export const sharedBytes = (arrays: readonly SharedArray[]): number =>
  arrays.reduce((sum, array) => (array.own ? sum : sum + array.length * array.width * 4), 0);

export const literal = (value: number, scalar: Scalar): Literal => ({ kind: "literal", value, scalar });
export const widthOf = (value: Value): Width => (value.kind === "reg" ? value.width : 1);

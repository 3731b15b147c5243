/** @file What an op is: one typed object. Families (families.ts) fill in most of it; an op's file states the rest. */
import type { Attrs, AttrValue, Checked, DType, Node, NodeId, Shape, TensorType } from "../ir";
import type { Algebra } from "./algebra";
import type { LoopBody, Result } from "./loop-body";

/** One argument of a call, in PyTorch's order; `names` holds every accepted spelling, the canonical one first. */
export interface Param {
  readonly names: readonly string[];
  readonly kind:
    "tensor" | "int" | "float" | "bool" | "string" | "axis" | "axes" | "shape" | "ints" | "dtype" | "tensors";
  /** Absent: required. `null`: optional without a value. */
  readonly default?: AttrValue;
  /** Positional integers from here on are joined: `x.reshape(2, 3)` is `x.reshape((2, 3))`. */
  readonly variadic?: boolean;
  /** Lists within the list count one after the other: `axes=((1, 2), (0, 1))`. */
  readonly nested?: boolean;
  /** What None stands for among the numbers: `(None, 7)`. */
  readonly none?: number;
  /** The texts that False and True stand for: `approximate=True`. */
  readonly bools?: readonly [no: string, yes: string];
  readonly doc: string;
}

export interface OpDoc {
  /** `max(x, 0)` */
  readonly formula: string;
  /** One sentence worth knowing about fusing this op. */
  readonly teaches: string;
}

/** How scalar WGSL is to be written: the same rule prints `f32` and `vec4<f32>`. */
export interface WgslType {
  /** `f32`, `vec4f`, `i32`, `vec4i` … of the result. */
  readonly type: string;
  /** A literal of the operand's type, splatted when it is a vector: num(0.5) → `0.5` or `vec4f(0.5)`. Prints Math.fround in full. */
  num(value: number): string;
  /** Calls a helper by name for this width: call("erf", x) → `erf(x)` or `erf4(x)`. */
  call(helper: string, ...args: string[]): string;
}

/** A WGSL function that an op needs once per module. */
export interface WgslHelper {
  readonly name: string;
  readonly needs?: readonly string[] | ((t: WgslType) => readonly string[]);
  /** The whole function, for one width; its name must be `t.call`'s. */
  wgsl(t: WgslType): string;
}

/** What an elementwise op means for one element. bool is 0 or 1 in `js`; i32 results are truncated by the caller. */
export interface ScalarMeaning {
  js(args: readonly number[], attrs: Attrs): number;
  /** The same for i32 operands, where the rule of real numbers would round or divide differently. */
  int?(args: readonly number[], attrs: Attrs): number;
  wgsl(args: readonly string[], attrs: Attrs, t: WgslType): string;
  readonly helpers?: readonly WgslHelper[];
  /** Passes the linear index of the element in the op's output as one more argument (a number / a u32 expression): counter-based random ops. */
  readonly usesIndex?: boolean;
  readonly neutral?: Neutral;
}

/** What gives the other operand back: x · 1, x − 0. */
export interface Neutral {
  readonly value: number;
  /** Which operands it may be. */
  readonly operands: readonly number[];
  /** What it does to the other operand, in words: `adds 0 to`. */
  readonly says: string;
  /** −0 + 0 is +0: the same number, not the same bits. */
  readonly changesZero?: boolean;
}

/** Arithmetic on indices, so that one rule serves the reference (numbers) and written kernels (expressions). */
export interface IndexAlgebra<I, C> {
  int(value: number): I;
  add(a: I, b: I): I;
  mul(a: I, by: number): I;
  /** Floor division and remainder by a positive constant, of a non-negative index. */
  div(a: I, by: number): I;
  mod(a: I, by: number): I;
  /** 0 ≤ a < bound tests and their conjunction. */
  less(a: I, bound: number): C;
  atLeast(a: I, bound: number): C;
  and(a: C, b: C): C;
}

/** Where an element of a movement op comes from: the first case whose condition holds, else the fill value. */
export interface IndexCase<I, C> {
  /** null: always. */
  readonly when: C | null;
  readonly operand: number;
  readonly index: readonly I[];
}

/** The index along one axis where a condition holds; null: always. */
export interface AxisCase<I, C> {
  readonly when: C | null;
  readonly index: I;
}

/** Where along one input axis the elements come from, as a table over the output axes `from` (row-major); −1 is the fill value. */
export interface IndexTable {
  readonly from: readonly number[];
  readonly positions: Int32Array;
}

export interface MovementMeaning {
  source<I, C>(
    out: readonly I[],
    context: { readonly inputs: readonly Shape[]; readonly output: Shape; readonly attrs: Attrs },
    algebra: IndexAlgebra<I, C>,
  ): readonly IndexCase<I, C>[];
  /**
   * The same rule axis by axis of the only operand, where every element comes from somewhere: the index along it by the first case whose
   * condition holds. Null where some come from nowhere; left out where axes are not apart.
   */
  alongAxes?<I, C>(
    out: readonly I[],
    context: { readonly inputs: readonly Shape[]; readonly attrs: Attrs },
    algebra: IndexAlgebra<I, C>,
  ): readonly (readonly AxisCase<I, C>[])[] | null;
  /** Value where no case holds (pad). */
  fill?(attrs: Attrs): number;
  /** The same rule as tables, one an axis of the only input, when no output axis is in two of them and conditions are per axis. */
  tables?(context: { readonly inputs: readonly Shape[]; readonly attrs: Attrs }): readonly IndexTable[];
  /** A call with more operands than `most`, all that a kernel may bind on every device, becomes calls on parts of them, joined by the op `by`. */
  readonly joins?: { readonly most: number; readonly by: string };
  /** Same elements in the same row-major order: never a kernel, always an alias (reshape, squeeze, unsqueeze, flatten). */
  readonly free?: boolean;
  /** It repeats as operands of elementwise ops do: axes of one element grow, new ones stand in front. */
  readonly spreads?: true;
  /**
   * The attributes of one call on a whole batch whose axis stands in front of every operand and of the result; `size`: of the batch.
   * `null`: no one call does it. Left out: it is written out example by example.
   */
  batched?(
    attrs: Attrs,
    context: { readonly inputs: readonly Shape[]; readonly output: Shape; readonly size: number },
  ): Attrs | null;
}

/** A reduction: fold `combine` over the axes starting at `identity`, after `map`, then `finish`. */
export interface ReduceMeaning {
  /** Normalised axes, ascending. */
  axes(attrs: Attrs, input: Shape): readonly number[];
  /** ±∞ where nothing finite is neutral; shaders write it by its bits. */
  identity(dtype: DType): number;
  combine: { js(a: number, b: number): number; wgsl(a: string, b: string, t: WgslType): string };
  /** The elementwise op that combines two values; absent where none does. */
  readonly ofTwo?: string;
  /** The elementwise ops that `map` and `finish` are; without one a linear fold's `finish` is a factor. */
  readonly ofEach?: string;
  readonly ofResult?: string;
  /** Applied to each element before combining (sum_square, l1 …). */
  map?: { js(x: number): number; wgsl(x: string, t: WgslType): string };
  /** Applied once to the result; `count` is the number of reduced elements (mean, l2 norm …); `text`: as a person writes it. */
  finish?: {
    js(x: number, count: number): number;
    text(x: string, count: number): string;
    wgsl(x: string, count: number, t: WgslType): string;
  };
  /** argmax/argmin: carries (value, index). Then combine/identity are those of the value. */
  readonly arg?: ArgCompare;
  /** The result is one of the elements; `opposite`: the reduction that picks the other end. */
  readonly picks?: { readonly which: "largest" | "smallest"; readonly opposite: string };
}

/** Whether argmax or argmin prefers the first value to the second, strictly; of equal values the first index wins. */
export interface ArgCompare {
  js(a: number, b: number): boolean;
  wgsl(a: string, b: string, t: WgslType): string;
  readonly helpers: readonly WgslHelper[];
}

/** A scan: every element becomes the fold of those up to itself along one axis. */
export interface ScanMeaning {
  readonly axis: (attrs: Attrs, input: Shape) => number;
  /** The reduction whose `combine` and `identity` it shares; without `map` and `finish`. */
  readonly fold: OpDef;
  /** From the last element to the first. */
  readonly reverse: (attrs: Attrs) => boolean;
  /** The element itself does not count: the first of them gets the identity. */
  readonly exclusive: (attrs: Attrs) => boolean;
}

/** Sorts a row: ascending and stable, with NaN last; descending reverses the order of all of them. */
export interface OrderMeaning {
  readonly axis: (attrs: Attrs, input: Shape) => number;
  readonly descending: (attrs: Attrs) => boolean;
  /** How many of the first the result has. */
  readonly count: (attrs: Attrs, extent: number) => number;
  /** The result is the index of each element, not its value. */
  readonly indices: boolean;
}

/** How a loop goes along rows: what an iteration reads of each operand that it walks, and takes what the iteration gives. */
export interface RowAccess {
  /** The element of operand `param` in the row of iteration `number`. */
  read(param: number, number: number): number;
  /** The result's element in the row of iteration `number`. */
  show(number: number, value: number): void;
}

/** The axis of rows, counted from the end of the space that carried values and rows make, and whether its last row comes first. */
export interface Along {
  readonly axis: number;
  readonly backwards: boolean;
}

/** A loop whose carried values each iteration changes element by element: what all iterations do to one element. */
export interface LoopMeaning {
  /** Of a call that `infer` accepted. */
  bodyOf(attrs: Attrs): LoopBody;
  /** Dtypes of the body's values. */
  dtypesOf(body: LoopBody): readonly DType[];
  /** Types of the body's values in one run of it. */
  typesOf(body: LoopBody): readonly TensorType[];
  /** Whether one run of the body has single numbers only, and works element by element. */
  isPlain(body: LoopBody): boolean;
  /** The axes of a result that one run of the body has whole. */
  ownOf(body: LoopBody, result: Result): Shape;
  iterations(attrs: Attrs): number;
  /** Which result it is, by number (`resultAt`). */
  result(attrs: Attrs): number;
  /** The rows that iterations read and give; null where they read and give none. */
  along(attrs: Attrs): Along | null;
  /** Each iteration launches the body's kernels again; otherwise all iterations are made inside a kernel. */
  launched(attrs: Attrs): boolean;
  /** All iterations for one element, of a body that has single numbers; `change` says what becomes of each value that is computed on the way, null: nothing. */
  run(
    args: readonly number[],
    attrs: Attrs,
    change: ((value: number, dtype: DType) => number) | null,
    rows?: RowAccess,
  ): number;
  /** What all iterations take for an element, where these results are wanted and `each` says what an op takes. */
  flops(
    attrs: Attrs,
    results: readonly number[],
    each: (def: OpDef, literals: readonly (number | null)[]) => number,
  ): number;
}

/** What a derivative rule sees: the op's operands and result where they stand in the graph, and a builder of further nodes. */
export interface DerivativeContext {
  readonly inputs: readonly NodeId[];
  readonly output: NodeId;
  readonly attrs: Attrs;
  readonly typeOf: (id: NodeId) => TensorType;
  /** How an operand is computed. */
  readonly node: (id: NodeId) => Pick<Node, "op" | "inputs" | "attrs" | "type">;
  /** A node of an op; numbers become literals of the result's dtype. Equal calls are one node. */
  readonly of: (op: string, operands: readonly (NodeId | number)[], attrs?: Attrs) => NodeId;
  /** The value of an operand that is a literal; null of any other. */
  readonly literal: (id: NodeId) => number | null;
}

/** How fast a result changes with an operand: a tensor, one number everywhere, or not at all. */
export type Slope = NodeId | number | null;

/** How a change of the operands changes the result. An op without one can't be differentiated; `{}` is an op without slope. */
export interface Derivative {
  /** Elementwise: the slope for each operand. */
  readonly partials?: (context: DerivativeContext) => readonly Slope[];
  /** The cotangent of one operand, given that of the result, in the operand's shape; null: zero. */
  readonly vjp?: (context: DerivativeContext, cotangent: NodeId, operand: number) => NodeId | null;
  /** The tangent of the result; null for operands without one. Left out beside `vjp`: the op is linear, and is applied to the tangents. */
  readonly jvp?: (context: DerivativeContext, tangents: readonly (NodeId | null)[]) => NodeId;
}

/** An op and what it is applied to: the result, or another operand by its index. */
export interface Inverse {
  readonly op: string;
  readonly of: readonly ("result" | number)[];
}

export type OpKind =
  | "elementwise"
  | "reduce"
  | "scan"
  | "order"
  | "contraction"
  | "movement"
  | "gather"
  | "search"
  | "ranges"
  | "groups"
  | "loop"
  | "random"
  | "source"
  | "opaque";

/** Where it loads is data: nobody knows before it runs. */
export const loadsByData = ({ kind }: Pick<OpDef, "kind">): boolean =>
  kind === "gather" || kind === "search" || kind === "ranges";

/** What a name means besides, where libraries or calls differ. */
export interface Names {
  /** No library has it and nobody calls it: composites and passes write it. */
  readonly internal?: true;
  /** Other names of the same call, without prefixes: `swish` for silu. */
  readonly aliases?: readonly string[];
  /** The op meant when the second positional argument is a tensor: `max(a, b)` is `maximum(a, b)`. */
  readonly withTensor?: string;
  /** The op meant where all operands are bool: in PyTorch and NumPy, true + true is true. */
  readonly ofTruths?: string;
  /** What its result keeps where folding or writing would give another dtype: bool of operands that are all bool, or in any case the dtype of the first, which it writes into. */
  readonly keeps?: "truths" | "dtype";
  /** The op meant when the axis stands before the index: PyTorch's `gather(x, 1, index)` is `gather_elements(x, index, 1)`. */
  readonly withAxisFirst?: string;
  /** Its first tensor may be one example: then it has an axis less than the second, and so has the result. */
  readonly mayLackBatch?: boolean;
  /** The op that NumPy and JAX mean by this name. */
  readonly inJax?: string;
  /** Where no axis is said it takes all elements in a row: in NumPy and JAX alone, or in every library. */
  readonly rowWithoutAxis?: "jax" | "everywhere";
  /** The ONNX op that is this one, operand by operand and without attributes. */
  readonly onnx?: string;
  /** Primitives of jaxprs that are this one in the same way. */
  readonly jax?: readonly string[];
  /** Methods of JAX's `x.at[i]` that apply it to what is there, and ONNX's word for that, which counts every update of one element. */
  readonly updates?: { readonly methods: readonly string[]; readonly reduction: string };
  /** Which operand the tensor is whose method is called, where that is not the first: `x.where(condition, y)`. */
  readonly methodOf?: number;
  /** The op of the indices that PyTorch's call answers beside the values: `values, indices = x.topk(k)`. */
  readonly indices?: string;
  /** Names under which a configuration asks for it as an activation. */
  readonly activation?: readonly string[];
  /** Defaults that are others after a prefix of JAX. */
  readonly jaxDefaults?: Attrs;
  /** What the arguments mean in PyTorch for inputs of these shapes, where it takes what others refuse. */
  readonly inTorch?: (attrs: Attrs, inputs: readonly Shape[]) => Attrs;
  /** Why PyTorch refuses these arguments, where others take them; null where it does not. */
  readonly refusedInTorch?: (attrs: Attrs, inputs: readonly Shape[]) => string | null;
  /** Whether such a call answers its first operand itself, so that there is nothing to compute. */
  readonly passes?: (attrs: Attrs) => boolean;
  /** Whether PyTorch takes no whole numbers and no truth values here, where other libraries convert them. */
  readonly floatsInTorch?: true | ((attrs: Attrs) => boolean);
  /** Whether PyTorch takes no floats beside whole numbers here, where other libraries convert those. */
  readonly oneDtypeInTorch?: true;
  /** Whether PyTorch's method, and its function outside of `nn.functional`, ask for the axis. */
  readonly saysAxisInTorch?: true;
  /** Which operand holds indices, and of what: those that stand in the text are held to it, where indices that are data may lie anywhere. */
  readonly chosen?: (inputs: readonly (TensorType | null)[], attrs: Attrs) => Chosen | null;
  /** The numbers that it makes of its attributes alone: a loop of Python over them knows each. */
  readonly numbers?: (attrs: Attrs) => readonly number[];
}

/** Indices that an operand holds. */
export interface Chosen {
  /** The operand that holds them. */
  readonly by: number;
  /** Whose axis they index; null: they number so many classes, which no library counts from the end. */
  readonly of: { readonly operand: number; readonly axis: number } | null;
  readonly extent: number;
  /** A number that stands for none. */
  readonly none?: number;
}

/** Whole numbers from `least` to `most`. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** Of the values of literal operands, null for the others. */
export type Work = number | ((literals: readonly (number | null)[]) => number);

export interface OpDef extends Names {
  readonly name: string;
  readonly kind: OpKind;
  readonly doc: OpDoc;
  readonly params: readonly Param[];
  /**
   * Type of the result, or what is wrong in words that name both shapes. Never throws. `attrs` holds every non-tensor param, defaults filled in.
   * @param names what the user calls the operands, for the message; the params' own names otherwise
   */
  infer(inputs: readonly TensorType[], attrs: Attrs, names?: readonly string[]): Checked<TensorType>;
  /** The dtype that each operand is converted to before `scalar`, `reduce` or the contraction sees it. Absent: as they are. */
  operandTypes?(inputs: readonly DType[], attrs: Attrs): readonly DType[];
  /**
   * FLOP of one evaluation with functions weighted, a division as four and exp as eight: what parts of prices go by. 0: it computes
   * nothing. What is shown and put under a roof is FLOP, one for each evaluation (`flopsOf`).
   */
  readonly weightedFlops: number;
  /**
   * Time of a shader that one evaluation takes, in FLOP of multiply-adds that pass meanwhile: what a price asks. Measured on an H100
   * (suite `ops` of the bench, docs/measurements.md); a literal operand may make it less. Absent: its weighted FLOP.
   */
  readonly work?: Work;
  /** Expensive ops are not duplicated lightly: exp, log, tanh, div … */
  readonly expensive: boolean;
  /** Allowed difference of WGSL from the f64 meaning in one evaluation, and why. */
  readonly tolerance: { readonly rtol: number; readonly atol: number; readonly reason: string };
  readonly derivative?: Derivative;
  /** What passes may conclude. */
  readonly algebra?: Algebra;
  /** How one operand follows from the result and the others: an op on them. Null: it doesn't. */
  readonly inverse?: (operand: number) => Inverse | null;
  /** opaque: why nothing is fused with it, as an end of a sentence about it. With L_EFFECT it stays though nobody reads it, as often as it is written. */
  readonly boundary?: { readonly code: "L_OPAQUE" | "L_EFFECT"; readonly text: string };
  /** Where its whole numbers lie when those of its operands, if it has any, lie between `least` and `most`. Absent: anywhere. */
  readonly bounds?: (attrs: Attrs, ...operands: readonly Bounds[]) => Bounds;
  /** elementwise and random */
  readonly scalar?: ScalarMeaning;
  readonly movement?: MovementMeaning;
  readonly reduce?: ReduceMeaning;
  readonly scan?: ScanMeaning;
  readonly order?: OrderMeaning;
  readonly loop?: LoopMeaning;
  /** gather: operand 0 is read at indices along one axis that are the values of operand 1, clamped to the axis. */
  readonly gather?: { axis(attrs: Attrs, x: Shape): number };
  /** ranges: operand 0 is folded, by the op of this name, along one axis over the indices that operand 1 lists from operand 2 to operand 3. */
  readonly ranges?: { axis(attrs: Attrs, x: Shape): number; fold(attrs: Attrs): string };
  /** search: the comparison that holds for a key of operand 0 which comes before a value of operand 1. */
  readonly search?: { comesBefore(attrs: Attrs): "lt" | "le" };
  /** groups: how many keys there are, and what is left of each: a range of a list of elements, how many they are, or the last of them. */
  readonly groups?: {
    readonly leaves: "ranges" | "count" | "last";
    targets(attrs: Attrs): number;
    /** Equal parts of the list, one after the other, that share the keys among them: no key is in two. */
    lists(attrs: Attrs): number;
  };
  /** `iota`-like sources: the value from the element's coordinates. */
  readonly generate?: {
    js(index: readonly number[], attrs: Attrs): number;
    wgsl(index: readonly string[], attrs: Attrs): string;
  };
}

/** Makes primitive nodes inside a composite; part names become the ids `h.centre`. */
export interface GraphBuilder {
  typeOf(id: NodeId): TensorType;
  op(part: string, op: string, inputs: readonly NodeId[], attrs?: Attrs): NodeId;
  scalar(value: number, dtype?: DType): NodeId;
}

/** An op that is a name for a graph of primitives: passes see primitives, the canvas can draw one box. */
export interface CompositeDef extends Names {
  readonly name: string;
  readonly kind: "composite";
  readonly doc: OpDoc;
  readonly params: readonly Param[];
  infer(inputs: readonly (TensorType | null)[], attrs: Attrs, names?: readonly string[]): Checked<TensorType>;
  /** Parts whose changes cancel in the result, such as the maximum that softmax shifts by: no derivative goes through them. */
  readonly nonDifferentiable?: readonly string[];
  /** Optional tensors that were not given are null. The last node made is the result and takes the call's own id. */
  build(b: GraphBuilder, inputs: readonly (NodeId | null)[], attrs: Attrs): NodeId;
}

/** @file Makers of ops: what all elementwise ops, reductions, movements and contractions have in common. */
import { promote, showShape, type Attrs, type Checked, type DType, type Shape, type TensorType } from "../ir";
import type { Algebra } from "./algebra";
import type { Derivative, MovementMeaning, Names, OpDef, Param, ReduceMeaning, ScalarMeaning, Work } from "./define";
import { axesOf, broadcastAll, checkAxes, fine, withoutAxes, wrong, type Failed } from "./shapes";

type Tolerance = OpDef["tolerance"];

/** One correctly rounded operation in f32; results under 2^-126 may be flushed. */
export const ROUNDED: Tolerance = { rtol: 1.2e-7, atol: 1.2e-38, reason: "one rounding to f32" };
export const EXACT: Tolerance = { rtol: 0, atol: 0, reason: "moves or compares values, computes none" };
/** WGSL allows division 2.5 ULP and sqrt what follows from it. */
export const DIVIDED: Tolerance = { rtol: 4e-7, atol: 1.2e-38, reason: "WGSL division is within 2.5 ULP" };
/** exp: 3 + 2|x| ULP, checked for |x| ≤ 16. */
export const EXPONENTIAL: Tolerance = { rtol: 5e-6, atol: 1e-7, reason: "WGSL exp is within 3 + 2|x| ULP" };
export const LOGARITHM: Tolerance = {
  rtol: 1e-6,
  atol: 1e-6,
  reason: "WGSL log is within 2^-21 near 1, 3 ULP elsewhere",
};
/** Our own sines: three parts of π/2, a polynomial. */
export const TRIGONOMETRIC: Tolerance = {
  rtol: 1e-6,
  atol: 2e-7,
  reason: "a polynomial within 1e-7, for angles up to 1e5",
};
/** Our own arcs, hyperbolic and error functions. */
export const POLYNOMIAL: Tolerance = { rtol: 1e-6, atol: 1e-37, reason: "a polynomial within 5 ULP" };

/** A required tensor; further names are other libraries' spellings. */
export const tensor = (names: readonly string[], doc: string): Param => ({ names, kind: "tensor", doc });
/** A number attribute with its default. */
export const number = (name: string, value: number, doc: string, ...aliases: string[]): Param => ({
  names: [name, ...aliases],
  kind: "float",
  default: value,
  doc,
});

const X = tensor(["x", "input", "self", "a"], "The tensor.");
const A = tensor(["a", "input", "self", "x", "x1"], "Left operand.");
const B = tensor(["b", "other", "y", "x2"], "Right operand; broadcast against the left.");

/**
 * `arithmetic`: the operands' common dtype (bool counts as i32). `float`: the same, integers become f32.
 * `compare`: as arithmetic, and the result is bool. `test`: as float, and the result is bool. `logic`: bool throughout. `same`: untouched.
 */
export type DTypeRule = "arithmetic" | "float" | "compare" | "test" | "logic" | "same";

function operandDType(rule: DTypeRule, inputs: readonly DType[]): DType {
  const common = inputs.reduce(promote, "bool");
  if (rule === "logic") return "bool";
  if (rule === "same") return common;
  if (rule === "float" || rule === "test") return common === "f16" ? "f16" : "f32";
  return common === "bool" ? "i32" : common;
}

export interface ElementwiseSpec extends Names, Pick<OpDef, "name" | "doc"> {
  readonly scalar: ScalarMeaning;
  /** Tensor operands; attributes follow in `attrs`. */
  readonly operands: readonly Param[];
  readonly attrs?: readonly Param[];
  /** `arithmetic` unless stated. */
  readonly dtype?: DTypeRule;
  /** `OpDef.weightedFlops`; 1 unless stated. */
  readonly weightedFlops?: number;
  /** `OpDef.work`. */
  readonly work?: Work;
  readonly expensive?: boolean;
  readonly tolerance?: Tolerance;
  /** Ops without a slope (comparisons, logic, tests) need none. */
  readonly derivative?: Derivative;
  readonly algebra?: Algebra;
  readonly inverse?: OpDef["inverse"];
}

/** The optional names of a spec, those that are stated. */
const namesOf = ({
  internal,
  aliases,
  withTensor,
  ofTruths,
  keeps,
  withAxisFirst,
  onnx,
  jax,
  updates,
  indices,
  activation,
  jaxDefaults,
  floatsInTorch,
}: Names): Names => ({
  ...(internal ? { internal } : {}),
  ...(aliases ? { aliases } : {}),
  ...(withTensor ? { withTensor } : {}),
  ...(ofTruths ? { ofTruths } : {}),
  ...(keeps ? { keeps } : {}),
  ...(withAxisFirst ? { withAxisFirst } : {}),
  ...(onnx ? { onnx } : {}),
  ...(jax ? { jax } : {}),
  ...(updates ? { updates } : {}),
  ...(indices ? { indices } : {}),
  ...(activation ? { activation } : {}),
  ...(jaxDefaults ? { jaxDefaults } : {}),
  ...(floatsInTorch ? { floatsInTorch } : {}),
});

/** An op on each element; operands broadcast as in NumPy. */
export function elementwise(spec: ElementwiseSpec): OpDef {
  const {
    name,
    doc,
    scalar,
    operands,
    attrs = [],
    dtype: rule = "arithmetic",
    weightedFlops = 1,
    expensive = false,
  } = spec;
  const own = operands.map((param) => param.names[0]!);
  const flat = rule === "compare" || rule === "test" || rule === "logic";
  const derivative = spec.derivative ?? (flat ? {} : undefined);
  return {
    name,
    ...namesOf(spec),
    kind: "elementwise",
    doc,
    params: [...operands, ...attrs],
    infer(inputs, _attrs, names = own) {
      const shape = broadcastAll(inputs, names);
      if (!shape.ok) return shape;
      const operand = operandDType(
        rule,
        inputs.map((input) => input.dtype),
      );
      const dtype = rule === "compare" || rule === "test" ? "bool" : operand;
      return fine({ dtype, shape: shape.value });
    },
    operandTypes: (inputs) => inputs.map(() => operandDType(rule, inputs)),
    weightedFlops,
    ...(spec.work !== undefined && { work: spec.work }),
    expensive,
    tolerance: spec.tolerance ?? (rule === "arithmetic" || rule === "float" ? ROUNDED : EXACT),
    ...(derivative ? { derivative } : {}),
    ...(spec.algebra ? { algebra: spec.algebra } : {}),
    ...(spec.inverse ? { inverse: spec.inverse } : {}),
    scalar,
  };
}

type Without<K extends keyof ElementwiseSpec> = Omit<ElementwiseSpec, K>;
type UnaryMeaning = {
  js(x: number, attrs: Attrs): number;
  readonly int?: (x: number) => number;
  wgsl(x: string, t: Parameters<ScalarMeaning["wgsl"]>[2], attrs: Attrs): string;
} & Pick<ScalarMeaning, "helpers">;
type BinaryMeaning = {
  js(a: number, b: number, attrs: Attrs): number;
  readonly int?: (a: number, b: number) => number;
  wgsl(a: string, b: string, t: Parameters<ScalarMeaning["wgsl"]>[2], attrs: Attrs): string;
} & Pick<ScalarMeaning, "helpers" | "neutral">;

/** `y = f(x)` */
export const unary = ({ scalar, ...rest }: Without<"operands" | "scalar"> & { readonly scalar: UnaryMeaning }): OpDef =>
  elementwise({
    ...rest,
    operands: [X],
    scalar: {
      js: (args, attrs) => scalar.js(args[0]!, attrs),
      ...(scalar.int ? { int: (args) => scalar.int!(args[0]!) } : {}),
      wgsl: ([x], attrs, t) => scalar.wgsl(x!, t, attrs),
      ...(scalar.helpers ? { helpers: scalar.helpers } : {}),
    },
  });

/** `y = f(a, b)`, broadcast */
export const binary = ({
  scalar,
  ...rest
}: Without<"operands" | "scalar"> & { readonly scalar: BinaryMeaning }): OpDef => {
  const { int } = scalar;
  return elementwise({
    ...rest,
    operands: [A, B],
    scalar: {
      js: (args, attrs) => scalar.js(args[0]!, args[1]!, attrs),
      ...(int ? { int: (args) => int(args[0]!, args[1]!) } : {}),
      wgsl: ([a, b], attrs, t) => scalar.wgsl(a!, b!, t, attrs),
      ...(scalar.helpers ? { helpers: scalar.helpers } : {}),
      ...(scalar.neutral ? { neutral: scalar.neutral } : {}),
    },
  });
};

/** A comparison: bool result, `a op b` in WGSL. */
export const comparison = (
  spec: Names & Pick<ElementwiseSpec, "name" | "doc">,
  operator: string,
  holds: (a: number, b: number) => boolean,
): OpDef =>
  binary({
    ...spec,
    dtype: "compare",
    algebra: { compares: operator },
    scalar: { js: (a, b) => Number(holds(a, b)), wgsl: (a, b) => `${a} ${operator} ${b}` },
  });

export const AXES: Param = {
  names: ["axes", "axis", "dim", "dims"],
  kind: "axes",
  default: null,
  doc: "Axes to reduce; all when omitted.",
};
export const KEEPDIMS: Param = {
  names: ["keepdims", "keepdim"],
  kind: "bool",
  default: false,
  doc: "Keep folded axes as size 1.",
};

export interface ReductionSpec extends Names, Pick<OpDef, "name" | "doc"> {
  readonly reduce: Omit<ReduceMeaning, "axes">;
  /** The dtype that is folded, and that of the result when it differs. `arithmetic` unless stated. */
  readonly dtype?: "arithmetic" | "float" | "logic";
  readonly result?: DType;
  /** `OpDef.weightedFlops`; 1 unless stated. */
  readonly weightedFlops?: number;
  readonly tolerance?: Tolerance;
  readonly derivative?: Derivative;
  readonly algebra?: Algebra;
}

/** Folds axes of one operand. The family's tolerance of n terms is the comparison's business. */
export function reduction(spec: ReductionSpec): OpDef {
  const { name, doc, reduce, dtype: rule = "arithmetic", weightedFlops = 1 } = spec;
  return {
    name,
    ...namesOf(spec),
    kind: "reduce",
    doc,
    params: [X, AXES, KEEPDIMS],
    infer([x], attrs, names = ["x"]) {
      const bad = checkAxes(attrs["axes"], x!.shape, names[0] ?? "x");
      if (bad) return bad;
      const axes = axesOf(attrs["axes"], x!.shape.length);
      if (reduce.arg && axes.some((axis) => x!.shape[axis] === 0)) {
        return wrong(
          "empty-reduction",
          `${name} needs at least one element to point at; ${names[0] ?? "x"} is ${showShape(x!.shape)}.`,
        );
      }
      const shape = withoutAxes(x!.shape, axes, attrs["keepdims"] === true);
      return fine({ dtype: spec.result ?? operandDType(rule, [x!.dtype]), shape });
    },
    operandTypes: (inputs) => [operandDType(rule, inputs)],
    weightedFlops,
    expensive: true,
    tolerance: spec.tolerance ?? ROUNDED,
    ...(spec.derivative ? { derivative: spec.derivative } : {}),
    ...(spec.algebra ? { algebra: spec.algebra } : {}),
    reduce: { axes: (attrs, input) => axesOf(attrs["axes"], input.length), ...reduce },
  };
}

export interface MovementSpec extends Pick<OpDef, "name" | "aliases" | "doc" | "inJax" | "inTorch" | "rowWithoutAxis"> {
  readonly params: readonly Param[];
  /** The result's shape; dtypes are promoted by the family. `names` has one entry an operand. */
  readonly shape: (inputs: readonly Shape[], attrs: Attrs, names: readonly string[]) => Checked<Shape>;
  readonly movement: MovementMeaning;
  readonly derivative?: Derivative;
}

/** Puts elements elsewhere; computes nothing. */
export function movement({
  name,
  aliases,
  doc,
  params,
  shape,
  movement: meaning,
  derivative,
  ...facts
}: MovementSpec): OpDef {
  return {
    ...facts,
    name,
    ...(aliases ? { aliases } : {}),
    kind: "movement",
    doc,
    params,
    infer(inputs, attrs, names = inputs.map((_, i) => (inputs.length === 1 ? "x" : `tensor ${i + 1}`))) {
      const found = shape(
        inputs.map((input) => input.shape),
        attrs,
        names,
      );
      if (!found.ok) return found;
      const extent = found.value.find((size) => !Number.isInteger(size) || size < 0);
      if (extent !== undefined)
        return wrong("bad-attr", `${name} would make a size ${extent}: sizes are whole numbers from 0.`);
      return fine({ dtype: promoteAll(inputs), shape: found.value });
    },
    operandTypes: (inputs) => inputs.map(() => inputs.reduce(promote, "bool")),
    weightedFlops: 0,
    expensive: false,
    tolerance: EXACT,
    ...(derivative ? { derivative } : {}),
    movement: meaning,
  };
}

const promoteAll = (inputs: readonly TensorType[]): DType =>
  inputs.reduce<DType>((dtype, input) => promote(dtype, input.dtype), "bool");

export { X as ONE_TENSOR, type Failed };

/** @file Elementwise ONNX ops: most are the same op under another name. */
import { allComposites, allOps, promote, type Attrs } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rule, Rules } from "../rule";
import { fromWhole } from "../whole-kinds";
import { toKind } from "../whole-numbers";
import { activationNamed } from "./activations";

const unary =
  (op: string, attrs: (c: NodeContext) => Attrs = () => ({})): Rule =>
  (c) =>
    c.op(op, [c.in(0)], attrs(c));
/** Before opset 7 `axis` said where the second operand's axes stand in the first. */
function secondOperand(c: NodeContext): Value {
  const [a, b] = [c.in(0).type.shape, c.in(1).type.shape];
  const axis = c.opset < 7 ? c.maybeInt("axis") : null;
  if (axis === null || b.length === 0) return c.in(1);
  const after = a.length - c.axis(axis, a.length) - b.length;
  return after > 0 ? c.reshape(c.in(1), [...b, ...Array.from({ length: after }, () => 1)]) : c.in(1);
}
const binary =
  (op: string): Rule =>
  (c) =>
    c.op(op, [c.in(0), secondOperand(c)]);
/** Operands of the same dtype, two or more, folded from the left. */
const fold =
  (op: string): Rule =>
  (c) =>
    c.inputs.slice(1).reduce((left, right) => c.op(op, [left, right]), c.in(0));
const scaled =
  (name: string, otherwise: number) =>
  (c: NodeContext): Attrs => ({ [name]: c.float(name, otherwise) });

/** Ops that say which ONNX op they are. */
const same = [...allOps, ...allComposites].flatMap(({ name, onnx, params }): [string, Rule][] => {
  if (onnx === undefined) return [];
  const isPair = params.filter(({ kind }) => kind === "tensor").length === 2;
  return [[onnx, isPair ? binary(name) : unary(name)]];
});

/** A narrow signed integer as an i32: its magnitude may be none of its kind. */
function wide({ whole, ...value }: Value): Value {
  return whole?.startsWith("u") ? { ...value, whole } : value;
}
/** A result of the same kind as the first operand. */
const asFirst = (c: NodeContext, value: Value): Value => {
  const { whole } = c.in(0);
  return whole ? toKind(c.emit, c.hint, value, whole) : value;
};

/** C's integer division truncates toward zero. */
function div(c: NodeContext): Value {
  const [a, b] = [wide(c.in(0)), wide(secondOperand(c))];
  if (promote(a.type.dtype, b.type.dtype) !== "i32") return c.op("div", [a, b]);
  if (a.whole?.startsWith("u")) return c.op("floor_div", [a, b]);
  const magnitude = c.op("floor_div", [c.op("abs", [a]), c.op("abs", [b])]);
  return asFirst(c, c.op("mul", [c.op("mul", [c.op("sign", [a]), c.op("sign", [b])]), magnitude]));
}

/** `fmod = 1`: the sign of the dividend; otherwise of the divisor. */
function mod(c: NodeContext): Value {
  const [a, b] = [wide(c.in(0)), wide(c.in(1))];
  if (c.int("fmod", 0) === 0 || a.whole?.startsWith("u")) return asFirst(c, c.op("mod", [a, b]));
  return asFirst(c, c.op("mul", [c.op("sign", [a]), c.op("mod", [c.op("abs", [a]), c.op("abs", [b])])]));
}

/** By so many binary digits: a product, or a quotient that goes down. */
function bitShift(c: NodeContext): Value {
  const powers = c.emit.ints(Array.from({ length: 32 }, (_, digits) => (2 ** digits) | 0));
  const by = c.op("gather", [powers, c.in(1)], { axis: 0 });
  return c.op(c.text("direction", "LEFT") === "LEFT" ? "mul" : "floor_div", [c.in(0), by]);
}

function pow(c: NodeContext): Value {
  const [a, b] = [c.in(0), secondOperand(c)];
  if (a.type.dtype !== "i32" || b.type.dtype === "i32") return c.op("pow", [a, c.cast(b, a.type.dtype)]);
  return c.cast(c.op("pow", [c.cast(a, b.type.dtype), b]), "i32");
}

/** The end of int64 as a bound of what a run computes is that of i32. */
function bounding(c: NodeContext, bound: Value, of: Value): Value {
  if (of.host || !bound.host || bound.type.dtype !== "i32") return bound;
  return c.emit.host({
    ...bound.host,
    data: bound.host.data.map((v) => Math.max(-(2 ** 31), Math.min(v, 2 ** 31 - 1))),
  });
}
const extreme =
  (op: string): Rule =>
  (c) =>
    c.inputs.slice(1).reduce((a, b) => c.op(op, [bounding(c, a, b), bounding(c, b, a)]), c.in(0));

/** The largest finite f32. */
const LARGEST = (2 - 2 ** -23) * 2 ** 127;

function clip(c: NodeContext): Value {
  const x = c.in(0);
  // While the bounds were attributes they stood at the largest finite numbers.
  const bound = (name: string, otherwise: number): Value | null =>
    c.opset < 11 ? c.emit.scalar(c.float(name, otherwise), x.type.dtype) : null;
  const low = c.maybe(1) ?? bound("min", -LARGEST);
  const high = c.maybe(2) ?? bound("max", LARGEST);
  const above = low ? c.op("maximum", [x, bounding(c, low, x)]) : x;
  const both = high ? c.op("minimum", [above, bounding(c, high, x)]) : above;
  return both === x ? c.op("identity", [x]) : both;
}

/** ONNX's numbers for f16 and i32. */
const [HALF, INT32] = [10, 6];

function cast(c: NodeContext): Value {
  const dtype = c.node.op === "CastLike" ? c.in(1).type.dtype : c.dtypeOf(c.int("to", 1));
  const x = c.in(0);
  const kind = c.node.op === "CastLike" ? c.in(1).whole : c.wholeOf(c.int("to", 1));
  if (kind) return toKind(c.emit, c.hint, x, kind);
  if (x.host) {
    const whole = c.int("to", 1) === INT32 && x.type.dtype === "i32" ? (v: number): number => v | 0 : Math.trunc;
    const trunc =
      dtype === "i32"
        ? whole
        : dtype === "bool"
          ? (v: number): number => Number(v !== 0)
          : dtype === "f32"
            ? Math.fround
            : null;
    if (trunc)
      return c.emit.host({
        dtype,
        dims: x.host.dims,
        data: x.host.data.map((v) => trunc(fromWhole(x.whole, v))),
        wide: c.int("to", 1) === 7 || x.host.wide,
      });
  }
  // Worked with in f32, f16 between two conversions is no f16: the runtimes that widen drop such pairs.
  const half = c.int("to", 1) === HALF && dtype === "f32";
  const { whole: _, ...plain } = x;
  return { ...(x.type.dtype === dtype ? plain : c.op("cast", [x], { dtype })), half };
}

/** Whole numbers are compared and shifted as f32: edge and bias need not be whole. */
const shrink: Rule = (c) => {
  const { dtype } = c.in(0).type;
  const x = dtype === "i32" ? c.cast(c.in(0), "f32") : c.in(0);
  const scalar = (value: number): Value => c.emit.scalar(value, x.type.dtype);
  const [edge, bias] = [c.float("lambd", 0.5), scalar(c.float("bias", 0))];
  const below = c.op("where", [c.op("lt", [x, scalar(-edge)]), c.op("add", [x, bias]), scalar(0)]);
  return c.cast(c.op("where", [c.op("gt", [x, scalar(edge)]), c.op("sub", [x, bias]), below]), dtype);
};

/** Activations with constants, by their own names. */
const NAMED = [
  "Affine",
  "Elu",
  "HardSigmoid",
  "LeakyRelu",
  "ParametricSoftplus",
  "ScaledTanh",
  "Selu",
  "ThresholdedRelu",
];
const activation: Rule = (c) => {
  const constants = { alpha: c.maybeFloat("alpha"), beta: c.maybeFloat("beta"), gamma: c.maybeFloat("gamma") };
  return activationNamed(c, c.node.op.toLowerCase(), constants)(c.in(0));
};

const isInf: Rule = (c) => {
  const [x, zero] = [c.in(0), c.emit.scalar(0, c.in(0).type.dtype)];
  const [negative, positive] = [c.int("detect_negative", 1), c.int("detect_positive", 1)];
  const infinite = c.op("is_inf", [x]);
  if (negative && positive) return infinite;
  if (!negative && !positive) return c.op("and", [infinite, c.emit.scalar(0, "bool")]);
  return c.op("and", [infinite, c.op(positive ? "gt" : "lt", [x, zero])]);
};

const mean: Rule = (c) => c.op("div", [fold("add")(c) as Value, c.emit.scalar(c.inputs.length, c.in(0).type.dtype)]);

/** Slopes broadcast from the right; those that don't fit are one a channel. */
const prelu: Rule = (c) => {
  const [x, slope] = [c.in(0), c.in(1)];
  const [a, b] = [x.type.shape, slope.type.shape];
  const channels = b.length === 1 && a.length > 2 && b[0] === a[1] && (c.opset < 7 || b[0] !== a.at(-1));
  return c.op("prelu", [x, channels ? c.reshape(slope, [b[0]!, ...a.slice(2).map(() => 1)]) : slope]);
};

export const elementwiseRules: Rules = {
  ...Object.fromEntries(same),
  ...Object.fromEntries(NAMED.map((name) => [name, activation])),
  Identity: (c) => c.in(0),
  PRelu: prelu,
  Div: div,
  Mod: mod,
  Pow: pow,
  BitShift: bitShift,
  Sum: fold("add"),
  Max: extreme("maximum"),
  Min: extreme("minimum"),
  Mean: mean,
  Clip: clip,
  Cast: cast,
  CastLike: cast,
  Where: (c) => c.op("where", [c.in(0), c.in(1), c.in(2)]),
  Celu: unary("celu", scaled("alpha", 1)),
  Gelu: unary("gelu", (c) => ({ approximate: c.text("approximate", "none") })),
  Swish: unary("silu", scaled("alpha", 1)),
  SwiGLU: (c) => c.op("mul", [c.op("silu", [c.in(0)], scaled("alpha", 1)(c)), c.in(1)]),
  Shrink: shrink,
  IsInf: isInf,
};

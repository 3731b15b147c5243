/** @file Elementwise primitives: most are the same op under another name. */
import { allComposites, allOps } from "../../../fusion";
import type { Value } from "../../onnx/emit";
import type { Equation, Rule, Rules } from "../rule";

/** Logic of bools, bits of whole numbers. */
const logic =
  (op: string): Rule =>
  (c) =>
    c.op(c.in(0).type.dtype === "bool" ? op : `bit_${op}`, c.args);

/** Whole numbers are divided towards 0. */
function div(c: Equation): Value {
  const [a, b] = [c.in(0), c.in(1)];
  if (a.type.dtype !== "i32") return c.op("div", [a, b]);
  const size = c.op("floor_div", [c.op("abs", [a]), c.op("abs", [b])]);
  return c.op("mul", [c.op("mul", [c.op("sign", [a]), c.op("sign", [b])]), size]);
}

/** A base of either sign: few products where the exponent is small. */
function integerPow(c: Equation): Value {
  const [x, y] = [c.in(0), c.number("y", 1)];
  const product = (of: number): Value => {
    if (of === 1) return x;
    if (of === 2) return c.op("square", [x]);
    const half = product(Math.floor(of / 2));
    const even = c.op("mul", [half, half]);
    return of % 2 === 0 ? even : c.op("mul", [even, x]);
  };
  if (y === 0) return c.filled(1, x.type.shape, x.type.dtype);
  const power = product(Math.abs(y));
  return y < 0 ? c.op("reciprocal", [power]) : power;
}

/** A whole exponent leaves a negative base its sign. */
const pow: Rule = (c) => {
  const [a, b] = [c.in(0), c.in(1)];
  return c.op("pow", [a, c.cast(b, a.type.dtype)]);
};

/** Halves away from 0, or (method 1) to the even neighbour. */
function round(c: Equation): Value {
  const x = c.in(0);
  if (c.number("rounding_method", 0) === 1) return c.op("round", [x]);
  const whole = c.op("trunc", [x]);
  const far = c.op("ge", [c.op("abs", [c.op("sub", [x, whole])]), 0.5]);
  return c.op("where", [far, c.op("add", [whole, c.op("sign", [x])]), whole]);
}

function clamp(c: Equation): Value {
  const [low, x, high] = [c.in(0), c.in(1), c.in(2)];
  return c.op("minimum", [c.op("maximum", [x, low]), high]);
}

/** The case that a whole number (or a bool) names, element by element. */
function selectN(c: Equation): Value {
  const [which, first, ...others] = c.args;
  const known = which!.type.shape.length === 0 ? c.known(0)?.[0] : undefined;
  if (known !== undefined) return c.args[1 + known] ?? c.fail(`case ${known} of ${others.length + 1}`);
  if (which!.type.dtype === "bool") return c.op("where", [which!, others[0]!, first!]);
  return others.reduce((rest, one, i) => c.op("where", [c.op("ge", [which!, i + 1]), one, rest]), first!);
}

function convert(c: Equation): Value {
  const x = c.in(0);
  return c.cast(x, c.dtype(c.text("new_dtype")));
}

/** Fewer digits: those of f32 are all there are, those of f16 are a conversion there and back. */
function reducePrecision(c: Equation): Value {
  const digits = `${c.number("exponent_bits", 8)},${c.number("mantissa_bits", 23)}`;
  if (digits === "8,23" || digits === "11,52") return c.in(0);
  if (digits !== "5,10") return c.fail(`exponents of ${c.number("exponent_bits", 8)} bits`);
  return c.op("cast", [c.op("cast", [c.in(0)], { dtype: "f16" })], { dtype: "f32" });
}

/** What only says where a value is stored, or what it is called. */
const same: Rule = (c) => c.args;

/** Ops that say which primitives they are. */
const named = [...allOps, ...allComposites].flatMap(({ name, jax = [] }) =>
  jax.map((prim): [string, Rule] => [prim, (c) => c.op(name, c.args)]),
);
const unchanged = [
  "copy",
  "copy_p",
  "device_put",
  "optimization_barrier",
  "sharding_constraint",
  "name",
  "pvary",
  "reduce_sharding",
];

export const elementwise: Rules = {
  ...Object.fromEntries(named),
  ...Object.fromEntries(unchanged.map((prim): [string, Rule] => [prim, same])),
  and: logic("and"),
  or: logic("or"),
  xor: logic("xor"),
  not: logic("not"),
  clamp,
  convert_element_type: convert,
  div,
  integer_pow: integerPow,
  pow,
  reduce_precision: reducePrecision,
  round,
  select_n: selectN,
};

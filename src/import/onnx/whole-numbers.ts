/**
 * @file Whole numbers that are narrower than i32, or unsigned. Each is stored as an i32 whose last bits are its own (u32: all of
 * them), and every op gives what C gives: sums and products wrap, u32 is ordered and divided without a sign.
 */
import { findOp, type Attrs, type DType } from "../../fusion";
import type { Emitter, Value } from "./emit";
import { BITS, fromWhole, isUnsigned, toWhole, type WholeKind } from "./whole-kinds";

type Def = NonNullable<ReturnType<typeof findOp>>;

/** The one bit of an i32 that is its sign. */
const SIGN = -(2 ** 31);

/** Ops that compare their operands, or elements of one, and answer with some of them. */
const CHOOSING: ReadonlySet<string> = new Set([
  "maximum",
  "minimum",
  "max",
  "min",
  "cummax",
  "cummin",
  "sort",
  "sort_values",
  "topk",
  "max_pool",
]);
/** The same, and they answer with indices. */
const INDEX_OPS: ReadonlySet<string> = new Set(["argmax", "argmin", "argsort", "sort_indices", "topk_indices"]);
/** Computed exactly, and yet out of the range of a narrow kind. */
const LEAVING: ReadonlySet<string> = new Set(["bit_not", "shift_left"]);

/** What the operands of an op are a kind of: where they meet element by element all are of one, else the first is data and others are indices. */
function kindOf(op: string, { kind }: Def, inputs: readonly (Value | null)[]): WholeKind | undefined {
  const all = kind === "elementwise" && op !== "pow" ? inputs : inputs.slice(0, 1);
  return all.find((value) => value?.whole)?.whole;
}

const isFloat = (dtype: DType): boolean => dtype === "f32" || dtype === "f16";

/** Exact ops give elements of their operands, or true and false. */
const stays = (op: string, def: Def): boolean =>
  def.kind !== "composite" && def.kind !== "contraction" && def.tolerance.rtol === 0 && !LEAVING.has(op);

/** One call on such operands; null where none is of such a kind. */
export function wholeCall(
  emit: Emitter,
  hint: string,
  op: string,
  inputs: readonly (Value | null)[],
  attrs: Attrs,
): Value | null {
  const def = findOp(op);
  const kind = def ? kindOf(op, def, inputs) : undefined;
  if (!def || !kind) return null;
  const call = (name: string, operands: readonly (Value | null)[], given: Attrs = {}): Value =>
    emit.op(hint, name, operands, given);
  const marked = (value: Value): Value => (value.type.dtype === "i32" ? { ...value, whole: kind } : value);
  if (kind !== "u32") {
    const made = call(op, inputs, attrs);
    return made.type.dtype !== "i32" || INDEX_OPS.has(op)
      ? made
      : { ...(stays(op, def) ? made : wrapped(emit, hint, made, kind)), whole: kind };
  }
  const flipped = (value: Value | null): Value | null =>
    value && value.type.dtype === "i32" ? call("bit_xor", [value, emit.scalar(SIGN, "i32")]) : value;
  if (op === "cast" && isFloat(attrs["dtype"] as DType))
    return toFloat(emit, hint, inputs[0]!, attrs["dtype"] as DType);
  if (op === "abs") return inputs[0]!;
  if (op === "sign") return marked(call("cast", [call("ne", [inputs[0]!, emit.scalar(0, "i32")])], { dtype: "i32" }));
  if (op === "floor_div") return marked(quotient(call, emit, inputs[0]!, inputs[1]!));
  if (op === "mod") {
    const [a, b] = [inputs[0]!, inputs[1]!];
    return marked(call("sub", [a, call("mul", [quotient(call, emit, a, b), b])]));
  }
  const compares = def.kind === "composite" ? undefined : def.algebra?.compares;
  const order = compares !== undefined && !["==", "!="].includes(compares);
  if (order || INDEX_OPS.has(op)) return call(op, inputs.map(flipped), attrs);
  if (CHOOSING.has(op)) return marked(flipped(call(op, inputs.map(flipped), attrs))!);
  const made = call(op, inputs, attrs);
  if (!isFloat(made.type.dtype)) return marked(made);
  return call(
    op,
    inputs.map((value) => value && toFloat(emit, hint, value, "f32")),
    attrs,
  );
}

/** Unsigned a / b by signed ops: half of a is no negative number, and its quotient doubled is at most one too small. */
function quotient(
  call: (op: string, operands: readonly (Value | null)[], attrs?: Attrs) => Value,
  emit: Emitter,
  a: Value,
  b: Value,
): Value {
  const int = (value: number): Value => emit.scalar(value, "i32");
  const unsigned = (value: Value): Value => call("bit_xor", [value, int(SIGN)]);
  const notLess = (x: Value, y: Value): Value => call("ge", [unsigned(x), unsigned(y)]);
  const half = call("bit_and", [call("shift_right", [a, int(1)]), int(2 ** 31 - 1)]);
  const double = call("shift_left", [call("floor_div", [half, b]), int(1)]);
  const rest = call("sub", [a, call("mul", [double, b])]);
  const near = call("add", [double, call("cast", [notLess(rest, b)], { dtype: "i32" })]);
  // A divisor from 2³¹ fits once or not at all.
  const once = call("cast", [notLess(a, b)], { dtype: "i32" });
  return call("where", [call("lt", [b, int(0)]), once, near]);
}

/** What is computed as i32, wrapped into a narrower kind. */
function wrapped(emit: Emitter, hint: string, value: Value, kind: WholeKind): Value {
  if (kind === "u32") return value;
  const int = (number: number): Value => emit.scalar(number, "i32");
  const last = emit.op(hint, "bit_and", [value, int(2 ** BITS[kind] - 1)]);
  if (isUnsigned(kind)) return last;
  const sign = 2 ** (BITS[kind] - 1);
  return emit.op(hint, "sub", [emit.op(hint, "bit_xor", [last, int(sign)]), int(sign)]);
}

/** The number that a u32 is: both halves are exact, so that their sum is rounded once. */
function toFloat(emit: Emitter, hint: string, value: Value, dtype: DType): Value {
  if (value.whole !== "u32") return value.type.dtype === "i32" ? emit.op(hint, "cast", [value], { dtype }) : value;
  const int = (number: number): Value => emit.scalar(number, "i32");
  const float = (part: Value): Value => emit.op(hint, "cast", [part], { dtype: "f32" });
  const low = emit.op(hint, "bit_and", [value, int(0xffff)]);
  const shifted = emit.op(hint, "shift_right", [value, int(16)]);
  const high = emit.op(hint, "bit_and", [shifted, int(0xffff)]);
  const both = emit.op(hint, "add", [emit.op(hint, "mul", [float(high), emit.scalar(65536)]), float(low)]);
  return dtype === "f32" ? both : emit.op(hint, "cast", [both], { dtype });
}

/** A value converted to a kind: floats drop their fraction, whole numbers wrap. */
export function toKind(emit: Emitter, hint: string, value: Value, kind: WholeKind): Value {
  const { host } = value;
  if (host) {
    const data = host.data.map((number) => toWhole(kind, Math.trunc(fromWhole(value.whole, number))));
    return emit.host({ dtype: "i32", dims: host.dims, data, wide: false, whole: kind });
  }
  const cast = (from: Value): Value =>
    from.type.dtype === "i32" ? from : emit.op(hint, "cast", [from], { dtype: "i32" });
  if (value.type.dtype === "bool" || value.whole === kind) return { ...cast(value), whole: kind };
  if (kind !== "u32") return { ...wrapped(emit, hint, cast(value), kind), whole: kind };
  if (!isFloat(value.type.dtype)) return { ...value, whole: kind };
  const edge = emit.scalar(2 ** 31, value.type.dtype);
  const high = cast(emit.op(hint, "sub", [value, edge]));
  const above = emit.op(hint, "bit_xor", [high, emit.scalar(SIGN, "i32")]);
  return {
    ...emit.op(hint, "where", [emit.op(hint, "ge", [value, edge]), above, cast(value)]),
    whole: kind,
  };
}

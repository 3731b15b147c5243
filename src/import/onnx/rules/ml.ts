/** @file The `ai.onnx.ml` domain, as far as it is arithmetic on numbers. */
import { sizeOf } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";

const numbers = (c: NodeContext, floats: string, ints = floats): readonly number[] => {
  const given = c.attribute(floats)?.floats ?? [];
  return given.length > 0 ? given : (c.ints(ints) ?? []);
};
/** One number for all columns, or one a column. */
const columns = (c: NodeContext, values: readonly number[], x: Value): Value =>
  values.length === 1
    ? c.emit.scalar(values[0]!, x.type.dtype)
    : c.emit.host({ dtype: x.type.dtype, dims: [values.length], data: Float64Array.from(values), wide: false });

/** What is missing (a NaN, or a stated number) is replaced. */
function imputer(c: NodeContext): Value {
  const x = c.in(0);
  const whole = x.type.dtype === "i32";
  const replaced = whole ? c.int("replaced_value_int64", 0) : c.float("replaced_value_float", Number.NaN);
  const missing = Number.isNaN(replaced) ? c.op("is_nan", [x]) : c.op("eq", [x, c.emit.scalar(replaced, x.type.dtype)]);
  return c.op("where", [missing, columns(c, numbers(c, "imputed_value_floats", "imputed_value_int64s"), x), x]);
}

function scaler(c: NodeContext): Value {
  const x = c.cast(c.in(0), "f32");
  const [offset, scale] = [numbers(c, "offset"), numbers(c, "scale")];
  const centred = offset.length > 0 ? c.op("sub", [x, columns(c, offset, x)]) : x;
  return scale.length > 0 ? c.op("mul", [centred, columns(c, scale, x)]) : centred;
}

/** Rows of all operands, one after the other. */
function featureVectorizer(c: NodeContext): Value {
  const rows = c.inputs.map((x) => {
    const { shape } = x.type;
    const batch = shape.length > 1 ? shape[0]! : 1;
    return c.cast(c.reshape(x, [batch, sizeOf(shape) / batch]), "f32");
  });
  return rows.length === 1 ? rows[0]! : c.op("concat", rows, { axis: 1 });
}

function normalizer(c: NodeContext): Value {
  const x = c.cast(c.in(0), "f32");
  const fold = { axes: [x.type.shape.length - 1], keepdims: true };
  const kind = c.text("norm", "MAX");
  const size = kind === "MAX" ? c.op("max", [x], fold) : c.op(kind === "L1" ? "l1_norm" : "l2_norm", [x], fold);
  return c.op("div", [x, size]);
}

export const mlRules: Rules = {
  Imputer: imputer,
  Scaler: scaler,
  FeatureVectorizer: featureVectorizer,
  Normalizer: normalizer,
  Binarizer: (c) => c.cast(c.op("gt", [c.in(0), c.emit.scalar(c.float("threshold", 0), c.in(0).type.dtype)]), "f32"),
  ArrayFeatureExtractor: (c) =>
    c.op("gather", [c.in(0), c.reshape(c.in(1), [sizeOf(c.in(1).type.shape)])], {
      axis: c.in(0).type.shape.length - 1,
    }),
};

/** @file The `ai.onnx.ml` domain, as far as it is arithmetic on numbers. */
import { sizeOf } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";
import { tensorData, type HostTensor } from "../tensor";

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
  c.implied("inputdimensions");
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

/** What the attribute `post_transform` makes of the scores of each row. */
export function transformed(c: NodeContext, scores: Value): Value {
  switch (c.text("post_transform", "NONE")) {
    case "NONE":
      return scores;
    case "LOGISTIC":
      return c.op("sigmoid", [scores]);
    case "SOFTMAX":
      return c.op("softmax", [scores], { axis: 1 });
    default:
      return c.fail(`the post-transform ${c.text("post_transform", "")}`);
  }
}

/** Rows times one row of coefficients for each target. */
function linearRegressor(c: NodeContext): Value {
  const targets = c.int("targets", 1);
  const [coefficients, intercepts] = [numbers(c, "coefficients"), numbers(c, "intercepts")];
  const table = (dims: readonly number[], data: readonly number[]): Value =>
    c.emit.host({ dtype: "f32", dims, data: Float64Array.from(data), wide: false });
  const width = coefficients.length / targets;
  const weights = c.op("transpose", [table([targets, width], coefficients)], { perm: [1, 0] });
  const scores = c.op("matmul", [
    c.reshape(c.cast(c.in(0), "f32"), [sizeOf(c.in(0).type.shape) / width, width]),
    weights,
  ]);
  return transformed(c, intercepts.length > 0 ? c.op("add", [scores, table([targets], intercepts)]) : scores);
}

/** One column for each known number; what is none of them has zeros. */
function oneHotEncoder(c: NodeContext): Value {
  const known = c.ints("cats_int64s") ?? [];
  if (known.length === 0) return c.fail("string");
  const x = c.in(0);
  const categories = c.emit.host({
    dtype: x.type.dtype,
    dims: [known.length],
    data: Float64Array.from(known),
    wide: false,
  });
  return c.cast(c.op("eq", [c.reshape(x, [...x.type.shape, 1]), categories]), "f32");
}

/** Each key is compared on its own: longer tables are refused. */
const MAX_KEYS = 256;

/** Numbers for numbers: a NaN is found as one; what is no key gets the default. */
function labelEncoder(c: NodeContext): Value {
  const x = c.in(0);
  const pick = (kind: string, otherwise: "f32" | "i32"): HostTensor | null => {
    const tensor = c.attribute(`${kind}_tensor`)?.t;
    const read = tensor && tensorData(tensor, 1 << 26);
    if (read) return read.ok ? read.value : null;
    const floats = c.attribute(`${kind}_floats`)?.floats ?? [];
    const ints = c.ints(`${kind}_int64s`) ?? [];
    const data = Float64Array.from(floats.length > 0 ? floats : ints);
    return data.length > 0
      ? { dtype: floats.length > 0 ? "f32" : otherwise, dims: [data.length], data, wide: false }
      : null;
  };
  const [keys, values] = [pick("keys", "i32"), pick("values", "i32")];
  if (!keys || !values) return c.fail("string");
  if (keys.data.length > MAX_KEYS) return c.fail(`a table of ${keys.data.length} keys`);
  const whole = values.dtype === "i32";
  const stated = c.attribute("default_tensor")?.t;
  const other = stated ? tensorData(stated, 1 << 16) : null;
  const missing = other?.ok ? other.value.data[0]! : whole ? c.int("default_int64", -1) : c.float("default_float", -0);
  let result = c.op("expand", [c.emit.scalar(missing, values.dtype)], { shape: x.type.shape });
  keys.data.forEach((key, i) => {
    const met = Number.isNaN(key) ? c.op("is_nan", [x]) : c.op("eq", [x, c.emit.scalar(key, x.type.dtype)]);
    result = c.op("where", [met, c.emit.scalar(values.data[i]!, values.dtype), result]);
  });
  return result;
}

export const mlRules: Rules = {
  Imputer: imputer,
  Scaler: scaler,
  FeatureVectorizer: featureVectorizer,
  Normalizer: normalizer,
  LinearRegressor: linearRegressor,
  OneHotEncoder: oneHotEncoder,
  LabelEncoder: labelEncoder,
  Binarizer: (c) => c.cast(c.op("gt", [c.in(0), c.emit.scalar(c.float("threshold", 0), c.in(0).type.dtype)]), "f32"),
  ArrayFeatureExtractor: (c) =>
    c.op("gather", [c.in(0), c.reshape(c.in(1), [sizeOf(c.in(1).type.shape)])], {
      axis: c.in(0).type.shape.length - 1,
    }),
};

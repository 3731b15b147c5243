/** @file Elements at indices that are data: gather, scatter, one-hot, order, running sums. Negative indices count from the end. */
import { sizeOf } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rule, Rules } from "../rule";
import { range } from "./arithmetic";

/** `index` with `extent` added where it is negative; nothing is written when it is known and needs none. */
export function wrapped(c: NodeContext, index: Value, extent: number): Value {
  if (index.host) {
    if (index.host.data.every((at) => at >= 0)) return index;
    return c.emit.host({ ...index.host, data: index.host.data.map((at) => (at < 0 ? at + extent : at)) });
  }
  const zero = c.emit.scalar(0, "i32");
  return c.op("where", [c.op("lt", [index, zero]), c.op("add", [index, c.emit.scalar(extent, "i32")]), index]);
}

function gather(c: NodeContext): Value {
  const [x, index] = [c.in(0), c.in(1)];
  const axis = c.axis(c.int("axis", 0), x.type.shape.length);
  return c.op("gather", [x, wrapped(c, index, x.type.shape[axis] ?? 1)], { axis });
}

const axisOf = (c: NodeContext): number => c.axis(c.int("axis", 0), c.in(0).type.shape.length);
const extentOf = (c: NodeContext): number => c.in(0).type.shape[axisOf(c)] ?? 1;

function gatherElements(c: NodeContext): Value {
  return c.op("gather_elements", [c.in(0), wrapped(c, c.in(1), extentOf(c))], { axis: axisOf(c) });
}

function scatterElements(c: NodeContext): Value {
  const reduction = c.text("reduction", "none");
  return c.op("scatter_elements", [c.in(0), wrapped(c, c.in(1), extentOf(c)), c.in(2)], {
    axis: axisOf(c),
    ...(reduction === "none" ? {} : { reduction }),
  });
}

/** Tuples of indices: each position has the extent of its own axis. */
function wrappedTuples(c: NodeContext, index: Value, extents: readonly number[]): Value {
  const depth = extents.length;
  if (index.host) {
    const data = index.host.data.map((at, i) => (at < 0 ? at + extents[i % depth]! : at));
    return c.emit.host({ ...index.host, data });
  }
  const sizes = c.emit.host({ dtype: "i32", dims: [depth], data: Float64Array.from(extents), wide: false });
  const end = depth === 1 ? c.emit.scalar(extents[0]!, "i32") : sizes;
  return c.op("where", [c.op("lt", [index, c.emit.scalar(0, "i32")]), c.op("add", [index, end]), index]);
}

function gatherNd(c: NodeContext): Value {
  const [x, index, batch] = [c.in(0), c.in(1), c.int("batch_dims", 0)];
  const depth = index.type.shape.at(-1) ?? 0;
  const tuples = wrappedTuples(c, index, x.type.shape.slice(batch, batch + depth));
  return c.op("gather_nd", [x, tuples], batch > 0 ? { batch_dims: batch } : {});
}

function scatterNd(c: NodeContext): Value {
  const [x, index, reduction] = [c.in(0), c.in(1), c.text("reduction", "none")];
  if (sizeOf(index.type.shape.slice(0, -1)) === 0) return x;
  const tuples = wrappedTuples(c, index, x.type.shape.slice(0, index.type.shape.at(-1) ?? 0));
  return c.op("scatter_nd", [x, tuples, c.in(2)], reduction === "none" ? {} : { reduction });
}

/** Writes `update` into a cache at indices along one axis: each batch at its own index. */
function tensorScatter(c: NodeContext): Value {
  const [past, update] = [c.in(0), c.in(1)];
  const { shape } = past.type;
  const axis = c.axis(c.int("axis", -2), shape.length);
  const [batch, extent, count] = [shape[0]!, shape[axis]!, update.type.shape[axis]!];
  const ones = shape.map(() => 1);
  const along = (at: number, n: number): Value =>
    c.emit.host({
      dtype: "i32",
      dims: ones.map((one, i) => (i === at ? n : one)),
      data: Float64Array.from(range(n)),
      wide: false,
    });
  const start = c.maybe(2) ? c.reshape(c.in(2), [batch, ...ones.slice(1)]) : c.emit.scalar(0, "i32");
  const offset = c.op("sub", [along(axis, extent), start]);
  const circular = c.text("mode", "linear") === "circular";
  const size = c.emit.scalar(extent, "i32");
  const from = circular ? c.op("mod", [c.op("add", [offset, size]), size]) : offset;
  const inside = c.op("and", [
    c.op("ge", [from, c.emit.scalar(0, "i32")]),
    c.op("lt", [from, c.emit.scalar(count, "i32")]),
  ]);
  const indices = c.op("expand", [from], {
    shape: shape.map((size_, i) => (i === axis ? size_ : update.type.shape[i]!)),
  });
  const fetched = c.op("gather_elements", [update, indices], { axis });
  return c.op("where", [inside, fetched, past]);
}

/** Classes outside the range leave a row of `off`. */
function oneHot(c: NodeContext): Value {
  const index = c.in(0);
  const depth = c.known(1, "depth")[0] ?? 1;
  const rank = index.type.shape.length + 1;
  const axis = c.axis(c.int("axis", -1), rank);
  const values = c.in(2);
  const pick = (at: number): Value =>
    c.reshape(c.op("slice", [values], { start: [at], stop: [at + 1], axes: [0] }), []);
  const classes = c.emit.host({
    dtype: "i32",
    dims: Array.from({ length: rank }, (_, i) => (i === axis ? depth : 1)),
    data: Float64Array.from(range(depth)),
    wide: false,
  });
  const whole = c.cast(index, "i32");
  const spread = c.reshape(wrapped(c, whole, depth), [
    ...index.type.shape.slice(0, axis),
    1,
    ...index.type.shape.slice(axis),
  ]);
  return c.op("where", [c.op("eq", [spread, classes]), pick(1), pick(0)]);
}

function topK(c: NodeContext): readonly Value[] {
  const x = c.in(0);
  const k = c.maybeInt("k") ?? c.known(1, "k")[0] ?? 1;
  const axis = c.axis(c.int("axis", -1), x.type.shape.length);
  c.implied("sorted");
  const attrs = { k, axis, ...(c.int("largest", 1) === 1 ? {} : { largest: false }) };
  const wants = (i: number): boolean => (c.node.outputs[i] ?? "") !== "";
  const values = c.op("topk", [x], attrs);
  return wants(1) ? [values, c.op("topk_indices", [x], attrs)] : [values];
}

const running =
  (op: string): Rule =>
  (c) => {
    const axis = c.axis(c.known(1, "axis")[0] ?? 0, c.in(0).type.shape.length);
    const flags = { exclusive: c.int("exclusive", 0) === 1, reverse: c.int("reverse", 0) === 1 };
    return c.op(op, [c.in(0)], { axis, ...Object.fromEntries(Object.entries(flags).filter(([, on]) => on)) });
  };

/** Each batch's first entries backwards, the rest as they are. */
function reverseSequence(c: NodeContext): Value {
  const [x, lengths] = [c.in(0), c.in(1)];
  const { shape } = x.type;
  const [time, batch] = [c.int("time_axis", 0), c.int("batch_axis", 1)];
  const along = (axis: number): number[] => shape.map((_, i) => (i === axis ? shape[axis]! : 1));
  const at = c.emit.host({
    dtype: "i32",
    dims: along(time),
    data: Float64Array.from(range(shape[time]!)),
    wide: false,
  });
  const ends = c.reshape(c.cast(lengths, "i32"), along(batch));
  const back = c.op("sub", [c.op("sub", [ends, c.emit.scalar(1, "i32")]), at]);
  const from = c.op("where", [c.op("lt", [at, ends]), back, at]);
  return c.op("gather_elements", [x, c.op("expand", [from], { shape })], { axis: time });
}

/** Known data only: how many elements remain decides the result's shape. */
function hostOf(c: NodeContext, i: number): readonly number[] | null {
  const value = c.maybe(i);
  if (!value) return null;
  return c.known(i, "data");
}

function nonZero(c: NodeContext): Value {
  const data = hostOf(c, 0) ?? [];
  const { shape } = c.in(0).type;
  const indices = data.flatMap((value, at) => (value === 0 ? [] : [at]));
  const rank = Math.max(1, shape.length);
  const rows = Array.from({ length: rank }, (_, axis) =>
    indices.map((at) => Math.floor(at / sizeOf(shape.slice(axis + 1))) % (shape[axis] ?? 1)),
  );
  return c.emit.host({ dtype: "i32", dims: [rank, indices.length], data: Float64Array.from(rows.flat()), wide: true });
}

/** Only the condition must be known: what is chosen is then a gather of the data. */
function compress(c: NodeContext): Value {
  const x = c.in(0);
  const chosen = c.known(1, "condition").flatMap((on, at) => (on === 0 ? [] : [at]));
  const index = c.emit.ints(chosen);
  if (!c.has("axis")) return c.op("gather", [c.reshape(x, [sizeOf(x.type.shape)]), index], { axis: 0 });
  return c.op("gather", [x, index], { axis: axisOf(c) });
}

function unique(c: NodeContext): readonly Value[] {
  const x = c.in(0);
  const data = hostOf(c, 0) ?? [];
  const { dtype, shape } = x.type;
  const axis = c.has("axis") ? axisOf(c) : null;
  const [count, inner] = axis === null ? [data.length, 1] : [shape[axis]!, sizeOf(shape.slice(axis + 1))];
  const rowOf = (at: number): number[] =>
    axis === null ? [data[at]!] : data.filter((_, i) => Math.floor(i / inner) % count === at);
  const found = new Map<string, { row: number[]; first: number; times: number }>();
  const keys = Array.from({ length: count }, (_, at) => {
    const row = rowOf(at);
    const key = row.join();
    const known = found.get(key);
    if (known) known.times++;
    else found.set(key, { row, first: at, times: 1 });
    return key;
  });
  const below = (a: readonly number[], b: readonly number[]): number => {
    const i = a.findIndex((value, k) => value !== b[k]);
    return i < 0 ? 0 : a[i]! - b[i]!;
  };
  const entries = [...found];
  if (c.int("sorted", 1) === 1) entries.sort(([, a], [, b]) => below(a.row, b.row));
  const number = new Map(entries.map(([key], i) => [key, i]));
  const dims = axis === null ? [entries.length] : shape.map((extent, i) => (i === axis ? entries.length : extent));
  const outer = axis === null ? 1 : sizeOf(shape.slice(0, axis));
  const values = Array.from({ length: outer }, (_, o) =>
    entries.map(([, { row }]) => row.slice(o * inner, (o + 1) * inner)),
  );
  const ints = (list: readonly number[]): Value => c.emit.ints(list);
  return [
    c.emit.host({ dtype, dims, data: Float64Array.from(values.flat(2)), wide: x.host?.wide ?? false }),
    ints(entries.map(([, { first }]) => first)),
    ints(keys.map((key) => number.get(key)!)),
    ints(entries.map(([, { times }]) => times)),
  ];
}

export const indexingRules: Rules = {
  Gather: gather,
  GatherElements: gatherElements,
  GatherND: gatherNd,
  Scatter: scatterElements,
  ScatterElements: scatterElements,
  ScatterND: scatterNd,
  TensorScatter: tensorScatter,
  OneHot: oneHot,
  TopK: topK,
  CumSum: running("cumsum"),
  CumProd: running("cumprod"),
  ReverseSequence: reverseSequence,
  NonZero: nonZero,
  Compress: compress,
  Unique: unique,
};

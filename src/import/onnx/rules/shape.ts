/** @file Shapes, views and constants: most of it is known while importing and leaves no line. */
import { sizeOf, type Attrs } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";
import { tensorData } from "../tensor";
import { range, zeros } from "./arithmetic";

function constant(c: NodeContext): Value {
  const tensor = c.attribute("value")?.t;
  if (tensor) {
    const data = tensorData(tensor, 1 << 26);
    return data.ok ? c.emit.host(data.value) : c.fail(data.why);
  }
  if (c.has("value_float")) return c.emit.scalar(c.float("value_float", 0));
  if (c.has("value_int")) return c.emit.ints([c.int("value_int", 0)], true);
  if (c.has("value_ints")) return c.emit.ints(c.ints("value_ints")!);
  const floats = c.attribute("value_floats")?.floats;
  return floats
    ? c.emit.host({ dtype: "f32", dims: [floats.length], data: Float64Array.from(floats), wide: false })
    : c.fail("a Constant of a kind that holds no numbers");
}

function constantOfShape(c: NodeContext): Value {
  const dims = c.known(0, "shape");
  const tensor = c.attribute("value")?.t;
  const value = tensor ? tensorData(tensor, 1 << 16) : null;
  if (value && !value.ok) return c.fail(value.why);
  const { dtype, data, wide } = value?.value ?? { dtype: "f32" as const, data: Float64Array.of(0), wide: false };
  return c.filled(data[0] ?? 0, dims, dtype, wide);
}

function shapeOf(c: NodeContext): Value {
  const shape = c.in(0).type.shape;
  const clamp = (at: number): number => Math.min(Math.max(at < 0 ? at + shape.length : at, 0), shape.length);
  return c.emit.ints(shape.slice(clamp(c.int("start", 0)), clamp(c.int("end", shape.length))));
}

function reshape(c: NodeContext): Value {
  const x = c.in(0);
  const asked = c.knownOr("shape", 1) ?? [];
  const zeros = c.int("allowzero", 0) === 1;
  const shape = asked.map((extent, i) => (extent === 0 && !zeros ? (x.type.shape[i] ?? 0) : extent));
  const open = shape.indexOf(-1);
  if (open >= 0)
    shape[open] =
      sizeOf(x.type.shape) / shape.reduce((product, extent) => (extent === -1 ? product : product * extent), 1);
  return c.reshape(x, shape);
}

function flatten(c: NodeContext): Value {
  const { shape } = c.in(0).type;
  const axis = c.axis(c.int("axis", 1), shape.length);
  return c.reshape(c.in(0), [sizeOf(shape.slice(0, axis)), sizeOf(shape.slice(axis))]);
}

function squeeze(c: NodeContext): Value {
  const { shape } = c.in(0).type;
  const axes = c.knownOr("axes", 1)?.map((axis) => c.axis(axis, shape.length));
  return c.reshape(
    c.in(0),
    shape.filter((extent, axis) => !(axes ? axes.includes(axis) : extent === 1)),
  );
}

function unsqueeze(c: NodeContext): Value {
  const { shape } = c.in(0).type;
  const asked = c.knownOr("axes", 1) ?? [];
  const rank = shape.length + asked.length;
  const axes = new Set(asked.map((axis) => c.axis(axis, rank)));
  const rest = [...shape];
  return c.reshape(
    c.in(0),
    range(rank).map((axis) => (axes.has(axis) ? 1 : rest.shift()!)),
  );
}

function expand(c: NodeContext): Value {
  const x = c.in(0).type.shape;
  const asked = c.known(1, "shape");
  const rank = Math.max(x.length, asked.length);
  const at = (shape: readonly number[], i: number): number => shape[i - rank + shape.length] ?? 1;
  const shape = range(rank).map((i) => (at(x, i) === 1 ? at(asked, i) : at(x, i)));
  const same = shape.length === x.length && shape.every((extent, i) => extent === x[i]);
  return same ? c.in(0) : c.op("expand", [c.in(0)], { shape });
}

function transpose(c: NodeContext): Value {
  const { shape } = c.in(0).type;
  return c.op("transpose", [c.in(0)], { perm: c.ints("perm") ?? range(shape.length).toReversed() });
}

function concat(c: NodeContext): Value {
  const { shape, dtype } = c.in(0).type;
  const axis = c.axis(c.int("axis", 1), shape.length);
  const full = c.inputs.filter(({ type }) => sizeOf(type.shape) > 0);
  if (full.length > 1) return c.op("concat", full, { axis });
  if (full.length === 1 || c.inputs.length === 1) return full[0] ?? c.in(0);
  const along = c.inputs.reduce((sum, { type }) => sum + (type.shape[axis] ?? 0), 0);
  return c.emit.host({ dtype, dims: shape.with(axis, along), data: new Float64Array(0), wide: false });
}

function slice(c: NodeContext): Value {
  const { shape } = c.in(0).type;
  const start = c.knownOr("starts", 1) ?? [];
  const stop = c.knownOr("ends", 2) ?? [];
  const axes = (c.knownOr("axes", 3) ?? range(start.length)).map((axis) => c.axis(axis, shape.length));
  const step = (c.maybe(4) ? c.known(4, "steps") : null) ?? start.map(() => 1);
  const far = 2 ** 30;
  const cut = (value: number): number => Math.max(-far, Math.min(far, value));
  // Each axis' whole range in natural indices, so that "up to and with element 0" needs no special end.
  const size = (axis: number): number => shape[axis]!;
  const from = start.map((value, i) =>
    Math.max(
      step[i]! < 0 ? -1 : 0,
      Math.min(value < 0 ? value + size(axes[i]!) : value, size(axes[i]!) - (step[i]! < 0 ? 1 : 0)),
    ),
  );
  const to = stop.map((value, i) => Math.max(-1, Math.min(value < 0 ? value + size(axes[i]!) : value, size(axes[i]!))));
  const ends = to.map((value) => (value < 0 ? -far : value));
  return c.op("slice", [c.in(0)], { start: from.map(cut), stop: ends, step, axes });
}

function split(c: NodeContext): readonly Value[] {
  const { shape } = c.in(0).type;
  const axis = c.axis(c.int("axis", 0), shape.length);
  const count = c.node.outputs.length;
  const each = Math.ceil(shape[axis]! / (c.maybeInt("num_outputs") ?? count));
  const sizes = c.knownOr("split", 1) ?? range(count).map((i) => Math.min(each, shape[axis]! - i * each));
  let at = 0;
  return sizes.map((size) => {
    const part = c.op("slice", [c.in(0)], { start: [at], stop: [at + size], axes: [axis] });
    at += size;
    return part;
  });
}

function pad(c: NodeContext): Value {
  const x = c.in(0);
  const rank = x.type.shape.length;
  const asked = c.knownOr(c.opset < 2 ? "paddings" : "pads", 1) ?? [];
  const axes = (c.maybe(3) ? c.known(3, "axes") : range(rank)).map((axis) => c.axis(axis, rank));
  const before = range(rank).map((axis) => asked[axes.indexOf(axis)] ?? 0);
  const after = range(rank).map((axis) => (axes.includes(axis) ? (asked[axes.length + axes.indexOf(axis)] ?? 0) : 0));
  const mode = c.text("mode", "constant");
  const stated = c.float("value", 0);
  if (before.every((width) => width === 0) && after.every((width) => width === 0)) return c.in(0);
  const value = c.maybe(2) ? c.known(2, "border value")[0]! : stated;
  if (value === undefined) return x;
  if (mode === "constant") return padded(c, x, before, after, { mode, value });
  // What is cut is cut first; the border is made of what is left.
  const cut = (widths: readonly number[]): number[] => widths.map((width) => Math.min(width, 0));
  const grown = (widths: readonly number[]): number[] => widths.map((width) => Math.max(width, 0));
  const rest = padded(c, x, cut(before), cut(after), { mode: "constant", value: 0 });
  const [left, right] = [grown(before), grown(after)];
  if (mode === "wrap") return wrapped(c, rest, left, right);
  return mode === "reflect" ? reflected(c, rest, left, right) : padded(c, rest, left, right, { mode });
}

/** By so many elements before and after each axis; nothing to do makes nothing. */
function padded(c: NodeContext, x: Value, before: readonly number[], after: readonly number[], attrs: Attrs): Value {
  const pads = range(before.length)
    .toReversed()
    .flatMap((axis) => [before[axis]!, after[axis]!]);
  return pads.every((width) => width === 0) ? x : c.op("pad", [x], { pads, ...attrs });
}

/** Mirrored as often as it takes: one mirror reaches up to the far end. */
function reflected(c: NodeContext, x: Value, before: readonly number[], after: readonly number[]): Value {
  let [value, left, right] = [x, before, after];
  while ([...left, ...right].some((width) => width > 0)) {
    const reach = value.type.shape.map((extent) => extent - 1);
    const [a, b] = [left, right].map((widths) => widths.map((width, axis) => Math.min(width, reach[axis]!))) as [
      number[],
      number[],
    ];
    if ([...a, ...b].every((width) => width === 0)) return c.fail("a mirror of a single element");
    value = padded(c, value, a, b, { mode: "reflect" });
    left = left.map((width, axis) => width - a[axis]!);
    right = right.map((width, axis) => width - b[axis]!);
  }
  return value;
}

/** As many whole copies as fit into each border, and the rest of one. */
function wrapped(c: NodeContext, x: Value, before: readonly number[], after: readonly number[]): Value {
  return x.type.shape.reduce((value: Value, extent, axis) => {
    const [left, right] = [before[axis]!, after[axis]!];
    if (left === 0 && right === 0) return value;
    const part = (start: number, stop: number): Value[] =>
      start >= stop ? [] : [c.op("slice", [value], { start: [start], stop: [stop], axes: [axis] })];
    const copies = Array.from({ length: Math.floor(left / extent) + Math.floor(right / extent) + 1 }, () => value);
    const all = [...part(extent - (left % extent), extent), ...copies, ...part(0, right % extent)];
    return all.length === 1 ? all[0]! : c.op("concat", all, { axis });
  }, x);
}

function rangeOf(c: NodeContext): Value {
  const [start, limit] = [c.known(0, "start")[0] ?? 0, c.known(1, "limit")[0] ?? 0];
  const delta = c.maybe(2) ? (c.known(2, "step")[0] ?? 1) : 1;
  const count = Math.max(0, Math.ceil((limit - start) / delta));
  const { dtype, host } =
    c.in(0).type.dtype === "i32" ? { dtype: "i32" as const, host: true } : { dtype: "f32" as const, host: false };
  return c.emit.host({
    dtype,
    dims: [count],
    data: Float64Array.from(range(count), (i) => start + i * delta),
    wide: host,
  });
}

/** The first opset named a count and an axis; since then there is one count for each axis. */
function tile(c: NodeContext): Value {
  if (c.opset >= 6) return c.op("tile", [c.in(0)], { repeats: c.known(1, "repeats") });
  const [count, axis] = [c.known(1, "tiles")[0] ?? 1, c.known(2, "axis")[0] ?? 0];
  return c.op("tile", [c.in(0)], { repeats: c.in(0).type.shape.map((_, i) => (i === axis ? count : 1)) });
}

function trilu(c: NodeContext): Value {
  const diagonal = c.maybe(1) ? (c.known(1, "diagonal")[0] ?? 0) : 0;
  return c.op(c.int("upper", 1) ? "triu" : "tril", [c.in(0)], { diagonal });
}

function eyeLike(c: NodeContext): Value {
  const [rows, columns] = c.in(0).type.shape;
  const dtype = c.has("dtype") ? c.dtypeOf(c.int("dtype", 1)) : c.in(0).type.dtype;
  const data = zeros(rows! * columns!);
  for (let row = 0; row < rows!; row++)
    if (row + c.int("k", 0) >= 0 && row + c.int("k", 0) < columns!) data[row * columns! + row + c.int("k", 0)] = 1;
  return c.emit.host({ dtype, dims: [rows!, columns!], data, wide: false });
}

/** Blocks of channels become squares of pixels, by a reshape, a transpose and a reshape. */
function depthToSpace(c: NodeContext): Value {
  const [n, channels, h, w] = c.in(0).type.shape as [number, number, number, number];
  const b = c.int("blocksize", 1);
  const rest = channels / (b * b);
  const column = c.text("mode", "DCR") === "CRD";
  const split = c.reshape(c.in(0), column ? [n, rest, b, b, h, w] : [n, b, b, rest, h, w]);
  const moved = c.op("transpose", [split], { perm: column ? [0, 1, 4, 2, 5, 3] : [0, 3, 4, 1, 5, 2] });
  return c.reshape(moved, [n, rest, h * b, w * b]);
}

function spaceToDepth(c: NodeContext): Value {
  const [n, channels, h, w] = c.in(0).type.shape as [number, number, number, number];
  const b = c.int("blocksize", 1);
  const moved = c.op("transpose", [c.reshape(c.in(0), [n, channels, h / b, b, w / b, b])], {
    perm: c.text("mode", "DCR") === "CRD" ? [0, 1, 3, 5, 2, 4] : [0, 3, 5, 1, 2, 4],
  });
  return c.reshape(moved, [n, channels * b * b, h / b, w / b]);
}

export const shapeRules: Rules = {
  Constant: constant,
  ConstantOfShape: constantOfShape,
  Shape: shapeOf,
  Size: (c) => c.emit.ints([sizeOf(c.in(0).type.shape)], true),
  Reshape: reshape,
  Flatten: flatten,
  Squeeze: squeeze,
  Unsqueeze: unsqueeze,
  Expand: expand,
  Transpose: transpose,
  Concat: concat,
  Slice: slice,
  Split: split,
  Pad: pad,
  Range: rangeOf,
  Tile: tile,
  Trilu: trilu,
  EyeLike: eyeLike,
  DepthToSpace: depthToSpace,
  SpaceToDepth: spaceToDepth,
};

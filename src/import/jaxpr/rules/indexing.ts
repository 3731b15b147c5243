/** @file Loads from and stores to indices that are data, and orders. */
import { sizeOf, stridesOf, type Shape } from "../../../fusion";
import type { Value } from "../../onnx/emit";
import { numbersIn } from "../jaxpr";
import type { Equation, Rule, Rules } from "../rule";

/** How windows of one tensor are named by rows of numbers. */
interface Windows {
  /** The tensor that windows lie in, and their size in it. */
  readonly shape: Shape;
  readonly sizes: readonly number[];
  /** Axes of the tensor that each number of a row walks. */
  readonly walked: readonly number[];
  /** Axes that tensor and rows share: of the tensor, and of the rows. */
  readonly shared: readonly (readonly [mine: number, theirs: number])[];
}

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** Flat indices of the elements of each window, [rows, elements], and which rows name a window that lies inside. */
function flatIndices(
  c: Equation,
  rows: Value,
  { shape, sizes, walked, shared }: Windows,
): { readonly indices: Value; readonly inside: Value | null } {
  const strides = stridesOf(shape);
  const lead = rows.type.shape.slice(0, -1);
  const count = sizeOf(lead);
  const flat = c.reshape(rows, [count, walked.length]);
  let [base, inside]: [Value | null, Value | null] = [null, null];
  for (const [i, axis] of walked.entries()) {
    const at = c.slice(flat, 1, i, i + 1);
    const last = shape[axis]! - sizes[axis]!;
    const fits = c.op("and", [c.op("ge", [at, 0]), c.op("le", [at, last])]);
    const held = c.op("clamp", [at], { min: 0, max: Math.max(last, 0) });
    const term = strides[axis] === 1 ? held : c.op("mul", [held, strides[axis]!]);
    base = base ? c.op("add", [base, term]) : term;
    inside = inside ? c.op("and", [inside, fits]) : fits;
  }
  for (const [mine, theirs] of shared) {
    const numbers = c.reshape(
      c.whole([lead[theirs]!], upTo(lead[theirs]!)),
      lead.map((extent, axis) => (axis === theirs ? extent : 1)),
    );
    const every = c.reshape(c.op("expand", [numbers], { shape: lead }), [count, 1]);
    const term = c.op("mul", [every, strides[mine]!]);
    base = base ? c.op("add", [base, term]) : term;
  }
  const offsets = windowOffsets(sizes, strides);
  const within = c.whole([1, offsets.length], offsets);
  const indices = base ? c.op("add", [base, within]) : c.op("expand", [within], { shape: [count, offsets.length] });
  return { indices, inside };
}

/** Distances of a window's elements from its first one. */
function windowOffsets(sizes: readonly number[], strides: readonly number[]): number[] {
  return sizes.reduce<number[]>(
    (offsets, size, axis) => offsets.flatMap((from) => upTo(size).map((i) => from + i * strides[axis]!)),
    [0],
  );
}

/** Where rows stand out of the tensor: their elements are left out, or (CLIP) the window is moved inside. */
const drops = (c: Equation): boolean => !/clip|^0$/i.test(c.text("mode"));

const dimensionNumbers = (c: Equation): number[][] => c.tuples("dimension_numbers");

/** What stands for elements outside, as JAX has it: NaN, or the end of the whole numbers. */
function fillOf(c: Equation, dtype: string): number {
  if (c.has("fill_value")) return numbersIn(c.raw("fill_value"))[0]!;
  return dtype === "i32" ? -(2 ** 31) : dtype === "bool" ? 1 : Number.NaN;
}

function gather(c: Equation): Value {
  const [offsets, collapsed, walked, mine = [], theirs = []] = dimensionNumbers(c) as [
    number[],
    number[],
    number[],
    number[]?,
    number[]?,
  ];
  const [x, rows] = [c.in(0), c.in(1)];
  const { shape } = x.type;
  const sizes = c.list("slice_sizes");
  const lead = rows.type.shape.slice(0, -1);
  const windowShape = sizes.flatMap((size, axis) => (collapsed.includes(axis) || mine.includes(axis) ? [] : [size]));
  const answer = c.out[0]!.shape;
  if (sizeOf(answer) === 0) return c.filled(0, answer, x.type.dtype);
  const shared = mine.map((axis, i) => [axis, theirs[i]!] as const);
  const [axis] = walked;
  // Whole rows along one axis: the load of the language itself.
  const whole =
    walked.length === 1 &&
    shared.length === 0 &&
    collapsed.includes(axis!) &&
    sizes.every((size, i) => i === axis || size === shape[i]);
  const { indices, inside } = whole
    ? rowIndices(c, rows, shape[axis!]!)
    : flatIndices(c, rows, { shape, sizes, walked, shared });
  const found = whole
    ? c.permute(c.op("gather", [x, indices], { axis: axis! }), [
        axis!,
        ...shape.flatMap((_, i) => (i === axis ? [] : [i])),
      ])
    : c.op("gather", [c.reshape(x, [sizeOf(shape)]), indices], { axis: 0 });
  const windows = c.reshape(found, [...lead, ...windowShape]);
  const known =
    /fill|^1$/i.test(c.text("mode")) && inside
      ? c.op("where", [c.reshape(inside, [...lead, ...windowShape.map(() => 1)]), windows, fillOf(c, x.type.dtype)])
      : windows;
  const before = answer.flatMap((_, i) => (offsets.includes(i) ? [] : [i]));
  const order = [...before, ...offsets];
  return c.permute(
    known,
    answer.map((_, i) => order.indexOf(i)),
  );
}

/** The same for rows of one number each, whose windows are whole: no flat indices are needed. */
function rowIndices(c: Equation, rows: Value, extent: number): ReturnType<typeof flatIndices> {
  const indices = c.reshape(rows, [sizeOf(rows.type.shape)]);
  return { indices, inside: c.op("and", [c.op("ge", [indices, 0]), c.op("lt", [indices, extent])]) };
}

const scatter =
  (reduction: string, mapped = (updates: Value): Value => updates): Rule =>
  (c) => {
    const [windowAxes, inserted, walked, mine = [], theirs = []] = dimensionNumbers(c) as [
      number[],
      number[],
      number[],
      number[]?,
      number[]?,
    ];
    const [x, rows, updates] = [c.in(0), c.in(1), c.in(2)];
    const { shape } = x.type;
    if (sizeOf(updates.type.shape) === 0 || sizeOf(shape) === 0) return x;
    const lead = rows.type.shape.slice(0, -1);
    const around = updates.type.shape.flatMap((_, axis) => (windowAxes.includes(axis) ? [] : [axis]));
    let next = 0;
    const sizes = shape.map((_, axis) =>
      inserted.includes(axis) || mine.includes(axis) ? 1 : updates.type.shape[windowAxes[next++]!]!,
    );
    const given = c.permute(mapped(updates), [...around, ...windowAxes]);
    const depth = walked.length;
    const first = upTo(depth);
    const leading = walked.every((axis, i) => axis === i) && inserted.join() === first.join() && mine.length === 0;
    if (leading && drops(c) && sizes.every((size, axis) => axis < depth || size === shape[axis]))
      return c.op("scatter_nd", [x, rows, given], { reduction });
    const { indices, inside } = flatIndices(c, rows, {
      shape,
      sizes,
      walked,
      shared: mine.map((axis, i) => [axis, theirs[i]!] as const),
    });
    const held = inside && drops(c) ? c.op("where", [inside, indices, -1]) : indices;
    const count = sizeOf(lead) * sizeOf(sizes);
    const flat = c.op(
      "scatter_elements",
      [c.reshape(x, [sizeOf(shape)]), c.reshape(held, [count]), c.reshape(given, [count])],
      { axis: 0, reduction },
    );
    return c.reshape(flat, shape);
  };

/** First indices of a window, moved so that it lies inside. */
function startsOf(c: Equation, from: number, sizes: readonly number[], shape: Shape): readonly (Value | number)[] {
  return shape.map((extent, axis) => {
    const [known, last] = [c.known(from + axis), extent - sizes[axis]!];
    if (last === 0) return 0;
    if (known) return Math.min(Math.max(known[0]!, 0), last);
    return c.op("clamp", [c.in(from + axis)], { min: 0, max: last });
  });
}

function dynamicSlice(c: Equation): Value {
  const x = c.in(0);
  const { shape } = x.type;
  const sizes = c.list("slice_sizes");
  const starts = startsOf(c, 1, sizes, shape);
  const cut = c.op("slice", [x], {
    start: starts.map((start) => (typeof start === "number" ? start : 0)),
    stop: starts.map((start, axis) => (typeof start === "number" ? start + sizes[axis]! : shape[axis]!)),
  });
  return starts.reduce<Value>((found, start, axis) => {
    if (typeof start === "number") return found;
    return c.op("gather", [found, c.op("add", [c.whole([sizes[axis]!], upTo(sizes[axis]!)), start])], { axis });
  }, cut);
}

/** Turned round: each element asks whether the window covers it. */
function dynamicUpdateSlice(c: Equation): Value {
  const [x, update] = [c.in(0), c.in(1)];
  const { shape } = x.type;
  if (sizeOf(update.type.shape) === 0 || sizeOf(shape) === 0) return x;
  const starts = startsOf(c, 2, update.type.shape, shape);
  let [inside, moved]: [Value | null, Value] = [null, update];
  for (const [axis, start] of starts.entries()) {
    const [extent, size] = [shape[axis]!, update.type.shape[axis]!];
    if (size === extent) continue;
    const at = c.op("sub", [c.whole([extent], upTo(extent)), start]);
    const covered = c.op("and", [c.op("ge", [at, 0]), c.op("lt", [at, size])]);
    const spread = c.reshape(
      covered,
      shape.map((_, i) => (i === axis ? extent : 1)),
    );
    inside = inside ? c.op("and", [inside, spread]) : spread;
    moved = c.op("gather", [moved, c.op("clamp", [at], { min: 0, max: size - 1 })], { axis });
  }
  return inside ? c.op("where", [inside, moved, x]) : moved;
}

/** Rows go by their first operand, those that are equal in it by the second, and so on. */
function sort(c: Equation): Value | readonly Value[] {
  const axis = c.number("dimension", 0);
  const keys = c.number("num_keys", 1);
  if (c.args.length === 1) return c.op("sort", [c.in(0)], { axis });
  let order: Value | null = null;
  for (let key = keys - 1; key >= 0; key--) {
    const own: Value = order ? c.op("gather_elements", [c.in(key), order], { axis }) : c.in(key);
    const indices: Value = c.op("argsort", [own], { axis });
    order = order ? c.op("gather_elements", [order, indices], { axis }) : indices;
  }
  return c.args.map((each) => c.op("gather_elements", [each, order!], { axis }));
}

function topK(c: Equation): readonly Value[] {
  const attrs = { k: c.number("k", 1), axis: c.number("axis", c.shape(0).length - 1) };
  return [c.op("topk", [c.in(0)], attrs), c.op("topk_indices", [c.in(0)], attrs)];
}

export const indexing: Rules = {
  dynamic_slice: dynamicSlice,
  dynamic_update_slice: dynamicUpdateSlice,
  gather,
  scatter: scatter("none"),
  "scatter-add": scatter("add"),
  scatter_add: scatter("add"),
  "scatter-sub": (c) => scatter("add", (updates) => c.op("neg", [updates]))(c),
  "scatter-mul": scatter("mul"),
  scatter_mul: scatter("mul"),
  "scatter-max": scatter("max"),
  scatter_max: scatter("max"),
  "scatter-min": scatter("min"),
  scatter_min: scatter("min"),
  sort,
  top_k: topK,
};

/** @file Images read at positions that are data: grids, the affine maps that make them, moved taps. */
import { sizeOf } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";
import { arithmetic, range, table, zeros } from "./arithmetic";
import { spatial, windowsOf } from "./window";

/** −1 … 1 as positions 0 … extent − 1; the ends are middles of elements, or their outer edges. */
function unnormalised(c: NodeContext, x: Value, extent: number, aligned: boolean): Value {
  const { add, mul } = arithmetic(c);
  return aligned ? mul(add(x, 1), (extent - 1) / 2) : add(mul(x, extent / 2), (extent - 1) / 2);
}

/** Keys' cubic: weights of the four neighbours at a distance from the second. */
function cubic(c: NodeContext, rest: Value): Value[] {
  const { add, sub, mul } = arithmetic(c);
  const a = -0.75;
  const near = (x: Value): Value => add(mul(mul(sub(mul(x, a + 2), a + 3), x), x), 1);
  const far = (x: Value): Value => sub(mul(add(mul(sub(mul(x, a), 5 * a), x), 8 * a), x), 4 * a);
  return [far(add(rest, 1)), near(rest), near(sub(1, rest)), far(sub(2, rest))];
}

/** Positions outside mirrored back in, as often as it takes. */
function reflected(c: NodeContext, x: Value, extent: number, aligned: boolean): Value {
  const { add, sub, mul, mod, abs, low } = arithmetic(c);
  const [first, last] = aligned ? [0, extent - 1] : [-0.5, extent - 0.5];
  const span = last - first;
  if (span === 0) return mul(x, 0);
  const inside = mod(abs(sub(x, first)), 2 * span);
  return add(low(inside, sub(2 * span, inside)), first);
}

interface Tap {
  /** Whole numbers in f32. */
  readonly at: Value;
  readonly weight: Value | null;
}

/** Neighbours of a position along one axis with their weights. */
function taps(c: NodeContext, x: Value, mode: string): Tap[] {
  const { sub, floor, add, round } = arithmetic(c);
  if (mode === "nearest") return [{ at: round(x), weight: null }];
  const first = floor(x);
  const rest = sub(x, first);
  if (mode !== "cubic")
    return [
      { at: first, weight: sub(1, rest) },
      { at: add(first, 1), weight: rest },
    ];
  return cubic(c, rest).map((weight, i) => ({ at: add(first, i - 1), weight }));
}

/** x [N, C, D…] read at the taps of each axis, all [N, 1, count] → [N, C, count]: every combination of neighbours. */
function sampled(
  c: NodeContext,
  x: Value,
  axes: readonly (readonly Tap[])[],
  { border, aligned }: { readonly border: string; readonly aligned: boolean },
): Value {
  const { add, mul, ge, le, and, low, high, where } = arithmetic(c);
  const [batch, channels, ...extents] = x.type.shape as [number, number, ...number[]];
  const count = axes[0]?.[0]?.at.type.shape[2] ?? 1;
  const image = c.reshape(x, [batch, channels, sizeOf(extents)]);
  /** One combination of neighbours: what stands there, times its share. */
  const term = (chosen: readonly Tap[]): Value => {
    let [index, weight, inside]: [Value | null, Value | null, Value | null] = [null, null, null];
    chosen.forEach((tap, axis) => {
      const extent = extents[axis]!;
      const own = and(ge(tap.at, 0), le(tap.at, extent - 1));
      const bounded =
        border === "reflection" ? reflected(c, tap.at, extent, aligned) : low(high(tap.at, 0), extent - 1);
      index = index ? add(mul(index, extent), bounded) : bounded;
      inside = inside ? and(inside, own) : own;
      if (tap.weight) weight = weight ? mul(weight, tap.weight) : tap.weight;
    });
    const at = c.op("expand", [c.cast(index!, "i32")], { shape: [batch, channels, count] });
    const found = c.op("gather_elements", [image, at], { axis: 2 });
    const seen = border === "zeros" ? where(inside!, found, c.emit.scalar(0, x.type.dtype)) : found;
    return weight ? mul(seen, weight) : seen;
  };
  const combinations = axes.reduce<readonly (readonly Tap[])[]>(
    (rows, own) => rows.flatMap((row) => own.map((tap) => [...row, tap])),
    [[]],
  );
  return combinations.map(term).reduce((left, right) => add(left, right));
}

/** x [N, C, D…] read at grid [N, P…, axes], the last axis of the image first; linear, nearest or cubic. */
function gridSample(c: NodeContext): Value {
  const [x, grid] = [c.in(0), c.in(1)];
  const [batch, channels, ...extents] = x.type.shape as [number, number, ...number[]];
  const rank = extents.length;
  const outShape = grid.type.shape.slice(1, -1);
  const count = sizeOf(outShape);
  const mode = { bilinear: "linear", bicubic: "cubic" }[c.text("mode", "linear")] ?? c.text("mode", "linear");
  const border = c.text("padding_mode", "zeros");
  const aligned = c.int("align_corners", 0) === 1;
  const flat = c.reshape(c.cast(grid, "f32"), [batch, 1, count, rank]);
  const axes = extents.map((extent, axis) => {
    const raw = c.op("slice", [flat], { start: [rank - 1 - axis], stop: [rank - axis], axes: [3] });
    const at = unnormalised(c, c.reshape(raw, [batch, 1, count]), extent, aligned);
    // The nearest element is found first and mirrored then.
    if (border === "reflection" && mode !== "nearest") return taps(c, reflected(c, at, extent, aligned), mode);
    return taps(c, at, mode);
  });
  const sum = sampled(c, x, axes, { border, aligned });
  return c.reshape(c.cast(sum, x.type.dtype), [batch, channels, ...outShape]);
}

/** theta [N, axes, axes + 1] and the size [N, C, D…] → the grid [N, D…, axes] that it maps to. */
function affineGrid(c: NodeContext): Value {
  const theta = c.in(0);
  const [batch, , ...extents] = c.known(1, "size") as [number, number, ...number[]];
  const rank = extents.length;
  const aligned = c.int("align_corners", 0) === 1;
  const count = extents.reduce((product, n) => product * n, 1);
  const data = zeros(count * (rank + 1));
  for (const point of range(count)) {
    let rest = point;
    for (const axis of range(rank).toReversed()) {
      const extent = extents[axis]!;
      const at = rest % extent;
      rest = Math.floor(rest / extent);
      const normal = aligned ? (extent === 1 ? -1 : (2 * at) / (extent - 1) - 1) : (2 * at + 1) / extent - 1;
      data[point * (rank + 1) + (rank - 1 - axis)] = normal;
    }
    data[point * (rank + 1) + rank] = 1;
  }
  const base = c.emit.host({ dtype: theta.type.dtype, dims: [count, rank + 1], data, wide: false });
  const made = c.op("matmul", [base, c.op("transpose", [theta], { perm: [0, 2, 1] })]);
  return c.reshape(made, [batch, ...extents, rank]);
}

/** A convolution whose taps are moved by offsets [N, groups · taps · axes, P…] that are data, and read between elements. */
function deformConv(c: NodeContext): Value {
  const [x, w, offset] = [c.in(0), c.in(1), c.in(2)];
  const { add, mul } = arithmetic(c);
  const { kernel, stride, dilation, pads } = windowsOf(c, spatial(x), c.ints("kernel_shape") ?? spatial(w));
  const [batch, channels, ...extents] = x.type.shape as [number, number, ...number[]];
  const [groups, moved, results] = [c.int("group", 1), c.int("offset_group", 1), w.type.shape[0]!];
  const counts = spatial(offset);
  const [many, points] = [sizeOf(kernel), sizeOf(counts)];
  const offsets = c.reshape(c.cast(offset, "f32"), [batch * moved, many, extents.length, points]);
  const axes = extents.map((_, axis) => {
    const along = (at: number, sizes: readonly number[]): number =>
      Math.floor(at / sizeOf(sizes.slice(axis + 1))) % sizes[axis]!;
    const still = range(many).flatMap((tap) =>
      range(points).map((at) => along(at, counts) * stride[axis]! - pads[axis]! + along(tap, kernel) * dilation[axis]!),
    );
    const by = c.op("slice", [offsets], { start: [axis], stop: [axis + 1], axes: [2] });
    const at = add(c.reshape(by, [batch * moved, 1, many * points]), table(c, [1, 1, many * points], still));
    return taps(c, at, "linear");
  });
  const image = c.reshape(x, [batch * moved, channels / moved, ...extents]);
  const read = sampled(c, image, axes, { border: "zeros", aligned: false });
  const mask = c.maybe(4);
  const columns = mask ? mul(read, c.reshape(mask, [batch * moved, 1, many * points])) : read;
  const rows = c.reshape(columns, [batch, groups, (channels / groups) * many, points]);
  const product = c.op("matmul", [c.reshape(w, [groups, results / groups, (channels / groups) * many]), rows]);
  const sums = c.reshape(product, [batch, results, ...counts]);
  const bias = c.maybe(3);
  return c.cast(bias ? add(sums, c.reshape(bias, [results, ...counts.map(() => 1)])) : sums, x.type.dtype);
}

export const samplingRules: Rules = { GridSample: gridSample, AffineGrid: affineGrid, DeformConv: deformConv };

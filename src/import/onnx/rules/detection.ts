/** @file Regions of images: pooled to one size, and those that overlap better ones left out. */
import { smallestOf } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";
import { arithmetic, range, table } from "./arithmetic";

/** Column `at` of a table of regions, [R, 1, 1]. */
const column = (c: NodeContext, regions: Value, at: number): Value =>
  c.reshape(c.op("slice", [regions], { start: [at], stop: [at + 1], axes: [1] }), [regions.type.shape[0]!, 1, 1]);

/** One neighbour of each sample along one axis, [R, bins, samples]. */
interface Neighbour {
  readonly index: Value;
  readonly weight: Value;
}

/**
 * Both neighbours of every sample between `start` and `end`, [R, 1, 1] each. A stated number of samples a bin is the same
 * for all regions; otherwise it follows from their extents, which must be known, and shorter ones repeat their last.
 */
function neighbours(c: NodeContext, start: Value, length: Value, bins: number, extent: number): Neighbour[] {
  const { add, sub, mul, floor, low, high, ge, le, and, where } = arithmetic(c);
  const ratio = c.int("sampling_ratio", 0);
  const averaged = c.text("mode", "avg") === "avg";
  if (ratio <= 0) c.known(1, "regions decide how often they are sampled, and are");
  const lengths = ratio > 0 ? [0] : [...(c.emit.numbersOf(length)?.data ?? [0])];
  const counts = lengths.map((x) => (ratio > 0 ? ratio : Math.max(0, Math.ceil(x / bins))));
  const most = Math.max(1, ...counts);
  const each = (f: (count: number, sample: number) => number): Value =>
    table(
      c,
      [counts.length, 1, most],
      counts.flatMap((count) => range(most).map((sample) => f(count, sample))),
    );
  const within = each((count, sample) => (Math.min(sample, Math.max(count, 1) - 1) + 0.5) / Math.max(count, 1));
  const share = each((count, sample) => (averaged ? (sample < count ? 1 / count : 0) : Math.sign(count)));
  const at = add(start, mul(add(within, table(c, [1, bins, 1], range(bins))), mul(length, 1 / bins)));
  const seen = and(ge(at, -1), le(at, extent));
  const bounded = low(high(at, 0), extent - 1);
  const first = floor(bounded);
  const rest = sub(bounded, first);
  const weighted = (by: Value): Value => where(seen, mul(by, share), 0);
  return [
    { index: c.cast(first, "i32"), weight: weighted(sub(1, rest)) },
    { index: c.cast(low(add(first, 1), extent - 1), "i32"), weight: weighted(rest) },
  ];
}

/** x [N, C, H, W] as one row of all its images' pixels for each channel. */
function pixelsOf(c: NodeContext, x: Value): Value {
  const [batch, channels, height, width] = x.type.shape as [number, number, number, number];
  const transposed = c.op("transpose", [c.reshape(x, [batch, channels, height * width])], { perm: [1, 0, 2] });
  return c.reshape(transposed, [channels, batch * height * width]);
}

/** Samples between the elements of x [N, C, H, W], averaged, or the largest weighted neighbour of all, for each bin. */
function roiAlign(c: NodeContext): Value {
  const numbers = c.int("sampling_ratio", 0) > 0 ? null : c.emit.numbersOf(c.in(1));
  const [x, regions] = [c.in(0), c.cast(numbers ? c.emit.host(numbers) : c.in(1), "f32")];
  const { add, sub, mul, high } = arithmetic(c);
  const [, , height, width] = x.type.shape as [number, number, number, number];
  const halves =
    c.text("coordinate_transformation_mode", c.opset >= 16 ? "half_pixel" : "output_half_pixel") === "half_pixel";
  const scaled = (at: number): Value => {
    const position = mul(column(c, regions, at), c.float("spatial_scale", 1));
    return halves ? sub(position, 0.5) : position;
  };
  const axis = (from: number, bins: number, extent: number): Neighbour[] => {
    const start = scaled(from);
    const length = sub(scaled(from + 2), start);
    return neighbours(c, start, halves ? length : high(length, 1), bins, extent);
  };
  const across = axis(0, c.int("output_width", 1), width);
  const down = axis(1, c.int("output_height", 1), height);
  const spread = (value: Value, low: boolean): Value => {
    const [r, bins, samples] = value.type.shape as [number, number, number];
    return c.reshape(value, low ? [r, 1, 1, bins, samples] : [r, bins, samples, 1, 1]);
  };
  const int = (value: number): Value => c.emit.scalar(value, "i32");
  const count = regions.type.shape[0]!;
  const origin = mul(c.reshape(c.cast(c.in(2), "i32"), [count, 1, 1, 1, 1]), int(height * width));
  const pixels = pixelsOf(c, x);
  const terms = down.flatMap((v) =>
    across.map((h) => {
      const index = add(origin, add(mul(spread(v.index, false), int(width)), spread(h.index, true)));
      const found = c.op("gather", [pixels, index], { axis: 1 });
      return mul(found, mul(spread(v.weight, false), spread(h.weight, true)));
    }),
  );
  const averaged = c.text("mode", "avg") === "avg";
  const all = terms.reduce((a, b) => (averaged ? add(a, b) : high(a, b)));
  const pooled = c.op(averaged ? "sum" : "max", [all], { axes: [3, 5], keepdims: false });
  return c.cast(c.op("transpose", [pooled], { perm: [1, 0, 2, 3] }), x.type.dtype);
}

/** Regions [R, 4] in shares of the image, their corners on middles of elements: as many samples as asked for, a number outside. */
function cropAndResize(c: NodeContext): Value {
  const [x, boxes] = [c.in(0), c.in(1)];
  const { add, sub, mul, floor, low, high, ge, le, and, where } = arithmetic(c);
  const [, channels, height, width] = x.type.shape as [number, number, number, number];
  const [rows, columns] = c.known(3, "crop size") as [number, number];
  const count = boxes.type.shape[0]!;
  const nearest = c.text("mode", "bilinear") === "nearest";
  const axis = (from: number, bins: number, extent: number, dims: readonly number[]) => {
    const [start, end] = [from, from + 2].map((at) => mul(column(c, boxes, at), extent - 1)) as [Value, Value];
    const along = table(
      c,
      [1, bins, 1],
      range(bins).map((i) => (bins > 1 ? i / (bins - 1) : 0.5)),
    );
    const at = c.reshape(add(start, mul(sub(end, start), along)), dims);
    const bounded = low(high(at, 0), extent - 1);
    const first = floor(nearest ? add(bounded, 0.5) : bounded);
    const rest = sub(bounded, first);
    const near = { index: c.cast(first, "i32"), weight: sub(1, rest) };
    const far = { index: c.cast(low(add(first, 1), extent - 1), "i32"), weight: rest };
    return { seen: and(ge(at, 0), le(at, extent - 1)), taps: nearest ? [{ ...near, weight: null }] : [near, far] };
  };
  const down = axis(0, rows, height, [count, rows, 1]);
  const across = axis(1, columns, width, [count, 1, columns]);
  const int = (value: number): Value => c.emit.scalar(value, "i32");
  const origin = mul(c.reshape(c.cast(c.in(2), "i32"), [count, 1, 1]), int(height * width));
  const pixels = pixelsOf(c, x);
  const terms = down.taps.flatMap((v) =>
    across.taps.map((h) => {
      const found = c.op("gather", [pixels, add(origin, add(mul(v.index, int(width)), h.index))], { axis: 1 });
      return v.weight && h.weight ? mul(found, mul(v.weight, h.weight)) : found;
    }),
  );
  const outside = c.emit.scalar(c.float("extrapolation_value", 0), x.type.dtype);
  const shown = where(
    and(down.seen, across.seen),
    terms.reduce((a, b) => add(a, b)),
    outside,
  );
  return c.reshape(c.op("transpose", [shown], { perm: [1, 0, 2, 3] }), [count, channels, rows, columns]);
}

/** The largest element of each bin of regions [R, 5], which start with their image; 0 where a bin lies outside. */
function maxRoiPool(c: NodeContext): Value {
  const [x, regions] = [c.in(0), c.cast(c.in(1), "f32")];
  const { add, sub, mul, floor, low, high, lt, gt, ge, and, where } = arithmetic(c);
  const [, channels, height, width] = x.type.shape as [number, number, number, number];
  const [rows, columns] = c.ints("pooled_shape") as [number, number];
  const count = regions.type.shape[0]!;
  const int = (value: number): Value => c.emit.scalar(value, "i32");
  const counted = (dims: readonly number[], data: readonly number[]): Value => c.cast(table(c, dims, data), "i32");
  const scaled = (at: number): Value =>
    c.cast(floor(add(mul(column(c, regions, at), c.float("spatial_scale", 1)), 0.5)), "i32");
  /** First and past the last element of each bin, [R, bins, 1]. */
  const ends = (from: number, bins: number, extent: number): [Value, Value] => {
    const start = scaled(from);
    const size = high(add(sub(scaled(from + 2), start), int(1)), int(1));
    const inside = (at: Value): Value => low(high(add(at, start), int(0)), int(extent));
    const part = (whole: Value): Value => c.op("floor_div", [whole, int(bins)]);
    const upTo = (shift: number): Value =>
      mul(
        size,
        counted(
          [1, bins, 1],
          range(bins).map((i) => i + shift),
        ),
      );
    return [inside(part(upTo(0))), inside(part(add(upTo(1), int(bins - 1))))];
  };
  const [across, down] = [ends(1, columns, width), ends(2, rows, height)];
  const members = ([first, past]: [Value, Value], extent: number): Value => {
    const at = counted([1, 1, extent], range(extent));
    return and(ge(at, first), lt(at, past));
  };
  const lowest = c.emit.scalar(smallestOf(x.type.dtype), x.type.dtype);
  const largest = (mask: Value, values: Value, axis: number): Value =>
    c.op("max", [where(mask, values, lowest)], { axes: [axis], keepdims: false });
  const image = c.cast(c.reshape(column(c, regions, 0), [count]), "i32");
  const images = c.reshape(c.op("gather", [x, image], { axis: 0 }), [count, channels, height, 1, width]);
  const lines = largest(c.reshape(members(across, width), [count, 1, 1, columns, width]), images, 4);
  const stood = c.reshape(lines, [count, channels, 1, height, columns]);
  const best = largest(c.reshape(members(down, height), [count, 1, rows, height, 1]), stood, 3);
  const filled = and(
    c.reshape(gt(down[1], down[0]), [count, 1, rows, 1]),
    c.reshape(gt(across[1], across[0]), [count, 1, 1, columns]),
  );
  return where(filled, best, c.emit.scalar(0, x.type.dtype));
}

type Box = readonly [top: number, left: number, bottom: number, right: number];

/** Corners in any order, or a middle with width and height. */
function boxOf([a, b, p, q]: readonly number[], centred: boolean): Box {
  if (centred) return [b! - q! / 2, a! - p! / 2, b! + q! / 2, a! + p! / 2];
  return [Math.min(a!, p!), Math.min(b!, q!), Math.max(a!, p!), Math.max(b!, q!)];
}

/** Intersection over union of two boxes. */
function overlap(a: Box, b: Box): number {
  const area = ([top, left, bottom, right]: Box): number => Math.max(0, bottom - top) * Math.max(0, right - left);
  const shared = area([Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])]);
  return shared <= 0 ? 0 : shared / (area(a) + area(b) - shared);
}

/** Triples of image, class and box, best first: how many remain is known only where boxes and scores are. */
function nonMaxSuppression(c: NodeContext): Value {
  const [boxes, scores] = [c.known(0, "boxes"), c.known(1, "scores")];
  const one = (i: number, what: string): number | null => (c.maybe(i) ? (c.known(i, what)[0] ?? null) : null);
  const most = one(2, "number of boxes") ?? 0;
  const threshold = one(3, "largest overlap") ?? 0;
  const least = one(4, "smallest score") ?? -Infinity;
  const [images, classes, count] = c.in(1).type.shape as [number, number, number];
  const centred = c.int("center_point_box", 0) === 1;
  const picked = range(images).flatMap((image) => {
    const own = range(count).map((i) =>
      boxOf(boxes.slice((image * count + i) * 4, (image * count + i + 1) * 4), centred),
    );
    return range(classes).flatMap((group) => {
      const score = (i: number): number => scores[(image * classes + group) * count + i]!;
      const order = range(count)
        .filter((i) => score(i) > least)
        .sort((a, b) => score(b) - score(a));
      const chosen: number[] = [];
      for (const i of order) {
        if (chosen.length >= most) break;
        if (chosen.every((other) => overlap(own[i]!, own[other]!) <= threshold)) chosen.push(i);
      }
      return chosen.map((i) => [image, group, i]);
    });
  });
  return c.emit.host({ dtype: "i32", dims: [picked.length, 3], data: Float64Array.from(picked.flat()), wide: true });
}

export const detectionRules: Rules = {
  RoiAlign: roiAlign,
  MaxRoiPool: maxRoiPool,
  NonMaxSuppression: nonMaxSuppression,
};

export const contribDetectionRules: Rules = { CropAndResize: cropAndResize };

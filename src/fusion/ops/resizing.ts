/** @file interpolate: an axis at another size, one axis after the other. */
import { showShape, type Attrs, type NodeId, type Shape, type TensorType } from "../ir";
import { buildAdaptive } from "./adaptive";
import type { GraphBuilder } from "./define";
import { isAbsent } from "./indices";
import { numbersOf, wrong, type Failed } from "./shapes";

const LINEAR: ReadonlySet<unknown> = new Set(["linear", "bilinear", "trilinear"]);

/** Sizes of the axes after batch and channels. */
function sizesOf(x: Shape, attrs: Attrs): readonly number[] {
  const spatial = x.slice(2);
  const given = numbersOf(isAbsent(attrs["size"]) ? attrs["scale_factor"] : attrs["size"]);
  const each = given.length === 1 ? spatial.map(() => given[0]!) : given;
  return isAbsent(attrs["size"]) ? spatial.map((extent, axis) => extent * (each[axis] ?? 1)) : each;
}

export function checkResize(
  [x]: readonly (TensorType | null)[],
  attrs: Attrs,
  names: readonly string[],
): Failed | null {
  if (isAbsent(attrs["size"]) === isAbsent(attrs["scale_factor"]))
    return wrong("bad-attr", "interpolate needs either a size or a scale_factor.");
  const { mode } = attrs;
  if (mode !== "nearest" && mode !== "area" && !LINEAR.has(mode))
    return wrong(
      "bad-attr",
      `interpolate has no mode ${JSON.stringify(mode)}; the modes are nearest, linear, bilinear, trilinear and area.`,
    );
  const sizes = sizesOf(x!.shape, attrs);
  if (
    x!.shape.length > 2 &&
    sizes.length === x!.shape.length - 2 &&
    [...sizes, ...x!.shape.slice(2)].every((size) => size >= 1)
  )
    return null;
  return wrong(
    "shape-mismatch",
    `${names[0]} is ${showShape(x!.shape)}: after batch and channels it can't become ${showShape(sizes)}.`,
  );
}

/** ⌊i · extent / size⌋ */
function nearest(b: GraphBuilder, x: NodeId, axis: number, extent: number, size: number): NodeId {
  if (size % extent === 0) return b.op("grown", "repeat_interleave", [x], { repeats: size / extent, axis });
  const indices = b.op("places", "iota", [], { start: 0, stop: size * extent, step: extent, dtype: "i32" });
  return b.op("nearest", "gather", [x, b.op("sources", "floor_div", [indices, b.scalar(size, "i32")])], { axis });
}

/** The two neighbours of a position between elements, each by its share. */
function linear(b: GraphBuilder, x: NodeId, axis: number, extent: number, size: number, corners: boolean): NodeId {
  const { dtype, shape } = b.typeOf(x);
  const by = corners ? (size > 1 ? (extent - 1) / (size - 1) : 0) : extent / size;
  const steps = b.op("steps", "mul", [
    b.op("count", "iota", [], { start: 0, stop: size, step: 1, dtype: "f32" }),
    b.scalar(by),
  ]);
  const shifted = corners ? steps : b.op("shifted", "add", [steps, b.scalar(by / 2 - 0.5)]);
  const position = b.op("place", "clamp", [shifted], { min: 0, max: extent - 1 });
  const whole = b.op("whole", "floor", [position]);
  const first = b.op("first", "cast", [whole], { dtype: "i32" });
  const next = b.op("next", "clamp", [b.op("following", "add", [first, b.scalar(1, "i32")])], {
    min: 0,
    max: extent - 1,
  });
  const lane = shape.map((_, i) => (i === axis ? size : 1));
  const share = b.op(
    "share",
    "cast",
    [b.op("lane", "reshape", [b.op("part", "sub", [position, whole])], { shape: lane })],
    { dtype: dtype === "f16" ? "f16" : "f32" },
  );
  const [low, high] = [b.op("low", "gather", [x, first], { axis }), b.op("high", "gather", [x, next], { axis })];
  return b.op("between", "add", [low, b.op("gone", "mul", [share, b.op("way", "sub", [high, low])])]);
}

export function buildResized(b: GraphBuilder, x: NodeId, attrs: Attrs): NodeId {
  const { shape } = b.typeOf(x);
  const sizes = sizesOf(shape, attrs);
  if (attrs["mode"] === "area") return buildAdaptive(b, x, { output_size: sizes }, "mean");
  let resized = x;
  for (const [i, size] of sizes.entries()) {
    const [axis, extent] = [i + 2, shape[i + 2]!];
    if (extent === size) continue;
    resized = LINEAR.has(attrs["mode"])
      ? linear(b, resized, axis, extent, size, attrs["align_corners"] === true)
      : nearest(b, resized, axis, extent, size);
  }
  return resized === x ? b.op("same", "identity", [x]) : resized;
}

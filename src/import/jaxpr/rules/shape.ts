/** @file Primitives that put elements elsewhere. */
import type { Value } from "../../onnx/emit";
import type { Equation, Rules } from "../rule";

function iota(c: Equation): Value {
  const { shape, dtype } = c.out[0]!;
  const axis = c.number("dimension", 0);
  const numbers = c.op("iota", [], { start: 0, stop: shape[axis]!, dtype: c.dtype(dtype) });
  return c.op(
    "expand",
    [
      c.reshape(
        numbers,
        shape.map((extent, i) => (i === axis ? extent : 1)),
      ),
    ],
    { shape },
  );
}

function broadcastInDim(c: Equation): Value {
  const [x, shape] = [c.in(0), c.list("shape")];
  return c.op("broadcast_in_dim", [x], { shape, dims: c.list("broadcast_dimensions") });
}

function slice(c: Equation): Value {
  const step = c.has("strides") ? c.list("strides") : null;
  return c.op("slice", [c.in(0)], { start: c.list("start_indices"), stop: c.list("limit_indices"), step });
}

function split(c: Equation): Value[] {
  const axis = c.number("axis", 0);
  let start = 0;
  return c.list("sizes").map((size) => c.slice(c.in(0), axis, start, (start += size)));
}

/** Elements around and between; negative widths cut. */
export function spread(
  c: Equation,
  x: Value,
  around: readonly { readonly low: number; readonly high: number; readonly between: number }[],
  value: number,
): Value {
  const cut = around.some(({ low, high }) => low < 0 || high < 0);
  const given = x.type.shape.map((extent, axis) => (extent === 0 ? 0 : (extent - 1) * (around[axis]!.between + 1) + 1));
  const open = around.flatMap(({ between }, axis) => (between > 0 && x.type.shape[axis]! > 1 ? [axis] : []));
  let wide = x;
  if (open.length > 0) {
    const windows = c.op("window", [x], {
      kernel_size: x.type.shape.map(() => 1),
      interior: around.map(({ between }) => between + 1),
      value,
    });
    wide = c.reshape(windows, given);
  }
  const sides = (widths: (side: number) => number): number[] =>
    around.toReversed().flatMap(({ low, high }) => [widths(low), widths(high)]);
  const grown = around.some(({ low, high }) => low > 0 || high > 0)
    ? c.op("pad", [wide], { pads: sides((by) => Math.max(by, 0)), value })
    : wide;
  if (!cut) return grown;
  const { shape } = grown.type;
  return c.op("slice", [grown], {
    start: around.map(({ low }) => Math.max(-low, 0)),
    stop: shape.map((extent, axis) =>
      Math.max(extent - Math.max(-around[axis]!.high, 0), Math.max(-around[axis]!.low, 0)),
    ),
  });
}

/** A border that is computed stands where a padded mask is 0. */
function pad(c: Equation): Value {
  const [x, border] = [c.in(0), c.in(1)];
  const around = c.tuples("padding_config").map(([low = 0, high = 0, between = 0]) => ({ low, high, between }));
  const number = c.known(1);
  if (x.type.dtype === "bool") return c.cast(spread(c, c.cast(x, "i32"), around, number?.[0] ?? 0), "bool");
  if (number) return spread(c, x, around, number[0]!);
  const inside = spread(c, c.filled(1, x.type.shape, "i32"), around, 0);
  return c.op("where", [c.op("eq", [inside, 1]), spread(c, x, around, 0), border]);
}

/** The same elements in the result's shape; `dimensions` names the order in which axes are walked. */
const reshaped = (c: Equation): Value => {
  const x = c.prim === "reshape" && c.has("dimensions") ? c.permute(c.in(0), c.list("dimensions")) : c.in(0);
  return c.reshape(x, c.out[0]!.shape);
};

export const shape: Rules = {
  broadcast_in_dim: broadcastInDim,
  concatenate: (c) => c.op("concat", c.args, { axis: c.number("dimension", 0) }),
  expand_dims: reshaped,
  iota,
  pad,
  reshape: reshaped,
  rev: (c) => c.op("flip", [c.in(0)], { axes: c.list("dimensions") }),
  slice,
  split,
  squeeze: reshaped,
  tile: (c) => c.op("tile", [c.in(0)], { repeats: c.list("reps") }),
  transpose: (c) => c.permute(c.in(0), c.list("permutation")),
};

/** @file Convolutions and pools. */
import { smallestOf, sizeOf, type Attrs, type AttrValue } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rule, Rules } from "../rule";
import { range, zeros } from "./arithmetic";

interface Windows {
  readonly kernel: readonly number[];
  readonly stride: readonly number[];
  readonly dilation: readonly number[];
  /** All befores, then all afters. */
  readonly pads: readonly number[];
}

/** Kernel, steps and pads of a node over the spatial axes of `x`; `auto_pad` becomes numbers. */
export function windowsOf(c: NodeContext, extents: readonly number[], kernel: readonly number[]): Windows {
  const all = (name: string, value: number): readonly number[] => c.ints(name) ?? extents.map(() => value);
  const [stride, dilation] = [all("strides", 1), all("dilations", 1)];
  const auto = c.text("auto_pad", "NOTSET");
  const given = c.ints("pads") ?? extents.flatMap(() => [0, 0]);
  if (auto !== "SAME_UPPER" && auto !== "SAME_LOWER") {
    return { kernel, stride, dilation, pads: auto === "VALID" ? given.map(() => 0) : given };
  }
  const needed = extents.map((extent, i) => {
    const count = Math.ceil(extent / stride[i]!);
    return Math.max(0, (count - 1) * stride[i]! + dilation[i]! * (kernel[i]! - 1) + 1 - extent);
  });
  const less = needed.map((total) => Math.floor(total / 2));
  const more = needed.map((total, i) => total - less[i]!);
  return { kernel, stride, dilation, pads: auto === "SAME_UPPER" ? [...less, ...more] : [...more, ...less] };
}

export const spatial = (x: Value): readonly number[] => x.type.shape.slice(2);

/** As one writes it: one number where all axes have the same, nothing where that is the usual one. */
function short(numbers: readonly number[], usual: number): AttrValue {
  const [first] = numbers;
  if (first === undefined || numbers.some((number) => number !== first)) return numbers;
  return first === usual ? null : first;
}

export function conv(c: NodeContext): Value {
  const [x, w] = [c.in(0), c.in(1)];
  const { stride, dilation, pads } = windowsOf(c, spatial(x), c.ints("kernel_shape") ?? spatial(w));
  return c.op("conv", [x, w, c.maybe(2)], {
    stride: short(stride, 1),
    padding: short(pads, 0),
    dilation: short(dilation, 1),
    groups: c.int("group", 1),
  });
}

function convTranspose(c: NodeContext): Value {
  const [x, w] = [c.in(0), c.in(1)];
  const extents = spatial(x);
  const { kernel, stride, dilation } = windowsOf(c, extents, c.ints("kernel_shape") ?? spatial(w));
  const more = c.ints("output_padding") ?? extents.map(() => 0);
  const reach = kernel.map((size, i) => dilation[i]! * (size - 1) + 1);
  const whole = extents.map((extent, i) => stride[i]! * (extent - 1) + more[i]! + reach[i]!);
  const auto = c.text("auto_pad", "NOTSET");
  const same = auto === "SAME_UPPER" || auto === "SAME_LOWER";
  const wanted =
    c.ints("output_shape")?.slice(-extents.length) ?? (same ? extents.map((extent, i) => extent * stride[i]!) : null);
  const given = c.ints("pads") ?? extents.flatMap(() => [0, 0]);
  const total = wanted?.map((size, i) => whole[i]! - size);
  const first = total?.map((cut) => (auto === "SAME_UPPER" ? Math.floor(cut / 2) : cut - Math.floor(cut / 2)));
  const pads = total && first ? [...first, ...total.map((cut, i) => cut - first[i]!)] : given;
  return c.op("conv_transpose", [x, w, c.maybe(2)], {
    stride: short(stride, 1),
    padding: short(pads, 0),
    output_padding: short(more, 0),
    groups: c.int("group", 1),
    dilation: short(dilation, 1),
  });
}

function poolAttrs(c: NodeContext, { kernel, stride, dilation, pads }: Windows): Attrs {
  const isStep = kernel.every((size, i) => size === stride[i]);
  return {
    kernel_size: short(kernel, 0),
    stride: isStep ? null : short(stride, 0),
    padding: short(pads, 0),
    dilation: short(dilation, 1),
    ...(c.int("ceil_mode", 0) === 1 && !c.text("auto_pad", "NOTSET").startsWith("SAME") ? { ceil_mode: true } : {}),
  };
}

const poolOf = (c: NodeContext): Windows => windowsOf(c, spatial(c.in(0)), c.ints("kernel_shape") ?? []);

/** The second result: where each maximum lies in its tensor, row-major or with the last axis slowest but one. */
function maxPool(c: NodeContext): readonly Value[] {
  const x = c.in(0);
  const windows = poolOf(c);
  c.implied("storage_order");
  const best = c.op("max_pool", [x], poolAttrs(c, windows));
  return c.node.outputs.length > 1 && c.node.outputs[1] !== "" ? [best, maxIndices(c, x, windows, best)] : [best];
}

function maxIndices(c: NodeContext, x: Value, { kernel, stride, dilation, pads }: Windows, best: Value): Value {
  const extents = spatial(x);
  const rank = extents.length;
  const counts = spatial(best);
  const after = counts.map(
    (n, i) => (n - 1) * stride[i]! + dilation[i]! * (kernel[i]! - 1) + 1 - extents[i]! - pads[i]!,
  );
  const windows = c.op("window", [x], {
    kernel_size: kernel,
    stride,
    dilation,
    padding: [...pads.slice(0, rank), ...after],
    value: smallestOf(x.type.dtype),
  });
  const tap = c.op("argmax", [windows], { axes: extents.map((_, i) => i + 2), keepdims: false });
  const columns = c.int("storage_order", 0) === 1;
  const axes = extents.map((_, i) => i);
  const slow = (i: number): number => sizeOf(extents.filter((_, other) => (columns ? other < i : other > i)));
  let index: Value | null = null;
  for (const i of axes) {
    const along = c.op("mod", [
      c.op("floor_div", [tap, c.emit.scalar(sizeOf(kernel.slice(i + 1)), "i32")]),
      c.emit.scalar(kernel[i]!, "i32"),
    ]);
    const origin = c.emit.host({
      dtype: "i32",
      dims: counts.map((n, other) => (other === i ? n : 1)),
      data: Float64Array.from(range(counts[i]!), (at) => at * stride[i]! - pads[i]!),
      wide: false,
    });
    const at = c.op("add", [c.op("mul", [along, c.emit.scalar(dilation[i]!, "i32")]), origin]);
    const term = c.op("mul", [at, c.emit.scalar(slow(i), "i32")]);
    index = index === null ? term : c.op("add", [index, term]);
  }
  const [batch, channels] = x.type.shape as [number, number];
  const planes = c.emit.host({
    dtype: "i32",
    dims: [batch, channels, ...axes.map(() => 1)],
    data: Float64Array.from(range(batch * channels), (plane) => plane * sizeOf(extents)),
    wide: false,
  });
  return c.op("add", [index!, planes]);
}

/** Every maximum back at its index; zeros elsewhere. */
function maxUnpool(c: NodeContext): Value {
  const [x, indices] = [c.in(0), c.in(1)];
  const { shape, dtype } = x.type;
  const { kernel, stride, pads } = windowsOf(c, spatial(x), c.ints("kernel_shape") ?? []);
  const rank = kernel.length;
  const natural = [
    ...shape.slice(0, 2),
    ...spatial(x).map((n, i) => (n - 1) * stride[i]! + kernel[i]! - pads[i]! - pads[rank + i]!),
  ];
  const asked = c.maybe(2) ? c.known(2, "shape") : natural;
  const [count, size] = [sizeOf(shape), sizeOf(natural)];
  const zeros = c.op("expand", [c.emit.scalar(0, dtype)], { shape: [size] });
  const flat = c.op("scatter_elements", [zeros, c.reshape(indices, [count]), c.reshape(x, [count])], { axis: 0 });
  if (sizeOf(asked) === size) return c.reshape(flat, asked);
  // The indices count in the natural shape; what the stated one has more lies behind.
  const pads_ = asked.toReversed().flatMap((extent, i) => [0, extent - natural[asked.length - 1 - i]!]);
  return c.op("pad", [c.reshape(flat, natural)], { pads: pads_, mode: "constant", value: 0 });
}

/** Columns summed back into an image: a transposed convolution whose weights put each row at its tap. */
function col2im(c: NodeContext): Value {
  const x = c.in(0);
  const [image, block] = [c.known(1, "image shape"), c.known(2, "block shape")];
  const { stride, dilation, pads } = windowsOf(c, image, block);
  const taps = sizeOf(block);
  const channels = x.type.shape[1]! / taps;
  const rank = block.length;
  const counts = image.map(
    (n, i) => Math.floor((n + pads[i]! + pads[rank + i]! - dilation[i]! * (block[i]! - 1) - 1) / stride[i]!) + 1,
  );
  const weight = zeros(channels * taps * taps);
  for (let row = 0; row < channels * taps; row++) weight[row * taps + (row % taps)] = 1;
  const taken = counts.map(
    (n, i) => (n - 1) * stride[i]! + dilation[i]! * (block[i]! - 1) + 1 - pads[i]! - pads[rank + i]!,
  );
  const w = c.emit.host({ dtype: x.type.dtype, dims: [channels * taps, 1, ...block], data: weight, wide: false });
  return c.op("conv_transpose", [c.reshape(x, [x.type.shape[0]!, channels * taps, ...counts]), w], {
    stride,
    padding: pads,
    dilation,
    output_padding: image.map((n, i) => n - taken[i]!),
    groups: channels,
  });
}

const averagePool: Rule = (c) =>
  c.op("avg_pool", [c.in(0)], { ...poolAttrs(c, poolOf(c)), count_include_pad: c.int("count_include_pad", 0) === 1 });

const lpPool: Rule = (c) => c.op("lp_pool", [c.in(0)], { ...poolAttrs(c, poolOf(c)), p: c.float("p", 2) });

const spatialAxes = (c: NodeContext): Attrs => ({ axes: spatial(c.in(0)).map((_, i) => i + 2), keepdims: true });

function globalLpPool(c: NodeContext): Value {
  const p = c.float("p", 2);
  if (p === 1 || p === 2) return c.op(p === 1 ? "l1_norm" : "l2_norm", [c.in(0)], spatialAxes(c));
  const raised = c.op("pow", [c.op("abs", [c.in(0)]), c.emit.scalar(p)]);
  return c.op("pow", [c.op("sum", [raised], spatialAxes(c)), c.emit.scalar(1 / p)]);
}

export const windowRules: Rules = {
  Conv: conv,
  ConvTranspose: convTranspose,
  MaxPool: maxPool,
  AveragePool: averagePool,
  MaxUnpool: maxUnpool,
  Col2Im: col2im,
  LpPool: lpPool,
  GlobalAveragePool: (c) => c.op("mean", [c.in(0)], spatialAxes(c)),
  GlobalMaxPool: (c) => c.op("max", [c.in(0)], spatialAxes(c)),
  GlobalLpPool: globalLpPool,
};

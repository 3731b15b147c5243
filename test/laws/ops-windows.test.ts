/** @file Windows, convolutions and pools against loops written out. */
import { describe, expect, test } from "vitest";
import { sizeOf, stridesOf, type Attrs, type Node, type Shape } from "../../src/fusion/ir";
import { opDef, withDefaults } from "../../src/fusion/ops";
import { touchedElements } from "../../src/fusion/kernel";
import { coordinatesOf } from "../../src/fusion/reference";
import { GraphMaker } from "../build";
import { f32, refusal, upTo, valueOf } from "../one-op";

const wave = (n: number, by: number): number[] => upTo(n).map((i) => Math.sin(by * i + 1));
const numbers = {
  int: (v: number) => v,
  add: (a: number, b: number) => a + b,
  mul: (a: number, by: number) => a * by,
  div: (a: number, by: number) => Math.floor(a / by),
  mod: (a: number, by: number) => a % by,
  less: (a: number, bound: number) => a < bound,
  atLeast: (a: number, bound: number) => a >= bound,
  and: (a: boolean, b: boolean) => a && b,
};

const windows: [Shape, Attrs][] = [
  [[7], { kernel_size: [3] }],
  [[2, 9], { kernel_size: [2], stride: [3], padding: [1, 2] }],
  [[2, 5, 6], { kernel_size: [3, 2], stride: [2, 1], dilation: [1, 3], padding: [1, 0, 2, 1] }],
  [[1, 4, 3], { kernel_size: [2, 2], interior: [3, 2], padding: [1, 1, 0, 2] }],
  [[6], { kernel_size: [2], padding: [-1, -2] }],
  [[5], { kernel_size: [3], interior: [2], padding: [4, -1] }],
];

describe("window", () => {
  test.each(windows)("of %j %j: its tables say what its index rule says", (shape, attrs) => {
    const def = opDef("window");
    const all = withDefaults(def, attrs);
    const found = def.infer([f32(...shape)], all);
    if (!found.ok) throw new Error(found.text);
    const output = found.value.shape;
    const tables = def.movement!.tables!({ inputs: [shape], attrs: all });
    for (let flat = 0; flat < sizeOf(output); flat++) {
      const at = coordinatesOf(flat, output);
      const [one] = def.movement!.source(at, { inputs: [shape], output, attrs: all }, numbers);
      const direct = one!.when === false ? null : one!.index;
      const byTable = tables.map(({ from, positions }) => {
        const strides = stridesOf(from.map((o) => output[o]!));
        return positions[from.reduce((sum, o, i) => sum + at[o]! * strides[i]!, 0)]!;
      });
      expect(byTable.some((position) => position < 0) ? null : byTable).toEqual(direct);
    }
  });

  test.each(windows)("of %j %j: what a kernel reads is counted exactly", (shape, attrs) => {
    const maker = new GraphMaker();
    const x = maker.input("x", shape);
    const w = maker.op("w", "window", [x], attrs);
    const y = maker.op("y", "neg", [w]);
    const graph = maker.done(y);
    const marks = new Set<number>();
    const n = graph.nodes.get(w) as Node;
    for (let flat = 0; flat < sizeOf(n.type.shape); flat++) {
      const context = { inputs: [shape], output: n.type.shape, attrs: n.attrs };
      const [one] = opDef("window").movement!.source(coordinatesOf(flat, n.type.shape), context, numbers);
      if (one!.when !== false) marks.add(one!.index.reduce((sum, at, axis) => sum + at * stridesOf(shape)[axis]!, 0));
    }
    expect(touchedElements(graph, [w, y], [y]).get(x)).toBe(marks.size);
  });

  test("refuses in words", () => {
    expect(refusal("window", [f32(2, 3)], { kernel_size: [4] }, ["x"])).toBe(
      "x is 2×3: a window of 4 taps does not fit 3 elements with 0 before and 0 after.",
    );
    expect(refusal("window", [f32(2, 3)], { kernel_size: [1, 1, 1] }, ["x"])).toBe("x is 2×3: the window has 3 axes.");
  });
});

/** A convolution as everybody writes it: one sum for each output. */
function convolved(
  x: Shape,
  a: readonly number[],
  w: Shape,
  b: readonly number[],
  attrs: { stride: number[]; dilation: number[]; padding: number[]; groups: number },
): { shape: Shape; data: number[] } {
  const rank = x.length - 2;
  const out = upTo(rank).map(
    (i) =>
      Math.floor(
        (x[i + 2]! + attrs.padding[i]! + attrs.padding[rank + i]! - attrs.dilation[i]! * (w[i + 2]! - 1) - 1) /
          attrs.stride[i]!,
      ) + 1,
  );
  const shape = [x[0]!, w[0]!, ...out];
  const data = upTo(sizeOf(shape)).map((flat) => {
    const [n, o, ...at] = coordinatesOf(flat, shape) as [number, number, ...number[]];
    const group = Math.floor(o / (w[0]! / attrs.groups));
    let sum = 0;
    for (let k = 0; k < sizeOf(w.slice(1)); k++) {
      const [c, ...tap] = coordinatesOf(k, w.slice(1)) as [number, ...number[]];
      const position = tap.map((t, i) => at[i]! * attrs.stride[i]! + t * attrs.dilation[i]! - attrs.padding[i]!);
      if (position.some((p, i) => p < 0 || p >= x[i + 2]!)) continue;
      const index = [n, group * w[1]! + c, ...position];
      sum += a[index.reduce((total, p, axis) => total + p * stridesOf(x)[axis]!, 0)]! * b[o * sizeOf(w.slice(1)) + k]!;
    }
    return sum;
  });
  return { shape, data };
}

const convolutions: [Shape, Shape, { stride: number[]; dilation: number[]; padding: number[]; groups: number }][] = [
  [[2, 3, 8], [4, 3, 3], { stride: [1], dilation: [1], padding: [0, 0], groups: 1 }],
  [[1, 4, 9], [6, 2, 2], { stride: [2], dilation: [3], padding: [2, 1], groups: 2 }],
  [[2, 2, 5, 6], [3, 2, 3, 2], { stride: [2, 1], dilation: [1, 2], padding: [1, 1, 0, 2], groups: 1 }],
  [[1, 4, 6, 6], [4, 1, 3, 3], { stride: [1, 1], dilation: [1, 1], padding: [1, 1, 1, 1], groups: 4 }],
  [
    [1, 2, 3, 4, 5],
    [2, 2, 2, 2, 2],
    { stride: [1, 2, 2], dilation: [1, 1, 1], padding: [0, 1, 0, 1, 0, 1], groups: 1 },
  ],
  [[2, 3, 4, 4], [5, 3, 1, 1], { stride: [1, 1], dilation: [1, 1], padding: [0, 0, 0, 0], groups: 1 }],
];

const close = (got: readonly number[], want: readonly number[]): void => {
  expect(got.length).toBe(want.length);
  got.forEach((value, i) => expect(value).toBeCloseTo(want[i]!, 10));
};

describe("convolutions", () => {
  test.each(convolutions)("%j by %j %j", (x, w, attrs) => {
    const [a, b] = [wave(sizeOf(x), 0.7), wave(sizeOf(w), 1.3)];
    const want = convolved(x, a, w, b, attrs);
    const got = valueOf(
      "conv",
      [
        [x, a],
        [w, b],
      ],
      attrs,
    );
    expect(got.shape).toEqual(want.shape);
    close(got.data, want.data);
  });

  test.each(convolutions)("transposed %j by %j %j: ⟨conv x, y⟩ = ⟨x, convᵀ y⟩", (x, w, attrs) => {
    const [a, b] = [wave(sizeOf(x), 0.7), wave(sizeOf(w), 1.3)];
    const forward = valueOf(
      "conv",
      [
        [x, a],
        [w, b],
      ],
      attrs,
    );
    const y = wave(forward.data.length, 0.31);
    const rank = x.length - 2;
    // Elements that no window reached come back as output padding.
    const reached = upTo(rank).map(
      (i) =>
        (forward.shape[i + 2]! - 1) * attrs.stride[i]! +
        attrs.dilation[i]! * (w[i + 2]! - 1) +
        1 -
        attrs.padding[i]! -
        attrs.padding[rank + i]!,
    );
    const output_padding = upTo(rank).map((i) => x[i + 2]! - reached[i]!);
    const back = valueOf(
      "conv_transpose",
      [
        [forward.shape, y],
        [w, b],
      ],
      { ...attrs, output_padding },
    );
    expect(back.shape).toEqual(x);
    const dot = (p: readonly number[], q: readonly number[]): number => p.reduce((sum, v, i) => sum + v * q[i]!, 0);
    expect(dot(forward.data, y)).toBeCloseTo(dot(a, back.data), 8);
  });

  test("the bias belongs to the output channel", () => {
    const plain = valueOf("conv", [
      [
        [1, 1, 3],
        [1, 2, 3],
      ],
      [
        [2, 1, 2],
        [1, 0, 0, 1],
      ],
    ]);
    const shifted = valueOf("conv", [
      [
        [1, 1, 3],
        [1, 2, 3],
      ],
      [
        [2, 1, 2],
        [1, 0, 0, 1],
      ],
      [[2], [10, 20]],
    ]);
    expect(plain.data).toEqual([1, 2, 2, 3]);
    expect(shifted.data).toEqual([11, 12, 22, 23]);
  });

  test.each<[Shape, Shape, Attrs, string]>([
    [[1, 3, 8], [4, 2, 3], {}, "x is 1×3×8, w is 4×2×3: the weight takes 2 channels and gets 3."],
    [
      [1, 3, 8],
      [4, 2, 3, 3],
      {},
      "x is 1×3×8, w is 4×2×3×3: a convolution takes batch, channels and the same spatial axes of both.",
    ],
    [[1, 4, 8], [4, 2, 3], { groups: 3 }, "x is 1×4×8, w is 4×2×3: channels can't be split into 3 groups."],
    [[1, 2, 8], [4, 2, 3], { stride: [1, 2] }, "There are 1 spatial axes; stride names 2."],
  ])("%j by %j %j is refused", (x, w, attrs, want) => {
    const def = [f32(...x), f32(...w), null] as never;
    expect(refusal("conv", def, attrs, ["x", "w", "b"])).toBe(want);
  });
});

/** Elements under each window, absent ones left out. */
function under(
  x: Shape,
  a: readonly number[],
  kernel: number[],
  stride: number[],
  pads: number[],
  out: Shape,
): number[][] {
  return upTo(sizeOf(out)).map((flat) => {
    const at = coordinatesOf(flat, out);
    return upTo(sizeOf(kernel)).flatMap((k) => {
      const tap = coordinatesOf(k, kernel);
      const position = tap.map((t, i) => at[i + 2]! * stride[i]! + t - pads[i]!);
      if (position.some((p, i) => p < 0 || p >= x[i + 2]!)) return [];
      return [a[[at[0]!, at[1]!, ...position].reduce((sum, p, axis) => sum + p * stridesOf(x)[axis]!, 0)]!];
    });
  });
}

describe("pools", () => {
  const shape = [2, 2, 6, 7];
  const data = wave(sizeOf(shape), 0.9);
  test.each([
    [[2, 2], [2, 2], [0, 0], false],
    [[3, 2], [1, 2], [1, 1], false],
    [[3, 3], [2, 2], [1, 1], true],
    [[2, 3], [3, 3], [0, 1], true],
  ])("kernel %j stride %j padding %j ceil %s", (kernel, stride, padding, ceil_mode) => {
    const attrs = { kernel_size: kernel, stride, padding, ceil_mode };
    const max = valueOf("max_pool", [[shape, data]], attrs);
    const parts = under(shape, data, kernel, stride, padding, max.shape);
    expect(max.data).toEqual(parts.map((part) => Math.max(...part)));
    const mean = (part: readonly number[]): number => part.reduce((sum, v) => sum + v, 0) / part.length;
    close(valueOf("avg_pool", [[shape, data]], { ...attrs, count_include_pad: false }).data, parts.map(mean));
    close(
      valueOf("lp_pool", [[shape, data]], { ...attrs, p: 3 }).data,
      parts.map((part) => Math.cbrt(part.reduce((sum, v) => sum + Math.abs(v) ** 3, 0))),
    );
    if (ceil_mode) return;
    const whole = parts.map((part) => part.reduce((sum, v) => sum + v, 0) / sizeOf(kernel));
    close(valueOf("avg_pool", [[shape, data]], attrs).data, whole);
  });

  test("unfold lists what a convolution multiplies", () => {
    const columns = valueOf(
      "unfold",
      [
        [
          [1, 2, 3],
          [1, 2, 3, 4, 5, 6],
        ],
      ],
      { kernel_size: [2] },
    );
    expect([columns.shape, columns.data]).toEqual([
      [1, 4, 2],
      [1, 2, 2, 3, 4, 5, 5, 6],
    ]);
  });
});

/** @file Reductions and products against naive loops, composites against their parts, samples against whole runs. */
import { describe, expect, test } from "vitest";
import { sizeOf, type Attrs, type Shape, type TensorType } from "../../src/fusion/ir";
import { allOps, axesOf, findOp } from "../../src/fusion/ops";
import { coordinatesOf, runReference, sampleReference } from "../../src/fusion/reference";
import { GraphMaker } from "../build";
import { f32, of, partsOf, upTo, valueOf } from "../one-op";

describe("reductions fold what a naive loop folds", () => {
  const shape: Shape = [2, 3, 4];
  const data = upTo(24).map((i) => Math.fround(Math.sin(i * 7.3) * 3));
  const naive: Readonly<Record<string, (row: number[]) => number>> = {
    sum: (row) => row.reduce((a, b) => a + b, 0),
    mean: (row) => row.reduce((a, b) => a + b, 0) / row.length,
    prod: (row) => row.reduce((a, b) => a * b, 1),
    max: (row) => Math.max(...row),
    min: (row) => Math.min(...row),
    any: (row) => +row.some((x) => x !== 0),
    all: (row) => +row.every((x) => x !== 0),
    argmax: (row) => row.indexOf(Math.max(...row)),
    argmin: (row) => row.indexOf(Math.min(...row)),
    sum_square: (row) => row.reduce((a, b) => a + b * b, 0),
    l1_norm: (row) => row.reduce((a, b) => a + Math.abs(b), 0),
    l2_norm: (row) => Math.hypot(...row),
    logsumexp: (row) => Math.log(row.reduce((a, b) => a + Math.exp(b), 0)),
    logaddexp_reduce: (row) => Math.log(row.reduce((a, b) => a + Math.exp(b), 0)),
    var: (row) => variance(row, 1),
    std: (row) => Math.sqrt(variance(row, 1)),
  };
  const variance = (row: number[], correction: number): number => {
    const mean = row.reduce((a, b) => a + b, 0) / row.length;
    return row.reduce((a, b) => a + (b - mean) ** 2, 0) / (row.length - correction);
  };
  const names = [...allOps.filter((def) => def.kind === "reduce").map((def) => def.name), "logsumexp", "var", "std"];
  const axesList = [null, 0, 1, -1, [0, 1], [0, 2], [1, 2], [0, 1, 2]];
  test.each(names.flatMap((name) => axesList.map((axes) => [name, axes] as const)))("%s over %j", (name, axes) => {
    const folded = axesOf(axes, 3);
    const keepdimShape = shape.map((extent, axis) => (folded.includes(axis) ? 1 : extent));
    const rows: number[][] = upTo(sizeOf(keepdimShape)).map(() => []);
    data.forEach((value, flat) => {
      const at = coordinatesOf(flat, shape);
      const row = keepdimShape.reduce((sum, extent, axis) => sum * extent + (extent === 1 ? 0 : at[axis]!), 0);
      rows[row]!.push(value);
    });
    for (const keepdims of [false, true]) {
      const got = valueOf(name, [[shape, data]], { axes, keepdims });
      expect(got.shape).toEqual(keepdims ? keepdimShape : shape.filter((_, axis) => !folded.includes(axis)));
      got.data.forEach((value, i) => expect(value).toBeCloseTo(naive[name]!(rows[i]!), 10));
    }
  });

  test("over nothing: the identity", () => {
    expect(valueOf("sum", [[[2, 0], []]], { axes: 1 }).data).toEqual([0, 0]);
    expect(valueOf("prod", [[[0], []]]).data).toEqual([1]);
    expect(valueOf("max", [[[0], []]]).data).toEqual([-Infinity]);
    expect(valueOf("mean", [[[0], []]]).data).toEqual([Number.NaN]);
  });

  test("population variance, norms by name, infinities", () => {
    expect(valueOf("var", [[[4], [1, 2, 3, 4]]], { unbiased: false }).data).toEqual([1.25]);
    expect(valueOf("var", [[[4], [1, 2, 3, 4]]], { correction: 0 }).data).toEqual([1.25]);
    expect(valueOf("norm", [[[2], [3, -4]]], { p: 1 }).data).toEqual([7]);
    expect(valueOf("norm", [[[2], [3, -4]]]).data).toEqual([5]);
    expect(valueOf("max", [[[2], [-Infinity, -Infinity]]]).data).toEqual([-Infinity]);
  });
});

describe("matmul", () => {
  test.each<[Shape, Shape, Shape]>([
    [
      [2, 3],
      [3, 4],
      [2, 4],
    ],
    [[3], [3, 4], [4]],
    [[2, 3], [3], [2]],
    [[3], [3], []],
    [
      [5, 2, 3],
      [3, 4],
      [5, 2, 4],
    ],
    [
      [2, 3],
      [5, 3, 4],
      [5, 2, 4],
    ],
    [
      [5, 1, 2, 3],
      [7, 3, 4],
      [5, 7, 2, 4],
    ],
    [[5, 2, 3], [3], [5, 2]],
    [[3], [5, 3, 4], [5, 4]],
    [
      [2, 0],
      [0, 3],
      [2, 3],
    ],
  ])("%j @ %j is %j", (a, b, shape) => {
    const [left, right] = [upTo(sizeOf(a)).map((i) => Math.cos(i)), upTo(sizeOf(b)).map((i) => Math.sin(i))];
    const got = valueOf("matmul", [
      [a, left],
      [b, right],
    ]);
    expect(got.shape).toEqual(shape);
    const [x, y] = [a.length === 1 ? [1, ...a] : a, b.length === 1 ? [...b, 1] : b];
    const [m, k, n] = [x.at(-2)!, x.at(-1)!, y.at(-1)!];
    const batch = shape.slice(0, shape.length - (a.length > 1 ? 1 : 0) - (b.length > 1 ? 1 : 0));
    got.data.forEach((value, flat) => {
      const [j, i, rest] = [flat % n, Math.floor(flat / n) % m, Math.floor(flat / (m * n))];
      const at = coordinatesOf(rest, batch);
      const begin = (own: Shape): number =>
        own
          .slice(0, -2)
          .reduce(
            (sum, extent, axis) => sum * extent + (extent === 1 ? 0 : at[axis + batch.length - (own.length - 2)]!),
            0,
          );
      let want = 0;
      for (let p = 0; p < k; p++) want += left[begin(x) * m * k + i * k + p]! * right[begin(y) * k * n + p * n + j]!;
      expect(value).toBeCloseTo(want, 12);
    });
  });
});

describe("composites expand to these primitives", () => {
  const x = f32(4, 8);
  test.each<[string, (TensorType | null)[], Attrs, string]>([
    ["softmax", [x], {}, "max sub exp sum div"],
    ["log_softmax", [x], {}, "max sub exp sum log sub"],
    ["layer_norm", [x, f32(8), f32(8)], {}, "mean sub square mean add sqrt sub div mul add"],
    ["layer_norm", [x, null, null], {}, "mean sub square mean add sqrt sub div"],
    ["rms_norm", [x, f32(8)], {}, "square mean add rsqrt mul mul"],
    ["l2_normalize", [x], {}, "square sum sqrt div"],
    ["silu", [x], {}, "sigmoid mul"],
    ["swiglu", [x, x], {}, "sigmoid mul mul"],
    ["swiglu", [x, null], {}, "slice sigmoid mul slice mul"],
    ["linear", [x, f32(16, 8), f32(16)], {}, "transpose matmul add"],
    ["linear", [x, f32(16, 8), null], {}, "transpose matmul"],
    ["var", [x], { unbiased: false }, "mean sub square mean"],
    ["std", [x], { correction: 0 }, "mean sub square mean sqrt"],
    ["var", [x], {}, "mean sub square sum div"],
    ["logsumexp", [x], { keepdims: true }, "max sub exp sum log add_peak"],
    ["mse_loss", [x, x], {}, "sub square mean"],
  ])("%s %#", (name, types, attrs, want) => {
    expect(partsOf(name, types, attrs)).toBe(want);
  });

  test("gelu and dropout stay one", () => {
    expect([findOp("gelu")!.kind, findOp("dropout")!.kind]).toEqual(["elementwise", "random"]);
  });

  test("known values", () => {
    const row: readonly [Shape, readonly number[]] = [
      [1, 4],
      [1, 2, 3, 4],
    ];
    const total = Math.exp(1) + Math.exp(2) + Math.exp(3) + Math.exp(4);
    valueOf("softmax", [row]).data.forEach((value, i) => expect(value).toBeCloseTo(Math.exp(i + 1) / total, 14));
    valueOf("log_softmax", [row]).data.forEach((value, i) => expect(value).toBeCloseTo(i + 1 - Math.log(total), 14));
    valueOf("layer_norm", [row, [[4], [1, 1, 2, 1]], [[4], [0, 0, 0, 5]]]).data.forEach((value, i) => {
      const normal = (i + 1 - 2.5) / Math.sqrt(1.25 + 1e-5);
      expect(value).toBeCloseTo(i === 2 ? 2 * normal : i === 3 ? normal + 5 : normal, 14);
    });
    expect(valueOf("silu", [[[1], [2]]]).data[0]).toBeCloseTo(2 / (1 + Math.exp(-2)), 14);
    expect(
      valueOf("linear", [
        [
          [1, 2],
          [1, 2],
        ],
        [
          [3, 2],
          [1, 0, 0, 1, 1, 1],
        ],
        [[3], [10, 20, 30]],
      ]).data,
    ).toEqual([11, 22, 33]);
    expect(valueOf("swiglu", [[[4], [0, 2, 5, 3]]]).data[1]).toBeCloseTo((2 / (1 + Math.exp(-2))) * 3, 14);
  });

  test("a composite's type is its expansion's", () => {
    expect(findOp("linear")!.infer([x, f32(16, 8), f32(16)], {})).toEqual({ ok: true, value: f32(4, 16) });
    expect(findOp("logsumexp")!.infer([x], { axes: 1, keepdims: false })).toEqual({ ok: true, value: f32(4) });
    expect(findOp("tril")!.infer([of("i32", 3, 3)], { diagonal: 0 })).toEqual({ ok: true, value: of("i32", 3, 3) });
  });
});

test("chosen elements are those of the whole run", () => {
  const maker = new GraphMaker();
  const [x, w, bias] = [maker.input("x", [6, 8]), maker.input("w", [5, 8]), maker.input("b", [5])];
  const y = maker.call("y", "linear", [x, w, bias]);
  const s = maker.call("s", "softmax", [y]);
  const padded = maker.op("p", "pad", [s], { pads: [1, 2, 0, 1], mode: "constant", value: 0.5 });
  const out = maker.op("o", "dropout", [maker.op("f", "flip", [padded], { axes: [1] })], { p: 0.3, seed: 9 });
  const top = maker.op("top", "argmax", [out], { axes: 1 });
  const graph = maker.done(out, top);
  const whole = runReference(graph, new Map());
  const asked = new Map(graph.outputs.map((id) => [id, [0, 5, 3, sizeOf(whole.get(id)!.type.shape) - 1, 3]]));
  const chosen = sampleReference(graph, new Map(), asked)!;
  for (const [id, flats] of asked) expect([...chosen.get(id)!]).toEqual(flats.map((flat) => whole.get(id)!.data[flat]));
  expect(sampleReference(graph, new Map(), asked, 10)).toBeNull();
});

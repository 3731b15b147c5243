/** @file Forms that one op had in different opsets, and options that few models set. */
import { describe, expect, test } from "vitest";
import { close, node, run, runGraph, upTo, wave, type Given, type Told } from "./testing";

const x: Given = [[2, 3], wave(6, 0.7)];

describe("old forms", () => {
  test("Tile named a count and an axis", () => {
    const [got] = run("Tile", [x, [[], [2]], [[], [1]]], [], { opset: 1, known: [1, 2] });
    expect(got!.shape).toEqual([2, 6]);
    close(
      got!.data,
      [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5].map((i) => x[1]![i]!),
    );
  });
  test("Concat without an axis joined the second one; empty operands add their extents", () => {
    expect(run("Concat", [x, x], [], { opset: 1 })[0]!.shape).toEqual([2, 6]);
    expect(
      run(
        "Concat",
        [
          [[2, 0], []],
          [[3, 0], []],
        ],
        [{ name: "axis", i: 0 }],
      )[0]!.shape,
    ).toEqual([5, 0]);
  });
});

test("a border that wraps round more than once, and one that cuts", () => {
  const row: Given = [[3], [0, 1, 2]];
  const [got] = run("Pad", [row, [[2], [4, 5]]], [{ name: "mode", s: "wrap" }], { known: [1] });
  expect(got!.data).toEqual(upTo(12).map((i) => (i + 2) % 3));
  const [cut] = run("Pad", [row, [[2], [-1, 0]]], [{ name: "mode", s: "wrap" }], { known: [1] });
  expect(cut!.data).toEqual([1, 2]);
});

test.each([
  ["ReduceL1", Math.abs],
  ["ReduceL2", Math.abs],
  ["ReduceSumSquare", (v: number) => v * v],
  ["ReduceSum", (v: number) => v],
] as const)("%s over no axes: each element on its own", (op, alone) => {
  const [got] = run(op, [x], [{ name: "noop_with_empty_axes", i: 1 }]);
  close(
    got!.data,
    x[1]!.map((v) => alone(v)),
  );
});

test("an infinity of neither sign is none", () => {
  const off = [
    { name: "detect_negative", i: 0 },
    { name: "detect_positive", i: 0 },
  ];
  expect(run("IsInf", [[[2], [Infinity, -Infinity]]], off)[0]!.data).toEqual([0, 0]);
});

test("an equation that changes nothing, and one that turns", () => {
  for (const s of ["ij", "... -> ..."]) close(run("Einsum", [x], [{ name: "equation", s }])[0]!.data, x[1]!);
  expect(run("Einsum", [x], [{ name: "equation", s: "ji" }])[0]!.shape).toEqual([3, 2]);
});

test("the shares of heads that have keys in common", () => {
  const [heads, queries, keys, size] = [4, 2, 3, 2];
  const [q, k] = [wave(heads * queries * size, 0.3), wave(2 * keys * size, 0.8)];
  const inputs: Given[] = [
    [[1, heads, queries, size], q],
    [[1, 2, keys, size], k],
    [[1, 2, keys, size], k],
  ];
  const shares = run("Attention", inputs, [{ name: "qk_matmul_output_mode", i: 3 }], { outputs: 4, opset: 23 })[3]!;
  const want = upTo(heads * queries).flatMap((row) => {
    const head = Math.floor(row / queries / 2);
    const raised = upTo(keys).map((at) => {
      const score = upTo(size).reduce((sum, i) => sum + q[row * size + i]! * k[(head * keys + at) * size + i]!, 0);
      return Math.exp(score / Math.sqrt(size));
    });
    const total = raised.reduce((a, b) => a + b, 0);
    return raised.map((value) => value / total);
  });
  expect(shares.shape).toEqual([1, heads, queries, keys]);
  close(shares.data, want);
});

describe("ops of ONNX Runtime", () => {
  const domain = "com.microsoft";
  test.each([
    ["ComplexMul", 1],
    ["ComplexMulConj", -1],
  ] as const)("%s, pair by pair", (op, sign) => {
    const [a, b] = [wave(12, 0.7), wave(4, 1.1)];
    const [got] = run(
      op,
      [
        [[3, 2, 2], a],
        [[2, 2], b],
      ],
      [],
      { domain, opset: 1 },
    );
    const want = upTo(6).flatMap((i) => {
      const [re, im, p, q] = [a[2 * i]!, a[2 * i + 1]!, b[(2 * i) % 4]!, sign * b[(2 * i + 1) % 4]!];
      return [re * p - im * q, re * q + im * p];
    });
    expect(got!.shape).toEqual([3, 2, 2]);
    close(got!.data, want);
  });

  test("distances between rows", () => {
    const [a, b]: [Given, Given] = [
      [
        [2, 2],
        [0, 0, 1, 1],
      ],
      [
        [3, 2],
        [3, 4, 1, 1, 0, 2],
      ],
    ];
    close(run("CDist", [a, b], [], { domain, opset: 1 })[0]!.data, [25, 2, 4, 13, 0, 2]);
    close(
      run("CDist", [a, b], [{ name: "metric", s: "euclidean" }], { domain, opset: 1 })[0]!.data,
      [25, 2, 4, 13, 0, 2].map(Math.sqrt),
    );
  });

  test("an axis more, a border, a range without a step", () => {
    expect(run("ExpandDims", [x, [[], [-1]]], [], { domain, opset: 1, known: [1] })[0]!.shape).toEqual([...x[0], 1]);
    const [framed] = run(
      "Pad",
      [
        [[2], [5, 6]],
        [[2], [1, 2]],
        [[1], [9]],
      ],
      [],
      { domain, opset: 1, known: [1, 2] },
    );
    expect(framed!.data).toEqual([9, 5, 6, 9, 9]);
    expect(
      run(
        "Range",
        [
          [[], [2]],
          [[], [5]],
        ],
        [],
        { domain, opset: 1, known: [0, 1] },
      )[0]!.data,
    ).toEqual([2, 3, 4]);
  });
});

describe("borders where one side is cut: first the cut, then the border of what is left", () => {
  const row: Given = [[4], [0, 1, 2, 3]];
  test.each([
    ["edge", [-1, 2], [1, 2, 3, 3, 3]],
    ["reflect", [-1, 2], [1, 2, 3, 2, 1]],
    ["wrap", [2, -1], [1, 2, 0, 1, 2]],
    ["constant", [-2, 1], [2, 3, 0]],
  ] as const)("%s by %j", (mode, pads, want) => {
    const [got] = run("Pad", [row, [[2], [...pads]]], [{ name: "mode", s: mode }], { known: [1] });
    expect(got!.data).toEqual(want);
  });
});

test("what one output element is read at is decided in f32", () => {
  const row = (n: number): Given => [[n], upTo(n)];
  const resized = (n: number, scale: number, told: Told, opset = 19): number[] =>
    run("Resize", opset === 10 ? [row(n), [[1], [scale]]] : [row(n), null, [[1], [scale]]], told, {
      opset,
      known: [opset === 10 ? 1 : 2],
    })[0]!.data;
  expect(resized(5, Math.fround(2.6), []).length).toBe(13);
  expect(resized(5, Math.fround(0.6), [{ name: "nearest_mode", s: "floor" }])).toEqual([0, 2, 3]);
  // Opset 10 names no rounding: what shrinks takes the next element.
  expect(resized(4, Math.fround(0.6), [], 10)).toEqual([0, 2]);
});

test("windows that need not fit, without pads", () => {
  const told = [
    { name: "kernel_shape", ints: [2] },
    { name: "strides", ints: [2] },
    { name: "dilations", ints: [2] },
    { name: "auto_pad", s: "VALID" },
    { name: "ceil_mode", i: 1 },
  ];
  expect(run("MaxPool", [[[1, 1, 8], upTo(8)]], told)[0]!.data).toEqual([2, 4, 6, 6]);
});

test("an even number of neighbouring channels: one more behind than before", () => {
  const [got] = run(
    "LRN",
    [
      [
        [1, 3, 1],
        [1, 2, 3],
      ],
    ],
    [
      { name: "size", i: 2 },
      { name: "alpha", f: 2 },
      { name: "beta", f: 1 },
    ],
  );
  close(got!.data, [1 / (1 + 5), 2 / (1 + 13), 3 / (1 + 9)]);
});

test("powers of whole numbers by fractions are cut", () => {
  const whole = (name: string): ReturnType<typeof node> => node("Cast", [name], [`${name}_i`], [{ name: "to", i: 6 }]);
  const [got] = runGraph(
    [whole("x"), node("Pow", ["x_i", "y"], ["z"])],
    { x: [[3], [4, 2, 3]], y: [[3], [0.5, 0.5, 2]] },
    ["z"],
  );
  expect(got!.data).toEqual([2, 1, 9]);
});

test("Shrink of whole numbers", () => {
  const told = [
    { name: "lambd", f: 1.5 },
    { name: "bias", f: 0.5 },
  ];
  const [got] = runGraph(
    [node("Cast", ["x"], ["i"], [{ name: "to", i: 6 }]), node("Shrink", ["i"], ["z"], told)],
    { x: [[4], [-3, -1, 1, 3]] },
    ["z"],
  );
  expect(got!.data).toEqual([-2, 0, 0, 2]);
});

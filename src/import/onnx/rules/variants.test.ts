/** @file Forms that one op had in different opsets, and options that few models set. */
import { describe, expect, test } from "vitest";
import { close, run, upTo, wave, type Given } from "./testing";

const x: Given = [[2, 3], wave(6, 0.7)]; // prettier-ignore

describe("old forms", () => {
  test("Tile named a count and an axis", () => {
    const [got] = run("Tile", [x, [[], [2]], [[], [1]]], [], { opset: 1, known: [1, 2] }); // prettier-ignore
    expect(got!.shape).toEqual([2, 6]);
    close(got!.data, [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5].map((i) => x[1]![i]!)); // prettier-ignore
  });
  test("Concat without an axis joined the second one; empty operands add their extents", () => {
    expect(run("Concat", [x, x], [], { opset: 1 })[0]!.shape).toEqual([2, 6]);
    expect(run("Concat", [[[2, 0], []], [[3, 0], []]], [{ name: "axis", i: 0 }])[0]!.shape).toEqual([5, 0]); // prettier-ignore
  });
});

test("a border that wraps round more than once, and one that cuts", () => {
  const row: Given = [[3], [0, 1, 2]]; // prettier-ignore
  const [got] = run("Pad", [row, [[2], [4, 5]]], [{ name: "mode", s: "wrap" }], { known: [1] }); // prettier-ignore
  expect(got!.data).toEqual(upTo(12).map((i) => (i + 2) % 3));
  const [cut] = run("Pad", [row, [[2], [-1, 0]]], [{ name: "mode", s: "wrap" }], { known: [1] }); // prettier-ignore
  expect(cut!.data).toEqual([1, 2]);
});

test.each([["ReduceL1", Math.abs], ["ReduceL2", Math.abs], ["ReduceSumSquare", (v: number) => v * v], ["ReduceSum", (v: number) => v]] as const)(
  "%s over no axes: each element on its own",
  (op, alone) => {
    const [got] = run(op, [x], [{ name: "noop_with_empty_axes", i: 1 }]);
    close(got!.data, x[1]!.map((v) => alone(v)));
  },
); // prettier-ignore

test("an infinity of neither sign is none", () => {
  const off = [{ name: "detect_negative", i: 0 }, { name: "detect_positive", i: 0 }]; // prettier-ignore
  expect(run("IsInf", [[[2], [Infinity, -Infinity]]], off)[0]!.data).toEqual([0, 0]); // prettier-ignore
});

test("an equation that changes nothing, and one that turns", () => {
  close(run("Einsum", [x], [{ name: "equation", s: "ij" }])[0]!.data, x[1]!);
  expect(run("Einsum", [x], [{ name: "equation", s: "ji" }])[0]!.shape).toEqual([3, 2]);
});

test("the shares of heads that have keys in common", () => {
  const [heads, queries, keys, size] = [4, 2, 3, 2];
  const [q, k] = [wave(heads * queries * size, 0.3), wave(2 * keys * size, 0.8)];
  const inputs: Given[] = [[[1, heads, queries, size], q], [[1, 2, keys, size], k], [[1, 2, keys, size], k]]; // prettier-ignore
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
  test.each([["ComplexMul", 1], ["ComplexMulConj", -1]] as const)("%s, pair by pair", (op, sign) => {
    const [a, b] = [wave(12, 0.7), wave(4, 1.1)];
    const [got] = run(op, [[[3, 2, 2], a], [[2, 2], b]], [], { domain, opset: 1 }); // prettier-ignore
    const want = upTo(6).flatMap((i) => {
      const [re, im, p, q] = [a[2 * i]!, a[2 * i + 1]!, b[(2 * i) % 4]!, sign * b[(2 * i + 1) % 4]!];
      return [re * p - im * q, re * q + im * p];
    });
    expect(got!.shape).toEqual([3, 2, 2]);
    close(got!.data, want);
  }); // prettier-ignore

  test("distances between rows", () => {
    const [a, b]: [Given, Given] = [[[2, 2], [0, 0, 1, 1]], [[3, 2], [3, 4, 1, 1, 0, 2]]]; // prettier-ignore
    close(run("CDist", [a, b], [], { domain, opset: 1 })[0]!.data, [25, 2, 4, 13, 0, 2]);
    close(run("CDist", [a, b], [{ name: "metric", s: "euclidean" }], { domain, opset: 1 })[0]!.data, [25, 2, 4, 13, 0, 2].map(Math.sqrt)); // prettier-ignore
  });

  test("an axis more, a border, a range without a step", () => {
    expect(run("ExpandDims", [x, [[], [-1]]], [], { domain, opset: 1, known: [1] })[0]!.shape).toEqual([...x[0], 1]);
    const [framed] = run("Pad", [[[2], [5, 6]], [[2], [1, 2]], [[1], [9]]], [], { domain, opset: 1, known: [1, 2] }); // prettier-ignore
    expect(framed!.data).toEqual([9, 5, 6, 9, 9]);
    expect(run("Range", [[[], [2]], [[], [5]]], [], { domain, opset: 1, known: [0, 1] })[0]!.data).toEqual([2, 3, 4]); // prettier-ignore
  });
});

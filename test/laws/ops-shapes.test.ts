/** @file Type rules refuse in words, and movement ops take each element from where they say. */
import { describe, expect, test } from "vitest";
import { nodeId, sizeOf, stridesOf, type Attrs, type Node, type Shape, type TensorType } from "../../src/fusion/ir";
import { allComposites, allOps, opDef, permOf } from "../../src/fusion/ops";
import { coordinatesOf } from "../../src/fusion/reference";
import { f32, refusal, upTo, valueOf } from "../one-op";

describe("type rules refuse in words", () => {
  test.each<[string, TensorType[], Attrs, string]>([
    ["matmul", [f32(4, 8), f32(16, 8)], {}, "x is 4×8, w is 16×8: the inner sizes 8 and 16 differ; did you mean w.T?"],
    ["matmul", [f32(4, 8), f32(7, 3)], {}, "x is 4×8, w is 7×3: the inner sizes 8 and 7 differ; they must be equal."],
    ["matmul", [f32(), f32(7, 3)], {}, "x is a scalar, and @ multiplies matrices; write x * w."],
    ["matmul", [f32(2, 4, 8), f32(3, 8, 1)], {}, "x is 2×4×8, w is 3×8×1: the batches 2 and 3 don't broadcast."],
    ["add", [f32(4, 8), f32(8, 4)], {}, "x is 4×8, w is 8×4: the last sizes, 8 and 4, differ; did you mean w.T?"],
    ["add", [f32(4, 8), f32(3)], {}, "x is 4×8, w is 3: the last sizes, 8 and 3, differ; they must be equal or 1."],
    ["sum", [f32(4, 8)], { axes: 2 }, "x is 4×8: it has no axis 2; its axes are 0 and 1."],
    ["softmax", [f32(4, 8)], { axis: -3 }, "x is 4×8: it has no axis -3; its axes are 0 and 1."],
    ["reshape", [f32(4, 8)], { shape: [5, -1] }, "x is 4×8, which is 32 elements; 5×? is a multiple of 5."],
    ["reshape", [f32(4, 8)], { shape: [5, 7] }, "x is 4×8, which is 32 elements; 5×7 is 35."],
    ["squeeze", [f32(4, 1)], { axes: 0 }, "x is 4×1: axis 0 has size 4; only a size of 1 can be dropped."],
    [
      "expand",
      [f32(4, 2)],
      { shape: [4, 8] },
      "x is 4×2: it can't be expanded to 4×8; only sizes of 1 can grow, and new axes come first.",
    ],
    ["concat", [f32(4, 2), f32(4, 3)], { axis: 0 }, "x is 4×2, w is 4×3: all sizes but that of axis 0 must be equal."],
    ["stack", [f32(4, 2), f32(4, 3)], {}, "x is 4×2, w is 4×3: stacked tensors have one shape."],
    ["transpose", [f32(4, 2)], { perm: [0, 0] }, "Axis 0 of x is named twice."],
    [
      "pad",
      [f32(4, 2)],
      { pads: [2, 0], mode: "reflect" },
      "x is 4×2: mode reflect can add 0 to 1 on a side of axis 1.",
    ],
    ["linear", [f32(4, 8), f32(8, 16)], {}, "x is 4×8, w is 8×16: the inner sizes 8 and 16 differ; did you mean w.T?"],
    [
      "layer_norm",
      [f32(4, 8), f32(4)],
      {},
      "x is 4×8, w is 4: it must be the sizes of the trailing axes that are normalised.",
    ],
    [
      "slice",
      [f32(4)],
      { start: [0], stop: [4], step: [0] },
      "A slice with step 0 never ends; steps are 1 or more, or −1 or less.",
    ],
    ["dropout", [f32(4)], { p: 1.5 }, "dropout of x drops a fraction p from 0 to 1; 1.5 was given."],
    ["argmax", [f32(0, 2)], { axes: 0 }, "argmax needs at least one element to point at; x is 0×2."],
  ])("%s %#", (op, inputs, attrs, want) => {
    const padded = op === "layer_norm" ? [...inputs, null] : op === "linear" ? [...inputs, null] : inputs;
    expect(refusal(op, padded as TensorType[], attrs, ["x", "w", "b"])).toBe(want);
  });

  test("no rule throws, whatever the shapes and attributes", () => {
    const shapes: Shape[] = [[], [0], [3], [4, 8], [8, 4], [2, 1, 5], [1, 1, 1, 1]];
    const values: (number | number[] | string | null)[] = [
      null,
      -1,
      0,
      7,
      [0],
      [1, 0],
      [-1, 2],
      [5, 5, 5],
      "edge",
      0.5,
    ];
    for (const def of [...allOps, ...allComposites]) {
      const tensors = def.params.filter((param) => param.kind === "tensor" || param.kind === "tensors");
      const others = def.params.filter((param) => !tensors.includes(param));
      for (const a of shapes) {
        for (const b of shapes) {
          for (const value of values) {
            const inputs = tensors.map((_, i) => f32(...(i % 2 === 0 ? a : b)));
            const attrs = Object.fromEntries(others.map((param) => [param.names[0]!, value]));
            const found = def.infer(inputs, attrs);
            expect(found.ok ? "Fine." : found.text).toMatch(/^\S.*[.?]$/s);
          }
        }
      }
    }
  });
});

describe("movement", () => {
  const m23: readonly [Shape, readonly number[]] = [[2, 3], upTo(6)];
  test.each<[string, Attrs, Shape, number[]]>([
    ["reshape", { shape: [3, -1] }, [3, 2], [0, 1, 2, 3, 4, 5]],
    ["flatten", {}, [6], [0, 1, 2, 3, 4, 5]],
    ["unsqueeze", { axes: [0, -1] }, [1, 2, 3, 1], [0, 1, 2, 3, 4, 5]],
    ["transpose", {}, [3, 2], [0, 3, 1, 4, 2, 5]],
    ["transpose", { perm: 0, dim1: 1 }, [3, 2], [0, 3, 1, 4, 2, 5]],
    ["transpose", { perm: [0, 1] }, [2, 3], [0, 1, 2, 3, 4, 5]],
    ["permute", { dims: [1, 0] }, [3, 2], [0, 3, 1, 4, 2, 5]],
    ["flip", { axes: [1] }, [2, 3], [2, 1, 0, 5, 4, 3]],
    ["slice", { start: [0, -1], stop: [2, -4], step: [1, -1] }, [2, 3], [2, 1, 0, 5, 4, 3]],
    ["slice", { start: [1], stop: [9], axes: [1] }, [2, 2], [1, 2, 4, 5]],
    ["slice", { start: [0], stop: [3], step: [2], axes: [1] }, [2, 2], [0, 2, 3, 5]],
    ["tile", { repeats: [2] }, [2, 6], [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]],
    ["repeat", { repeats: [2, 1] }, [4, 3], [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]],
    ["repeat", { repeats: [2], axis: 1 }, [2, 6], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]],
    ["repeat_interleave", { repeats: 2, axis: 0 }, [4, 3], [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]],
    ["roll", { shifts: [1], axes: [1] }, [2, 3], [2, 0, 1, 5, 3, 4]],
    ["roll", { shifts: [1] }, [2, 3], [5, 0, 1, 2, 3, 4]],
    ["pad", { pads: [1, 0, 0, 1], value: 9 }, [3, 4], [9, 0, 1, 2, 9, 3, 4, 5, 9, 9, 9, 9]],
    ["pad", { pads: [-1, 1], value: 9 }, [2, 3], [1, 2, 9, 4, 5, 9]],
    ["pad", { pads: [1, 2], mode: "edge" }, [2, 6], [0, 0, 1, 2, 2, 2, 3, 3, 4, 5, 5, 5]],
    ["pad", { pads: [2, 1, 1, 0], mode: "wrap" }, [3, 6], [4, 5, 3, 4, 5, 3, 1, 2, 0, 1, 2, 0, 4, 5, 3, 4, 5, 3]],
    ["pad", { pads: [2, 1, 1, 0], mode: "reflect" }, [3, 6], [5, 4, 3, 4, 5, 4, 2, 1, 0, 1, 2, 1, 5, 4, 3, 4, 5, 4]],
    ["tril", {}, [2, 3], [0, 0, 0, 3, 4, 0]],
    ["triu", { diagonal: 1 }, [2, 3], [0, 1, 2, 0, 0, 5]],
    ["expand", { shape: [2, -1, 3] }, [2, 2, 3], [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]],
    ["broadcast_in_dim", { shape: [2, 2, 3], dims: [0, 2] }, [2, 2, 3], [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]],
  ])("%s %j", (op, attrs, shape, data) => {
    expect(valueOf(op, [m23], attrs)).toEqual({ shape, dtype: "f32", data });
  });

  test("concat, stack, squeeze", () => {
    expect(
      valueOf(
        "concat",
        [
          m23,
          [
            [2, 1],
            [7, 8],
          ],
        ],
        { axis: -1 },
      ).data,
    ).toEqual([0, 1, 2, 7, 3, 4, 5, 8]);
    expect(valueOf("stack", [m23, m23], { axis: 1 })).toEqual({
      shape: [2, 2, 3],
      dtype: "f32",
      data: [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5],
    });
    expect(valueOf("squeeze", [[[1, 2, 1, 3], upTo(6)]], {}).shape).toEqual([2, 3]);
    expect(valueOf("squeeze", [[[1, 2, 1, 3], upTo(6)]], { axes: 2 }).shape).toEqual([1, 2, 3]);
  });

  test("free views keep row-major order: their index rule is the identity of the flat index", () => {
    for (const [from, to] of [
      [
        [4, 6],
        [2, 2, 3, 2],
      ],
      [
        [2, 3, 4],
        [6, 4],
      ],
      [
        [6, 4],
        [4, 6],
      ],
      [
        [1, 5],
        [5, 1, 1],
      ],
      [
        [2, 1, 3],
        [2, 3],
      ],
      [[], [1, 1]],
    ] as const) {
      const got = valueOf("reshape", [[from, upTo(sizeOf(from))]], { shape: to });
      const node: Node = {
        id: nodeId("r"),
        op: "reshape",
        inputs: [],
        attrs: { shape: to },
        type: f32(...to),
        label: "r",
        origins: [],
        groups: [],
      };
      for (let flat = 0; flat < sizeOf(to); flat++) {
        const [one] = opDef("reshape").movement!.source(
          coordinatesOf(flat, to),
          { inputs: [from], output: to, attrs: node.attrs },
          {
            int: (v) => v,
            add: (a, b) => a + b,
            mul: (a, by) => a * by,
            div: (a, by) => Math.floor(a / by),
            mod: (a, by) => a % by,
            less: () => true,
            atLeast: () => true,
            and: () => true,
          },
        );
        expect(one!.index.reduce((sum, at, axis) => sum + at * stridesOf(from)[axis]!, 0)).toBe(flat);
      }
      expect(got.data).toEqual(upTo(sizeOf(from)));
    }
  });

  test("permutations in every spelling", () => {
    expect([
      permOf({}, 3),
      permOf({ perm: [0, -1, 1] }, 3),
      permOf({ perm: 0, dim1: 2 }, 3),
      permOf({ perm: -1, dim1: -2 }, 3),
    ]).toEqual([
      [2, 1, 0],
      [0, 2, 1],
      [2, 1, 0],
      [0, 2, 1],
    ]);
  });
});

/** @file Damaged and hostile models: always an answer in words, soon, and no more memory than they carry. */
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { describe, expect, test } from "vitest";
import { importModel, importOnnx, type ImportedModel } from "./import-model";
import type { OnnxFunction, OnnxModel, OnnxNode } from "./model";
import { graph, node, upTo } from "./rules/testing";

const importGraph = (
  nodes: readonly OnnxNode[],
  inputs: Readonly<Record<string, readonly number[]>>,
  outputs: readonly string[],
  more: Partial<OnnxModel> = {},
): ImportedModel =>
  importModel({ opsets: new Map([["", 21]]), functions: [], graph: graph(nodes, inputs, outputs), ...more });

/** Why each refused op was refused. */
const whys = ({ unsupported }: ImportedModel): string[] => unsupported.map(({ op, why }) => `${op}: ${why}`);

describe("bytes that are damaged", () => {
  const nested =
    (field: number, write: (w: BinaryWriter) => void) =>
    (w: BinaryWriter): BinaryWriter => {
      const inner = new BinaryWriter();
      write(inner);
      return w.uint32((field << 3) | 2).bytes(inner.finish());
    };
  const text = (w: BinaryWriter, field: number, value: string): BinaryWriter =>
    w.uint32((field << 3) | 2).string(value);
  const value =
    (name: string) =>
    (w: BinaryWriter): void => {
      text(w, 1, name);
      nested(2, (t) =>
        nested(1, (tensor) => {
          tensor.uint32(8).int32(1);
          nested(2, (shape) => nested(1, (dim) => dim.uint32(8).int64(4))(shape))(tensor);
        })(t),
      )(w);
    };
  const whole = new BinaryWriter();
  nested(7, (g) => {
    nested(1, (n) => text(text(text(text(n, 1, "x"), 1, "x"), 2, "y"), 4, "Add"))(g);
    nested(11, value("x"))(g);
    nested(12, value("y"))(g);
  })(whole);
  nested(8, (o) => o.uint32(16).int64(21))(whole);
  const bytes = whole.finish();

  test("whole, it is read", () => {
    const read = importOnnx(bytes);
    expect(read.ok && read.value.text).toContain("add(x, x)");
  });
  test("a pointer to a file, and a graph without results", () => {
    expect(importOnnx(new TextEncoder().encode("version https://git-lfs.github.com/spec/v1\noid"))).toMatchObject({
      ok: false,
      text: expect.stringContaining("git lfs pull") as string,
    });
    const none = new BinaryWriter();
    nested(7, (g) => nested(11, value("x"))(g))(none);
    expect(importOnnx(none.finish())).toMatchObject({
      ok: false,
      text: "This model gives no results: there is nothing to compute.",
    });
  });
  test("cut off anywhere, or with any one byte changed, there is an answer", () => {
    const damaged = [
      ...upTo(bytes.length).map((end) => bytes.slice(0, end)),
      ...upTo(bytes.length).flatMap((at) => [0, 0x7f, 0xff].map((other) => bytes.with(at, other))),
    ];
    for (const one of damaged) {
      const read = importOnnx(one);
      expect(read.ok ? "" : read.text).toMatch(
        /^$|^This file is not an ONNX model, or it is damaged \(.+\)\.$|^This model gives no results/,
      );
    }
  });
});

test("a layer is one call, and what is usual of it is not written", () => {
  const stats = { scale: [8], shift: [8], m: [8], v: [8] };
  const { text } = importGraph(
    [
      node(
        "Conv",
        ["x", "w"],
        ["c"],
        [
          { name: "kernel_shape", ints: [3, 3] },
          { name: "pads", ints: [1, 1, 1, 1] },
          { name: "strides", ints: [1, 1] },
          { name: "group", i: 1 },
        ],
      ),
      node("BatchNormalization", ["c", "scale", "shift", "m", "v"], ["n"], [{ name: "epsilon", f: Math.fround(1e-5) }]),
      node(
        "MaxPool",
        ["n"],
        ["p"],
        [
          { name: "kernel_shape", ints: [2, 2] },
          { name: "strides", ints: [2, 2] },
        ],
      ),
      node("InstanceNormalization", ["p", "scale", "shift"], ["i"]),
      node(
        "Conv",
        ["i", "w"],
        ["y"],
        [
          { name: "kernel_shape", ints: [3, 3] },
          { name: "pads", ints: [0, 1, 0, 1] },
          { name: "strides", ints: [2, 2] },
          { name: "dilations", ints: [1, 1] },
        ],
      ),
    ],
    { x: [2, 8, 16, 16], w: [8, 8, 3, 3], ...stats },
    ["y"],
  );
  expect(text.split("\n").filter((line) => line.includes("("))).toEqual([
    "c = conv(x, w, padding=1)",
    "n = batch_norm(c, m, v, scale, shift)",
    "p = max_pool(n, kernel_size=2)",
    "i = instance_norm(p, scale, shift)",
    "y = conv(i, w, stride=2, padding=(0, 1, 0, 1))",
  ]);
});

describe("graphs that lead nowhere", () => {
  test("nodes that wait for one another are left out, with all behind them", () => {
    const read = importGraph(
      [node("Add", ["x", "b"], ["a"]), node("Neg", ["a"], ["b"]), node("Abs", ["x"], ["y"])],
      { x: [2] },
      ["b", "y"],
    );
    expect([...read.outputs.keys()]).toEqual(["y"]);
    expect(whys(read)).toEqual(["Add: it waits for its own result", "Neg: it waits for its own result"]);
  });
  test("nothing that a refused node wrote stays in the program", () => {
    const known = node(
      "Constant",
      [],
      ["w"],
      [
        {
          name: "value",
          t: { name: "", dims: [3, 3], dataType: 1, raw: null, numbers: upTo(9).map((i) => i * i), external: false },
        },
      ],
    );
    const body = graph([node("MatMul", ["x", "w"], ["h"]), node("Riddle", ["h"], ["z"])], {}, ["z"]);
    const read = importGraph(
      [
        known,
        node("Abs", ["x"], ["y"]),
        node(
          "If",
          ["x"],
          ["z"],
          [
            { name: "then_branch", g: body },
            { name: "else_branch", g: body },
          ],
        ),
        node("TopK", ["x", "x"], ["v"]),
      ],
      { x: [3, 3] },
      ["y", "z"],
    );
    expect(read.text).toBe("x: f32[3, 3]\ny = abs(x)\nreturn y\n");
    expect(read.data.size).toBe(0);
  });
  test("operands that are missing, of another kind, or too few", () => {
    const read = importGraph(
      [node("Add", ["x", "nobody"], ["a"]), node("MatMul", ["x"], ["b"]), node("Conv", ["x", "x"], ["c"])],
      { x: [2] },
      ["a", "b", "c"],
    );
    expect([...read.outputs.keys()]).toEqual([]);
    expect(whys(read)[0]).toBe("Add: it reads nobody, which nothing gives");
    expect(whys(read)).toHaveLength(3);
  });
  test("attributes that make no sense", () => {
    const odd = [Number.NaN, -7, 2 ** 40, 0.5];
    const ops = [
      "Transpose",
      "MaxPool",
      "Concat",
      "Split",
      "Gather",
      "Softmax",
      "TopK",
      "DepthToSpace",
      "EyeLike",
      "CumSum",
    ];
    const names = ["perm", "kernel_shape", "strides", "axes", "pads"];
    for (const op of ops)
      for (const number of odd) {
        const told = [
          ...names.map((name) => ({ name, ints: [number, number] })),
          { name: "axis", i: number },
          { name: "blocksize", i: number },
          { name: "num_outputs", i: number },
        ];
        const read = importGraph([node(op, ["x", "x"], ["y"], told)], { x: [2, 4, 6, 6] }, ["y"]);
        expect(read.unsupported.length + read.outputs.size).toBeGreaterThan(0);
      }
  });
});

describe("an op that is not understood", () => {
  const nodes = [
    node("Relu", ["x"], ["h"]),
    node("Riddle", ["h"], ["r"]),
    node("Neg", ["r"], ["y"]),
    node("Abs", ["h"], ["z"]),
  ];
  const whole = (shape: readonly (number | string)[] | null): ImportedModel => {
    const stated = shape ? [{ name: "r", dataType: 1, dims: shape }] : [];
    const main = { ...graph(nodes, { x: [2, 3] }, ["y", "z"]), valueInfo: stated };
    return importModel({ opsets: new Map([["", 21]]), functions: [], graph: main }, { dims: new Map([["n", 5]]) });
  };
  test("what it gives comes in where its type is stated, and its readers are understood; what it reads goes out", () => {
    const read = whole(["n", 3]);
    expect(read.unsupported).toEqual([{ op: "Riddle", count: 1, why: "no rule", given: 1 }]);
    expect(read.text).toContain("r: f32[5, 3]  # what Riddle gives\n");
    expect([...read.outputs.keys()]).toEqual(["y", "z"]);
    expect(read.inputs.has("r")).toBe(false);
    expect(read.text).toMatch(/return y, z, h$/m);
  });
  test.each([[null], [["m", 3]]])("otherwise its readers go with it (%j)", (shape) => {
    const read = whole(shape);
    expect(read.unsupported[0]!.given).toBe(0);
    expect([...read.outputs.keys()]).toEqual(["z"]);
  });
});

test("weights in another file are parameters without numbers; what steers shapes can't be", () => {
  const away = (name: string, dataType: number) => ({
    name,
    dims: [2],
    dataType,
    raw: null,
    numbers: [],
    external: true,
  });
  const nodes = [node("Mul", ["x", "w"], ["y"]), node("Reshape", ["x", "s"], ["z"])];
  const main = { ...graph(nodes, { x: [3, 2] }, ["y", "z"]), initializers: [away("w", 1), away("s", 7)] };
  const read = importModel({ opsets: new Map([["", 21]]), functions: [], graph: main });
  expect([read.elsewhere, [...read.outputs.keys()], read.data.size]).toEqual([["w"], ["y"], 0]);
  expect(read.text).toContain("w: f32[2] = param()");
  expect(whys(read)).toEqual(["Initializer: s keeps its data in another file, which is never opened"]);
});

describe("functions of the model", () => {
  const own = (name: string, nodes: readonly OnnxNode[], more: Partial<OnnxFunction> = {}): OnnxFunction => ({
    name,
    domain: "own",
    overload: "",
    opsets: new Map(),
    inputs: ["x"],
    outputs: ["y"],
    nodes,
    defaults: new Map(),
    ...more,
  });
  const textOf = (functions: readonly OnnxFunction[], call: OnnxNode): string => {
    const read = importGraph([call], { x: [2, 3, 4] }, ["z"], { functions });
    expect(read.unsupported).toEqual([]);
    return read.text;
  };
  const leaky = node("LeakyRelu", ["x"], ["y"], [{ name: "alpha", refersTo: "slope" }]);
  const defaults = new Map([["slope", { name: "slope", f: 0.25, refersTo: "", floats: [], ints: [], strings: [] }]]);
  test("take attributes from the call or stand at their own, inside of branches too", () => {
    const branched = node("If", ["yes"], ["y"], [{ name: "then_branch", g: graph([leaky], {}, ["y"]) }]);
    const yes = node(
      "Constant",
      [],
      ["yes"],
      [{ name: "value", t: { name: "", dims: [], dataType: 9, raw: null, numbers: [1], external: false } }],
    );
    for (const nodes of [[leaky], [branched, yes]]) {
      const functions = [own("F", nodes, { defaults })];
      expect(textOf(functions, node("F", ["x"], ["z"], [], "own"))).toContain("negative_slope=0.25");
      expect(textOf(functions, node("F", ["x"], ["z"], [{ name: "slope", f: 0.5 }], "own"))).toContain(
        "negative_slope=0.5",
      );
    }
  });
  test("mean their ops in their own opset", () => {
    const softmax = [node("Softmax", ["x"], ["y"])];
    expect(textOf([own("F", softmax)], node("F", ["x"], ["z"], [], "own"))).not.toContain("reshape");
    expect(textOf([own("F", softmax, { opsets: new Map([["", 11]]) })], node("F", ["x"], ["z"], [], "own"))).toContain(
      "reshape",
    );
  });
  test("are told apart by their overload", () => {
    const functions = ["", "b"].map((overload) =>
      own("F", [node(overload === "" ? "Neg" : "Abs", ["x"], ["y"])], { overload }),
    );
    const call = node("F", ["x"], ["z"], [], "own");
    expect(textOf(functions, call)).toContain("neg(x)");
    expect(textOf(functions, { ...call, overload: "b" })).toContain("abs(x)");
  });
});

describe("models that would never end", () => {
  const call = (name: string, from: string, to: string): OnnxNode => node(name, [from], [to], [], "own");
  const calls = (name: string, nodes: readonly OnnxNode[]): OnnxFunction => ({
    name,
    domain: "own",
    overload: "",
    opsets: new Map(),
    inputs: ["x"],
    outputs: ["y"],
    nodes,
    defaults: new Map(),
  });

  test("a function that calls itself", () => {
    const own = calls("F", [call("F", "x", "y")]);
    expect(whys(importGraph([call("F", "x", "y")], { x: [2] }, ["y"], { functions: [own] }))).toEqual([
      "own.F: functions nested too deeply",
    ]);
  });
  test("functions that call the next one ten times each", () => {
    const ten = (next: string): OnnxNode[] =>
      upTo(10).map((i) => call(next, i === 0 ? "x" : `t${i}`, i === 9 ? "y" : `t${i + 1}`));
    const functions = upTo(12).map((i) => calls(`F${i}`, i === 11 ? [node("Neg", ["x"], ["y"])] : ten(`F${i + 1}`)));
    const read = importGraph([call("F0", "x", "y")], { x: [2] }, ["y"], { functions });
    expect(whys(read)[0]).toMatch(/more than 200000 nodes/);
  });
  test("a loop inside a loop", () => {
    const body = (inner: OnnxNode): ReturnType<typeof graph> =>
      graph([inner, node("Identity", ["c"], ["on"])], { i: [], c: [], a: [2] }, ["on", "b"]);
    const deep = node("Loop", ["many", "", "a"], ["b"], [{ name: "body", g: body(node("Neg", ["a"], ["b"])) }]);
    const nodes = [node("Loop", ["many", "", "x"], ["y"], [{ name: "body", g: body(deep) }])];
    const known = new Map([["many", { dtype: "i32" as const, dims: [], data: Float64Array.of(4000), wide: true }]]);
    const model = { opsets: new Map([["", 21]]), functions: [], graph: graph(nodes, { x: [2], many: [] }, ["y"]) };
    expect(whys(importModel(model, { known }))[0]).toMatch(/more than 200000 nodes/);
  });
  test("more steps than are written out", () => {
    const told = [{ name: "hidden_size", i: 1 }];
    const read = importGraph(
      [node("RNN", ["x", "w", "r"], ["y"], told)],
      { x: [70000, 1, 1], w: [1, 1, 1], r: [1, 1, 1] },
      ["y"],
    );
    expect(whys(read)).toEqual(["RNN: more than 4096 steps"]);
  });
});

describe("sizes that no memory holds", () => {
  test("of an input, of a result, of a list that a node asks for", () => {
    expect(whys(importGraph([node("Neg", ["x"], ["y"])], { x: [2 ** 40] }, ["y"]))[0]).toMatch(
      /^input: x is 1099511627776/,
    );
    const known = (numbers: readonly number[]) =>
      new Map([
        [
          "n",
          {
            dtype: "i32" as const,
            dims: numbers.length === 1 ? [] : [numbers.length],
            data: Float64Array.from(numbers),
            wide: true,
          },
        ],
      ]);
    const asked = (one: OnnxNode, numbers: readonly number[]): string[] =>
      whys(
        importModel(
          { opsets: new Map([["", 21]]), functions: [], graph: graph([one], { x: [2, 1], n: [] }, ["y"]) },
          { known: known(numbers) },
        ),
      );
    expect(asked(node("Expand", ["x", "n"], ["y"]), [2, 2 ** 33])).toEqual(["Expand: a result of 2×8589934592"]);
    expect(asked(node("Resize", ["x", "", "", "n"], ["y"]), [2, 2 ** 33])).toEqual([
      "Resize: a list of 8589934592 numbers",
    ]);
  });
});

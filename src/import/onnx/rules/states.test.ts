/** @file States from step to step, steps of training, tables of numbers: against loops written out. */
import { describe, expect, test } from "vitest";
import { importModel } from "../import-model";
import type { OnnxNode } from "../model";
import { close, graph, node, run, runGraph, upTo, wave, type Given, type Told } from "./testing";

describe("linear attention, one step after the other", () => {
  const [steps, keys, values] = [3, 2, 3];
  const [q, k, v] = [wave(steps * 2 * keys, 0.7), wave(steps * keys, 0.4), wave(steps * values, 1.1)];
  const [start, decay, rate] = [
    wave(keys * values, 0.3),
    wave(steps * keys, 0.9).map((x) => -Math.abs(x)),
    wave(steps, 0.5),
  ];
  test.each(["linear", "gated", "delta", "gated_delta"])("%s: two query heads share a state", (rule) => {
    const state = [...start];
    const want = upTo(steps).flatMap((t) => {
      const fade = (i: number): number => (rule.startsWith("gated") ? Math.exp(decay[t * keys + i]!) : 1);
      const old = state.map((x, at) => x * fade(Math.floor(at / values)));
      const found = upTo(values).map((j) =>
        upTo(keys).reduce((sum, i) => sum + k[t * keys + i]! * old[i * values + j]!, 0),
      );
      const fresh = upTo(values).map((j) =>
        rule.endsWith("delta") ? rate[t]! * (v[t * values + j]! - found[j]!) : v[t * values + j]!,
      );
      old.forEach((x, at) => (state[at] = x + k[t * keys + Math.floor(at / values)]! * fresh[at % values]!));
      return upTo(2).flatMap((head) =>
        upTo(values).map((j) =>
          upTo(keys).reduce((sum, i) => sum + 0.5 * q[(t * 2 + head) * keys + i]! * state[i * values + j]!, 0),
        ),
      );
    });
    const given: Given[] = [
      [[1, steps, 2 * keys], q],
      [[1, steps, keys], k],
      [[1, steps, values], v],
      [[1, 1, keys, values], start],
      [[1, steps, keys], decay],
      [[1, steps, 1], rate],
    ];
    const told = [
      { name: "q_num_heads", i: 2 },
      { name: "kv_num_heads", i: 1 },
      { name: "update_rule", s: rule },
      { name: "scale", f: 0.5 },
    ];
    const [y, last] = run("LinearAttention", given, told, { outputs: 2, opset: 27 });
    expect(y!.shape).toEqual([1, steps, 2 * values]);
    close(y!.data, want);
    close(last!.data, state);
  });
});

test("a causal convolution sees what the state holds, and hands on its own last positions", () => {
  const [x, w, past] = [wave(8, 0.7), wave(6, 0.4), wave(4, 1.1)];
  const whole = (channel: number): number[] => [
    ...past.slice(channel * 2, channel * 2 + 2),
    ...x.slice(channel * 4, channel * 4 + 4),
  ];
  const sums = upTo(2).flatMap((ch) =>
    upTo(4).map((t) => 0.5 + upTo(3).reduce((sum, tap) => sum + w[ch * 3 + tap]! * whole(ch)[t + tap]!, 0)),
  );
  const given: Given[] = [
    [[1, 2, 4], x],
    [[2, 1, 3], w],
    [[2], [0.5, 0.5]],
    [[1, 2, 2], past],
  ];
  const [y, last] = run("CausalConvWithState", given, [{ name: "activation", s: "silu" }], { outputs: 2, opset: 27 });
  close(
    y!.data,
    sums.map((v) => v / (1 + Math.exp(-v))),
  );
  close(
    last!.data,
    [whole(0), whole(1)].flatMap((row) => row.slice(4)),
  );
});

describe("one step of training, two tensors at once", () => {
  const domain = "ai.onnx.preview.training";
  const [rate, norm, eps] = [0.1, 0.01, 1e-3];
  const sets = (kinds: number): number[][][] =>
    upTo(kinds).map((kind) => upTo(2).map((i) => wave(3, 0.3 + kind + i / 2).map((v) => (kind > 1 ? v * v : v))));
  const stepped = (op: string, count: number, all: number[][][], told: Told): number[][] => {
    const tensors = all.flatMap((kind) => kind.map((data): Given => [[3], data]));
    const given: Given[] = [[[], [rate]], [[], [count]], ...tensors];
    return run(op, given, [{ name: "norm_coefficient", f: norm }, ...told], {
      domain,
      outputs: (all.length - 1) * 2,
    }).map(({ data }) => data);
  };
  const each = (all: number[][][], one: (of: number[]) => number[]): number[][] => {
    const results = upTo(2).map((i) => upTo(3).map((j) => one(all.map((kind) => kind[i]![j]!))));
    return upTo(all.length - 1).flatMap((kind) => results.map((rows) => rows.map((values) => values[kind]!)));
  };
  const agree = (got: number[][], want: number[][]): void => got.forEach((row, i) => close(row, want[i]!));

  test.each([0, 3])("Adagrad, after %d", (count) => {
    const all = sets(3);
    const want = each(all, ([x, g, h]) => {
      const gradient = norm * x! + g!;
      const squares = h! + gradient ** 2;
      return [x! - ((rate / (1 + count * 0.1)) * gradient) / (Math.sqrt(squares) + eps), squares];
    });
    agree(
      stepped("Adagrad", count, all, [
        { name: "epsilon", f: eps },
        { name: "decay_factor", f: 0.1 },
      ]),
      want,
    );
  });
  test.each([0, 3])("Adam, after %d", (count) => {
    const all = sets(4);
    const want = each(all, ([x, g, v, h]) => {
      const gradient = norm * x! + g!;
      const [mean, squares] = [0.9 * v! + 0.1 * gradient, 0.99 * h! + 0.01 * gradient ** 2];
      const own = count > 0 ? (rate * Math.sqrt(1 - 0.99 ** count)) / (1 - 0.9 ** count) : rate;
      return [(1 - 0.02) * (x! - (own * mean) / (Math.sqrt(squares) + eps)), mean, squares];
    });
    const told = [
      { name: "alpha", f: 0.9 },
      { name: "beta", f: 0.99 },
      { name: "epsilon", f: eps },
      { name: "norm_coefficient_post", f: 0.02 },
    ];
    agree(stepped("Adam", count, all, told), want);
  });
  test.each([
    [0, "standard"],
    [3, "standard"],
    [3, "nesterov"],
  ] as const)("Momentum, after %d, %s", (count, mode) => {
    const all = sets(3);
    const want = each(all, ([x, g, v]) => {
      const gradient = norm * x! + g!;
      const next = 0.9 * v! + (count > 0 ? 0.7 : 1) * gradient;
      return [x! - rate * (mode === "nesterov" ? gradient + 0.9 * next : next), next];
    });
    agree(
      stepped("Momentum", count, all, [
        { name: "alpha", f: 0.9 },
        { name: "beta", f: 0.7 },
        { name: "mode", s: mode },
      ]),
      want,
    );
  });
});

test.each([
  ["LEFT", [12, -8, 4]],
  ["RIGHT", [0, -1, 1]],
])("binary digits to the %s", (way, want) => {
  const whole = (name: string): ReturnType<typeof node> => node("Cast", [name], [`${name}_i`], [{ name: "to", i: 6 }]);
  const nodes = [whole("x"), whole("by"), node("BitShift", ["x_i", "by_i"], ["y"], [{ name: "direction", s: way }])];
  const [y] = runGraph(nodes, { x: [[3], [3, -2, 2]], by: [[3], [2, 2, 1]] }, ["y"], { opset: 28 });
  expect(y!.data).toEqual(want);
});

test("rows of known numbers, numbers for numbers, a line through features", () => {
  const options = { domain: "ai.onnx.ml" };
  const [hot] = run("OneHotEncoder", [[[3], [4, 2, 7]]], [{ name: "cats_int64s", ints: [2, 4] }], options);
  expect([hot!.shape, hot!.data]).toEqual([
    [3, 2],
    [0, 1, 1, 0, 0, 0],
  ]);
  const told = [
    { name: "keys_floats", floats: [4, 7] },
    { name: "values_floats", floats: [0.5, 1.5] },
    { name: "default_float", f: 9 },
  ];
  expect(run("LabelEncoder", [[[3], [4, 2, 7]]], told, options)[0]!.data).toEqual([0.5, 9, 1.5]);
  const line = [
    { name: "coefficients", floats: [1, 2, 3, 4] },
    { name: "intercepts", floats: [10, 20] },
    { name: "targets", i: 2 },
  ];
  expect(
    run(
      "LinearRegressor",
      [
        [
          [1, 2],
          [5, 6],
        ],
      ],
      line,
      options,
    )[0]!.data,
  ).toEqual([27, 59]);
});

describe("the derivative of a value of the graph", () => {
  const given = { a: [[2, 3], wave(6, 0.7)], b: [[3], wave(3, 1.3)] } as const;
  const nodes = [node("Mul", ["a", "b"], ["p"]), node("Exp", ["p"], ["y"])];
  const asked = (xs: readonly string[], inputs: readonly string[], y = "y"): OnnxNode =>
    node(
      "Gradient",
      inputs,
      xs.map((x) => `d_${x}`),
      [
        { name: "xs", strings: xs },
        { name: "y", s: y },
      ],
      "ai.onnx.preview.training",
    );
  test("by several, in any order of the file", () => {
    const [da, db] = runGraph([asked(["a", "b"], ["a", "b"]), ...nodes], given, ["d_a", "d_b"]);
    const slope = upTo(6).map((i) => Math.exp(given.a[1][i]! * given.b[1][i % 3]!));
    close(
      da!.data,
      slope.map((e, i) => e * given.b[1][i % 3]!),
    );
    close(
      db!.data,
      upTo(3).map((j) => slope[j]! * given.a[1][j]! + slope[j + 3]! * given.a[1][j + 3]!),
    );
  });
  test("by one", () => {
    close(
      runGraph([...nodes, asked(["p"], ["p"])], given, ["d_p"])[0]!.data,
      upTo(6).map((i) => Math.exp(given.a[1][i]! * given.b[1][i % 3]!)),
    );
  });
  test.each([
    [asked(["a"], ["b"]), "a derivative elsewhere than at the values that the graph was computed from"],
    [asked(["a"], ["a"], "z"), "Gradient of z, which is not there"],
  ])("refused in words (%#)", (one, why) => {
    const read = importModel({
      opsets: new Map([["", 17]]),
      functions: [],
      graph: graph([...nodes, one], { a: [3], b: [3] }, ["y"]),
    });
    expect(read.unsupported.map((op) => op.why)).toEqual([why]);
  });
});

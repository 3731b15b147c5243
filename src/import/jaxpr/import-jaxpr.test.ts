/** Functions of JAX as they are read: every form that cases need, small and by hand. */
import { describe, expect, test } from "vitest";
import { nodeId, parseProgram, runReference } from "../../fusion";
import { importJaxpr } from "./import-jaxpr";
import type { Jaxpr, JaxEquation, Operand, Typed } from "./jaxpr";
import type { JaxQuestion } from "./questions";

const typed = (text: string): Typed => {
  const [, dtype, shape] = /^(\w+)\[(.*)\]$/.exec(text)!;
  return {
    dtype: { f: "float32", i: "int32", b: "bool" }[dtype!] ?? dtype!,
    shape: shape === "" ? [] : shape!.split(",").map(Number),
  };
};
const lit = (data: unknown, type = "f[]"): Operand => ({ lit: { ...typed(type), data } });
const eqn = (
  prim: string,
  inputs: readonly Operand[],
  out: string,
  params: Record<string, unknown> = {},
): JaxEquation => ({
  prim,
  in: inputs,
  out: out.split(" ").map((each, i) => ({ ...typed(each), name: `${"rst"[i]!}` })),
  params,
});
/** A program of operands a, b … in these types. */
const program = (inputs: string, eqns: readonly JaxEquation[], out: readonly Operand[] = ["r"]): Jaxpr => ({
  consts: [],
  in: (inputs === "" ? [] : inputs.split(" ")).map((each, i) => ({ ...typed(each), name: "abcdef"[i]! })),
  eqns,
  out,
});
const closed = (jaxpr: Jaxpr): { readonly jaxpr: Jaxpr } => ({ jaxpr });

/** What a program gives for these operands; keys are those of its outputs. */
function answers(
  jaxpr: Jaxpr,
  data: Readonly<Record<string, readonly number[]>>,
  question: JaxQuestion = { kind: "results" },
): Record<string, number[]> {
  const read = importJaxpr(jaxpr, question);
  expect(read.unsupported).toEqual([]);
  const { graph, diagnostics, symbols } = parseProgram(read.text);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const inputs = new Map(
    Object.entries(data).flatMap(([name, values]) =>
      graph.nodes.has(nodeId(name)) ? [[nodeId(name), [...values]] as const] : [],
    ),
  );
  for (const [name, { data: stored }] of read.data) inputs.set(nodeId(name), [...stored]);
  const found = runReference(graph, inputs);
  const named = new Map(symbols.map(({ name, node }) => [name, node]));
  return Object.fromEntries(
    [...read.outputs].map(([key, { name, host }]) => [key, [...(host?.data ?? found.get(named.get(name!)!)!.data)]]),
  );
}
const one = (jaxpr: Jaxpr, data: Readonly<Record<string, readonly number[]>>): number[] => answers(jaxpr, data)["y0"]!;
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe("equations", () => {
  test.each<[string, Jaxpr, Record<string, number[]>, number[]]>([
    [
      "whole division goes towards 0",
      program("i[3] i[3]", [eqn("div", ["a", "b"], "i[3]")]),
      { x0: [7, -7, 7], x1: [2, 2, -2] },
      [3, -3, -3],
    ],
    [
      "a reshape that names its dimensions walks them in that order",
      program("f[2,3]", [eqn("reshape", ["a"], "f[6]", { new_sizes: [6], dimensions: [1, 0] })]),
      { x0: [1, 2, 3, 4, 5, 6] },
      [1, 4, 2, 5, 3, 6],
    ],
    [
      "whole powers",
      program("f[3]", [eqn("integer_pow", ["a"], "f[3]", { y: -3 })]),
      { x0: [1, -2, 0.5] },
      [1, -0.125, 8],
    ],
    [
      "halves away from 0",
      program("f[4]", [eqn("round", ["a"], "f[4]", { rounding_method: 0 })]),
      { x0: [0.5, 1.5, -2.5, 0.49999997] },
      [1, 2, -3, 0],
    ],
    [
      "one of three",
      program("i[4] f[4] f[4] f[4]", [eqn("select_n", ["a", "b", "c", "d"], "f[4]")]),
      { x0: [2, 0, 1, 2], x1: [1, 2, 3, 4], x2: [5, 6, 7, 8], x3: [9, 10, 11, 12] },
      [9, 2, 7, 12],
    ],
    [
      "a border between, one that cuts",
      program("f[3]", [eqn("pad", ["a", lit(9)], "f[5]", { padding_config: [[1, -1, 1]] })]),
      { x0: [1, 2, 3] },
      [9, 1, 9, 2, 9],
    ],
    [
      "a border that is computed",
      program("f[2] f[]", [eqn("pad", ["a", "b"], "f[4]", { padding_config: [[1, 1, 0]] })]),
      { x0: [1, 2], x1: [7] },
      [7, 1, 2, 7],
    ],
    [
      "a running maximum from the end",
      program("f[4]", [eqn("cummax", ["a"], "f[4]", { axis: 0, reverse: true })]),
      { x0: [1, 4, 2, 3] },
      [4, 4, 3, 3],
    ],
    [
      "windows of a maximum",
      program("f[4]", [
        eqn("reduce_window_max", ["a"], "f[3]", {
          window_dimensions: [2],
          window_strides: [2],
          padding: [[1, 1]],
          base_dilation: [1],
          window_dilation: [1],
        }),
      ]),
      { x0: [-1, -4, -2, -3] },
      [-1, -2, -3],
    ],
    [
      "windows of a program",
      program("f[4]", [
        eqn("reduce_window", ["a", lit(1)], "f[3]", {
          jaxpr: closed(program("f[] f[]", [eqn("mul", ["a", "b"], "f[]")])),
          window_dimensions: [2],
          window_strides: [1],
          padding: [[0, 0]],
        }),
      ]),
      { x0: [1, 2, 3, 4] },
      [2, 6, 12],
    ],
    [
      "a slice from where data says",
      program("f[5] i[]", [eqn("dynamic_slice", ["a", "b"], "f[2]", { slice_sizes: [2] })]),
      { x0: upTo(5), x1: [9] },
      [3, 4],
    ],
    [
      "a window written where data says",
      program("f[2,3] f[1,2] i[] i[]", [eqn("dynamic_update_slice", ["a", "b", "c", "d"], "f[2,3]")]),
      { x0: upTo(6), x1: [8, 9], x2: [1], x3: [-4] },
      [0, 1, 2, 8, 9, 5],
    ],
    [
      "rows, those outside NaN",
      program("f[3,2] i[2,1]", [
        eqn("gather", ["a", "b"], "f[2,2]", {
          dimension_numbers: [[1], [0], [0], [], []],
          slice_sizes: [1, 2],
          mode: "GatherScatterMode.FILL_OR_DROP",
        }),
      ]),
      { x0: upTo(6), x1: [2, 3] },
      [4, 5, NaN, NaN],
    ],
    [
      "windows that are moved inside",
      program("f[3,3] i[1,2]", [
        eqn("gather", ["a", "b"], "f[1,2,2]", {
          dimension_numbers: [[1, 2], [], [0, 1], [], []],
          slice_sizes: [2, 2],
          mode: "GatherScatterMode.CLIP",
        }),
      ]),
      { x0: upTo(9), x1: [2, 0] },
      [3, 4, 6, 7],
    ],
    [
      "an element of each row",
      program("f[2,3] i[2,1]", [
        eqn("gather", ["a", "b"], "f[2]", {
          dimension_numbers: [[], [1], [1], [0], [0]],
          slice_sizes: [1, 1],
          mode: "GatherScatterMode.CLIP",
        }),
      ]),
      { x0: upTo(6), x1: [2, 0] },
      [2, 3],
    ],
    [
      "updates added, those outside dropped",
      program("f[3] i[3,1] f[3]", [
        eqn("scatter-add", ["a", "b", "c"], "f[3]", {
          dimension_numbers: [[], [0], [0], [], []],
          mode: "GatherScatterMode.FILL_OR_DROP",
        }),
      ]),
      { x0: [1, 2, 3], x1: [0, 0, 3], x2: [10, 20, 40] },
      [31, 2, 3],
    ],
    [
      "windows that are written",
      program("f[2,3] i[1] f[2,2]", [
        eqn("scatter", ["a", "b", "c"], "f[2,3]", {
          dimension_numbers: [[0, 1], [], [1], [], []],
          mode: "GatherScatterMode.CLIP",
        }),
      ]),
      { x0: upTo(6), x1: [5], x2: [6, 7, 8, 9] },
      [0, 6, 7, 3, 8, 9],
    ],
    [
      "sorted by two keys",
      program("i[4] i[4] f[4]", [eqn("sort", ["a", "b", "c"], "i[4] i[4] f[4]", { dimension: 0, num_keys: 2 })], ["t"]),
      { x0: [1, 0, 1, 0], x1: [3, 2, 1, 0], x2: [1, 2, 3, 4] },
      [4, 2, 3, 1],
    ],
    [
      "a product over other axes",
      program("f[2,3] f[3,2]", [
        eqn("dot_general", ["a", "b"], "f[3,3]", {
          dimension_numbers: [
            [[0], [1]],
            [[], []],
          ],
        }),
      ]),
      { x0: upTo(6), x1: upTo(6) },
      [3, 9, 15, 4, 14, 24, 5, 19, 33],
    ],
    [
      "a convolution of a spread input",
      program("f[1,1,2] f[1,1,2]", [
        eqn("conv_general_dilated", ["a", "b"], "f[1,1,2]", {
          window_strides: [1],
          padding: [[0, 0]],
          lhs_dilation: [2],
          rhs_dilation: [1],
          dimension_numbers: [
            [0, 1, 2],
            [0, 1, 2],
            [0, 1, 2],
          ],
          feature_group_count: 1,
          batch_group_count: 1,
        }),
      ]),
      { x0: [1, 2], x1: [3, 5] },
      [3, 10],
    ],
    [
      "batches in groups",
      program("f[2,1,1] f[2,1,1]", [
        eqn("conv_general_dilated", ["a", "b"], "f[1,2,1]", {
          window_strides: [1],
          padding: [[0, 0]],
          lhs_dilation: [1],
          rhs_dilation: [1],
          dimension_numbers: [
            [0, 1, 2],
            [0, 1, 2],
            [0, 1, 2],
          ],
          feature_group_count: 1,
          batch_group_count: 2,
        }),
      ]),
      { x0: [2, 3], x1: [5, 7] },
      [10, 21],
    ],
  ])("%s", (_, jaxpr, data, wanted) => expect(one(jaxpr, data)).toEqual(wanted));

  const named = (one: JaxEquation, name: string): JaxEquation => ({ ...one, out: [{ ...one.out[0]!, name }] });
  const pairs = (body: Jaxpr): Jaxpr =>
    program(
      "f[2,3] f[2,3]",
      [eqn("reduce", ["a", "b", lit(0), lit(1)], "f[2] f[2]", { jaxpr: closed(body), dimensions: [1] })],
      ["r", "s"],
    );

  test("rows of pairs are folded each by itself", () => {
    const body = program(
      "f[] f[] f[] f[]",
      [eqn("add", ["a", "c"], "f[]"), named(eqn("mul", ["b", "d"], "f[]"), "s")],
      ["r", "s"],
    );
    expect(importJaxpr(pairs(body), { kind: "results" }).text).toContain("prod(");
    expect(answers(pairs(body), { x0: upTo(6), x1: upTo(6) })).toEqual({ y0: [3, 12], y1: [0, 60] });
  });
  test("and by a program of their own where they look at one another", () => {
    const steps = [
      eqn("ge", ["a", "c"], "b[]"),
      named(eqn("select_n", ["r", "c", "a"], "f[]"), "s"),
      named(eqn("select_n", ["r", "d", "b"], "f[]"), "t"),
    ];
    const body = program("f[] f[] f[] f[]", steps, ["s", "t"]);
    const found = answers(pairs(body), { x0: [1, 5, 2, 9, 3, 4], x1: upTo(6) });
    expect(found).toEqual({ y0: [5, 9], y1: [1, 3] });
  });
});

describe("special functions", () => {
  const POINTS = [0.3, 0.9, 1, 2.7, 5.5, 6.5, 12];
  const of = (
    prim: string,
    points: readonly number[],
    question: JaxQuestion = { kind: "results" },
  ): Record<string, number[]> =>
    answers(
      program(`f[${points.length}]`, [eqn(prim, ["a"], `f[${points.length}]`)]),
      { x0: points, t0: points.map(() => 1), g0: points.map(() => 1) },
      question,
    );
  const near = (got: readonly number[], want: readonly number[]): void =>
    got.forEach((value, i) => expect(Math.abs(value - want[i]!)).toBeLessThan(1e-6 * (1 + Math.abs(want[i]!))));

  test("ln Γ and its derivative step as they must, and are mirrored", () => {
    const below = [-0.3, -2.5, -7.1];
    const at = [...POINTS, ...below];
    const [lgamma, digamma] = ["lgamma", "digamma"].map((prim) => (xs: readonly number[]) => of(prim, xs)["y0"]!);
    near(
      lgamma!(at.map((x) => x + 1)),
      lgamma!(at).map((y, i) => y + Math.log(Math.abs(at[i]!))),
    );
    near(
      digamma!(at.map((x) => x + 1)),
      digamma!(at).map((y, i) => y + 1 / at[i]!),
    );
    near([...lgamma!([5]), ...digamma!([1])], [Math.log(24), -0.5772156649]);
    near(of("lgamma", at, { kind: "derivatives" })["jvp0"]!, digamma!(at));
  });
  test("Bessel functions are means round a circle, their slopes one another", () => {
    const at = [0.1, 1, 4.9, 5.1, 30, -2, -9];
    const mean = (order: number, x: number): number =>
      upTo(1000).reduce(
        (sum, k) =>
          sum +
          Math.exp(x * Math.cos((2 * Math.PI * k) / 1000) - Math.abs(x)) * Math.cos((order * 2 * Math.PI * k) / 1000),
        0,
      ) / 1000;
    const [zero, one] = [0, 1].map((order) => at.map((x) => mean(order, x))) as [number[], number[]];
    const found = of("bessel_i0e", at, { kind: "derivatives" });
    near(found["y0"]!, zero);
    near(of("bessel_i1e", at)["y0"]!, one);
    const slopes = zero.map((value, i) => one[i]! - Math.sign(at[i]!) * value);
    found["jvp0"]!.forEach((value, i) => expect(Math.abs(value - slopes[i]!)).toBeLessThan(1e-5));
  });
  test("erf undoes its inverse", () => {
    const at = [0, 0.1, -0.5, 0.9, 0.999, -0.99999];
    const there = program(
      "f[6]",
      [eqn("erf_inv", ["a"], "f[6]"), { ...eqn("erf", ["r"], "f[6]"), out: [{ ...typed("f[6]"), name: "s" }] }],
      ["s"],
    );
    near(one(there, { x0: at }), at);
  });
  test("logarithms of sums so far, and what each is worth", () => {
    const at = [0.5, -1, 2, 0];
    const sums = at.map((_, i) => at.slice(0, i + 1).reduce((sum, x) => sum + Math.exp(x), 0));
    const found = answers(
      program("f[4]", [eqn("cumlogsumexp", ["a"], "f[4]", { axis: 0, reverse: false })]),
      { x0: at, g0: [1, 1, 1, 1], t0: [1, 0, 0, 0] },
      { kind: "derivatives" },
    );
    near(found["y0"]!, sums.map(Math.log));
    near(
      found["jvp0"]!,
      sums.map((sum) => Math.exp(at[0]!) / sum),
    );
  });
});

describe("programs inside programs", () => {
  const twice = closed(program("f[]", [eqn("mul", ["a", lit(2)], "f[]")]));
  const square = closed(program("f[]", [eqn("mul", ["a", "a"], "f[]")]));

  test("calls are opened", () => {
    expect(one(program("f[]", [eqn("jit", ["a"], "f[]", { jaxpr: twice })]), { x0: [3] })).toEqual([6]);
    expect(one(program("f[]", [eqn("custom_jvp_call", ["a"], "f[]", { call_jaxpr: square })]), { x0: [3] })).toEqual([
      9,
    ]);
  });
  test("a branch that a run decides", () => {
    const branch = program("i[] f[]", [eqn("cond", ["a", "b"], "f[]", { branches: [twice, square] })]);
    expect(one(branch, { x0: [0], x1: [3] })).toEqual([6]);
    expect(one(branch, { x0: [1], x1: [3] })).toEqual([9]);
  });
  test("iterations of a loop are written out, from the end too", () => {
    const body = closed(program("f[] f[]", [eqn("add", ["a", "b"], "f[]")], ["r", "r"]));
    const loop = (reverse: boolean): Jaxpr =>
      program(
        "f[3]",
        [eqn("scan", [lit(0), "a"], "f[] f[3]", { jaxpr: body, length: 3, num_consts: 0, num_carry: 1, reverse })],
        ["s"],
      );
    expect(one(loop(false), { x0: [1, 2, 3] })).toEqual([1, 3, 6]);
    expect(one(loop(true), { x0: [1, 2, 3] })).toEqual([6, 5, 3]);
  });
  test("a loop whose end is known, and one whose end is not", () => {
    const less = closed(program("i[] f[]", [eqn("lt", ["a", lit(3, "i[]")], "b[]")]));
    const step = closed(
      program(
        "i[] f[]",
        [
          eqn("add", ["a", lit(1, "i[]")], "i[]"),
          { ...eqn("mul", ["b", "b"], "f[]"), out: [{ ...typed("f[]"), name: "s" }] },
        ],
        ["r", "s"],
      ),
    );
    const loop = (start: Operand, inputs: string, x: string): Jaxpr =>
      program(
        inputs,
        [eqn("while", [start, x], "i[] f[]", { cond_jaxpr: less, body_jaxpr: step, cond_nconsts: 0, body_nconsts: 0 })],
        ["s"],
      );
    expect(one(loop(lit(1, "i[]"), "f[]", "a"), { x0: [3] })).toEqual([81]);
    const open = importJaxpr(loop("a", "i[] f[]", "b"), { kind: "results" });
    expect(open.unsupported).toEqual([{ op: "while", count: 1, why: "a loop whose end is computed", given: 0 }]);
  });
});

describe("questions", () => {
  const product = program("f[2] f[2] i[2]", [eqn("mul", ["a", "b"], "f[2]")], ["r", lit([4, 5], "f[2]"), "c"]);

  test("derivatives are those of floats; a constant changes with nothing", () => {
    const data = { x0: [2, 3], x1: [5, 7], g0: [1, 10], t0: [1, 0], t1: [0, 1] };
    expect(answers(product, data, { kind: "derivatives" })).toEqual({
      y0: [10, 21],
      y1: [4, 5],
      jvp0: [5, 3],
      jvp1: [0, 0],
      vjp0: [5, 70],
      vjp1: [2, 30],
    });
  });
  test("a batch of one operand, on the axis that is said", () => {
    const sum = program(
      "f[2] f[]",
      [
        eqn("reduce_sum", ["a"], "f[]", { axes: [0] }),
        { ...eqn("add", ["r", "b"], "f[]"), out: [{ ...typed("f[]"), name: "s" }] },
      ],
      ["s"],
    );
    const question: JaxQuestion = { kind: "batch", axes: [1, null], inputs: [typed("f[2,3]"), typed("f[]")] };
    expect(answers(sum, { x0: upTo(6), x1: [100] }, question)).toEqual({ y0: [103, 105, 107] });
  });
  test("what has no meaning here is named", () => {
    const bits = importJaxpr(program("", [eqn("random_bits", [], "f[2]")]), { kind: "results" });
    expect(bits.unsupported).toEqual([{ op: "random_bits", count: 1, why: "random", given: 0 }]);
    const wave = importJaxpr(program("f[4]", [eqn("fft", ["a"], "complex64[4]")]), { kind: "results" });
    expect(wave.unsupported).toEqual([{ op: "fft", count: 1, why: "no rule", given: 0 }]);
    const wide = importJaxpr(program("uint8[2]", [], ["a"]), { kind: "results" });
    expect(wide.unsupported).toEqual([{ op: "uint8", count: 1, why: "dtype", given: 0 }]);
  });
});

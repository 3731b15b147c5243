/** @file Loops that stay loops: the same values as the body written out, the same counts as what is touched, one kernel for all iterations. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planFusion } from "../../src/fusion/plan";
import { fusionAt } from "../../src/fusion/compile";
import { chosenFor, generic, totalsOf } from "../../src/fusion/cost";
import { runReference } from "../../src/fusion/reference";
import { opDef } from "../../src/fusion/ops";
import { parseProgram, printGraph } from "../../src/fusion/text";
import type { Graph } from "../../src/fusion/ir";
import { intermediates } from "../../src/lessons/chapters/intermediates";
import { derived, loopArbitrary } from "./any-loop";
import { dataOf, gpu, graphOf } from "./kernel-harness";
import { firstFault, plainly, planned } from "./plan-laws";

const loopsOf = (graph: Graph): number => [...graph.nodes.values()].filter(({ op }) => opDef(op).loop).length;

test("a loop is what it is written out", () => {
  fc.assert(
    fc.property(loopArbitrary, ({ text, unrolled }) => {
      const [looped, apart] = [graphOf(text), graphOf(unrolled)];
      expect(loopsOf(looped)).toBeGreaterThan(0);
      expect(loopsOf(apart)).toBe(0);
      const [a, b] = [runReference(looped, dataOf(looped)), runReference(apart, dataOf(apart))];
      looped.outputs.forEach((id, i) => {
        const want = b.get(apart.outputs[i]!)!;
        expect(a.get(id)!.type).toEqual(want.type);
        a.get(id)!.data.forEach((value, k) => expect(value).toBeCloseTo(want.data[k]!, 9));
      });
    }),
    { numRuns: 16 },
  );
});

test("its text reads as the same graph", () => {
  fc.assert(
    fc.property(loopArbitrary, ({ text }) => {
      const printed = printGraph(graphOf(text));
      expect(printGraph(graphOf(printed))).toBe(printed);
    }),
    { numRuns: 10 },
  );
});

test("launched iteration by iteration and inside kernels: values, counts, addresses", { timeout: 240_000 }, () => {
  fc.assert(
    fc.property(loopArbitrary, fc.nat({ max: 2 }), fc.nat({ max: 5 }), ({ text }, granularity, profile) => {
      expect(firstFault({ text, ways: [granularity, 0, 0, profile, 0] })).toBeNull();
    }),
    { numRuns: 10 },
  );
});

test("what a loop stores stands until its last launch, also where nobody reads it", () => {
  fc.assert(
    fc.property(loopArbitrary, ({ text }) => {
      const { naive } = planned({ text, ways: plainly }).compilation;
      const { kernels, buffers } = planFusion(naive!, gpu, generic);
      for (const { id, outputs } of naive!.regions.values()) {
        const end = kernels.findLastIndex(({ region }) => region === id);
        const early = buffers.filter(({ value, lastKernel }) => outputs.includes(value) && lastKernel < end);
        expect(early).toEqual([]);
      }
    }),
    { numRuns: 16 },
  );
});

test("launches that read rows again add up to what is counted", () => {
  const text = "x: f32[2, 3]\nfor t in range(28):\n    x = torch.softmax(x * 0.5, dim=-1) + x\nreturn x";
  const { naive, options } = planned({ text, ways: [0, 0, 0, 0, 0, 10] }).compilation;
  const { kernels } = planFusion(naive!, chosenFor(options), generic);
  const accesses = kernels.flatMap(({ reads, writes }) => [...reads, ...writes]);
  expect(accesses.some(({ rereads }) => rereads > 0)).toBe(true);
  const moved = accesses.reduce((sum, { bytes, rereads }) => sum + bytes * (1 + rereads), 0);
  expect(moved).toBe(totalsOf(naive!, generic, undefined, chosenFor(options)).bytes);
});

test.each(["grad", "jvp"] as const)("%s of a loop is that of the loop written out", (mode) => {
  fc.assert(
    fc.property(loopArbitrary, ({ text, unrolled }) => {
      const [looped, apart] = [text, unrolled].map((each) => graphOf(derived(each, mode))) as [Graph, Graph];
      expect(loopsOf(looped)).toBeGreaterThan(0);
      const [a, b] = [runReference(looped, dataOf(looped)), runReference(apart, dataOf(apart))];
      looped.outputs.forEach((id, i) => {
        const want = b.get(apart.outputs[i]!)!;
        a.get(id)!.data.forEach((value, k) =>
          expect(value / (1 + Math.abs(want.data[k]!))).toBeCloseTo(want.data[k]! / (1 + Math.abs(want.data[k]!)), 7),
        );
      });
    }),
    { numRuns: 8 },
  );
});

test("a batch of loops is a loop over the batch", () => {
  const body = "    for i in range(30):\n        x = tanh(x * p) + x * 0.5 + i * 0.01\n    return x\n";
  const head = "a: f32[3, 8]\np: f32[8]\ndef f(x):\n";
  const [one, all] = ["vmap(f)(a)", "f(a)"].map((call) => graphOf(`${head}${body}return ${call}\n`)) as [Graph, Graph];
  expect(loopsOf(one)).toBe(1);
  const [a, b] = [one, all].map((graph) => runReference(graph, dataOf(graph)).get(graph.outputs[0]!)!.data);
  expect([...a!]).toEqual([...b!]);
});

describe("JAX's loops", () => {
  const values = (lines: string): readonly (readonly number[])[] => {
    const graph = graphOf(`x: f32[4, 8]\nc: f32[8]\n${lines}\n`);
    const found = runReference(graph, dataOf(graph));
    return graph.outputs.map((id) => [...found.get(id)!.data]);
  };
  const loops = (lines: string): number => loopsOf(graphOf(`x: f32[4, 8]\nc: f32[8]\n${lines}\n`));
  const step = "def step(i, carry):\n    a, n = carry\n    return tanh(a * c) + i * 0.01, n + 1\n";
  const written = (from: number, to: number): string =>
    `n = i32(0)\nfor i in range(${from}, ${to}):\n    x, n = tanh(x * c) + i * 0.01, n + 1\nreturn x, n`;

  test.each([
    [2, 60, 2],
    [0, 5, 0],
  ])("fori_loop from %i to %i", (from, to, loopCount) => {
    const called = `${step}a, n = lax.fori_loop(${from}, ${to}, step, (x, 0))\nreturn a, n`;
    expect(loops(called)).toBe(loopCount);
    values(called).forEach((got, k) =>
      got.forEach((value, i) => expect(value).toBeCloseTo(values(written(from, to))[k]![i]!, 12)),
    );
  });

  test("scan without elements is a loop", () => {
    const called = "a, _ = lax.scan(lambda a, _: (tanh(a * c), None), x, None, length=70)\nreturn a";
    expect(loops(called)).toBe(1);
    expect(values(called)).toEqual(values("for i in range(70):\n    x = tanh(x * c)\nreturn x"));
  });

  test.each([false, true])("scan along the first axis, backwards: %s", (backwards) => {
    const called = `last, all = lax.scan(lambda h, r: (h * 0.5 + r, h * 2), c, x, reverse=${backwards ? "True" : "False"})\nreturn last, all`;
    const rows = backwards ? [3, 2, 1, 0] : [0, 1, 2, 3];
    const lines = rows.flatMap((row) => [`y${row} = c * 2`, `c = c * 0.5 + x[${row}]`]);
    expect(values(called)).toEqual(values([...lines, "return c, stack([y0, y1, y2, y3])"].join("\n")));
  });
});

test("plans of a loop's gradient: values, counts, addresses", { timeout: 240_000 }, () => {
  const text = derived(
    "x0: f32[3, 4]\np: f32[4]\nx = exp(x0)\nfor i in range(30):\n    y = tanh(x * p) + i * 0.01\n    x = x * 0.5 + y\nreturn x",
    "grad",
  );
  expect(firstFault({ text, ways: plainly })).toBeNull();
});

const example = intermediates.find(({ id }) => id === "mandelbrot")!;
const MANDELBROT = (iterations: number): string =>
  example.text.replace("N = 1024", "N = 64").replace("range(20)", `range(${iterations})`);

describe("all iterations in one kernel", () => {
  const { compilation, graph } = planned({ text: MANDELBROT(50), ways: plainly });
  test("reads its two inputs once and writes once", () => {
    const last = compilation.steps.at(-1)!.totals;
    expect(last.kernels).toBe(1);
    expect(last.bytes).toBe(3 * 64 * 64 * 4);
    const { regions } = fusionAt(compilation, compilation.steps.length);
    expect([...regions.values()].map(({ outputs }) => outputs)).toEqual([graph.outputs]);
  });
  test("the naive plan launches each iteration's ops", () => {
    const { kernels, bytes } = totalsOf(compilation.naive!, generic);
    expect(kernels).toBe(3 + 50 * 15);
    // Of the ops of an iteration three read three tensors, five read two and seven read one; each writes one.
    expect(bytes).toBe((3 * 2 + 50 * (3 * 4 + 5 * 3 + 7 * 2)) * 64 * 64 * 4);
  });
});

test("planning does not grow with the number of iterations", () => {
  const [few, many] = [100, 10_000].map((iterations) => planned({ text: MANDELBROT(iterations), ways: plainly }));
  expect(many!.graph.nodes.size).toBe(few!.graph.nodes.size);
  expect(many!.compilation.steps.map(({ rule, accepted }) => [rule, accepted])).toEqual(
    few!.compilation.steps.map(({ rule, accepted }) => [rule, accepted]),
  );
});

describe("what is written out", () => {
  const loopCount = (body: string, iterations = 100, rows = 4): number =>
    loopsOf(graphOf(`x: f32[${rows}, 8]\nw: f32[8, 8]\nfor i in range(${iterations}):\n${body}return x\n`));
  test.each([
    ["a product with all rows", "    x = tanh(x @ (x.T @ x))\n"],
    ["a choice by the number", "    if i % 2 == 0:\n        x = tanh(x)\n"],
    ["an early end", "    if i == 70:\n        break\n    x = tanh(x)\n"],
  ])("%s", (_, body) => expect(loopCount(body)).toBe(0));
  test.each([
    ["a sum of columns", "    x = x - x.mean(dim=0, keepdim=True)\n"],
    ["other elements", "    x = (x + x.roll(1, 0)) / 2\n"],
  ])("%s of more numbers than a workgroup holds", (_, body) => {
    expect([4, 100].map((rows) => loopCount(body, 100, rows))).toEqual([1, 1]);
    expect(loopCount(body, 100, 500)).toBe(0);
  });
  test("few ops", () => {
    expect(loopCount("    x = tanh(x)\n", 64)).toBe(0);
    expect(loopCount("    x = tanh(x)\n", 65)).toBe(1);
  });
  test("more launches than any plan has are refused, with both numbers", () => {
    const body = "    x = tanh(x)\n".repeat(21);
    const { diagnostics } = parseProgram(`x: f32[4]\nfor i in range(10000):\n${body}return x\n`);
    expect(diagnostics.map(({ text }) => text)).toEqual([
      "Op by op this loop would launch 210000 kernels; 200000 are the maximum. Write fewer iterations.",
    ]);
  });
  test("leaves no trace of having been tried", () => {
    const text = "x: f32[500, 8]\nfor i in range(70):\n    y = x.roll(1, 0)\n    x = (x + y) / 2\nreturn x\n";
    const { symbols, diagnostics, graph, calls } = parseProgram(text);
    expect(diagnostics).toEqual([]);
    expect(calls).toHaveLength(70);
    for (const { nodes } of symbols) for (const id of nodes) expect(graph.nodes.has(id)).toBe(true);
  });
});

/** @file Loops that stay loops: the same values as the body written out, the same counts as what is touched, one kernel for all trips. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { generic, totalsOf } from "../../src/fusion/cost";
import { runReference } from "../../src/fusion/reference";
import { opDef } from "../../src/fusion/ops";
import { parseProgram, printGraph } from "../../src/fusion/text";
import type { Graph } from "../../src/fusion/ir";
import { intermediates } from "../../src/lessons/chapters/intermediates";
import { loopArbitrary } from "./any-loop";
import { dataOf, graphOf } from "./codegen-harness";
import { firstFault, plainly, planned } from "./plan-laws";

const loopsOf = (graph: Graph): number => [...graph.nodes.values()].filter(({ op }) => opDef(op).loop).length;

test("a loop is what it is written out", () => {
  fc.assert(
    fc.property(loopArbitrary, ({ text, unrolled }) => {
      const [kept, apart] = [graphOf(text), graphOf(unrolled)];
      expect(loopsOf(kept)).toBeGreaterThan(0);
      expect(loopsOf(apart)).toBe(0);
      const [a, b] = [runReference(kept, dataOf(kept)), runReference(apart, dataOf(apart))];
      kept.outputs.forEach((id, i) => {
        const want = b.get(apart.outputs[i]!)!;
        expect(a.get(id)!.type).toEqual(want.type);
        a.get(id)!.data.forEach((value, k) => expect(value).toBeCloseTo(want.data[k]!, 9));
      });
    }),
    { numRuns: 40 },
  );
});

test("its text reads as the same graph", () => {
  fc.assert(
    fc.property(loopArbitrary, ({ text }) => {
      const printed = printGraph(graphOf(text));
      expect(printGraph(graphOf(printed))).toBe(printed);
    }),
    { numRuns: 20 },
  );
});

test("launched trip by trip and inside kernels: values, counts, addresses", { timeout: 240_000 }, () => {
  fc.assert(
    fc.property(loopArbitrary, fc.nat({ max: 2 }), fc.nat({ max: 5 }), ({ text }, granularity, profile) => {
      expect(firstFault({ text, ways: [granularity, 0, 0, profile, 0] })).toBeNull();
    }),
    { numRuns: 25 },
  );
});

const example = intermediates.find(({ id }) => id === "mandelbrot")!;
const MANDELBROT = (trips: number): string =>
  example.text.replace("N = 1024", "N = 64").replace("range(20)", `range(${trips})`);

describe("all trips in one kernel", () => {
  const { compilation, graph } = planned({ text: MANDELBROT(50), ways: plainly });
  test("reads its two inputs once and writes once", () => {
    const last = compilation.steps.at(-1)!.totals;
    expect(last.kernels).toBe(1);
    expect(last.bytes).toBe(3 * 64 * 64 * 4);
    const { regions } = fusionAt(compilation, compilation.steps.length);
    expect([...regions.values()].map(({ outputs }) => outputs)).toEqual([graph.outputs]);
  });
  test("the naive plan launches each trip's ops", () => {
    const { kernels, bytes } = totalsOf(compilation.naive!, generic);
    expect(kernels).toBe(3 + 50 * 15);
    // Of the ops of a trip three read three tensors, five read two and seven read one; each writes one.
    expect(bytes).toBe((3 * 2 + 50 * (3 * 4 + 5 * 3 + 7 * 2)) * 64 * 64 * 4);
  });
});

test("planning does not grow with the number of trips", () => {
  const [few, many] = [100, 10_000].map((trips) => planned({ text: MANDELBROT(trips), ways: plainly }));
  expect(many!.graph.nodes.size).toBe(few!.graph.nodes.size);
  expect(many!.compilation.steps.map(({ rule, accepted }) => [rule, accepted])).toEqual(
    few!.compilation.steps.map(({ rule, accepted }) => [rule, accepted]),
  );
});

describe("what is written out", () => {
  const kept = (body: string, trips = 100): number =>
    loopsOf(graphOf(`x: f32[4, 8]\nw: f32[8, 8]\nfor i in range(${trips}):\n${body}return x\n`));
  test.each([
    ["a product", "    x = tanh(x @ w)\n"],
    ["a sum", "    x = x - x.mean(dim=-1, keepdim=True)\n"],
    ["other elements", "    x = (x + x.roll(1, 0)) / 2\n"],
    ["a choice by the number", "    if i % 2 == 0:\n        x = tanh(x)\n"],
    ["an early end", "    if i == 70:\n        break\n    x = tanh(x)\n"],
  ])("%s", (_, body) => expect(kept(body)).toBe(0));
  test("few ops", () => {
    expect(kept("    x = tanh(x)\n", 64)).toBe(0);
    expect(kept("    x = tanh(x)\n", 65)).toBe(1);
  });
  test("leaves no trace of having been tried", () => {
    const text = "x: f32[4, 8]\nfor i in range(70):\n    y = x.roll(1, 0)\n    x = (x + y) / 2\nreturn x\n";
    const { symbols, diagnostics, graph, calls } = parseProgram(text);
    expect(diagnostics).toEqual([]);
    expect(calls).toHaveLength(70);
    for (const { nodes } of symbols) for (const id of nodes) expect(graph.nodes.has(id)).toBe(true);
  });
});

/** @file Products that skip what a mask by position hides: the reference's values and exact counts, whatever the mask, its side and its sizes. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultOptions } from "../../src/fusion";
import { fusionAt } from "../../src/fusion/compile";
import { lowerFusion } from "../../src/fusion/plan";
import { generic } from "../../src/fusion/cost";
import { mayHold } from "../../src/fusion/kernel/indices/bands";
import { runReference } from "../../src/fusion/reference";
import { complaints, gpu, graphOf, oneRegion } from "./kernel-harness";
import { compiled, trafficFaults, valueFaults } from "./pass-harness";

/** A condition on rows `i` and columns `j`, as people write it, and the band that it leaves. */
interface Mask {
  readonly text: string;
  readonly low: number;
  readonly high: number;
}

const offset = fc.integer({ min: 0, max: 40 });
const mask: fc.Arbitrary<Mask> = fc.oneof(
  offset.map((d) => ({ text: `j <= i + ${d}`, low: -Infinity, high: d })),
  offset.map((d) => ({ text: `i - j >= -${d}`, low: -Infinity, high: d })),
  offset.map((d) => ({ text: `~(j > i + ${d})`, low: -Infinity, high: d })),
  offset.map((d) => ({ text: `torch.tril(torch.ones(M, N), diagonal=${d}) != 0`, low: -Infinity, high: d })),
  offset.map((d) => ({ text: `torch.triu(torch.ones(M, N), diagonal=${d + 1}) == 0`, low: -Infinity, high: d })),
  offset.map((d) => ({ text: `torch.ones(M, N).tril(${d}).bool()`, low: -Infinity, high: d })),
  offset.map((d) => ({ text: `j + ${d} >= i`, low: -d, high: Infinity })),
  offset.map((d) => ({ text: `(j <= i) & (j > i - ${d + 1})`, low: -d, high: 0 })),
  offset.map((d) => ({ text: `(i - j < ${d + 1}) & (j - i <= ${d})`, low: -d, high: d })),
  offset.map((d) => ({ text: `torch.logical_not((i > j + ${d}) | (j > i))`, low: -d, high: 0 })),
);
const SIZES = [64, 96, 130, 200, 257];
const size = fc.constantFrom(...SIZES);

const head = ({ text }: Mask, m: number, n: number, of: readonly string[]): string =>
  [`M, N = ${m}, ${n}`, ...of, "i = torch.arange(M)[:, None]", "j = torch.arange(N)[None, :]", `mask = ${text}`].join(
    "\n",
  );
const WAYS = {
  left: (k: Mask, m: number, n: number) =>
    `${head(k, m, n, ["a: f32[2, M, N]", "b: f32[2, N, 64]"])}\nreturn torch.where(mask, a, 0.0) @ b`,
  "left, transposed": (k: Mask, m: number, n: number) =>
    `${head(k, m, n, ["a: f32[2, M, N]", "b: f32[2, M, 64]"])}\nreturn torch.where(mask, a, 0.0).mT @ b`,
  right: (k: Mask, m: number, n: number) =>
    `${head(k, m, n, ["a: f32[2, M, N]", "b: f32[2, 64, M]"])}\nreturn b @ (torch.where(mask, a, 0.0) * 3)`,
  result: (k: Mask, m: number, n: number) =>
    `${head(k, m, n, ["a: f32[2, M, 20]", "b: f32[2, N, 20]"])}\nreturn torch.where(mask, (a @ b.mT) * 0.2, -1.0)`,
  "a factor of the result": (k: Mask, m: number, n: number) =>
    `${head(k, m, n, ["a: f32[2, M, 20]", "b: f32[2, N, 20]", "g: f32[2, M, N]"])}\nreturn torch.where(mask, g, 0.0) * (a @ b.mT - 1)`,
};

describe("the band of a mask", () => {
  test("holds every element that the mask leaves, and is as narrow as it is written", () => {
    fc.assert(
      fc.property(mask, size, size, (each, m, n) => {
        const graph = graphOf(`${head(each, m, n, [])}\nreturn mask`);
        const [id] = graph.outputs;
        const band = mayHold({ graph, sees: () => true }, id!, true, [m, n]);
        const values = runReference(graph, new Map()).get(id!)!.data;
        for (let at = 0; at < m * n; at++) {
          const distance = (at % n) - Math.floor(at / n);
          expect(values[at] === 0 || (band.low <= distance && distance <= band.high)).toBe(true);
        }
        expect(band).toEqual({ low: each.low + 0, high: each.high + 0 });
      }),
      { numRuns: 60 },
    );
  });

  test("is not read out of data, of other axes, or of more than one distance", () => {
    for (const text of [
      "d > 0",
      "torch.minimum(i, torch.tensor(50)) >= j",
      "(j <= i) | (d > 0)",
      "i * i >= j",
      "j < 20",
      "i + j <= 20",
    ]) {
      const graph = graphOf(
        `d: f32[64, 64]\ni = torch.arange(64)[:, None]\nj = torch.arange(64)[None, :]\nreturn ${text}`,
      );
      expect(mayHold({ graph, sees: () => true }, graph.outputs[0]!, true, [64, 64])).toEqual({
        low: -Infinity,
        high: Infinity,
      });
    }
  });
});

describe.each(Object.entries(WAYS))("one kernel, %s", (_, program) => {
  test("has the reference's values and touches what is counted", () => {
    let banded = 0;
    fc.assert(
      fc.property(
        mask,
        size,
        fc.constantFrom(0, 0, 64),
        fc.constantFrom("32x32x16/4x4", "64x64x16/8x8"),
        (each, m, more, tile) => {
          const n = m + more;
          const fusion = oneRegion(graphOf(program(each, m, n)));
          const [out] = fusion.graph.outputs;
          const tiled = { ...gpu, knobs: { all: {}, kernels: { [out!]: { tile } } } };
          const [region] = lowerFusion(fusion, tiled, generic);
          if (region!.facts.schedule.band) banded++;
          expect(complaints(fusion, tiled, 1e-9)).toEqual([]);
        },
      ),
      { numRuns: 12 },
    );
    expect(banded).toBeGreaterThan(1);
  });
});

/** Attention as people write it, with its gradients; or sums over the past without a softmax. */
const ATTENTION = {
  softmax: "s = (q @ k.mT * 0.3).masked_fill(~mask, float('-inf'))\ny = torch.softmax(s, dim=-1) @ v",
  sdpa: "y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)",
  linear: "y = (q @ k.mT * mask) @ v",
  decay: "d = torch.exp((j - i) * 0.05)\ny = torch.where(mask, q @ k.mT * d, 0.0) @ v",
};

describe.each(Object.entries(ATTENTION))("%s", (_, body) => {
  test.each([false, true])("with its gradients: %s", (gradients) => {
    let [banded, asked] = [0, 0];
    fc.assert(
      fc.property(mask, fc.constantFrom(96, 130), fc.boolean(), (each, n, far) => {
        const of = ["q", "k", "v"].map((name) => `${name}: f32[2, M, 12]`);
        const back = gradients
          ? "g = torch.autograd.grad((y * y).sum(), [q, k, v])\nreturn y, g[0], g[1], g[2]"
          : "return y";
        const graph = graphOf(`${head(each, n, n, of)}\n${body}\n${back}`);
        // Where scores lie does not matter, or they are better recomputed.
        const profile = { ...defaultOptions.profile, ...(far ? { bandwidth: 1e13, launchMicros: 0 } : {}) };
        const compilation = compiled(graph, { profile });
        const final = fusionAt(compilation, compilation.steps.length);
        asked++;
        if (lowerFusion(final, gpu, generic).some(({ facts }) => facts.schedule.band)) banded++;
        expect(valueFaults(compilation.drawn, final)).toEqual([]);
        expect(trafficFaults(final)).toEqual([]);
      }),
      { numRuns: 8 },
    );
    expect(asked).toBeGreaterThan(0);
    expect(banded).toBeGreaterThanOrEqual(0);
  });
});

import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt } from "../../../fusion";
import { livePicture, peakSentence, type LivePicture } from "./memory";

const MIB = 2 ** 20;

function pictures(text: string): { naive: LivePicture; fused: LivePicture; peaks: readonly number[] } {
  const compilation = compile(text, defaultOptions);
  const { naivePlan, fusedPlan, naive, steps } = compilation;
  const final = fusionAt(compilation, steps.length);
  return {
    naive: livePicture(naivePlan!, naive!.graph)!,
    fused: livePicture(fusedPlan!, final.graph)!,
    peaks: [naivePlan!.totals.peakBytes, fusedPlan!.totals.peakBytes],
  };
}

const CHAIN = "x: f32[1024, 1024]\na = exp(x)\nb = relu(a)\nc = tanh(b)\nreturn c\n";

test("a value appears with its writer and dies behind its last reader", () => {
  const { naive } = pictures(CHAIN);
  const stretch = naive.bars.map(({ name, from, to, low, high }) => [name, from, to, low / MIB, high / MIB]);
  expect(naive.columns.map(({ kernel, bytes }) => [kernel, bytes / MIB])).toEqual([
    ["K1", 8],
    ["K2", 12],
    ["K3", 12],
  ]);
  expect(stretch).toContainEqual(["x", 0, 2, 0, 4]);
  expect(stretch).toContainEqual(["a", 0, 1, 4, 8]);
  // When `a` is gone, what lay on it comes down.
  expect(stretch).toContainEqual(["b", 1, 1, 8, 12]);
  expect(stretch).toContainEqual(["b", 2, 2, 4, 8]);
  expect(naive.columns[1]!.text).toBe("K2 relu: 12 MiB alive. x 4 MiB, a 4 MiB, b 4 MiB");
});

test("every column's bars add up to its bytes, without gaps, and the peak is the planner's", () => {
  const { naive, fused, peaks } = pictures(
    "x: f32[512, 512]\nw: f32[512, 512]\nh = softmax(x @ w)\ny = h * h\nreturn y\n",
  );
  for (const picture of [naive, fused]) {
    picture.columns.forEach(({ bytes }, column) => {
      const stack = picture.bars
        .filter(({ from, to }) => from <= column && column <= to)
        .toSorted((a, b) => a.low - b.low);
      expect(stack.reduce((top, { low, high }) => (low === top ? high : Number.NaN), 0)).toBe(bytes);
    });
  }
  expect([naive.peakBytes, fused.peakBytes]).toEqual(peaks);
});

test("what workgroups leave for a later launch is named after the value that it is for", () => {
  const { fused } = pictures("x: f32[4096, 4096]\ns = sum(x)\nreturn s\n");
  expect(fused.columns.at(-1)!.text).toMatch(/^K2 .*\bs partials /);
  expect(fused.columns.map(({ text }) => text).join()).not.toContain("~");
});

test("a plan of hundreds of kernels has 64 columns, the fullest among them", () => {
  const lines = Array.from({ length: 300 }, (_, i) => `v${i + 1} = sort(v${i})`);
  const { naive } = pictures(`v0: f32[64, 64]\n${lines.join("\n")}\nreturn v300\n`);
  expect(naive.columns).toHaveLength(64);
  expect(naive.peakBytes).toBe(3 * 64 * 64 * 4);
});

test("the sentence names both peaks and what is saved", () => {
  const { naive, fused } = pictures(CHAIN);
  expect(peakSentence(naive, fused)).toBe(
    "At its peak this step holds 8 MiB, with K1: 33 % less than the naive plan (12 MiB, with K2).",
  );
  expect(peakSentence(naive, naive)).toContain("as much as the naive plan");
});

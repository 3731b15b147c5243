/** @file A product folded while it is made: what the derived form computes, on awkward shapes, in both schedules. */
import { describe, expect, test } from "vitest";
import { lowerFusion, runPlanOnCpu } from "../../src/fusion/plan";
import { fusionAt, planAt } from "../../src/fusion/compile";
import { generic, totalsOf } from "../../src/fusion/cost";
import type { CompileOptions, Totals } from "../../src/fusion/ir";
import { complaints, cpu, dataOf, gpu, graphOf, oneRegion, wgslOf } from "./kernel-harness";
import { compiled, stepFaults } from "./pass-harness";

const CASES: Readonly<Record<string, string>> = {
  "maximum over rows": `x: f32[2, 40, 20]\nw: f32[20, 36]\ny = (x @ w).max(dim=1)`,
  "maximum over odd rows": `x: f32[37, 21]\nw: f32[21, 50]\ny = (x @ w).max(dim=0)`,
  "sparse head": `x: f32[2, 33, 24]\ne: f32[70, 24]\nb: f32[70]\nmask: f32[2, 33, 1]\nz = where(mask > 0, x @ e.T + b, -3e38)\ny = log1p(relu(z)).max(dim=1)`,
  "logsumexp over columns": `x: f32[40, 20]\nw: f32[20, 90]\nb: f32[90]\nz = x @ w + b\ny = logsumexp(z, dim=-1)`,
  "sum and maximum over columns": `x: f32[3, 18, 20]\nw: f32[20, 33]\nz = relu(x @ w)\ny = z.sum(dim=-1) / (1 + z.max(dim=-1))`,
  "logsumexp over as many columns as a tile has": `x: f32[40, 20]\nw: f32[20, 31]\ny = logsumexp(x @ w, dim=-1)`,
  "a product of two vectors": `x: f32[31, 1]\nw: f32[1, 31]\ny = logsumexp(x @ w, dim=-1)`,
  "one row": `x: f32[1, 20]\nw: f32[20, 90]\ny = logsumexp(x @ w, dim=-1)`,
  "argmax over columns": `x: f32[40, 20]\nw: f32[20, 90]\nz = x @ w\nm = z.max(dim=-1)\ni = argmax(z, dim=-1)\nreturn m, i`,
  "argmin over rows": `x: f32[2, 37, 20]\nw: f32[20, 34]\ni = argmin(x @ w, dim=1)`,
  "counts beside sums": `x: f32[40, 20]\nw: f32[20, 90]\nz = x @ w\nn = where(z > 0, 1, 0).sum(dim=-1)\ns = z.sum(dim=-1)\nreturn n, s`,
  "rows numbered through": `x: f32[3, 18, 20]\nw: f32[20, 33]\nz = (x @ w).reshape(54, 33)\ny = logsumexp(z, dim=-1)`,
  "a long row": `x: f32[20, 8]\nw: f32[8, 1500]\nz = x @ w\nm = logsumexp(z, dim=-1)\ni = argmax(z, dim=-1)\nreturn m, i`,
  "a long column": `x: f32[1500, 8]\nw: f32[8, 22]\nz = x @ w\nm = logsumexp(z, dim=0)\ni = argmax(z, dim=0)\nreturn m, i`,
  "long columns of many": `x: f32[2, 700, 8]\nw: f32[8, 24]\nc: f32[24]\ny = (x @ w).max(dim=1) * c`,
  "logsumexp over rows": `x: f32[64, 20]\nw: f32[20, 18]\nz = x @ w\ny = logsumexp(z, dim=0)`,
};

test.each(Object.entries(CASES))("%s", (_, text) => {
  const fusion = oneRegion(graphOf(text));
  expect(lowerFusion(fusion, gpu, generic)[0]!.programs[0]!.template).toBe("contract-reduce");
  expect(complaints(fusion, gpu, 1e-9)).toEqual([]);
  expect(complaints(fusion, cpu, 1e-9)).toEqual([]);
});

/** So few rows leave a real machine idle; here every launch is expensive. */
const EAGER: Partial<CompileOptions> = { profile: { ...generic, multiprocessors: 1, launchMicros: 100 } };

const sparseHead = (s: number, v: number): string =>
  `x: f32[2, ${s}, 24]\ne: f32[${v}, 24]\nb: f32[${v}]\nmask: f32[2, ${s}, 1]\nz = where(mask > 0, x @ e.T + b, -3e38)\ny = log1p(relu(z)).max(dim=1)`;

/** Programs whose product is never stored. */
const ONE: Readonly<Record<string, string>> = {
  "sparse head": sparseHead(33, 70),
  "maximum of a falling function": `x: f32[40, 20]\nw: f32[20, 36]\nc: f32[36]\ny = (c - relu(x @ w) * 2).max(dim=0, keepdim=True)`,
  "cross-entropy": `h: f32[40, 20]\nw: f32[90, 20]\nb: f32[90]\ny: i32[40] = zeros()\nloss = F.cross_entropy(F.linear(h, w, b), y, reduction="none")`,
  "cross-entropy, smoothed and weighted": `h: f32[40, 20]\nw: f32[90, 20]\nc: f32[90] = uniform(0.5, 2)\ny: i32[40] = zeros()\nloss = cross_entropy(h @ w.T, y, c, label_smoothing=0.1, reduction="none")`,
  "cross-entropy of shares": `h: f32[40, 20]\nw: f32[90, 20]\ny: f32[40, 90] = uniform(0, 1)\nloss = cross_entropy(h @ w.T, y, reduction="none")`,
  "log-softmax picked by label": `h: f32[40, 20]\nw: f32[20, 90]\ny: i32[40] = zeros()\np = log_softmax(h @ w, dim=-1)\nloss = -p.gather(1, y.unsqueeze(-1)).squeeze(-1)`,
  "logsumexp less the picked": `h: f32[40, 20]\nw: f32[20, 90]\ny: i32[40, 1] = zeros()\nz = 30 * tanh((h @ w) / 30)\nloss = logsumexp(z, dim=-1, keepdim=True) - z.gather(1, y)`,
  "log-softmax seen as other rows": `h: f32[2, 20, 20]\nw: f32[20, 90]\nb: f32[90]\ny: i32[2, 20] = zeros()\np = log_softmax(h @ w + b, dim=-1)\nloss = nll_loss(p.view(-1, 90), y.view(-1), reduction="none")`,
  "weighted and seen as other rows": `h: f32[2, 20, 20]\nw: f32[20, 90]\nc: f32[90] = uniform(0.5, 2)\ny: i32[2, 20] = zeros()\np = log_softmax(h @ w, dim=-1)\nloss = nll_loss(p.view(-1, 90), y.view(-1), c, reduction="none")`,
  "shifted rows of a language model": `h: f32[2, 21, 20]\nw: f32[90, 20]\ny: i32[2, 21] = zeros()\nz = linear(h, w)\nloss = cross_entropy(z[:, :-1].reshape(-1, 90), y[:, 1:].reshape(-1), reduction="none")`,
  "one-hot": `h: f32[40, 20]\nw: f32[20, 90]\ny: i32[40] = zeros()\nloss = -(one_hot(y, 90) * log_softmax(h @ w, dim=-1)).sum(dim=-1)`,
  "mean under softmax": `h: f32[40, 20]\nw: f32[20, 90]\nv: f32[90]\ny = (softmax(h @ w, dim=-1) * v).sum(dim=-1)`,
  "norm over columns": `h: f32[40, 20]\nw: f32[20, 90]\nz = h @ w\ny = sqrt((z * z).sum(dim=-1))`,
  "cross-entropy over a vocabulary": `x: f32[40, 20]\nw: f32[20, 90]\nlabel: i32[40] = zeros()\nz = x @ w\nshown = where(iota(90) == label.unsqueeze(-1), z, 0).sum(dim=-1)\nloss = logsumexp(z, dim=-1) - shown`,
};

describe.each(Object.entries(ONE))("%s", (_, text) => {
  test.each(["op", "primitive"] as const)("by %s", (granularity) => {
    const compilation = compiled(graphOf(text), { ...EAGER, granularity });
    expect(stepFaults(compilation)).toEqual([]);
    const final = fusionAt(compilation, compilation.steps.length);
    expect(totalsOf(final, generic).kernels).toBe(1);
    for (const target of [gpu, cpu]) expect(complaints(final, target, 1e-9)).toEqual([]);
    const swaps = compilation.steps.filter(({ pass, accepted }) => pass === "monotone-commute" && accepted);
    for (const { seq } of swaps) expect(complaints(fusionAt(compilation, seq), gpu, 1e-9)).toEqual([]);
  });
});

/** A product that a thread makes twice, once for the peak of its rows or columns: m × n, with k along either axis of what is stored. */
const madeTwice = [
  [1, 33, 4],
  [33, 1, 1],
  [33, 5, 2],
  [5, 33, 3],
  [5, 33, 4],
  [33, 5, 8],
].flatMap(([m, n, k]) =>
  [`x: f32[${m}, ${k}]\na = x`, `x: f32[${k}, ${m}]\na = x.T`, `x: f32[${m}, 1]\na = x.expand(${m}, ${k})`].flatMap(
    (left) =>
      [`w: f32[${k}, ${n}]\nb = w`, `w: f32[${n}, ${k}]\nb = w.T`].flatMap((right) =>
        [0, 1].map((axis) => [`${left}\n${right}\nz = a @ b\ny = softmax(z, dim=${axis})`]),
      ),
  ),
);

test.each(madeTwice)("what a thread's turns load they load twice, and what stays the same once: %s", (text) => {
  for (const target of [gpu, cpu]) {
    const { graph, regions } = oneRegion(graphOf(text));
    const { facts, logs } = runPlanOnCpu({ graph, regions }, target, generic, dataOf(graph)).regions[0]!;
    const logged = new Map(logs[0]!.buffers.map(({ value, passes }) => [value, passes]));
    for (const { value, rereads } of facts.schedule.reads)
      expect([value, 1 + rereads]).toEqual([value, logged.get(value)]);
  }
});

const finalOf = (text: string, given: Partial<CompileOptions> = {}): Totals => {
  const compilation = compiled(graphOf(text), given);
  return planAt(compilation, compilation.steps.length).totals;
};

test("memory does not grow with sequence times vocabulary", () => {
  const [short, long] = [512, 1024].map((s) => finalOf(sparseHead(s, 30522)).peakBytes);
  expect(long! - short!).toBe(2 * 512 * (24 + 1) * 4);
});

const linearLoss = (n: number, v: number, reduction = "none"): string =>
  `h: f32[${n}, 64]\nw: f32[${v}, 64]\ny: i32[${n}] = zeros()\nloss = F.cross_entropy(F.linear(h, w), y, ignore_index=-100, reduction="${reduction}")`;

test("a linear layer and its cross-entropy take memory for rows, not for rows times classes", () => {
  for (const n of [512, 4096, 32768, 131072]) {
    const inputs = 4 * (n * 64 + 8192 * 64 + n);
    // A loss for each row, and what the chunks of all rows leave: the workgroups are about as many, however many rows there are.
    expect(finalOf(linearLoss(n, 8192)).peakBytes - inputs).toBeLessThanOrEqual(4 * n + 3 * 2 ** 20);
  }
});

test.each([
  [40, 90, EAGER, 2],
  [2048, 4096, {}, 3],
  [65536, 4096, {}, 3],
] as const)("with the mean over %i rows of %i classes", (n, v, given, kernels) => {
  expect(finalOf(linearLoss(n, v, "mean"), given).kernels).toBe(kernels);
});

test.each([
  [
    "a square of what the fold gives",
    "v: f32[90]\nz = x @ w\nd = z - z.mean(dim=-1, keepdim=True)\ny = (d * d).mean(dim=-1)",
    "L_REDUCE_REDUCE",
  ],
  ["so few rows that most of the machine waits", "y = logsumexp(x[:2] @ w, dim=-1)", "C_PARALLELISM"],
] as const)("%s is refused", (_, text, code) => {
  const { steps } = compiled(graphOf(`x: f32[40, 2048]\nw: f32[2048, 90]\n${text}`));
  const step = steps.find(({ pass }) => pass === "contract-reduce")!;
  expect((step.profitable ?? step.legal).code).toBe(code);
  expect(step.accepted).toBe(false);
});

test("strict mode keeps the order of the sums", () => {
  const { steps } = compiled(graphOf(linearLoss(64, 512)), { strict: true });
  expect(steps.find(({ pass }) => pass === "contract-reduce")?.legal.code).toBe("L_STRICT");
});

test("maxima keep their rounding, so strict mode folds them too, but functions stay where they are", () => {
  expect(
    finalOf(`x: f32[512, 64]\nw: f32[64, 4096]\ny = relu(x @ w).max(dim=0)`, { ...EAGER, strict: true }).kernels,
  ).toBe(1);
  const { steps } = compiled(graphOf(sparseHead(64, 64)), { ...EAGER, strict: true });
  expect(steps.find(({ pass }) => pass === "monotone-commute")?.legal.code).toBe("L_STRICT");
});

test("the text of a small one", () => {
  expect(wgslOf(`x: f32[16, 4]\nw: f32[4, 16]\ny = relu((x @ w).max(dim=0))`, gpu)).toMatchSnapshot("workgroup");
  expect(wgslOf(`x: f32[16, 4]\nw: f32[4, 16]\ny = logsumexp(x @ w, dim=-1)`, cpu)).toMatchSnapshot("thread");
});

/** @file Planning stays near-linear: a program ten times as long takes about ten times as long, and never overflows the stack. */
import { expect, test } from "vitest";
import { allPasses, naiveFusion, runPasses } from "../../src/fusion/passes";
import { graphOf } from "../random-graph";
import { options } from "./pass-harness";

const chain = (ops: number): string =>
  `x: f32[1024, 1024]\nt = x\n${Array.from({ length: ops }, (_, i) => `t = ${["relu", "exp", "tanh", "sigmoid"][i % 4]!}(t)`).join("\n")}`;
const norms = (ops: number): string =>
  `x: f32[1024, 768]\nw: f32[768]\nb: f32[768]\nt = x\n${Array.from({ length: ops / 15 }, () => "t = t + gelu(layer_norm(t, w, b)) * 0.5").join("\n")}`;

/** Processor milliseconds of the quickest of several runs: other work on the machine only adds. */
function planningMillis(text: string): number {
  const naive = naiveFusion(graphOf(text), "primitive");
  let best = Infinity;
  for (let run = 0; run < 3; run++) {
    const start = process.cpuUsage().user;
    runPasses(naive, options(), allPasses);
    best = Math.min(best, (process.cpuUsage().user - start) / 1000);
  }
  return best;
}

test.each([
  ["a chain", chain],
  ["norm blocks", norms],
] as const)("%s of 10,000 ops against 1,000", { retry: 2 }, (_, program) => {
  planningMillis(program(1000));
  const slope = Math.log10(planningMillis(program(10_000)) / planningMillis(program(1000)));
  // The design allows 1.2 on a quiet machine; quadratic work would show as 2.
  expect(slope).toBeLessThan(1.4);
});

const convolutions = (batch: number): string => `x: f32[${batch}, 8, 32, 32]
w: f32[16, 8, 3, 3] = param()
u: f32[16, 16, 3, 3] = param()
def loss(w, u):
  return conv2d(relu(conv2d(x, w, padding=1)), u, padding=1).mean()
return grad(loss, argnums=(0, 1))(w, u)`;
const image = (call: string) => (batch: number) => `x: f32[${batch}, 4, 56, 56]\ny = relu(${call} * 2)`;

test.each([
  ["a mirrored border", image('pad(x, (1, 1, 1, 1), mode="reflect")')],
  ["a turn of the axes' ends", image("roll(x, (3, 3), dims=(2, 3))")],
  ["an image twice as large", image("interpolate(x, scale_factor=2)")],
  ["the gradient of convolutions", convolutions],
] as const)(
  "%s: a tensor of sixteen times the elements takes far from sixteen times as long to plan",
  { retry: 2 },
  (_, program) => {
    planningMillis(program(1));
    expect(planningMillis(program(16))).toBeLessThan(10 * planningMillis(program(1)));
  },
);

test("kernels of a long chain fill their budget", () => {
  const { steps } = runPasses(naiveFusion(graphOf(chain(640)), "op"), options(), allPasses);
  expect(steps.at(-1)!.totals.kernels).toBe(3);
});

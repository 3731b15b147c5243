/** @file Planning walks pieces of index maps, never elements: its work, in steps that are counted, is that of a small tensor for one of 2²⁸ elements. */
import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../src/fusion/compile";

const COUNTED = [
  [Map.prototype, "get"],
  [Set.prototype, "has"],
  [Array.prototype, "push"],
  [Math, "floor"],
  [Math, "min"],
  [Math, "max"],
] as const;

/** How often one of these functions is called during `work`: a walk over elements calls one for each of them. */
function stepsDuring(work: () => void): number {
  let count = 0;
  const undo = COUNTED.map(([owner, name]) => {
    const own = Object.getOwnPropertyDescriptor(owner, name)!;
    const call = own.value as (...args: unknown[]) => unknown;
    const counting = function counting(this: unknown, ...args: unknown[]): unknown {
      count++;
      return call.apply(this, args);
    };
    Object.defineProperty(owner, name, { ...own, value: counting });
    return () => Object.defineProperty(owner, name, own);
  });
  try {
    work();
  } finally {
    for (const each of undo) each();
  }
  return count;
}

const line = (call: string) => (bits: number) => `x: f32[${2 ** bits}]\nreturn ${call}\n`;
const image = (call: string) => (bits: number) =>
  `x: f32[1, 1, ${2 ** (bits / 2)}, ${2 ** (bits / 2)}]\nreturn ${call}\n`;
const gradient = (call: string) => (bits: number) =>
  `x: f32[${2 ** bits}]\nl = ${call}.sum()\nl.backward()\nreturn x.grad\n`;

test.each([
  ["roll", line("roll(x, 5) + x")],
  ["roll of two sides", line("roll(x, 5) + roll(x, -3)")],
  ["tile", line("tile(x, 2) * 2")],
  ["pad", line("exp(pad(x, (3, 5)))")],
  ["a mirrored border", line('pad(x.reshape(1, -1), (3, 5), mode="reflect") * 2')],
  ["repeat_interleave", line("repeat_interleave(x, 3) + 1")],
  ["flip and slices", line("flip(x, 0)[::3] + x[: x.shape[0] // 3 + 1]")],
  ["a view of pairs", line("x.reshape(-1, 2).T.reshape(-1) + x")],
  ["concat", line("cat([x, x * 2, x[:7]])")],
  ["a cumulative sum", line("cumsum(x, 0)")],
  ["interpolate", image("interpolate(x, scale_factor=2.0) * 2")],
  ["bilinear", image('interpolate(x, scale_factor=2.0, mode="bilinear")')],
  ["max_pool2d", image("max_pool2d(x, 3, 2, 1)")],
  ["a convolution with wide borders", image("conv2d(x, ones(1, 1, 3, 3), padding=200)")],
  ["the gradient of pad", gradient("(pad(x, (3, 5)) ** 2)")],
  ["the gradient of roll", gradient("(roll(x, 5) * x)")],
  ["the gradient of a slice", gradient("(x[3:-5:2] ** 2)")],
] as const)("%s", (_, program) => {
  const planned = (bits: number): void => {
    const { fusedPlan } = compile(program(bits), defaultOptions);
    expect(fusedPlan!.kernels.length).toBeGreaterThan(0);
  };
  const steps = (bits: number): number => {
    planned(bits); // what is made once and remembered, by other tests as well
    return stepsDuring(() => planned(bits));
  };
  // Long rows are cut into parts by other passes than short ones: between those sizes the work is a few times more, once.
  expect(steps(28)).toBeLessThan(Math.min(1.2 * steps(20), 32 * steps(10)));
});

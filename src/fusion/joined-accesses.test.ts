/** @file Four neighbours as one access: where, and where not. */
import { expect, test } from "vitest";
import { compile, defaultOptions } from "./compile";

interface Accesses {
  readonly loads: readonly string[];
  /** Loads of one component of four. */
  readonly parts: readonly string[];
  readonly stores: readonly string[];
}

/** The loads of `x` and the stores of a program's fused kernels, as their text has them. */
function accessesOf(text: string): Accesses {
  const { fusedPlan } = compile(text, defaultOptions);
  const lines = fusedPlan!.kernels.flatMap(({ wgsl }) => wgsl.split("\n").map((line) => line.trim()));
  const found = (pattern: RegExp): string[] => lines.flatMap((line) => pattern.exec(line)?.[1] ?? []);
  return { loads: found(/= (x\[.*\]);$/), parts: found(/= (x\[.*\]\.[xyzw]);$/), stores: found(/^(\w+\[[^\]]*\]) = /) };
}

test("components along a short last axis are loaded together", () => {
  expect(accessesOf("x: f32[1024, 4]\na, b, c, d = x.unbind(-1)\ny = a * b + c * d")).toMatchObject({
    loads: ["x[i * 4u]", "x[i * 4u + 1u]", "x[i * 4u + 2u]", "x[i * 4u + 3u]"],
    stores: ["y[i]"],
  });
});

test("three of four are loaded one by one: the fourth is not read", () => {
  const { loads } = accessesOf("x: f32[1024, 4]\ny = x[:, 0] * x[:, 1] + x[:, 2]");
  expect(loads).toHaveLength(12);
});

test("a window's elements are loaded and stored by one thread where windows do not overlap", () => {
  const { loads, stores } = accessesOf(
    "x: f32[8, 64, 64, 64]\ng: f32[8, 64, 32, 32]\ndef f(x):\n    return (max_pool2d(x, 2) * g).sum()\ny = grad(f)(x)\nreturn y",
  );
  expect([loads.length, stores.length]).toEqual([4, 4]);
});

test("behind edges that the four cross together they are one load, also beyond a branch", () => {
  const both = [
    "x: f32[64, 64]\np = F.pad(x, (1, 1, 1, 1))\ny = p[1:-1, :-2] + p[1:-1, 2:] - p[1:-1, 1:-1]",
    "x: f32[4, 8, 64, 64]\nw: f32[8, 1, 3, 3]\ny = F.conv2d(x, w, padding=1, groups=8)",
  ];
  // Beside it one component of the four before, and one of those behind.
  for (const { loads, parts } of both.map(accessesOf)) expect([loads.length, parts.length]).toEqual([1, 2]);
});

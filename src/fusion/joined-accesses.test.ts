/** @file Four neighbours as one access: where, and where not. */
import { expect, test } from "vitest";
import { compile, defaultOptions } from "./compile";

/** The loads of `x` and the stores of a program's fused kernels, as their text has them. */
function accessesOf(text: string): { readonly loads: readonly string[]; readonly stores: readonly string[] } {
  const { fusedPlan } = compile(text, defaultOptions);
  const lines = fusedPlan!.kernels.flatMap(({ wgsl }) => wgsl.split("\n").map((line) => line.trim()));
  const found = (pattern: RegExp): string[] => lines.flatMap((line) => pattern.exec(line)?.[1] ?? []);
  return { loads: found(/= (x\[.*\]);$/), stores: found(/^(\w+\[[^\]]*\]) = /) };
}

test("components along a short last axis are loaded together", () => {
  expect(accessesOf("x: f32[1024, 4]\na, b, c, d = x.unbind(-1)\ny = a * b + c * d")).toEqual({
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

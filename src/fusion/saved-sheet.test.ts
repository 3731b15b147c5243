import { expect, test } from "vitest";
import { compile, defaultOptions } from "./compile";
import { savedSheet } from "./saved-sheet";

const chain =
  "x: f32[1048576]\ng: f32[1048576]\ndef f(x):\n    a = exp(x)\n    return log(a + 1)\ny, pull = vjp(f, x)\nreturn y, pull(g)\n";
const layers =
  "x: f32[256, 256]\nw: f32[256, 256] = param()\nh = x\nfor i in range(4):\n    h = gelu(h @ w)\nloss = sum(h)\nloss.backward()\nreturn loss, w.grad\n";
const sheetOf = (text: string) => savedSheet(compile(text, defaultOptions))!;

test("a program without a backward pass has no sheet", () => {
  expect(savedSheet(compile("x: f32[8]\ny = relu(x)\n", defaultOptions))).toBeNull();
});

test("differentiation expands the graph, fusion contracts it", () => {
  const { expansion } = sheetOf(chain);
  expect(expansion).toEqual({ forward: { ops: 3, kernels: 3 }, both: { ops: 6, kernels: 6 }, fused: { kernels: 1 } });
});

test("each policy is a plan with what it keeps, and says what a value can be", () => {
  const { rows, values } = sheetOf(chain);
  expect(rows.map(({ policy, savedBytes, totals }) => [policy, savedBytes / 2 ** 20, totals.kernels])).toEqual([
    [null, 0, 1],
    ["stored", 8, 2],
    ["cut", 0, 2],
    ["segments", 4, 2],
    ["recomputed", 0, 2],
  ]);
  expect(values.map(({ label, offers }) => [label, offers])).toEqual([
    ["a", ["save", "recompute", "invert", "f16"]],
    ["add", ["save", "recompute", "invert", "f16"]],
  ]);
});

test("a smaller budget keeps less and works more", () => {
  const { rows } = sheetOf(layers);
  const cuts = rows.filter(({ policy }) => policy === "cut");
  expect(cuts.length).toBe(5);
  for (const [i, row] of cuts.slice(1).entries()) {
    expect(row.savedBytes).toBeLessThanOrEqual(row.budgetBytes!);
    expect(row.flops).toBeGreaterThanOrEqual(cuts[i]!.flops);
  }
  expect(cuts.at(-1)!.savedBytes).toBe(0);
});

test("a budget that no plan meets is no row; what is saved in any case is said", () => {
  const { rows, leastBytes } = sheetOf(layers);
  expect(leastBytes).toBeNull();
  expect(rows.length).toBe(9);
  // A person's own choice is saved whatever the budget.
  const a = sheetOf(chain).values.find(({ label }) => label === "a")!.node;
  const options = { ...defaultOptions, savedValues: { apart: true, choices: { [a]: "save" as const } } };
  const held = savedSheet(compile(chain, options))!;
  for (const row of [...rows, ...held.rows]) expect(row.savedBytes).toBeLessThanOrEqual(row.budgetBytes ?? Infinity);
  expect(held.leastBytes).toBe(4 * 2 ** 20);
  expect(held.rows.every(({ budgetBytes }) => budgetBytes === undefined)).toBe(true);
});

import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt } from "../../fusion";
import { storageRows } from "./storage-bytes";

function rowsOf(text: string) {
  const compilation = compile(text, defaultOptions);
  const { naive, naivePlan, fusedPlan, steps } = compilation;
  const rows = storageRows(
    { plan: naivePlan!, graph: naive!.graph },
    { plan: fusedPlan!, graph: fusionAt(compilation, steps.length).graph },
  );
  return { rows: new Map(rows.map((row) => [row.name, row])), naivePlan: naivePlan!, fusedPlan: fusedPlan! };
}

test("f32 is what the plans count, f16 and bf16 are half of it, i8 a quarter and a scale for each transfer", () => {
  const { rows, naivePlan, fusedPlan } = rowsOf("x: f32[256, 256]\nb: f32[256, 256]\ny = log(relu(x + b))");
  expect([rows.get("f32")!.naive, rows.get("f32")!.fused]).toEqual([naivePlan.totals.bytes, fusedPlan.totals.bytes]);
  expect(rows.get("f16")!.fused).toBe(fusedPlan.totals.bytes / 2);
  expect(rows.get("bf16")).toMatchObject({ naive: naivePlan.totals.bytes / 2, fused: fusedPlan.totals.bytes / 2 });
  expect(rows.get("i8")!.fused).toBe(fusedPlan.totals.bytes / 4 + 4 * fusedPlan.totals.transfers);
});

test("indices and masks keep their bytes", () => {
  const { rows } = rowsOf("x: f32[256, 64]\ni: i32[128] = zeros()\ny = x[i] * 2");
  const [wide, half] = [rows.get("f32")!.fused, rows.get("f16")!.fused];
  expect(wide - half).toBe((wide - 128 * 4) / 2);
});

test("a program on f16 is counted as wide as it would be in f32", () => {
  const { rows, fusedPlan } = rowsOf("x: f16[256, 256]\ny = exp(x) + 1");
  expect(rows.get("f16")!.fused).toBe(fusedPlan.totals.bytes);
  expect(rows.get("f32")!.fused).toBe(2 * fusedPlan.totals.bytes);
});

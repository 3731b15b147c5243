/** @file A product folded while it is made: what the derived form computes, on awkward shapes, in both schedules. */
import { expect, test } from "vitest";
import { lowerFusion } from "../../src/fusion/codegen";
import { generic } from "../../src/fusion/cost";
import { complaints, cpu, gpu, graphOf, oneRegion } from "./codegen-harness";

const CASES: Readonly<Record<string, string>> = {
  "maximum over rows": `x: f32[2, 40, 20]\nw: f32[20, 36]\ny = (x @ w).max(dim=1)`,
  "maximum over odd rows": `x: f32[37, 21]\nw: f32[21, 50]\ny = (x @ w).max(dim=0)`,
  "sparse head": `x: f32[2, 33, 24]\ne: f32[70, 24]\nb: f32[70]\nmask: f32[2, 33, 1]\nz = where(mask > 0, x @ e.T + b, -3e38)\ny = log1p(relu(z)).max(dim=1)`,
  "logsumexp over columns": `x: f32[40, 20]\nw: f32[20, 90]\nb: f32[90]\nz = x @ w + b\ny = logsumexp(z, dim=-1)`,
  "sum and maximum over columns": `x: f32[3, 18, 20]\nw: f32[20, 33]\nz = relu(x @ w)\ny = z.sum(dim=-1) / (1 + z.max(dim=-1))`,
  "one row": `x: f32[1, 20]\nw: f32[20, 90]\ny = logsumexp(x @ w, dim=-1)`,
  "logsumexp over rows": `x: f32[64, 20]\nw: f32[20, 18]\nz = x @ w\ny = logsumexp(z, dim=0)`,
};

test.each(Object.entries(CASES))("%s", (_, text) => {
  const fusion = oneRegion(graphOf(text));
  expect(lowerFusion(fusion, gpu, generic)[0]!.programs[0]!.template).toBe("contract-reduce");
  expect(complaints(fusion, gpu, 1e-9)).toEqual([]);
  expect(complaints(fusion, cpu, 1e-9)).toEqual([]);
});

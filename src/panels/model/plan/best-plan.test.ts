import { expect, test } from "vitest";
import { bestPlanText } from "./best-plan";

test("the gap to the best plan in a sentence: none, a share, or why nobody looks", () => {
  expect(bestPlanText({ micros: 12, planned: 12 * (1 + 1e-12), weighed: 9 })).toBe(
    "By the cost model, no plan is better than the fused one: 12 µs (found by trying all; 9 kernels compared).",
  );
  expect(bestPlanText({ micros: 12.3, planned: 12.4, weighed: 1200 })).toBe(
    "By the cost model, the best plan takes 12.3 µs (found by trying all; 1,200 kernels compared); the fused one 12.4 µs, +0.81 %.",
  );
  expect(bestPlanText({ tooLarge: "40 ops are too many to try every plan: 30 at most" })).toBe(
    "The best plan is not searched for: 40 ops are too many to try every plan: 30 at most.",
  );
});

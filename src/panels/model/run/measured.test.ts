import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../../fusion";
import { countedRows } from "./measured";

test("the transfers beside an earlier run's times are those of its own plans", () => {
  const plansOf = (text: string) => {
    const { naivePlan, fusedPlan } = compile(text, defaultOptions);
    return { naive: naivePlan!, step: null, fused: fusedPlan! };
  };
  const texts = ["x: f32[64]\ny = relu(exp(x))\n", "x: f32[64]\ny = relu(x)\n"] as const;
  const [earlier, now] = [plansOf(texts[0]), plansOf(texts[1])];
  const run = { text: texts[0], plans: earlier };
  const rowsOf = ({ naive, fused }: typeof now) => [
    ["naive", naive],
    ["fused", fused],
  ];
  expect(countedRows(now, texts[1], run)).toEqual(rowsOf(earlier));
  expect(countedRows(now, texts[0], run)).toEqual(rowsOf(now));
  expect(countedRows(now, texts[1], null)).toEqual(rowsOf(now));
});

import { expect, test } from "vitest";
import { compile, defaultOptions, levels, passCatalogue } from "../../../fusion";
import { noSteps } from "./step-words";

test("where nothing was decided, it is said whether any pass ran", () => {
  const text = "x: f32[64, 64]\ny = log(relu(x) + 1)\n";
  for (const { level } of levels) {
    const { steps, options } = compile(text, { ...defaultOptions, level });
    expect(steps.length === 0).toBe(level === 0);
    expect(noSteps(options).startsWith("Level 0 runs no pass.")).toBe(level === 0);
  }
  const disabledPasses = passCatalogue.map(({ name }) => name);
  const { steps, options } = compile(text, { ...defaultOptions, disabledPasses });
  expect(steps).toHaveLength(0);
  expect(noSteps(options)).toBe("The passes that run find nothing to fuse here.");
  expect(noSteps(compile("x: f32[64]\ny = relu(x)\n", defaultOptions).options)).toBe("Nothing to fuse here.");
});

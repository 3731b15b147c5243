import { expect, test } from "vitest";
import { createPlayground } from "./playground";
import { environmentWith, Shelf } from "./testing/fake-environment";
import type { Notice } from "./types";

test("what only informs goes with the next step, so that the numbers are seen; a warning and a question stay", () => {
  const page = createPlayground(environmentWith(new Shelf()));
  const staysAfterStep = (notice: Notice): boolean => {
    page.setState({ notice });
    page.getState().actions.stepTo(0);
    return page.getState().notice !== null;
  };
  expect(staysAfterStep({ tone: "info", text: "A gradient is taken of one number." })).toBe(false);
  expect(staysAfterStep({ tone: "warn", text: "That could not be read." })).toBe(true);
  expect(staysAfterStep({ tone: "info", text: "Saved.", action: { label: "Open", kind: "retry" } })).toBe(true);
  page.dispose();
});

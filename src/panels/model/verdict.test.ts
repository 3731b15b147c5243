import { expect, test } from "vitest";
import { nodeId } from "../../fusion";
import type { CheckRow } from "../../state";
import { verdictOf } from "./verdict";

const row: CheckRow = {
  plan: "fused",
  output: nodeId("y"),
  maxAbs: 1e-6,
  maxRel: 3.14e-6,
  maxUlp: 2,
  limit: "1.1e-4",
  worst: { index: [1417, 302], got: 0.81, want: 0.8100008, allowed: 1.1e-4 },
  nanMismatches: 0,
  compared: 100,
  elements: 100,
  pass: true,
};

test("agreement names the worst element", () => {
  expect(verdictOf([{ ...row, plan: "naive", maxUlp: 1 }, row])).toEqual({
    same: true,
    title: "Same result.",
    text: "Worst 2 ULP at [1417, 302], 3.1e-6 relative, limit 1.1e-4.",
  });
});

test("a mismatch names output, plan, element and both values", () => {
  const bad = { ...row, pass: false, worst: { index: [1417, 302], got: 0.81, want: 0.79, allowed: 1.1e-4 } };
  expect(verdictOf([row, bad])).toEqual({
    same: false,
    title: "Not the same.",
    text: "y of the fused plan at [1417, 302] is 0.81, should be 0.79, limit 1.1e-4.",
  });
});

test("NaN on one side only is a mismatch of its own", () => {
  expect(verdictOf([{ ...row, pass: false, nanMismatches: 3 }])?.text).toContain(
    "3 elements that are NaN on one side only",
  );
});

test("sampling is said", () => {
  expect(verdictOf([{ ...row, compared: 4096, elements: 4_194_304 }])?.text).toContain(
    "Compared 4,096 of 4,194,304 elements.",
  );
});

test("equal in every element has no worst one", () => {
  expect(verdictOf([{ ...row, maxAbs: 0, maxRel: 0, maxUlp: 0 }])?.text).toBe(
    "Equal in every element compared, limit 1.1e-4.",
  );
});

test("nothing compared, no verdict", () => expect(verdictOf([])).toBeNull());

test("close to zero the difference itself is written, not thousands of ULP", () => {
  const near = {
    ...row,
    maxUlp: 96_100,
    maxRel: 7.6e-3,
    worst: { index: [3], got: 1.2e-5, want: 1.19e-5, allowed: 1.1e-4 },
  };
  expect(verdictOf([near])?.text).toBe("Worst difference 1e-7 at [3]; 1.1e-4 is allowed there.");
});

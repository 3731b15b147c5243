import { expect, test } from "vitest";
import { nodeId } from "../../../fusion";
import type { CheckRow, FullComparison } from "../../../state";
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
    "Compared with f64 at 4,096 of 4,194,304 elements: worst 2 ULP at [1417, 302]",
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

const full: FullComparison = {
  plan: "fused",
  output: nodeId("y"),
  elements: 4096,
  maxAbs: 3,
  scale: 24,
  farthest: [{ at: 17, naive: 24, other: 21 }],
  beyond: 2,
  nan: 0,
  infinite: 0,
  atol: 1e-5,
  ofSize: 1e-5,
  rtol: 1e-5,
  ulps: { bins: [4094], nearZero: 0, nan: 0 },
  amplified: false,
};

test("plans that differ are excused only where the program amplifies rounding at the farthest element itself", () => {
  const rows = [{ ...row, sensitive: 12 }];
  expect(verdictOf(rows, { full: [full] })).toMatchObject({ same: false, title: "Not the same." });
  const chaotic = verdictOf(rows, { full: [{ ...full, amplified: true }] });
  expect(chaotic).toMatchObject({ same: true, title: "Right as far as f32 can tell." });
  const elsewhere = verdictOf([row], { full: [{ ...full, amplified: true }] });
  expect(elsewhere?.text).toContain("where the plans are farthest apart, f64 moves as far");
  const unknown = verdictOf(rows, { full: [{ ...full, amplified: null }] });
  expect(unknown).toMatchObject({ same: false, title: "Not settled." });
  expect(unknown?.text).toContain("choose a smaller size");
});

test("a difference above 1 % of the largest value is not agreement without its reason", () => {
  const near = { ...row, scale: 1e-5, maxAbs: 1e-6, because: "for sum" };
  const verdict = verdictOf([near]);
  expect(verdict).toMatchObject({ same: true, title: "Within the limit." });
  expect(verdict?.text).toContain("10 % of the largest value. The limit allows it (for sum)");
  const far = verdictOf([row], { full: [{ ...full, beyond: 0, atol: 4 }] });
  expect(far).toMatchObject({ title: "Within the limit." });
  expect(verdictOf([{ ...near, sensitive: 3 }])?.title).toBe("Right as far as f32 can tell.");
  expect(verdictOf([{ ...row, scale: 1 }])?.title).toBe("Same result.");
});

test("each output says how far apart its own values are, the farthest for its size first", () => {
  const loss = { ...full, called: "loss", elements: 1, maxAbs: 3e-5, scale: 300, beyond: 0 };
  const gradient = { ...full, output: nodeId("g"), called: "d_x", maxAbs: 1e-9, scale: 1e-4, beyond: 0 };
  const bias = { ...gradient, called: "d_b", maxAbs: 0 };
  const rows = [
    { ...row, called: "loss" },
    { ...row, output: nodeId("g"), called: "d_x", maxUlp: 9 },
  ];
  expect(verdictOf(rows, { full: [loss, gradient, bias] })?.text).toBe(
    "All 8,193 elements of naive and fused were compared: d_x differs by 1e-9 at most, 1e-5 of its largest value; loss by 3e-5 at most, 1e-7 of its largest value; 1 output is equal. Worst 9 ULP at [1417, 302] of d_x, 3.1e-6 relative, limit 1.1e-4.",
  );
});

test("small values that differ by what only values of size 1 may are not the same", () => {
  const small = { ...full, maxAbs: 5e-6, scale: 1e-3, beyond: 0, amplified: false };
  expect(verdictOf([row], { full: [small] })?.same).toBe(false);
  expect(verdictOf([row], { full: [{ ...small, maxAbs: 1e-8 }] })?.title).toBe("Same result.");
});

test("each reason why kernels were not compared with f64 is told with how many it holds for", () => {
  const of = (because: "large" | "late" | "unread", ...kernels: string[]) =>
    kernels.map((kernel) => ({ kernel, because }));
  const skipped = [...of("late", "fused K1", "fused K2"), ...of("large", "naive K3"), ...of("unread", "naive K4")];
  const said = (some: typeof skipped) =>
    verdictOf([row], { skipped: some })?.text.match(/\d+ kernels? (was|were) not.*/)?.[0];
  expect(said([])).toBeUndefined();
  expect(said(skipped.slice(0, 2))).toBe("2 kernels were not compared with f64: the 2 s for that were over.");
  expect(said(skipped)).toBe(
    "1 kernel was not compared with f64: one element depends on too many values. 2 kernels were not compared with f64: the 2 s for that were over. 1 kernel was not compared with f64: inputs were not fetched.",
  );
});

test("what is wrong with the plan of a step names that step, whichever is looked at", () => {
  const wrong = [{ ...row, plan: "step" as const, pass: false, nanMismatches: 3 }];
  const said = (cursor?: number) => verdictOf(wrong, { planned: { cursor } })?.text;
  expect(said(3)).toContain(" of the plan of step 3 differs in 3 elements");
  expect(said()).toContain(" of the plan of a step differs in 3 elements");
});

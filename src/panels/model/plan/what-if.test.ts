import { expect, test } from "vitest";
import { changedDecisions, compile, defaultOptions, whatIf, type CompileOptions } from "../../../fusion";
import { stepNames } from "../../../picture";
import { showMicros } from "../units";
import { changedGroups, changedRow, totalRows } from "./what-if";

/** A long computation on a vector that every row reads: copied into the rows only where launches cost more than arithmetic. */
const text = "x: f32[4096, 1024]\nv: f32[1024]\ns = v\nfor i in range(60):\n    s = erf(s)\ny = x * s\n";
const compilation = compile(text, defaultOptions);
const answerTo = (change: Partial<CompileOptions>) => {
  const { steps: _, ...answer } = whatIf(compilation, change);
  return answer;
};

test("nothing changes: no group, the same totals", () => {
  const answer = answerTo({});
  expect(changedGroups(answer, compilation)).toEqual([]);
  expect(
    totalRows(answer, defaultOptions.profile).every(({ tone, first, second }) => tone === "same" && first === second),
  ).toBe(true);
});

test("a more expensive launch turns a refusal into a yes: both answers with their numbers, and what it costs", () => {
  const answer = answerTo({ profile: { ...defaultOptions.profile, name: "own", launchMicros: 500 } });
  const [flipped] = changedGroups(answer, compilation);
  expect(flipped?.title).toMatch(/^\d+ decisions? flips?$/);
  const row = flipped!.rows.find(({ before }) => before?.code === "C_RECOMPUTE")!;
  expect([row.before?.accepted, row.after?.accepted]).toEqual([false, true]);
  expect(row.before?.numbers.join()).toContain("(chosen)");
  expect(row.after?.numbers.join()).toContain("(chosen)");
  const rows = Object.fromEntries(totalRows(answer, defaultOptions.profile).map((each) => [each.name, each]));
  expect(rows["Kernels"]).toMatchObject({ first: "2", second: "1", tone: "less" });
  expect(rows["Predicted, own"]?.tone).toBe("less");
  // The plan as it is takes what the score says on the machine of now, and longer on the other one.
  const now = rows["Predicted now, generic"]!;
  expect(now).toMatchObject({ first: showMicros(compilation.fusedPlan!.totals.predictedMicros), second: "" });
  expect(now.first).not.toBe(rows["Predicted, own"]!.first);
  expect(row.codes).toBe("C_RECOMPUTE → A_BYTES");
});

test("a pass less: its questions are gone, in words that agree in number", () => {
  const groups = changedGroups(answerTo({ level: 0 }), compilation);
  expect(groups.map(({ change }) => change)).toEqual(["gone"]);
  expect(groups[0]!.rows.every(({ before, after }) => before !== null && after === null)).toBe(true);
  expect(groups[0]!.title).toBe(`${groups[0]!.rows.length} questions no longer come up`);
});

test("a decision that differs is called as its step is", () => {
  const shared = "x: f32[256, 256]\nt = x * x\nz1 = t + x\nz2 = t - x\nreturn z1, z2\n";
  const [now, other] = [compile(shared, defaultOptions), compile(shared, { ...defaultOptions, policy: "duplicate" })];
  const names = changedDecisions(now.steps, other.steps).map((decision) => changedRow(decision, now, other).about);
  expect(names).toContain("mul → add, sub");
  const told = [...now.steps.map((step) => stepNames(now, step)), ...other.steps.map((step) => stepNames(other, step))];
  for (const name of names) expect(told).toContain(name);
});

import { expect, test } from "vitest";
import { bindsOf } from "../../../document";
import { compile, defaultOptions } from "../../../fusion";
import type { HandCheck, HandOutcome, Score } from "../../../state";
import { handStatus, scoreByHand } from "./by-hand";

test("the score of the shown plan counts its kernels by hand by what they move, once that is known", () => {
  const { naivePlan, fusedPlan } = compile("x: f32[64, 256]\ny = x - x.mean(dim=1, keepdim=True)\n", defaultOptions);
  const [kernel] = fusedPlan!.kernels;
  const { totals } = fusedPlan!;
  const score: Score = { naive: naivePlan!.totals, now: totals, end: totals };
  const binds = bindsOf(kernel!);
  const reads = kernel!.reads.map((access) => ({ ...access, rereads: 1 }));
  const counted = { ok: true, reads, writes: kernel!.writes, problems: [] } as unknown as HandCheck["counted"];
  const check: HandCheck = { wgsl: "mine", faults: [], compiled: true, counted };
  const now = (byHand: Record<string, string>, known: HandCheck | null) =>
    scoreByHand(score, fusedPlan, byHand, new Map(known ? [[binds, known]] : [])).now;
  expect(now({ [binds]: "mine" }, check)).toMatchObject({
    bytes: totals.bytes + 64 * 256 * 4,
    transfers: totals.transfers + 1,
    fullSizeTransfers: totals.fullSizeTransfers + 1,
  });
  expect(now({ [binds]: "another" }, check)).toEqual(totals);
  expect(now({ [binds]: "mine" }, { ...check, counted: null })).toEqual(totals);
  expect(now({}, check)).toEqual(totals);
});

test("what a kernel by hand moves stands beside the kernel that is shown, and the one for this device where it moves something else", () => {
  const access = { rereads: 0, bytes: 2 ** 19 };
  const counted = { ok: true, reads: [access], writes: [access], problems: [] } as unknown as HandOutcome["counted"];
  const check: HandCheck = { wgsl: "mine", faults: [], compiled: true, counted };
  const outcome = { status: "ran", counted, faults: [], generatedBytes: 1.5 * 2 ** 20 } as unknown as HandOutcome;
  const text = (ran: HandOutcome | null) => handStatus(check, ran, "mine", 2 ** 20).text;
  expect(text(null)).toBe("Compiles. Moves 1 MiB, like the generated kernel.");
  expect(text({ ...outcome, generatedBytes: 2 ** 20 })).toBe(text(null));
  expect(text(outcome)).toBe(`${text(null)} The one generated for this device moves 1.5 MiB.`);
});

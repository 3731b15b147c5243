import { expect, test } from "vitest";
import { bindsOf } from "../../../document";
import { compile, defaultOptions } from "../../../fusion";
import { planByHand, type HandCheck, type HandOutcome, type PlaygroundState, type Score } from "../../../state";
import { scoreWords } from "../plan/score";
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
  const now = (byHand: Record<string, string>, known: HandCheck | null) => {
    const handChecks = new Map(known ? [[binds, known]] : []);
    const document = { byHand } as unknown as PlaygroundState["document"];
    return scoreByHand(score, planByHand(fusedPlan, { document, handChecks })).now;
  };
  const unknown = { bytes: Number.NaN, transfers: Number.NaN, fullSizeTransfers: Number.NaN };
  const mine = now({ [binds]: "mine" }, check);
  expect(mine).toMatchObject({
    bytes: totals.bytes + 64 * 256 * 4,
    transfers: totals.transfers + 1,
    fullSizeTransfers: totals.fullSizeTransfers + 1,
    // The cost model knows generated kernels alone.
    predictedMicros: Number.NaN,
  });
  expect(scoreWords({ ...score, now: mine }).micros.values[1]).toBe("–");
  for (const uncounted of [
    now({ [binds]: "another" }, check),
    now({ [binds]: "mine" }, { ...check, counted: null }),
    now({ [binds]: "mine" }, null),
  ]) {
    expect(uncounted).toMatchObject(unknown);
    const { bytes, transfers, kernels } = scoreWords({ ...score, now: uncounted });
    expect([bytes.values[1], transfers.values[1], kernels[1]]).toEqual(["–", "–", "1"]);
  }
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

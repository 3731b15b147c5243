/** @file What the measured panel shows in each state of a run. */
import { isRunOf, runAt, type FinishedRun, type PlaygroundState } from "../../../state";
import type { Compilation, Plan } from "../../../fusion";
import { count } from "../units";
import { tallyOf } from "../plan/score";
import type { PlanName } from "./run-types";
import { timeRows } from "./timings";
import { verdictOf } from "./verdict";

export interface MeasuredView {
  readonly run: FinishedRun | null;
  /** Results of another program or plan, or of an earlier run: shown greyed. */
  readonly old: boolean;
  /** Right of the title: `400 runs, median`. */
  readonly subtitle: string;
  /** A mismatch withholds the timings until the plans agree. */
  readonly withheld: boolean;
  /** Said above everything: running, stopped, failed; empty when there is nothing to say. */
  readonly message: string;
  readonly failed: boolean;
}

/** A run under way, once it has samples. */
const liveOf = (run: PlaygroundState["run"]): FinishedRun | null =>
  run.status === "running" ? (run.live ?? null) : null;

function runOf({ run }: Pick<PlaygroundState, "run">): FinishedRun | null {
  return run.status === "done" ? run.run : run.status === "idle" ? null : (liveOf(run) ?? run.previous);
}

function subtitleOf(run: FinishedRun): string {
  if (run.result.device.software) return "CPU timings, not a GPU speed-up";
  const runs = timeRows(run)[0]?.runs ?? 0;
  return runs > 0 ? `${count(runs)} runs, median` : "";
}

function messageOf({ run, document, compilation }: Shown, shown: FinishedRun | null): string {
  if (run.status === "running") return run.progress.text;
  if (run.status === "failed") return run.problem.text;
  if (!shown) return "Not run yet. A run times the naive and the fused plan on this device.";
  const older =
    shown.text !== document.text
      ? "Of an earlier program. "
      : isOfPlan(shown, compilation)
        ? ""
        : "Of an earlier plan. ";
  const samples = timeRows(shown)[0]?.measured.samples ?? 0;
  return older + (shown.result.stopped ? `Stopped after ${count(samples)} samples.` : "");
}

interface Shown extends Pick<PlaygroundState, "run" | "document" | "cursor"> {
  /** What is planned now; null while it is not known. */
  readonly compilation: Compilation | null;
}

/** Nobody knows yet what will be planned while it is compiled. */
const isOfPlan = (run: FinishedRun, compilation: Compilation | null): boolean =>
  compilation?.text !== run.text || isRunOf(run, compilation);

export function measuredView(state: Shown): MeasuredView {
  const found = runOf(state);
  const old =
    found !== null &&
    ((state.run.status !== "done" && !liveOf(state.run)) ||
      found.text !== state.document.text ||
      !isOfPlan(found, state.compilation));
  const run = found && !old ? runAt(found, state.cursor) : found;
  return {
    run,
    old,
    subtitle: run ? subtitleOf(run) : "",
    withheld: (run?.check && verdictOf(run.check, run)?.same === false) ?? false,
    message: messageOf(state, run),
    failed: state.run.status === "failed",
  };
}

type Planned = Pick<Compilation, "text" | "naivePlan" | "fusedPlan">;

export interface CountedPlans {
  readonly naive: Plan | null;
  readonly step: Plan | null;
  readonly fused: Plan | null;
  readonly hand?: Plan | null;
}

/** Rows of the transfer blocks, those of an earlier run of the plans that were shown with it: this step only where it is neither the first nor the last state. */
export function countedRows(
  shown: CountedPlans,
  compilation: Planned | null,
  run: Pick<FinishedRun, "text" | "plans" | "planned"> | null,
): (readonly [PlanName, Plan])[] {
  const { naive, step, fused, hand } = run && !isRunOf(run, compilation) ? (run.planned ?? run.plans) : shown;
  if (!naive || !fused) return [];
  const between = step && step !== naive && step !== fused;
  return [
    ["naive", naive],
    ...(between ? [["step", step] as const] : []),
    ["fused", fused],
    ...(hand ? [["hand", hand] as const] : []),
  ];
}

/** What the device's schedules move where that differs from the document's; null where it does not. */
export function scheduleNote(
  compilation: Planned | null,
  run: Pick<FinishedRun, "text" | "plans" | "planned"> | null,
): string | null {
  if (!compilation || !run) return null;
  const { naive = null, fused = null } = run.planned ?? {};
  const [first, last] = isRunOf(run, compilation) ? [compilation.naivePlan, compilation.fusedPlan] : [naive, fused];
  if (!first || !last) return null;
  const tally = tallyOf(run.plans.naive.totals);
  const [before, after] = [run.plans.naive, run.plans.fused].map(({ totals }) => tally.text(totals));
  if (before === tally.text(first.totals) && after === tally.text(last.totals)) return null;
  return `As run on this device: naive ${before}, fused ${after} ${tally.noun}. Its kernels may read a row more than once.`;
}

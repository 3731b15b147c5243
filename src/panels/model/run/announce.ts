/** @file What is said aloud of a finished run, wherever its panel is: in another tab, another pane, behind the projector's view. */
import type { CpuCheck, RunState } from "../../../state";
import { noDifference } from "./difference";
import { showSpread, timeRows } from "./timings";
import { verdictOf } from "./verdict";

/** What the CPU computed, where that was asked for or no GPU could. */
function ofCpu({ text, check }: CpuCheck): string {
  const verdict = verdictOf(check);
  return verdict ? `${text} ${verdict.title} ${verdict.text}` : text;
}

/** Empty until the results were compared; times are told only when both plans agree. */
export function runAnnouncement(run: RunState, cpu: CpuCheck | null): string {
  const computed = cpu ? ofCpu(cpu) : "";
  if (run.status === "failed") return `Not run on a GPU. ${run.problem.text} ${computed}`.trimEnd();
  if (run.status !== "done" || !run.run.check) return computed;
  const verdict = verdictOf(run.run.check, run.run);
  if (!verdict) return "";
  const rows = timeRows(run.run);
  const times = rows.map(({ title, measured }) => `${title} ${showSpread(measured, rows).median}`);
  const told = verdict.same && times.length > 0;
  const none = told ? noDifference(run.run) : null;
  const over = told ? `The run is over: ${times.join(", ")}.` : "The run is over.";
  return [over, none, verdict.title, verdict.text].filter(Boolean).join(" ");
}

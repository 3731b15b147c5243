/** @file Where a run's saved time comes from, and when the time spent on fusing is earned back. */
import { listOf, type Compilation } from "../../../fusion";
import { isRunOf, type FinishedRun } from "../../../state";
import type { TwoStops } from "./run-types";
import { gainOf, noDifference } from "./difference";
import { overRoof, roofPoints } from "./roofline";
import { timingOf } from "./timings";
import { count, showMicros } from "../units";

export interface Split {
  /** µs that a run of the fused plan takes less than one of the naive plan; negative when it takes more; never a difference that the run doesn't show. */
  readonly saved: number;
  /** Bytes that no longer travel, over the bandwidth measured here. */
  readonly traffic: number;
  /** Launches that are gone, at what one takes here. */
  readonly launches: number;
  /** What neither explains: caches, parallelism, arithmetic. */
  readonly rest: number;
}

/** Why the roofs can't tell what saves the time: a plan beat them, or they explain more than there was. */
function untold(run: FinishedRun): string | null {
  if (overRoof(roofPoints(run)))
    return "How much of it is traffic can't be told: a plan reached more than 100 % of the roofs measured here.";
  const split = splitOf(run);
  const naive = timingOf(run.result, "naive", null);
  return split && naive && split.traffic + split.launches > naive.median
    ? `Where it comes from can't be told: by the roofs and launches measured here it would be ${showMicros(split.traffic + split.launches)}, more than the naive plan takes.`
    : null;
}

/** Null without both times, without roofs, or where the run shows no difference. */
export function splitOf(run: FinishedRun): Split | null {
  const { plans } = run;
  const { roofs } = run.result;
  const saved = gainOf(run);
  if (saved === null || !roofs) return null;
  const traffic = ((plans.naive.totals.bytes - plans.fused.totals.bytes) / roofs.bandwidth) * 1e6;
  const launches = (plans.naive.kernels.length - plans.fused.kernels.length) * roofs.launchMicros;
  return { saved, traffic, launches, rest: saved - traffic - launches };
}

/** `Fusing saves 91 µs a run, by this device's measured roofs: it saves 62 µs of traffic and 38 µs of launches, and loses 9 µs in the rest (…).`; without the parts, and why, where they say nothing. */
export function splitSentence(run: FinishedRun): string | null {
  const split = splitOf(run);
  if (!split) return null;
  const { saved, traffic, launches, rest } = split;
  const whole = saved >= 0 ? `Fusing saves ${showMicros(saved)} a run` : `Fusing costs ${showMicros(-saved)} a run`;
  const none = untold(run);
  if (none) return `${whole}. ${none}`;
  const parts = [
    { micros: traffic, where: "of traffic" },
    { micros: launches, where: "of launches" },
    { micros: rest, where: "in the rest (caches, parallelism, arithmetic)" },
  ];
  const said = [
    ["saves", parts.filter(({ micros }) => micros >= 0)],
    ["loses", parts.filter(({ micros }) => micros < 0)],
  ] as const;
  const sides = said.flatMap(([does, some]) =>
    some.length === 0
      ? []
      : [`${does} ${listOf(some.map(({ micros, where }) => `${showMicros(Math.abs(micros))} ${where}`))}`],
  );
  return `${whole}, by this device's measured roofs: it ${sides.join(", and ")}.`;
}

export interface BreakEven {
  /** ms spent on passes and code, and on the fused pipelines beyond the naive ones. */
  readonly spentMillis: number;
  /** µs saved by each run; null where the run shows no difference. */
  readonly savedMicros: number | null;
  /** Runs after which the time is earned back: 0 when nothing was spent; null when a run saves nothing, or shows no difference. */
  readonly runs: number | null;
}

/** Null unless the run belongs to this compilation and made its pipelines. */
export function breakEvenOf(
  run: FinishedRun,
  compilation: Pick<Compilation, "text" | "millis" | "naivePlan" | "fusedPlan"> | null,
): BreakEven | null {
  const { naive, fused } = run.result.pipelineMillis;
  const savedMicros = gainOf(run);
  if (!compilation || !isRunOf(run, compilation)) return null;
  if (savedMicros === null && noDifference(run) === null) return null;
  if (naive === undefined || fused === undefined) return null;
  const { passes, codegen } = compilation.millis;
  const spentMillis = passes + codegen + fused - naive;
  const saves = savedMicros !== null && savedMicros > 0;
  const runs = spentMillis <= 0 ? 0 : saves ? Math.ceil((spentMillis * 1e3) / savedMicros) : null;
  return { spentMillis, savedMicros, runs };
}

/** What fusing took and after how many runs it is earned back. */
export function breakEvenSentence(run: FinishedRun, compilation: Compilation | null): string | null {
  const found = breakEvenOf(run, compilation);
  if (!found || !compilation) return null;
  const { passes, codegen } = compilation.millis;
  const { naive, fused } = run.result.pipelineMillis;
  const spent = `Planning and code generation took ${showMicros((passes + codegen) * 1e3)}, building the pipelines ${showMicros(fused! * 1e3)} (naive ${showMicros(naive! * 1e3)})`;
  if (found.runs === 0) return `${spent}: recovered before the first run.`;
  if (found.savedMicros === null) return `${spent}: this run can't show whether that is recovered.`;
  if (found.runs === null) return `${spent}: a run saves no time here, so this is never recovered.`;
  return `${spent}: recovered after ${count(found.runs)} ${found.runs === 1 ? "run" : "runs"}.`;
}

/** What a clock would have said that does not wait for the GPU; null where the plans took several submits. */
export function unsyncedSentence({ result }: FinishedRun): string | null {
  const { naive, fused } = result.twoStops;
  if (!naive || !fused) return null;
  const shown = (name: string, { handedOver, finished }: TwoStops): string =>
    `${name} ${showMicros(handedOver * 1e3)}, finished after ${showMicros(finished * 1e3)}`;
  return `A clock that stops at submit, without waiting for the GPU, shows ${shown("naive", naive)}; ${shown("fused", fused)}: it measures the page's own work, not the kernels.`;
}

/** What one launch takes on this device, beside what the chapter and others print. */
export function launchSentence({ result: { roofs } }: FinishedRun): string | null {
  if (!roofs) return null;
  return `A launch takes ${showMicros(roofs.launchMicros)} here: the slope of time over empty dispatches. The lecture notes say 5–20 µs, which is for CUDA; published figures for WebGPU are 24–71 µs.`;
}

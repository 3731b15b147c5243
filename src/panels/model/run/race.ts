/** @file Naive and fused on one axis of time: when each kernel of either plan runs, and how far both are at a moment. µs throughout. */
import { bytesOfKernel, kernelWords, shaderRate, type DeviceProfile, type Plan, type RegionId } from "../../../fusion";
import type { FinishedRun } from "../../../state";
import { timesBeside } from "../units";
import { noDifference } from "./difference";
import { sharedOut, sharedWords, type Part } from "./shared-out";

/** One kernel on the axis. */
export interface RaceKernel {
  readonly id: string;
  /** `add relu log` */
  readonly name: string;
  readonly region: RegionId;
  /** The launch before it begins here; the kernel itself begins at `from` and ends at `to`. */
  readonly launch: number;
  readonly from: number;
  readonly to: number;
  /** Read and written. */
  readonly bytes: number;
}

export interface Lane {
  readonly name: "naive" | "fused";
  readonly kernels: readonly RaceKernel[];
  readonly end: number;
  readonly bytes: number;
  /** Of the plan for the document's device, which the score tells of. */
  readonly planned: number;
  /** Of the plan that ran: a device's schedules may read a row more than once. */
  readonly totals: Plan["totals"];
}

export interface Race {
  readonly lanes: readonly [naive: Lane, fused: Lane];
  /** When the slower one is done. */
  readonly end: number;
  /** Whose times these are: a device that was measured, or the profile that predicts. */
  readonly source:
    | {
        readonly kind: "measured";
        readonly device: string;
        readonly software: boolean;
        /** That the run shows no difference, and what is drawn instead of what was measured. */
        readonly notes: readonly string[];
      }
    | {
        readonly kind: "predicted";
        readonly profile: string;
        readonly bandwidth: number;
        /** FLOP/s that price the arithmetic. */
        readonly flops: number;
        readonly launchMicros: number;
      };
}

const predictedParts = ({ kernels }: Plan): Part[] =>
  kernels.map(({ predictedMicros, predicted: { launchMicros } }) => ({
    launch: launchMicros,
    work: Math.max(0, predictedMicros - launchMicros),
  }));

/** `planned`: the same plan for the document's device. */
function laneOf(name: Lane["name"], plan: Plan, parts: readonly Part[], planned: Plan): Lane {
  let at = 0;
  const kernels = plan.kernels.map((kernel, i): RaceKernel => {
    const launch = at;
    const from = launch + parts[i]!.launch;
    at = from + parts[i]!.work;
    const { id, region } = kernel;
    return { id, name: kernelWords(kernel.name), region, launch, from, to: at, bytes: bytesOfKernel(kernel) };
  });
  const bytes = kernels.reduce((sum, each) => sum + each.bytes, 0);
  return { name, kernels, end: at, bytes, planned: planned.totals.bytes, totals: plan.totals };
}

/** `run`: of this very program, with equal results; null where there is none, and the times are predicted. */
export function raceOf(
  plans: { readonly naive: Plan; readonly fused: Plan },
  run: FinishedRun | null,
  profile: DeviceProfile,
): Race {
  const [naive, fused] = run
    ? ([sharedOut(run.plans.naive, "naive", run.result), sharedOut(run.plans.fused, "fused", run.result)] as const)
    : [null, null];
  if (run && naive && fused) {
    const lanes = [
      laneOf("naive", run.plans.naive, naive.parts, plans.naive),
      laneOf("fused", run.plans.fused, fused.parts, plans.fused),
    ] as const;
    const { name, software } = run.result.device;
    const notes = [noDifference(run), sharedWords([naive, fused])].filter((each) => each !== null);
    const end = Math.max(lanes[0].end, lanes[1].end);
    return { lanes, end, source: { kind: "measured", device: name, software, notes } };
  }
  const lanes = [
    laneOf("naive", plans.naive, predictedParts(plans.naive), plans.naive),
    laneOf("fused", plans.fused, predictedParts(plans.fused), plans.fused),
  ] as const;
  const { name, bandwidth, launchMicros } = profile;
  return {
    lanes,
    end: Math.max(lanes[0].end, lanes[1].end),
    source: { kind: "predicted", profile: name, bandwidth, flops: shaderRate(profile), launchMicros },
  };
}

/** Both lanes are told in one unit. */
export const raceTimes = ({ lanes }: Pick<Race, "lanes">): ((micros: number) => string) =>
  timesBeside(lanes.map(({ end }) => end));

export interface LaneAt {
  /** The kernel that is launched or runs; null once all are done. */
  readonly kernel: RaceKernel | null;
  /** Its number in the lane, from 1. */
  readonly number: number;
  /** How much of its work is done, 0 to 1; 0 while it is launched. */
  readonly done: number;
  /** Bytes that have moved so far. */
  readonly moved: number;
}

/** How far a lane is at `time`. */
export function laneAt({ kernels, bytes }: Lane, time: number): LaneAt {
  const i = kernels.findIndex(({ to }) => time < to);
  const kernel = kernels[i];
  if (!kernel) return { kernel: null, number: kernels.length, done: 1, moved: bytes };
  const done = kernel.to > kernel.from ? Math.min(1, Math.max(0, (time - kernel.from) / (kernel.to - kernel.from))) : 0;
  const before = kernels.slice(0, i).reduce((sum, each) => sum + each.bytes, 0);
  return { kernel, number: i + 1, done, moved: before + done * kernel.bytes };
}

/** Round times for the axis: at most seven, the first is 0. */
export function ticksOf(end: number): number[] {
  if (!(end > 0)) return [0];
  const rough = end / 5;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * size).find((each) => each >= rough)!;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
}

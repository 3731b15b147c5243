/** @file The roofline: where each plan and each kernel stands under the roofs measured on this device. */
import { kernelTitle, type Kernel, type Plan } from "../../fusion";
import type { FinishedRun } from "../../state";
import { PLAN_NAMES, planTitle, type PlanName, type Roofs } from "./run-types";
import { timingOf } from "./timings";
import { bytesOfKernel } from "./traffic";

export interface RoofPoint {
  readonly plan: PlanName;
  /** A kernel's id; null for the whole plan. */
  readonly kernel: string | null;
  readonly title: string;
  /** FLOP per byte of counted traffic. */
  readonly intensity: number;
  /** FLOP/s */
  readonly rate: number;
  /** Share of the roof above it, 0 to 1 and more when a cache helps. */
  readonly share: number;
}

/** FLOP/s that the device could reach at `intensity` FLOP per byte. */
export const roofAt = (roofs: Roofs, intensity: number): number => Math.min(roofs.bandwidth * intensity, roofs.flops);

/** FLOP per byte where the slope meets the flat roof. */
export const ridgeOf = (roofs: Roofs): number => roofs.flops / roofs.bandwidth;

const flopsOf = (kernels: readonly Kernel[]): number => kernels.reduce((sum, kernel) => sum + kernel.flops, 0);

function pointOf(
  roofs: Roofs,
  work: { readonly plan: PlanName; readonly kernel: string | null; readonly title: string },
  count: { readonly flops: number; readonly bytes: number; readonly micros: number | null },
): RoofPoint[] {
  const { flops, bytes, micros } = count;
  // A kernel that computes nothing or moves nothing has no place on logarithmic axes.
  if (micros === null || flops <= 0 || bytes <= 0 || !(micros > 0)) return [];
  const intensity = flops / bytes;
  const rate = (flops / micros) * 1e6;
  return [{ ...work, intensity, rate, share: rate / roofAt(roofs, intensity) }];
}

/** Points of the plans first (kernel: null), then of the kernels timed one by one. Empty without roofs. */
export function roofPoints({ result, plans }: FinishedRun): RoofPoint[] {
  const { roofs } = result;
  if (!roofs) return [];
  const planned = PLAN_NAMES.flatMap((name): [PlanName, Plan][] => (plans[name] ? [[name, plans[name]]] : []));
  const ofPlans = planned.flatMap(([plan, { kernels, totals }]) =>
    pointOf(
      roofs,
      { plan, kernel: null, title: planTitle(plan) },
      { flops: flopsOf(kernels), bytes: totals.bytes, micros: timingOf(result, plan, null)?.median ?? null },
    ),
  );
  const ofKernels = planned.flatMap(([plan, { kernels }]) =>
    kernels.flatMap((kernel) =>
      pointOf(
        roofs,
        { plan, kernel: kernel.id, title: `${planTitle(plan)}, ${kernelTitle(kernel)}` },
        {
          flops: kernel.flops,
          bytes: bytesOfKernel(kernel),
          micros: timingOf(result, plan, kernel.id)?.median ?? null,
        },
      ),
    ),
  );
  return [...ofPlans, ...ofKernels];
}

export interface RoofAxes {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

// The hundredth forgives the rounding of logarithms at whole decades.
const decadeBelow = (value: number): number => 10 ** Math.floor(Math.log10(value) + 0.01);
const decadeAbove = (value: number): number => 10 ** Math.ceil(Math.log10(value) - 0.01);

/** Decades that hold the ridge, the flat roof and every point. */
export function axesFor(roofs: Roofs, points: readonly RoofPoint[]): RoofAxes {
  const xs = [ridgeOf(roofs), 0.1, ...points.map((point) => point.intensity)];
  const ys = [roofs.flops, ...points.map((point) => point.rate)];
  const x = [decadeBelow(Math.min(...xs)), decadeAbove(Math.max(...xs) * 1.5)] as const;
  return { x, y: [decadeBelow(Math.min(...ys, roofAt(roofs, x[0]))), Math.max(...ys) * 2.5] };
}

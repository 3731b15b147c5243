/** @file The roofline: where each plan and each kernel stands under the roofs measured on this device, and under those of datasheets without a run. */
import { a100, bytesOfKernel, h100, kernelTitle, type DeviceProfile, type Plan } from "../../../fusion";
import type { FinishedRun } from "../../../state";
import { PLAN_NAMES, planTitle, type PlanName, type Roofs } from "./run-types";
import { timingOf } from "./timings";
import { flopsOfPlan, intensityOf } from "../plan/traffic";
import { decimal, significant } from "../units";

export interface RoofPoint {
  readonly plan: PlanName;
  /** A kernel's id; null for the whole plan. */
  readonly kernel: string | null;
  readonly title: string;
  /** FLOP per byte of counted traffic. */
  readonly intensity: number;
  /** FLOP/s */
  readonly rate: number;
  /** Share of the roof above it; more than 1 where the roof was measured too low. */
  readonly share: number;
}

/** FLOP/s that the device could reach at `intensity` FLOP per byte. */
export const roofAt = (roofs: Pick<Roofs, "bandwidth" | "flops">, intensity: number): number =>
  Math.min(roofs.bandwidth * intensity, roofs.flops);

/** FLOP per byte where the slope meets the flat roof. */
export const ridgeOf = (roofs: Pick<Roofs, "bandwidth" | "flops">): number => roofs.flops / roofs.bandwidth;

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
      { flops: flopsOfPlan({ kernels }), bytes: totals.bytes, micros: timingOf(result, plan, null)?.median ?? null },
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

/** Two digits are shown: from here on they say more than 100 %. */
const OVER = 1.05;

/** Whether a plan was faster than the roof above it, as far as it is shown. */
export const overRoof = (points: readonly RoofPoint[]): boolean =>
  points.some(({ kernel, share }) => kernel === null && share >= OVER);

/** What the shares of the plans say; where one is over 100 %, how that can be. The session measures such roofs again. */
export function shareSentence(points: readonly RoofPoint[], cacheResident: boolean): string {
  if (!overRoof(points))
    return "A share of the roof says how busy the memory or the arithmetic is, not how useful: a naive plan may be near its roof while it moves bytes that the fused plan does not move at all.";
  const cache = cacheResident ? "the data stays in the device's cache, which is faster than memory, or " : "";
  return `A share over 100 % says that ${cache}the roofs were measured too low, on a machine busy with something else. The next run measures them again.`;
}

export interface RoofAxes {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

// The hundredth forgives the rounding of logarithms at whole decades.
const decadeBelow = (value: number): number => 10 ** Math.floor(Math.log10(value) + 0.01);
const decadeAbove = (value: number): number => 10 ** Math.ceil(Math.log10(value) - 0.01);

/** Powers of ten on an axis. */
export function decadesOf([low, high]: readonly [number, number]): readonly number[] {
  const first = Math.ceil(Math.log10(low) - 0.01);
  const last = Math.floor(Math.log10(high) + 0.01);
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}

/** How far a dot reaches, as a factor of what an axis says. */
const DOT = 1.5;

/** Decades that hold the ridge, the flat roof and every point. */
export function axesFor(roofs: Roofs, points: readonly RoofPoint[]): RoofAxes {
  const xs = [ridgeOf(roofs), ...points.map((point) => point.intensity)];
  const ys = [roofs.flops, ...points.map((point) => point.rate)];
  // Room for a dot: at the edge of the chart it would cover where the roof begins.
  const x = [decadeBelow(Math.min(0.1, Math.min(...xs) / DOT)), decadeAbove(Math.max(...xs) * DOT)] as const;
  return { x, y: [decadeBelow(Math.min(...ys, roofAt(roofs, x[0]))), Math.max(...ys) * 2.5] };
}

/** A machine's roof as kernels in WGSL meet it, by its datasheet or as measured: of f32, since they have no matrix units. */
export interface RooflineOf extends Pick<Roofs, "bandwidth" | "flops"> {
  readonly name: string;
  /** FLOP per byte at which the slope meets the flat roof. */
  readonly ridge: number;
  /** What the ridge point says. */
  readonly text: string;
}

export interface Stand {
  readonly plan: "naive" | "fused";
  /** FLOP per byte of counted traffic. */
  readonly intensity: number;
}

/** Bytes of an f32. */
const VALUE = 4;

type Machine = Pick<DeviceProfile, "name" | "bandwidth" | "peakFlops" | "shaderFlops">;

/** This device once a run has measured it, the machine that the plan is for, those of datasheets. */
export function machinesOf(profile: DeviceProfile, run: FinishedRun["result"] | null): readonly Machine[] {
  const { roofs, device } = run ?? {};
  const measured = roofs && device && !device.software;
  const here = measured ? [{ name: device.name, bandwidth: roofs.bandwidth, peakFlops: roofs.flops }] : [];
  return [...new Map([...here, profile, a100, h100].map((each) => [each.name, each])).values()];
}

/** One machine's roof, in words too. */
export function rooflineOf(machine: Machine): RooflineOf {
  const { name, bandwidth, peakFlops, shaderFlops: flops = peakFlops } = machine;
  const at = ridgeOf({ bandwidth, flops });
  const over = `${decimal(flops, "FLOP/s")} in f32 over ${decimal(bandwidth, "B/s")} is ${significant(at)} FLOP per byte`;
  const units =
    flops < peakFlops
      ? ` Its matrix units reach ${decimal(peakFlops, "FLOP/s")} in f16, with a ridge at ${significant(peakFlops / bandwidth)}; WGSL has none.`
      : "";
  const text = `${name}: ${over}. With fewer ops on each byte, ${significant(at * VALUE)} on each f32, memory is the limit.${units}`;
  return { name, ridge: at, bandwidth, flops, text };
}

/** Where both plans of a program stand; what computes nothing has no place on a logarithmic axis. */
export const standsOf = (naive: Plan, fused: Plan): readonly Stand[] =>
  (
    [
      ["naive", naive],
      ["fused", fused],
    ] as const
  ).flatMap(([plan, each]) => {
    const intensity = intensityOf(flopsOfPlan(each), each.totals.bytes);
    return intensity > 0 && Number.isFinite(intensity) ? [{ plan, intensity }] : [];
  });

/** `Fused, this program computes 0.75 FLOP on each byte, left of the ridge: memory is the limit, at 0.48 % of what a100 can compute.` */
export function standSentence(roof: RooflineOf, stands: readonly Stand[]): string {
  const fused = stands.find(({ plan }) => plan === "fused");
  if (!fused) return "This program computes nothing.";
  const share = roofAt(roof, fused.intensity) / roof.flops;
  const why =
    share < 1
      ? `left of the ridge: memory is the limit, at ${significant(100 * share, 2)} % of what ${roof.name} can compute`
      : `right of the ridge: arithmetic is the limit, as memory could feed more than ${roof.name} can compute`;
  return `Fused, this program computes ${significant(fused.intensity)} FLOP on each byte, ${why}.`;
}

/** Whole decades that hold every ridge and every stand. */
export function roofAxes(
  roofs: readonly RooflineOf[],
  stands: readonly Stand[],
): { readonly x: readonly [number, number]; readonly y: readonly [number, number] } {
  const xs = [...roofs.map(({ ridge: at }) => at), ...stands.map(({ intensity }) => intensity)];
  const x = [decadeBelow(Math.min(0.1, Math.min(...xs) / DOT)), decadeAbove(Math.max(...xs) * 2)] as const;
  const flops = roofs.map((roof) => roof.flops);
  const y = [
    decadeBelow(Math.min(...roofs.map((roof) => roofAt(roof, x[0])))),
    decadeAbove(Math.max(...flops)),
  ] as const;
  return { x, y };
}

/** @file Rooflines of machines by their datasheets, without a run: where memory ends to be the limit, and where a program stands. */
import { ridge, type DeviceProfile, type Plan } from "../../fusion";
import { flopsOfPlan, intensityOf } from "./traffic";
import { decimal, significant } from "./units";

export interface RooflineOf {
  readonly name: string;
  /** FLOP per byte at which the slope meets the flat roof. */
  readonly ridge: number;
  /** bytes/s */
  readonly bandwidth: number;
  /** FLOP/s */
  readonly flops: number;
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

/** One machine's roof, in words too. */
export function rooflineOf({ name, ...profile }: Pick<DeviceProfile, "name" | "bandwidth" | "peakFlops">): RooflineOf {
  const { bandwidth, peakFlops: flops } = profile;
  const at = ridge(profile as DeviceProfile);
  const text = `${name}: ${decimal(flops, "FLOP/s")} over ${decimal(bandwidth, "B/s")} is ${significant(at)} FLOP per byte. With fewer ops on each byte, ${significant(at * VALUE)} on each f32, memory is the limit.`;
  return { name, ridge: at, bandwidth, flops, text };
}

/** FLOP/s that a machine reaches at most at `intensity` FLOP per byte. */
export const reachable = ({ bandwidth, flops }: RooflineOf, intensity: number): number =>
  Math.min(bandwidth * intensity, flops);

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

/** `Fused, this program computes 0.75 FLOP on each byte: 0.48 % of what a100 can compute, because memory is the limit.` */
export function standSentence(roof: RooflineOf, stands: readonly Stand[]): string {
  const fused = stands.find(({ plan }) => plan === "fused");
  if (!fused) return "This program computes nothing.";
  const share = reachable(roof, fused.intensity) / roof.flops;
  const why = share < 1 ? "because memory is the limit" : "arithmetic is the limit";
  return `Fused, this program computes ${significant(fused.intensity)} FLOP on each byte: at most ${significant(100 * share, 2)} % of what ${roof.name} can compute, ${why}.`;
}

const decade = (value: number, up: boolean): number =>
  10 ** (up ? Math.ceil(Math.log10(value) - 1e-9) : Math.floor(Math.log10(value) + 1e-9));

/** Whole decades that hold every ridge and every stand. */
export function roofAxes(
  roofs: readonly RooflineOf[],
  stands: readonly Stand[],
): { readonly x: readonly [number, number]; readonly y: readonly [number, number] } {
  const xs = [0.1, ...roofs.map(({ ridge: at }) => at), ...stands.map(({ intensity }) => intensity)];
  const x = [decade(Math.min(...xs), false), decade(Math.max(...xs) * 2, true)] as const;
  const flops = roofs.map((roof) => roof.flops);
  const y = [
    decade(Math.min(...roofs.map((roof) => reachable(roof, x[0]))), false),
    decade(Math.max(...flops), true),
  ] as const;
  return { x, y };
}

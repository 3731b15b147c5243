/** @file What the factors of products and of attention are priced with: multiprocessors, the workgroups that fit on one, and waves of them. */
import type { Target } from "../../ir";

/** One multiprocessor: FLOP in a µs that chains of multiply-adds reach, which is what profiles call the peak; bytes from memory in a µs. */
export const PEAK = 385_000;
export const BYTES = 31_000;
/** Its threads, registers, bytes of workgroup memory, workgroups. */
export const THREADS = 2048;
export const REGISTERS = 65_536;
export const WORKGROUP_BYTES = 192 * 1024;
const WORKGROUPS = 32;
/** Where nobody says how many multiprocessors there are: those of a middling machine. */
const MULTIPROCESSORS = 108;
/** µs of a launch, and bytes of the cache that all share, where nobody says. */
const LAUNCH = 8;
const L2_BYTES = 50e6;
/** Where they are not counted, a schedule must suit machines around that size: what is left over behind full waves differs among them. */
const SPREAD = [0.8, 0.9, 1, 1.1, 1.22, 1.4];
/** Workgroups of a multiprocessor, one after or beside another, after which their ends have spread about halfway. */
const SPREADING = 0.62;

/** µs: to start and end a workgroup, from a load to its value. */
export const START = 0.4;
export const LOAD = 0.4;
/** µs that a step takes at least: two barriers, and a load from memory. */
export const STEP = 0.35;

/** How much quicker two kernels must look than one: either time may be 15 % off. */
export const SURE = 1.15 ** 2;

/** What a schedule is for: machines of these sizes, and what another launch costs on them. */
export interface Machines {
  readonly sizes: readonly number[];
  readonly about: number;
  readonly launch: number;
  /** How many multiprocessors the one machine has that was counted; null where nobody counted. */
  readonly counted: number | null;
  /** How many a machine like these has. */
  readonly likely: number;
  readonly l2Bytes: number;
  /** How fast one multiprocessor computes, beside those that times were fitted on. */
  readonly speed: number;
}

export function machinesOf({ machine }: Target): Machines {
  const { multiprocessors = MULTIPROCESSORS, launchMicros = LAUNCH, counted = false } = machine ?? {};
  const { peakFlops, l2Bytes = L2_BYTES } = machine ?? {};
  const sizes = counted ? [multiprocessors] : SPREAD.map((times) => Math.round(times * multiprocessors));
  const about = sizes.reduce((sum, each) => sum + each, 0) / sizes.length;
  const speed = peakFlops === undefined ? 1 : peakFlops / (PEAK * 1e6 * multiprocessors);
  return {
    sizes,
    about,
    launch: launchMicros,
    l2Bytes,
    counted: counted ? multiprocessors : null,
    likely: multiprocessors,
    speed,
  };
}

/** The mean over machines, each as if it had as many multiprocessors as the first. */
export const meanMicros = ({ sizes, about }: Machines, micros: (multiprocessors: number) => number): number =>
  sizes.reduce((sum, each) => sum + (micros(each) * each) / about, 0) / sizes.length;

/** How many workgroups a multiprocessor runs side by side. */
export const residents = (threads: number, registers: number, workgroupBytes: number): number =>
  Math.max(
    1,
    Math.min(
      WORKGROUPS,
      ...[THREADS / threads, REGISTERS / (registers * threads), WORKGROUP_BYTES / workgroupBytes].map(Math.floor),
    ),
  );

/**
 * µs of `workgroups` of one size. Of full waves the last workgroups end together, and what is left over starts where room comes free:
 * behind one workgroup on each multiprocessor it takes as long as another, behind many they have spread and it takes its share; and
 * never longer than by itself, with fewer beside one another.
 * @param most workgroups that a multiprocessor runs side by side
 * @param wave µs of so many of them on each
 */
export function wavesMicros(
  workgroups: number,
  multiprocessors: number,
  most: number,
  wave: (beside: number) => number,
): number {
  const slots = multiprocessors * most;
  const waves = Math.floor(workgroups / slots);
  const left = workgroups - waves * slots;
  if (waves === 0) return wave(Math.ceil(workgroups / multiprocessors));
  if (left === 0) return wave(most) * waves;
  const before = waves * most;
  const spread = wave(most) * (left / slots) ** ((before - 1) / (before + SPREADING));
  return wave(most) * waves + Math.min(spread, wave(Math.ceil(left / multiprocessors)));
}

/** @file Timing by rounds: repeats inside a pass until the clock's step does not matter, subjects interleaved so that they share the weather. */
import type { Dispatch } from "./memory";
import { done, refusals } from "./problem";
import { SUBMIT_MILLIS } from "./queue";
import { PASSES_AT_ONCE, median } from "./stopwatch";
import type { Stopwatch, TimedPass } from "./stopwatch";
import type { Outcome, PlanName } from "./types";

/** Something to be timed: a whole plan, or one kernel of it. */
export interface Subject {
  readonly plan: PlanName;
  /** Kernel id, or null for the whole plan. */
  readonly kernel: string | null;
  readonly dispatches: readonly Dispatch[];
  /** What runs before it in each of its own passes, whose time is taken off. */
  readonly after?: Subject;
  repeats: number;
  /** Estimate for one repeat, ns, with what runs before it; NaN before the first believable reading. */
  nanos: number;
  readonly samples: number[];
}

export const subject = (
  plan: PlanName,
  kernel: string | null,
  dispatches: readonly Dispatch[],
  after?: Subject,
): Subject => ({
  plan,
  kernel,
  dispatches,
  ...(after && { after }),
  repeats: 1,
  nanos: Number.NaN,
  samples: [],
});

/** At least this many passes, performance rule 2; fewer only when they would take far longer than was asked for. */
export const ENOUGH_ROUNDS = 7;
const MIN_ROUNDS = 3;
const MAX_ROUNDS = 25;
/** Encoding takes about 2 µs a dispatch on the page's own thread. */
const MAX_DISPATCHES = 4096;
const GROWTH = 64;

const submitNanos = SUBMIT_MILLIS * 1e6;

/** Time of one repeat, ns: one pass with all repeats, or pass by pass when a single repeat already fills a submit. */
export async function timeOnce(watch: Stopwatch, each: Subject): Promise<Outcome<number>> {
  if (each.nanos <= submitNanos || Number.isNaN(each.nanos) || each.dispatches.length === 1) {
    const times = await watch.time([{ dispatches: each.dispatches, repeats: each.repeats }]);
    return times.ok ? done(times.value[0]! / each.repeats) : times;
  }
  let sum = 0;
  for (const dispatch of each.dispatches) {
    const times = await watch.time([{ dispatches: [dispatch], repeats: 1 }]);
    if (!times.ok) return times;
    sum += times.value[0]!;
  }
  return done(sum);
}

/** Repeats so that a pass lasts about `targetNanos`, within what a submit and the encoder allow. */
export function repeatsFor(each: Subject, targetNanos: number): number {
  const most = Math.max(1, Math.floor(MAX_DISPATCHES / each.dispatches.length));
  if (!(each.nanos > 0)) return Math.min(most, each.repeats * GROWTH); // the clock showed nothing yet
  const goal = Math.ceil(targetNanos / each.nanos);
  const fits = Math.max(1, Math.floor(submitNanos / each.nanos));
  return Math.max(1, Math.min(goal, fits, most, each.repeats * GROWTH));
}

/** Grows the repeats of a subject, 64-fold at most at a time, until a pass lasts. Starts with one: the first slice calibrates. */
export async function calibrate(watch: Stopwatch, each: Subject, targetNanos: number): Promise<Outcome<null>> {
  for (let attempt = 0; attempt < 8; attempt++) {
    const nanos = await timeOnce(watch, each);
    if (!nanos.ok) return nanos;
    each.nanos = nanos.value;
    const wanted = repeatsFor(each, targetNanos);
    const settled = wanted <= each.repeats * 1.5;
    each.repeats = wanted;
    if (settled) break;
  }
  return done(null);
}

export interface RoundLimits {
  readonly signal: AbortSignal | undefined;
  now(): number;
  /** ms these rounds should take. */
  readonly millis: number;
  /** After each subject: how much is done, 0..1. */
  onStep(each: Subject, round: number, rounds: number): void;
}

/** Half the middle half of the samples lies within this share of their median: more would not change what is shown. */
const NARROW = 0.01;

/** True when the medians of all subjects are known well enough. */
export const settled = (subjects: readonly Subject[]): boolean =>
  subjects.every(({ samples }) => {
    if (samples.length < ENOUGH_ROUNDS) return false;
    const sorted = samples.toSorted((a, b) => a - b);
    const quarter = sorted.length >> 2;
    return (sorted[sorted.length - 1 - quarter]! - sorted[quarter]!) / 2 <= NARROW * median(sorted);
  });

/** True when one more round should follow: always one, three unless that takes three times as long as it may, then seven, then more while samples scatter. */
export function another(round: number, elapsed: number, millis: number, narrow = false): boolean {
  if (round < 1) return true;
  if (round < MIN_ROUNDS) return elapsed < 3 * millis;
  if (round < ENOUGH_ROUNDS) return elapsed < 2 * millis;
  return !narrow && round < MAX_ROUNDS && elapsed * (1 + 1 / round) < millis;
}

/** How many rounds there will be, seen from `round`. */
function expected(round: number, elapsed: number, millis: number): number {
  if (round === 0) return ENOUGH_ROUNDS;
  const affordable = Math.min(MAX_ROUNDS, Math.floor((millis * round) / Math.max(elapsed, 1e-9)));
  return Math.max(round + 1, ENOUGH_ROUNDS, affordable);
}

/** Rounds over whole plans, forwards and backwards in turn. `cancelled` when the signal aborts; samples stay. */
export async function planRounds(
  watch: Stopwatch,
  subjects: readonly Subject[],
  limits: RoundLimits,
): Promise<Outcome<null>> {
  const begin = limits.now();
  for (let round = 0; another(round, limits.now() - begin, limits.millis, settled(subjects)); round++) {
    for (const each of round % 2 === 0 ? subjects : subjects.toReversed()) {
      if (limits.signal?.aborted) return refusals.cancelled();
      const nanos = await timeOnce(watch, each);
      if (!nanos.ok) return nanos;
      if (!Number.isNaN(nanos.value)) each.samples.push(nanos.value);
      limits.onStep(each, round, expected(round, limits.now() - begin, limits.millis));
    }
  }
  return done(null);
}

/** Consecutive subjects whose passes go into one submit. */
export function submits(subjects: readonly Subject[]): Subject[][] {
  const groups: Subject[][] = [];
  let nanos = Infinity;
  for (const each of subjects) {
    const cost = (each.nanos > 0 ? each.nanos : 0) * each.repeats;
    const last = groups.at(-1);
    if (!last || nanos + cost > submitNanos || last.length >= PASSES_AT_ONCE) {
      groups.push([each]);
      nanos = cost;
    } else {
      last.push(each);
      nanos += cost;
    }
  }
  return groups;
}

const passOf = ({ dispatches, repeats }: Subject): TimedPass => ({ dispatches, repeats });

/**
 * Rounds over kernels in plan order, a pass each, so that every kernel finds the very data it finds in a run. They
 * calibrate first, from one dispatch on; a pass that already lasts is one sample.
 */
export async function kernelRounds(
  watch: Stopwatch,
  subjects: readonly Subject[],
  targetNanos: number,
  limits: RoundLimits,
): Promise<Outcome<null>> {
  const begin = limits.now();
  let samples = 0;
  for (let tried = 0; another(samples, limits.now() - begin, limits.millis, settled(subjects)); tried++) {
    let ready = true;
    for (const group of submits(subjects)) {
      if (limits.signal?.aborted) return refusals.cancelled();
      const times = await watch.time(group.map(passOf));
      if (!times.ok) return times;
      for (const [i, each] of group.entries()) {
        const lasts = note(each, times.value[i]! / each.repeats, targetNanos, tried < CALIBRATING);
        ready &&= lasts;
      }
      limits.onStep(group[0]!, samples, expected(samples, limits.now() - begin, limits.millis));
    }
    if (ready || tried >= CALIBRATING) samples++;
  }
  return done(null);
}

const CALIBRATING = 3;

/** Keeps a reading as a sample when its pass lasted; else, while calibrating, has the next one last. */
function note(each: Subject, nanos: number, targetNanos: number, calibrating: boolean): boolean {
  each.nanos = nanos;
  if (calibrating) {
    const wanted = repeatsFor(each, targetNanos);
    const lasts = wanted <= each.repeats * 1.5;
    if (!lasts) {
      each.repeats = wanted;
      return false;
    }
  }
  const own = nanos - (each.after?.nanos ?? 0);
  if (!Number.isNaN(own)) each.samples.push(Math.max(0, own));
  return true;
}

/** Passes of all subjects until the last two batches of three agree; what a clock that has been idle needs. */
export async function warmUp(
  watch: Stopwatch,
  subjects: readonly Subject[],
  rule: { readonly leastMillis: number; readonly mostMillis: number; readonly agreement: number },
  limits: Pick<RoundLimits, "signal" | "now"> & { readonly onSample?: (() => void) | undefined },
): Promise<Outcome<null>> {
  const begin = limits.now();
  let before: number[] | null = null;
  while (limits.now() - begin < rule.mostMillis) {
    const batch: number[] = [];
    for (const each of subjects) {
      const three: number[] = [];
      for (let i = 0; i < 3; i++) {
        if (limits.signal?.aborted) return refusals.cancelled();
        const nanos = await timeOnce(watch, each);
        if (!nanos.ok) return nanos;
        three.push(nanos.value);
        if (!Number.isNaN(nanos.value)) each.samples.push(nanos.value);
        limits.onSample?.();
      }
      batch.push(median(three));
    }
    const agree = before?.every((old, i) => Math.abs(old - batch[i]!) <= rule.agreement * old);
    if (agree && limits.now() - begin >= rule.leastMillis) break;
    before = batch;
  }
  return done(null);
}

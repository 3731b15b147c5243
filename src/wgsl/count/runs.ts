/** @file What a compiled piece of a kernel is: a run that says how it left, and whether leaving is all it does. */

/** 0 goes on, 1 break, 2 continue, 3 return. */
export type Run = () => number;

/** Runs that only leave a loop or a function: without anything else to do there, they may be left out. */
const inert = new WeakSet<Run>();

export function leaving(run: Run): Run {
  inert.add(run);
  return run;
}

export const isIdle = (run: Run | null): boolean => run === null || inert.has(run);

/** One after the other, until one leaves. */
export function sequence(runs: readonly (Run | null)[]): Run | null {
  const own = runs.filter((run) => run !== null);
  const [first, second] = own;
  if (own.length < 2) return first ?? null;
  const whole: Run =
    own.length === 2
      ? () => first!() || second!()
      : () => {
          for (const run of own) {
            const done = run();
            if (done !== 0) return done;
          }
          return 0;
        };
  return own.every(isIdle) ? leaving(whole) : whole;
}

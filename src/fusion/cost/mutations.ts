/** @file Counting faults that tests switch on to prove that they would notice. Never on in the product. */

export const countMutations = [
  "small-reads-free",
  "rereads-free",
  "partials-free",
  "second-output-free",
  "partials-once",
] as const;
export type CountMutation = (typeof countMutations)[number];

let active: CountMutation | null = null;

/** True while a test has switched this fault on. */
export const miscounted = (name: CountMutation): boolean => active === name;

/** Runs `act` with one fault switched on. */
export function withCountMutation<T>(name: CountMutation, act: () => T): T {
  const before = active;
  active = name;
  try {
    return act();
  } finally {
    active = before;
  }
}

/** @file Faults that tests switch on to prove that they would notice. Never on in the product. */

export const passMutations = [
  "lost-consumer",
  "lost-output",
  "leaves-producer",
  "double-member",
  "no-cycle-check",
  "no-bindings-limit",
  "no-budget",
  "ignores-pins",
  "cse-ignores-attrs",
  "cse-merges-random",
  "one-reader-stays",
  "wrong-identity",
  "drops-strict",
  "transposes-cancel-always",
  "permutes-backwards",
  "stale-totals",
  "repeat-refusals",
  "divides-the-weight",
  "literal-lost",
  "transpose-forgotten",
  "uncounted-row",
  "shows-twice",
  "multiplies-by-divisor",
  "keeps-the-maximum",
] as const;
export type PassMutation = (typeof passMutations)[number];

let active: PassMutation | null = null;

/** True while a test has switched this fault on. */
export const mutated = (name: PassMutation): boolean => active === name;

/** Runs `act` with one fault switched on. */
export function withMutation<T>(name: PassMutation, act: () => T): T {
  const before = active;
  active = name;
  try {
    return act();
  } finally {
    active = before;
  }
}

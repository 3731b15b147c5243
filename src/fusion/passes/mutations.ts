/** @file Faults that tests switch on to prove that they would notice. Never on in the product. */

export const passMutations = [
  "lost-consumer",
  "no-cycle-check",
  "lost-output",
  "cse-ignores-attrs",
  "cse-merges-random",
  "wrong-bytes",
  "drops-strict",
  "wrong-identity",
  "double-member",
  "ignores-pins",
  "no-budget",
  "forgets-reread",
  "repeat-refusals",
  "transposes-cancel-always",
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

/** @file Faults that tests switch on to prove that they would notice. Never on in the product. */
import { faultSwitch } from "../ir";

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
  "sign-of-the-row",
  "worst-chosen",
] as const;
export type PassMutation = (typeof passMutations)[number];

const faults = faultSwitch<PassMutation>();
/** True while a test has switched this mistake on. */
export const mutated = faults.on;
/** Runs `act` with one mistake switched on. */
export const withMutation = faults.during;

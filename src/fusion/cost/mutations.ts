/** @file Counting faults that tests switch on to prove that they would notice. Never on in the product. */
import { faultSwitch } from "../ir";

export const countMutations = [
  "small-reads-free",
  "rereads-free",
  "partials-free",
  "second-output-free",
  "partials-once",
] as const;
export type CountMutation = (typeof countMutations)[number];

const faults = faultSwitch<CountMutation>();
/** True while a test has switched this mistake on. */
export const miscounted = faults.on;
/** Runs `act` with one mistake switched on. */
export const withCountMutation = faults.during;

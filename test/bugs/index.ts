/** @file Every injected bug, by the part of the compiler that it is in. */
import { ANY, type Replacement } from "./bug.ts";
import { kernelBugs } from "./kernels.ts";
import { countBugs } from "./counts.ts";
import { derivativeBugs } from "./derivatives.ts";
import { passBugs } from "./passes.ts";
import { during } from "./switch.ts";

export { kernelBugs, countBugs, derivativeBugs, passBugs };

/** A kernel written with a bug is written anew: its text is reused by no other. */
const notReused: readonly Replacement[] = [
  ["src/fusion/plan/kernel-cache.ts", "isLaunched = «launchedKey(graph, region.members) !== null»", "true"],
];

export const allBugs = { ...passBugs, ...kernelBugs, ...countBugs, ...derivativeBugs, [ANY]: notReused };
export type BugName = Exclude<keyof typeof allBugs, typeof ANY>;

/** Runs `act` with one bug switched on. */
export const withBug = <R>(name: BugName, act: () => R): R => during(name, act);

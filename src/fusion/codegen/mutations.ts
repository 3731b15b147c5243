/** @file Deliberate bugs for tests: each name switches on one wrong line at the spot where it would hurt. Never on elsewhere. */
import { faultSwitch } from "../ir";

export const codegenMutations = [
  "wrong-reduce-start",
  "missing-barrier",
  "short-tail",
  "wrong-stride",
  "dropped-store",
  "swapped-operands",
  "stale-reload",
  "wrong-lane",
  "unmasked-pad",
  "missing-guard",
  "wrong-broadcast",
  "wrong-row",
  "lost-lane-fold",
  "lost-finish",
  "wrong-tile-row",
  "skipped-last-tile",
  "unmasked-columns",
  "missing-epilogue",
  "early-reuse",
  "wrong-partial",
  "lost-fade",
  "wrong-keeper",
  "unjoined-row",
  "torn-word",
  "unturned",
  "lost-carry",
  "unmerged-row",
  "half-sorted",
  "wrong-scan-start",
  "repeated-row",
  "lost-rounding",
  "shared-band",
  "band-forwards",
  "sorted-up",
  "wrong-place",
  "stale-chunk",
  "stale-rows",
  "lost-run",
  "lost-iteration",
  "late-carry",
] as const;
export type CodegenMutation = (typeof codegenMutations)[number];

const faults = faultSwitch<CodegenMutation>();
/** True while a test has switched this mistake on. */
export const mutated = faults.on;
/** Runs `act` with one mistake switched on. */
export const withMutation = faults.during;
/** True while any mistake is switched on. */
export const isMutating = faults.any;

/** @file Deliberate bugs for tests: each name switches on one wrong line at the spot where it would hurt. Never on elsewhere. */

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
] as const;
export type CodegenMutation = (typeof codegenMutations)[number];

let active: CodegenMutation | null = null;

/** True inside `withMutation(name, …)`. */
export const mutated = (name: CodegenMutation): boolean => active === name;

export const isMutating = (): boolean => active !== null;

/** Runs `work` with one bug switched on. Synchronous work only. */
export function withMutation<T>(name: CodegenMutation, work: () => T): T {
  const before = active;
  active = name;
  try {
    return work();
  } finally {
    active = before;
  }
}

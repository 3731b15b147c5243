/** @file Knobs of code generation: how a kernel's loops meet the threads, where a person chooses instead of the planner. Data only. */
import { ownEntry } from "./own-entry";
import type { NodeId } from "./ids";

/** Every choice that one of a fixed list answers; a tile is named by its sizes instead. */
export const knobValues = {
  /** Threads of a workgroup. */
  threads: ["32", "64", "128", "256", "512", "1024"],
  /** Turns that a thread of a flat kernel takes, one after another. */
  turns: ["1", "2", "4", "8"],
  /** Whether these iterations are unrolled or a loop. */
  unroll: ["on", "off"],
  /** Whether a thread takes four neighbours with one load. */
  vector: ["on", "off"],
  /**
   * How a row is read: once, into registers; again on each pass; again, but two passes that can be repaired are one (a running peak,
   * Welford's moments); or by one thread a row.
   */
  rows: ["registers", "again", "one-pass", "thread"],
  /** How a transposed operand is read: through a tile in workgroup memory, or straight, with a stride. */
  transposed: ["tile", "direct"],
  /** How the threads of a workgroup join what each has folded: a tree in workgroup memory, or subgroups that hand over registers. */
  joined: ["tree", "subgroups"],
  /** How a row that no workgroup has room for is put in order: its first few are found while it goes by, runs of it are sorted and merged, or it is sorted by one digit after another. */
  order: ["selected", "merged", "digits"],
  /** Elements of each run that a workgroup sorts before runs are merged. */
  run: ["256", "512", "1024", "2048"],
} as const;

export type ListedKnob = keyof typeof knobValues;
export type KnobName = ListedKnob | "tile";
export const knobNames = [...(Object.keys(knobValues) as ListedKnob[]), "tile"] as const satisfies readonly KnobName[];

/** What was chosen for a kernel. An absent knob leaves the choice to the planner. */
export type Knobs = { readonly [K in ListedKnob]?: (typeof knobValues)[K][number] | undefined } & {
  /** `64x128x16/8x8` of a product, `64x32/4` of attention, with a `q` where queries wait in workgroup memory. */
  readonly tile?: string | undefined;
};

/** The choices of a document: for every kernel, and for single ones by the first value they store. */
export interface KnobChoices {
  readonly all: Knobs;
  readonly kernels: Readonly<Record<string, Knobs>>;
}

export const noKnobs: Knobs = {};

/** What is chosen for the kernel that stores `outputs`: its own choices over those for every kernel. */
export function knobsFor(choices: KnobChoices | undefined, outputs: readonly NodeId[]): Knobs {
  if (!choices) return noKnobs;
  const [first] = outputs;
  const own = first === undefined ? undefined : ownEntry(choices.kernels, first);
  return own ? { ...choices.all, ...own } : choices.all;
}

/** `knobs` with one of them set, or left to the planner again. */
export function withKnob(knobs: Knobs, knob: KnobName, value: string | null): Knobs {
  const { [knob]: _, ...rest } = knobs;
  return value === null ? rest : { ...rest, [knob]: value };
}

const TILE = /^\d{1,3}x\d{1,3}(?:x\d{1,3})?\/\d{1,2}(?:x\d{1,2})?(?:\/\d)?q?$/;

/** Whether `value` may be chosen for `knob` at all; what a kernel can do with it is asked of its schedule. */
export const isKnobValue = (knob: KnobName, value: string): boolean =>
  knob === "tile" ? TILE.test(value) : (knobValues[knob] as readonly string[]).includes(value);

/** @file What an example is. */
import type { CompileOptions } from "../fusion";

/** The chapters that the examples come from, and the two groups beside them. */
export type ChapterId =
  | "models"
  | "bandwidth"
  | "operators"
  | "intensity"
  | "derivatives"
  | "intermediates"
  | "training"
  | "when-it-hurts"
  | "challenges"
  | "more";

export interface Chapter {
  readonly id: ChapterId;
  /** Of the chapter, as rows of claims name it; null where no chapter is meant. */
  readonly number: string | null;
  readonly title: string;
  readonly sentence: string;
}

/** Options that an example needs to show its point; all others stay as the person has them. */
export type ExampleOptions = Partial<
  Pick<
    CompileOptions,
    | "strict"
    | "policy"
    | "matmulPolicy"
    | "groupSize"
    | "disabledPasses"
    | "profile"
    | "forced"
    | "forbidden"
    | "knobs"
    | "libraryAbove"
    | "savedValues"
  >
>;

/** The constant in the text that the size choice rewrites. */
export interface Sizes {
  readonly name: string;
  readonly S: number;
  readonly M: number;
  readonly L: number;
}

/** A number that a chapter prints about an example. What is counted instead is computed where it is shown. */
export interface Claim {
  /** Chapter and its item: `004-02`. */
  readonly row: string;
  /** As printed, shortened: `6 → 3`. */
  readonly says: string;
}

/** A line of a program that a person is asked about, and what to say when it is chosen. */
export interface TaskLine {
  readonly code: string;
  readonly right: boolean;
  readonly says: string;
}

/** Something to find in the program: one of its lines is the answer. */
export interface Task {
  readonly question: string;
  readonly lines: readonly TaskLine[];
  /** The variant that shows what comes after the answer. */
  readonly solved: string;
}

/** The same point with another text or other options. */
export interface Variant {
  /** Unique within its example; an address names it `example/variant`. */
  readonly id: string;
  /** Two or three words beside the example's title. */
  readonly title: string;
  /** What to look at; the example's own sentence when absent. */
  readonly sentence?: string;
  readonly text?: string;
  readonly granularity?: CompileOptions["granularity"];
  readonly options?: ExampleOptions;
  readonly sizes?: Sizes;
  readonly claims?: readonly Claim[];
}

/** A program that one opens from the menu. Its text must parse, compile and run. */
export interface Example {
  /** Stable: links and the draft name it. */
  readonly id: string;
  readonly chapter: ChapterId;
  readonly title: string;
  /** What to look at, in one sentence. */
  readonly sentence: string;
  readonly text: string;
  /** What a kernel of its naive plan is: where one call is the whole example, a primitive. */
  readonly granularity: CompileOptions["granularity"];
  readonly sizes: Sizes | null;
  readonly options?: ExampleOptions;
  readonly variants?: readonly Variant[];
  readonly claims?: readonly Claim[];
  readonly task?: Task;
}

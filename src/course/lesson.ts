/** @file What a lesson is: steps that say, show, ask and set a task. Lessons and puzzles are Markdown files; the build reads them into this. */
import type { CompileOptions } from "../fusion";

/** A course lesson teaches; a puzzle has one task with a target to beat. */
export type LessonKind = "lesson" | "puzzle";

/** What the list of lessons shows; loaded with the page. */
export interface LessonHead {
  /** The file's name without its number: links and progress name it. */
  readonly id: string;
  readonly kind: LessonKind;
  readonly title: string;
  /** One sentence. */
  readonly summary: string;
  /** Minutes that a class needs for it. */
  readonly minutes: number;
  /** 1 easy … 5 hard. */
  readonly level: number;
  readonly steps: number;
}

/** The names of the panes that a step may bring to the front. */
export type ShownTab = "wgsl" | "loops" | "decisions" | "traffic" | "memory";

/** What the picture shows while a step is read. What is absent stays as it was. */
export interface Show {
  /** Id of an example or variant; its options come along. */
  readonly example?: string;
  /** A program, instead of an example. */
  readonly program?: string;
  readonly options?: Partial<CompileOptions>;
  /** `naive`, `end`, or the decision about the edge between two values: shown before or after it is taken. */
  readonly at?: "naive" | "end" | { readonly edge: readonly [string, string]; readonly when: "before" | "after" };
  readonly tab?: ShownTab;
  /** A value by its name in the program. */
  readonly select?: string;
  /** WGSL that the first kernel of the fused plan begins with, where a person has not written one yet. */
  readonly kernel?: string;
  /** Another program, or this one with other options: not shown, but its counts are `beside.` facts of this step. */
  readonly beside?: { readonly program?: string; readonly options?: Partial<CompileOptions> };
}

export interface Choice {
  readonly text: string;
  /** An expression over the facts of the shown program: exactly one choice of a question is true. */
  readonly when: string;
  /** Of the choice that is true: the number and the reason, which everybody reads. */
  readonly because?: string;
  /** Of every other choice: what speaks against it, which a person reads who chose it, before the reason. */
  readonly but?: string;
}

/** A number that is often said instead of the right one. */
export interface Slip {
  /** An expression, in the question's unit like the answer. */
  readonly answer: string;
  /** How one gets there, and what is missing. */
  readonly but: string;
}

/** A question that is answered before the numbers are uncovered. */
export type Ask =
  | { readonly kind: "choice"; readonly question: string; readonly choices: readonly Choice[] }
  | {
      readonly kind: "number";
      readonly question: string;
      /** The expression whose value is the answer. */
      readonly answer: string;
      readonly unit: "MiB" | "KiB" | "µs" | "kernels" | "transfers" | "×" | "FLOP";
      /** Relative error that still counts as right: 0.1 is a tenth. */
      readonly within: number;
      readonly because: string;
      readonly slips?: readonly Slip[];
    }
  | {
      readonly kind: "click";
      readonly question: string;
      /** A line is clicked in the program: the one that defines the value. */
      readonly target: "value" | "edge" | "line";
      /** Names of values; an edge is `a -> b`. Any of them is right. */
      readonly answers: readonly string[];
      readonly because: string;
      /** What speaks against other values or edges, by their names. */
      readonly buts?: Readonly<Record<string, string>>;
    };

/** Something to change until a check holds. */
export interface Task {
  readonly text: string;
  /** An expression over the facts of the program as it is now. */
  readonly check: string;
  /**
   * What the outputs must be equal to: those of the program that the step shows, or of the solution, where a result is
   * to be left out or mended; `any` where the task is to break it. The inputs stay what they are in any case.
   */
  readonly values: "shown" | "solution" | "any";
  readonly hints: readonly string[];
  /** A program that passes. */
  readonly solution: string;
  /** Where the solution is a choice, not an edit: the choice, and what it is in words. */
  readonly solutionOptions?: Partial<CompileOptions>;
  readonly solutionText?: string;
  /** WGSL that passes, where the task is to write the first kernel by hand; the program stays as it is. */
  readonly kernel?: string;
  /** Puzzles: what is counted, smaller is better, and the best result known, which the solution reaches. */
  readonly score?: string;
}

export interface LessonStep {
  readonly title: string;
  /** Paragraphs; `code`, **strong**, [a term](#term) of the glossary, {expressions} over the facts. */
  readonly paragraphs: readonly string[];
  readonly show?: Show;
  readonly ask?: Ask;
  readonly task?: Task;
}

export interface Lesson extends Omit<LessonHead, "steps"> {
  readonly steps: readonly LessonStep[];
}

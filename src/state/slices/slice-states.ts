/** @file What slices of the store hold: lessons, the laptop check, guesses, a training. Types alone, so that all slices may see all state. */
import { type Answer, type Judgement, type Lesson, type TaskState } from "../../course";
import type { Document } from "../../document";
import type { Compilation, Step } from "../../fusion";
import type { BenchResult, DeviceInfo, GpuProblem } from "../../gpu";

/** What a person has done of one lesson. */
export interface LessonProgress {
  /** The furthest step that was read, from 0. */
  readonly furthest: number;
  /** First answers, by step: right or wrong. */
  readonly answers: Readonly<Record<number, boolean>>;
  /** First answers whose plan was not there yet, by step: they are judged once it is, if need be on the next visit. */
  readonly said?: Readonly<Record<number, Answer>>;
  /** Steps whose task is done. */
  readonly done: readonly number[];
  /** The best score of a puzzle; smaller is better. */
  readonly best: number | null;
}

export type CourseProgress = ReadonlyMap<string, LessonProgress>;

export interface OpenLesson {
  readonly content: Lesson;
  /** From 0. */
  readonly step: number;
  /** What the page showed before the lesson: the way back to it is offered at the end. */
  readonly before: Document;
  /** The program as the step gives it: what a task compares with. */
  readonly program: string;
  /** It has a panel looked at, or is done in one: where there is room for one of them, the program waits. */
  readonly isAboutCode: boolean;
  /** The plan of that program: numbers in the prose and answers come from it, whatever is typed meanwhile. Null until it is there. */
  readonly compilation: Compilation | null;
  /** The plan that the step compares with; null where it compares with nothing, or until it is there. */
  readonly beside: Compilation | null;
  /** How many decisions the cursor may be past while the question waits for an answer. */
  readonly reach: number;
  /** By step: what was said and what is true, which is null until the plan is there. */
  readonly answers: ReadonlyMap<number, { readonly answer: Answer; readonly judgement: Judgement | null }>;
  /** Hints that are shown. */
  readonly hints: number;
  /** A solution is asked for twice. */
  readonly solution: "hidden" | "asked" | "shown";
  /** How far the task of this step is; null where there is none, or no plan yet. */
  readonly task: TaskState | null;
  /** The best score known of this step's task; null where it has none, or until it is counted. */
  readonly best: number | null;
}

/** What the browser says of itself and of the machine. */
export interface LaptopFacts {
  /** WebGPU exists on secure pages only. */
  readonly secure: boolean;
  readonly isolated: boolean;
  readonly origin: string;
  /** `Chrome`, `Edge`, `Firefox`, `Safari`, or what it calls itself. */
  readonly browser: string;
  /** The whole number before the first stop; null where it hides it. */
  readonly version: number | null;
  readonly system: "Windows" | "macOS" | "Linux" | "ChromeOS" | "Android" | "iOS" | "unknown";
  readonly webgpu: boolean;
  /** GiB, rounded by the browser and capped; null where it tells nothing. */
  readonly memoryGiB: number | null;
  readonly cores: number | null;
  /** null where the browser tells nothing. */
  readonly battery: "charging" | "discharging" | null;
}

/** How far a check is. `device` and `bench` are null where `problem` says why. */
export interface LaptopCheck {
  readonly status: "checking" | "done";
  /** What is going on now. */
  readonly text: string;
  readonly facts: LaptopFacts | null;
  readonly device: DeviceInfo | null;
  /** Why there is no device, or no bench. */
  readonly problem: GpuProblem | null;
  readonly bench: LaptopBench | null;
}

/** The example that was timed, and what came of it. */
export interface LaptopBench {
  readonly title: string;
  readonly result: BenchResult;
  /** Bytes of one full-size tensor. */
  readonly tensorBytes: number;
  /** Full-size transfers of both plans. */
  readonly transfers: { readonly naive: number; readonly fused: number };
  /** Elements that were compared between both plans, and how many of them differ. */
  readonly compared: number;
  readonly differ: number;
}

/** What is asked next: what is left at the end, or whether the next candidate is accepted. */
export type PredictQuestion =
  | {
      readonly kind: "end";
      /** Full-size transfers; kernels where the naive plan has no full-size transfer. */
      readonly count: "transfers" | "kernels";
      readonly naive: number;
    }
  | { readonly kind: "step"; readonly step: Step };

export interface Guess {
  readonly question: PredictQuestion;
  /** null: they cannot tell. */
  readonly said: number | boolean | null;
  readonly truth: number | boolean;
  readonly right: boolean;
  /** The reason, as the planner gives it; empty where it has none. */
  readonly because: string;
}

export interface Guesses {
  /** What the guesses are about; another plan is covered again. */
  readonly of: Compilation | null;
  readonly end: Guess | null;
  /** Decisions whose verdict is known, from the first on. */
  readonly known: number;
  readonly last: Guess | null;
  /** Over all programs since the mode was switched on. */
  readonly right: number;
  readonly asked: number;
}

/** What both plans told at one step, in the order of `told`. */
export interface CurvePoint {
  /** From 1. */
  readonly step: number;
  readonly naive: readonly number[];
  readonly fused: readonly number[];
}

export interface LabelledPoint {
  readonly x: number;
  readonly y: number;
  readonly label: number;
}

/** What the fused weights have learned, drawn. */
export type TrainingPicture =
  /** The plane within ±reach, row by row from the top: how likely label 1 is, 0 to 1; and the points learned from. */
  | {
      readonly kind: "plane";
      readonly side: number;
      readonly reach: number;
      readonly likely: Float32Array;
      readonly points: readonly LabelledPoint[];
    }
  | {
      readonly kind: "images";
      /** Width and height of each, px. */
      readonly side: number;
      readonly images: readonly { readonly pixels: Float32Array; readonly label: number; readonly said: number }[];
    }
  | { readonly kind: "text"; readonly samples: readonly { readonly given: string; readonly written: string }[] };

export interface TrainingState {
  /** The program that it belongs to; of another one it is stale. */
  readonly text: string;
  readonly status: "preparing" | "running" | "stopped" | "failed";
  /** Why it failed. */
  readonly problem: string | null;
  /** Names of what the program returns as single numbers; the first is the loss. */
  readonly told: readonly string[];
  /** Tensors that a step replaces. */
  readonly replaced: number;
  readonly kernels: { readonly naive: number; readonly fused: number };
  readonly steps: number;
  /** Some hundred steps, evenly spread, the last one among them. */
  readonly curve: readonly CurvePoint[];
  /** Null until enough steps have run to say. */
  readonly stepsPerSecond: { readonly naive: number; readonly fused: number } | null;
  /** The largest relative difference of the two losses at any step. */
  readonly apart: number;
  readonly device: string | null;
  readonly software: boolean;
  /** What the data is, and the loss of whoever knows only how often each label occurs, in nats. */
  readonly data: readonly { readonly sentence: string; readonly guessing: number }[];
  /** What the fused weights had learned after so many steps: the losses go on while it is drawn. */
  readonly picture: (TrainingPicture & { readonly steps: number }) | null;
}

export type TrainingCommand = "start" | "stop" | "reset";

/** Work that was open before a link or an example replaced it; newest first. */
export interface PreviousWork {
  readonly title: string;
  /** ms since 1970 */
  readonly when: number;
  /** null where this version can't open it; then it can be downloaded. */
  readonly document: Document | null;
  /** As it is stored. */
  readonly draft: string;
}

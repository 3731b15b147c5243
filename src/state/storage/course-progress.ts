/** @file What a person has read and answered of the course, as this browser stores it. */
import type { Answer } from "../../course";
import type { Environment } from "../environment";
import type { CourseProgress, LessonProgress } from "../slices/slice-states";

export const COURSE_KEY = "fusion-playground.course";

export const NO_PROGRESS: LessonProgress = { furthest: 0, answers: {}, done: [], best: null };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isAnswer = (said: unknown): said is Answer =>
  isRecord(said) &&
  ((said["kind"] === "choice" && typeof said["index"] === "number") ||
    (said["kind"] === "number" && typeof said["value"] === "number") ||
    (said["kind"] === "click" && typeof said["name"] === "string"));

/** The entries of `value` that are of the kind wanted. */
const entriesOf = <T>(value: unknown, is: (one: unknown) => one is T): Record<string, T> =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).flatMap(([key, one]) => (is(one) ? [[key, one]] : [])),
  );

function readProgress(value: unknown): LessonProgress {
  const { furthest, answers, said, done, best } = isRecord(value) ? value : {};
  return {
    furthest: typeof furthest === "number" ? furthest : 0,
    answers: entriesOf(answers, (right) => typeof right === "boolean"),
    said: entriesOf(said, isAnswer),
    done: Array.isArray(done) ? done.filter((step) => typeof step === "number") : [],
    best: typeof best === "number" ? best : null,
  };
}

/** The progress in a text that `writtenProgress` wrote; empty where it can't be read. */
export function parseProgress(text: string | null): CourseProgress {
  try {
    const stored: unknown = JSON.parse(text ?? "{}");
    return new Map(isRecord(stored) ? Object.entries(stored).map(([id, value]) => [id, readProgress(value)]) : []);
  } catch {
    return new Map();
  }
}

export const writtenProgress = (progress: CourseProgress): string => JSON.stringify(Object.fromEntries(progress));

export const storedProgress = (environment: Environment): CourseProgress =>
  parseProgress(environment.storage.read(COURSE_KEY));

/** Right and all first answers of a lesson. */
export const tally = ({ answers }: LessonProgress): { readonly right: number; readonly all: number } => {
  const said = Object.values(answers);
  return { right: said.filter(Boolean).length, all: said.length };
};

/** @file Plans for a class, from the lessons' own minutes. Pure. */
import type { LessonHead } from "../../course";

export interface PlanRow {
  /** Minutes from the beginning. */
  readonly from: number;
  readonly minutes: number;
  readonly what: LessonHead | "check" | "break" | "hand-in";
}

export interface ClassPlan {
  readonly title: string;
  readonly rows: readonly PlanRow[];
}

type Part = Pick<PlanRow, "minutes" | "what">;

const timed = (parts: readonly Part[]): PlanRow[] =>
  parts.map((part, i) => ({ ...part, from: parts.slice(0, i).reduce((sum, { minutes }) => sum + minutes, 0) }));

/** The first of `heads` that together take at most `room` minutes. */
function fitting(heads: readonly LessonHead[], room: number): LessonHead[] {
  let left = room;
  const end = heads.findIndex(({ minutes }) => (left -= minutes) < 0);
  return end === -1 ? [...heads] : heads.slice(0, end);
}

const part = (what: LessonHead): Part => ({ what, minutes: what.minutes });

const SHORT = 45;
const LONG = 180;
const CHECK = { what: "check", minutes: 10 } as const;
const BREAK = { what: "break", minutes: 10 } as const;
const HAND_IN = { what: "hand-in", minutes: 5 } as const;

/** 45 minutes: as many lessons as fit. 3 hours: all lessons, two breaks, and puzzles in the time that is left. */
export function classPlans(heads: readonly LessonHead[]): readonly ClassPlan[] {
  const lessons = heads.filter(({ kind }) => kind === "lesson");
  const puzzles = heads.filter(({ kind }) => kind === "puzzle");
  const short = fitting(lessons, SHORT);
  const spent = [CHECK, BREAK, BREAK, HAND_IN, ...lessons].reduce((sum, { minutes }) => sum + minutes, 0);
  const long: Part[] = [
    CHECK,
    ...lessons.slice(0, short.length).map(part),
    BREAK,
    ...lessons.slice(short.length).map(part),
    BREAK,
    ...fitting(puzzles, LONG - spent).map(part),
    HAND_IN,
  ];
  return [
    { title: "45 minutes", rows: timed(short.map(part)) },
    { title: "3 hours", rows: timed(long) },
  ];
}

/** `1:05` */
export const clock = (minutes: number): string =>
  `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;

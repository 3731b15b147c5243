/** @file What a step of a lesson shows, step after step: what it leaves out stays as the step before it left it. */
import { defaultOptions, isWithin, parseEdgeId, type Compilation, type CompileOptions, type Step } from "../fusion";
import type { Lesson, LessonStep, Show } from "./lesson";

export interface Picture {
  /** The program as the lesson gives it; null before the first step that shows one. */
  readonly program: string | null;
  /** Id of an example, where the step opens one. */
  readonly example: string | null;
  readonly options: Partial<CompileOptions>;
  readonly at: Show["at"];
  readonly tab: Show["tab"];
  readonly select: string | null;
  /** WGSL to begin with. */
  readonly kernel: string | null;
}

const NOTHING: Picture = {
  program: null,
  example: null,
  options: {},
  at: undefined,
  tab: undefined,
  select: null,
  kernel: null,
};

/** The picture of step `index`, from 0. */
export function pictureOf({ steps }: Pick<Lesson, "steps">, index: number): Picture {
  return steps.slice(0, index + 1).reduce<Picture>((before, { show }) => {
    if (!show) return { ...before, select: null };
    const opens = show.program !== undefined || show.example !== undefined;
    return {
      program: opens ? (show.program ?? null) : before.program,
      example: opens ? (show.example ?? null) : before.example,
      options: show.options ?? (opens ? {} : before.options),
      at: show.at ?? (opens ? "end" : before.at),
      tab: show.tab ?? before.tab,
      select: show.select ?? null,
      kernel: show.kernel ?? (opens ? null : before.kernel),
    };
  }, NOTHING);
}

/** The step has a panel of a known program looked at, or is done by a kernel or a choice in one: no line of the program changes. */
export function isAboutCode({ show, ask, task }: LessonStep): boolean {
  if (task) return task.kernel !== undefined || task.solution === show?.program;
  const opens = show?.program !== undefined || show?.example !== undefined;
  const asksLine = ask?.kind === "click" && ask.target === "line";
  return show?.tab !== undefined && show.tab !== "decisions" && !opens && !asksLine;
}

/** A program and how it is planned. */
export interface Planned {
  readonly text: string;
  readonly options: CompileOptions;
}

/** What step `index` compares with, given what it shows; null where it compares with nothing. */
export function besideOf({ steps }: Pick<Lesson, "steps">, index: number, shown: Planned): Planned | null {
  const beside = steps[index]?.show?.beside;
  return beside ? { text: beside.program ?? shown.text, options: { ...shown.options, ...beside.options } } : null;
}

export const optionsOf = (picture: Picture): CompileOptions => ({ ...defaultOptions, ...picture.options });

/** Decides whether the first value goes to memory on its way to the second, or between ops that they are made of. */
const decides = ({ symbols }: Compilation, { edges }: Step, [from, to]: readonly [string, string]): boolean => {
  const named = (name: string) => symbols.findLast((symbol) => symbol.name === name)?.node;
  const [a, b] = [named(from), named(to)];
  if (a == null || b == null) return false;
  return edges.map(parseEdgeId).some((edge) => edge && isWithin(edge.producer, a) && isWithin(edge.consumer, b));
};

/**
 * The cursor that a picture asks for: decisions applied. Null where no decision is about its edge. Before an edge is
 * decided, nothing is said of it yet; after the last decision about it, its card is open.
 */
export function cursorOf(compilation: Compilation, at: Show["at"]): number | null {
  if (at === "naive") return 0;
  if (at === undefined || at === "end") return compilation.steps.length;
  const about = compilation.steps.flatMap((step, i) => (decides(compilation, step, at.edge) ? [i] : []));
  const [first] = about;
  if (first === undefined) return null;
  return at.when === "before" ? first : about.at(-1)! + 1;
}

/** What a question shows once it is answered: what was decided. */
export const answered = (at: Show["at"]): Show["at"] => (typeof at === "object" ? { ...at, when: "after" } : at);

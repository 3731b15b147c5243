/** @file Is an answer right, is a task done? */
import { fusionAt, showBytes, type Compilation, type CompileOptions } from "../fusion";
import { evaluate } from "./expression";
import { factsOf, type HandFacts, type MeasuredTimes } from "./facts";
import type { Ask, Task } from "./lesson";
import { filled } from "./prose";
import type { Scope } from "./expression";

/** What a person said: the index of a choice, a number in the question's unit, what they clicked, or that they cannot tell. */
export type Answer =
  | { readonly kind: "choice"; readonly index: number }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "click"; readonly name: string }
  | { readonly kind: "pass" };

export interface Judgement {
  readonly right: boolean;
  /** The truth, for the scale or the list: a number in the question's unit, an index, or names. */
  readonly truth: number | string;
  /** What the person reads: the number and the reason. */
  readonly because: string;
}

const PER_UNIT: Readonly<Record<Extract<Ask, { kind: "number" }>["unit"], number>> = {
  MiB: 2 ** 20,
  KiB: 2 ** 10,
  µs: 1,
  kernels: 1,
  transfers: 1,
  "×": 1,
  FLOP: 1,
};

/**
 * The facts of a program that has a plan; null where it has none.
 * @param beside the program that a step compares with
 */
export function scopeOf(
  compilation: Compilation,
  measured: MeasuredTimes | null = null,
  hand: HandFacts | null = null,
  beside: Compilation | null = null,
): Scope | null {
  if (!compilation.naive) return null;
  const other = beside && scopeOf(beside);
  return factsOf(compilation, fusionAt(compilation, compilation.steps.length), measured, hand, other);
}

/** The index of the one choice that is true of the program. @throws where none or several are */
export function rightChoice(ask: Extract<Ask, { kind: "choice" }>, scope: Scope): number {
  const right = ask.choices.flatMap(({ when }, i) => (evaluate(when, scope) === true ? [i] : []));
  if (right.length !== 1) throw new Error(`"${ask.question}" has ${right.length} right answers.`);
  return right[0]!;
}

/** The answer of a number question in its unit. */
export const rightNumber = (ask: Extract<Ask, { kind: "number" }>, scope: Scope): number =>
  Number(evaluate(ask.answer, scope)) / PER_UNIT[ask.unit];

/** A typed number, NaN where it is none: `1,024` has a thousand in it, `1,5` a half. */
export function numberSaid(text: string): number {
  const said = text.trim();
  const thousands = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(said);
  return said === "" ? Number.NaN : Number(said.replaceAll(",", thousands ? "" : "."));
}

/** A number that is often said instead, in the question's unit, and what speaks against it. */
export interface UsualMistake {
  readonly value: number;
  readonly but: string;
}

/** The numbers that are often said instead of the right one. */
export const usualMistakes = (ask: Extract<Ask, { kind: "number" }>, scope: Scope): UsualMistake[] =>
  (ask.slips ?? []).map(({ answer, but }) => ({
    value: Number(evaluate(answer, scope)) / PER_UNIT[ask.unit],
    but: filled(but, scope),
  }));

/** How near to a usual mistake a number must be to be met as that mistake. */
const NEAR = 0.02;

const isNear = (said: number, value: number, within: number): boolean =>
  Math.abs(said - value) <= within * Math.abs(value) + 1e-9;

/** Whether `said` is right, with the number and the reason: first what speaks against a wrong answer, then why the right one is. */
export function judge(ask: Ask, said: Answer, scope: Scope): Judgement {
  switch (ask.kind) {
    case "choice": {
      const truth = rightChoice(ask, scope);
      const right = said.kind === "choice" && said.index === truth;
      const but = said.kind === "choice" && !right ? ask.choices[said.index]?.but : undefined;
      return { right, truth, because: reasonOf(but, ask.choices[truth]!.because, scope) };
    }
    case "number": {
      const truth = rightNumber(ask, scope);
      const right = said.kind === "number" && isNear(said.value, truth, ask.within);
      const slip =
        said.kind === "number" && !right
          ? usualMistakes(ask, scope).find(({ value }) => isNear(said.value, value, NEAR))
          : undefined;
      return { right, truth, because: reasonOf(slip?.but, ask.because, scope) };
    }
    case "click": {
      const right = said.kind === "click" && ask.answers.includes(said.name);
      const but = said.kind === "click" && !right ? ask.buts?.[said.name] : undefined;
      return { right, truth: ask.answers.join(" or "), because: reasonOf(but, ask.because, scope) };
    }
  }
}

const reasonOf = (but: string | undefined, because: string | undefined, scope: Scope): string =>
  [but, because].flatMap((text) => (text === undefined ? [] : [filled(text, scope)])).join(" ");

/** `scope`, where `goal.bytes` is what the task's check compares `bytes` with: a task says what is asked, and the check holds it. */
export const goalsIn = ({ check }: Pick<Task, "check">, scope: Scope): Scope => ({
  ...scope,
  number(name) {
    if (!name.startsWith("goal.")) return scope.number(name);
    const wanted = name.slice("goal.".length);
    const bound = check
      .split(/ (?:and|or) /)
      .flatMap((part) => (part.split(/<=?|>=?/)[0]!.trim() === wanted ? part.split(/<=?|>=?/).slice(1) : []))[0];
    return bound === undefined ? null : evaluate(bound, scope);
  },
});

/**
 * Null where two programs take the same inputs, and compute the same unless only `inputs` are asked about; otherwise a
 * sentence that says what differs.
 */
export type Compare = (original: string, changed: string, what: "inputs" | "values") => Promise<string | null>;

/** The program that a task begins with, and the device that it is planned for. */
export interface Begun {
  readonly text: string;
  readonly options: Pick<CompileOptions, "profile">;
}

export interface TaskState {
  readonly done: boolean;
  /** What still misses; empty when done. */
  readonly text: string;
  /** The counted score, where the task has one. */
  readonly score: number | null;
}

/**
 * How far a task is, for the program as it is now.
 * @param begun what the step showed: its inputs stay, and so does the device that times are predicted for
 * @param compare whether two programs take and compute the same
 * @param hand what is known of kernels that were written by hand; null where none was
 */
export async function taskState(
  task: Task,
  begun: Begun,
  compilation: Compilation,
  compare: Compare,
  hand: HandFacts | null = null,
): Promise<TaskState> {
  const scope = scopeOf(compilation, null, hand);
  if (!scope) return { done: false, text: "The program has errors.", score: null };
  const counted = task.score === undefined ? Infinity : Number(evaluate(task.score, scope));
  const score = Number.isFinite(counted) ? counted : null;
  const device = begun.options.profile;
  if (JSON.stringify(compilation.options.profile) !== JSON.stringify(device))
    return {
      done: false,
      text: `Choose the device “${device.name}” in Options again: the goal is meant for it.`,
      score,
    };
  const met = evaluate(task.check, scope) === true;
  const differs = await differenceOf(task, begun.text, compilation.text, compare);
  const missing = task.kernel === undefined ? filled(progressOf(task.check), scope) : handProgress(hand);
  // Of the program as it was given, what it computes is no news; its numbers are what is to be changed.
  const told = met || compilation.text !== begun.text ? differs : null;
  const text = [...(met ? [] : [`Not yet: ${missing}.`]), ...(told === null ? [] : [told])].join(" ");
  return { done: met && differs === null, text, score };
}

/** What differs from what is asked; null where nothing does. Whatever is asked, smaller inputs are no solution. */
async function differenceOf(task: Task, begun: string, text: string, compare: Compare): Promise<string | null> {
  const wanted = task.values === "solution" ? task.solution : begun;
  const inputs = text === begun ? null : await compare(begun, text, "inputs");
  if (inputs !== null || task.values === "any" || text === wanted) return inputs;
  return compare(wanted, text, "values");
}

/** What a hand-written kernel still lacks. */
function handProgress(hand: HandFacts | null): string {
  if (!hand) return "write the kernel yourself, under WGSL";
  const moved = hand.bytes === null ? "its traffic is not counted yet" : `it moves ${showBytes(hand.bytes)}`;
  const values =
    hand.right === null
      ? "it has not run to its end yet"
      : hand.right
        ? "its values are right"
        : "its values are wrong";
  return `${moved}, and ${values}`;
}

/** `kernels <= 1 and bytes <= 12 MiB` becomes a sentence with the numbers as they are. */
function progressOf(check: string): string {
  const names = [...new Set(check.match(/\b(naive\.)?(kernels|transfers|large|bytes|peak|saved|micros)\b/g) ?? [])];
  const missing = [...check.matchAll(/\b(fused|stored)\(([^)]*)\)/g)].map(([, what, of]) => MISSING[what!]!(of!));
  const parts = [...names.map((name) => WORDS[name.replace("naive.", "")]!(name)), ...missing];
  return parts.length > 0 ? parts.join(", ") : "the goal is not reached";
}

/** Where the values of a call are not yet. */
const MISSING: Readonly<Record<string, (of: string) => string>> = {
  fused: (of) => `one kernel does not yet compute ${of.split(/\s*,\s*/).join(" and ")}`,
  stored: (of) => `no kernel stores ${of} yet`,
};

const WORDS: Readonly<Record<string, (name: string) => string>> = {
  kernels: (name) => `{${name}:kernels}`,
  transfers: (name) => `{${name}:transfers}`,
  large: (name) => `{${name}:transfers} of full size`,
  bytes: (name) => `{${name}} moved`,
  peak: (name) => `{${name}} at the peak`,
  saved: (name) => `{${name}} saved`,
  micros: (name) => `{${name}} predicted`,
};

/** @file Numbers in a lesson's sentences: every one is computed when it is read. */
import { showBytes, showCount, showMicros } from "../fusion";
import { evaluate, ExpressionError, type Scope } from "./expression";
import type { Ask } from "./lesson";

/** Three digits, but all of a whole number: a rounded one looks exact, and is met in the program as it is. */
const digits = (value: number): string =>
  Number.isInteger(value) ? showCount(value) : Number(value.toPrecision(3)).toLocaleString("en-US");
const counted = (one: string) => (value: number) => `${digits(value)} ${one}${value === 1 ? "" : "s"}`;

const FORMATS: Readonly<Record<string, (value: number) => string>> = {
  bytes: showBytes,
  micros: showMicros,
  times: (value) => `${digits(value)}×`,
  percent: (value) => `${Math.round(value * 100)} %`,
  number: digits,
  whole: showCount,
  kernels: counted("kernel"),
  transfers: counted("transfer"),
  refusals: counted("refusal"),
};

type Unit = Extract<Ask, { kind: "number" }>["unit"];

/** An answer with its unit: `1 kernel`, `3×`, `64 MiB`; `shown` is its number as a person typed it. */
export function inUnit(value: number, unit: Unit, shown = digits(value)): string {
  if (unit === "×") return `${shown}×`;
  return `${shown} ${value === 1 && /^(kernels|transfers)$/.test(unit) ? unit.slice(0, -1) : unit}`;
}

/** The format that a bare fact is shown in. */
const usualFormat = (expression: string): string => {
  if (
    /^((goal|beside)\.)?(naive\.)?(bytes|peak|saved)$|^(goal\.)?hand\.bytes$|^(size|workgroupBytes)\(/.test(expression)
  )
    return "bytes";
  if (/^(dim|elements)\([^()]*\)$/.test(expression)) return "whole";
  return /^((goal|beside)\.)?(naive\.)?micros$|^measured\./.test(expression) ? "micros" : "number";
};

/**
 * `text` with its `{expression}`, `{expression:format}` and `{expression:format|where it is not known}` filled in.
 * @throws ExpressionError where a number is not known and the text says nothing for that
 */
export function filled(text: string, scope: Scope): string {
  return text.replace(/\{([^{}]+)\}/g, (_, inside: string) => {
    const [wanted, otherwise] = inside.split("|");
    const [expression, format = usualFormat(expression.trim())] = wanted!.split(":") as [string, string?];
    const show = FORMATS[format.trim()];
    if (!show) throw new ExpressionError(`There is no format called \`${format}\`.`);
    try {
      return show(Number(evaluate(expression, scope)));
    } catch (error) {
      if (error instanceof ExpressionError && otherwise !== undefined) return otherwise.trim();
      throw error;
    }
  });
}

/** The expressions in a text, for tests. */
export const expressionsIn = (text: string): string[] => [...text.matchAll(/\{([^{}]+)\}/g)].map((found) => found[1]!);

/** A run of prose: plain, code, strong, or a term of the glossary. */
export interface Run {
  readonly kind: "plain" | "code" | "strong" | "term";
  readonly text: string;
  /** The term's id. */
  readonly term?: string;
}

/** `code`, **strong** and [words](#term). */
export function runsOf(paragraph: string): Run[] {
  const runs: Run[] = [];
  let at = 0;
  for (const found of paragraph.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(#([\w-]+)\)/g)) {
    if (found.index > at) runs.push({ kind: "plain", text: paragraph.slice(at, found.index) });
    const [all, code, strong, words, term] = found;
    if (code !== undefined) runs.push({ kind: "code", text: code });
    else if (strong !== undefined) runs.push({ kind: "strong", text: strong });
    else runs.push({ kind: "term", text: words!, term: term! });
    at = found.index + all.length;
  }
  if (at < paragraph.length) runs.push({ kind: "plain", text: paragraph.slice(at) });
  return runs;
}

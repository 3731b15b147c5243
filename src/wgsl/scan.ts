/** @file WGSL as tokens. What is compiled is made of the tokens alone, so no comment can hide code from the limits. */
import { WgslScanner } from "wgsl_reflect/wgsl_reflect.module.js";

export interface Token {
  readonly text: string;
  /** UTF-16 offsets in the text. */
  readonly start: number;
  readonly end: number;
}

/** Something wrong with a text, where it is: 1-based line and column. */
export interface Fault {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** 1-based line and column of an offset. */
export function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

export const faultAt = (text: string, offset: number, words: string): Fault => ({
  ...positionOf(text, offset),
  text: words,
});

/** The tokens of a text, or the first piece that is none. */
export function tokensOf(text: string): readonly Token[] | Fault {
  try {
    const tokens = new WgslScanner(text).scanTokens().filter(({ start, end }) => end > start);
    return tokens.map(({ start, end }) => ({ text: text.slice(start, end), start, end }));
  } catch (refused) {
    const line = Number(/line (\d+)/i.exec(refused instanceof Error ? refused.message : String(refused))?.[1] ?? 1);
    return { line, column: 1, text: "A character here is not WGSL." };
  }
}

export const isFault = (found: readonly Token[] | Fault): found is Fault => !Array.isArray(found);

/** Index of the bracket that closes the one at `open`; the number of tokens where none does. */
export function closing(tokens: readonly Token[], open: number): number {
  const [left, right] = [tokens[open]!.text, { "(": ")", "[": "]", "{": "}" }[tokens[open]!.text]];
  for (let at = open, depth = 0; at < tokens.length; at++) {
    if (tokens[at]!.text === left) depth++;
    if (tokens[at]!.text === right && --depth === 0) return at;
  }
  return tokens.length;
}

/** Index of the next token `text` at or after `from`; the number of tokens where there is none. */
export function next(tokens: readonly Token[], text: string, from: number): number {
  const found = tokens.findIndex((token, i) => i >= from && token.text === text);
  return found === -1 ? tokens.length : found;
}

/** @file Programs that once failed, made small: replayed before any random one. `scripts/soak.mjs` prints new ones in this form. */
import corpus from "./corpus.json" with { type: "json" };
import type { Case, Ways } from "./plan-laws";

const entries: readonly { readonly text: readonly string[]; readonly ways: readonly number[] }[] = corpus;
export const onceFailing: readonly Case[] = entries.map(({ text, ways }) => ({
  text: text.join("\n"),
  ways: ways as unknown as Ways,
}));

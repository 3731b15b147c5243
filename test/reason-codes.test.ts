/** @file docs/reason-codes.md lists every code of a decision once, with the words that the page says first. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { reasonTitles } from "../src/fusion";

test("docs/reason-codes.md tells every code, in the page's words", () => {
  const rows = readFileSync("docs/reason-codes.md", "utf8").matchAll(/^\| `([A-Z]_[A-Z_]+)`\s*\| (.+?)\s*\|/gm);
  const told = [...rows].map(([, code, words]) => [code, words]);
  const byCode = (a: readonly unknown[], b: readonly unknown[]): number => (String(a[0]) < String(b[0]) ? -1 : 1);
  expect(told.toSorted(byCode)).toEqual(Object.entries(reasonTitles).toSorted(byCode));
});

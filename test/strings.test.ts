/** @file docs/strings.md holds every sentence of the page; `npm run strings` (or vitest -u) writes it. */
import { expect, test } from "vitest";
import { stringsOf, stringsPage } from "../scripts/strings.mjs";
import { parseAst } from "vite";

test("every sentence stands in docs/strings.md", async () => {
  await expect(stringsPage()).toMatchFileSnapshot("../docs/strings.md");
});

test("sentences are found in markup, labels, templates and properties; code is not", () => {
  const code = `
    import { a } from "some/where else";
    const p = { id: "not a sentence", title: "Short", says: \`Saves \${n} bytes.\`, wgsl: "var x = 1" };
    const e = <p className="big and bold" aria-label="Close it">Press <kbd>Enter</kbd> to {what}.</p>;`;
  expect(stringsOf(parseAst(code, { lang: "tsx" }))).toEqual([
    "Short",
    "Saves {} bytes.",
    "Close it",
    "Press Enter to {}.",
  ]);
});

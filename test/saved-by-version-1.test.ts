import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { decodeFile, decodeLink, findDecision, readDraft, type DecisionRef } from "../src/document";
import { compile } from "../src/fusion";
import { COPIES_KEY, readCopies } from "../src/state/storage/copies";

/** Links, files, drafts and copies as the page of November 2026 wrote them: they open for good, at the same decision. */
interface Saved {
  readonly text: string;
  /** null: the final plan. */
  readonly decision: DecisionRef | null;
  readonly link: string;
  readonly file: string;
  readonly draft: string;
  readonly copies: string;
}
const saved = JSON.parse(
  readFileSync(new URL("fixtures/saved-by-version-1.json", import.meta.url), "utf8"),
) as readonly Saved[];

test.each(saved)("what was saved opens as it was ($text)", async ({ text, decision, link, file, draft, copies }) => {
  for (const opened of [await decodeLink(link), decodeFile(file), readDraft(draft)]) {
    expect(opened).toMatchObject({ ok: true, value: { dropped: [], state: { document: { text } } } });
  }
  const storage = {
    read: (key: string) => (key === COPIES_KEY ? copies : null),
    write: () => false,
    clear: () => undefined,
  };
  expect(readCopies(storage).map(({ document, when }) => [document?.text, when])).toEqual([[text, 1_700_000_000_000]]);
  const opened = await decodeLink(link);
  if (!opened.ok) throw new Error(opened.text);
  const { document } = opened.value.state;
  expect(document.positions).toEqual({ x: { x: 10.5, y: -3 } });
  const { steps } = compile(document.text, document.options);
  const shown = decision && steps[findDecision(steps, decision).cursor - 1];
  expect(shown?.nodes).toEqual(decision?.nodes);
});

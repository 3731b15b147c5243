import fc from "fast-check";
import { expect, test } from "vitest";
import { smallestEdit } from "./smallest-edit";

const apply = (text: string, edit: ReturnType<typeof smallestEdit>): string =>
  edit ? text.slice(0, edit.span.from) + edit.insert + text.slice(edit.span.to) : text;

test("only what differs is replaced", () => {
  expect(smallestEdit("y = relu(x)\n", "y = gelu(x)\n")).toEqual({ span: { from: 4, to: 5 }, insert: "g" });
  expect(smallestEdit("aaa", "aaaa")).toEqual({ span: { from: 3, to: 3 }, insert: "a" });
  expect(smallestEdit("same", "same")).toBeNull();
});

test("applied, it always gives the new text, and it never touches the common ends", () => {
  const words = fc.array(fc.constantFrom("a", "b", "\n", "x"), { maxLength: 12 }).map((letters) => letters.join(""));
  fc.assert(
    fc.property(words, words, (before, after) => {
      const edit = smallestEdit(before, after);
      expect(apply(before, edit)).toBe(after);
      const inserted = edit?.insert ?? "";
      const removed = edit ? before.slice(edit.span.from, edit.span.to) : "";
      const shared =
        inserted !== "" && removed !== "" && (inserted[0] === removed[0] || inserted.at(-1) === removed.at(-1));
      expect(shared).toBe(false);
    }),
  );
});

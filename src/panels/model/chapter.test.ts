import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../fusion";
import { chapterNote } from "./chapter";

const noteOf = (text: string): string | null => chapterNote(compile(text, defaultOptions));

test("the chapter's example with a full-size b counts one more than is printed", () => {
  expect(noteOf("x: f32[256, 256]\nb: f32[256, 256]\ny = log(relu(x + b))\nreturn y\n")).toBe(
    "The chapter prints 6 → 3; counted 7 → 3.",
  );
});

test("with a vector b the full-size transfers are counted", () => {
  expect(noteOf("x: f32[256, 256]\nb: f32[256]\ny = log(relu(x + b))\nreturn y\n")).toBe(
    "The chapter prints 6 → 3; counted 6 → 2 full-size.",
  );
});

test.each([
  ["another program", "x: f32[256, 256]\ny = exp(relu(x))\nreturn y\n"],
  [
    "a chain that is read twice",
    "x: f32[256, 256]\nb: f32[256, 256]\na = relu(x + b)\ny = log(a)\nz = a * 2.0\nreturn y, z\n",
  ],
  ["a text with an error", "x: f32[256, 256]\ny = log(relu(x + b))\n"],
])("%s has no note", (_, text) => expect(noteOf(text)).toBeNull());

import { describe, expect, test } from "vitest";
import { a100, compile, defaultOptions, generic, type CompileOptions } from "../../../fusion";
import { findExample, optionsFor } from "../../../lessons";
import { chapterNotes, type ChapterNote } from "./chapter-rows";
import { geluDistance } from "./gelu-forms";

const notesOf = (text: string, example: string | null = null): readonly ChapterNote[] =>
  chapterNotes(compile(text, defaultOptions), example);

function notesOn(id: string, changes: Partial<CompileOptions> = {}): Record<string, ChapterNote> {
  const lesson = findExample(id)!;
  const options = { ...optionsFor(lesson, defaultOptions, null, defaultOptions), ...changes };
  return Object.fromEntries(chapterNotes(compile(lesson.text, options), id).map((note) => [note.row, note]));
}

describe("log(relu(x + b)), typed or opened", () => {
  test("a full-size b counts one more than is printed", () => {
    expect(notesOf("a: f32[256, 256]\nc: f32[256, 256]\nz = log(relu(a + c))\nreturn z\n")).toEqual([
      {
        row: "004-02",
        mark: "differs",
        text: "The lecture notes say 6 → 3; counted 7 → 3 (2.33×). The list beside its number has 7 entries.",
      },
    ]);
  });

  test("with a vector b the big tensors are counted", () => {
    const [note] = notesOf("x: f32[256, 256]\nb: f32[256]\ny = log(relu(x + b))\nreturn y\n");
    expect(note?.text).toBe("The lecture notes say 6 → 3; with a small b the big tensors move 6 → 2 (3×).");
  });
});

test.each([
  ["another program", "x: f32[256, 256]\ny = exp(relu(x))\nreturn y\n"],
  [
    "a chain that is read twice",
    "x: f32[256, 256]\nb: f32[256, 256]\na = relu(x + b)\ny = log(a)\nz = a * 2.0\nreturn y, z\n",
  ],
  ["a text with an error", "x: f32[256, 256]\ny = log(relu(x + b))\n"],
  ["an example that was changed into something else", "x: f32[256, 256]\nb: f32[256, 256]\ny = log(exp(x + b))\n"],
])("%s has no note", (_, text) => expect(notesOf(text, "log-relu")).toEqual([]));

test("a claim that is right as printed is marked so", () => {
  expect(notesOn("log-exp")["003-01"]).toMatchObject({
    mark: "right",
    text: "The lecture notes say 6 → 2: counted 6 → 2 transfers.",
  });
  expect(notesOn("layer-norm")["000-15"]?.mark).toBe("right");
  expect(notesOn("square-matmul", { profile: generic })["001-02"]?.mark).toBe("right");
  expect(notesOn("square-matmul", { profile: a100 })["000-01"]?.text).toContain("312 TFLOP/s over 2 TB/s is 156");
});

test("the two forms of GELU are compared by what the reference computes", () => {
  const { distance, at } = geluDistance();
  expect(distance).toBeGreaterThan(4.6e-4);
  expect(distance).toBeLessThan(4.8e-4);
  expect(notesOn("bias-gelu/tanh")["001-13"]?.text).toContain(`at most 4.7e-4, at x = ±${Number(at.toPrecision(3))}.`);
});

test("a machine's balance is spoken of while its profile is chosen", () => {
  expect(Object.keys(notesOn("square-matmul"))).toEqual(["000-16", "000-17", "001-02"]);
  expect(Object.keys(notesOn("square-matmul", { profile: a100 }))).toEqual(["000-16", "000-17", "000-01"]);
});

test("a claim stops being right when the plan does not do it", () => {
  const disabledPasses = ["producer-consumer", "multi-output", "row-groups"];
  expect(notesOn("log-exp", { disabledPasses })["003-01"]?.mark).toBe("differs");
});

test.each([
  ["ln-relu", "000-04", "Counted 16 → 2 (8×) with a kernel for each primitive, 27 → 4 with the small tensors"],
  ["ln-relu/statements", "000-04", "Counted 8 → 2 (4×) with a kernel for each statement, 15 → 4"],
  ["ln-relu/calls", "000-04", "Counted 4 → 2 (2×) with a kernel for each call"],
  ["square-matmul", "000-16", "1,024 here; that is FLOP per element. Per byte it is 171 in f32"],
  ["flash-attention", "001-06", "counted 8 → 2: the linear layers share one of their own"],
  ["attention", "002-16", "25 MiB → 1 MiB, 25×"],
  ["splade-head", "004-07", "the large tensor is never stored"],
  ["matmul-bias-relu", "001-01", "counts only the writes of the product (3 → 1). With the reads it is 5 → 1"],
  ["layer-norm/long-rows", "001-07", "2 loops over the input: 3 transfers"],
  ["layer-norm/three-passes", "001-07", "3 loops over the input: 4 transfers"],
  ["layer-norm/welford", "001-07", "2 loops over the input: 3 transfers"],
  ["two-readers", "001-16", "stored it takes 9 transfers, this plan 6"],
  ["two-readers/store", "001-16", "stored, as here, it takes 9"],
  ["two-readers/duplicate", "001-16", "stored it takes 9 transfers, this plan 8"],
  ["l2-norm", "002-15", "Traffic explains 2.5× (5 → 2). The tensor of 2 MiB fits the cache"],
  ["saved-values", "003-21", "at x = −17, a is 4.14e-8, and from y it comes back as 0 in f32"],
  ["unary-chain", "004-03", "2 · 6 · 4,194,304 · 4 B = 192 MiB → 32 MiB, 6× less"],
  ["splade-head", "004-07", "S = 128 times less"],
  ["swiglu", "000-21", "Full-size transfers: 5 → 3, 1.67×"],
  ["swiglu/primitives", "000-21", "Full-size transfers: 8 → 3, 2.67×"],
  ["rms-norm", "000-23", "7 → 2, 3.5×"],
  ["bias-dropout-add", "000-22", "7 → 3, 2.33×"],
])("%s, %s", (id, row, words) => expect(notesOn(id)[row]?.text).toContain(words));

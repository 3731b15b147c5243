import { expect, test } from "vitest";
import { nodeId } from "./ir";
import { inputData } from "./reference";
import { parseProgram } from "./text";
import { dataSets, examplesData, examplesOf, labelBits } from "./datasets/batches";
import { ALPHABET, STORY } from "./datasets/story";

const batch = (set: string, part: string, shape: number[], examples: number[], seed = 0) =>
  examplesData(
    { set, part, type: { dtype: part === "points" || part === "images" ? "f32" : "i32", shape }, seed },
    examples,
  );

test("every set's labels are classes, each of which occurs, and nothing is known of them beforehand", () => {
  for (const { name, examples, classes, parts } of dataSets) {
    const all = Array.from({ length: examples }, (_, i) => i);
    const labels = [...batch(name, parts[1].name, [examples], all)];
    expect(Math.min(...labels)).toBe(0);
    expect(Math.max(...labels)).toBe(classes - 1);
    expect(new Set(labels).size).toBe(classes);
  }
  expect(dataSets.map(labelBits).map((bits) => bits.toFixed(2))).toEqual([
    "1.00",
    "3.32",
    expect.stringMatching(/^4\.[01]/),
  ]);
});

test("the same seed gives the same examples, another one others", () => {
  const first = batch("spirals", "points", [2, 2], [7, 8]);
  expect(batch("spirals", "points", [1, 2], [8])).toEqual(first.subarray(2));
  expect(batch("spirals", "points", [2, 2], [7, 8], 1)).not.toEqual(first);
});

test("points of a spiral lie near their arm, and no nearer to the other", () => {
  for (let index = 0; index < 256; index++) {
    const [x, y] = batch("spirals", "points", [1, 2], [index]) as unknown as [number, number];
    const [radius, angle] = [Math.hypot(x, y), Math.atan2(y, x)];
    const along = (radius - 0.1) / 0.9;
    const off = (arm: number) => Math.abs(Math.sin((angle - 2 * Math.PI * (1.25 * along + arm / 2)) / 2));
    expect(off(index % 2)).toBeLessThan(off(1 - (index % 2)));
  }
});

test("digits have ink and paper, and two drawings of one digit differ", () => {
  for (let digit = 0; digit < 10; digit++) {
    const [a, b] = [batch("digits", "images", [1, 64], [digit]), batch("digits", "images", [1, 8, 8], [digit + 10])];
    const ink = [...a].reduce((sum, pixel) => sum + pixel, 0);
    expect(ink, `${digit}`).toBeGreaterThan(6);
    expect(ink, `${digit}`).toBeLessThan(40);
    expect(a).not.toEqual(b);
    for (const pixel of a) expect(pixel >= 0 && pixel <= 1).toBe(true);
  }
});

test("the text is written in its alphabet, and the next character is the one after", () => {
  expect(Array.from(STORY).filter((character) => !ALPHABET.includes(character))).toEqual([]);
  const shown = (numbers: ArrayLike<number>) => Array.from(numbers, (number) => ALPHABET[number]).join("");
  expect(shown(batch("text", "characters", [1, 12], [20]))).toBe(STORY.slice(8, 20));
  expect(shown(batch("text", "next", [1], [20]))).toBe(STORY[20]);
  expect(shown(batch("text", "next", [1, 12], [20]))).toBe(STORY.slice(9, 21));
});

test("an epoch has every example once, in an order of its own; a batch of the whole set keeps it", () => {
  const epoch = (number: number) =>
    Array.from({ length: 32 }, (_, step) => examplesOf("digits", 32, 5, number * 32 + step)).flat();
  expect(epoch(0).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1024 }, (_, i) => i));
  expect(epoch(1)).not.toEqual(epoch(0));
  expect(epoch(0)).toEqual(epoch(0));
  expect(examplesOf("spirals", 512, 5, 3)).toEqual([...Array(512).keys()].map((row) => row % 256));
});

test("a program says which part of which set an input holds, and is told what does not fit", () => {
  const said = (line: string) => parseProgram(`${line}\ny = x * 2\n`).diagnostics.map(({ text }) => text);
  expect(said('x: f32[8, 2] = data("spirals", "points")')).toEqual([]);
  expect(said('x: f32[8, 2] = data("spiral", "points")')[0]).toContain('There are "spirals", "digits", "text".');
  expect(said('x: f32[8, 2] = data("spirals", "colours")')[0]).toContain('data("spirals", "labels")');
  expect(said('x: f32[8, 3] = data("spirals", "points")')[0]).toContain("an example has [2]. This is 8×3.");
  expect(said('x: i32[8, 2] = data("spirals", "points")')[0]).toContain("are f32");
  expect(said("x: f32[8, 2] = data(3)")[0]).toContain("needs the names of a data set and of its part");
  const { graph } = parseProgram('x: i32[4] = data("digits", "labels")\ny = x * 2\n');
  expect([...inputData(graph.nodes.get(nodeId("x"))!)].every((label) => label >= 0 && label < 10)).toBe(true);
});

import { expect, test } from "vitest";
import { parseProgram } from "../../fusion";
import { fittingHints, typeHints } from "./type-hints";

/** The text with its hints written into it. */
function hinted(text: string): string {
  const hints = typeHints(parseProgram(text), { from: 0, to: text.length }).toSorted((a, b) => b.offset - a.offset);
  return hints.reduce((all, { offset, label }) => `${all.slice(0, offset)}⟨${label}⟩${all.slice(offset)}`, text);
}

test("values show their shape, large inputs their bytes, small ones nothing", () => {
  expect(hinted("x: f32[2048, 768]\nw: f32[768]\nh = x * w\nm = mean(h, dim=-1)\nreturn m\n")).toBe(
    "x: f32[2048, 768]⟨6 MiB⟩\nw: f32[768]\nh⟨2048×768⟩ = x * w\nm⟨2048⟩ = mean(h, dim=-1)\nreturn m\n",
  );
});

test("what not connected yet has no hint", () => {
  expect(hinted("x: f32[8]\ny = relu(...)\n")).toBe("x: f32[8]⟨32 B⟩\ny = relu(...)\n");
});

test("only what is shown is hinted", () => {
  const text = "x: f32[8]\ny = relu(x)\nz = relu(y)\n";
  const [from, to] = [text.indexOf("y ="), text.indexOf("\nz")];
  expect(typeHints(parseProgram(text), { from, to }).map(({ label }) => label)).toEqual(["8"]);
});

test("a line that its hint would push out of sight has none", () => {
  const text = "x: f32[8]\ny = relu(x)\nlonger = relu(y)";
  const all = typeHints(parseProgram(text), { from: 0, to: text.length });
  const lines = (columns: number): number[] =>
    fittingHints(all, text, columns)
      .map(({ offset }) => text.slice(0, offset).split("\n").length)
      .toSorted((a, b) => a - b);
  expect(lines("longer = relu(y)".length + 2)).toEqual([1, 2, 3]);
  expect(lines("longer = relu(y)".length + 1)).toEqual([1, 2]);
  expect(lines(5)).toEqual([]);
});

import { expect, test } from "vitest";
import { nodeId } from "../../ir";
import { laidOut } from "./line-breaking";

const [y, z] = [nodeId("y"), nodeId("z")];
const linesOf = (...lines: readonly string[]): readonly string[] =>
  laidOut({ wgsl: [...lines, ""].join("\n"), lines: lines.map(() => [y]) })
    .wgsl.split("\n")
    .slice(0, -1);
const terms = (count: number, sign: string): string =>
  Array.from({ length: count }, (_, i) => `term_${i}`).join(` ${sign} `);

test("short lines stay, and every part of a long one has its nodes", () => {
  const wgsl = `let a = 1.0;\n  let b = ${terms(20, "+")};\n`;
  const text = laidOut({ wgsl, lines: [[y], [z]] });
  expect(text.wgsl.split("\n").length).toBe(text.lines.length + 1);
  expect(text.lines).toEqual([[y], [z], [z]]);
  expect(laidOut({ wgsl: "let a = 1.0;\n", lines: [[y]] })).toEqual({ wgsl: "let a = 1.0;\n", lines: [[y]] });
});

test("a line ends before an operator, outside of brackets where it can", () => {
  expect(linesOf(`  let sum = ${terms(18, "+")};`)).toEqual([
    `  let sum = ${terms(11, "+")}`,
    "    + term_11 + term_12 + term_13 + term_14 + term_15 + term_16 + term_17;",
  ]);
  const call = `max(${terms(8, "*")}, f(${terms(3, "*")}))`;
  expect(linesOf(`  let most = ${call};`)).toEqual(["  let most =", `    ${call};`]);
});

test("a comment goes on as a comment", () => {
  const [first, second, ...rest] = linesOf(`// ${terms(16, "and")}`);
  expect(rest).toEqual([]);
  expect(first!.length).toBeLessThanOrEqual(110);
  expect(second).toMatch(/^\/\/ \S/);
  expect(`${first} ${second!.slice(3)}`).toBe(`// ${terms(16, "and")}`);
});

test("nothing but the width changes, and what can be broken nowhere stays", () => {
  const long = `  let b = ${"x".repeat(150)};`;
  expect(linesOf(long)).toEqual([long]);
  const nested = `  let c = f(${terms(30, "*")}, g(${terms(12, "-")}), h(${terms(9, "|")}));`;
  const parts = linesOf(nested);
  expect(parts.length).toBeGreaterThan(2);
  expect(parts.every((part) => part.length <= 110)).toBe(true);
  expect(
    parts
      .map((part) => part.trim())
      .join(" ")
      .replaceAll("( ", "("),
  ).toBe(nested.trim());
});

/** @file Lines of memory that loads ask for whose addresses are data: of what is gathered, of the lists, and of nothing else. */
import { expect, test } from "vitest";
import { isRefusal, regionFacts } from "../../src/fusion/cost";
import { generic } from "../../src/fusion";
import { regionArithmetic } from "../../src/fusion/kernel";
import { graphOf, oneRegion } from "./kernel-harness";

function linesOf(text: string): number {
  const { graph, regions } = oneRegion(graphOf(text));
  const [region] = [...regions.values()];
  const facts = regionFacts(graph, region!, generic, 0);
  if (isRefusal(facts)) throw new Error(facts.text);
  return regionArithmetic(graph, region!, facts.form, facts.schedule).lines;
}

test("single elements ask for a line each, the parts of a row for one in common", () => {
  expect(linesOf("x: f32[5000]\ni: i32[4096]\nreturn x[i] * 2.0")).toBe(4096);
  expect(linesOf("x: f32[5000, 4]\ni: i32[4096]\nreturn x[i] * 2.0")).toBe(4096);
  expect(linesOf("x: f32[5000, 8]\ni: i32[4096]\nreturn x[i] * 2.0")).toBe(4096);
});

test("rows as long as a line, and neighbours, ask for no more than other loads do", () => {
  expect(linesOf("x: f32[5000, 32]\ni: i32[4096]\nreturn x[i] * 2.0")).toBe(0);
  expect(linesOf("x: f32[5000]\ni: i32[4096]\nreturn x[:4096] * i")).toBe(0);
});

test("what is computed from several places is loaded at each, and once where two ops read the same place", () => {
  expect(linesOf("x: f32[5000]\ni: i32[4096]\nj: i32[4096]\nreturn x[i] * x[j]")).toBe(2 * 4096);
  expect(linesOf("x: f32[5000]\ny: f32[5000]\ni: i32[4096]\nreturn (x * y)[i]")).toBe(2 * 4096);
  expect(linesOf("x: f32[5000]\ni: i32[4096]\nreturn (x * torch.exp(x))[i]")).toBe(4096);
});

test("a small table has no more lines than it has", () => {
  expect(linesOf("x: f32[256]\ni: i32[4096]\nreturn x[i] * 2.0")).toBe((4096 / 32) * 8);
  expect(linesOf("x: f32[16]\ni: i32[4096]\nreturn x[i] * 2.0")).toBe(4096 / 32);
});

test("an index that is gathered itself is loaded from anywhere, too", () => {
  expect(linesOf("x: f32[5000]\ni: i32[6000]\nj: i32[4096]\nreturn x[i[j]] * 2.0")).toBe(2 * 4096);
});

test("what a row has in common is loaded once for it", () => {
  expect(linesOf("x: f32[5000]\ny: f32[4096, 64]\ni: i32[4096]\nreturn x[i][:, None] * y")).toBe(4096);
});

test("one table that is read in several parts asks for a line of each", () => {
  const text =
    "t: f32[8, 5000]\ni: i32[8, 4096]\nlut = torch.exp(t)\nreturn lut[0][i[0]] + lut[1][i[1]] + lut[2][i[2]]";
  expect(linesOf(text)).toBe(3 * 4096);
});

test("an element of four is as far from its neighbour's as four elements are", () => {
  expect(linesOf("t: f32[64, 4]\ni: i32[4096]\nreturn torch.exp(t)[:, 0][i]")).toBe((4096 / 32) * 8);
  expect(linesOf("t: f32[64]\ni: i32[4096]\nreturn torch.exp(t)[i]")).toBe((4096 / 32) * 2);
});

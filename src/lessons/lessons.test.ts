import { describe, expect, test } from "vitest";
import { defaultOptions, parseProgram } from "../fusion";
import { examples, findExample, presetOf } from "./examples";
import { optionsFor } from "./options";
import { claimsOf, structureOf } from "./recognise";

const opened = (id: string, options = defaultOptions, left: string | null = null) =>
  optionsFor(findExample(id)!, options, findExample(left), defaultOptions);

describe("options", () => {
  test("an example brings its own", () => {
    expect(opened("two-readers/duplicate").policy).toBe("duplicate");
    expect(opened("ln-relu").granularity).toBe("primitive");
  });

  test("and takes them away again", () => {
    const during = opened("two-readers/duplicate");
    expect(opened("log-exp", during, "two-readers/duplicate").policy).toBe("cost");
  });

  test("what the person chose stays", () => {
    const chosen = { ...defaultOptions, strict: true, policy: "multi" as const };
    expect(opened("log-exp", chosen, "two-readers/duplicate")).toMatchObject({ strict: true, policy: "multi" });
    expect(opened("log-exp", { ...chosen, policy: "duplicate" }, null).policy).toBe("duplicate");
  });

  test("pins do not go along", () => {
    const pinned = opened("saved-values/save");
    expect(pinned.forbidden).toHaveLength(1);
    expect(opened("log-exp", pinned, "saved-values/save").forbidden).toEqual([]);
  });
});

test("a title is whole in the bar of a middle window", () => {
  const MOST_LETTERS = 32;
  expect(examples.filter(({ title }) => title.length > MOST_LETTERS).map(({ title }) => title)).toEqual([]);
});

test("a variant is an example with what it changes", () => {
  const [whole, variant] = [findExample("log-relu")!, findExample("log-relu/vector")!];
  expect(variant.title).toBe(`${whole.title}: b a vector`);
  expect(variant.claims).toBe(whole.claims);
  expect(variant.text).not.toBe(whole.text);
  expect(presetOf("log-relu/vector")).toBe(whole);
  expect(presetOf(null)).toBeNull();
});

describe("a program is recognised", () => {
  const graphOf = (text: string) => parseProgram(text).graph;
  const written = graphOf("N = 8\nx: f32[N, N]\nb: f32[N, N]\ny = log(relu(x + b))");

  test("by what it computes, whatever it is called", () => {
    const other = graphOf("# other names\np: f32[3]\nq: f32[3]\ns = p + q\nr = relu(s)\nreturn log(r)");
    expect(structureOf(other)).toBe(structureOf(written));
    expect(claimsOf(other, null).map(({ row }) => row)).toEqual(["004-02"]);
  });

  test("and not when an op, an operand or an output differs", () => {
    for (const text of [
      "x: f32[8]\nb: f32[8]\ny = exp(relu(x + b))",
      "x: f32[8]\nb: f32[8]\na = x + b\ny = log(relu(a))\nreturn y, a",
      "x: f32[8]\nb: f32[8]\ny = relu(log(x + b))",
    ]) {
      expect(structureOf(graphOf(text))).not.toBe(structureOf(written));
      expect(claimsOf(graphOf(text), "log-relu")).toEqual([]);
    }
  });
});

import { expect, test } from "vitest";
import { allLessons, chapters, findExample, keywords } from "../../lessons";
import { bestOf, idsOf, neighbourChapter, shelvesFor } from "./example-shelves";

test("without words there is everything, by chapter", () => {
  const shelves = shelvesFor("  ");
  expect(shelves.map(({ chapter }) => chapter.id)).toEqual(chapters.map(({ id }) => id));
  expect(idsOf(shelves)).toEqual(allLessons.map(({ id }) => id));
});

test("all words must occur, in any order and case", () => {
  const found = idsOf(shelvesFor("relu MATMUL"));
  expect(found).toContain("matmul-bias-relu");
  expect(found).not.toContain("softmax");
  expect(shelvesFor("no such words")).toEqual([]);
});

test("a chapter is found by its title, a variant brings its example along", () => {
  expect(shelvesFor("hurts").map(({ chapter }) => chapter.id)).toContain("when-it-hurts");
  expect(idsOf(shelvesFor("b a scalar"))).toEqual(["log-relu", "log-relu/scalar"]);
});

test("a level is found by its number, once it is known", () => {
  const levels = new Map([
    ["log-relu", 1],
    ["softmax", 2],
  ]);
  expect(idsOf(shelvesFor("level 2", (id) => levels.get(id)))).toContain("softmax");
  expect(idsOf(shelvesFor("level 2", (id) => levels.get(id)))).not.toContain("log-relu");
  expect(idsOf(shelvesFor("level 2"))).not.toContain("softmax");
});

test.each(["mlp", "resnet", "gpt", "transformer", "llama", "unet", "vit"])("%s finds examples", (word) => {
  expect(bestOf(shelvesFor(word), word)).toBeDefined();
});

test("every keyword leads to examples that are there", () => {
  for (const { examples } of keywords) for (const id of examples) expect(findExample(id)).not.toBeNull();
});

test("chapters follow each other", () => {
  const shelves = shelvesFor("");
  expect(neighbourChapter(shelves, "log-relu/vector", 1)).toBe("train-spirals");
  expect(neighbourChapter(shelves, "ln-relu", -1)).toBe("mlp");
  expect(neighbourChapter(shelves, "mlp", -1)).toBeNull();
});

test("a title's own words find it first, wherever its chapter is", () => {
  const best = (words: string) => bestOf(shelvesFor(words), words);
  expect(best("softmax")).toBe("softmax");
  expect(best("LayerNorm + G")).toBe("layer-norm-gelu");
  expect(best("sines")).toBe("duplicate-expensive");
  expect(best("no such words")).toBeUndefined();
});

test("words that no example goes by are looked for in the programs", () => {
  const found = shelvesFor("scatter_add").flatMap(({ shown }) => shown);
  expect(found.every(({ example }) => example.text.includes("scatter_add"))).toBe(true);
  expect(shelvesFor("keepdims=True relu")).not.toEqual(shelvesFor(""));
  expect(shelvesFor("no such words").length).toBe(0);
});

import { expect, test } from "vitest";
import { lessonHeads } from "../../course";
import { startHere } from "../../lessons";
import { playground } from "../../state";
import { entriesOf, fit, found, type Entry } from "./find-entries";

const entry = (title: string, first = false, detail = ""): Entry => ({
  id: title,
  title,
  detail,
  kind: "Do",
  first,
  run: () => undefined,
});
const titles = (list: readonly Entry[]): string[] => list.map(({ title }) => title);

test("a prefix beats the start of a word, which beats letters in order; other titles are left out", () => {
  const list = ["Add relu", "relu", "Remove all unused", "exp"].map((title) => entry(title));
  expect(titles(found(list, "relu"))).toEqual(["relu", "Add relu", "Remove all unused"]);
  expect(fit("exp", "xyz")).toBe(0);
});

test("the name of a kind lists all of that kind, those that are offered first before the others", () => {
  const list: Entry[] = [entry("Share", true), { ...entry("attention/causal"), kind: "Example" }];
  list.push({ ...entry("Softmax", true), kind: "Example" });
  expect(titles(found(list, "examples"))).toEqual(["Softmax", "attention/causal"]);
  expect(titles(found(list, "zzz"))).toEqual([]);
});

test("nothing typed shows what is offered first; details count for less than titles", () => {
  const list = [entry("Share", true), entry("y"), entry("Softmax", false, "share of the row")];
  expect(titles(found(list, "  "))).toEqual(["Share"]);
  expect(titles(found(list, "share"))).toEqual(["Share", "Softmax"]);
});

test("lessons are found by title and number, examples by what one learns from them, and the way to add an op", () => {
  const entries = entriesOf(playground.getState());
  const ids = (words: string): string[] => found(entries, words).map(({ id }) => id);
  let [lessons, puzzles] = [0, 0];
  for (const { id, kind, title } of lessonHeads) {
    expect(ids(title).slice(0, 2)).toContain(`lesson ${id}`);
    expect(ids(`${kind} ${kind === "lesson" ? ++lessons : ++puzzles}`)[0]).toBe(`lesson ${id}`);
  }
  for (const { example, title } of startHere) expect(ids(title).slice(0, 2)).toContain(`example ${example}`);
  expect(ids("One kernel instead")[0]).toBe("example scale-bias-relu");
  expect(ids("add an op")[0]).toBe("do add-op");
});

test("what nobody named so is found by other names, by what it says, and by words in any order; letters far apart are no match", () => {
  const entries = entriesOf(playground.getState());
  const ids = (words: string): string[] => found(entries, words).map(({ id }) => id);
  const flash = ids("flash");
  expect(flash.slice(0, 3)).toContain("example flash-attention");
  expect(flash).toEqual(expect.arrayContaining(["note online", "lesson online-softmax"]));
  expect(flash).not.toContain("do teach");
  expect(ids("gpt")[0]).toBe("example gpt-block");
  expect(ids("what is a launch").some((id) => id.startsWith("note "))).toBe(true);
  expect(fit("For teachers: plans, answers, handouts", "flash")).toBe(0);
});

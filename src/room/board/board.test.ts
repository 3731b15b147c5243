import { describe, expect, test } from "vitest";
import { encodeHandIn, type HandIn } from "../hand-in";
import { adapterRows, boardCsv, classRows, classWords, predictionRows } from "./class-rows";
import { readFile, readText } from "./read-answers";

const laptop = (adapter: string, standing: "ready" | "software" = "ready") => ({
  standing,
  browser: "Chrome 142",
  system: "Linux",
  adapter,
  features: [],
  roofs: null,
});
const handIn = (name: string, change: Partial<HandIn> = {}): HandIn => ({
  name,
  when: 1_800_000_000_000,
  laptop: laptop("nvidia lovelace"),
  times: [{ title: "log(relu(x + b))", naive: 200, fused: 100 }],
  course: new Map(),
  ...change,
});
const answered = (answers: Record<number, boolean>, done: number[] = []): HandIn["course"] =>
  new Map([["normalise", { furthest: 3, answers, done, best: null }]]);
const linkOf = async (each: HandIn): Promise<string> => {
  const made = await encodeHandIn(each);
  if (!made.ok) throw new Error(made.text);
  return made.value;
};

describe("what is pasted", () => {
  test("thirty results at once, with the lines above their links, in any mixture", async () => {
    const links = await Promise.all(Array.from({ length: 30 }, (_, i) => linkOf(handIn(`Laptop ${i}`))));
    const text = links
      .map((link, i) => `Laptop ${i} · ready · Chrome 142\nhttps://example.org/page/${link}\n`)
      .join("\n");
    expect(await readText(text, [])).toEqual({ fragments: links, faults: [] });
    const again = await readText(links.join(" "), links.slice(0, 29));
    expect(again.fragments).toEqual([links[29]]);
    expect(again.faults).toHaveLength(29);
    expect(again.faults[0]).toMatch(/Laptop 0 is on the board already/);
  });

  test.each([
    ["hello", /“hello” is not a result: ask for/],
    ["https://example.org/#f1=abc", /a link to a program/],
    ["ready · Chrome 142, Linux", /has no link with it/],
    ["https://example.org/#board=xyz", /damaged|something else/],
  ])("foreign or broken: %s", async (text, why) => {
    const { fragments, faults } = await readText(text, []);
    expect(fragments).toEqual([]);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(why);
  });

  test("a link that is cut short says so, and does not keep the next one out", async () => {
    const link = await linkOf(handIn("Ada"));
    const { fragments, faults } = await readText(`${link.slice(0, -12)}\n${link}`, []);
    expect(fragments).toEqual([link]);
    expect(faults).toHaveLength(1);
  });

  test("files: progress by its file's name, texts with links, and others with a reason", async () => {
    const progress = JSON.stringify(Object.fromEntries(answered({ 1: true })));
    const { fragments } = await readFile("grace.json", progress, 5, []);
    expect(fragments).toHaveLength(1);
    expect((await readFile("all.txt", await linkOf(handIn("Ada")), 5, [])).fragments).toHaveLength(1);
    for (const text of ["{}", "[1, 2]", '{"version":1,"document":{"text":"x: f32[4]"}}', "a,b\n1,2\n"])
      expect((await readFile("other.json", text, 5, [])).faults[0]).toMatch(/^other\.json holds neither/);
  });
});

describe("the board", () => {
  const rows = classRows([
    ["a", handIn("Ada")],
    [
      "b",
      handIn("ada", { when: 1_900_000_000_000, laptop: null, times: [], course: answered({ 1: true, 2: false }, [4]) }),
    ],
    ["c", handIn("", { laptop: laptop("nvidia lovelace"), times: [{ title: "", naive: 400, fused: 100 }] })],
    ["d", handIn("", { laptop: laptop("swiftshader", "software"), times: [{ title: "", naive: 9e5, fused: 5e5 }] })],
    ["e", handIn("=SUM(1)", { course: answered({ 1: false }) })],
  ]);

  test("one row for each person: the laptop of one result, the predictions of another", () => {
    expect(rows.map(({ name }) => name)).toEqual(["Ada", "No name 1", "No name 2", "=SUM(1)"]);
    expect(rows[0]).toMatchObject({ right: 1, asked: 2, solved: 1, speedUp: 2, fragments: ["a", "b"] });
  });

  test("no speed-up of a GPU from a software adapter", () => {
    expect(rows[2]!.speedUp).toBeNull();
  });

  test("counts the class", () => {
    expect(classWords(rows)).toBe(
      "4 handed in: 3 ready, 1 software adapter. Predictions: 1 of 3 right. Tasks solved: 1.",
    );
  });

  test("adapters by medians, the fastest first", () => {
    expect(adapterRows(rows)).toEqual([
      { adapter: "nvidia lovelace", laptops: 3, naive: 200, fused: 100, software: false },
      { adapter: "swiftshader", laptops: 1, naive: 9e5, fused: 5e5, software: true },
    ]);
  });

  test("predictions, the hardest first", () => {
    expect(predictionRows(rows)).toEqual([
      { lesson: "normalise", step: 2, right: 0, asked: 1 },
      { lesson: "normalise", step: 1, right: 1, asked: 2 },
    ]);
  });

  test("as CSV, in which no name is a formula", () => {
    const lines = boardCsv(rows).split("\n");
    expect(lines).toHaveLength(5);
    expect(lines[0]!.split(",")).toHaveLength(15);
    expect(lines[4]).toMatch(/^'=SUM\(1\),/);
    expect(lines[1]).toMatch(/,200,100,2,1,2,1$/);
  });
});

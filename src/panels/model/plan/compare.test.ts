import { expect, test } from "vitest";
import { compile, defaultOptions, titleOf } from "../../../fusion";
import { examples, optionsFor } from "../../../lessons";
import { comparedRows, reasonRows, type ComparedTotals } from "./compare";
import { summaryText } from "./summary";

const totals = (bytes: number, predictedMicros: number): ComparedTotals => ({
  kernels: 1,
  transfers: 2,
  fullSizeTransfers: 2,
  bytes,
  predictedMicros,
  peakBytes: null,
});

test("a change is the difference of the figures beside it, as they are written", () => {
  const MiB = 2 ** 20;
  const rows = comparedRows(totals(24.01 * MiB, 439.2), totals(16 * MiB, 71.1));
  const row = (name: string) => rows.find((each) => each.name === name)!;
  expect(row("Memory traffic")).toMatchObject({ first: "24 MiB", second: "16 MiB", change: "−8 MiB" });
  expect(row("Predicted time")).toMatchObject({ first: "439 µs", second: "71.1 µs", change: "−368 µs" });
});

test("figures of two units are subtracted as they are", () => {
  const [, , traffic] = comparedRows(totals(2 ** 21, 1), totals(2 ** 19, 1));
  expect(traffic).toMatchObject({ first: "2 MiB", second: "512 KiB", change: "−1.5 MiB" });
});

test.each(examples)("$id: a comparison counts the reasons that the summary and the cards tell", (example) => {
  const compilation = compile(example.text, optionsFor(example, defaultOptions, null, defaultOptions));
  const rows = reasonRows([], compilation.steps);
  const [, list] = summaryText(compilation, null)!.split("## Decisions by reason");
  const told = list!.split("##")[0]!.match(/^- .+$/gm) ?? [];
  expect(rows.map(({ title, second }) => `- ${title}: ${second}`)).toEqual(told);
  const counted: Record<string, number> = {};
  for (const { title, second } of rows) {
    const answer = `${title.slice(0, title.lastIndexOf(", "))}.`;
    counted[answer] = (counted[answer] ?? 0) + second;
  }
  const cards: Record<string, number> = {};
  for (const step of compilation.steps) cards[titleOf(step)] = (cards[titleOf(step)] ?? 0) + 1;
  expect(counted).toEqual(cards);
});

import { expect, test } from "vitest";
import type { NodeId } from "../../../fusion";
import type { CheckRow } from "../../../state";
import { ulpTables } from "./ulps";

const y = "y" as NodeId;
const row = (plan: CheckRow["plan"], bins: readonly number[], nan = 0): CheckRow => ({
  plan,
  output: y,
  maxAbs: 0,
  maxRel: 0,
  maxUlp: 0,
  ulps: { bins, nearZero: 0, nan },
  limit: "",
  worst: null,
  nanMismatches: nan,
  compared: 10,
  elements: 10,
  pass: true,
});

test("plans and their distance stand side by side, bin by bin", () => {
  const apart = [{ plan: "fused" as const, output: y, ulps: { bins: [10], nearZero: 2, nan: 0 } }];
  const [table] = ulpTables([row("naive", [9, 1]), row("fused", [9, 0, 0, 1])], apart);
  expect(table!.columns.map(({ title }) => title)).toEqual(["naive", "fused", "fused − naive"]);
  expect(table!.lines.map(({ words, cells }) => [words, ...cells.map(({ held }) => held)])).toEqual([
    ["0", 9, 9, 10],
    ["1", 1, 0, 0],
    ["2–3", 0, 0, 0],
    ["4–7", 0, 1, 0],
    ["near 0", 0, 0, 2],
  ]);
  expect(table!.lines[0]!.cells[2]!.share).toBe(1);
});

test("NaN on one side has a row of its own where there are any; without results there is no table", () => {
  expect(ulpTables([row("fused", [1], 3)], [])[0]!.lines.at(-1)!.words).toBe("NaN on one side");
  const { ulps: _, ...missing } = row("fused", []);
  expect(ulpTables([missing], [])).toEqual([]);
});

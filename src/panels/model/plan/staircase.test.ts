import { expect, test } from "vitest";
import type { ReasonCode, Step, Sums } from "../../../fusion";
import {
  heightOf,
  columnAt,
  MAX_COLUMNS,
  seqInColumn,
  slotAt,
  slotsOf,
  staircaseOf,
  type Staircase,
} from "./staircase";

const totals = (fullSizeTransfers: number): Sums => ({
  kernels: 1,
  transfers: fullSizeTransfers,
  fullSizeTransfers,
  bytes: 0,
  predictedMicros: 0,
});

/** `chain + 9` is an accepted step of pass `chain` that leaves 9 transfers; `-` a refused one, `*` a forced one. */
function stepsOf(...lines: readonly string[]): Step[] {
  return lines.map((line, i) => {
    const [pass = "", sign, left] = line.split(" ");
    const code: ReasonCode = sign === "*" ? "U_FORCE" : sign === "+" ? "A_BYTES" : "C_NEGATIVE";
    const verdict = { ok: sign !== "-", code, text: "", nodes: [] };
    return {
      seq: i + 1,
      pass,
      rule: "r",
      kind: "fuse",
      edge: null,
      edges: [],
      nodes: [],
      regions: { from: [], to: null },
      legal: { ...verdict, ok: true },
      profitable: verdict,
      accepted: sign !== "-",
      cost: null,
      patch: null,
      totals: totals(Number(left)),
      hash: "",
    };
  });
}

const draw = (stairs: Staircase): string =>
  stairs.columns
    .map(
      (each) =>
        `${each.pass}${each.kind === "refused" ? "✕" : each.forced ? "◆" : ""}${each.seqs.length}:${each.from}→${each.to}`,
    )
    .join(" ");

test("one column a decision; refusals keep the height", () => {
  const steps = stepsOf("a + 9", "a - 9", "b * 3");
  expect(draw(staircaseOf(steps, totals(11), new Set()))).toBe("a1:11→9 a✕1:9→9 b◆1:9→3");
});

test("passes lie under their columns", () => {
  const { passes } = staircaseOf(stepsOf("a + 9", "a - 9", "b + 3"), totals(11), new Set());
  expect(passes).toEqual([
    { pass: "a", first: 0, last: 1, steps: 2 },
    { pass: "b", first: 2, last: 2, steps: 1 },
  ]);
});

const long = stepsOf(
  ...Array.from({ length: MAX_COLUMNS + 1 }, (_, i) => (i % 2 ? `a - ${90 - i + 1}` : `a + ${90 - i}`)),
);

test("a long list is grouped: one ramp for what was accepted, one column a code for what was not", () => {
  const stairs = staircaseOf(long, totals(100), new Set());
  expect(stairs.grouped).toBe(true);
  expect(draw(stairs)).toBe("a31:100→30 a✕30:90→32");
});

test("every step belongs to exactly one column, grouped or not", () => {
  for (const steps of [long, long.slice(0, 20)]) {
    const { columns } = staircaseOf(steps, totals(100), new Set());
    const seqs = columns.flatMap((each) => each.seqs).toSorted((a, b) => a - b);
    expect(seqs).toEqual(steps.map((step) => step.seq));
  }
});

test("an open group shows its refusals one by one", () => {
  const closed = staircaseOf(long, totals(100), new Set());
  const open = staircaseOf(long, totals(100), new Set([closed.columns[1]!.key]));
  expect(open.columns).toHaveLength(1 + 30);
});

test("a step is found in its column, and a position in a column is a step", () => {
  const stairs = staircaseOf(long, totals(100), new Set());
  expect(columnAt(stairs, 1)).toBe(0);
  expect(columnAt(stairs, 2)).toBe(1);
  expect(columnAt(stairs, 0)).toBe(-1);
  expect(seqInColumn(stairs.columns[0]!, 0)).toBe(1);
  expect(seqInColumn(stairs.columns[0]!, 0.999)).toBe(61);
});

test("few columns stay close together, and a pass is as wide as its name", () => {
  const stairs = staircaseOf(stepsOf("rows + 5", "chain + 4", "chain - 4"), totals(7), new Set());
  const slots = slotsOf(stairs, 700, () => 90);
  expect(slots).toEqual({
    left: [0, 90, 128],
    widths: [38, 38, 38],
    passes: [
      { left: 0, width: 90 },
      { left: 90, width: 90 },
    ],
    width: 180,
  });
  expect([-5, 40, 91, 200].map((x) => slotAt(slots, x).column)).toEqual([0, 0, 1, 2]);
});

test("where not all names have room, the longest are cut, and none to a riddle", () => {
  const stairs = staircaseOf(
    stepsOf("scales + 5", "views + 4", "epilogues + 3", "epilogues + 2"),
    totals(7),
    new Set(),
  );
  const names: Record<string, number> = { scales: 170, views: 120, epilogues: 190 };
  const { passes, width } = slotsOf(stairs, 420, (pass) => names[pass]!);
  expect(passes.map((pass) => pass.width)).toEqual([150, 120, 150]);
  expect(width).toBeLessThanOrEqual(420);
});

test("many columns share the room: all of it, and no more", () => {
  const stairs = staircaseOf(stepsOf(...Array.from({ length: 50 }, () => "chain + 4")), totals(7), new Set());
  const { width, widths } = slotsOf(stairs, 400, () => 90);
  expect([width, new Set(widths)]).toEqual([400, new Set([8])]);
});

test("a ramp that stands for many steps is wide, a group of refusals is not", () => {
  const many = [...Array.from({ length: 80 }, () => "chain + 4"), "chain - 4", "chain - 4"];
  const stairs = staircaseOf(stepsOf(...many), totals(84), new Set());
  const { widths, width } = slotsOf(stairs, 700, () => 90);
  expect(widths).toEqual([38 + (700 - 90) / 2, 38]);
  expect(width).toBeLessThan(700);
});

test("columns are as high as what they count: from nothing, in one scale", () => {
  const heights = [17, 10, 5, 3].map((left) => heightOf(left, 17, 38) / heightOf(17, 17, 38));
  for (const [i, left] of [17, 10, 5, 3].entries()) expect(heights[i]).toBeCloseTo(left / 17);
  expect([heightOf(1, 400, 38), heightOf(0, 400, 38)]).toEqual([3, 1]);
});

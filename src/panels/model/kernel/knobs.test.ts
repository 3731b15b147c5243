import { expect, test } from "vitest";
import {
  compile,
  defaultOptions,
  fusionAt,
  knobSheet,
  knobSweep,
  targetOf,
  type KnobChoices,
  type KnobSheet,
} from "../../../fusion";
import type { SweepState } from "../../../state";
import { changesOf, isClear, refusalsOf, sweepRows, valueWords } from "./knobs";

const text = "x: f32[64, 768]\nb: f32[768]\ny = softmax(x + b)\n";

function sheetOf(knobs?: KnobChoices, program = text): KnobSheet {
  const options = { ...defaultOptions, knobs };
  const compilation = compile(program, options);
  const fusion = fusionAt(compilation, compilation.steps.length);
  return knobSheet(fusion, [...fusion.regions.keys()][0]!, options, targetOf(options.profile))!;
}

test("a sheet says where every knob stands and what can't be", () => {
  const { offers, output } = sheetOf();
  expect(output).toBe("y");
  expect(offers.map(({ knob, now, chosen }) => [knob, now, chosen])).toEqual([
    ["threads", "64", false],
    ["vector", "on", false],
    ["rows", "registers", false],
    ["joined", "tree", false],
  ]);
  expect(refusalsOf(offers[0]!).map(({ code }) => code)).toEqual(["L_WGMEM"]);
});

test("a knob says why the planner has not taken what the machine could do", () => {
  const { offers } = sheetOf(undefined, "x: f32[4, 50000]\ny = topk(x, 8)\n");
  const order = offers.find(({ knob }) => knob === "order")!;
  expect([order.now, order.values.map(({ refusal }) => refusal?.code ?? null)]).toEqual([
    "selected",
    [null, null, null],
  ]);
  expect(refusalsOf(order)).toEqual([
    {
      code: "C_NEGATIVE",
      text: "Sorting runs and merging them takes 66.3 µs in 6 kernels, keeping the first few of a row while it goes by takes 36 µs in 2 kernels.",
      remedy: "Choose it anyway and time both.",
    },
  ]);
});

test("what the choices change stands beside the planner's numbers, and nothing else does", () => {
  expect(changesOf(sheetOf())).toEqual([]);
  const changes = changesOf(sheetOf({ all: {}, kernels: { y: { rows: "again" } } }));
  expect(changes.find(({ name }) => name === "Transfers")).toEqual({ name: "Transfers", before: "3", after: "7" });
  expect(changes.filter(({ before, after }) => before === after)).toEqual([]);
});

test("a sweep has a program of its own for every value that the machine can do", () => {
  const compilation = compile("x: f32[8, 8]\nw: f32[8, 8]\na = x @ w\ny = softmax(a).T + arange(8)\n", {
    ...defaultOptions,
    level: 1,
  });
  const fusion = fusionAt(compilation, compilation.steps.length);
  for (const id of fusion.regions.keys()) {
    const sweep = knobSweep(fusion, id, compilation.options, targetOf(defaultOptions.profile), "threads");
    if (!sweep) continue;
    for (const { plan } of sweep.values) {
      const fed = plan.buffers.filter(({ role }) => role === "input").map(({ value }) => value);
      const inputs = new Set(sweep.inputs.map((input) => input.id));
      expect(fed.filter((value) => !inputs.has(value))).toEqual([]);
    }
    expect(sweep.values.map(({ value }) => value)).toContain("64");
  }
});

const sweep = (rows: readonly (readonly [string, readonly number[]])[]): SweepState => ({
  text,
  output: sheetOf().output,
  knob: "threads",
  outcome: {
    status: "done",
    device: { name: "a device" } as Extract<SweepState["outcome"], { status: "done" }>["device"],
    rows: rows.map(([value, nanoseconds]) => ({ value, nanoseconds })),
  },
});

test("a sweep names the best only where it stands apart", () => {
  const apart = sweepRows(
    sweep([
      ["32", [9000, 9100, 9200]],
      ["64", [5000, 5100, 5200]],
      ["128", []],
    ]),
    false,
  );
  expect(apart.map(({ value, best, median }) => [value, best, median])).toEqual([
    ["32", false, "9.1 µs"],
    ["64", true, "5.1 µs"],
  ]);
  expect(isClear(apart)).toBe(true);
  const turns = { ...sweep([["2", [5000]]]), knob: "turns" } as const;
  expect([false, true].map((fours) => sweepRows(turns, fours)[0]!.words)).toEqual(["2", "2 vec4"]);
  expect(
    isClear(
      sweepRows(
        sweep([
          ["32", [5000, 6000, 7000]],
          ["64", [4900, 5900, 6900]],
        ]),
        false,
      ),
    ),
  ).toBe(false);
});

test("tiles are read out", () => {
  expect(valueWords("tile", "64x128x16/8x8")).toBe("64×128×16, 8×8 each");
  expect(valueWords("tile", "32x32/2q")).toBe("32×32, 2 rows each, queries on chip");
});

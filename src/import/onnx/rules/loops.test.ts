/** @file Loops, and lists of values. */
import { expect, test } from "vitest";
import { graph, node, run, runGraph, upTo, wave, type Given } from "./testing";
import type { OnnxAttribute } from "../model";

const number = (value: number): Given => [[], [value]];

test("a loop carries a value and collects another; it ends at its count or when its condition does", () => {
  const body = graph(
    [
      node("Add", ["acc", "x"], ["next"]),
      node("Identity", ["going"], ["on"]),
      node("Mul", ["next", "next"], ["square"]),
    ],
    { turn: [], going: [], acc: [2], x: [2] },
    ["on", "next", "square"],
  );
  const nodes = [node("Loop", ["count", "", "start"], ["end", "squares"], [{ name: "body", g: body }])];
  const given = { x: [[2], [1, 2]], start: [[2], [0, 10]], count: [[], [3]] } as const;
  const [end, squares] = runGraph(nodes, given, ["end", "squares"], { known: ["count"] });
  expect(end!.data).toEqual([3, 16]);
  expect([squares!.shape, squares!.data]).toEqual([
    [3, 2],
    [1, 144, 4, 196, 9, 256],
  ]);

  const until = graph(
    [node("Add", ["k", "one"], ["k2"]), node("Less", ["k2", "three"], ["on"]), node("Add", ["acc", "x"], ["next"])],
    { turn: [], going: [], k: [], acc: [2] },
    ["on", "k2", "next"],
  );
  const whiled = [node("Loop", ["", "yes", "zero", "start"], ["k", "end"], [{ name: "body", g: until }])];
  const numbers = { one: number(1)!, three: number(3)!, zero: number(0)!, yes: number(1)! };
  const known = Object.keys(numbers);
  const { count: _, ...rest } = given;
  expect(runGraph(whiled, { ...rest, ...numbers }, ["end"], { known })[0]!.data).toEqual([3, 16]);
});

test("a scan walks its input from the end and collects along another axis", () => {
  const body = graph(
    [node("Add", ["state", "row"], ["sum"]), node("Identity", ["sum"], ["out"])],
    { state: [2], row: [2] },
    ["sum", "out"],
  );
  const rows: Given = [
    [3, 2],
    [0, 1, 2, 3, 4, 5],
  ];
  const told = [
    { name: "body", g: body },
    { name: "num_scan_inputs", i: 1 },
    { name: "scan_input_directions", ints: [1] },
    { name: "scan_output_axes", ints: [1] },
  ];
  const [sum, sums] = run("Scan", [[[2], [0, 0]], rows], told, { outputs: 2 });
  expect(sum!.data).toEqual([6, 9]);
  expect([sums!.shape, sums!.data]).toEqual([
    [2, 3],
    [4, 6, 6, 5, 8, 9],
  ]);
});

test("lists are split, joined, changed and looked into", () => {
  const nodes = [
    node("SplitToSequence", ["x"], ["parts"], [{ name: "axis", i: 1 }]),
    node("SequenceErase", ["parts", "first"], ["two"]),
    node("SequenceInsert", ["two", "x"], ["three"]),
    node("SequenceLength", ["three"], ["count"]),
    node("SequenceAt", ["three", "first"], ["middle"]),
    node("ConcatFromSequence", ["three"], ["joined"], [{ name: "axis", i: -1 }]),
  ];
  const x: Given = [[2, 3], upTo(6)];
  const [count, middle, joined] = runGraph(nodes, { x, first: number(0)! }, ["count", "middle", "joined"], {
    known: ["first"],
  });
  expect(count!.data).toEqual([3]);
  expect([middle!.shape, middle!.data]).toEqual([
    [2, 1],
    [1, 4],
  ]);
  expect([joined!.shape, joined!.data]).toEqual([
    [2, 5],
    [1, 2, 0, 1, 2, 4, 5, 3, 4, 5],
  ]);
  const body = graph([node("Exp", ["e"], ["y"])], { e: [2] }, ["y"]);
  const mapped = [
    node("SplitToSequence", ["v"], ["parts"], [{ name: "keepdims", i: 0 }]),
    node("SequenceMap", ["parts"], ["all"], [{ name: "body", g: body }]),
    node("ConcatFromSequence", ["all"], ["out"], [{ name: "new_axis", i: 1 }]),
  ];
  const v = wave(6, 0.4);
  const [out] = runGraph(mapped, { v: [[3, 2], v] }, ["out"]);
  expect(out!.shape).toEqual([3, 2]);
  out!.data.forEach((value, i) => expect(value).toBeCloseTo(Math.exp(v[i]!), 9));
});

test("what a branch reads from outside is made before it, wherever the file lists it", () => {
  const branch = (op: string): Partial<OnnxAttribute>["g"] => graph([node(op, ["late", "x"], ["made"])], {}, ["made"]);
  const told = [
    { name: "then_branch", g: branch("Add") },
    { name: "else_branch", g: branch("Mul") },
  ];
  const nodes = [node("If", ["yes"], ["y"], told), node("Neg", ["x"], ["late"])];
  const [y] = runGraph(nodes, { x: [[2], [3, 4]], yes: [[], [0]] }, ["y"], { known: ["yes"] });
  expect(y!.data).toEqual([-9, -16]);
});

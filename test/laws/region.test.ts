/** @file One kernel or not: the forms and refusals that passes, cost and written kernels share. */
import { describe, expect, test } from "vitest";
import type { Graph, NodeId, Target } from "../../src/fusion/ir";
import { classify, scheduleRegion, touchedElements, type RegionForm } from "../../src/fusion/kernel";
import { GraphMaker, computed } from "../build";

const GPU: Target = {
  schedule: "gpu",
  maxWorkgroupSize: 256,
  maxWorkgroupBytes: 16384,
  maxBindings: 8,
  maxWorkgroupsPerDimension: 65535,
  shaderF16: false,
  subgroups: true,
};
const CPU: Target = { ...GPU, schedule: "cpu" };

const verdictOf = (graph: Graph, outputs = graph.outputs): string => {
  const answer = classify(graph, computed(graph), outputs);
  return answer.ok ? answer.form.template : answer.verdict.code;
};
const formOf = (graph: Graph): RegionForm => {
  const answer = classify(graph, computed(graph), graph.outputs);
  if (!answer.ok) throw new Error(answer.verdict.text);
  return answer.form;
};
const readsAs = (graph: Graph, target: Target): string =>
  scheduleRegion(graph, { members: computed(graph), outputs: graph.outputs }, formOf(graph), target)
    .reads.map(
      ({ value, elements, rereads, waste }) =>
        `${value}:${elements}${rereads ? `+${rereads}` : ""}${waste > 1 ? "~" : ""}`,
    )
    .join(" ");

describe("one kernel", () => {
  test("a softmax of rows is one row kernel of three passes", () => {
    const m = new GraphMaker();
    const graph = m.done(m.call("y", "softmax", [m.input("x", [64, 1024])]));
    expect(formOf(graph)).toMatchObject({ template: "row-reduce", rows: 64, columns: 1024 });
    expect(formOf(graph).reductions.map(({ stage }) => stage)).toEqual([0, 1]);
    expect(readsAs(graph, GPU)).toBe("x:65536");
    expect(readsAs(graph, CPU)).toBe("x:65536+2");
  });
  test("a softmax of columns keeps them in registers on a GPU", () => {
    const m = new GraphMaker();
    const graph = m.done(m.call("y", "softmax", [m.input("x", [64, 1024])], { axis: 0 }));
    expect(formOf(graph)).toMatchObject({ template: "general-reduce", rows: 1024, columns: 64 });
    expect(readsAs(graph, GPU)).toBe("x:65536");
    expect(readsAs(graph, CPU)).toBe("x:65536+2");
  });
  test("LayerNorm, gelu and a residual read x, w, b and r once", () => {
    const m = new GraphMaker();
    const [x, w, b, r] = [m.input("x", [32, 768]), m.input("w", [768]), m.input("b", [768]), m.input("r", [32, 768])];
    const h = m.call("h", "layer_norm", [x, w, b]);
    const graph = m.done(m.op("y", "add", [m.op("g", "gelu", [h]), r]));
    expect(verdictOf(graph)).toBe("row-reduce");
    expect(readsAs(graph, GPU)).toBe("x:24576 w:768 b:768 r:24576");
  });
  test("a matmul takes bias and relu as its epilogue and a transpose in its loader", () => {
    const m = new GraphMaker();
    const [x, w, b] = [m.input("x", [64, 32]), m.input("w", [48, 32]), m.input("b", [48])];
    const graph = m.done(m.op("y", "relu", [m.call("h", "linear", [x, w, b])]));
    expect(verdictOf(graph)).toBe("matmul");
    expect(readsAs(graph, GPU)).toBe("w:1536 x:2048 b:48");
  });
  test("a softmax that is stored transposed", () => {
    const m = new GraphMaker();
    const a = m.call("a", "softmax", [m.input("x", [8, 16])]);
    const graph = m.done(m.op("y", "transpose", [a], { perm: [1, 0] }));
    expect(verdictOf(graph)).toBe("row-reduce");
    expect(readsAs(graph, GPU)).toBe("x:128");
  });
  test("groups of channels are normalised in one shape, scaled in another", () => {
    const m = new GraphMaker();
    const [x, w] = [m.input("x", [2, 8, 6, 6]), m.input("w", [8])];
    const graph = m.done(m.call("y", "group_norm", [x, w], { num_groups: 2 }));
    expect(formOf(graph)).toMatchObject({ template: "row-reduce", rows: 4, columns: 144 });
    expect(readsAs(graph, GPU)).toBe("x:576 w:8");
    expect(readsAs(graph, CPU)).toBe("x:576+2 w:8");
  });
  test("pieces of a row that lie apart are walked by a workgroup when they are long", () => {
    const m = new GraphMaker();
    const graph = m.done(m.op("y", "sum", [m.input("x", [4, 6, 8, 8])], { axes: [0, 2, 3] }));
    const { variant } = scheduleRegion(graph, { members: computed(graph), outputs: graph.outputs }, formOf(graph), GPU);
    expect(variant).toBe("fold");
  });
  test("a residual that is also stored belongs to the row kernel", () => {
    const m = new GraphMaker();
    const h = m.op("h", "add", [m.input("x", [8, 128]), m.input("r", [8, 128])]);
    expect(verdictOf(m.done(h, m.call("y", "rms_norm", [h])))).toBe("row-reduce");
  });
});

describe("not one kernel", () => {
  test("two matmuls", () => {
    const m = new GraphMaker();
    const a = m.op("a", "matmul", [m.input("x", [8, 8]), m.input("w", [8, 8])]);
    expect(verdictOf(m.done(m.op("y", "matmul", [a, m.input("v", [8, 8])])))).toBe("L_TWO_CONTRACT");
  });
  test("rows that are folded twice after a wide matmul are not its own", () => {
    const m = new GraphMaker();
    const a = m.op("a", "matmul", [m.input("x", [8, 8]), m.input("w", [8, 257])]);
    const graph = m.done(m.call("y", "l2_normalize", [m.call("s", "softmax", [a])]));
    const answer = classify(graph, computed(graph), graph.outputs);
    const verdict = answer.ok ? null : answer.verdict;
    expect(verdict?.code).toBe("L_ROW_NOT_OWNED");
    expect(verdict?.text).toContain("a workgroup owns at most 256 of their 257 columns");
    expect(verdict?.numbers).toEqual({ columns: 257, limit: 256 });
  });

  test.each([8, 64, 256])("but rows of %i columns are a workgroup's own", (columns) => {
    const m = new GraphMaker();
    const product = m.op("a", "matmul", [m.input("x", [64, 32]), m.input("w", [32, columns])]);
    expect(verdictOf(m.done(m.call("y", "softmax", [product])))).toBe("matmul");
  });
  test("a normalised row as a matmul's operand", () => {
    const m = new GraphMaker();
    const a = m.call("a", "softmax", [m.input("x", [8, 8])]);
    expect(verdictOf(m.done(m.op("y", "matmul", [a, m.input("v", [8, 8])])))).toBe("L_REDUCE_REDUCE");
  });
  test("a row's mean that would meet the columns of a square", () => {
    const m = new GraphMaker();
    const x = m.input("x", [64, 64]);
    const mean = m.op("m", "mean", [x], { axes: [1], keepdims: false });
    expect(verdictOf(m.done(m.op("y", "sub", [x, mean])))).toBe("L_SHAPE");
  });
  test("sums of rows and of columns, where rows are short", () => {
    const m = new GraphMaker();
    const x = m.input("x", [64, 16]);
    expect(verdictOf(m.done(m.op("a", "sum", [x], { axes: [0] }), m.op("b", "sum", [x], { axes: [1] })))).toBe(
      "L_REDUCE_REDUCE",
    );
  });
  test("a part of a softmax", () => {
    const m = new GraphMaker();
    const a = m.call("a", "softmax", [m.input("x", [8, 16])]);
    expect(verdictOf(m.done(m.op("y", "slice", [a], { start: [1], stop: [5], axes: [1] })))).toBe("L_SHAPE");
  });
  test("a softmax whose rows are swapped", () => {
    const m = new GraphMaker();
    const a = m.call("a", "softmax", [m.input("x", [8, 16])]);
    expect(verdictOf(m.done(m.op("y", "slice", [a], { start: [1], stop: [5], axes: [0] })))).toBe("L_INDEX");
  });
  test("a softmax that meets its own transpose", () => {
    const m = new GraphMaker();
    const a = m.call("a", "softmax", [m.input("x", [16, 16])]);
    const t = m.op("t", "transpose", [a], { perm: [1, 0] });
    expect(verdictOf(m.done(m.op("y", "add", [a, t])))).toBe("L_SHAPE");
  });
  test("a sum of transposed rows", () => {
    const m = new GraphMaker();
    const a = m.call("a", "softmax", [m.input("x", [16, 16])]);
    const t = m.op("t", "transpose", [a], { perm: [1, 0] });
    expect(verdictOf(m.done(m.op("y", "sum", [t], { axes: [1] })))).toBe("L_REDUCE_REDUCE");
  });
});

describe("what is read", () => {
  const touched = (graph: Graph, of: NodeId): number | undefined =>
    touchedElements(graph, computed(graph), graph.outputs).get(of);
  test("a slice reads its own elements; two halves read all", () => {
    const m = new GraphMaker();
    const x = m.input("x", [6, 10]);
    const a = m.op("a", "slice", [x], { start: [0], stop: [5], axes: [1] });
    const one = new GraphMaker();
    const half = one.op("a", "slice", [one.input("x", [6, 10])], { start: [0], stop: [5], axes: [1] });
    expect(touched(one.done(one.op("y", "relu", [half])), x)).toBe(30);
    const b = m.op("b", "slice", [x], { start: [5], stop: [10], axes: [1] });
    expect(touched(m.done(m.op("z", "mul", [a, b])), x)).toBe(60);
  });
  test("every third element, reversed, through a transpose", () => {
    const m = new GraphMaker();
    const x = m.input("x", [7, 9]);
    const t = m.op("t", "transpose", [x], { perm: [1, 0] });
    const s = m.op("s", "slice", [t], { start: [8], stop: [0], step: [-3], axes: [0] });
    expect(touched(m.done(m.op("y", "exp", [s])), x)).toBe(3 * 7);
  });
  test("a slice that a reshape cuts is counted element by element", () => {
    const m = new GraphMaker();
    const x = m.input("x", [6, 10]);
    const flat = m.op("f", "reshape", [x], { shape: [60] });
    const s = m.op("s", "slice", [flat], { start: [7], stop: [23], axes: [0] });
    expect(touched(m.done(m.op("y", "exp", [s])), x)).toBe(16);
  });
  test("a transposed operand goes through a tile on a GPU and is walked with a stride elsewhere", () => {
    const m = new GraphMaker();
    const [a, b] = [m.input("a", [64, 128]), m.input("b", [128, 64])];
    const graph = m.done(m.op("y", "add", [m.op("t", "transpose", [a], { perm: [1, 0] }), b]));
    expect(readsAs(graph, GPU)).toBe("a:8192 b:8192");
    expect(readsAs(graph, CPU)).toBe("a:8192~ b:8192");
  });
  test("few long rows are split, and the partials are counted", () => {
    const m = new GraphMaker();
    const graph = m.done(m.op("s", "sum", [m.input("x", [4, 65536])], { axes: [1] }));
    const schedule = scheduleRegion(graph, { members: computed(graph), outputs: graph.outputs }, formOf(graph), GPU);
    expect(schedule.chunks).toBeGreaterThan(16);
    expect(schedule).toMatchObject({ variant: "fold", dispatches: 2, temporaryBytes: 4 * schedule.chunks * 4 });
  });
});

/** @file Kernels looked at while they run: counts that end at what the plan counts, and values that two plans hold. */
import { expect, test } from "vitest";
import {
  chosenFor,
  compile,
  defaultOptions,
  fusionAt,
  nodeId,
  planFusion,
  valuesAt,
  watchKernel,
  type Kernel,
  type WatchedKernel,
} from "../src/fusion";
import { findExample, optionsFor } from "../src/lessons";

const compiled = (id: string) => {
  const example = findExample(id)!;
  return compile(example.text, optionsFor(example, defaultOptions, null, defaultOptions));
};

/** Every kernel of the fused plan, or those at these indices. */
function watched(id: string, indices?: readonly number[]): readonly (WatchedKernel | null)[] {
  const compilation = compiled(id);
  const { steps, options } = compilation;
  const { kernels } = planFusion(fusionAt(compilation, steps.length), chosenFor(options), options.profile);
  const nth = (kernel: Kernel): number =>
    kernels.filter(({ region }) => region === kernel.region).findIndex((each) => each.id === kernel.id);
  const wanted = indices?.map((at) => kernels[at]!) ?? kernels;
  return wanted.map((kernel) => watchKernel(compilation, steps.length, kernel.region, nth(kernel), 0));
}

const counted = ({ kernel: { reads, writes } }: WatchedKernel) => ({
  read: reads.reduce((sum, { bytes, rereads }) => sum + bytes * (1 + rereads), 0),
  written: writes.reduce((sum, { bytes }) => sum + bytes, 0),
});

// One of each kind: elementwise, rows, tiles in workgroup memory, flash, a scan, a split, kernels of a small training.
const KINDS = ["log-relu", "softmax", "matmul-bias-relu", "flash-attention", "scan", "sum-exp", "train-digits"];

test.each(KINDS)("what %s moves grows to what its plan counts", (id) => {
  for (const each of watched(id)) {
    expect(each).not.toBeNull();
    const { moments, ended, cut } = each!.recording;
    expect(cut).toBe(false);
    expect(ended.at(-1)).toEqual(counted(each!));
    const own = moments.map(({ moved }) => moved.read + moved.written);
    expect(own).toEqual(own.toSorted((a, b) => a - b));
    expect(moments.at(-1)!.moved).toEqual(ended[0]);
  }
});

// Sizes that depend on each other (patches of an image), and too much work at every cut.
const HALVED: readonly (readonly [string, number])[] = [
  ["vit-block", 0],
  ["unet-block", 3],
];

test.each(HALVED)(
  "%s, kernel %i: found by halving its numbers one by one",
  (id, at) => {
    const [found] = watched(id, [at]);
    expect(found).toMatchObject({ smaller: true });
    expect(found!.recording.ended.at(-1)).toEqual(counted(found!));
  },
  120_000,
);

test("a load says which element each thread takes, and what it gets", () => {
  const { recording } = watched("log-relu")[0]!;
  const [load] = recording.moments.filter(({ doing }) => doing === "load");
  const from = recording.memory.find(({ name }) => name === load!.memory)!;
  expect(load!.threads.length).toBeGreaterThan(1);
  load!.threads.forEach((_, i) => {
    for (let lane = 0; lane < load!.width; lane++)
      expect(load!.values[i * load!.width + lane]).toBe(from.before[load!.at[i]! + lane]);
  });
  expect(recording.wgsl.split("\n")[load!.line! - 1]).toContain(`${load!.memory}[`);
});

test("barriers part what is written to workgroup memory from what is read", () => {
  const { recording } = watched("softmax")[0]!;
  const order = recording.moments.map(({ doing }) => doing);
  expect(order.indexOf("write")).toBeLessThan(order.indexOf("barrier"));
  expect(order.indexOf("barrier")).toBeLessThan(order.lastIndexOf("read"));
  const barriers = recording.moments.filter(({ doing }) => doing === "barrier");
  for (const { line } of barriers) expect(recording.wgsl.split("\n")[line! - 1]).toContain("workgroupBarrier();");
});

test("a kernel that fits is looked at as it is, another one at a smaller size of the same kind", () => {
  const [small] = watched("train-digits");
  expect(small!.smaller).toBe(false);
  const [large] = watched("softmax");
  expect(large).toMatchObject({ smaller: true, sameKind: true });
});

test("a value is shown as both plans hold it, or is said to stay in registers", () => {
  const compilation = compiled("softmax");
  const [output] = compilation.naive!.graph.outputs;
  const end = valuesAt(compilation, compilation.steps.length, output!)!;
  expect(end.naive).toHaveLength(end.reference.length);
  end.reference.forEach((want, i) => {
    expect(end.naive![i]).toBeCloseTo(want, 5);
    expect(end.shown![i]).toBeCloseTo(want, 5);
  });
  const between = [...compilation.naive!.graph.nodes.values()].find(({ op }) => op === "exp")!;
  expect(valuesAt(compilation, compilation.steps.length, between.id)!.shown).toBeNull();
  expect(valuesAt(compilation, 0, nodeId("nothing"))).toBeNull();
});

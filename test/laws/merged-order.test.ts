/** @file Rows that no workgroup has room for: the same order as the reference's, of every dtype, axis and length; exact counts; and why a form was chosen. */
import { afterAll, describe, expect, test } from "vitest";
import { planFusion, runPlanOnCpu } from "../../src/fusion/plan";
import { generic } from "../../src/fusion/cost";
import { classify, knobOffers } from "../../src/fusion/kernel";
import { dtypeBytes, knobValues, type Knobs, type NodeId, type Target, isPartials } from "../../src/fusion/ir";
import { runReference } from "../../src/fusion/reference";
import { createSession } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { machineOf } from "../../src/fusion/kernel/nest/machine";
import { mergedMicros, mergeFactors } from "../../src/fusion/kernel/shapes/sort/merge-factors";
import { sumOf } from "../../src/fusion/kernel/shapes/sort/sort-factors";
import { complaints, cpu, dataOf, gpu, graphOf, oneEach, oneRegion, unlike } from "./kernel-harness";

const programs = {
  "neighbours before and after": "x: f32[2, 5000]\nb: f32[5000]\ny = sort(tanh(x)) * 2 + b",
  "indices of columns, the largest first":
    "x: f32[2100, 3]\ny = sort(x, dim=0, descending=True)\nz = argsort(x, dim=0, descending=True)",
  "whole numbers with ties": "x: f32[2, 7001]\ni = (x * 3).to(i32)\nz = argsort(i)",
  "ties of bool": "x: f32[2, 4097]\nz = argsort(x > 0, descending=True)",
  "the first of many": "x: f32[2, 9000]\nv = topk(x, 700)\ni = topk_indices(x, 700)",
  "an odd number of halves": "x: f16[4101]\nv = x.sort(descending=True)[:1001]",
  "something else in that order": "x: f32[8196]\nd: f32[8196]\nv = d[argsort(x)]",
  "few long rows": "x: f32[2, 20000]\nv = topk(x, 50)\ni = topk_indices(x, 50)",
  "an axis in the middle": "x: f32[2, 2050, 2]\nv = sort(x, dim=1).transpose(1, 2)",
} as const;

const choosing = (target: Target, order: "selected" | "merged" | "digits"): Target => ({
  ...target,
  knobs: { all: { order }, kernels: {} },
});

describe.each(Object.entries(programs))("%s", (_, text) => {
  const graph = graphOf(text);
  test.each([
    ["gpu", gpu],
    ["cpu", cpu],
    ["vectors off", { ...gpu, knobs: { all: { vector: "off", threads: "64" }, kernels: {} } }],
  ] as const)("%s: op by op and as one region", (_on, target) => {
    expect(complaints(oneEach(graph), target)).toEqual([]);
    expect(complaints(oneRegion(graph), target)).toEqual([]);
  });

  test.each(knobValues.run)("runs of %s", (run) => {
    const fusion = oneRegion(graph);
    const chosen = [gpu, cpu].flatMap((target) =>
      ([undefined, "64", "256"] as const).map((threads): Target => {
        return { ...target, knobs: { all: { order: "merged", run, threads }, kernels: {} } };
      }),
    );
    for (const target of unlike(fusion, chosen)) expect(complaints(fusion, target)).toEqual([]);
  });

  test("what is handed over is written once, and read whole unless only the first of it are wanted", () => {
    const run = runPlanOnCpu(oneRegion(graph), gpu, generic, dataOf(graph));
    const { facts } = run.regions[0]!;
    const [written, seen] = [new Map<NodeId, number>(), new Set<NodeId>()];
    let read = 0;
    const sizes = new Map<NodeId, number>();
    for (const { program, log } of run.kernels) {
      for (const { value, elements, type } of program.buffers) sizes.set(value, elements * dtypeBytes(type.dtype));
      for (const access of log.buffers.filter(({ value }) => isPartials(value))) {
        if (access.written > 0) written.set(access.value, access.written * 4);
        else {
          seen.add(access.value);
          read += access.read * 4;
        }
      }
    }
    const { temporaryBytes, temporaries, temporaryReads = temporaryBytes } = facts.schedule;
    expect([...written.values()].reduce((sum, each) => sum + each, 0)).toBe(temporaryBytes);
    expect(written.size).toBe(temporaries);
    expect([...written.keys()].toSorted()).toEqual([...seen].toSorted());
    for (const [value, bytes] of written) expect(bytes).toBe(sizes.get(value));
    const whole = !/topk|:1001/.test(text);
    expect(read).toBeGreaterThanOrEqual(whole ? temporaryReads : Math.min(temporaryReads, 1));
    expect(read).toBeLessThanOrEqual(temporaryReads);
  });
});

test("a million elements: ten kernels, each with one read and one write of what the last one left", () => {
  const fusion = oneRegion(graphOf("x: f32[1048576]\ny = sort(x)"));
  const { kernels, totals } = planFusion(fusion, choosing(gpu, "merged"), generic);
  expect(kernels.map(({ reads, writes }) => [reads.length, writes.length])).toEqual(kernels.map(() => [1, 1]));
  expect(kernels).toHaveLength(10);
  expect(totals.bytes).toBe(2 * 10 * 4 * 1048576);
  const moved = kernels
    .flatMap(({ reads, writes }) => [...reads, ...writes])
    .reduce((sum, { bytes }) => sum + bytes, 0);
  expect(moved).toBe(totals.bytes);
  // The input stands throughout; of what is handed over, and of the output, two lie side by side at most.
  expect(totals.peakBytes).toBe(3 * 4 * 1048576);
});

const offered = (text: string) => {
  const fusion = oneRegion(graphOf(text));
  const offer = knobOffers(fusion.graph, [...fusion.regions.values()][0]!, gpu).find(({ knob }) => knob === "order");
  const codes = offer?.values.map(({ value, refusal }) => `${value}: ${refusal?.code ?? "ok"}`);
  return offer && [offer.now, ...codes!, offer.why?.code ?? "no other reason"];
};

test("which form was chosen, and why not the other", () => {
  expect(offered("x: f32[8, 2048]\ny = sort(x)")).toBeUndefined();
  expect(offered("x: f32[8, 4096]\ny = sort(x)")).toEqual([
    "merged",
    "selected: L_WGMEM",
    "merged: ok",
    "digits: ok",
    "C_NEGATIVE",
  ]);
  expect(offered("x: f32[8, 40960]\ny = topk(x, 8)")).toEqual([
    "selected",
    "selected: ok",
    "merged: ok",
    "digits: ok",
    "C_NEGATIVE",
  ]);
  expect(offered("x: f32[1024, 40960]\ny = topk(x, 8)")).toEqual([
    "selected",
    "selected: ok",
    "merged: ok",
    "digits: ok",
    "C_NEGATIVE",
  ]);
  expect(offered("i: i32[8, 40960]\ny = argsort(i.clamp(0, 255))")).toEqual([
    "digits",
    "selected: L_WGMEM",
    "merged: ok",
    "digits: ok",
    "C_NEGATIVE",
  ]);
  expect(offered("x: f32[8, 40960]\ny = topk(softmax(x), 8)")).toEqual([
    "selected",
    "selected: ok",
    "merged: L_REDUCE_REDUCE",
    "digits: L_REDUCE_REDUCE",
    "no other reason",
  ]);
});

test.each([
  ["i: i32[2, 7001] = uniform(-500, 500)\ny = sort(i, descending=True)\nz = argsort(i, descending=True)", 18],
  ["i: i32[2, 7000] = uniform(-5, 300)\nz = argsort(i.clamp(0, 255))", 6],
  ["i: i32[2, 7001] = uniform(-5, 300)\nz = argsort(i.clamp(-3, 255), descending=True)", 6],
  ["x: f32[2, 4097]\nz = argsort(x > 0, descending=True)", 3],
  ["i: i32[4100, 3] = uniform(0, 300)\nz = argsort(i.clamp(0, 255), dim=0)", 6],
  ["i: i32[8196] = uniform(0, 500)\nd: f32[8196]\nv = d[argsort(i.clamp(0, 511))] * 2", 7],
  ["i: i32[2, 9000] = uniform(0, 500)\nv = topk(i, 700)\nw = topk_indices(i, 700)", 18],
  ["x: f32[2, 7001]\nt = x * 2\ny = sort(t)\nz = argsort(t)", 18],
  ["x: f32[2, 4100]\nz = argsort((x * 3).round(), descending=True)", 18],
  ["x: f16[5003]\ny = sort(x, descending=True)", 19],
  ["x: f32[2050, 3]\nv = topk(x, 30, dim=0)", 18],
])("digit by digit: %s", (text, kernels) => {
  const fusion = oneRegion(graphOf(text));
  const few = { ...gpu, knobs: { all: { threads: "64" }, kernels: {} } } as const;
  const subgroups = [
    { subgroupSizes: [32, 32] as const },
    { subgroupSizes: [16, 64] as const },
    { subgroups: false },
  ].map((has) => ({ ...gpu, ...has }));
  const chosen = [gpu, cpu, { ...gpu, maxWorkgroupBytes: 49_152 }, few, ...subgroups].map((target: Target): Target => {
    return { ...target, knobs: { all: { ...target.knobs?.all, order: "digits" }, kernels: {} } };
  });
  for (const target of unlike(fusion, chosen)) expect(complaints(fusion, target)).toEqual([]);
  const planned = planFusion(fusion, choosing(gpu, "digits"), generic).kernels;
  expect(planned).toHaveLength(kernels);
});

test("both forms on wish", () => {
  const fusion = oneRegion(graphOf("x: f32[3, 2500]\ny = topk(x, 7)\ni = topk_indices(x, 7)"));
  for (const way of ["selected", "merged"] as const)
    for (const target of [gpu, cpu]) expect(complaints(fusion, choosing(target, way))).toEqual([]);
  expect(planFusion(fusion, choosing(gpu, "selected"), generic).kernels).toHaveLength(1);
  for (const [at, run] of knobValues.run.entries()) {
    const target: Target = { ...gpu, knobs: { all: { order: "merged", run }, kernels: {} } };
    const { kernels } = planFusion(fusion, target, generic);
    expect(kernels).toHaveLength(5 - at);
    expect(kernels[0]!.workgroups[0]).toBe(3 * Math.ceil(2500 / Number(run)));
  }
});

/** Least µs of a row's sort with its launches, and the length of the runs that takes. */
const merging = (rows: number, columns: number, launchMicros: number, knobs: Knobs = {}) => {
  const machine = { ...machineOf(gpu), multiprocessors: 132, launchMicros };
  const shape = { rows, columns, count: columns, indices: true, searches: 1 };
  const factors = mergeFactors(shape, machine, knobs);
  const micros = mergedMicros(shape, factors, machine);
  return { ...factors, micros: sumOf(micros) + micros.length * launchMicros };
};

/** µs in which an H100 sorted the runs of a row of 16,384 keys on 2026-11-28, with their indices and without. */
test.each([
  [256, 64, 8.9, 4.3],
  [256, 128, 5.9, 4.3],
  [512, 64, 19.1, 8.1],
  [512, 128, 11.5, 5.6],
  [512, 256, 8.0, 5.9],
  [1024, 512, 12.3, 6.7],
  [2048, 64, 96.1, 34.1],
  [2048, 256, 31.7, 13.9],
  [2048, 512, 24.4, 11.9],
] as const)("runs of %s in %s threads are priced as they were measured", (run, threads, withIndices, alone) => {
  const machine = { ...machineOf(gpu), multiprocessors: 132, bandwidth: 2.93e12 };
  for (const [indices, measured] of [
    [true, withIndices],
    [false, alone],
  ] as const) {
    const shape = { rows: 1, columns: 16_384, count: 16_384, indices, searches: 1 };
    const [first, ...merges] = mergedMicros(shape, { run, threads }, machine);
    expect(first! / measured).toBeGreaterThan(0.7);
    expect(first! / measured).toBeLessThan(1.35);
    // Merges took 1.3 to 2.3.
    for (const each of merges) expect(Math.abs(each - 1.8)).toBeLessThan(0.6);
  }
});

test("a last merge that is asked for other elements, too, searches for each of them", () => {
  const asked = (rest: string) => {
    const graph = graphOf(`x: f32[4, 20000]\ni: i32[4, 20000]\ns = sort(x)\n${rest}`);
    const target = choosing({ ...gpu, machine: { multiprocessors: 132 } }, "merged");
    const { kernels } = planFusion(oneRegion(graph), target, { ...generic, launchMicros: 0 });
    return kernels.at(-1)!;
  };
  const [own, other] = [asked("return s * 2"), asked("return s - s.gather(1, i)")];
  expect(other.predictedMicros).toBeGreaterThan(2 * own.predictedMicros);
  expect(other.flops).toBeGreaterThan(1.05 * own.flops);
  // Neither the view between them nor a second search is written down again.
  expect(asked("return s - s.reshape(-1)[i.reshape(-1)].reshape(4, 20000)").predictedMicros).toBeCloseTo(
    other.predictedMicros,
    0,
  );
  expect(other.wgsl.match(/fn merged_from/g)).toHaveLength(1);
});

test("runs are short where few workgroups would sort long ones, and only where their merges cost less", () => {
  const long = { run: "2048", threads: "256" } as const;
  expect(merging(1, 16_384, 2).run).toBeLessThan(2048);
  expect(merging(1, 16_384, 2).micros).toBeLessThan(0.8 * merging(1, 16_384, 2, long).micros);
  // A thousand runs keep every multiprocessor busy, and a launch may cost more than what is won.
  expect(merging(64, 32_000, 2).run).toBe(2048);
  expect(merging(1, 16_384, 30).run).toBe(2048);
  for (const rows of [1, 8, 64, 512])
    for (const columns of [2049, 5000, 16_384, 100_000])
      for (const launch of [1, 2, 8, 30])
        for (const run of knobValues.run)
          expect(merging(rows, columns, launch).micros).toBeLessThanOrEqual(
            merging(rows, columns, launch, { run }).micros,
          );
});

test.each([
  ["x: f32[2, 4096]\ny = sort(x)\nz = sort(x, descending=True)", "L_REDUCE_REDUCE"],
  ["x: f32[2, 4096]\ny = sort(x)\nz = y.sum(dim=-1)", "L_REDUCE_REDUCE"],
  ["x: f32[2, 4096]\ny = exp(x)\nz = sort(y)", "L_ROOT"],
  ["x: f32[2, 4096]\ny = sort(x)\nz = y[:, :9]", "L_SHAPE"],
  ["x: f32[2, 4096]\ny = sort(x) - x", "L_INDEX"],
])("%s: %s", (text, code) => {
  const { graph, regions } = oneRegion(graphOf(text));
  const { members } = [...regions.values()][0]!;
  const named = members.filter((id) => ["y", "z"].includes(id));
  const classified = classify(graph, members, named);
  expect(classified.ok ? "ok" : classified.verdict.code).toBe(code);
});

const device = await dawn();
describe.skipIf(!device)("on WebGPU", () => {
  const session = createSession(device!);
  afterAll(() => session.close());

  test.each(knobValues.run.flatMap((run) => [false, true].map((descending) => [run, descending] as const)))(
    "NaN behind all, ∞ before it, equal elements as they stood; runs of %s, descending: %s",
    async (run, descending) => {
      const way = `descending=${descending ? "True" : "False"}`;
      const graph = graphOf(`x: f32[2, 2100]\ny = sort(x, ${way})\ni = argsort(x, ${way})`);
      const odd = [1, NaN, -Infinity, 0, 3, -0, Infinity, 1, NaN, -2, 3, 1e-30, 7.5];
      const x = Float64Array.from({ length: 4200 }, (_, i) => odd[(i * i) % odd.length]!);
      const inputs = new Map([["x" as NodeId, x]]);
      const reference = runReference(graph, inputs);
      const target: Target = { ...gpu, knobs: { all: { run }, kernels: {} } };
      const answer = await session.run(planFusion(oneRegion(graph), target, generic), inputs);
      if (!answer.ok) throw new Error(answer.problem.text);
      const plain = (of: ArrayLike<number>): number[] => Array.from(of, (value) => Math.fround(value) + 0);
      for (const { value, data } of answer.value) expect(plain(data)).toEqual(plain(reference.get(value)!.data));
    },
    300_000,
  );

  test.each([
    ["votes of subgroups, in one word", { subgroupSizes: [4, 4] }],
    ["votes of subgroups of any size", {}],
    ["each thread by itself", { subgroups: false }],
  ] as const)(
    "digit by digit, numbered by %s: NaN behind all, ∞ before it, equal elements as they stood",
    async (_, has) => {
      const graph = graphOf(
        "x: f32[2, 2100]\ny = sort(x)\ni = argsort(x)\nz = sort(x, descending=True)\nj = argsort(x, descending=True)",
      );
      const odd = [1, NaN, -Infinity, 0, 3, -0, Infinity, 1, NaN, -2, 3, 1e-30, 7.5, -1e-40];
      const x = Float64Array.from({ length: 4200 }, (_v, i) => odd[(i * i) % odd.length]!);
      const inputs = new Map([["x" as NodeId, x]]);
      const reference = runReference(graph, inputs);
      const target = choosing({ ...gpu, ...has }, "digits");
      const answer = await session.run(planFusion(oneEach(graph), target, generic), inputs);
      if (!answer.ok) throw new Error(answer.problem.text);
      const plain = (of: ArrayLike<number>): number[] => Array.from(of, (value) => Math.fround(value) + 0);
      for (const { value, data } of answer.value) expect(plain(data)).toEqual(plain(reference.get(value)!.data));
    },
    300_000,
  );
});

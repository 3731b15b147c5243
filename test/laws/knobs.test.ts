/** @file Every knob of every kernel: the same values, the declared addresses, and what the machine can't do refused with a reason. */
import { afterAll, describe, expect, test } from "vitest";
import { planFusion } from "../../src/fusion/plan";
import { generic } from "../../src/fusion/cost";
import { compareOutputs, inputData, runReference, toleranceFor } from "../../src/fusion/reference";
import { createSession } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { classify, knobOffers, scheduleRegion } from "../../src/fusion/kernel";
import { knobNames, type Fusion, type KnobName, type Knobs, type Target } from "../../src/fusion/ir";
import { complaints, cpu, gpu, graphOf, oneEach, oneRegion } from "./kernel-harness";
import { randomFusion, randomProgram } from "./random-program";

const programs = {
  chain: "x: f32[150, 20]\nb: f32[20]\ny = log(relu(x + b) + 1.5)",
  odd: "x: f32[77, 13]\ny = tanh(x)\nz = y * 2",
  halves: "x: f16[75, 9]\ny = x * 2",
  softmax: "x: f32[6, 300]\ny = softmax(x)",
  "odd softmax": "x: f32[5, 131]\ny = softmax(x * 0.5)",
  layer_norm: "x: f32[6, 520]\nw: f32[520]\nb: f32[520]\ny = relu(layer_norm(x, w, b))",
  "odd layer_norm": "x: f32[5, 259]\ny = layer_norm(x) + x",
  variance: "x: f32[4, 260]\nm = x.mean(dim=-1, keepdim=True)\ny = (x - m).square().sum(dim=-1)",
  scan: "x: f32[5, 300]\np = softmax(x)\ny = cumsum(p) - p",
  sort: "x: f32[3, 300]\ny = sort(x * 2)\ni = argsort(x * 2)",
  selection: "x: f32[2, 2100]\ny = topk(x, 5)",
  merging: "x: f32[2, 2100]\ny = sort(x)",
  "columns scan": "x: f32[90, 40]\ny = cumsum(x, dim=0)",
  "odd scan": "x: f32[5, 131]\ny = cumsum(x * 0.5, reverse=True)",
  sum: "x: f32[3, 5000]\ny = x.sum(dim=-1)",
  columns: "x: f32[64, 48]\ny = x.max(dim=0)",
  transposed: "x: f32[64, 40]\nr: f32[40, 64]\ny = x.T + r",
  matmul: "a: f32[70, 33]\nw: f32[33, 50]\ny = relu(a @ w)",
  attention: `q: f32[40, 16]
k: f32[48, 16]
v: f32[48, 12]
x = q @ k.transpose(-1, -2)
m = x.max(dim=-1, keepdim=True)
e = exp(x - m)
l = e.sum(dim=-1, keepdim=True)
u = e @ v
y = u / l
return y`,
} as const;

const regionOf = (fusion: Fusion) => [...fusion.regions.values()][0]!;
const choosing = (target: Target, knob: KnobName, value: string): Target => ({
  ...target,
  knobs: { all: { [knob]: value }, kernels: {} },
});

const scheduled = (text: string, target: Target) => {
  const { graph, regions } = oneRegion(graphOf(text));
  const region = [...regions.values()][0]!;
  const classified = classify(graph, region.members, region.outputs);
  if (!classified.ok) throw new Error(classified.verdict.text);
  return scheduleRegion(graph, region, classified.form, target);
};
const targets = { gpu, cpu } as const;
const cases = Object.entries(programs).flatMap(([name, text]) =>
  (Object.keys(targets) as (keyof typeof targets)[]).map((target) => [name, target, text] as const),
);

test.each(cases)("%s on a %s: every value of every knob computes and counts the same", (_name, on, text) => {
  const fusion = oneRegion(graphOf(text));
  const target = targets[on];
  const offers = knobOffers(fusion.graph, regionOf(fusion), target);
  expect(offers.length > 0 || target === cpu).toBe(true);
  for (const { knob, values } of offers) {
    for (const { value, refusal } of values) {
      expect([knob, value, complaints(fusion, choosing(target, knob, value), 1e-6)]).toEqual([knob, value, []]);
      if (!refusal) continue;
      expect(refusal.numbers).toBeDefined();
      expect(refusal.remedy).toBeTruthy();
    }
  }
});

const rereads = (text: string, rows: string): number =>
  scheduled(text, choosing(gpu, "rows", rows)).reads.find(({ value }) => value === "x")!.rereads;

const COUNT = Number(process.env["KNOB_SEEDS"] ?? 30);
const FIRST = Number(process.env["KNOB_FROM"] ?? 0);

test("random kernels under every reading of rows, by turns, one by one, in small workgroups", () => {
  const chosen: readonly Knobs[] = [
    { rows: "again" },
    { rows: "one-pass", vector: "off" },
    { rows: "one-pass" },
    { rows: "registers", threads: "64" },
    { rows: "thread", threads: "32" },
    { turns: "2", threads: "32" },
    { turns: "4", unroll: "off", threads: "32", vector: "off" },
    { transposed: "direct", vector: "off" },
  ];
  for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
    const text = randomProgram(seed);
    const graph = graphOf(text);
    const all = chosen[seed % chosen.length]!;
    const target: Target = { ...(seed % 7 === 0 ? cpu : gpu), knobs: { all, kernels: {} } };
    for (const fusion of [oneEach(graph), randomFusion(graph, seed)]) {
      expect({ seed, text, all, wrong: complaints(fusion, target) }).toEqual({ seed, text, all, wrong: [] });
    }
  }
}, 600_000);

test("turns in a loop and turns written out", () => {
  const target = (unroll: "on" | "off"): Target => ({
    ...gpu,
    knobs: { all: { turns: "4", threads: "32", unroll }, kernels: {} },
  });
  for (const text of [programs.chain, programs.odd, programs.halves]) {
    const fusion = oneRegion(graphOf(text));
    for (const unroll of ["on", "off"] as const) {
      expect(scheduled(text, target(unroll))).toMatchObject({ turns: 4, unrolled: unroll === "on" });
      expect(complaints(fusion, target(unroll))).toEqual([]);
    }
  }
});

test("a row read on each pass is read three times, in one pass and again twice, from registers once", () => {
  for (const text of [programs.softmax, programs.layer_norm]) {
    expect([rereads(text, "again"), rereads(text, "one-pass"), rereads(text, "registers")]).toEqual([2, 1, 0]);
  }
});

test("what a machine can't do is left to the planner", () => {
  const wide = scheduled(programs.chain, choosing(gpu, "threads", "1024"));
  expect(wide.threadsPerWorkgroup).toBe(256);
  const small: Target = { ...gpu, maxWorkgroupBytes: 512 };
  const codes = knobOffers(
    oneRegion(graphOf(programs.softmax)).graph,
    regionOf(oneRegion(graphOf(programs.softmax))),
    small,
  )
    .find(({ knob }) => knob === "threads")!
    .values.map(({ refusal }) => refusal?.code ?? "ok");
  expect(codes).toEqual(["ok", "ok", "ok", "ok", "L_WGMEM", "L_WGMEM"]);
  expect(scheduled(programs.softmax, choosing(small, "threads", "256")).workgroupBytes).toBeLessThanOrEqual(512);
});

test("strict numerics keep their roundings; a long row does not fit registers; a tile must come out even", () => {
  const refusalOf = (text: string, target: Target, knob: KnobName, value: string) => {
    const fusion = oneRegion(graphOf(text));
    return knobOffers(fusion.graph, regionOf(fusion), choosing(target, knob, value))
      .find((offer) => offer.knob === knob)!
      .values.find((each) => each.value === value)?.refusal?.code;
  };
  expect(refusalOf(programs.softmax, { ...gpu, strict: true }, "rows", "one-pass")).toBe("L_STRICT");
  expect(refusalOf(programs.softmax, { ...gpu, strict: true }, "joined", "subgroups")).toBe("L_STRICT");
  expect(refusalOf("x: f32[2, 65536]\ny = softmax(x)", gpu, "rows", "registers")).toBe("C_REGISTERS");
  const odd = scheduled(programs.matmul, choosing(gpu, "tile", "48x32x16/4x4"));
  expect(odd.matmul).toEqual(scheduled(programs.matmul, gpu).matmul);
});

test("every name of a knob is a knob of some kernel", () => {
  const met = new Set(
    Object.values(programs).flatMap((text) => {
      const fusion = oneRegion(graphOf(text));
      const turned = choosing({ ...gpu, maxWorkgroupSize: 64 }, "turns", "2");
      return knobOffers(fusion.graph, regionOf(fusion), turned).map(({ knob }) => knob);
    }),
  );
  expect([...met].toSorted()).toEqual([...knobNames].toSorted());
});

const device = await dawn();

describe.skipIf(!device)("on WebGPU", () => {
  const session = createSession(device!);
  afterAll(() => session.close());

  // Tiles take a software adapter seconds each: the ones that the planner chooses are run elsewhere.
  test.each(["chain", "odd", "halves", "softmax", "odd softmax", "layer_norm", "odd layer_norm", "variance"] as const)(
    "%s: every value of every knob",
    async (name) => {
      const fusion = oneRegion(graphOf(programs[name]));
      const { graph } = fusion;
      const inputs = new Map(
        [...graph.nodes.values()].filter(({ op }) => op === "input").map((n) => [n.id, inputData(n)]),
      );
      const reference = runReference(graph, inputs);
      for (const { knob, values } of knobOffers(graph, regionOf(fusion), gpu)) {
        for (const { value } of values.filter(({ refusal }) => !refusal)) {
          const answer = await session.run(planFusion(fusion, choosing(gpu, knob, value), generic), inputs);
          if (!answer.ok) throw new Error(`${knob} ${value}: ${answer.problem.text}`);
          for (const { value: id, data } of answer.value) {
            const { pass } = compareOutputs(reference.get(id)!.data, data, toleranceFor(graph, id));
            expect([knob, value, pass]).toEqual([knob, value, true]);
          }
        }
      }
    },
    120_000,
  );
});

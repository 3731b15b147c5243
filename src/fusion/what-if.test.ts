import { describe, expect, test } from "vitest";
import { compile, defaultOptions } from "./compile";
import { allPasses, levelOf, passesOf } from "./passes";
import { fusionTrace } from "./trace";
import { changedDecisions, whatIf } from "./what-if";

const softmaxed = "x: f32[2048, 1024]\nb: f32[1024]\ny = softmax(relu(x + b), dim=-1) * 2";

describe("levels", () => {
  test("0 leaves the naive plan; the highest is the default; kernels never grow with the level", () => {
    const at = (level?: 0 | 1 | 2 | 3) => compile(softmaxed, { ...defaultOptions, level });
    expect(at(0).steps).toEqual([]);
    expect(at(0).fusedPlan!.totals).toEqual(at(0).naivePlan!.totals);
    expect(at(3).steps.at(-1)!.hash).toBe(at().steps.at(-1)!.hash);
    const kernels = ([0, 1, 2, 3] as const).map((level) => at(level).fusedPlan!.kernels.length);
    expect(kernels).toEqual(kernels.toSorted((a, b) => b - a));
    expect(kernels[0]).toBeGreaterThan(kernels[3]!);
  });

  test("every level runs the passes of the levels below it", () => {
    expect(passesOf(allPasses, 0)).toEqual([]);
    expect(passesOf(allPasses)).toEqual(allPasses);
    for (const { name } of passesOf(allPasses, 1)) expect(levelOf(name)).toBe(1);
    expect(passesOf(allPasses, 1).map(({ name }) => name)).toContain("producer-consumer");
    expect(passesOf(allPasses, 2).map(({ name }) => name)).toContain("row-groups");
    expect(levelOf("weight-folding")).toBe(3);
  });
});

describe("what if", () => {
  test("nothing changed: no decision changes", () => {
    const compilation = compile(softmaxed, defaultOptions);
    const { before, after, changed } = whatIf(compilation, {});
    expect(changed).toEqual([]);
    expect(after).toEqual(before);
  });

  test("a pass less: its decisions are gone and the totals are those of a compilation without it", () => {
    const compilation = compile(softmaxed, defaultOptions);
    const change = { disabledPasses: ["row-groups"] };
    const { before, after, changed } = whatIf(compilation, change);
    expect(before).toEqual(compilation.fusedPlan!.totals);
    expect(after).toEqual(compile(softmaxed, { ...defaultOptions, ...change }).fusedPlan!.totals);
    expect(changed.some(({ pass, after: now }) => pass === "row-groups" && now === null)).toBe(true);
  });

  test("a constant of the machine: both answers of a decision stand side by side", () => {
    const text = "x: f32[64, 64]\nb: f32[64]\nt = x * 2\nz1 = exp(t) + b\nz2 = t.sum()";
    const free = compile(text, { ...defaultOptions, profile: { ...defaultOptions.profile, launchMicros: 0 } });
    const changed = whatIf(free, { strict: true, policy: "materialise" }).changed;
    for (const { before, after } of changed)
      expect(before?.code === after?.code && before?.ok === after?.ok).toBe(false);
    expect(changedDecisions(free.steps, [])).toHaveLength(new Set(free.steps.map(({ pass, rule, nodes }) => `${pass} ${rule} ${nodes.join()}`)).size); // prettier-ignore
  });
});

describe("the trace", () => {
  const compilation = compile(softmaxed, defaultOptions, (() => { let time = 0; return () => time++; })()); // prettier-ignore
  const events = (trace: ReturnType<typeof fusionTrace>, cat: string) =>
    trace.traceEvents.filter((each) => each.cat === cat);

  test("holds every decision and every kernel of both plans, one after the other", () => {
    const trace = fusionTrace(compilation);
    expect(events(trace, "accepted").length + events(trace, "refused").length).toBe(compilation.steps.length);
    const kernels = events(trace, "kernel");
    expect(kernels).toHaveLength(compilation.naivePlan!.kernels.length + compilation.fusedPlan!.kernels.length);
    expect(kernels.reduce((sum, { dur }) => sum + dur!, 0)).toBeCloseTo(
      [compilation.naivePlan!, compilation.fusedPlan!].flatMap((plan) => plan.kernels).reduce((sum, { predictedMicros }) => sum + predictedMicros, 0),
      6,
    ); // prettier-ignore
    for (const tid of [1, 2]) {
      let end = 0;
      for (const { ts, dur } of kernels.filter((each) => each.tid === tid)) {
        expect(ts).toBeCloseTo(end, 9);
        end = ts! + dur!;
      }
    }
    expect(events(trace, "phase").map(({ name }) => name)).toEqual(["parse", "passes", "codegen"]);
    expect(JSON.parse(JSON.stringify(trace))).toEqual(trace);
  });

  test("shows measured times where a run has them", () => {
    const plan = compilation.fusedPlan!;
    const [first] = plan.kernels;
    const trace = fusionTrace(compilation, { fused: { plan, nanoseconds: new Map([[first!.id, 5000]]) } });
    const measured = events(trace, "kernel").filter(({ pid }) => pid === 3);
    expect(measured.map(({ name, dur }) => [name, dur])).toEqual([[first!.name, 5]]);
  });
});

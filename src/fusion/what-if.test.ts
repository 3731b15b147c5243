import { describe, expect, test } from "vitest";
import { compile, defaultOptions } from "./compile";
import { allPasses, levelOf, passesOf } from "./passes";
import { fusionTrace } from "./trace";
import type { StepCost } from "./ir";
import { changedDecisions } from "./changed-decisions";
import { orderRows, whatIf } from "./what-if";

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

  test("a pass less: what it decided is gone, what others decide instead is new", () => {
    const { changed } = whatIf(compile(softmaxed, defaultOptions), { disabledPasses: ["row-groups"] });
    const met = { gone: [true, false], new: [false, true] } as const;
    const sides = changed.map(({ before, after }) => [before !== null, after !== null]);
    expect(sides).toEqual(changed.map(({ change }) => met[change as keyof typeof met]));
    expect(new Set(changed.map(({ change }) => change))).toEqual(new Set(["gone", "new"]));
  });

  test("another machine: the plan as it is is priced on it too", () => {
    const compilation = compile(softmaxed, defaultOptions);
    const profile = { ...defaultOptions.profile, name: "own", launchMicros: 100 };
    const { before, unchanged, after } = whatIf(compilation, { profile });
    expect(unchanged.predictedMicros).toBeCloseTo(before.predictedMicros + before.kernels * 92, 6);
    expect({ ...unchanged, predictedMicros: 0 }).toEqual({ ...before, predictedMicros: 0 });
    expect(after.predictedMicros).toBeLessThanOrEqual(unchanged.predictedMicros);
    const strict = whatIf(compilation, { strict: true });
    expect(strict.unchanged).toBe(strict.before);
  });

  test("a constant of the machine flips a decision: both answers stand side by side, with both costs", () => {
    const weak = { ...defaultOptions.profile, launchMicros: 0, peakFlops: 1e11 };
    const text = "x: f32[512, 1]\nw: f32[512, 8192]\ne = erf(exp(sin(x)))\ny = w * e";
    const compilation = compile(text, { ...defaultOptions, profile: weak });
    const { options, before, after, changed } = whatIf(compilation, { profile: { ...weak, peakFlops: 1e14 } });
    const flip = changed.find(({ change }) => change === "flipped")!;
    expect(flip.before).toMatchObject({ accepted: false, verdict: { ok: false, code: "C_RECOMPUTE" } });
    expect(flip.after).toMatchObject({ accepted: true, verdict: { ok: true } });
    const micros = ({ alternatives }: StepCost): number[] => alternatives.map((each) => each.micros);
    const [[apart, fused], [later, sooner]] = [micros(flip.before!.cost!), micros(flip.after!.cost!)];
    expect([fused! > apart!, sooner! < later!]).toEqual([true, true]);
    expect(after.kernels).toBeLessThan(before.kernels);
    expect(compilation.steps[flip.before!.seq - 1]!.nodes).toEqual(flip.nodes);
    expect(options.profile.peakFlops).toBe(1e14);
  });

  test("another constant of the planner: the answers differ in outcome or in reason", () => {
    const chain = `x: f32[1048576]\n${Array.from({ length: 300 }, (_, i) => `a${i + 1} = tanh(${i === 0 ? "x" : `a${i}`})`).join("\n")}`;
    const { before, after, changed } = whatIf(compile(chain, defaultOptions), { groupSize: 2 });
    expect([before.kernels, after.kernels]).toEqual([2, 1]);
    const flipped = changed.filter(({ change }) => change === "flipped");
    expect(flipped.length).toBeGreaterThan(0);
    for (const { before, after } of flipped)
      expect([before!.verdict.code, after!.accepted]).toEqual(["C_CODE_SIZE", true]);
  });

  test("strictness: a rule that changes rounding is refused for that reason", () => {
    const attention = "q: f32[1024, 64]\nk: f32[1024, 64]\nv: f32[1024, 64]\no = softmax(q @ k.T * 0.125, dim=-1) @ v";
    const { changed } = whatIf(compile(attention, defaultOptions), { strict: true });
    const refused = changed.filter(({ after }) => after?.accepted === false && after.verdict.code === "L_STRICT");
    expect(refused.map(({ pass }) => pass)).toContain("attention");
  });

  test("nothing against something: every question of the one is new or gone", () => {
    const { steps } = compile(softmaxed, defaultOptions);
    const questions = new Set(steps.map(({ pass, rule, nodes }) => `${pass} ${rule} ${nodes.join()}`)).size;
    expect(changedDecisions(steps, []).map(({ change }) => change)).toEqual(
      Array.from({ length: questions }, () => "gone"),
    );
    expect(changedDecisions([], steps).map(({ change }) => change)).toEqual(
      Array.from({ length: questions }, () => "new"),
    );
  });
});

describe("the trace", () => {
  const compilation = compile(
    softmaxed,
    defaultOptions,
    (() => {
      let time = 0;
      return () => time++;
    })(),
  );
  const events = (trace: ReturnType<typeof fusionTrace>, cat: string) =>
    trace.traceEvents.filter((each) => each.cat === cat);

  test("holds every decision and every kernel of both plans, one after the other", () => {
    const trace = fusionTrace(compilation);
    expect(events(trace, "accepted").length + events(trace, "refused").length).toBe(compilation.steps.length);
    const kernels = events(trace, "kernel");
    expect(kernels).toHaveLength(compilation.naivePlan!.kernels.length + compilation.fusedPlan!.kernels.length);
    expect(kernels.reduce((sum, { dur }) => sum + dur!, 0)).toBeCloseTo(
      [compilation.naivePlan!, compilation.fusedPlan!]
        .flatMap((plan) => plan.kernels)
        .reduce((sum, { predictedMicros }) => sum + predictedMicros, 0),
      6,
    );
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

describe("orders", () => {
  const rowsOf = (text: string) =>
    orderRows(compile(text, defaultOptions)).map(({ question, fusesLast, totals }) => [
      question,
      fusesLast,
      totals.kernels,
    ]);

  test("a batch before fusion is one plan, after it eight", () => {
    expect(rowsOf("x: f32[1024]\ny = log(exp(x) + 1)\nz = y * x\n").slice(0, 2)).toEqual([
      ["batch", true, 1],
      ["batch", false, 8],
    ]);
  });

  test("a derivative fused with its program, or apart; and layouts, where there are some", () => {
    const rows = rowsOf("x: f32[64, 32]\nw: f32[64, 32] = param()\nh = exp(x * w)\nloss = sum(h.T)\n");
    expect(rows.map(([question]) => question)).toEqual([
      "batch",
      "batch",
      "derivative",
      "derivative",
      "layout",
      "layout",
    ]);
    expect(rows[2]![2]).toBeLessThanOrEqual(Number(rows[3]![2]));
  });

  test("a text with a mistake has none", () => expect(rowsOf("y = relu(\n")).toEqual([]));
});

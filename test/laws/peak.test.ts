/** @file Peak memory is one number: what is alive with the kernels of a finished plan, wherever it is said, and never above what decisions were held against. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planJson } from "../../src/cli/report";
import { factsOf } from "../../src/course/facts";
import { savedSheet } from "../../src/fusion";
import { compile, defaultOptions, fusionAt, planAt } from "../../src/fusion/compile";
import type { Compilation } from "../../src/fusion/compilation";
import { chosenFor } from "../../src/fusion/cost";
import { fullSizeBytes } from "../../src/fusion/kernel";
import { openCostCache } from "../../src/fusion/passes/profitability/cost-cache";
import { openPlanner, type Planner } from "../../src/fusion/passes/driver/planner";
import { liveBytes } from "../../src/fusion/plan";
import { planTotals, whatIf } from "../../src/fusion/what-if";
import type { Fusion, Plan, SavedValues } from "../../src/fusion/ir";
import { examples, optionsFor } from "../../src/lessons";
import { comparedRows } from "../../src/panels/model/plan/compare";
import { livePicture } from "../../src/panels/model/plan/memory";
import { summaryOf } from "../../src/panels/model/plan/summary";
import { showBytes } from "../../src/panels/model/units";
import { differentiated } from "./gradient-case";
import { caseArbitrary, planned, type Planned } from "./plan-laws";

const [COUNT, SEED] = (process.env["PEAK_LAWS"] ?? "16:20261128").split(":").map(Number) as [number, number];

/** Of so few programs some keep to a limit that binds. */
const FEWEST = 40;

const most = (values: readonly number[]): number => Math.max(0, ...values);
const aliveIn = ({ buffers, kernels }: Plan): number => most(liveBytes(buffers, kernels.length));

/** What each part of the page and of the command line says of the peaks of both plans. */
function said(compilation: Compilation): readonly Readonly<Record<string, number | string>>[] {
  const unchanged = whatIf(compilation, {});
  const totals = planTotals(compilation.text, compilation.options)!;
  const final = fusionAt(compilation, compilation.steps.length);
  return (["naive", "fused"] as const).map((which) => saidOf(compilation, final, which, unchanged, totals));
}

function saidOf(
  compilation: Compilation,
  final: Fusion,
  which: "naive" | "fused",
  unchanged: ReturnType<typeof whatIf>,
  totals: NonNullable<ReturnType<typeof planTotals>>,
): Readonly<Record<string, number | string>> {
  const [naive, fused] = [compilation.naivePlan!, compilation.fusedPlan!];
  const [plan, state] = which === "naive" ? [naive, compilation.naive!] : [fused, final];
  const picture = livePicture(plan, state.graph);
  const table = summaryOf(compilation, null)!.flatMap((block) => (block.kind === "table" ? block.rows : []));
  const shown = table.find(([name]) => name === "peak memory")![which === "naive" ? 1 : 2]!;
  const compared = comparedRows(naive.totals, fused.totals).find(({ name }) => name === "Peak memory")!;
  expect(shown).toBe(showBytes(plan.totals.peakBytes));
  expect(compared.tone === "same").toBe(compared.first === compared.second);
  return {
    plan: plan.totals.peakBytes,
    buffers: aliveIn(plan),
    "the command line": planJson({ compilation, naive, fused, given: new Map() })[which].peakBytes,
    "facts of a lesson": Number(factsOf(compilation, final).number(which === "naive" ? "naive.peak" : "peak")),
    "sizes and examples": totals[which].peakBytes,
    "the Memory tab": picture?.peakBytes ?? 0,
    "its columns": most(picture?.columns.map(({ bytes }) => bytes) ?? []),
    ...(which === "fused" && {
      "what if, before": unchanged.before.peakBytes,
      "what if, after": unchanged.after.peakBytes,
      "what if, as it is": unchanged.unchanged.peakBytes,
    }),
  };
}

describe("every part says the same of a plan's peak", () => {
  const all = examples.map((example) => [example.id, example] as const);
  test.each(all)("%s", { timeout: 60_000 }, (_, example) => {
    const compilation = compile(example.text, optionsFor(example, defaultOptions, null, defaultOptions));
    if (!compilation.fusedPlan) return;
    for (const numbers of said(compilation)) {
      expect(numbers).toEqual(Object.fromEntries(Object.keys(numbers).map((name) => [name, numbers["plan"]])));
    }
  });

  test("of plans that save otherwise, and of those within a budget", { timeout: 120_000 }, () => {
    const layer = "x: f32[256, 256] = param()\nw: f32[256, 256] = param()\nh = gelu(gelu(x @ w) @ w)\n";
    const text = `${layer}loss = sum(h)\nloss.backward()\nreturn loss, x.grad, w.grad`;
    const planOf = (savedValues?: SavedValues): Compilation =>
      compile(text, { ...defaultOptions, ...(savedValues && { savedValues }) });
    for (const { policy, budgetBytes, totals } of savedSheet(planOf())!.rows) {
      const own = planOf(
        policy === null
          ? undefined
          : { apart: true, choices: {}, policy, ...(budgetBytes !== undefined && { budgetBytes }) },
      );
      expect([policy, budgetBytes, totals]).toEqual([policy, budgetBytes, own.fusedPlan!.totals]);
    }
  });
});

/** Opens planners of states as the driver does. What they share is what a region costs: it hangs on nothing but the region. */
function plannersOf({ options, naive }: Pick<Compilation, "options" | "naive">): (state: Fusion) => Planner {
  const fullSize = fullSizeBytes(naive!.graph);
  const cache = openCostCache(options.profile, fullSize);
  const counted = openCostCache(options.profile, fullSize, chosenFor(options));
  return (state) => openPlanner(state, options, fullSize, cache, counted);
}

/** Where a plan holds more than decisions were held against, or where a planner that walked along the steps and a fresh one disagree. */
function boundFaults({ compilation }: Planned, seen: { below: number }): string[] {
  const { steps, naive } = compilation;
  const walking = plannersOf(compilation)(naive!);
  const opened = plannersOf(compilation);
  return [null, ...steps.filter(({ accepted }) => accepted)].flatMap((step) => {
    if (step) walking.apply(step.patch!, []);
    const at = step?.seq ?? 0;
    const state = fusionAt(compilation, at);
    const [walked, fresh] = [
      walking.peakBytes(),
      (at === steps.length ? plannersOf(compilation) : opened)(state).peakBytes(),
    ];
    const plan = planAt(compilation, at);
    const { peakBytes } = plan.totals;
    if (peakBytes < walked) seen.below++;
    const faults: string[] = [];
    if (walked !== fresh) faults.push(`step ${at}: ${walked} along the steps, ${fresh} from scratch`);
    if (peakBytes > walked) faults.push(`step ${at}: the plan holds ${peakBytes}, in the order of the text ${walked}`);
    if (peakBytes !== aliveIn(plan)) faults.push(`step ${at}: totals say ${peakBytes}, buffers ${aliveIn(plan)}`);
    return faults;
  });
}

test(
  `of ${COUNT} random programs and their gradients, seed ${SEED}: no plan's peak is above that of the text's order`,
  { timeout: 300_000 },
  () => {
    const seen = { below: 0 };
    fc.assert(
      fc.property(caseArbitrary, (one) => {
        const whole = differentiated(one);
        for (const each of whole ? [one, whole] : [one]) expect(boundFaults(planned(each), seen)).toEqual([]);
      }),
      { numRuns: COUNT, seed: SEED },
    );
    expect(seen.below).toBeGreaterThan(0);
  },
);

test("a limit that decisions kept to is kept by the plan", { timeout: 120_000 }, () => {
  const seen = { kept: 0 };
  fc.assert(
    fc.property(caseArbitrary, fc.integer({ min: 1, max: 8 }), (one, eighths) => {
      const free = planned(one).compilation;
      const naive = plannersOf(free)(free.naive!).peakBytes();
      const memoryLimitBytes = Math.ceil((naive * (8 + eighths)) / 16);
      const { compilation } = planned(one, { profile: { ...free.options.profile, memoryLimitBytes } });
      const { peakBytes } = planAt(compilation, compilation.steps.length).totals;
      const rewritten = compilation.steps.some(({ accepted, kind }) => accepted && kind !== "fuse");
      const isKept = naive <= memoryLimitBytes && !rewritten;
      if (isKept) seen.kept++;
      expect(isKept && peakBytes > memoryLimitBytes).toBe(false);
    }),
    { numRuns: Math.max(COUNT, FEWEST), seed: SEED },
  );
  expect(seen.kept).toBeGreaterThan(0);
});

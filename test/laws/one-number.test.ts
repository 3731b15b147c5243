/** @file What is said of a plan in several places is one number: the score, lists, cards, tables, files and the command line. */
import { expect, test } from "vitest";
import { planJson } from "../../src/cli/report";
import {
  bytesOfKernel,
  compile,
  defaultOptions,
  fusionAt,
  fusionTrace,
  showBytes,
  showMicros,
  type Compilation,
  type Plan,
  type Sums,
} from "../../src/fusion";
import { allLessons, optionsFor } from "../../src/lessons";
import { comparedRows, sumsAt } from "../../src/panels/model/plan/compare";
import { planJson as planFile } from "../../src/panels/model/plan/export";
import { scoreWords, tallyOf } from "../../src/panels/model/plan/score";
import { summaryText } from "../../src/panels/model/plan/summary";
import { kernelTraffic, transferBlocks } from "../../src/panels/model/plan/traffic";
import { raceOf } from "../../src/panels/model/run/race";
import { sceneOf, stepNames } from "../../src/picture";

const sum = <T>(values: readonly T[], of: (value: T) => number): number =>
  values.reduce((total, each) => total + of(each), 0);

/** Times are sums in another order: as many digits as anything shows. */
const micros = (value: number): string => value.toPrecision(5);

/** Kernels, transfers of all sizes and of full size, bytes and µs, each counted where it is said. */
type Told = Readonly<Record<string, readonly (number | string)[]>>;

const counts = ({ kernels, transfers, fullSizeTransfers, bytes, predictedMicros }: Sums) => [
  kernels,
  transfers,
  fullSizeTransfers,
  bytes,
  micros(predictedMicros),
];

/** What each place says of the plan after `cursor` steps. */
function toldOf(compilation: Compilation, plan: Plan, cursor: number): Told {
  const fusion = fusionAt(compilation, cursor);
  const traffic = plan.kernels.map((kernel) => kernelTraffic(kernel, fusion.graph));
  const blocks = (tally: { counts: (access: { readonly fullSize: boolean }) => boolean }): number => {
    const { reads, writes } = transferBlocks(plan, tally);
    return reads + writes;
  };
  const { kernels: hulls } = sceneOf(fusion, plan);
  const file = JSON.parse(planFile(plan)) as Pick<Plan, "kernels" | "totals">;
  return {
    plan: counts(plan.totals),
    step: counts(sumsAt(compilation, cursor)!),
    "tables of traffic": [
      traffic.length,
      sum(traffic, ({ events }) => events),
      sum(traffic, ({ fullSize }) => fullSize),
      sum(traffic, ({ bytes }) => bytes),
      micros(sum(plan.kernels, ({ predictedMicros }) => predictedMicros)),
    ],
    "rows of those": [
      traffic.length,
      sum(traffic, ({ rows }) => sum(rows, ({ events }) => events)),
      sum(traffic, ({ rows }) => sum(rows, ({ events, fullSize }) => (fullSize ? events : 0))),
      sum(traffic, ({ rows }) => sum(rows, ({ bytes }) => bytes)),
      micros(plan.totals.predictedMicros),
    ],
    "blocks and names on the graph": [
      sum(hulls, ({ count }) => count),
      blocks({ counts: () => true }),
      blocks({ counts: ({ fullSize }) => fullSize }),
      sum(hulls, ({ bytes }) => bytes ?? 0),
      micros(plan.totals.predictedMicros),
    ],
    "the plan as a file": [
      file.kernels.length,
      file.totals.transfers,
      file.totals.fullSizeTransfers,
      sum(file.kernels, bytesOfKernel),
      micros(sum(file.kernels, ({ predictedMicros }) => predictedMicros)),
    ],
  };
}

/** The same words in the score, in a comparison and in the summary. */
function wordsOf(compilation: Compilation, naive: Plan, fused: Plan): Told {
  const words = scoreWords({ naive: naive.totals, now: fused.totals, end: fused.totals });
  const rows = comparedRows(naive.totals, fused.totals);
  const summary = summaryText(compilation, null)!.split("\n");
  const said = (name: string): readonly string[] =>
    summary
      .find((line) => line.startsWith(`| ${name} |`))!
      .split("|")
      .slice(2, 4)
      .map((cell) => cell.trim());
  const { noun, title } = tallyOf(naive.totals);
  const compared = (name: string): readonly string[] => {
    const { first, second } = rows.find((row) => row.name === name)!;
    return [first.replaceAll(",", ""), second.replaceAll(",", "")];
  };
  const plain = (values: readonly string[]): readonly string[] => values.map((value) => value.replaceAll(",", ""));
  const ends = ([first, , last]: readonly string[]): readonly string[] => plain([first!, last!]);
  return {
    score: [
      ...ends(words.kernels),
      ...ends(words.transfers.values),
      showBytes(naive.totals.bytes),
      showBytes(fused.totals.bytes),
    ],
    comparison: [...compared("Kernels"), ...compared(title), ...compared("Memory traffic")].map((text) => text),
    summary: plain([...said("kernels"), ...said(noun), ...said("memory traffic")]),
  };
}

/** Bytes and µs by plan, of what is played on a clock and of the command line. */
function elsewhereOf(compilation: Compilation, naive: Plan, fused: Plan): Told {
  const race = raceOf({ naive, fused }, null, defaultOptions.profile);
  const json = planJson({ compilation, naive, fused, given: new Map() });
  const events = fusionTrace(compilation).traceEvents.filter(({ cat }) => cat === "kernel");
  const traced = sum(events, ({ args }) => Number(args?.["bytesRead"]) + Number(args?.["bytesWritten"]));
  return {
    plans: [naive.totals.bytes, fused.totals.bytes, naive.totals.bytes + fused.totals.bytes],
    race: [race.lanes[0].bytes, race.lanes[1].bytes, race.lanes[0].totals.bytes + race.lanes[1].totals.bytes],
    "command line": [
      json.naive.bytes,
      sum(json.kernels, ({ bytesRead, bytesWritten }) => bytesRead + bytesWritten),
      json.naive.bytes + json.fused.bytes,
    ],
    trace: [naive.totals.bytes, fused.totals.bytes, traced],
  };
}

const disagreements = (told: Told): string[] => {
  const [[, first], ...others] = Object.entries(told) as [[string, Told[string]], ...[string, Told[string]][]];
  return others.flatMap(([where, values]) =>
    values.join() === first.join() ? [] : [`${where}: ${values.join()}; ${Object.keys(told)[0]}: ${first.join()}`],
  );
};

test.each(allLessons.map((lesson) => [lesson.id, lesson] as const))("%s", (_, lesson) => {
  const compilation = compile(lesson.text, optionsFor(lesson, defaultOptions, null, defaultOptions));
  const { naivePlan: naive, fusedPlan: fused, steps } = compilation;
  if (!naive || !fused) return;
  const faults = [
    ...disagreements(toldOf(compilation, naive, 0)),
    ...disagreements(toldOf(compilation, fused, steps.length)),
    ...disagreements(wordsOf(compilation, naive, fused)),
    ...disagreements(elsewhereOf(compilation, naive, fused)),
  ];
  expect(faults).toEqual([]);
  // What a step is called nowhere has the ids of its nodes.
  expect(steps.filter((step) => /[/#@]/.test(stepNames(compilation, step)))).toEqual([]);
  expect(showMicros(fused.totals.predictedMicros)).not.toMatch(/NaN/);
});

/** Folds of what only the program's own numbers make: their kernels read nothing. */
const READING_NOTHING = [
  "x: f32[2]\nn = F.pad(torch.ones(2, 1, 318, 958), (1, 1, 1, 1)).sum()\nreturn x / n",
  "x: f32[8]\nn = torch.arange(1 << 20).float().sqrt()\nreturn x * (n - n.mean()).square().sum()",
  "x: f32[4]\nw = torch.linspace(0, 1, 4096)[:, None] * torch.ones(512)\nreturn x + w.amax(dim=1).sum()",
];

test.each(READING_NOTHING)("what reads nothing is predicted as well: %s", (text) => {
  const { naivePlan, fusedPlan, diagnostics } = compile(text, defaultOptions);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const kernels = [naivePlan!, fusedPlan!].flatMap((plan) => plan.kernels);
  expect(kernels.filter(({ predictedMicros }) => !(predictedMicros > 0 && predictedMicros < Infinity))).toEqual([]);
});

/** @file The loops that the page shows: a stored value comes from memory in as many of them as traffic counts. */
import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, type NodeId } from "../../src/fusion";
import { fusedLoops, type LoopLine } from "../../src/fusion/kernel";
import { examples } from "../../src/lessons";

/** Lines at which the value comes from memory. */
const loadsOf = (lines: readonly LoopLine[], value: NodeId, label: string): number =>
  lines.filter(({ note, reads = [] }) => {
    const [, which] = /^(.*?) ?from memory$/.exec(note) ?? [];
    return (
      which !== undefined && reads.some((read) => read.value === value) && `${which || label}, `.includes(`${label}, `)
    );
  }).length;

const TEXTS: Readonly<Record<string, string>> = {
  "rows that are held": "x: f32[2048, 1024]\ny = softmax(x, dim=-1)",
  "columns that are not": "x: f32[2048, 2048]\ne = exp(x)\ny = e / mean(e, dim=0)",
  "rows for which no register is left": "x: f32[64, 200000]\ny = softmax(x, dim=-1)",
  "one value twice": "x: f32[64, 64]\ny = exp(x) + relu(x)",
};

const cases = [
  ...examples.map(({ id, text, options }) => [id, text, options] as const),
  ...Object.entries(TEXTS).map(([name, text]) => [name, text, undefined] as const),
];

test.each(cases)("%s", (_, text, options) => {
  const compilation = compile(text, { ...defaultOptions, ...options });
  const { graph, regions } = fusionAt(compilation, compilation.steps.length);
  const faults = [...regions.values()].flatMap((region) => {
    // Kernels that hand partial results to one another share one nest.
    const kernels = compilation.fusedPlan!.kernels.filter((kernel) => kernel.region === region.id);
    if (kernels.length !== 1) return [];
    const lines = fusedLoops(graph, region, kernels);
    return kernels[0]!.reads.flatMap(({ value, rereads }) => {
      const { label } = graph.nodes.get(value)!;
      const shown = loadsOf(lines, value, label);
      const isNamed = lines.some(({ reads = [] }) => reads.some((read) => read.value === value));
      return isNamed && shown !== 1 + rereads ? [`${label}: ${shown} of ${1 + rereads}`] : [];
    });
  });
  expect(faults).toEqual([]);
});

/** What a kernel's heading says of rows that it goes along more than once. */
const AGAIN = /read again on each pass/;
/** Words for the same of threads that take rows alone, and of tiles. */
const OTHERWISE = /after the other|at a time|once more/;

const folds: typeof cases = [
  ...cases,
  ["the first of long rows", "x: f32[256, 4096]\nv, i = topk(x, 20)\nreturn v, i", undefined],
  ["one fold of long rows", "x: f32[64, 65536]\ny = sum(x, dim=1)", undefined],
  ["rows that are put in order", "x: f32[64, 1024]\ny = exp(sort(x))", undefined],
];

test.each(folds)("the heading of a kernel says what is read again: %s", (_, text, options) => {
  const { naivePlan, fusedPlan } = compile(text, { ...defaultOptions, ...options });
  const faults = [naivePlan!, fusedPlan!].flatMap(({ kernels }) =>
    kernels.flatMap(({ id, name, schedule, reads }) => {
      const counted = reads.some(({ rereads }) => rereads > 0);
      const told = AGAIN.test(schedule);
      return told === counted || (counted && OTHERWISE.test(schedule)) ? [] : [`${id} ${name}: ${schedule}`];
    }),
  );
  expect(faults).toEqual([]);
});

/** @file Every example keeps its promises: it reads, plans at every size, counts as it says, and computes the same everywhere. */
import { describe, expect, test } from "vitest";
import {
  compareOutputs,
  compile,
  defaultOptions,
  expandCall,
  foldedData,
  fusionAt,
  generic,
  inputData,
  parseProgram,
  runPlanOnCpu,
  runReference,
  targetOf,
  toleranceFor,
  type Compilation,
  type Fusion,
  type NodeId,
} from "../src/fusion";
import {
  allLessons,
  chapters,
  examples,
  findExample,
  isTextOf,
  optionsFor,
  sizeOfText,
  type Example,
} from "../src/lessons";
import { chapterNotes } from "../src/panels/model/notes/chapter-rows";
import { chapterRows } from "../src/panels/model/notes/chapter-rows";
import { smallPrograms } from "../src/fusion/small-sizes";
import { expected } from "./lessons-counts";
import { outputValues } from "./output-values";

const MIB = 2 ** 20;
/** What a run may hold on the machine unless the person raises it: both plans with inputs of their own. */
const MEMORY_BUDGET = 512 * MIB;
const sizes = ["S", "M", "L"] as const;

const planned = new Map<string, Compilation>();
/** An example's plans, made once. */
function compiledLesson(lesson: Example, text = lesson.text): Compilation {
  const key = `${lesson.id}\n${text}`;
  const known = planned.get(key) ?? compile(text, optionsFor(lesson, defaultOptions, null, defaultOptions));
  planned.set(key, known);
  return known;
}

const resized = ({ text, sizes: choice }: Example, value: number): string =>
  choice ? text.replace(new RegExp(`^${choice.name} = .*$`, "m"), `${choice.name} = ${value}`) : text;

/** A challenge as given misses what its text asks for, and has no other mistake; everything else is without any. */
function expectSound({ id, chapter }: Example, { diagnostics, goals }: Compilation): void {
  const open = chapter === "challenges" && !id.includes("/");
  // Examples may write softmax as chapters do: exp, sum, divide.
  const codes = diagnostics.map(({ code }) => code.replace(/-.*/, "")).filter((code) => code !== "overflow");
  expect(codes).toEqual(goals.filter(({ isMet }) => !isMet).map(() => "assert"));
  expect(codes.length > 0).toBe(open);
  expect(goals.length > 0).toBe(chapter === "challenges");
}

const named = allLessons.map((lesson) => [lesson.id, lesson] as const);

describe("each example", () => {
  test.each(named)("%s plans at every size", (_, lesson) => {
    expect(sizeOfText(lesson, lesson.text)).toBe(lesson.sizes && "M");
    expect(isTextOf(lesson, `${lesson.text}extra = 1\n`)).toBe(false);
    for (const size of sizes) {
      const text = lesson.sizes ? resized(lesson, lesson.sizes[size]) : lesson.text;
      expect(isTextOf(lesson, text)).toBe(true);
      const compilation = compiledLesson(lesson, text);
      const { naivePlan, fusedPlan, steps } = compilation;
      expectSound(lesson, compilation);
      expect(steps.length).toBeGreaterThan(lesson.id === "square-matmul" ? -1 : 0);
      // Parts of rows, and of the k of products, leave partial sums: bytes for a machine that is busy, and quicker for them.
      const [fused, naive] = [fusedPlan!.totals, naivePlan!.totals];
      const leaves = fused.bytes > 1.005 * naive.bytes;
      expect(leaves ? fused.predictedMicros : 0).toBeLessThan(naive.predictedMicros);
      // Chunks that fill the machine are worth their launches.
      const chunked = steps.some(({ pass, profitable }) => pass === "chunked-scan" && profitable?.ok);
      expect(fusedPlan!.totals.kernels).toBeLessThanOrEqual(chunked ? 3 : naivePlan!.totals.kernels);
      expect(naivePlan!.plannedBytes + fusedPlan!.plannedBytes).toBeLessThan(MEMORY_BUDGET);
    }
  });

  test.each(named)("%s counts as it says", (id, lesson) => {
    const { kernels, all, full, codes = [], atMost } = expected[id]!;
    const { naivePlan, fusedPlan, steps } = compiledLesson(lesson);
    const [naive, fused] = [naivePlan!.totals, fusedPlan!.totals];
    expect([naive.kernels, naive.transfers, naive.fullSizeTransfers]).toEqual([kernels[0], all[0], full[0]]);
    const counted = [fused.kernels, fused.transfers, fused.fullSizeTransfers];
    const stated = [kernels[1], all[1], full[1]];
    expect(atMost ? counted.map((value, i) => Math.max(value, stated[i]!)) : counted).toEqual(stated);
    const taken = new Set(steps.map(({ legal, profitable }) => (profitable ?? legal).code));
    expect([...codes].filter((code) => !taken.has(code))).toEqual([]);
  });

  /** Small enough for the interpreter, pictures too; long rows stay long, since their kernels are other ones. */
  const tiny = ({ chapter, text }: Example): string => {
    const constant = text.includes("conv2d") ? 1 : chapter === "models" ? 2 : text.includes("65536") ? 2 : 5;
    const shorter = (dim: string): string =>
      Number(dim) >= 256 && Number(dim) < 65536 ? String(Number(dim) / 8) : dim;
    const small = (_: string, side: string): string => `${Number(side) / 4}, ${Number(side) / 4}]`;
    const pictures = text.replace(/(\b[1-9]\d), \1\]/g, small);
    const reads = parseProgram(pictures).diagnostics.every(({ severity }) => severity !== "error");
    return (reads ? pictures : text)
      .replace(/^([A-Z]) = \d+$/gm, `$1 = ${constant}`)
      .replace(/f32\[[^\]]*\]/g, (type) => type.replace(/\b\d+\b/g, shorter));
  };
  test.each(named)("%s computes the same in both plans and in the reference", { timeout: 120_000 }, (_, lesson) => {
    const compilation = compiledLesson(lesson, tiny(lesson));
    expectSound(lesson, compilation);
    const naive = compilation.naive!;
    for (const fusion of [naive, fusionAt(compilation, compilation.steps.length)]) {
      expect(outputsOff(naive, fusion)).toEqual([]);
    }
  });
});

/** Outputs of `fusion`'s kernels on the CPU that are not those of the unfused graph. */
function outputsOff({ graph }: Fusion, fusion: Fusion): string[] {
  const inputs = new Map<NodeId, Float64Array>();
  for (const each of graph.nodes.values())
    if (each.op === "input") inputs.set(each.id, Float64Array.from(inputData(each)));
  const reference = runReference(graph, inputs);
  const folded = [...foldedData(fusion.graph, inputs)].map(([id, data]) => [id, Float64Array.from(data)] as const);
  const run = runPlanOnCpu(fusion, targetOf(generic), generic, new Map([...inputs, ...folded]));
  return graph.outputs.filter((id, i) => {
    const got = run.outputs.get(fusion.graph.outputs[i]!);
    return !got || !compareOutputs(reference.get(id)!.data, got, toleranceFor(graph, id)).pass;
  });
}

test("every example has counts, and all counts have an example", () => {
  expect(Object.keys(expected).toSorted()).toEqual(allLessons.map(({ id }) => id).toSorted());
});

describe("bytes of the chapters", () => {
  test.each([
    ["log-exp", 4096, 384 * MIB, 128 * MIB],
    ["matmul-bias-relu", 1024, 28 * MIB + 4096, 12 * MIB + 4096],
    ["log-relu", 4096, 7 * 64 * MIB, 3 * 64 * MIB],
    ["unary-chain", 4096, 12 * 64 * MIB, 2 * 64 * MIB],
    ["square-matmul", 1024, 12 * MIB, 12 * MIB],
    ["attention", 1024, 25 * MIB, MIB],
    ["l2-norm", 128, 10 * MIB + 4 * 512, 4 * MIB],
  ])("%s at %i", (id, size, before, after) => {
    const lesson = findExample(id)!;
    const { naivePlan, fusedPlan } = compiledLesson(lesson, resized(lesson, size));
    expect([naivePlan!.totals.bytes, fusedPlan!.totals.bytes]).toEqual([before, after]);
  });
});

describe("what large tensors leave behind", () => {
  const peakAt = (id: string, size: number): number => {
    const lesson = findExample(id)!;
    return compiledLesson(lesson, resized(lesson, size)).fusedPlan!.totals.peakBytes;
  };
  test("attention's memory grows as N", () => {
    expect(peakAt("attention", 4096)).toBe(4 * peakAt("attention", 1024));
  });

  test("the SPLADE head's grows as its inputs", () => {
    const inputs = (positions: number): number => 4 * (4 * positions * 64 + 64 * 2048 + 4 * positions);
    expect(peakAt("splade-head", 512) - inputs(512)).toBe(peakAt("splade-head", 128) - inputs(128));
  });
});

describe("where fusion hurts", () => {
  const forced = allLessons.filter(({ id }) => id.endsWith("/forced"));
  test.each(forced.map((lesson) => [lesson.id, lesson] as const))("%s moves less and takes longer", (id, lesson) => {
    const chosen = compiledLesson(findExample(id.split("/")[0]!)!).fusedPlan!.totals;
    const hurt = compiledLesson(lesson).fusedPlan!.totals;
    expect(hurt.kernels).toBeLessThan(chosen.kernels);
    expect(hurt.bytes).toBeLessThan(chosen.bytes);
    expect(hurt.predictedMicros).toBeGreaterThan(chosen.predictedMicros);
  });

  test("each of the seven ways has its counter-example", () => {
    const codes = examples
      .filter(({ chapter }) => chapter === "when-it-hurts")
      .flatMap(({ id }) => expected[id]!.codes ?? []);
    expect(new Set(codes)).toEqual(
      new Set(["C_CODE_SIZE", "C_RECOMPUTE", "C_LIBRARY", "C_NEGATIVE", "C_PARALLELISM", "L_STRICT"]),
    );
  });
});

describe("what chapters say", () => {
  const claiming = allLessons.filter(({ claims }) => (claims?.length ?? 0) > 0);

  test("every claim has its sentence, and every sentence its claim", () => {
    const claimed = new Set(claiming.flatMap(({ claims }) => claims!.map(({ row }) => row)));
    expect([...claimed].toSorted()).toEqual(Object.keys(chapterRows).toSorted());
  });

  test("every claim is of a chapter", () => {
    const numbers = new Set(chapters.flatMap(({ number }) => number ?? []));
    for (const { claims } of claiming)
      for (const { row } of claims!) expect([row, numbers.has(row.split("-")[0]!)]).toEqual([row, true]);
  });

  test.each(claiming.map((lesson) => [lesson.id, lesson] as const))("%s is answered with counts", (id, lesson) => {
    const notes = chapterNotes(compiledLesson(lesson), id);
    expect(notes.length).toBeGreaterThan(0);
    for (const { text } of notes) expect(text).not.toMatch(/undefined|NaN|null|\$\{/);
  });
});

test("examples are named once, in the chapters' order", () => {
  expect(new Set(allLessons.map(({ id }) => id)).size).toBe(allLessons.length);
  expect([...new Set(examples.map(({ chapter }) => chapter))]).toEqual(chapters.map(({ id }) => id));
  expect(findExample("nothing")).toBeNull();
  expect(findExample(null)).toBeNull();
});

describe("tasks", () => {
  const tasks = allLessons.flatMap(({ id, text, task }) =>
    task && !id.endsWith(`/${task.solved}`) ? [[id, text, task] as const] : [],
  );

  test.each(tasks)("%s asks for lines that it has, one of them right", (_, text, { lines }) => {
    expect(lines.filter(({ right }) => right)).toHaveLength(1);
    for (const { code } of lines) expect(text).toContain(`\n${code}\n`);
  });

  test("spare lanes spoil the variance by mean² (block − n) / n, unless none is spare or they are masked", () => {
    const said = (id: string) => chapterNotes(compiledLesson(findExample(id)!), id)[0]!;
    const numbers = ({ text }: { text: string }) =>
      /variance ([\d.]+) over .* ([\d.]+) over/.exec(text)!.slice(1).map(Number);
    for (const [id, width] of [
      ["masked-lanes", 768],
      ["masked-lanes/1000", 1000],
    ] as const) {
      const [wide, right] = numbers(said(id));
      expect(said(id).mark).toBe("differs");
      // The mean of a row of normal numbers around 3 is 3, within four standard errors.
      expect(Math.abs((wide! - right!) / ((9 * (1024 - width)) / width) - 1)).toBeLessThan(0.1);
    }
    for (const id of ["masked-lanes/1024", "masked-lanes/mended"]) {
      const [wide, right] = numbers(said(id));
      expect([said(id).mark, wide]).toEqual(["right", right]);
    }
  });
});

/** A derivative through a call is another graph than one through its parts, so there a call may stay as it is. */
const takesDerivatives = (text: string): boolean => /grad\(|backward\(/.test(text);

test("every composite of every example can be written out in the text", () => {
  const calls = allLessons.flatMap(({ id, text }) =>
    [...new Set(parseProgram(text).partOf.values())].map((call) => ({ at: `${id} ${call}`, text, call })),
  );
  expect(calls.length).toBeGreaterThan(30);
  const refused = calls.filter(({ text, call }) => !expandCall(text, call).ok);
  expect(refused.filter(({ text }) => !takesDerivatives(text)).map(({ at }) => at)).toEqual([]);
  expect(refused.length).toBeLessThan(calls.length / 10);
});

test.each(allLessons.map((lesson) => [lesson.id, lesson] as const))("%s: its results are finite", (_, lesson) => {
  const compilation = compile(lesson.text, { ...defaultOptions, ...lesson.options, granularity: lesson.granularity });
  // Programs that no smaller numbers fit are left to runs.
  const [small] = smallPrograms(compilation);
  const infinite = outputValues(small?.compilation.text ?? "").filter(({ data }) => !data.every(Number.isFinite));
  expect(infinite.map(({ name }) => name)).toEqual([]);
});

/** @file The CUDA view of kernels is CUDA: clang compiles it to PTX. Nothing of it runs. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { compile, cudaText, defaultOptions, type Kernel, type TemplateName } from "../src/fusion";
import { allLessons, optionsFor } from "../src/lessons";

const hasClang = spawnSync("clang", ["--version"]).status === 0;
if (!hasClang)
  console.warn("There is no clang here: the CUDA view is not compiled. `apt-get install clang` brings it.");

const folder = mkdtempSync(join(tmpdir(), "cuda-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Kernels that go through elements or rows, or count them. */
const MAPS_AND_ROWS: ReadonlySet<TemplateName> = new Set([
  "pointwise",
  "row-reduce",
  "general-reduce",
  "split-reduce",
  "transpose",
  "copy",
  "groups",
]);

/** Shuffles want a PTX version that clang does not ask for by itself. */
const PTX = ["-Xclang", "-target-feature", "-Xclang", "+ptx70"];

/** PTX of several texts, each in a namespace of its own. Throws with the compiler's words. */
function ptxOf(texts: readonly string[], header: string): string {
  const source = [
    readFileSync("test/cuda-stub.h", "utf8"),
    header,
    ...texts.map((text, i) => `namespace k${i} {\n${text}\n}`),
  ].join("\n");
  const file = join(folder, "kernels.cu");
  writeFileSync(file, source);
  const flags = [
    "-x",
    "cuda",
    "--cuda-device-only",
    "--cuda-gpu-arch=sm_80",
    "-nocudainc",
    "-nocudalib",
    "-nostdinc",
    ...PTX,
  ];
  return execFileSync(
    "clang",
    [...flags, "-Wno-unknown-cuda-version", "-Wno-undefined-internal", "-O1", "-S", "-o", "-", file],
    {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 1 << 28,
    },
  );
}

/** Keys that are counted, few of them and many, and put into ranges. */
const KEYS = [
  "i: i32[90000] = uniform(0, 256)\ny = count_keys(i, targets=256)",
  "i: i32[90000] = uniform(0, 256)\ny = last_keys(i, targets=256)",
  "i: i32[90000] = uniform(0, 90000)\ny = count_keys(i, targets=90000)",
  "i: i32[90000] = uniform(0, 256)\ny = group_indices(i, targets=256)",
];

const kernels = (): Map<string, Kernel> => {
  const found = new Map<string, Kernel>();
  for (const lesson of allLessons) {
    const { naivePlan, fusedPlan } = compile(lesson.text, optionsFor(lesson, defaultOptions, null, defaultOptions));
    for (const kernel of [...(naivePlan?.kernels ?? []), ...(fusedPlan?.kernels ?? [])]) found.set(kernel.wgsl, kernel);
  }
  for (const text of KEYS)
    for (const kernel of compile(text, defaultOptions).fusedPlan!.kernels) found.set(kernel.wgsl, kernel);
  return found;
};

describe.skipIf(!hasClang)("compiled by clang", () => {
  test("every kernel that maps, folds rows or counts has CUDA text that compiles to PTX", () => {
    const every = [...kernels().values()].filter(({ template }) => MAPS_AND_ROWS.has(template));
    const written = every.map((kernel) => ({ kernel, cuda: cudaText(kernel) }));
    const without = written.flatMap(({ kernel, cuda }) => (typeof cuda === "string" ? `${kernel.name}: ${cuda}` : []));
    const texts = written.flatMap(({ cuda }) => (typeof cuda === "string" ? [] : [cuda]));
    expect(texts.length).toBeGreaterThan(100);
    const ptx = ptxOf(
      texts.map(({ text }) => text),
      texts[0]!.header,
    );
    expect(ptx.match(/^\.visible \.entry/gm)).toHaveLength(texts.length);
    // f16 alone has no words there.
    expect(without.filter((why) => !/[Hh]al(f|ves)/.test(why))).toEqual([]);
  }, 600_000);

  test("what is wrong is noticed", () => {
    const kernel = compile("x: f32[256]\ny = exp(x) + 1", defaultOptions).fusedPlan!.kernels[0]!;
    const cuda = cudaText({ ...kernel, wgsl: kernel.wgsl.replaceAll("exp(", "no_such_function(") });
    if (typeof cuda === "string") throw new Error(cuda);
    expect(() => ptxOf([cuda.text], cuda.header)).toThrow(/no_such_function/);
  });
});

/** @file The bench from its flags to its exit code, on a `GPU` that someone else opened. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readBenchArgs, usageText, type BenchArgs } from "./args";
import { bench } from "./bench";
import { runSuite } from "./suite";
import { runTraining, type StepRates } from "./train";
import { suites, type Program } from "./suites";

/** 0, or 1 when a workload did not run or its numbers were wrong. */
export async function main(args: readonly string[], gpu: GPU): Promise<number> {
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const read = understood(args);
  if (read === null || typeof read === "string") {
    print(read ?? usageText);
    return read === null ? 0 : 1;
  }
  const { request, out, wgsl, suite } = read;
  if (wgsl) mkdirSync(wgsl, { recursive: true });
  const keep = (name: string, text: string) => {
    if (wgsl) writeFileSync(join(wgsl, `${name}.wgsl`), text);
  };
  if (suite) return timeSuite(gpu, suite, read, print, keep);
  const report = await bench(gpu, { ...request, print, keep });
  if (typeof report === "string") {
    process.stderr.write(`${report}\n`);
    return 1;
  }
  if (out) writeFileSync(out, `${JSON.stringify(report, null, 1)}\n`);
  return report.results.every(({ problem, error, tolerance }) => problem === null && error <= tolerance) ? 0 : 1;
}

/** The flags; null where help was asked for, a sentence where one of them is wrong. */
function understood(args: readonly string[]): BenchArgs | string | null {
  try {
    return readBenchArgs(args);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Every `.py` program of a folder, in the order of their names. */
const programsIn = (folder: string): Program[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".py"))
    .sort()
    .map((file) => ({ name: basename(file, ".py"), text: readFileSync(join(folder, file), "utf8"), expert: null }));

async function timeSuite(
  gpu: GPU,
  { name, programs: folder, torch, train, ...how }: NonNullable<BenchArgs["suite"]>,
  { request: { only, budgetMillis, knobs }, out }: BenchArgs,
  print: (text: string) => void,
  keep: (name: string, text: string) => void,
): Promise<number> {
  const suite = name === null ? () => [] : suites[name];
  if (!suite) {
    process.stderr.write(`There is no suite ${name}. There are ${Object.keys(suites).join(", ")}.\n`);
    return 1;
  }
  const all = [...suite(), ...(folder === null ? [] : programsIn(folder))];
  const programs = all.filter((program) => only.length === 0 || only.includes(program.name));
  const peer = torch === null ? {} : (JSON.parse(readFileSync(torch, "utf8")) as unknown);
  const save = (report: unknown): void => {
    if (out) writeFileSync(out, `${JSON.stringify(report, null, 1)}\n`);
  };
  const request = { ...how, programs, knobs, budgetMillis, print, save };
  const report = train
    ? await runTraining(gpu, { ...request, peer: peer as Record<string, StepRates> })
    : await runSuite(gpu, { ...request, peer: peer as Record<string, number>, keep });
  if (typeof report !== "string") return report.rows.every(({ problem }) => problem === null) ? 0 : 1;
  process.stderr.write(`${report}\n`);
  return 1;
}

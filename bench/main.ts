/** @file The bench from its flags to its exit code, on a `GPU` that someone else opened. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readBenchArgs, usageText, type BenchArgs } from "./args";
import { bench } from "./bench";
import { runSuite } from "./suite";
import { suites } from "./suites";

/** 0, or 1 when a workload did not run or its numbers were wrong. */
export async function main(args: readonly string[], gpu: GPU): Promise<number> {
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const read = readBenchArgs(args);
  if (!read) {
    print(usageText);
    return 0;
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

async function timeSuite(
  gpu: GPU,
  { name, torch, multiprocessors }: NonNullable<BenchArgs["suite"]>,
  { request, out }: BenchArgs,
  print: (text: string) => void,
  keep: (name: string, text: string) => void,
): Promise<number> {
  const suite = suites[name];
  if (!suite) {
    process.stderr.write(`There is no suite ${name}. There are ${Object.keys(suites).join(", ")}.\n`);
    return 1;
  }
  const { only, budgetMillis } = request;
  const programs = suite().filter((program) => only.length === 0 || only.includes(program.name));
  const peer = torch === null ? {} : (JSON.parse(readFileSync(torch, "utf8")) as Record<string, number>);
  const save = (report: unknown): void => {
    if (out) writeFileSync(out, `${JSON.stringify(report, null, 1)}\n`);
  };
  const report = await runSuite(gpu, { programs, peer, budgetMillis, multiprocessors, keep, print, save });
  if (typeof report !== "string") return report.rows.every(({ problem }) => problem === null) ? 0 : 1;
  process.stderr.write(`${report}\n`);
  return 1;
}

/** @file The bench from its flags to its exit code, on a `GPU` that someone else opened. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readBenchArgs, usageText } from "./args";
import { bench } from "./bench";

/** 0, or 1 when a workload did not run or its numbers were wrong. */
export async function main(args: readonly string[], gpu: GPU): Promise<number> {
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const read = readBenchArgs(args);
  if (!read) {
    print(usageText);
    return 0;
  }
  const { request, out, wgsl } = read;
  if (wgsl) mkdirSync(wgsl, { recursive: true });
  const keep = (name: string, text: string) => {
    if (wgsl) writeFileSync(join(wgsl, `${name}.wgsl`), text);
  };
  const report = await bench(gpu, { ...request, print, keep });
  if (typeof report === "string") {
    process.stderr.write(`${report}\n`);
    return 1;
  }
  if (out) writeFileSync(out, `${JSON.stringify(report, null, 1)}\n`);
  return report.results.every(({ problem, error, tolerance }) => problem === null && error <= tolerance) ? 0 : 1;
}

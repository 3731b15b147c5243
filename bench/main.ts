/** @file The bench from its flags to its exit code, on a `GPU` that someone else opened. */
import { writeFileSync } from "node:fs";
import { readBenchArgs, usageText } from "./args";
import { bench } from "./bench";

/** 0, or 1 when a workload did not run or its numbers were wrong. */
export async function main(args: readonly string[], gpu: GPU): Promise<number> {
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const read = readBenchArgs(args, print);
  if (!read) {
    print(usageText);
    return 0;
  }
  const report = await bench(gpu, read.request);
  if (typeof report === "string") {
    process.stderr.write(`${report}\n`);
    return 1;
  }
  if (read.out) writeFileSync(read.out, `${JSON.stringify(report, null, 1)}\n`);
  return report.results.every(({ problem, error, tolerance }) => problem === null && error <= tolerance) ? 0 : 1;
}

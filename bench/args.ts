/** @file The bench's flags. */
import { parseArgs } from "node:util";
import type { BenchRequest } from "./bench";

export const usageText = `npm run bench -- [--only 1,3,8] [--divide 16] [--budget 2000] [--out FILE]
  --only     ids of workloads, or what stands before their dash
  --divide   makes every extent smaller; 1 on a GPU, 16 on a CPU when absent
  --budget   ms for each workload
  --out      writes the figures as JSON
`;

/** null: help was asked for. Throws, as parseArgs does, on flags that do not exist. */
export function readBenchArgs(
  args: readonly string[],
  print: (text: string) => void,
): { request: BenchRequest; out: string | null } | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      divide: { type: "string" },
      budget: { type: "string" },
      out: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return null;
  const only = values.only?.split(",").filter((id) => id.length > 0) ?? [];
  const request = { only, divide: Number(values.divide ?? 0), budgetMillis: Number(values.budget ?? 2000), print };
  return { request, out: values.out ?? null };
}

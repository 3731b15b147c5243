/** @file The times of a run as a table to take along: as comma-separated values and as Markdown. */
import type { FinishedRun } from "../../../state";
import { csvOf } from "../../csv";
import { clockLine } from "./device";
import { planTitle } from "./run-types";
import { halfSpread } from "./statistics";
import { kernelTimes, showSpread, timeRows, type KernelTime, type TimeRow } from "./timings";
import { count, timesBeside } from "../units";

type Timed = Pick<TimeRow | KernelTime, "measured" | "predicted"> & { readonly of: string };

const timed = (run: FinishedRun): Timed[] => [
  ...timeRows(run).map(({ title, measured, predicted }) => ({ of: title, measured, predicted })),
  ...kernelTimes(run).map(({ plan, title, measured, predicted }) => ({
    of: `${planTitle(plan)}, ${title}`,
    measured,
    predicted,
  })),
];

/** A line for each plan and kernel, in µs; every line names the device, so that tables of several can be joined. */
export function timingCsv(run: FinishedRun): string {
  const { name, clock, tickNanos } = run.result.device;
  return csvOf([
    ["time of", "median µs", "half spread µs", "samples", "predicted µs", "device", "clock", "resolution ns"],
    ...timed(run).map(({ of, measured, predicted }) => [
      of,
      measured.median,
      halfSpread(measured),
      measured.samples,
      predicted,
      name,
      clock,
      tickNanos,
    ]),
  ]);
}

/** The same to read, below a line that says whose times they are and by which clock. */
export function timingMarkdown(run: FinishedRun): string {
  const { device } = run.result;
  const all = timed(run);
  const inOneUnit = timesBeside(all.flatMap(({ predicted }) => predicted ?? []));
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [
    `Measured on ${device.name}${device.software ? ", a software adapter" : ""}; ${clockLine(device, timeRows(run)[0]?.repeats ?? null)}.`,
    "",
    row(["time of", "measured", "predicted", "samples"]),
    row(["---", "---", "---", "---"]),
    ...all.map(({ of, measured, predicted }) => {
      const { median, spread } = showSpread(measured, all);
      return row([of, `${median} ${spread}`, predicted === null ? "–" : inOneUnit(predicted), count(measured.samples)]);
    }),
    "",
  ].join("\n");
}

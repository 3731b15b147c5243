/** @file Runs a suite: each program's naive and fused plan on the device, their answers held against one another, beside a peer's times. */
import { compile, defaultOptions, foldedData, fusionAt, planForTarget, resolveView } from "../src/fusion";
import type { CompileOptions, Compilation, Fusion, Knobs, NodeId, Plan } from "../src/fusion";
import { median } from "../src/gpu";
import type { BenchResult, DeviceInfo, Roofs, RunOutput } from "../src/gpu";
import { deviceText, MEMORY, openDevice, type Opened, type PlannedFor, type Planning } from "./device";
import { distance, quickData } from "./suite-data";
import type { Program } from "./suites";

export interface SuiteRequest extends Planning {
  readonly programs: readonly Program[];
  /** For every kernel. */
  readonly knobs: Knobs;
  /** ms for each program. */
  readonly budgetMillis: number;
  /** ms of the peer by program. */
  readonly peer: Readonly<Record<string, number>>;
  readonly keep: (name: string, wgsl: string) => void;
  readonly print: (text: string) => void;
  /** Called with the report after each program: a run that is cut off leaves what it has. */
  readonly save: (report: SuiteReport) => void;
}

export interface KernelRow {
  readonly plan: string;
  readonly name: string;
  readonly schedule: string;
  readonly millis: number;
  /** The cost model's, on the roofs that were measured here. */
  readonly predictedMillis: number;
  readonly bytes: number;
  readonly flops: number;
  readonly workgroups: number;
  readonly workgroupSize: number;
  readonly registers: number;
}

export interface SuiteRow {
  readonly name: string;
  readonly problem: string | null;
  readonly naiveMillis: number;
  readonly fusedMillis: number;
  readonly naiveKernels: number;
  readonly fusedKernels: number;
  /** Counted, of the fused plan. */
  readonly bytes: number;
  readonly shareOfCopy: number;
  readonly expertBytes: number | null;
  /** What the time is of the time that a copy of the expert's bytes takes. */
  readonly expertShare: number | null;
  readonly torchMillis: number | null;
  /** torch ÷ ours: above 1 ours is faster. */
  readonly ratio: number | null;
  /** Between the answers of both plans. */
  readonly distance: number;
  readonly predictedNaiveMillis: number;
  readonly predictedFusedMillis: number;
  /** Arithmetic right after a row that took longer than predicted, as a share of the roof: below 1 clocks had fallen. */
  readonly clock: number | null;
  readonly kernels: readonly KernelRow[];
}

export interface SuiteReport {
  readonly device: DeviceInfo;
  readonly roofs: Roofs;
  readonly plannedFor: PlannedFor;
  readonly without: readonly string[];
  readonly rows: readonly SuiteRow[];
  /** Geometric mean of the ratios that there are. */
  readonly mean: number;
}

/** A row whose naive plan takes so many times what was predicted may have met clocks below this share of the roofs': it is taken anew, so often at most. */
const SLOW = { row: 1.25, clock: 0.9, looks: 3 };

/** Both plans round on their own ways; a wrong kernel is apart by much more. */
const MAX_APART = 2e-3;

type Bench = SuiteRequest & Opened;

/** A report, or a sentence about why there is none. */
export async function runSuite(gpu: GPU, request: SuiteRequest): Promise<SuiteReport | string> {
  const opened = await openDevice(gpu, request);
  if (typeof opened === "string") return opened;
  const { device, roofs, session } = opened;
  const { plannedFor, without } = request;
  request.print(`${deviceText(opened, request)}\n${columns}`);
  const rows: SuiteRow[] = [];
  const report = (): SuiteReport => ({ device, roofs, plannedFor, without, rows, mean: meanOf(rows) });
  for (const program of request.programs) {
    const row = await atFullClock({ ...request, ...opened }, program);
    rows.push(row);
    request.print(rowText(row));
    request.save(report());
    const alive = await session.describe();
    if (!alive.ok) {
      request.print(`stopped: ${alive.problem.text}`);
      break;
    }
  }
  await session.close();
  request.print(footText(rows));
  return report();
}

/** A row, measured again while the device runs slower than when its roofs were measured. */
async function atFullClock(bench: Bench, program: Program): Promise<SuiteRow> {
  const { session, roofs } = bench;
  for (let look = 1; ; look++) {
    const row = await measure(bench, program);
    if (!(row.naiveMillis > SLOW.row * row.predictedNaiveMillis)) return row;
    // Measuring the roofs keeps the device busy, so that its clocks rise.
    const now = await session.measureRoofs();
    if (!now.ok) return row;
    const clock = now.value.flops / roofs.flops;
    if (clock >= SLOW.clock || look === SLOW.looks) return { ...row, clock };
  }
}

const failed = ({ name, expert }: Program, problem: string): SuiteRow => ({
  name,
  problem,
  naiveMillis: Number.NaN,
  fusedMillis: Number.NaN,
  naiveKernels: 0,
  fusedKernels: 0,
  bytes: 0,
  shareOfCopy: Number.NaN,
  expertBytes: expert?.bytes ?? null,
  expertShare: null,
  torchMillis: null,
  ratio: null,
  distance: Number.NaN,
  predictedNaiveMillis: Number.NaN,
  predictedFusedMillis: Number.NaN,
  clock: null,
  kernels: [],
});

async function measure(bench: Bench, program: Program): Promise<SuiteRow> {
  const { device, profile, session, budgetMillis, keep, measured, without } = bench;
  const chosen = { ...defaultOptions, ...program.options };
  const options: CompileOptions = {
    ...chosen,
    profile,
    disabledPasses: [...chosen.disabledPasses, ...without],
    knobs: { kernels: {}, ...chosen.knobs, all: { ...chosen.knobs?.all, ...bench.knobs } },
  };
  try {
    const compilation = compile(program.text, options);
    const errors = compilation.diagnostics.filter(({ severity }) => severity === "error");
    if (!compilation.naive || errors.length > 0) return failed(program, errors.map(({ text }) => text).join(" "));
    const states = { naive: fusionAt(compilation, 0), fused: fusionAt(compilation, compilation.steps.length) };
    const planned = (state: Fusion): Plan => planForTarget(state, device.target, options, measured);
    const plans = { naive: planned(states.naive), fused: planned(states.fused) };
    for (const [plan, { kernels }] of Object.entries(plans))
      for (const { id, name, wgsl } of kernels)
        keep(`${program.name.replaceAll("/", "-")}-${plan}-${id}-${name}`, wgsl);
    const limits = { budgetMillis, memoryBudget: MEMORY, roofs: false };
    const inputs = inputsOf(compilation);
    for (const [id, data] of foldedData(states.fused.graph, inputs)) inputs.set(id, Float32Array.from(data));
    const result = await session.bench(plans, inputs, limits);
    if (!result.ok) return failed(program, `${result.problem.code}: ${result.problem.text}`);
    return figures(bench, program, plans, result.value, apartOf(states, result.value));
  } catch (error) {
    return failed(program, error instanceof Error ? error.message : String(error));
  }
}

function inputsOf({ drawn }: Compilation): Map<NodeId, Float32Array | Int32Array | Uint32Array> {
  const inputs = [...drawn.nodes.values()].filter(({ op }) => op === "input");
  return new Map(inputs.map((input, seed) => [input.id, quickData(input, seed + 1)]));
}

/** The largest distance between both plans' answers to one output. */
function apartOf(states: { readonly naive: Fusion; readonly fused: Fusion }, { outputs }: BenchResult): number {
  const answers = (plan: "naive" | "fused"): RunOutput["data"][] =>
    states[plan].graph.outputs.flatMap((id) => {
      const value = resolveView(states[plan].graph, id);
      const found = outputs.find((output) => output.plan === plan && output.value === value);
      return found ? [found.data] : [];
    });
  const [want, got] = [answers("naive"), answers("fused")];
  if (want.length !== got.length) return Number.POSITIVE_INFINITY;
  return Math.max(0, ...got.map((data, i) => distance(data, want[i]!)));
}

function figures(
  { roofs, peer }: Bench,
  { name, expert }: Program,
  plans: { readonly naive: Plan; readonly fused: Plan },
  { timings }: BenchResult,
  apart: number,
): SuiteRow {
  const millis = (plan: string, kernel: string | null): number =>
    median(timings.find((each) => each.plan === plan && each.kernel === kernel)?.nanoseconds ?? []) / 1e6;
  const [naiveMillis, fusedMillis] = [millis("naive", null), millis("fused", null)];
  const { bytes } = plans.fused.totals;
  const copying = (moved: number): number => (moved * 1e3) / roofs.bandwidth;
  const torchMillis = peer[name] ?? null;
  const kernels = (["naive", "fused"] as const).flatMap((plan) =>
    plans[plan].kernels.map((kernel): KernelRow => {
      const { reads, writes, workgroups, workgroupSize, registers, schedule, flops, predictedMicros } = kernel;
      return {
        plan,
        name: kernel.name,
        schedule,
        millis: millis(plan, kernel.id),
        predictedMillis: predictedMicros / 1e3,
        bytes: [...reads, ...writes].reduce((sum, access) => sum + access.bytes * (1 + access.rereads), 0),
        flops,
        workgroups: workgroups.reduce((product, count) => product * count, 1),
        workgroupSize: workgroupSize.reduce((product, count) => product * count, 1),
        registers,
      };
    }),
  );
  return {
    name,
    problem: apart <= MAX_APART ? null : `The plans' answers are ${apart.toExponential(1)} apart.`,
    naiveMillis,
    fusedMillis,
    naiveKernels: plans.naive.kernels.length,
    fusedKernels: plans.fused.kernels.length,
    bytes,
    shareOfCopy: copying(bytes) / fusedMillis,
    expertBytes: expert?.bytes ?? null,
    expertShare: expert ? copying(expert.bytes) / fusedMillis : null,
    torchMillis,
    ratio: torchMillis === null ? null : torchMillis / fusedMillis,
    distance: apart,
    predictedNaiveMillis: plans.naive.totals.predictedMicros / 1e3,
    predictedFusedMillis: plans.fused.totals.predictedMicros / 1e3,
    clock: null,
    kernels,
  };
}

function meanOf(rows: readonly SuiteRow[]): number {
  const ratios = rows.flatMap(({ ratio }) => (ratio === null || !Number.isFinite(ratio) ? [] : [Math.log(ratio)]));
  return Math.exp(ratios.reduce((sum, each) => sum + each, 0) / Math.max(1, ratios.length));
}

const percent = (share: number | null): string => (share === null ? "" : `${(100 * share).toFixed(0)}%`);
const ms = (millis: number): string => millis.toPrecision(4);

const columns = `${"program".padEnd(28)} naive ms (k)    fused ms (k)    predicted        MiB   copy   expert  share     torch   ratio   apart`;

function rowText(row: SuiteRow): string {
  if (!Number.isFinite(row.fusedMillis)) return `${row.name.padEnd(28)} ${row.problem ?? "no time"}`;
  const cells = [
    row.name.padEnd(28),
    `${ms(row.naiveMillis)} (${row.naiveKernels})`.padEnd(15),
    `${ms(row.fusedMillis)} (${row.fusedKernels})`.padEnd(15),
    `${row.predictedNaiveMillis.toPrecision(3)}, ${row.predictedFusedMillis.toPrecision(3)}`.padEnd(13),
    (row.bytes / 2 ** 20).toFixed(1).padStart(7),
    percent(row.shareOfCopy).padStart(6),
    (row.expertBytes === null ? "" : (row.expertBytes / 2 ** 20).toFixed(1)).padStart(8),
    percent(row.expertShare).padStart(6),
    (row.torchMillis === null ? "" : ms(row.torchMillis)).padStart(9),
    (row.ratio === null ? "" : row.ratio.toFixed(2)).padStart(7),
    row.distance.toExponential(0).padStart(7),
  ];
  const slower = row.fusedMillis > 1.02 * row.naiveMillis ? "   SLOWER THAN NAIVE" : "";
  return `${cells.join(" ")}${row.problem === null ? "" : "   WRONG"}${slower}`;
}

function footText(rows: readonly SuiteRow[]): string {
  const measured = rows.filter(({ ratio }) => ratio !== null);
  const slower = rows.filter(({ naiveMillis, fusedMillis }) => fusedMillis > 1.02 * naiveMillis).length;
  const low = measured.filter(({ ratio }) => ratio! < 0.8).length;
  const beside =
    measured.length > 0 ? `geometric mean ${meanOf(rows).toFixed(3)} of ${measured.length}, ${low} below 0.8; ` : "";
  return `\n${beside}${slower} slower fused than naive`;
}

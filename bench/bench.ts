/** @file Runs the workloads, naive against fused, checks spot rows against f64 and prints what the device reached. */
import { compile, defaultOptions, fusionAt, generic, offeredTiles, planForTarget, tileName } from "../src/fusion";
import type { CompileOptions, Compilation, DeviceProfile, Knobs, MatmulTile, NodeId, Plan } from "../src/fusion";
import { createSession, hostEnv, median } from "../src/gpu";
import type { BenchResult, DeviceInfo, Roofs, Session } from "../src/gpu";
import { noise } from "./noise";
import { fits } from "./tiles";
import { workloadsAt } from "./workloads";
import type { Arrays, Workload } from "./workloads";

export interface BenchRequest {
  /** Ids of workloads; empty for all. */
  readonly only: readonly string[];
  /** Every extent is divided by this; 0 lets the adapter decide. */
  readonly divide: number;
  /** ms for each workload. */
  readonly budgetMillis: number;
  /** Sweep the tiles of the matmuls instead. */
  readonly tiles: boolean;
  /** Kernels for this kind of device instead of the adapter's own: a CPU can check the GPU's kernels, not time them. */
  readonly schedule: "gpu" | "cpu" | null;
  /** How every kernel is written, of naive plans and fused ones. */
  readonly knobs: Knobs;
  /** Gets the WGSL of every kernel that ran. */
  keep(name: string, wgsl: string): void;
  print(text: string): void;
}

export interface Measured {
  readonly id: string;
  readonly title: string;
  readonly problem: string | null;
  readonly naive: PlanFigures | null;
  readonly fused: PlanFigures | null;
  /** naive time / fused time, and the same of bytes. */
  readonly speedup: number;
  readonly trafficRatio: number;
  /** Largest |got − want| / (1 + |want|) on the spot rows of either plan, and what is allowed. */
  readonly error: number;
  readonly tolerance: number;
  readonly kernels: readonly {
    readonly plan: string;
    readonly name: string;
    readonly schedule: string;
    readonly nanos: number;
  }[];
}

export interface PlanFigures {
  readonly kernels: number;
  readonly bytes: number;
  readonly nanos: number;
  /** Largest − smallest sample over the median. */
  readonly spread: number;
  readonly bytesPerSecond: number;
  /** Of the copy kernel on this device. */
  readonly ofCopy: number;
  readonly flopsPerSecond: number;
  readonly pipelineMillis: number;
  readonly coldMillis: number;
}

export interface BenchReport {
  readonly device: DeviceInfo;
  readonly roofs: Roofs;
  readonly divide: number;
  readonly results: readonly Measured[];
}

const MEMORY = 64 * 2 ** 30;

/** The profile the plans are made with: the generic one with this device's limits. */
const profileOf = ({ target, maxBindingBytes }: DeviceInfo): DeviceProfile => ({
  ...generic,
  name: "bench",
  maxBindings: target.maxBindings,
  workgroupBytes: target.maxWorkgroupBytes,
  maxBindingBytes,
  memoryLimitBytes: MEMORY,
});

/** A report, or a sentence about why there is none. */
export async function bench(gpu: GPU, request: BenchRequest): Promise<BenchReport | string> {
  const session = createSession(gpu, hostEnv());
  const described = await session.describe();
  if (!described.ok) return described.problem.text;
  const { target } = described.value;
  const device = { ...described.value, target: { ...target, schedule: request.schedule ?? target.schedule } };
  const roofs = await session.measureRoofs();
  if (!roofs.ok) return roofs.problem.text;
  const divide = request.divide || (device.software ? 16 : 1);
  request.print(headText(device, roofs.value, divide));
  const chosen = workloadsAt(divide).filter(({ id }) => request.only.length === 0 || matches(id, request.only));
  const results: Measured[] = [];
  for (const each of chosen) {
    for (const tile of request.tiles ? tilesFor(each, device) : [null]) {
      const measured = await measure({ session, device, roofs: roofs.value, request }, each, tile);
      results.push(measured);
      request.print(rowText(measured));
    }
  }
  await session.close();
  return { device, roofs: roofs.value, divide, results };
}

/** Tiles that a matmul can be tried with; none for other workloads. */
const tilesFor = (each: Workload, { target }: DeviceInfo): MatmulTile[] =>
  each.flops === undefined ? [] : offeredTiles.filter((tile) => fits(tile, target, each.columns));

const matches = (id: string, only: readonly string[]): boolean =>
  only.some((wanted) => id === wanted || id.startsWith(`${wanted}-`));

function failed({ id, title, tolerance }: Workload, problem: string): Measured {
  const blank = { naive: null, fused: null, speedup: Number.NaN, trafficRatio: Number.NaN, error: Number.NaN };
  return { id, title, tolerance, problem, ...blank, kernels: [] };
}

interface Bench {
  readonly session: Session;
  readonly device: DeviceInfo;
  readonly roofs: Roofs;
  readonly request: BenchRequest;
}

async function measure(
  { session, device, roofs, request }: Bench,
  plain: Workload,
  tile: MatmulTile | null,
): Promise<Measured> {
  const workload = tile ? { ...plain, title: `${plain.title}, ${tileName(tile)}` } : plain;
  const profile = profileOf(device);
  const knobs = { all: tile ? { ...request.knobs, tile: tileName(tile) } : request.knobs, kernels: {} };
  const options: CompileOptions = { ...defaultOptions, granularity: "primitive", profile, knobs };
  const compilation = compile(workload.text, options);
  const errors = compilation.diagnostics.filter(({ severity }) => severity === "error");
  if (!compilation.naive || errors.length > 0) return failed(workload, errors.map(({ text }) => text).join(" "));
  const naive = planForTarget(fusionAt(compilation, 0), device.target, options);
  const fused = planForTarget(fusionAt(compilation, compilation.steps.length), device.target, options);
  for (const [plan, { kernels }] of Object.entries({ naive, fused })) {
    for (const { id, name, wgsl } of kernels) request.keep(`${workload.id}-${plan}-${id}-${name}`, wgsl);
  }
  const arrays = inputsOf(compilation);
  const byNode = new Map([...arrays].map(([name, data]) => [name as NodeId, data]));
  const limits = { budgetMillis: request.budgetMillis, memoryBudget: MEMORY, roofs: false };
  const result = await session.bench({ naive, fused }, byNode, limits);
  if (!result.ok) return failed(workload, `${result.problem.code}: ${result.problem.text}`);
  return figures(workload, { naive, fused }, result.value, roofs, errorOf(workload, arrays, result.value));
}

function inputsOf({ drawn }: Compilation): Map<string, Float32Array> {
  const inputs = [...drawn.nodes.values()].filter(({ op }) => op === "input");
  return new Map(
    inputs.map(({ id, type }, seed) => [
      id,
      noise(
        type.shape.reduce((product, extent) => product * extent, 1),
        seed + 1,
      ),
    ]),
  );
}

/** Largest error on the first, second, a middle and the last rows of the largest output of both plans; NaN when one is NaN. */
function errorOf(workload: Workload, inputs: Arrays, { outputs }: BenchResult): number {
  let worst = 0;
  const { columns } = workload;
  const largest = Math.max(...outputs.map(({ data }) => data.length));
  for (const { data } of outputs.filter((output) => output.data.length === largest)) {
    const rows = data.length / columns;
    for (const row of new Set([0, Math.min(1, rows - 1), Math.floor(rows / 2), rows - 1])) {
      const got = Float32Array.from(data.subarray(row * columns, (row + 1) * columns));
      const want = workload.expectedRow(inputs, row, got);
      for (let i = 0; i < columns; i++) {
        const [a, b] = [got[i]!, want[i]!];
        const error = a === b ? 0 : Math.abs(a - b) / (1 + Math.abs(b));
        if (!(error <= worst)) worst = error;
      }
    }
  }
  return worst;
}

function figures(
  workload: Workload,
  plans: { readonly naive: Plan; readonly fused: Plan },
  result: BenchResult,
  roofs: Roofs,
  error: number,
): Measured {
  const of = (name: "naive" | "fused"): PlanFigures => {
    const plan = plans[name];
    const samples = result.timings.find((timing) => timing.plan === name && timing.kernel === null)?.nanoseconds ?? [];
    const nanos = median(samples);
    const { bytes, kernels } = plan.totals;
    const flops = workload.flops ?? plan.kernels.reduce((total, kernel) => total + kernel.flops, 0);
    return {
      kernels,
      bytes,
      nanos,
      spread: (Math.max(...samples) - Math.min(...samples)) / nanos,
      bytesPerSecond: (bytes * 1e9) / nanos,
      ofCopy: (bytes * 1e9) / nanos / roofs.bandwidth,
      flopsPerSecond: (flops * 1e9) / nanos,
      pipelineMillis: result.pipelineMillis[name] ?? Number.NaN,
      coldMillis: result.coldMillis[name] ?? Number.NaN,
    };
  };
  const [naive, fused] = [of("naive"), of("fused")];
  const kernels = result.timings.flatMap(({ plan, kernel, nanoseconds }) => {
    const made = plans[plan === "naive" ? "naive" : "fused"].kernels.find(({ id }) => id === kernel);
    return made ? [{ plan, name: made.name, schedule: made.schedule, nanos: median(nanoseconds) }] : [];
  });
  const { id, title, tolerance } = workload;
  const ratios = { speedup: naive.nanos / fused.nanos, trafficRatio: naive.bytes / fused.bytes };
  return { id, title, problem: null, naive, fused, ...ratios, error, tolerance, kernels };
}

const ms = (nanos: number): string => (nanos / 1e6).toPrecision(4);

function headText(device: DeviceInfo, roofs: Roofs, divide: number): string {
  const clock = `${device.clock}, step ${device.tickNanos} ns`;
  const reached = `copy ${(roofs.bandwidth / 1e9).toFixed(0)} GB/s, fma ${(roofs.flops / 1e12).toPrecision(3)} TF, launch ${roofs.launchMicros.toPrecision(3)} µs`;
  const columns =
    "id          naive ms (k)   fused ms (k)   ratio / traffic   GB/s   of copy      TF    error     cold, pipeline ms";
  return `${device.name} (${device.description})\n${clock}\n${reached}\nextents divided by ${divide}\n\n${columns}`;
}

function rowText({ id, title, problem, naive, fused, speedup, trafficRatio, error, tolerance }: Measured): string {
  if (!naive || !fused) return `${id.padEnd(11)} ${title}: ${problem}`;
  const cells = [
    id.padEnd(11),
    `${ms(naive.nanos)} (${naive.kernels})`.padEnd(14),
    `${ms(fused.nanos)} (${fused.kernels})`.padEnd(14),
    `${speedup.toFixed(2)} / ${trafficRatio.toFixed(2)}`.padEnd(15),
    (fused.bytesPerSecond / 1e9).toFixed(0).padStart(6),
    `${(100 * fused.ofCopy).toFixed(1)}%`.padStart(9),
    (fused.flopsPerSecond / 1e12).toPrecision(3).padStart(7),
    `${error.toExponential(1)}${error <= tolerance ? "" : " WRONG"}`.padStart(9),
    `${fused.coldMillis.toFixed(1)}, ${fused.pipelineMillis.toFixed(0)}`.padStart(12),
  ];
  return `${cells.join(" ")}   ${title}`;
}

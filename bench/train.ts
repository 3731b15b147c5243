/** @file Steps per second of programs that train, naive beside fused, on the device; a peer's beside them. */
import {
  batchesAt,
  compile,
  defaultOptions,
  foldedData,
  fusionAt,
  planForTarget,
  startingData,
  startingFeeds,
  stepOf,
  trainingOf,
} from "../src/fusion";
import type { CompileOptions, Drawing, NodeId, Training } from "../src/fusion";
import {
  median,
  MAX_STEPS,
  type DeviceInfo,
  type NumberArray,
  type Outcome,
  type Roofs,
  type Trainer,
} from "../src/gpu";
import { deviceText, openDevice, type Opened, type Planning } from "./device";
import type { Program } from "./suites";

export interface TrainRequest extends Planning {
  readonly programs: readonly Program[];
  /** ms for each program. */
  readonly budgetMillis: number;
  /** A peer's steps per second, by program. */
  readonly peer: Readonly<Record<string, StepRates>>;
  readonly print: (text: string) => void;
  /** Called with the report after each program. */
  readonly save: (report: TrainReport) => void;
}

/** Steps per second. */
export interface StepRates {
  /** Every step sees the same batch, which is on the device. */
  readonly resident: number;
  /** Every step sees the batch of its turn, written from the host where it is another one. */
  readonly fed: number;
}

export interface PlanRates extends StepRates {
  readonly kernels: number;
  /** Largest − smallest over the median, of the resident rounds. */
  readonly spread: number;
}

export interface TrainRow {
  readonly name: string;
  readonly problem: string | null;
  readonly naive: PlanRates | null;
  readonly fused: PlanRates | null;
  readonly peer: StepRates | null;
  /** The largest relative distance of both plans' losses over the first steps. */
  readonly apart: number;
}

export interface TrainReport {
  readonly device: DeviceInfo;
  readonly roofs: Roofs;
  readonly planning: Planning;
  readonly rows: readonly TrainRow[];
}

/** Steps whose losses are held against one another: later ones are apart by rounding that training grows. */
const COMPARED = 20;
const MAX_APART = 1e-3;
const PLANS = ["naive", "fused"] as const;

/** A report, or a sentence about why there is none. */
export async function runTraining(gpu: GPU, request: TrainRequest): Promise<TrainReport | string> {
  const opened = await openDevice(gpu, request);
  if (typeof opened === "string") return opened;
  const { plannedFor, without, multiprocessors } = request;
  const planning = { plannedFor, without, multiprocessors };
  request.print(
    `${deviceText(opened, request)}\n${"program".padEnd(22)} kernels     naive steps/s (fed)     fused steps/s (fed)      peer steps/s (fed)   apart`,
  );
  const rows: TrainRow[] = [];
  const report = (): TrainReport => ({ device: opened.device, roofs: opened.roofs, planning, rows });
  for (const program of request.programs) {
    const row = await rowOf(opened, request, program);
    rows.push(row);
    request.print(rowText(row));
    request.save(report());
  }
  await opened.session.close();
  return report();
}

async function rowOf(opened: Opened, request: TrainRequest, program: Program): Promise<TrainRow> {
  const measured = await measure(opened, request, program);
  const peer = request.peer[program.name] ?? null;
  if (typeof measured === "string") {
    return { name: program.name, problem: measured, naive: null, fused: null, peer, apart: Number.NaN };
  }
  const { apart } = measured;
  const problem = apart <= MAX_APART ? null : `The plans' losses are ${apart.toExponential(1)} apart.`;
  return { name: program.name, problem, peer, ...measured };
}

interface Steps {
  readonly trainer: Trainer;
  readonly training: Training;
}

async function measure(
  { session, device, profile }: Opened,
  { without, budgetMillis }: TrainRequest,
  program: Program,
): Promise<Pick<TrainRow, "naive" | "fused" | "apart"> | string> {
  const chosen = { ...defaultOptions, ...program.options };
  const options: CompileOptions = { ...chosen, profile, disabledPasses: [...chosen.disabledPasses, ...without] };
  const compilation = compile(program.text, options);
  const source = compilation.naive?.graph;
  if (!source) return compilation.diagnostics.map(({ text }) => text).join(" ");
  const training = trainingOf({ graph: source, updates: compilation.updates, symbols: compilation.symbols });
  if (!training?.loss) return "This program does not train, or returns no loss.";
  const states = [fusionAt(compilation, 0), fusionAt(compilation, compilation.steps.length)];
  const plans = states.map((state) => planForTarget(state, device.target, options));
  const start = startingData(source, 0);
  const folded = states.flatMap(({ graph }) => [...foldedData(graph, start)]);
  const made = await session.train({
    plans: plans.map((plan, i) => ({ plan, ...stepOf(training, states[i]!.graph) })),
    answering: null,
    inputs: new Map<NodeId, NumberArray | Drawing>([...startingFeeds(source, 0), ...folded]),
  });
  if (!made.ok) return made.problem.text;
  const rates = await ratesOf({ trainer: made.value, training }, budgetMillis);
  await made.value.close();
  if (typeof rates === "string") return rates;
  const [naive, fused] = rates.rates.map((each, i): PlanRates => ({ ...each, kernels: plans[i]!.kernels.length }));
  return { naive: naive!, fused: fused!, apart: rates.apart };
}

/** Rounds of both plans in turn: first their losses, then rounds that count, a batch's copy left out and with it. */
async function ratesOf(
  steps: Steps,
  budgetMillis: number,
): Promise<{ readonly rates: Omit<PlanRates, "kernels">[]; readonly apart: number } | string> {
  const losses: (readonly number[])[] = [];
  for (const plan of PLANS.keys()) {
    const ran = await round(steps, plan, COMPARED, true);
    if (!ran.ok) return ran.problem.text;
    losses.push(ran.value.told.map(([loss]) => loss!));
  }
  const samples = PLANS.map(() => ({ resident: [] as number[], fed: [] as number[] }));
  const begin = performance.now();
  // One round of each warms up.
  for (let turn = 0; turn < 4 || performance.now() - begin < budgetMillis; turn++) {
    for (const [plan, times] of samples.entries()) {
      for (const kind of ["resident", "fed"] as const) {
        const ran = await round(steps, plan, MAX_STEPS, kind === "fed");
        if (!ran.ok) return ran.problem.text;
        if (turn > 0) times[kind].push(ran.value.millis / MAX_STEPS);
      }
    }
  }
  const rates = samples.map(({ resident, fed }) => {
    const middle = median(resident);
    return {
      resident: 1000 / middle,
      fed: 1000 / median(fed),
      spread: (Math.max(...resident) - Math.min(...resident)) / middle,
    };
  });
  const [want, got] = [losses[0]!, losses[1]!];
  return { rates, apart: Math.max(...want.map((loss, i) => Math.abs(got[i]! - loss) / Math.abs(loss))) };
}

/** `count` steps of a plan; fed: with the batches of the first steps, one after the other, else with the first one's alone. */
function round(
  { trainer, training }: Steps,
  plan: number,
  count: number,
  fed: boolean,
): Promise<Outcome<{ readonly told: readonly (readonly number[])[]; readonly millis: number }>> {
  const batches = Array.from({ length: count }, (_, step) => (fed || step === 0 ? batchesAt(training, 0, step) : null));
  return trainer.steps(plan, batches);
}

const pair = (rates: StepRates | null): string =>
  rates ? `${rates.resident.toFixed(0)} (${rates.fed.toFixed(0)})` : "";

function rowText({ name, problem, naive, fused, peer, apart }: TrainRow): string {
  if (!naive || !fused) return `${name.padEnd(22)} ${problem ?? "no time"}`;
  const cells = [
    name.padEnd(22),
    `${naive.kernels} → ${fused.kernels}`.padEnd(8),
    ...[naive, fused, peer].map((rates) => pair(rates).padStart(23)),
    apart.toExponential(0).padStart(7),
  ];
  return `${cells.join(" ")}${problem === null ? "" : "   WRONG"}`;
}

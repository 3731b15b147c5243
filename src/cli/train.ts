/** @file train: steps of a program that trains, naive beside fused, and how far they come apart. */
import {
  batchesAt,
  findDataSet,
  foldedData,
  fusionAt,
  labelBits,
  planForTarget,
  startingData,
  startingFeeds,
  stepOf,
  targetOf,
  trainingOf,
  trainOnCpu,
} from "../fusion";
import type { Drawing, NodeId, Training } from "../fusion";
import { createSession, hostEnv } from "../gpu";
import type { NumberArray } from "../gpu";
import type { Request } from "./args";
import { plural, table } from "./format";
import type { Planned } from "./report";
import type { Environment } from "./environment";

/** What both plans told, step by step: one row a step, one number for each of `training.told`. */
interface Trained {
  readonly device: string;
  readonly naive: readonly (readonly number[])[];
  readonly fused: readonly (readonly number[])[];
  /** Wall time of all steps, ms; 0 where the environment has no clock. */
  readonly millis: { readonly naive: number; readonly fused: number };
}

/** Rows of the table; a curve's ends are among them. */
const SHOWN = 10;

/** 0 once all steps have run; 1 where the program does not train or a device refuses. */
export async function train(request: Request, planned: Planned, environment: Environment): Promise<number> {
  const { compilation } = planned;
  const source = compilation.naive!.graph;
  const training = trainingOf({ graph: source, updates: compilation.updates, symbols: compilation.symbols });
  if (!training) {
    environment.complain(
      "This program does not train. A program trains when it computes a derivative and binds a weight's name to its next value, such as w = w - 0.1 * dw.",
    );
    return 1;
  }
  if (training.told.length === 0) {
    environment.complain(
      "This program returns no single number, so there is no loss to show. Return the loss: return loss",
    );
    return 1;
  }
  const ran = request.device === "cpu" ? onCpu : onWebgpu;
  const trained = await ran(request, planned, training, environment);
  if (typeof trained === "string") {
    environment.complain(trained);
    return 1;
  }
  const summary = { ...trained, told: training.told.map(({ name }) => name), apart: apartOf(trained) };
  environment.print(
    request.json
      ? JSON.stringify({ ...summary, steps: request.steps, seed: request.seed }, null, 2)
      : textOf(request, training, trained),
  );
  return 0;
}

/** Steps in one go: a device is asked for their numbers once. */
const AT_ONCE = 32;

async function onWebgpu(
  { steps, seed }: Request,
  { compilation }: Planned,
  training: Training,
  environment: Environment,
): Promise<Trained | string> {
  const gpu = await environment.gpu();
  if (typeof gpu === "string") return gpu;
  const session = createSession(gpu, hostEnv());
  const info = await session.describe();
  if (!info.ok) return info.problem.text;
  const source = compilation.naive!.graph;
  const states = [fusionAt(compilation, 0), fusionAt(compilation, compilation.steps.length)];
  const start = startingData(source, seed);
  const folded = states.flatMap(({ graph }) => [...foldedData(graph, start)]);
  const trainer = await session.train({
    plans: states.map((fusion) => ({
      plan: planForTarget(fusion, info.value.target, compilation.options),
      ...stepOf(training, fusion.graph),
    })),
    answering: null,
    inputs: new Map<NodeId, NumberArray | Drawing>([...startingFeeds(source, seed), ...folded]),
  });
  if (!trainer.ok) return trainer.problem.text;
  const told: [number[][], number[][]] = [[], []];
  const millis: [number, number] = [0, 0];
  for (let done = 0; done < steps; done += AT_ONCE) {
    const count = Math.min(AT_ONCE, steps - done);
    const batches = Array.from({ length: count }, (_, i) => batchesAt(training, seed, done + i));
    for (const plan of [0, 1] as const) {
      const ran = await trainer.value.steps(plan, batches);
      if (!ran.ok) return ran.problem.text;
      told[plan].push(...ran.value.told.map((row) => [...row]));
      millis[plan] += ran.value.millis;
    }
  }
  await trainer.value.close();
  await session.close();
  const { name, description } = info.value;
  return {
    device: `${name} (${description})`,
    naive: told[0],
    fused: told[1],
    millis: { naive: millis[0], fused: millis[1] },
  };
}

function onCpu(
  { steps, seed }: Request,
  { compilation }: Planned,
  training: Training,
  environment: Environment,
): Trained {
  const { options, naive } = compilation;
  const ran = (cursor: number) => {
    const program = { source: naive!.graph, fusion: fusionAt(compilation, cursor), training };
    const trainer = trainOnCpu(program, targetOf(options.profile), options.profile, seed);
    const begin = environment.now();
    const told = Array.from({ length: steps }, () => trainer.step());
    return { told, millis: environment.now() - begin };
  };
  const [before, after] = [ran(0), ran(compilation.steps.length)];
  return {
    device: "cpu",
    naive: before.told,
    fused: after.told,
    millis: { naive: before.millis, fused: after.millis },
  };
}

/** The largest relative difference of the losses, and the step where it is. */
function apartOf({ naive, fused }: Trained): { readonly relative: number; readonly step: number } {
  let [relative, step] = [0, 0];
  for (const [i, [loss = 0]] of naive.entries()) {
    const off = Math.abs(fused[i]![0]! - loss) / Math.max(Math.abs(loss), Number.MIN_VALUE);
    // Not a number is as far apart as can be, unless both are.
    const far = Number.isNaN(off) ? (Object.is(loss, fused[i]![0]) ? 0 : Infinity) : off;
    if (far > relative) [relative, step] = [far, i + 1];
  }
  return { relative, step };
}

const number = (value: number): string => (Number.isInteger(value) ? `${value}` : value.toPrecision(6));

function textOf({ steps, seed }: Request, training: Training, trained: Trained): string {
  const { naive, fused, millis } = trained;
  const rows = [...new Set(Array.from({ length: SHOWN }, (_, i) => Math.round((i * (steps - 1)) / (SHOWN - 1))))];
  const [loss, ...others] = training.told;
  const head = ["step", `${loss!.name}, naive`, `${loss!.name}, fused`, ...others.map(({ name }) => name)];
  const lines = rows.map((at) => {
    const [own, ...rest] = fused[at]!;
    return [`${at + 1}`, number(naive[at]![0]!), number(own!), ...rest.map(number)];
  });
  const sets = [...new Set(training.batches.map(({ attrs }) => attrs["set"]))].flatMap(
    (name) => findDataSet(name) ?? [],
  );
  const { relative, step } = apartOf(trained);
  const rate = (ms: number): string => (ms > 0 ? `${((steps * 1000) / ms).toPrecision(3)} steps/s` : "untimed");
  return [
    `${plural(steps, "step")} on ${trained.device}, seed ${seed}, ${plural(training.replaced.length, "tensor")} replaced at each step`,
    ...sets.map(
      (set) =>
        `${set.sentence} Guessing by how often each label occurs: ${(labelBits(set) * Math.LN2).toFixed(4)} nats, ${labelBits(set).toFixed(3)} bits.`,
    ),
    "",
    table([head, ...lines]),
    "",
    relative === 0
      ? "Both losses are equal at every step."
      : `The losses are apart by at most ${relative.toPrecision(2)} of the naive one, at step ${step}.`,
    `naive ${rate(millis.naive)}, fused ${rate(millis.fused)}`,
  ].join("\n");
}

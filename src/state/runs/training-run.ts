/** @file Training in the page: steps of both plans in turn, until somebody stops them; then they can go on. */
import { batchesAt, findDataSet, labelBits } from "../../fusion";
import { MAX_STEPS, type Trainer } from "../../gpu";
import type { TrainingPlans } from "../../workers";
import { askBeside } from "../ask-beside";
import type { SliceContext } from "../slices/slice-context";
import { pictureOf } from "./training-pictures";
import type { CurvePoint, TrainingCommand, TrainingState } from "../slices/slice-states";

/** A training that has begun: where it is, and what it has measured. */
interface Live {
  readonly text: string;
  readonly options: unknown;
  readonly plans: TrainingPlans;
  readonly trainer: Trainer;
  readonly about: Pick<TrainingState, "kernels" | "device" | "software" | "data" | "told" | "replaced">;
  steps: number;
  /** Every `stride`-th step is a point. */
  stride: number;
  curve: CurvePoint[];
  apart: number;
  /** ms and steps, the first pieces left out: a device that has been idle is slow at first. */
  readonly timed: { steps: number; naive: number; fused: number };
  picture: TrainingState["picture"];
  /** The loop goes on as long as this stands. */
  going: boolean;
}

const [NAIVE, FUSED] = [0, 1];
/** Of the order of examples and of the weights: the page's own. */
const SEED = 0;
/** ms that both plans' steps of one piece should take: short enough to stop soon and to see the curve move. */
const PIECE_MILLIS = 120;
/** Steps that say nothing about speed yet. */
const WARM_STEPS = 8;
const MAX_POINTS = 500;
/** ms between two pictures; a picture may take a fifth of the time at most. */
const PICTURE_MILLIS = 700;
const PICTURE_SHARE = 0.2;
/** ms between two states shown where motion is unwelcome. */
const CALM_MILLIS = 1000;

const lives = new WeakMap<SliceContext, Live>();

/** Starts or goes on, stops, or begins anew. `calm`: what is shown changes once a second, and pictures at rest only. */
export async function train(context: SliceContext, command: TrainingCommand, calm: boolean): Promise<void> {
  const live = lives.get(context);
  if (command === "stop") {
    if (live) live.going = false;
    return;
  }
  if (command === "reset") {
    await forget(context);
    context.set({ training: null });
    return;
  }
  if (live?.going || context.get().training?.status === "preparing") return;
  const { document } = context.get();
  const same = live?.text === document.text && live.options === document.options;
  const ready = same ? live : await begin(context);
  if (ready) await goOn(context, ready, calm);
}

async function forget(context: SliceContext): Promise<void> {
  const live = lives.get(context);
  if (!live) return;
  lives.delete(context);
  live.going = false;
  await live.trainer.close();
}

const NOTHING_YET = {
  told: [],
  replaced: 0,
  kernels: { naive: 0, fused: 0 },
  steps: 0,
  curve: [],
  stepsPerSecond: null,
  apart: 0,
  device: null,
  software: false,
  data: [],
  picture: null,
} as const;

/** Plans, weights and buffers; null where one is missing, which is said. */
async function begin(context: SliceContext): Promise<Live | null> {
  await forget(context);
  const { environment } = context;
  const { text, options } = context.get().document;
  const fail = (problem: string): null => {
    context.set({ training: { ...NOTHING_YET, text, status: "failed", problem } });
    return null;
  };
  context.set({ training: { ...NOTHING_YET, text, status: "preparing", problem: null } });
  const described = await environment.session.describe();
  if (!described.ok) return fail(described.problem.text);
  const device = described.value;
  const asked = { kind: "training", text, options, target: device.target, seed: SEED } as const;
  const reply = await askBeside(context, asked);
  if (!reply.ok) return fail(reply.text);
  const plans = reply.value.kind === "training" ? reply.value.training : null;
  if (!plans) return fail("This program does not train: it binds no weight to a value computed from a derivative.");
  const { training, request } = plans;
  if (!training.loss) return fail("This program returns no single number. Return the loss: return loss");
  const made = await environment.session.train(request);
  if (!made.ok) return fail(made.problem.text);
  const sets = [...new Set(training.batches.map(({ attrs }) => attrs["set"]))].flatMap(
    (name) => findDataSet(name) ?? [],
  );
  const live: Live = {
    text,
    options,
    plans,
    trainer: made.value,
    about: {
      told: training.told.map(({ name }) => name),
      replaced: training.replaced.length,
      kernels: { naive: request.plans[NAIVE]!.plan.kernels.length, fused: request.plans[FUSED]!.plan.kernels.length },
      device: device.name,
      software: device.software,
      data: sets.map((set) => ({ sentence: set.sentence, guessing: labelBits(set) * Math.LN2 })),
    },
    steps: 0,
    stride: 1,
    curve: [],
    apart: 0,
    timed: { steps: 0, naive: 0, fused: 0 },
    picture: null,
    going: false,
  };
  lives.set(context, live);
  return live;
}

function show(context: SliceContext, live: Live, status: TrainingState["status"], problem: string | null = null): void {
  if (lives.get(context) !== live) return;
  const { text, steps, apart, picture, timed, about } = live;
  const known = timed.naive > 0 && timed.fused > 0;
  const rate = (millis: number): number => (1000 * timed.steps) / millis;
  context.set({
    training: {
      ...about,
      text,
      status,
      problem,
      steps,
      curve: [...live.curve],
      stepsPerSecond: known ? { naive: rate(timed.naive), fused: rate(timed.fused) } : null,
      apart,
      picture,
    },
  });
}

/** Keeps a step of the curve; where there are too many, every second one. */
function keep(live: Live, point: CurvePoint): void {
  const last = live.curve.at(-1);
  // The newest point is always there, and is replaced by the next.
  if (last && (last.step - 1) % live.stride !== 0) live.curve.pop();
  live.curve.push(point);
  if (live.curve.length <= MAX_POINTS) return;
  live.stride *= 2;
  live.curve = live.curve.filter(({ step }, i) => (step - 1) % live.stride === 0 || i === live.curve.length - 1);
}

const relative = (a: number, b: number): number =>
  a === b || (Number.isNaN(a) && Number.isNaN(b)) ? 0 : Math.abs(a - b) / Math.max(Math.abs(a), Number.MIN_VALUE);

/** Runs the same steps with both plans; a sentence where the device refuses. */
async function piece(live: Live, count: number): Promise<string | { readonly millis: number }> {
  const { trainer, plans, timed } = live;
  const batches = Array.from({ length: count }, (_, i) => batchesAt(plans.training, SEED, live.steps + i));
  const naive = await trainer.steps(NAIVE, batches);
  if (!naive.ok) return naive.problem.text;
  const fused = await trainer.steps(FUSED, batches);
  if (!fused.ok) return fused.problem.text;
  naive.value.told.forEach((row, i) => {
    const other = fused.value.told[i]!;
    const apart = relative(row[0]!, other[0]!);
    live.apart = Number.isNaN(apart) ? Infinity : Math.max(live.apart, apart);
    keep(live, { step: live.steps + i + 1, naive: row, fused: other });
  });
  if (live.steps >= WARM_STEPS) {
    timed.steps += count;
    timed.naive += naive.value.millis;
    timed.fused += fused.value.millis;
  }
  live.steps += count;
  return { millis: naive.value.millis + fused.value.millis };
}

async function goOn(context: SliceContext, live: Live, calm: boolean): Promise<void> {
  const now = (): number => context.environment.now();
  live.going = true;
  let count = 1;
  let [shown, drawn, drawing] = [-Infinity, -Infinity, 0];
  const draw = async (): Promise<void> => {
    const start = now();
    const picture = await pictureOf(live.plans, live.trainer, FUSED, SEED, live.steps);
    live.picture = picture && { ...picture, steps: live.steps };
    drawn = now();
    drawing = drawn - start;
  };
  show(context, live, "running");
  while (live.going) {
    const done = await piece(live, count);
    if (typeof done === "string") {
      live.going = false;
      show(context, live, "failed", done);
      await forget(context);
      return;
    }
    count = nextCount(count, done.millis);
    if (!calm && now() - drawn > Math.max(PICTURE_MILLIS, drawing / PICTURE_SHARE)) await draw();
    if (now() - shown >= (calm ? CALM_MILLIS : 0)) {
      shown = now();
      show(context, live, "running");
    }
    // The page draws and hears Stop between two pieces.
    await new Promise((resolve) => setTimeout(resolve));
  }
  await draw();
  show(context, live, "stopped");
}

/** Steps of the next piece: as many as take its time, at most twice as many as before. */
const nextCount = (count: number, millis: number): number =>
  Math.max(1, Math.min(MAX_STEPS, 2 * count, Math.round((count * PIECE_MILLIS) / Math.max(millis, 1))));

/** @file What a training has learned, as a picture: the plane, some images, some written text. */
import {
  ALPHABET,
  examplesAt,
  examplesData,
  findDataSet,
  numbersOfExample,
  sizeOf,
  type DataSet,
  type InputData,
  type Node,
  type NodeId,
} from "../../fusion";
import type { Trainer } from "../../gpu";
import type { TrainingPlans } from "../../workers";
import type { TrainingPicture } from "../slices/slice-states";

/** Cells of the plane in a row, and how far from the centre it is drawn. */
const SIDE = 40;
const HALF_WIDTH = 1.25;
const IMAGES = 20;
const SAMPLES = 3;
const WRITTEN = 48;
/** Keeps the draws of written characters apart from those of the examples. */
const WRITING = 4;

type Answers = (inputs: ReadonlyMap<NodeId, InputData>) => Promise<ArrayLike<number> | null>;

/** What the program sees, batch by batch, and what it answers about each example: one number for each label. */
interface Asked {
  readonly set: DataSet;
  /** The input that holds what is seen. */
  readonly seen: Node;
  readonly rows: number;
  readonly answers: Answers;
  /** The last numbers of a row: one for each label. */
  readonly scores: (answer: ArrayLike<number>, row: number) => number[];
}

/** The picture of the data set that the program learns from; null where it does not answer about its examples one by one. */
export async function pictureOf(
  { training, request }: TrainingPlans,
  trainer: Trainer,
  plan: number,
  seed: number,
  step: number,
): Promise<TrainingPicture | null> {
  const { answer, batches } = training;
  const seen = batches.find(({ attrs }) => findDataSet(attrs["set"])?.parts[0].name === attrs["part"]);
  const set = findDataSet(seen?.attrs["set"]);
  if (!answer || !request.answering || !seen || !set) return null;
  const rows = seen.type.shape[0]!;
  const labels = answer.type.shape.at(-1)!;
  if (answer.type.shape[0] !== rows || answer.type.shape.length < 2 || labels < set.classes) return null;
  const stride = sizeOf(answer.type.shape) / rows;
  const asked: Asked = {
    set,
    seen,
    rows,
    answers: async (inputs) => {
      const answered = await trainer.answer(plan, inputs);
      return answered.ok ? answered.value : null;
    },
    scores: (all, row) => Array.from({ length: labels }, (_, k) => all[(row + 1) * stride - labels + k]!),
  };
  switch (set.view) {
    case "plane":
      return plane(asked);
    case "images":
      return images(asked, examplesAt(training, seed, step), batches);
    case "text":
      return text(asked, step);
  }
}

/** How likely each label is. */
function likelihoods(scores: readonly number[]): number[] {
  const most = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - most));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}

const largest = (scores: readonly number[]): number => scores.indexOf(Math.max(...scores));

async function plane({ set, seen, rows, answers, scores }: Asked): Promise<TrainingPicture | null> {
  const cells = SIDE * SIDE;
  const likely = new Float32Array(cells);
  const centre = (index: number): number => HALF_WIDTH * ((2 * index + 1) / SIDE - 1);
  for (let from = 0; from < cells; from += rows) {
    const points = new Float32Array(rows * 2);
    for (let row = 0; row < rows && from + row < cells; row++) {
      points[2 * row] = centre((from + row) % SIDE);
      points[2 * row + 1] = -centre(Math.floor((from + row) / SIDE));
    }
    const all = await answers(new Map([[seen.id, points]]));
    if (!all) return null;
    for (let row = 0; row < rows && from + row < cells; row++) likely[from + row] = likelihoods(scores(all, row))[1]!;
  }
  const every = Array.from({ length: set.examples }, (_, i) => i);
  const [points, labels] = set.parts.map(({ name: part, dtype }, i) =>
    examplesData(
      { set: set.name, part, type: { dtype, shape: i === 0 ? [set.examples, 2] : [set.examples] }, seed: 0 },
      every,
    ),
  );
  const learned = every.map((i) => ({ x: points![2 * i]!, y: points![2 * i + 1]!, label: labels![i]! }));
  return { kind: "plane", side: SIDE, reach: HALF_WIDTH, likely, points: learned };
}

async function images(
  { set, seen, rows, answers, scores }: Asked,
  batch: ReadonlyMap<NodeId, InputData>,
  batches: readonly Node[],
): Promise<TrainingPicture | null> {
  const truth = batches.find(({ attrs }) => attrs["set"] === set.name && attrs["part"] === set.parts[1].name);
  const labels = truth && batch.get(truth.id);
  const all = await answers(batch);
  if (!all || !labels) return null;
  const data = batch.get(seen.id)!;
  const size = data.length / rows;
  const shown = Array.from({ length: Math.min(rows, IMAGES) }, (_, row) => ({
    pixels: Float32Array.from(data.subarray(row * size, (row + 1) * size)),
    label: labels[row]!,
    said: largest(scores(all, row)),
  }));
  return { kind: "images", side: Math.sqrt(size), images: shown };
}

/** Some beginnings from the text, each continued by what the program finds likely. */
async function text({ set, seen, rows, answers, scores }: Asked, step: number): Promise<TrainingPicture | null> {
  const { shape } = seen.type;
  const length = shape[1]!;
  const starts = Array.from(
    { length: rows },
    (_, row) => Math.floor(((row % SAMPLES) * set.examples) / SAMPLES) + length,
  );
  const context = examplesData({ set: set.name, part: set.parts[0].name, type: seen.type, seed: 0 }, starts);
  const words = (row: number): string =>
    Array.from(context.subarray(row * length, (row + 1) * length), (letter) => ALPHABET[letter]).join("");
  const count = Math.min(rows, SAMPLES);
  const given = Array.from({ length: count }, (_, row) => words(row));
  const written = given.map(() => "");
  const draws = given.map((_, row) => numbersOfExample(step, WRITING, row));
  for (let at = 0; at < WRITTEN; at++) {
    const all = await answers(new Map([[seen.id, context]]));
    if (!all) return null;
    for (let row = 0; row < count; row++) {
      const next = drawn(likelihoods(scores(all, row).slice(0, set.classes)), draws[row]!());
      context.copyWithin(row * length, row * length + 1, (row + 1) * length);
      context[(row + 1) * length - 1] = next;
      written[row] += ALPHABET[next]!;
    }
  }
  return { kind: "text", samples: given.map((beginning, row) => ({ given: beginning, written: written[row]! })) };
}

/** The label at `part`, 0 to 1, of all likelihoods laid end to end. */
function drawn(likely: readonly number[], part: number): number {
  let left = part;
  for (const [label, share] of likely.entries()) {
    left -= share;
    if (left < 0) return label;
  }
  return likely.length - 1;
}

/** @file Batches: which examples a step sees, and their numbers as an input holds them. */
import { sizeOf, showShape, showType, type TensorType } from "../ir";
import { numbersOfExample, type DataPart, type DataSet } from "./define";
import { digits } from "./digits";
import { spirals } from "./spirals";
import { story } from "./story";

/** All data sets; their names are written in programs. */
export const dataSets: readonly DataSet[] = [spirals, digits, story];

/** The data set called `name`, or null. */
export const findDataSet = (name: unknown): DataSet | null => dataSets.find((each) => each.name === name) ?? null;

const findPart = (set: unknown, part: unknown): DataPart | null =>
  findDataSet(set)?.parts.find((each) => each.name === part) ?? null;

/** Examples in a batch that somebody declares who says no number: the whole of a small set, else so many. */
const USUAL_BATCH = 64;

/** The types in which a part is usually declared, the likeliest first; none for what is no part of a set. */
export function usualTypes(set: unknown, part: unknown): readonly TensorType[] {
  const found = findPart(set, part);
  const batch = isWholeSet(set, 4 * USUAL_BATCH) ? 4 * USUAL_BATCH : USUAL_BATCH;
  return found?.usual.map((shape) => ({ dtype: found.dtype, shape: [batch, ...shape] })) ?? [];
}

/** The entropy of a set's labels, in bits: the loss of whoever knows only how often each label occurs. */
export function labelBits({ examples, parts: [, labels] }: DataSet): number {
  const counts = new Map<number, number>();
  const label = [0];
  for (let index = 0; index < examples; index++) {
    labels.read(label, 0, index, [], 0);
    counts.set(label[0]!, (counts.get(label[0]!) ?? 0) + 1);
  }
  let bits = 0;
  for (const count of counts.values()) bits -= (count / examples) * Math.log2(count / examples);
  return bits;
}

/** Why an input of this type can't hold batches of `part` of `set`, in a sentence; null when it can. */
export function dataProblem(set: unknown, part: unknown, { dtype, shape }: TensorType): string | null {
  const found = findDataSet(set);
  if (!found)
    return `There is no data set ${JSON.stringify(set ?? "")}. There are ${dataSets.map(({ name }) => `"${name}"`).join(", ")}.`;
  const tensor = findPart(set, part);
  const written = found.parts.map(({ name }) => `data("${found.name}", "${name}")`).join(" and ");
  if (!tensor)
    return `The data set "${found.name}" has no part ${JSON.stringify(part ?? "")}. It is read as ${written}.`;
  const [batch = 0, ...rest] = shape;
  const says = `The ${tensor.name} of "${found.name}" are ${tensor.dtype}, and after the batch's axis an example has ${tensor.shapes}`;
  if (dtype !== tensor.dtype) return `${says}. This is ${showType({ dtype, shape })}.`;
  if (batch < 1 || !tensor.fits(rest)) return `${says}. This is ${showShape(shape)}.`;
  return null;
}

const SHUFFLE = 3;
let shuffled: { readonly key: string; readonly order: Uint32Array } | null = null;

/** The examples in the order of one epoch. Fisher and Yates 1938. */
function orderOf(examples: number, seed: number, epoch: number): Uint32Array {
  const key = `${examples} ${seed} ${epoch}`;
  if (shuffled?.key === key) return shuffled.order;
  const order = Uint32Array.from({ length: examples }, (_, i) => i);
  const next = numbersOfExample(seed, SHUFFLE, epoch);
  for (let i = examples - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  shuffled = { key, order };
  return order;
}

/** True when every step sees all examples, in the order of the set. */
export const isWholeSet = (set: unknown, batch: number): boolean => batch % (findDataSet(set)?.examples ?? 1) === 0;

/** The examples that step `step` sees, in the batch's order. Each epoch has every example once, in an order of its own. */
export function examplesOf(set: string, batch: number, seed: number, step: number): number[] {
  const { examples } = findDataSet(set)!;
  const whole = isWholeSet(set, batch);
  return Array.from({ length: batch }, (_, row) => {
    if (whole) return row % examples;
    const at = step * batch + row;
    return orderOf(examples, seed, Math.floor(at / examples))[at % examples]!;
  });
}

/** Numbers of examples as an input of this type holds them; the type has passed `dataProblem`. */
export function examplesData(
  {
    set,
    part,
    type,
    seed,
  }: { readonly set: string; readonly part: string; readonly type: TensorType; readonly seed: number },
  examples: readonly number[],
): Float32Array | Int32Array {
  const { dtype, shape } = type;
  const rest = shape.slice(1);
  const each = sizeOf(rest);
  const out = dtype === "f32" ? new Float32Array(sizeOf(shape)) : new Int32Array(sizeOf(shape));
  const tensor = findPart(set, part)!;
  examples.forEach((index, row) => tensor.read(out, row * each, index, rest, seed));
  return out;
}

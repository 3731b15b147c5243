/** @file Random valid programs of 1–12 statements for property tests: a counterexample is a text that can be pasted into the page. */
import fc from "fast-check";
import { broadcastShapes, sizeOf, type Graph, type Shape } from "../src/fusion/ir";
import { parseProgram } from "../src/fusion/text";

/** Extents that catch tails, odd strides and power-of-two assumptions. */
const EXTENTS = [1, 3, 31, 33, 65, 127, 1000];
/** Elements of one tensor: interpreters walk every one. */
const MAX_ELEMENTS = 4200;

interface Value {
  readonly name: string;
  readonly shape: Shape;
  readonly bool: boolean;
}

/** One statement as numbers: which kind, on which values, with which details. Shrinks towards `relu` of the newest value. */
export type Choice = readonly [kind: number, first: number, second: number, detail: number];

export const choiceArbitrary: fc.Arbitrary<Choice> = fc.tuple(
  fc.nat({ max: 23 }),
  fc.nat({ max: 7 }),
  fc.nat({ max: 7 }),
  fc.nat({ max: 63 }),
);

/** A program: rank and extents of the first input, then up to twelve statements. */
export const programArbitrary: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.nat({ max: EXTENTS.length - 1 }), { maxLength: 4 }),
    fc.array(choiceArbitrary, { minLength: 1, maxLength: 12 }),
    fc.nat({ max: 5 }),
  )
  .map(([extents, choices, results]) => programOf(extents, choices, results));

/** The graph of a program that must be valid. */
export function graphOf(text: string): Graph {
  const parsed = parseProgram(text);
  if (!parsed.complete) throw new Error(`${parsed.diagnostics.map((d) => d.text).join("\n")}\n${text}`);
  return parsed.graph;
}

interface Writing {
  readonly lines: string[];
  readonly values: Value[];
  readonly expressions: { readonly text: string; readonly shape: Shape; readonly bool: boolean }[];
  inputs: number;
}

export function programOf(extents: readonly number[], choices: readonly Choice[], results: number): string {
  const writing: Writing = { lines: [], values: [], expressions: [], inputs: 0 };
  const shape: number[] = [];
  for (const pick of extents) {
    const extent = EXTENTS[pick]!;
    shape.push(sizeOf(shape) * extent > MAX_ELEMENTS ? 1 : extent);
  }
  addInput(writing, shape);
  for (const choice of choices) addStatement(writing, choice);
  if (writing.expressions.length === 0) addStatement(writing, [0, 0, 0, 0]);
  const made = writing.values.filter(({ name }) => name.startsWith("v"));
  // Some programs name their results, so that results are read further and dead values exist.
  if (results > 3) {
    const named = made.filter((_, i) => (i + results) % 3 === 0);
    const returned = named.length > 0 ? named : made.slice(-1);
    writing.lines.push(`return ${returned.map(({ name }) => name).join(", ")}`);
  }
  return writing.lines.join("\n");
}

function addInput(writing: Writing, shape: Shape): Value {
  const value: Value = { name: `x${writing.inputs++}`, shape, bool: false };
  writing.lines.push(`${value.name}: f32[${shape.join(", ")}]`);
  writing.values.push(value);
  return value;
}

function addStatement(writing: Writing, choice: Choice): void {
  const made = expressionOf(writing, choice);
  if (made === null || sizeOf(made.shape) > 2 * MAX_ELEMENTS || sizeOf(made.shape) === 0) return;
  const name = `v${writing.expressions.length}`;
  writing.expressions.push(made);
  writing.lines.push(`${name} = ${made.text}`);
  writing.values.push({ name, shape: made.shape, bool: made.bool });
}

type Made = { readonly text: string; readonly shape: Shape; readonly bool: boolean } | null;

const UNARY = ["relu", "tanh", "sigmoid", "abs", "neg", "gelu", "exp", "floor"] as const;
const BINARY = ["+", "-", "*", "max", "div"] as const;
const NEUTRAL = ["* 1", "+ 0", "- 0", "/ 1", "* 0.5", "+ 1.5", "- 0.25", "/ 3"] as const;
const REDUCE = ["sum", "mean", "max", "min", "argmax", "sum_square"] as const;
const NORMS = ["softmax", "log_softmax", "l2_normalize", "logsumexp"] as const;

/** From the newest back, so that shrinking keeps programs connected. */
const pick = <T>(list: readonly T[], index: number): T => list[list.length - 1 - (index % list.length)]!;

function expressionOf(writing: Writing, [kind, first, second, detail]: Choice): Made {
  const numeric = writing.values.filter(({ bool }) => !bool);
  const x = pick(numeric, first);
  const { name, shape } = x;
  const rank = shape.length;
  const axis = rank === 0 ? 0 : detail % rank;
  const same = (text: string): Made => ({ text, shape, bool: false });
  switch (kind) {
    case 0:
    case 1:
    case 2:
      return same(`${UNARY[detail % UNARY.length]!}(${name})`);
    case 3:
    case 4:
    case 5:
      return binary(writing, x, pick(numeric, second), detail);
    case 6:
      return same(`${name} ${NEUTRAL[detail % NEUTRAL.length]!}`);
    case 7:
    case 8:
    case 9:
      return reduction(x, axis, detail, second);
    case 10:
    case 11:
      return rank === 0 ? null : normalised(x, axis, detail);
    case 12:
      return rank < 2
        ? null
        : { text: `transpose(${name}, ${axis}, ${(axis + 1) % rank})`, shape: swapped(shape, axis), bool: false };
    case 13:
      return reshaped(x, detail);
    case 14:
      return rank === 0 || shape[axis]! < 2 ? null : sliced(x, axis, detail);
    case 15:
      return rank === 0 ? null : concatenated(numeric, x, axis, second);
    case 16:
      return rank === 0
        ? null
        : {
            text: `pad(${name}, (${detail % 3}, ${second % 3}))`,
            shape: shape.map((e, i) => (i === rank - 1 ? e + (detail % 3) + (second % 3) : e)),
            bool: false,
          };
    case 17:
    case 18:
      return product(writing, numeric, x, second, detail);
    case 19:
      return same(`where(${name} > ${detail % 2}, ${name}, ${detail % 3 === 0 ? "0.5" : `${name} * 2`})`);
    case 20:
      return same(`dropout(${name}, p=0.25, seed=${detail % 3})`);
    case 21:
      // The very same expression again: for common subexpressions.
      return writing.expressions.length === 0 ? null : pick(writing.expressions, second);
    case 22:
      return same(`${["silu", "gelu", "-", "abs"][detail % 4]!}(${name})`);
    default:
      return rank === 0 ? same(`relu(relu(${name}))`) : { text: `flip(${name}, ${axis})`, shape, bool: false };
  }
}

function binary(writing: Writing, x: Value, y: Value, detail: number): Made {
  const other =
    broadcastShapes(x.shape, y.shape) && detail % 3 !== 0 ? y : addInput(writing, narrowed(x.shape, detail));
  const shape = broadcastShapes(x.shape, other.shape)!;
  const sign = BINARY[detail % BINARY.length]!;
  const text =
    sign === "max"
      ? `maximum(${x.name}, ${other.name})`
      : sign === "div"
        ? `${x.name} / (abs(${other.name}) + 1)`
        : `${x.name} ${sign} ${other.name}`;
  return { text, shape, bool: false };
}

/** A shape that broadcasts against `shape`: the same, trailing axes, or some extents of 1. */
const narrowed = (shape: Shape, detail: number): Shape =>
  detail % 4 === 0
    ? shape
    : detail % 4 === 1
      ? shape.slice(-1)
      : detail % 4 === 2
        ? shape.map((extent, i) => (i % 2 === 0 ? 1 : extent))
        : shape.map((extent, i) => (i % 2 === 1 ? 1 : extent));

function reduction(x: Value, axis: number, detail: number, second: number): Made {
  const op = REDUCE[detail % REDUCE.length]!;
  const rank = x.shape.length;
  if (rank === 0) return null;
  if (second === 7 && op !== "argmax") return { text: `${x.name}.${op}()`, shape: [], bool: false };
  const keep = second % 2 === 0;
  const shape = keep ? x.shape.map((extent, i) => (i === axis ? 1 : extent)) : x.shape.filter((_, i) => i !== axis);
  const text = `${x.name}.${op}(dim=${axis}, keepdim=${keep ? "True" : "False"})`;
  return { text: op === "argmax" ? `${text} * 0.5` : text, shape, bool: false };
}

function normalised(x: Value, axis: number, detail: number): Made {
  const last = x.shape.at(-1)!;
  if (detail % 6 === 0) return { text: `layer_norm(${x.name}, (${last},))`, shape: x.shape, bool: false };
  if (detail % 6 === 1) return { text: `rms_norm(${x.name}, (${last},))`, shape: x.shape, bool: false };
  const op = NORMS[detail % NORMS.length]!;
  const shape = op === "logsumexp" ? x.shape.filter((_, i) => i !== axis) : x.shape;
  return { text: `${op}(${x.name}, dim=${axis})`, shape, bool: false };
}

const swapped = (shape: Shape, axis: number): Shape => {
  const other = (axis + 1) % shape.length;
  return shape.map((extent, i) => (i === axis ? shape[other]! : i === other ? shape[axis]! : extent));
};

function reshaped(x: Value, detail: number): Made {
  const flat = sizeOf(x.shape);
  const divisor = [31, 3, 5, 13, 2].find((d) => flat % d === 0 && flat > d);
  const shape =
    divisor === undefined || detail % 3 === 0
      ? [flat]
      : detail % 3 === 1
        ? [divisor, flat / divisor]
        : [flat / divisor, divisor];
  return { text: `${x.name}.reshape(${shape.join(", ")})`, shape, bool: false };
}

function sliced(x: Value, axis: number, detail: number): Made {
  const extent = x.shape[axis]!;
  const from = detail % (extent - 1);
  const step = 1 + (detail % 2);
  const text = x.shape.map((_, i) => (i === axis ? `${from}:${extent}:${step}` : ":")).join(", ");
  return {
    text: `${x.name}[${text}]`,
    shape: x.shape.map((e, i) => (i === axis ? Math.ceil((e - from) / step) : e)),
    bool: false,
  };
}

function concatenated(values: readonly Value[], x: Value, axis: number, second: number): Made {
  const fits = values.filter(
    ({ shape }) => shape.length === x.shape.length && shape.every((e, i) => i === axis || e === x.shape[i]),
  );
  const other = pick(fits, second);
  const shape = x.shape.map((extent, i) => (i === axis ? extent + other.shape[i]! : extent));
  return { text: `concat([${x.name}, ${other.name}], dim=${axis})`, shape, bool: false };
}

function product(writing: Writing, values: readonly Value[], x: Value, second: number, detail: number): Made {
  const { shape } = x;
  if (shape.length < 2) return null;
  const k = shape.at(-1)!;
  const fits = values.filter((v) => v.shape.length === 2 && v.shape[0] === k);
  const columns = EXTENTS[detail % 5]!;
  if (fits.length > 0 && detail % 2 === 0) {
    const other = pick(fits, second);
    return { text: `${x.name} @ ${other.name}`, shape: [...shape.slice(0, -1), other.shape[1]!], bool: false };
  }
  const turned = detail % 4 === 1;
  const w = addInput(writing, turned ? [columns, k] : [k, columns]);
  return { text: `${x.name} @ ${w.name}${turned ? ".T" : ""}`, shape: [...shape.slice(0, -1), columns], bool: false };
}

/**
 * @file Random programs made of the blocks that people write: projections, attention, norms, heads split and joined, convolutions,
 * scans, indices, losses, and the gradients of it all. A program is a text, so that a counterexample can be pasted into the page.
 */
import fc from "fast-check";
import { sizeOf } from "../../src/fusion/ir";
import { parseProgram } from "../../src/fusion/text";
import { Dice, Writing, type Value } from "./any-program";
import { Refused, Stream, type Block } from "./block-stream";
import { attention, feedForward, gatedHeads, kernelised, linear, mixed } from "./blocks-attention";
import { convolution, pooled, scanned } from "./blocks-images";
import { dispatched, folded, indexed, updated } from "./blocks-indices";
import { graphs, grouped, paired, recurrent, windowed } from "./blocks-models";
import { halved, moved, normed, residual, rotary } from "./blocks-rows";
import { byCall, byCallCounted, wideWays, type Case, type Ways } from "./plan-laws";

/** What follows one another; a small number is a common block. */
export const blocks: readonly Block[] = [
  linear,
  normed,
  attention,
  moved,
  residual,
  feedForward,
  folded,
  convolution,
  rotary,
  scanned,
  kernelised,
  indexed,
  pooled,
  halved,
  updated,
  gatedHeads,
  mixed,
  dispatched,
  windowed,
  grouped,
  paired,
  graphs,
  recurrent,
];

/** One block as numbers: which, of which value, with which details. */
type Choice = readonly [kind: number, from: number, detail: number];

/** A program of blocks as numbers. */
export interface Blocks {
  readonly start: number;
  readonly detail: number;
  readonly blocks: readonly Choice[];
  readonly results: number;
  /** 0: forward alone. */
  readonly gradient: number;
}

const anyDetail = fc.noBias(fc.maxSafeNat());
/** Blocks that shrink to fewer, plainer ones. */
export const blocksArbitrary = (most: number): fc.Arbitrary<Blocks> =>
  fc.record({
    start: fc.noBias(fc.nat({ max: STARTS.length - 1 })),
    detail: anyDetail,
    blocks: fc.array(fc.tuple(fc.noBias(fc.nat({ max: blocks.length - 1 })), fc.nat({ max: 7 }), anyDetail), {
      minLength: 1,
      maxLength: most,
    }),
    results: fc.noBias(fc.nat({ max: 8 })),
    gradient: fc.noBias(fc.nat({ max: 11 })),
  });

const TOKENS = [5, 7, 3, 4, 9, 17, 2, 33, 1, 8];
const WIDTHS = [6, 8, 4, 12, 3, 10, 16, 9];
const BATCH = [2, 1, 3];

/** Tensors that programs begin with; of `size` 1 they are large enough for split sums and several workgroups. */
const STARTS: readonly ((dice: Dice, size: number) => number[])[] = [
  (dice, size) => [dice.pick(BATCH), ...tokens(dice, size)],
  (dice, size) => tokens(dice, size),
  (dice) => [dice.pick(BATCH), dice.pick([2, 3, 4, 1]), dice.pick(TOKENS), dice.pick([4, 3, 8, 5, 2, 1])],
  (dice) => [dice.pick(BATCH), dice.pick([4, 6, 3, 2, 8]), dice.pick([5, 7, 4, 8, 6]), dice.pick([7, 5, 6, 8, 3])],
  (dice, size) => [dice.pick(BATCH), dice.pick([4, 6, 3]), size > 0 ? 257 : dice.pick([9, 16, 11, 33])],
];
const tokens = (dice: Dice, size: number): number[] => {
  if (size === 0) return [dice.pick(TOKENS), dice.pick(WIDTHS)];
  return dice.pick([
    [65, 32],
    [20, 130],
    [3, 1030],
    [130, 12],
    [257, 6],
    [1, 2050],
  ]);
};

/** The program that the choices describe. */
export function blocksText(
  { start, detail, blocks: chosen, results, gradient }: Blocks,
  refusals: string[] = [],
): string {
  const dice = new Dice(detail);
  const size = dice.roll(8) === 7 ? 1 : 0;
  const writing = new Writing(
    size > 0
      ? { mostElements: 20_000, mostProducts: 200_000, tame: true }
      : { mostElements: 3000, mostProducts: 30_000, tame: true },
  );
  writing.input(STARTS[start]!(dice, size));
  writing.declare();
  for (const [kind, from, how] of chosen) {
    const x = writing.valueAt(from < 5 ? 0 : from - 4, isWide);
    if (x === null) break;
    try {
      blocks[kind]!(new Stream(writing), x, new Dice(how));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refusals.push(`${writing.text(0)}\n${error.message}`);
    }
  }
  if (writing.statements === 0) writing.state({ text: "softmax($0, dim=-1)", operands: [writing.values[0]!] });
  return gradient < 8 ? writing.text(results) : differentiated(writing, gradient - 8);
}

const isWide = ({ type: { dtype, shape } }: Value): boolean =>
  dtype === "f32" && shape.length >= 2 && shape.length <= 4 && sizeOf(shape) > 1;

const LOSSES = ["($ * $).mean()", "tanh($).sum()", "$.mean(dim=-1).square().sum()", "torch.log1p($.abs()).mean()"];

/** The gradients of a scalar of the newest value by the first inputs, asked for in one of three ways. */
function differentiated(writing: Writing, how: number): string {
  const text = writing.text(0);
  const last = writing.values.findLast(({ name, type }) => name.startsWith("v") && type.dtype === "f32");
  const inputs = writing.values.filter(({ name, type }) => name.startsWith("x") && type.dtype === "f32").slice(0, 5);
  if (!last) return text;
  const loss = LOSSES[(how + text.length) % LOSSES.length]!.replaceAll("$", last.name);
  const names = inputs.map(({ name }) => name);
  const all = names.map((name) => `d_${name}`).join(", ");
  const ways = [
    () =>
      `${text}\nloss = ${loss}\nloss.backward()\n${names.map((n) => `d_${n} = ${n}.grad`).join("\n")}\nreturn loss, ${all}`,
    () => {
      const each = names.map((n) => `d_${n} = torch.autograd.grad(loss, ${n})[0]`).join("\n");
      return `${text}\nloss = ${loss}\n${each}\nreturn ${all}`;
    },
    () => {
      const lines = text.split("\n");
      const declared = lines.filter((line) => line.startsWith("x"));
      const body = [...lines.filter((line) => !line.startsWith("x")), `return ${loss}`].map((line) => `    ${line}`);
      const whole = `${names.join(", ")}`;
      return [
        ...declared,
        `def f(${whole}):`,
        ...body,
        `g = grad(f, argnums=(${names.map((_, i) => i).join(", ")},))(${whole})`,
        `return ${names.map((_, i) => `g[${i}]`).join(", ")}`,
      ].join("\n");
    },
  ];
  const whole = ways[how % ways.length]!();
  return parseProgram(whole).complete ? whole : text;
}

const PLAIN: readonly Ways[] = [byCall, byCallCounted];
/** A third is planned as the page does at first, half of it for a counted machine; the others with any options. */
export const blockCases = (most: number): fc.Arbitrary<Case> =>
  fc
    .tuple(blocksArbitrary(most), wideWays, fc.noBias(fc.nat({ max: 5 })))
    .map(([chosen, ways, how]) => ({ text: blocksText(chosen), ways: PLAIN[how] ?? ways }));

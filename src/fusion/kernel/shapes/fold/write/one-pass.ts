/** @file Folds of two stages in one walk: what the second took from the first is repaired when the first moves on (kernel/shapes/fold/rows/merged-stages.ts says which). */
import { node, type NodeId } from "../../../../ir";
import { opDef } from "../../../../ops";
import type { MergedStages, RunningPair } from "../rows/merged-stages";
import { wordFor } from "../../../emit/emitter";
import type { Cond, Index, Tuple } from "../../../emit/index-space";
import { literal, widthOf, type Expr, type Reg, type Value, type Width } from "../../../emit/kernel-ir";
import type { Lowering } from "../../../emit/lowering";
import { accumulator, finished, foldIn, type Accumulator } from "../../../emit/accumulate";
import { insideOr, LOWEST_FINITE, NOTHING, scale } from "../../attention/write/online-softmax-state";

/** What a thread visits of a row, iteration by iteration. */
export interface Walk {
  readonly low: Lowering;
  readonly width: Width;
  readonly columns: number;
  /** What all lanes and threads of the row have folded. */
  readonly join: (accs: readonly Accumulator[], stage: number) => readonly Accumulator[];
  /** @param first values that do not wait for what is folded so far */
  each(first: readonly NodeId[], visit: (at: Tuple, column: Index, inside: Cond, iteration: Index) => void): void;
  /** How many columns each lane of this thread has seen in the end. */
  seen(): Value;
  /** How many the part of the row has that this workgroup folds; null where it folds all of it. */
  readonly count: (() => Value) | null;
}

const ZERO = literal(0, "f32");

/** A pair while the row goes by. */
interface Running {
  readonly visit: (at: Tuple, column: Index, inside: Cond, iteration: Index) => void;
  /** What all threads join first. */
  readonly head: () => Accumulator;
  /** The other folds, moved to where the joined head stands. */
  readonly rest: (head: Accumulator) => readonly Accumulator[];
}

/** Folds both stages. Of a whole row each fold is known from then on; of a part, what it leaves is returned. */
export function foldMerged(walk: Walk, { stage, pairs, plain }: MergedStages): readonly Accumulator[] {
  const { low, width } = walk;
  const running = pairs.map((pair) => (pair.kind === "peak" ? runningPeak(walk, pair) : runningMoments(walk, pair)));
  const accs = plain.map((id) => accumulator(low, id, width));
  const first = [...pairs.map(({ operand }) => operand), ...accs.map(({ operand }) => operand)];
  walk.each(first, (at, column, inside, iteration) => {
    for (const { visit } of running) visit(at, column, inside, iteration);
    for (const acc of accs) foldIn(low, acc, at, column, inside);
  });
  const heads = walk.join([...running.map(({ head }) => head()), ...accs], stage);
  for (const acc of heads.slice(running.length)) settle(walk, acc);
  const rest = walk.join(
    running.flatMap(({ rest: others }, i) => others(heads[i]!)),
    stage + 1,
  );
  for (const acc of rest) settle(walk, acc);
  return [...heads, ...rest];
}

/** One arithmetic op on registers. */
function arithmetic(
  { low, width }: Pick<Walk, "low" | "width">,
  id: NodeId,
): (name: string, op: string, ...args: Value[]) => Reg {
  return (name, op, ...args) =>
    low.let(name, "f32", width, { kind: "op", def: opDef(op), args, attrs: {}, index: null }, [id]);
}

/** One of them is joined: of a whole row, its node means the row's value from here on. */
function settle(walk: Walk, joined: Accumulator): Value {
  if (walk.count !== null) return joined.value;
  const { low, columns } = walk;
  const value = finished(low, joined, columns);
  low.setRowValue(joined.id, value);
  return value;
}

/** An accumulator whose value is at hand. */
function holding(low: Lowering, id: NodeId, value: Reg): Accumulator {
  const n = node(low.graph, id);
  return { id, def: opDef(n.op), operand: n.inputs[0]!, scalar: "f32", value, position: null, settled: false };
}

/**
 * Sums of multiples of exponentials below a running peak: when the peak rises by d, each sum so far shrinks by e^d. On the way the
 * peak is never −∞; in the end it may be, and −∞ − −∞ makes the sums no numbers, as they are where the row is walked twice.
 */
function runningPeak(walk: Walk, { first, seconds, operand }: RunningPair): Running {
  const { low, width } = walk;
  const name = wordFor(node(low.graph, first));
  const make = arithmetic(walk, first);
  const top = low.variable(`${name}_top`, "f32", width, NOTHING, [first]);
  const floored = (peak: Value): Reg => make(`${name}_base`, "maximum", peak, LOWEST_FINITE);
  const accs = seconds.map((second) => accumulator(low, second, width));
  const rescaleTo = (to: Value): void => {
    const factor = make("fade", "exp", make("fallen", "sub", top, to));
    for (const acc of accs) scale(low, acc.value, factor, acc.id);
  };
  return {
    visit(at, column, inside) {
      const x = insideOr(low, low.converted(low.valueAt(operand, at), "f32", operand), inside, NOTHING, operand);
      const def = opDef(node(low.graph, first).op);
      const now = low.let(`${name}_now`, "f32", width, { kind: "combine", def, a: top, b: x }, [first]);
      const base = floored(now);
      rescaleTo(base);
      low.forget(first);
      low.setRowValue(first, base);
      for (const acc of accs) foldIn(low, acc, at, column, inside);
      low.set(top, now, [first]);
    },
    head: () => holding(low, first, top),
    rest(head) {
      const peak = settle(walk, head);
      rescaleTo(walk.count === null ? peak : floored(peak));
      return accs;
    },
  };
}

/** Welford's mean and sum of squares around it, joined over threads as Chan, Golub and LeVeque do. */
function runningMoments(walk: Walk, { first, seconds, operand }: RunningPair): Running {
  const { low, width } = walk;
  const name = wordFor(node(low.graph, first));
  const make = arithmetic(walk, first);
  const mean = low.variable(`${name}_so_far`, "f32", width, ZERO, [first]);
  const acc = accumulator(low, seconds[0]!, width);
  const add = (reg: Reg, value: Value): void =>
    low.set(reg, { kind: "op", def: opDef("add"), args: [reg, value], attrs: {}, index: null }, [first]);
  return {
    visit(at, _column, inside, iteration) {
      const x = low.converted(low.valueAt(operand, at), "f32", operand);
      const number = low.let("number", "i32", 1, { kind: "index", index: low.space.add(iteration, low.space.int(1)) }, [
        first,
      ]);
      const off = insideOr(low, make("off", "sub", x, mean), inside, ZERO, first);
      // One division an element takes longer than its load.
      const weight = low.let("weight", "f32", 1, op("div", literal(1, "f32"), low.converted(number, "f32", first)), [
        first,
      ]);
      add(mean, make("moved", "mul", off, weight));
      const rest = insideOr(low, make("rest", "sub", x, mean), inside, ZERO, first);
      add(acc.value, make("squared", "mul", off, rest));
    },
    head: () => holding(low, first, make("weighted", "mul", mean, walk.seen())),
    rest(total) {
      const whole = walk.count ? quotient(low, first, total.value, walk.count()) : settle(walk, total);
      const apart = make("apart", "sub", mean, whole);
      add(acc.value, make("between", "mul", make("apart_squared", "mul", apart, apart), walk.seen()));
      return [acc];
    },
  };
}

/** The mean of a part. */
const quotient = (low: Lowering, id: NodeId, total: Value, count: Value): Reg =>
  low.let("part_mean", "f32", widthOf(total), op("div", total, count), [id]);

const op = (name: string, ...args: Value[]): Expr => ({ kind: "op", def: opDef(name), args, attrs: {}, index: null });

/**
 * The parts of a row as one: sums below peaks of their own are rescaled to the highest, squares around means of their own move to the mean of all.
 * @param each visits the parts that this thread joins: what each has left of every fold, and how many columns it had
 */
export function joinMerged(
  walk: Pick<Walk, "low" | "width" | "columns" | "join">,
  { pairs, plain }: MergedStages,
  each: (visit: (of: (id: NodeId) => Reg, count: () => Value) => void) => void,
): void {
  const { low, width, columns, join } = walk;
  const heads = pairs.map(({ kind, first }) =>
    kind === "peak"
      ? holding(low, first, low.variable("top", "f32", width, NOTHING, [first]))
      : accumulator(low, first, width),
  );
  const first = [...heads, ...plain.map((id) => accumulator(low, id, width))];
  const take = (acc: Accumulator, b: Value): void =>
    low.set(acc.value, { kind: "combine", def: acc.def, a: acc.value, b }, [acc.id]);
  const know = (joined: readonly Accumulator[]): Value[] =>
    joined.map((acc) => {
      const value = finished(low, acc, columns);
      low.setRowValue(acc.id, value);
      return value;
    });
  each((of) => {
    for (const acc of first) take(acc, of(acc.id));
  });
  const whole = know(join(first, 0));
  const second = pairs.map(({ seconds }) => seconds.map((id) => accumulator(low, id, width)));
  each((of, count) =>
    pairs.forEach((pair, i) => {
      const make = arithmetic({ low, width }, pair.first);
      const head = of(pair.first);
      if (pair.kind === "moments") {
        const [acc] = second[i]!;
        const moved = make("moved", "add", of(acc!.id), between(make, head, whole[i]!, count()));
        take(acc!, moved);
        return;
      }
      const factor = make("fade", "exp", make("fallen", "sub", head, whole[i]!));
      for (const acc of second[i]!) take(acc, make("faded", "mul", of(acc.id), factor));
    }),
  );
  know(join(second.flat(), 1));
}

/** What the squares of a part gain where they are taken around another mean. */
function between(make: ReturnType<typeof arithmetic>, sum: Value, whole: Value, count: Value): Reg {
  const apart = make("apart", "sub", make("part_mean", "div", sum, count), whole);
  return make("between", "mul", make("apart_squared", "mul", apart, apart), count);
}

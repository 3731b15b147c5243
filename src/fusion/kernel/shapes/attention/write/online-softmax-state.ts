/** @file What one thread knows of a row that is folded while it is made: the peak so far, the folds, and how they are rescaled when the peak rises. */
import { node, type NodeId } from "../../../../ir";
import { opDef } from "../../../../ops";
import type { OnlineParts } from "../online-parts";
import { registerScalar, wordFor } from "../../../emit/emitter";
import type { Cond, Index, Tuple } from "../../../emit/index-space";
import { literal, widthOf, type Expr, type Reg, type Scalar, type Value, type Width } from "../../../emit/kernel-ir";
import type { Lowering } from "../../../emit/lowering";
import { accumulator, finished, foldLanes, merge, type Accumulator, type Fold } from "../../../emit/accumulate";

/** Four neighbouring elements of the row (or one of four neighbouring rows), and which of them exist. */
export interface Quad {
  /** Where they are in a node of the row's shape. */
  readonly at: (id: NodeId) => Tuple;
  readonly inside: Cond;
  /** Accumulators there of the contractions that make the row; none where it is read. */
  readonly dots: readonly Reg[];
}

/** One fold of the row besides its peak. */
export interface OnlineFold {
  readonly acc: Accumulator;
  readonly rescaled: boolean;
  readonly whole: boolean;
}

export class OnlineSoftmaxState {
  /** Highest score so far. */
  readonly peak: Reg | null;
  readonly folds: readonly OnlineFold[];
  #now: Value | null = null;
  /** What is subtracted meanwhile: the peak, and never −∞. */
  #base: Value | null = null;
  #known: readonly (readonly [NodeId, Value])[] = [];

  readonly low: Lowering;
  readonly parts: OnlineParts;
  readonly number: string;
  /** 4: the lanes are four rows. 1: the lanes belong to one row and are folded in the end. */
  readonly width: Width;

  constructor(low: Lowering, parts: OnlineParts, number: string, width: Width = 1) {
    this.low = low;
    this.parts = parts;
    this.number = number;
    this.width = width;
    this.peak =
      parts.peak === null ? null : low.variable(this.#name(parts.peak, "top"), "f32", width, NOTHING, [parts.peak]);
    this.folds = parts.folds.map((fold) => ({
      acc: accumulator(low, fold.node, hasIndex(low, fold.node) ? 4 : width, number),
      rescaled: fold.rescaled,
      whole: fold.whole,
    }));
  }

  #name(id: NodeId, what: string): string {
    return `${wordFor(node(this.low.graph, id))}_${what}${this.number}`;
  }

  /** From here on the products that make the row mean these. */
  #score(dots: readonly Reg[]): void {
    dots.forEach((dot, i) => this.low.setRowValue(this.parts.scores[i]!, dot));
  }

  /** Scores of the quad that the peak is taken from; what does not exist never wins. */
  #scores({ at, inside, dots }: Quad): Value {
    const { low, parts } = this;
    this.#score(dots);
    const operand = node(low.graph, parts.peak!).inputs[0]!;
    const x = low.converted(low.valueAt(operand, at(operand)), "f32", operand);
    return insideOr(low, x, inside, NOTHING, operand);
  }

  /** The highest score of some quads; null where there is no peak. */
  highest(quads: readonly Quad[]): Value | null {
    const { parts } = this;
    if (parts.peak === null) return null;
    const scores = quads.map((quad) => this.#scores(quad));
    const best = scores.reduce((a, b) =>
      a === b ? a : this.#max(a, b, "best", Math.max(widthOf(a), widthOf(b)) as Width),
    );
    return this.width === 1 && widthOf(best) === 4 && best.kind === "reg" ? this.lanes(best) : best;
  }

  /** The highest of four. */
  lanes(value: Reg): Value {
    const { low, parts } = this;
    const def = opDef(node(low.graph, parts.peak!).op);
    const pair = (name: string, lanes: readonly [number, number]): Reg =>
      low.let(this.#name(parts.peak!, name), "f32", 1, { kind: "combine", def, a: value, b: value, lanes }, [
        parts.peak!,
      ]);
    return this.#max(pair("xy", [0, 1]), pair("zw", [2, 3]), "four", 1);
  }

  #max(a: Value, b: Value, what: string, width: Width): Reg {
    const id = this.parts.peak!;
    const expr: Expr = { kind: "combine", def: opDef(node(this.low.graph, id).op), a, b };
    return this.low.let(this.#name(id, what), "f32", width, expr, [id]);
  }

  /** The higher of two; for joining what several threads found. */
  higher(a: Value, b: Value, width: Width): Reg {
    return this.#max(a, b, "best", width);
  }

  /**
   * Takes over the highest score of the new tile. From here on, until `settle`, the peak's node means the new one.
   * Returns what everything summed so far is multiplied by: exp(old − new).
   */
  raise(top: Value): Value {
    this.#now = this.#max(this.peak!, top, "now", this.width);
    this.#base = this.#floored(this.#now, this.width);
    const factor = this.#rescaleFactor(this.peak!);
    this.enter();
    return factor;
  }

  #floored(peak: Value, width: Width): Reg {
    return this.#max(peak, LOWEST_FINITE, "base", width);
  }

  /**
   * What sums of exponentials are multiplied by in the end; null where there are none. It is 1, and no number where the peak is −∞:
   * so are the exponentials where the row is walked twice, of −∞ − −∞. The folds of which none is replaced are multiplied here.
   */
  last(): Value | null {
    const { weightsRescaled, weightsWhole } = this.parts;
    const whole = this.folds.filter((fold) => fold.rescaled && fold.whole);
    if (!this.peak || (whole.length === 0 && !(weightsRescaled && weightsWhole))) return null;
    this.#base = this.peak;
    const factor = this.#rescaleFactor(this.#floored(this.peak, this.width));
    this.#base = null;
    for (const { acc } of whole) scale(this.low, acc.value, factor, acc.id);
    return weightsWhole ? factor : null;
  }

  /** What is known of the row: the peak, and the folds once they are complete. */
  known(): readonly (readonly [NodeId, Value])[] {
    const { parts, peak } = this;
    return [...(parts.peak === null ? [] : [[parts.peak, this.#base ?? peak!] as const]), ...this.#known];
  }

  /** From here on row values mean this row's. */
  enter(): void {
    for (const [id, value] of this.known()) this.low.setRowValue(id, value);
  }

  /** Adds the quads to every fold. Call `rescaleFolds` first. */
  fold(quads: readonly Quad[]): void {
    const { low } = this;
    for (const { acc } of this.folds) {
      if (acc.position) {
        for (const quad of quads) merge(low, acc, this.#part(acc, quad), this.#index(acc, quad));
        continue;
      }
      const add = (b: Value): void => low.set(acc.value, { kind: "combine", def: acc.def, a: acc.value, b }, [acc.id]);
      if (this.width === 4) {
        for (const quad of quads) add(this.#part(acc, quad));
        continue;
      }
      // Lanes of one row are joined before they meet the accumulator, which is then one number.
      add(this.#joint(acc, quads));
    }
  }

  /** What some quads of one row add to a fold, as one number. */
  #joint(acc: Accumulator, quads: readonly Quad[]): Value {
    const { low } = this;
    const both = (a: Value, b: Value): Reg =>
      low.let(this.#name(acc.id, "part"), acc.scalar, 4, { kind: "combine", def: acc.def, a, b }, [acc.id]);
    return joinLanes(low, acc, quads.map((quad) => this.#part(acc, quad)).reduce(both));
  }

  /** What a quad adds to a fold. */
  #part(acc: Accumulator, quad: Quad): Value {
    const { low, width } = this;
    this.#score(quad.dots);
    return partOf(low, acc, quad, this.#name(acc.id, "part"), width === 1);
  }

  /** Where along the folded axis the quad's elements lie. */
  #index({ id, operand }: Accumulator, { at }: Quad): Value {
    const { low, parts } = this;
    const index = at(operand).at.at(parts.axis - parts.space.length)!;
    return low.indexReg(this.#name(id, "here"), index, 4, [id]);
  }

  rescaleFolds(factor: Value): void {
    for (const { acc, rescaled } of this.folds) if (rescaled) scale(this.low, acc.value, factor, acc.id);
  }

  /** Multiples of exp(score − peak) that the second contraction takes in; nothing where nothing is. */
  weights({ at, inside, dots }: Quad): Value {
    const { low, parts } = this;
    this.#score(dots);
    const id = node(low.graph, parts.values!).inputs[0]!;
    const value = low.converted(low.valueAt(id, at(id)), "f32", id);
    return insideOr(low, value, inside, literal(0, "f32"), id);
  }

  /** The new peak is the peak so far. */
  commitPeak(): void {
    if (this.#now && this.peak) this.low.set(this.peak, this.#now, [this.parts.peak!]);
    this.#now = null;
    this.#base = null;
  }

  /** The peak as a fold like the others. */
  peakFold(): Accumulator[] {
    const { low, parts, peak } = this;
    if (parts.peak === null || !peak) return [];
    const { op, inputs } = node(low.graph, parts.peak);
    return [
      {
        id: parts.peak,
        def: opDef(op),
        operand: inputs[0]!,
        scalar: "f32",
        value: peak,
        position: null,
        settled: false,
      },
    ];
  }

  /**
   * What some quads add to a row that another thread keeps: their own peak, and the folds under it. Each value with its index in a
   * list that is the same for all rows.
   */
  partial(quads: readonly Quad[]): Value[] {
    const { low, parts } = this;
    const highest = this.highest(quads);
    if (highest !== null) low.setRowValue(parts.peak!, this.#floored(highest, 1));
    const folds = this.folds.flatMap(({ acc }): Value[] => {
      if (!acc.position) return [this.#joint(acc, quads)];
      const [first, ...rest] = quads;
      const best: Accumulator = {
        ...acc,
        value: low.variable(this.#name(acc.id, "best"), acc.scalar, 4, this.#part(acc, first!), [acc.id]),
        position: low.variable(this.#name(acc.id, "index"), "i32", 4, this.#index(acc, first!), [acc.id]),
      };
      for (const quad of rest) merge(low, best, this.#part(acc, quad), this.#index(acc, quad));
      const one = foldLanes(low, best);
      return [one.value, one.position!];
    });
    return highest === null ? folds : [highest, ...folds];
  }

  /**
   * Takes in what several threads found, in vectors of four of them.
   * @param read value number `i` of the list of `partial`, once for each vector
   */
  takeIn(read: (i: number, scalar: Scalar, id: NodeId) => readonly Reg[]): void {
    const { low, parts } = this;
    let at = 0;
    let factors: readonly Reg[] | null = null;
    if (this.peak !== null) {
      const tops = read(at++, "f32", parts.peak!);
      this.rescaleFolds(this.raise(this.lanes(tops.reduce((a, b) => this.higher(a, b, 4)))));
      factors = tops.map((top) => this.#rescaleFactor(top));
    }
    for (const { acc, rescaled } of this.folds) {
      const values = read(at++, acc.scalar, acc.id);
      if (acc.position) {
        const indices = read(at++, "i32", acc.id);
        values.forEach((value, i) => merge(low, acc, value, indices[i]!));
        continue;
      }
      const both = (a: Reg, b: Reg): Reg =>
        low.let("part", acc.scalar, 4, { kind: "combine", def: acc.def, a, b }, [acc.id]);
      const known = rescaled
        ? values.map((value, i) =>
            low.let(
              "part",
              acc.scalar,
              4,
              { kind: "op", def: opDef("mul"), args: [value, factors![i]!], attrs: {}, index: null },
              [acc.id],
            ),
          )
        : values;
      const b = joinLanes(low, acc, known.reduce(both));
      low.set(acc.value, { kind: "combine", def: acc.def, a: acc.value, b }, [acc.id]);
    }
    this.commitPeak();
  }

  /** exp(top − now): what sums under an older peak are worth under the new one. */
  #rescaleFactor(top: Reg): Reg {
    const { low, parts } = this;
    const by = (name: string, op: string, args: readonly Value[]): Reg =>
      low.let(
        `${name}${this.number}`,
        "f32",
        widthOf(top),
        { kind: "op", def: opDef(op), args, attrs: {}, index: null },
        [parts.peak!],
      );
    return by("fade", node(low.graph, parts.exp!).op, [by("fallen", "sub", [top, this.#base!])]);
  }

  /** Every fold is what it says: from now on `enter` makes row values mean this row's. */
  complete(columns: number, folds: readonly Accumulator[]): void {
    this.#known = [...this.#known, ...folds.map((acc) => [acc.id, finished(this.low, acc, columns)] as const)];
  }
}

/** Registers of the second of these rows end in `_1`. */
export function nameRows(low: Lowering, rows: readonly Index[]): void {
  const numbers = new Map(rows.map((row, i) => [row.id, `_${i}`]));
  low.suffix = ({ at }) => {
    for (const index of at) {
      const number = numbers.get(index.id);
      if (number !== undefined) return number;
    }
    return "";
  };
}

const hasIndex = (low: Lowering, id: NodeId): boolean => opDef(node(low.graph, id).op).reduce!.arg !== undefined;

/**
 * What a quad adds to a fold: where nothing exists, what changes nothing.
 * @param wide as a vector, even where all four are the same
 */
export function partOf(
  low: Lowering,
  fold: Fold,
  { at, inside }: Omit<Quad, "dots">,
  name: string,
  wide: boolean,
): Value {
  const { id, def, operand, scalar } = fold;
  let x: Value = low.converted(low.valueAt(operand, at(operand)), scalar, operand);
  if (def.reduce!.map) x = low.let(name, scalar, widthOf(x), { kind: "map", def, a: x }, [id]);
  x = insideOr(low, x, inside, literal(def.reduce!.identity(scalar), scalar), id);
  return widthOf(x) === 4 || !wide ? x : low.let(name, scalar, 4, { kind: "splat", a: x }, [id]);
}

/** The lanes of a vector, folded. */
export function joinLanes(low: Lowering, fold: Fold, value: Value): Value {
  return foldLanes(low, { ...fold, value: value as Reg, position: null, settled: false }).value;
}

/** Where a running maximum starts. */
export const NOTHING: Value = literal(-Infinity, "f32");

/** The least that is subtracted on the way: finite, since the difference of two infinities is no number, and a tile may hold nothing but −∞. */
export const LOWEST_FINITE: Value = literal(-3.4028234663852886e38, "f32");

/** reg ← reg · by */
export function scale(low: Lowering, reg: Reg, by: Value, id: NodeId): void {
  low.set(reg, { kind: "op", def: opDef("mul"), args: [reg, by], attrs: {}, index: null }, [id]);
}

/** `value` where `inside` holds, `no` elsewhere; lane by lane when it must. */
export function insideOr(low: Lowering, value: Value, inside: Cond, no: Value, id: NodeId): Value {
  if (inside.kind === "always") return value;
  const { space } = low;
  const scalar = registerScalar(value.scalar);
  if (inside.kind !== "less" || !inside.index.lane)
    return low.let("masked", scalar, widthOf(value), { kind: "select", when: inside, yes: value, no }, [id]);
  const parts = [0, 1, 2, 3].map((lane) => {
    const when = space.less(low.atLane(inside.index, lane), inside.bound);
    return low.let("masked", scalar, 1, { kind: "select", when, yes: low.part(value, lane, [id]), no }, [id]);
  });
  return low.let("masked", scalar, 4, { kind: "pack", parts }, [id]);
}

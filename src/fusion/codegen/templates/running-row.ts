/** @file What one thread knows of a row that is folded while it is made: the peak so far, the folds, and how they fade when the peak rises. */
import { node, type NodeId } from "../../ir";
import { opDef, type OpDef } from "../../ops";
import type { OnlineParts } from "../../region";
import { registerScalar, wordFor } from "../emitter";
import type { Cond, Index, Tuple } from "../index-space";
import { literal, widthOf, type Expr, type Reg, type SharedArray, type Value, type Width } from "../kernel-ir";
import type { Lowering } from "../lowering";
import { mutated } from "../mutations";
import { accumulator, finished, foldLanes, type Accumulator } from "./accumulate";

/** Four neighbouring elements of the row (or one of four neighbouring rows), and which of them exist. */
export interface Quad {
  /** Where they are in a node of the row's shape. */
  readonly at: (id: NodeId) => Tuple;
  readonly inside: Cond;
  /** The first contraction's accumulator there; null where the row is read. */
  readonly dots: Reg | null;
}

/** How the threads that share a row meet: where each puts its part, and all the places that are read back. */
export interface Share {
  readonly array: SharedArray;
  readonly index: Index;
  /** One component of the cell; null: the whole vector, whose lanes are rows of their own. */
  readonly lane: Index | null;
  readonly cells: readonly Index[];
}

export class RunningRow {
  /** Highest score so far. */
  readonly peak: Reg | null;
  readonly folds: readonly { readonly acc: Accumulator; readonly fades: boolean }[];
  #now: Value | null = null;

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
    this.peak = parts.peak === null ? null : low.variable(this.#name(parts.peak, "top"), "f32", width, LOWEST, [parts.peak]); // prettier-ignore
    this.folds = parts.folds.map((fold) => ({ acc: accumulator(low, fold.node, 4), fades: fold.fades }));
  }

  #name(id: NodeId, what: string): string {
    return `${wordFor(node(this.low.graph, id))}_${what}${this.number}`;
  }

  /** Scores of the quad that the peak is taken from; what does not exist never wins. */
  #scores({ at, inside, dots }: Quad): Value {
    const { low, parts } = this;
    if (dots) low.setRowValue(parts.scores!, dots);
    const operand = node(low.graph, parts.peak!).inputs[0]!;
    const x = low.converted(low.valueAt(operand, at(operand)), "f32", operand);
    return kept(low, x, inside, LOWEST, operand);
  }

  /** The highest score of some quads; null where no peak is kept. */
  highest(quads: readonly Quad[]): Value | null {
    const { parts } = this;
    if (parts.peak === null) return null;
    const scores = quads.map((quad) => this.#scores(quad));
    const best = scores.reduce((a, b) => (a === b ? a : this.#max(a, b, "best", Math.max(widthOf(a), widthOf(b)) as Width))); // prettier-ignore
    return this.width === 1 && widthOf(best) === 4 && best.kind === "reg" ? this.lanes(best) : best;
  }

  /** The highest of four. */
  lanes(value: Reg): Value {
    const { low, parts } = this;
    const def = opDef(node(low.graph, parts.peak!).op);
    const pair = (name: string, lanes: readonly [number, number]): Reg =>
      low.let(this.#name(parts.peak!, name), "f32", 1, { kind: "combine", def, a: value, b: value, lanes }, [parts.peak!]); // prettier-ignore
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
    const { low, parts, peak } = this;
    const [id, exp] = [parts.peak!, parts.exp!];
    const now = this.#max(peak!, top, "now", this.width);
    const by = (name: string, op: string, args: readonly Value[]): Reg =>
      low.let(
        `${name}${this.number}`,
        "f32",
        this.width,
        { kind: "op", def: opDef(op), args, attrs: {}, index: null },
        [id],
      );
    const fallen = by("fallen", "sub", [peak!, now]);
    const fade = by("fade", node(low.graph, exp).op, [fallen]);
    this.#now = now;
    this.enter();
    return mutated("lost-fade") ? literal(1, "f32") : fade;
  }

  /** From here on row values mean this row's. */
  enter(): void {
    const { low, parts, peak } = this;
    if (parts.peak !== null) low.setRowValue(parts.peak, this.#now ?? peak!);
  }

  /** Adds the quad to every fold. Call `fadeFolds` first. */
  fold({ at, inside, dots }: Quad): void {
    const { low } = this;
    if (dots) low.setRowValue(this.parts.scores!, dots);
    for (const { acc } of this.folds) {
      const { id, def, operand, scalar } = acc;
      let x: Value = low.converted(low.valueAt(operand, at(operand)), scalar, operand);
      if (def.reduce!.map) x = low.let(this.#name(id, "part"), scalar, widthOf(x), { kind: "map", def, a: x }, [id]);
      x = kept(low, x, inside, literal(def.reduce!.identity(scalar), scalar), id);
      low.set(acc.value, { kind: "combine", def, a: acc.value, b: x }, [id]);
    }
  }

  fadeFolds(fade: Value): void {
    for (const { acc, fades } of this.folds) if (fades) scale(this.low, acc.value, fade, acc.id);
  }

  /** Multiples of exp(score − peak) that the second contraction takes in; nothing where nothing is. */
  weights({ at, inside, dots }: Quad): Value {
    const { low, parts } = this;
    if (dots) low.setRowValue(parts.scores!, dots);
    const id = node(low.graph, parts.values!).inputs[0]!;
    const value = low.converted(low.valueAt(id, at(id)), "f32", id);
    return kept(low, value, inside, literal(0, "f32"), id);
  }

  /** The new peak is the peak so far. */
  settle(): void {
    if (this.#now && this.peak) this.low.set(this.peak, this.#now, [this.parts.peak!]);
    this.#now = null;
  }

  /** Threads that went through different parts of the row agree on its peak; what each has summed fades to it. */
  agree(share: Share): void {
    const { parts, peak } = this;
    if (parts.peak === null || !peak) return;
    const top = joined(this.low, share, opDef(node(this.low.graph, parts.peak).op), peak, parts.peak);
    this.low.forget(parts.peak);
    this.fadeFolds(this.raise(top));
    this.settle();
  }

  /** Every fold over all lanes and, with `share`, all threads of the row: from here on row values mean this row's. */
  complete(columns: number, share: Share | null): void {
    const { low } = this;
    this.enter();
    for (const { acc } of this.folds) {
      const own = this.width === 4 ? acc : foldLanes(low, acc);
      const value = share ? joined(low, share, acc.def, own.value, acc.id) : own.value;
      low.setRowValue(acc.id, finished(low, { ...own, value, settled: share !== null || own.settled }, columns));
    }
  }
}

/** One fold over all threads that share a row; every one of them then knows it. */
export function joined(low: Lowering, { array, index, lane, cells }: Share, def: OpDef, value: Value, id: NodeId): Reg {
  const { scalar } = value;
  low.emit({ kind: "storeShared", array, index, value, lane, nodes: [id] });
  low.barrier();
  const seen = cells.map((cell) => low.let("part", scalar, 4, { kind: "loadShared", array, index: cell }, [id]));
  const both = (a: Value, b: Value): Reg => low.let("part", scalar, 4, { kind: "combine", def, a, b }, [id]);
  const all = seen.reduce((a, b) => both(a, b));
  low.barrier();
  if (lane === null) return all;
  const pair = (lanes: readonly [number, number]): Reg =>
    low.let("part", scalar, 1, { kind: "combine", def, a: all, b: all, lanes }, [id]);
  return low.let("part", scalar, 1, { kind: "combine", def, a: pair([0, 1]), b: pair([2, 3]) }, [id]);
}

/** Where a running maximum starts: finite, since the difference of two infinities is no number, and a tile may hold nothing but −∞. */
export const LOWEST: Value = literal(-3.4028234663852886e38, "f32");

/** reg ← reg · by */
export function scale(low: Lowering, reg: Reg, by: Value, id: NodeId): void {
  low.set(reg, { kind: "op", def: opDef("mul"), args: [reg, by], attrs: {}, index: null }, [id]);
}

/** `value` where `inside` holds, `no` elsewhere; lane by lane when it must. */
export function kept(low: Lowering, value: Value, inside: Cond, no: Value, id: NodeId): Value {
  if (inside.kind === "always" || mutated("unmasked-columns")) return value;
  const { space } = low;
  const scalar = registerScalar(value.scalar);
  if (inside.kind !== "less" || !inside.index.lane)
    return low.let("kept", scalar, widthOf(value), { kind: "select", when: inside, yes: value, no }, [id]);
  const parts = [0, 1, 2, 3].map((lane) => {
    const when = space.less(low.atLane(inside.index, lane), inside.bound);
    return low.let("kept", scalar, 1, { kind: "select", when, yes: low.part(value, lane, [id]), no }, [id]);
  });
  return low.let("kept", scalar, 4, { kind: "pack", parts }, [id]);
}

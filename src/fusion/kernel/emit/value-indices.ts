/** @file Values as another scalar type, and as indices: those that are loaded, computed, or chosen among several. */
import type { Node, NodeId } from "../../ir";
import { opDef, type AxisCase } from "../../ops";
import { Emitter, wordFor } from "./emitter";
import { evenLanes, INDEX_DEPTH, type Cond, type Index } from "./index-space";
import { literal, type Reg, type Scalar, type Value, type Width } from "./kernel-ir";

export class ValueIndices extends Emitter {
  /** Indices that are data, by value and extent. */
  readonly #indices = new Map<string, Index>();

  /** `index` as a number: those of four neighbours at once where they are evenly apart, else one by one. */
  indexReg(name: string, index: Index, width: Width, nodes: readonly NodeId[]): Reg {
    const number = (at: Index, wide: Width): Reg => this.let(name, "i32", wide, { kind: "index", index: at }, nodes);
    if (evenLanes(index)) return number(index, width);
    const parts = [0, 1, 2, 3].map((lane) => number(this.atLane(index, lane), 1));
    return this.let(name, "i32", 4, { kind: "pack", parts }, nodes);
  }

  /** `value` as another scalar type, once. */
  converted(value: Value, to: Scalar, from: NodeId): Value {
    if (value.scalar === to) return value;
    if (value.kind === "literal") return literal(convertNumber(value.value, to), to);
    const key = `as ${to} ${value.id}`;
    const known = this.find(key);
    if (known) return known;
    const reg = this.let(
      `${value.name}_${to}`,
      to,
      value.width,
      { kind: "convert", a: value, to },
      [from],
      value.level,
    );
    this.scopes[value.level]!.memo.set(key, reg);
    return reg;
  }

  /** A long index under a name of its own. */
  protected shortened(part: Index): Index {
    return part.depth > INDEX_DEPTH && !part.lane ? this.bind("at", part) : part;
  }

  /** A value as an index along an axis of `extent`, bound once. */
  protected indexOf(value: Value, extent: number, from: Node): Index {
    if (value.kind === "literal") return this.space.int(Math.min(Math.max(value.value, 0), extent - 1));
    const key = `${value.id} ${extent}`;
    const known = this.#indices.get(key);
    if (known) return known;
    const variable = this.space.variable(this.names.fresh(`${wordFor(from)}_at`), extent - 1, value.level);
    this.emit({ kind: "bindValue", variable, value, nodes: [from.id] }, value.level);
    const position = this.space.of(variable);
    this.#indices.set(key, position);
    return position;
  }

  /** `index`, or `last` where that is less: within a list of `extent`. */
  protected atMost(index: Index, last: Reg, extent: number, from: Node): Index {
    const args = [this.indexReg("next", index, 1, [from.id]), last];
    const def = opDef("minimum");
    const value = this.let("spot", "i32", 1, { kind: "op", def, args, attrs: {}, index: null }, [from.id]);
    return this.indexOf(value, extent, from);
  }

  /** Which index along an axis of `extent` it is: chosen without a branch. */
  protected picked(n: Node, cases: readonly AxisCase<Index, Cond>[], extent: number, level: number): Index {
    const met = cases.filter(({ when }) => when?.kind !== "never");
    const end = met.findIndex(({ when }) => when === null || when.kind === "always");
    const [last, ...before] = met.slice(0, end + 1).toReversed() as [AxisCase<Index, Cond>, ...AxisCase<Index, Cond>[]];
    if (before.length === 0) return this.shortened(last.index);
    const said = before.map(({ when, index }) => `${this.space.keyOf(when!)} ${index.id}`);
    const key = `along ${n.id} ${last.index.id} ${said.join()}`;
    const known = this.find(key);
    if (known) return this.indexOf(known, extent, n);
    const number = (index: Index): Value =>
      index.terms.length === 0
        ? literal(index.constant, "i32")
        : this.let("spot", "i32", 1, { kind: "index", index }, [n.id], level);
    const value = before.reduce<Value>(
      (no, { when, index }) =>
        this.let("spot", "i32", 1, { kind: "select", when: when!, yes: number(index), no }, [n.id], level),
      number(last.index),
    );
    this.scopes[level]!.memo.set(key, value);
    return this.indexOf(value, extent, n);
  }
}

/** A number as another scalar type holds it. */
export function convertNumber(value: number, to: Scalar): number {
  if (to === "bool") return value === 0 ? 0 : 1;
  return to === "i32" ? Math.trunc(value) : value;
}

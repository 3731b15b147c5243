/**
 * @file Rows in order: keys in workgroup memory, sorted by a bitonic network (Batcher, 1968); of a long row, its first few, chosen as it
 * goes by; and where a subgroup has a row, the first few of those that each of its threads retains.
 */
import { node, type NodeId } from "../../../../ir";
import { floatKey, fromFloatKey, fromWholeKey, lastKey, opDef, wholeKey, type OpDef } from "../../../../ops";
import { levelsOf, pitchOf, slotsOf, type Slots } from "../../../nest/networks";
import type { RowSort } from "../../../nest/threads";
import { registerScalar, wordFor } from "../../../emit/emitter";
import type { Cond, Index, Tuple } from "../../../emit/index-space";
import {
  literal,
  type Retained,
  type Reg,
  type Scalar,
  type SharedArray,
  type SortArrays,
  type Value,
  type Waiting,
} from "../../../emit/kernel-ir";
import type { Lowering } from "../../../emit/lowering";

/** Indices that no element has. */
const NOWHERE = 0x7fffffff;

/** Keys of elements of this type. */
export const keyOf = (scalar: Scalar): OpDef => (scalar === "i32" ? wholeKey : floatKey);

/** The threads that share a row, and whether the lanes of one load lie along it. */
export interface Sorters {
  readonly tid: Index;
  readonly threads: number;
  readonly wide: boolean;
  /** Which of the workgroup's rows this is, and how many there are. Absent: the only one. */
  readonly own?: Index;
  readonly beside?: number;
  /** Whether each thread retains the first few that it meets, instead of a sort. */
  readonly byThread?: boolean;
}

/** What a thread puts in: where it is asked for, and which columns of the row it is. */
export interface SortChunk {
  readonly at: Tuple;
  readonly inside: Cond;
  /** The columns of those that exist. */
  readonly column: () => Index;
}

/** One sort of a row, from the first element put in to the values read from it. */
export class Sorting {
  readonly low: Lowering;
  readonly sort: RowSort;
  readonly #sorters: Sorters;
  readonly #slots: Slots;
  readonly #arrays: SortArrays;
  /** Where the row begins in workgroup memory. */
  readonly #first: Index;
  /** Null where the whole row is there. */
  readonly #waiting: Waiting | null;
  /** Null where elements are put in order in workgroup memory. */
  readonly #list: Retained | null;
  readonly #scalar: Scalar;
  readonly #nodes: readonly NodeId[];
  #last: Reg | null = null;

  /** @param columns elements of a row */
  constructor(low: Lowering, sort: RowSort, sorters: Sorters, columns: number) {
    this.low = low;
    this.sort = sort;
    this.#sorters = sorters;
    this.#nodes = sort.orders;
    const first = node(low.graph, sort.orders[0]!);
    const from = node(low.graph, sort.operand).type.dtype;
    this.#scalar = registerScalar(opDef(first.op).operandTypes!([from], first.attrs)[0]!);
    const { own = low.space.int(0), beside = 1, byThread } = sorters;
    const { retained, count } = sort;
    const network = { columns, retained, count, ...(byThread && { byThread: true as const }) };
    this.#slots = slotsOf(network, sorters.threads * (sorters.wide ? 4 : 1));
    const pitch = pitchOf(this.#slots.slots, beside);
    this.#first = beside === 1 ? low.space.int(0) : low.space.mul(own, pitch);
    this.#arrays = {
      keys: low.sharedArray("keys", "key", beside * pitch),
      indices: sort.indices ? low.sharedArray("indices", "i32", beside * pitch) : null,
      name: low.names.frame("put_in_order"),
    };
    this.#list = byThread ? this.#retainNone() : null;
    this.#waiting = !byThread && sort.retained > 0 ? this.#begin() : null;
  }

  /** Takes in a thread's share of the row: at its columns, or, of a long row, where it comes before the last of those that are retained. */
  take({ at, inside, column }: SortChunk): void {
    const { low } = this;
    const keys = this.#keysAt(at);
    if (this.#list) {
      const [held, own] = [keys.map((key) => this.#heldInside(key, inside)), column()];
      const exists: Cond = this.#list.ties ? inside : { kind: "always" };
      for (const [lane, key] of held.entries()) {
        const index = this.#indexOf(low.atLane(own, lane), exists);
        low.emit({ kind: "retain", list: this.#list, key, index, nodes: this.#nodes });
      }
      return;
    }
    if (!this.#waiting) {
      low.branch(inside, () => {
        const own = column();
        for (const [lane, key] of keys.entries()) this.#put(low.atLane(own, lane), key, low.atLane(own, lane));
      });
      return;
    }
    const held = keys.map((key) => this.#heldInside(key, inside));
    const own = column();
    this.#choose(this.#waiting, held, (lane, exact) =>
      this.#indexOf(low.atLane(own, lane), exact ? inside : { kind: "always" }),
    );
  }

  /** The same for what kernels before have left: elements, and where in the row each of them stands. */
  takeLeft(values: Value, indices: Value | null, inside: Cond): void {
    const held = this.#keysOf(values).map((key) => this.#heldInside(key, inside));
    this.#choose(this.#waiting!, held, (lane, exact) => {
      const index = indices && this.low.part(indices, lane, this.#nodes);
      return index && exact ? this.#indexInside(index, inside) : index;
    });
  }

  /** Takes in a thread's share of a run: the elements at these columns lie in these slots, and past the row's end nothing does. */
  takeRun(at: Tuple, inside: Cond, column: Index, slot: Index): void {
    const { low } = this;
    this.#keysAt(at).forEach((key, lane) =>
      this.#put(low.atLane(slot, lane), this.#heldInside(key, inside), low.atLane(column, lane), inside),
    );
  }

  /** The whole row is in: puts it in order. */
  finish(): void {
    const { low, sort } = this;
    const { space } = low;
    if (this.#list) this.#takeRetained(this.#list);
    else if (this.#waiting) this.#network(space.add(this.#countOf(this.#waiting), space.int(sort.retained)));
    else {
      low.barrier();
      this.#network(space.int(this.#slots.slots));
    }
    for (const id of sort.orders) low.setReader(id, (at) => this.#read(id, at));
  }

  /** One key, or those of four neighbours. */
  #keysAt(at: Tuple): Reg[] {
    const { low, sort } = this;
    return this.#keysOf(low.converted(low.valueAt(sort.operand, at), this.#scalar, sort.operand));
  }

  #keysOf(x: Value): Reg[] {
    const { low } = this;
    const lanes = this.#sorters.wide ? [0, 1, 2, 3] : [0];
    return lanes.map((lane) => this.#arithmetic("key", "key", this.#def("to"), [low.part(x, lane, this.#nodes)]));
  }

  #retainNone(): Retained {
    const { low, sort } = this;
    const { threads } = this.#sorters;
    const list: Retained = {
      name: low.names.frame("retained"),
      count: sort.count,
      lanes: threads,
      ties: this.#scalar === "i32",
    };
    low.emit({ kind: "retainNone", list });
    return list;
  }

  /** The first few of the row, one after another, for all of its threads to read. */
  #takeRetained(list: Retained): void {
    const { low } = this;
    const { space } = low;
    const { keys, indices } = this.#arrays;
    low.loop("turn", list.count, (turn) => {
      const [key, index] = [low.reg("first_key", "key", 1), low.reg("first_index", "i32", 1)];
      low.emit({ kind: "takeRetained", list, key, index, nodes: this.#nodes });
      low.branch(space.less(this.#sorters.tid, 1), () => {
        const slot = space.add(this.#first, turn);
        low.emit({ kind: "storeShared", array: keys, index: slot, value: key, lane: null, nodes: this.#nodes });
        if (indices)
          low.emit({ kind: "storeShared", array: indices, index: slot, value: index, lane: null, nodes: this.#nodes });
      });
    });
    low.barrier();
  }

  /** Nothing is retained yet: every element comes before what is there. */
  #begin(): Waiting {
    const { low, sort } = this;
    const waiting: Waiting = {
      sort: this.#arrays,
      first: sort.retained,
      count: low.sharedNumber("waiting", true),
      known: low.sharedNumber("waiting_known", false),
      name: low.names.frame("wait"),
    };
    const last = this.#lastKey();
    this.#eachOf("first", sort.retained, low.space.int(0), (index) => this.#put(index, last, null));
    low.emit({ kind: "noneWait", waiting });
    return waiting;
  }

  #countOf(waiting: Waiting): Index {
    const { low } = this;
    const { slots } = this.#slots;
    const variable = low.space.variable(low.names.frame("now_waiting"), slots - this.sort.retained, low.level);
    low.emit({ kind: "countWaiting", waiting, variable });
    return low.space.of(variable);
  }

  /**
   * Elements that come before the last of those that are retained wait behind them; where these could be too many, all are sorted first.
   * @param indexOf where the element of this lane stands; `exact` also where there is none
   */
  #choose(waiting: Waiting, keys: readonly Reg[], indexOf: (lane: number, exact: boolean) => Value | null): void {
    const { low, sort } = this;
    const { space } = low;
    const now = this.#countOf(waiting);
    low.branch(space.atLeast(now, this.#slots.slack + 1), () => {
      low.emit({ kind: "noneWait", waiting });
      this.#network(space.add(now, space.int(sort.retained)));
    });
    const cell = (name: string, array: SharedArray): Reg =>
      low.let(name, array.scalar, 1, { kind: "loadShared", array, index: space.int(sort.retained - 1) }, this.#nodes);
    const { indices } = this.#arrays;
    const bar = cell("bar", this.#arrays.keys);
    // A whole number may be as large as what stands where nothing is yet; what goes by later comes after its equals.
    const barIndex = indices && this.#scalar === "i32" ? cell("bar_index", indices) : null;
    keys.forEach((key, lane) => {
      const ownIndex = indices ? indexOf(lane, barIndex !== null) : null;
      low.emit({ kind: "wait", waiting, key, index: ownIndex, bar, barIndex, nodes: this.#nodes });
    });
  }

  /**
   * Sorts the first `count` keys: runs of 1, 2, 4 … are merged two by two until one is left. The second of two is read backwards, so
   * that all pairs are put in the same order, and nothing has to stand where there are no keys.
   */
  #network(count: Index): void {
    const { low } = this;
    const { space } = low;
    const most = 2 ** levelsOf(count.max);
    const below = count.terms.length === 0 && count.constant === most ? null : space.add(this.#first, count);
    const before = space.div(this.#first, 2);
    const step = (stride: Index, mirrored: boolean): void => {
      this.#eachOf("pair", most / 2, before, (pair) =>
        low.emit({
          kind: "exchangePair",
          sort: this.#arrays,
          pair,
          stride,
          mirrored,
          below,
          nodes: this.#nodes,
        }),
      );
      low.barrier();
    };
    if (most === 1) return;
    low.doubling("half", count, (half) => {
      step(half, true);
      low.halving("stride", space.div(half, 2), (stride) => step(stride, false));
    });
  }

  /** Shares 0 … count − 1 out among the threads, counted from `from`. */
  #eachOf(name: string, count: number, from: Index, work: (index: Index) => void): void {
    const { low } = this;
    const { tid, threads } = this.#sorters;
    low.loop("turn", Math.ceil(count / threads), (iteration) => {
      const index = low.space.add(tid, low.space.mul(iteration, threads));
      low.branch(low.space.less(index, count), () =>
        work(low.bind(name, low.space.add(from, index), from.max + count - 1)),
      );
    });
  }

  /** The key, or, where there is no element, one that comes after all. */
  #heldInside(key: Reg, inside: Cond): Reg {
    if (inside.kind === "always") return key;
    const no = this.#lastKey();
    return this.low.let("held", "key", 1, { kind: "select", when: inside, yes: key, no }, this.#nodes);
  }

  #lastKey(): Reg {
    this.#last ??= this.low.let(
      "last",
      "key",
      1,
      { kind: "op", def: lastKey, args: [], attrs: {}, index: null },
      this.#nodes,
      0,
    );
    return this.#last;
  }

  /** @param column null, or outside: nowhere */
  #put(slot: Index, key: Reg, column: Index | null, inside: Cond = { kind: "always" }): void {
    const { low } = this;
    const { keys, indices } = this.#arrays;
    const index = low.space.add(this.#first, slot);
    low.emit({ kind: "storeShared", array: keys, index, value: key, lane: null, nodes: this.#nodes });
    if (!indices) return;
    const value = column ? this.#indexOf(column, inside) : literal(NOWHERE, "i32");
    low.emit({ kind: "storeShared", array: indices, index, value, lane: null, nodes: this.#nodes });
  }

  /** Where an element stands in its row. */
  #indexOf(column: Index, inside: Cond): Value {
    const { low } = this;
    return this.#indexInside(low.let("index", "i32", 1, { kind: "index", index: column }, this.#nodes), inside);
  }

  /** The index, or, where there is no element, one that comes after all. */
  #indexInside(index: Value, inside: Cond): Value {
    if (inside.kind === "always") return index;
    const no = literal(NOWHERE, "i32");
    return this.low.let("held_index", "i32", 1, { kind: "select", when: inside, yes: index, no }, this.#nodes);
  }

  #read(id: NodeId, at: Tuple): Value {
    const { low } = this;
    const n = node(low.graph, id);
    const { axis, indices } = opDef(n.op).order!;
    const column = at.at[axis(n.attrs, n.type.shape)]!;
    const word = wordFor(n);
    const one = (index: Index): Value => (indices ? this.indexAt(index, word, [id]) : this.value(index, word, [id]));
    if (!column.lane) return one(column);
    const parts = [0, 1, 2, 3].map((lane) => one(low.atLane(column, lane)));
    return low.let(word, parts[0]!.scalar, 4, { kind: "pack", parts }, [id]);
  }

  /** The element in this slot. */
  value(slot: Index, word = "value", nodes = this.#nodes): Value {
    const array = this.#arrays.keys;
    const index = this.low.space.add(this.#first, slot);
    const key = this.low.let(`${word}_key`, array.scalar, 1, { kind: "loadShared", array, index }, nodes);
    return this.#arithmetic(word, this.#scalar, this.#def("from"), [key]);
  }

  /** Where the element in this slot stood. */
  indexAt(slot: Index, word = "index", nodes = this.#nodes): Value {
    const array = this.#arrays.indices!;
    const index = this.low.space.add(this.#first, slot);
    return this.low.let(word, array.scalar, 1, { kind: "loadShared", array, index }, nodes);
  }

  #def(way: "to" | "from"): OpDef {
    if (way === "to") return keyOf(this.#scalar);
    return this.#scalar === "i32" ? fromWholeKey : fromFloatKey;
  }

  #arithmetic(name: string, scalar: Scalar, def: OpDef, args: readonly Value[]): Reg {
    const attrs = { descending: this.sort.descending };
    return this.low.let(name, scalar, 1, { kind: "op", def, args, attrs, index: null }, this.#nodes);
  }
}

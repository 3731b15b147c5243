/** @file Rows in order: keys in workgroup memory, sorted by a bitonic network (Batcher, 1968); of a long row, the first few as it goes by. */
import { node, type NodeId } from "../../ir";
import { floatKey, fromFloatKey, fromWholeKey, lastKey, opDef, wholeKey, type OpDef } from "../../ops";
import type { RowSort } from "../../region";
import { registerScalar, wordFor } from "../emitter";
import type { Cond, Index, Tuple } from "../index-space";
import { literal, type Reg, type Scalar, type SortArrays, type Value } from "../kernel-ir";
import type { Lowering } from "../lowering";

/** Places that no element has. */
const NOWHERE = 0x7fffffff;

/** Keys of elements of this type. */
export const keyOf = (scalar: Scalar): OpDef => (scalar === "i32" ? wholeKey : floatKey);

/** The threads of a workgroup, and whether the lanes of one load lie along the row. */
export interface Sorters {
  readonly tid: Index;
  readonly threads: number;
  readonly wide: boolean;
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
  readonly #arrays: SortArrays;
  readonly #scalar: Scalar;
  readonly #nodes: readonly NodeId[];
  #last: Reg | null = null;

  constructor(low: Lowering, sort: RowSort, sorters: Sorters) {
    this.low = low;
    this.sort = sort;
    this.#sorters = sorters;
    this.#nodes = sort.orders;
    const first = node(low.graph, sort.orders[0]!);
    const from = node(low.graph, sort.operand).type.dtype;
    this.#scalar = registerScalar(opDef(first.op).operandTypes!([from], first.attrs)[0]!);
    const length = sort.kept + sort.keys;
    this.#arrays = {
      keys: low.sharedArray("keys", "key", length),
      places: sort.places ? low.sharedArray("places", "i32", length) : null,
      name: low.names.frame("put_in_order"),
    };
    if (sort.kept > 0) this.#fillUp("kept", 0, sort.kept);
  }

  /** Takes in a thread's share of the row: at its columns, or, of a long row, behind the first ones so far, which are then found anew. */
  take({ at, inside, column }: SortChunk): void {
    const { low, sort } = this;
    const keys = this.#keysAt(at);
    if (sort.kept === 0) {
      low.branch(inside, () => {
        const own = column();
        for (const [lane, key] of keys.entries()) this.#put(low.atLane(own, lane), key, low.atLane(own, lane));
      });
      return;
    }
    this.#takeLong(keys, inside, column);
  }

  /** Takes in a thread's share of a run: the elements at these columns lie in these slots, and past the row's end nothing does. */
  takeRun(at: Tuple, inside: Cond, column: Index, slot: Index): void {
    const { low } = this;
    const last = inside.kind === "always" ? null : this.#lastKey();
    this.#keysAt(at).forEach((key, lane) => {
      const held = last
        ? low.let("held", "key", 1, { kind: "select", when: inside, yes: key, no: last }, this.#nodes)
        : key;
      this.#put(low.atLane(slot, lane), held, low.atLane(column, lane), inside);
    });
  }

  /** The whole row is in: puts it in order. */
  finish(columns: number): void {
    const { sort } = this;
    if (sort.kept === 0) {
      this.#fillUp("pad", columns, sort.keys);
      this.low.barrier();
      this.#network(0, sort.keys);
    }
    for (const id of sort.orders) this.low.setSorted(id, (at) => this.#read(id, at));
  }

  /** One key, or those of four neighbours. */
  #keysAt(at: Tuple): Reg[] {
    const { low, sort } = this;
    const x = low.converted(low.valueAt(sort.operand, at), this.#scalar, sort.operand);
    const lanes = this.#sorters.wide ? [0, 1, 2, 3] : [0];
    return lanes.map((lane) => this.#arithmetic("key", "key", this.#def("to"), [low.part(x, lane, this.#nodes)]));
  }

  #takeLong(keys: readonly Reg[], inside: Cond, column: () => Index): void {
    const { low, sort } = this;
    const { space } = low;
    const { tid, threads, wide } = this.#sorters;
    const width = wide ? 4 : 1;
    // Which key stands where is all the same before they are sorted: neighbouring threads write neighbours.
    const last = inside.kind === "always" ? null : this.#lastKey();
    const own = column();
    for (const [lane, key] of keys.entries()) {
      const slot = space.add(tid, space.int(sort.kept + lane * threads));
      const held = last
        ? low.let("held", "key", 1, { kind: "select", when: inside, yes: key, no: last }, this.#nodes)
        : key;
      this.#put(slot, held, low.atLane(own, lane), inside);
    }
    this.#fillUp("pad", sort.kept + width * threads, sort.kept + sort.keys);
    low.barrier();
    this.#network(sort.kept, sort.keys);
    this.#mergeKept();
  }

  /** The kept ones and the new ones are both in order: the better of each pair from opposite ends, then their order. */
  #mergeKept(): void {
    const { low, sort } = this;
    const { space } = low;
    const { kept } = sort;
    this.#eachOf("spot", kept, (near) => {
      const far = space.add(space.int(2 * kept - 1), space.mul(near, -1));
      low.emit({ kind: "exchange", sort: this.#arrays, near, far, nodes: this.#nodes });
    });
    low.barrier();
    if (kept === 1) return;
    const half = space.int(kept / 2);
    low.halving("stride", half, (stride) => this.#step(0, kept, stride, half));
  }

  /** Sorts `count` keys from `first` on: runs of 2, 4, 8 … are merged until one is left. */
  #network(first: number, count: number): void {
    const { low } = this;
    if (count === 1) return;
    low.doubling("half", count / 2, (half) =>
      low.halving("stride", half, (stride) => this.#step(first, count, stride, half)),
    );
  }

  #step(first: number, count: number, stride: Index, half: Index): void {
    this.#eachOf("pair", count / 2, (pair) =>
      this.low.emit({ kind: "exchangePair", sort: this.#arrays, first, pair, stride, half, nodes: this.#nodes }),
    );
    this.low.barrier();
  }

  /** Shares 0 … count − 1 out among the threads. */
  #eachOf(name: string, count: number, work: (index: Index) => void): void {
    const { low } = this;
    const { tid, threads } = this.#sorters;
    low.loop("turn", Math.ceil(count / threads), (iteration) => {
      const index = low.space.add(tid, low.space.mul(iteration, threads));
      low.branch(low.space.less(index, count), () => work(low.bind(name, index, count - 1)));
    });
  }

  /** Places that no element of the row fills come last. */
  #fillUp(name: string, from: number, to: number): void {
    const { low } = this;
    if (to <= from) return;
    const last = this.#lastKey();
    this.#eachOf(name, to - from, (index) => this.#put(low.space.add(index, low.space.int(from)), last, null));
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
    const { keys, places } = this.#arrays;
    low.emit({ kind: "storeShared", array: keys, index: slot, value: key, lane: null, nodes: this.#nodes });
    if (!places) return;
    let place: Value = literal(NOWHERE, "i32");
    if (column) place = low.let("place", "i32", 1, { kind: "index", index: column }, this.#nodes);
    if (column && inside.kind !== "always")
      place = low.let(
        "held_place",
        "i32",
        1,
        { kind: "select", when: inside, yes: place, no: literal(NOWHERE, "i32") },
        this.#nodes,
      );
    low.emit({ kind: "storeShared", array: places, index: slot, value: place, lane: null, nodes: this.#nodes });
  }

  #read(id: NodeId, at: Tuple): Value {
    const { low } = this;
    const n = node(low.graph, id);
    const { axis, indices } = opDef(n.op).order!;
    const column = at.at[axis(n.attrs, n.type.shape)]!;
    const word = wordFor(n);
    const one = (index: Index): Value => (indices ? this.place(index, word, [id]) : this.value(index, word, [id]));
    if (!column.lane) return one(column);
    const parts = [0, 1, 2, 3].map((lane) => one(low.atLane(column, lane)));
    return low.let(word, parts[0]!.scalar, 4, { kind: "pack", parts }, [id]);
  }

  /** The element in this slot. */
  value(slot: Index, word = "value", nodes = this.#nodes): Value {
    const array = this.#arrays.keys;
    const key = this.low.let(`${word}_key`, array.scalar, 1, { kind: "loadShared", array, index: slot }, nodes);
    return this.#arithmetic(word, this.#scalar, this.#def("from"), [key]);
  }

  /** Where the element in this slot stood. */
  place(slot: Index, word = "place", nodes = this.#nodes): Value {
    const array = this.#arrays.places!;
    return this.low.let(word, array.scalar, 1, { kind: "loadShared", array, index: slot }, nodes);
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

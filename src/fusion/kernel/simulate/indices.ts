/** @file Indices and conditions of a lowered kernel as functions of the thread and its lane, compiled once. */
import type { Cond, Index, IndexAtom, IndexVar } from "../emit/index-space";

/** An index for one thread and one of its four lanes. */
export type IndexOf = (thread: number, lane: number) => number;

/** What the threads of one workgroup know of their indices. */
export class Indices {
  readonly builtins: { variable: NonNullable<IndexVar["builtin"]>; cells: Float64Array }[] = [];
  readonly #vars = new Map<number, Float64Array>();
  readonly #compiled = new Map<number, IndexOf>();
  readonly #threads: number;
  readonly #lane: IndexAtom;

  constructor(threads: number, lane: IndexAtom) {
    this.#threads = threads;
    this.#lane = lane;
  }

  /** A variable's value in each thread. */
  cellsOf(variable: IndexVar): Float64Array {
    let cells = this.#vars.get(variable.atomId);
    if (!cells) {
      cells = new Float64Array(this.#threads);
      this.#vars.set(variable.atomId, cells);
      if (variable.builtin) {
        this.builtins.push({ variable: variable.builtin, cells });
      }
    }
    return cells;
  }

  index(index: Index): IndexOf {
    let compiled = this.#compiled.get(index.id);
    if (!compiled) {
      compiled = this.#compileIndex(index);
      this.#compiled.set(index.id, compiled);
    }
    return compiled;
  }

  #compileIndex({ terms, constant }: Index): IndexOf {
    const parts = terms.map(({ atom, by }) => ({ at: this.#atom(atom), by }));
    const [a, b] = parts;
    if (!a) return () => constant;
    if (!b) return (thread, lane) => a.at(thread, lane) * a.by + constant;
    if (parts.length === 2) return (thread, lane) => a.at(thread, lane) * a.by + b.at(thread, lane) * b.by + constant;
    return (thread, lane) => {
      let sum = constant;
      for (const { at, by } of parts) sum += at(thread, lane) * by;
      return sum;
    };
  }

  #atom(atom: IndexAtom): IndexOf {
    if (atom.kind === "var") {
      if (atom === this.#lane) return (_, lane) => lane;
      const cells = this.cellsOf(atom);
      return (thread) => cells[thread]!;
    }
    const of = this.index(atom.of);
    const { by } = atom;
    if (atom.kind === "div") return (thread, lane) => Math.floor(of(thread, lane) / by);
    if (atom.kind === "min") return (thread, lane) => Math.min(of(thread, lane), by);
    return (thread, lane) => of(thread, lane) % by;
  }

  test(cond: Cond): (thread: number, lane?: number) => boolean {
    switch (cond.kind) {
      case "always":
        return () => true;
      case "never":
        return () => false;
      case "less": {
        const at = this.index(cond.index);
        return (thread, lane = 0) => at(thread, lane) < cond.bound;
      }
      case "atLeast": {
        const at = this.index(cond.index);
        return (thread, lane = 0) => at(thread, lane) >= cond.bound;
      }
      case "below": {
        const [at, limit] = [this.index(cond.index), this.index(cond.limit)];
        return (thread) => at(thread, 0) < limit(thread, 0);
      }
      case "both": {
        const parts = cond.parts.map((part) => this.test(part));
        return (thread, lane = 0) => parts.every((part) => part(thread, lane));
      }
    }
  }
}

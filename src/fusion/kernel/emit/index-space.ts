/**
 * @file Index arithmetic of one kernel: hash-consed sums of u32 terms with ranges. Simplifying is what turns a walk through
 * reshapes and broadcasts back into plain `i`, and what finds the loads that four neighbours can share.
 */
import { bug } from "../../ir";
import type { IndexAlgebra } from "../../ops";

export type Builtin = "tid" | "wid.x" | "wid.y" | "wid.z" | "gid.x" | "gid.y" | "subgroup.lane";

/** A loop counter, a builtin, a bound sub-expression, or `lane`: which of four neighbours. */
export interface IndexVar {
  readonly kind: "var";
  readonly atomId: number;
  readonly name: string;
  readonly max: number;
  /** Depth of the scope that defines it: what it is in can't be hoisted further out. */
  readonly level: number;
  readonly builtin?: Builtin;
}
export interface IndexCall {
  readonly kind: "div" | "mod" | "min";
  readonly atomId: number;
  readonly of: Index;
  readonly by: number;
}
export type IndexAtom = IndexVar | IndexCall;
export interface IndexTerm {
  readonly atom: IndexAtom;
  readonly by: number;
}

/** constant + Σ by·atom, terms in order of atom. Equal indices are the same object. */
export interface Index {
  readonly id: number;
  readonly terms: readonly IndexTerm[];
  readonly constant: number;
  readonly min: number;
  readonly max: number;
  readonly level: number;
  /** Depends on the lane. */
  readonly lane: boolean;
  /** Nesting of divisions and remainders. */
  readonly depth: number;
}

export type Cond =
  | { readonly kind: "always" }
  | { readonly kind: "never" }
  | { readonly kind: "less" | "atLeast"; readonly index: Index; readonly bound: number }
  /** Against another index: the shrinking half of a tree reduction. */
  | { readonly kind: "below"; readonly index: Index; readonly limit: Index }
  | { readonly kind: "both"; readonly parts: readonly Cond[] };

/** Coordinates of one demand; equal tuples are the same object. */
export interface Tuple {
  readonly id: number;
  readonly at: readonly Index[];
  readonly level: number;
  readonly lane: boolean;
}

/** Deeper index expressions than this are given a name. */
export const INDEX_DEPTH = 5;

export const ALWAYS: Cond = { kind: "always" };
const NEVER: Cond = { kind: "never" };

const gcd = (a: number, b: number): number => {
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
};

export class IndexSpace implements IndexAlgebra<Index, Cond> {
  readonly lane: IndexVar;
  #indices = new Map<string, Index>();
  #ints = new Map<number, Index>();
  #atoms = new Map<string, IndexCall>();
  #tuples = new Map<string, Tuple>();
  #nextAtom = 0;
  #nextIndex = 0;

  constructor() {
    this.lane = this.variable("lane", 3, 0);
  }

  /** A new variable over 0 … max. */
  variable(name: string, max: number, level: number, builtin?: Builtin): IndexVar {
    const atomId = this.#nextAtom++;
    return { kind: "var", atomId, name, max, level, ...(builtin && { builtin }) };
  }

  tuple(at: readonly Index[]): Tuple {
    let key = "";
    for (const index of at) key += `${index.id},`;
    let found = this.#tuples.get(key);
    if (!found) {
      let level = 0;
      let lane = false;
      for (const index of at) {
        level = Math.max(level, index.level);
        lane ||= index.lane;
      }
      found = { id: this.#tuples.size, at, level, lane };
      this.#tuples.set(key, found);
    }
    return found;
  }

  int(value: number): Index {
    let found = this.#ints.get(value);
    if (!found) {
      found = this.#sum([], value);
      this.#ints.set(value, found);
    }
    return found;
  }

  of(variable: IndexVar): Index {
    return variable.max === 0 ? this.int(0) : this.#sum([{ atom: variable, by: 1 }], 0);
  }

  add(a: Index, b: Index): Index {
    if (a.terms.length === 0 && a.constant === 0) return b;
    if (b.terms.length === 0 && b.constant === 0) return a;
    if (b.terms.length === 0) return this.#sum(a.terms, a.constant + b.constant);
    if (a.terms.length === 0) return this.#sum(b.terms, a.constant + b.constant);
    const merged: IndexTerm[] = [];
    let [i, j] = [0, 0];
    while (i < a.terms.length || j < b.terms.length) {
      const [x, y] = [a.terms[i], b.terms[j]];
      if (!y || (x && x.atom.atomId < y.atom.atomId)) {
        merged.push(x!);
        i++;
      } else if (!x || y.atom.atomId < x.atom.atomId) {
        merged.push(y);
        j++;
      } else {
        if (x.by + y.by !== 0) merged.push({ atom: x.atom, by: x.by + y.by });
        i++;
        j++;
      }
    }
    return this.#recombine(merged, a.constant + b.constant);
  }

  mul(a: Index, by: number): Index {
    if (by === 0) return this.int(0);
    if (by === 1) return a;
    return this.#sum(
      a.terms.map((term) => ({ atom: term.atom, by: term.by * by })),
      a.constant * by,
    );
  }

  div(a: Index, by: number): Index {
    if (by === 1) return a;
    if (a.min >= 0 && a.max < by) return this.int(0);
    const { high, low } = this.#split(a, by);
    if (low.max < by) return high;
    const factor = this.#factor(low, by);
    if (factor) return this.add(high, this.div(factor.high, by / factor.by));
    return this.add(high, this.#divAtom(low, by));
  }

  mod(a: Index, by: number): Index {
    if (by === 1) return this.int(0);
    if (a.min >= 0 && a.max < by) return a;
    const { low } = this.#split(a, by);
    if (low.max < by) return low;
    // (e % n + c) % n is (e + c) % n: what wraps again need not have wrapped before.
    const wrapped = low.terms.find((term) => term.by === 1 && term.atom.kind === "mod" && term.atom.by === by);
    if (wrapped?.atom.kind === "mod") {
      const others = low.terms.filter((term) => term !== wrapped);
      return this.mod(this.add(this.#sum(others, low.constant), wrapped.atom.of), by);
    }
    const factor = this.#factor(low, by);
    if (factor) return this.add(this.mul(this.mod(factor.high, by / factor.by), factor.by), factor.low);
    return this.#modAtom(low, by);
  }

  /** The smaller of `a` and `bound`: keeps a lane past the end on the last element. */
  clamp(a: Index, bound: number): Index {
    if (a.max <= bound) return a;
    return a.min >= bound ? this.int(bound) : this.#atom("min", a, bound);
  }

  /** How far `a` is beyond `by`: 0 where it is not. */
  beyond(a: Index, by: number): Index {
    return this.add(a, this.mul(this.clamp(a, by), -1));
  }

  below(index: Index, limit: Index): Cond {
    return { kind: "below", index, limit };
  }

  less(a: Index, bound: number): Cond {
    if (a.max < bound) return ALWAYS;
    if (a.min >= bound) return NEVER;
    return { kind: "less", ...this.#plainBound(a, bound) };
  }

  atLeast(a: Index, bound: number): Cond {
    if (a.min >= bound) return ALWAYS;
    if (a.max < bound) return NEVER;
    return { kind: "atLeast", ...this.#plainBound(a, bound) };
  }

  and(a: Cond, b: Cond): Cond {
    if (a.kind === "never" || b.kind === "never") return NEVER;
    if (a.kind === "always") return b;
    if (b.kind === "always") return a;
    const parts = [a, b].flatMap((cond) => (cond.kind === "both" ? cond.parts : [cond]));
    const left = parts.filter((part, at) => !parts.some((other, i) => i !== at && implies(other, part, i < at)));
    return left.length === 1 ? left[0]! : { kind: "both", parts: left };
  }

  /** `a` with `variable` replaced. */
  substitute(a: Index, variable: IndexVar, by: Index): Index {
    const known = new Map<number, Index>();
    const walk = (index: Index): Index => {
      const done = known.get(index.id);
      if (done) return done;
      let out = this.int(index.constant);
      for (const { atom, by: factor } of index.terms) {
        const inner =
          atom.kind === "var" ? (atom === variable ? by : this.of(atom)) : this.call(atom.kind, walk(atom.of), atom.by);
        out = this.add(out, this.mul(inner, factor));
      }
      known.set(index.id, out);
      return out;
    };
    return walk(a);
  }

  substituteAll(tuple: Tuple, variable: IndexVar, by: Index): Tuple {
    return this.tuple(tuple.at.map((index) => this.substitute(index, variable, by)));
  }

  /** Row-major coordinates of `linear` in `shape`; of nothing, where an axis is empty, the origin. */
  unravel(linear: Index, shape: readonly number[]): Index[] {
    const at: Index[] = Array.from({ length: shape.length }, () => this.int(0));
    let rest = linear;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const extent = shape[axis]!;
      if (extent <= 1) continue;
      at[axis] = this.mod(rest, extent);
      rest = this.div(rest, extent);
    }
    return at;
  }

  /** Row-major position of `at` in `shape`. */
  ravel(at: readonly Index[], shape: readonly number[]): Index {
    let stride = 1;
    let sum = this.int(0);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      if (shape[axis] !== 1) sum = this.add(sum, this.mul(at[axis]!, stride));
      stride *= shape[axis]!;
    }
    return sum;
  }

  /** `a / by` when every part of `a` is a multiple of `by`, else null. */
  exactly(a: Index, by: number): Index | null {
    if (a.constant % by !== 0 || a.terms.some((term) => term.by % by !== 0)) return null;
    return this.#sum(
      a.terms.map((term) => ({ atom: term.atom, by: term.by / by })),
      a.constant / by,
    );
  }

  /** The same for conditions that say the same in the same order. */
  keyOf(cond: Cond): string {
    if (cond.kind === "both") return cond.parts.map((part) => this.keyOf(part)).join("&");
    const of = (index: Index): number => this.tuple([index]).id;
    if (cond.kind === "below") return `${of(cond.index)}<${of(cond.limit)}`;
    return "bound" in cond ? `${cond.kind} ${of(cond.index)} ${cond.bound}` : cond.kind;
  }

  call(kind: IndexCall["kind"], of: Index, by: number): Index {
    if (kind === "div") return this.div(of, by);
    return kind === "mod" ? this.mod(of, by) : this.clamp(of, by);
  }

  /** Without the constant and the common factor of the terms: 4i + 5 < 4097 is i < 1023. Both `<` and `≥` round the bound up. */
  #plainBound(a: Index, bound: number): { index: Index; bound: number } {
    const by = a.terms.reduce((common, term) => gcd(common, term.by), 0);
    const index = this.exactly(this.add(a, this.int(-a.constant)), by)!;
    if (index.min < 0) return { index: a, bound };
    const plain = Math.ceil((bound - a.constant) / by);
    return this.#withoutLane(index, plain) ?? { index, bound: plain };
  }

  /** A bound that no lane straddles: 4q + lane < 4n is q < n. */
  #withoutLane(a: Index, bound: number): { index: Index; bound: number } | null {
    if (!a.lane || bound % 4 !== 0) return null;
    const lane = a.terms.find((term) => term.atom === this.lane);
    if (lane?.by !== 1) return null;
    const rest = this.exactly(this.add(a, this.#sum([{ atom: this.lane, by: -1 }], 0)), 4);
    return rest && !rest.lane ? { index: rest, bound: bound / 4 } : null;
  }

  /** a = by·high + low, with the multiples of `by` in `high`, and nothing of `low` below zero. */
  #split(a: Index, by: number): { high: Index; low: Index } {
    const multiples = a.terms.filter((term) => term.by % by === 0);
    const rest = this.#sum(
      a.terms.filter((term) => term.by % by !== 0),
      a.constant,
    );
    const carry = Math.floor(rest.min / by);
    if (multiples.length === 0 && carry === 0) return { high: this.int(0), low: a };
    return {
      high: this.#sum(
        multiples.map((term) => ({ atom: term.atom, by: term.by / by })),
        carry,
      ),
      low: this.#sum(rest.terms, rest.constant - carry * by),
    };
  }

  /** A divisor g of `by` with a = g·high + low and 0 ≤ low < g: the division then works on `high` alone. */
  #factor(a: Index, by: number): { by: number; high: Index; low: Index } | null {
    const candidates = new Set(a.terms.map((term) => gcd(term.by, by)));
    for (const g of [...candidates].toSorted((x, y) => y - x)) {
      if (g <= 1) break;
      const { high, low } = this.#split(a, g);
      if (low.max < g && high.min >= 0) return { by: g, high, low };
    }
    return null;
  }

  #divAtom(a: Index, by: number): Index {
    const inner = single(a);
    if (inner?.kind === "div") return this.div(inner.of, inner.by * by);
    if (inner?.kind === "mod" && inner.by % by === 0) return this.mod(this.div(inner.of, by), inner.by / by);
    return this.#atom("div", a, by);
  }

  #modAtom(a: Index, by: number): Index {
    const inner = single(a);
    if (inner?.kind === "mod" && inner.by % by === 0) return this.mod(inner.of, by);
    return this.#atom("mod", a, by);
  }

  #atom(kind: IndexCall["kind"], of: Index, by: number): Index {
    const key = `${kind}${of.id}:${by}`;
    let atom = this.#atoms.get(key);
    if (!atom) {
      atom = { kind, atomId: this.#nextAtom++, of, by };
      this.#atoms.set(key, atom);
    }
    return this.#sum([{ atom, by: 1 }], 0);
  }

  /** e/d·d + e%d is e again, and (e/d + c)%m·d + e%d is (e + c·d)%(d·m). */
  #recombine(terms: IndexTerm[], constant: number): Index {
    for (const { atom, by } of terms) {
      if (atom.kind !== "mod") continue;
      const quotient = this.div(atom.of, atom.by);
      for (const other of terms) {
        const joined = other.by === by * atom.by ? this.#joined(atom, quotient, other.atom) : null;
        if (!joined) continue;
        const rest = terms.filter((term) => term.atom !== atom && term !== other);
        return this.add(this.#sum(rest, constant), this.mul(joined, by));
      }
    }
    return this.#sum(terms, constant);
  }

  /** What `low`, a remainder, and `high`, its quotient or a remainder of that, are together; null where they are nothing simpler. */
  #joined(low: IndexCall, quotient: Index, high: IndexAtom): Index | null {
    if (single(quotient) === high) return low.of;
    if (high.kind !== "mod") return null;
    const carry = high.of.constant - quotient.constant;
    if (carry < 0 || this.add(quotient, this.int(carry)) !== high.of) return null;
    return this.mod(this.add(low.of, this.int(carry * low.by)), low.by * high.by);
  }

  #sum(terms: readonly IndexTerm[], constant: number): Index {
    let key = `${constant}`;
    for (const { atom, by } of terms) key += `|${atom.atomId}*${by}`;
    let found = this.#indices.get(key);
    if (!found) {
      found = this.#make(terms, constant);
      this.#indices.set(key, found);
    }
    return found;
  }

  #make(terms: readonly IndexTerm[], constant: number): Index {
    if (!Number.isSafeInteger(constant)) throw bug(`index constant ${constant}`);
    let [min, max, level, depth] = [constant, constant, 0, 0];
    let lane = false;
    for (const { atom, by } of terms) {
      const [lowest, highest] = rangeOf(atom);
      min += by > 0 ? by * lowest : by * highest;
      max += by > 0 ? by * highest : by * lowest;
      level = Math.max(level, atom.kind === "var" ? atom.level : atom.of.level);
      depth = Math.max(depth, atom.kind === "var" ? 0 : atom.of.depth + 1);
      lane ||= atom.kind === "var" ? atom === this.lane : atom.of.lane;
    }
    return { id: this.#nextIndex++, terms, constant, min, max, level, lane, depth };
  }
}

/** Four neighbours are the same distance apart: the lane stands outside every division and remainder. */
export const evenLanes = (a: Index): boolean => a.terms.every(({ atom }) => atom.kind === "var" || !atom.of.lane);

/** Holds for some of four neighbours, maybe, and not for the others. */
export function dependsOnLane(cond: Cond): boolean {
  if (cond.kind === "both") return cond.parts.some(dependsOnLane);
  return "index" in cond && cond.index.lane;
}

/** The atom that an index consists of, if it is nothing else. */
const single = (a: Index): IndexAtom | null =>
  a.constant === 0 && a.terms.length === 1 && a.terms[0]!.by === 1 ? a.terms[0]!.atom : null;

/** Whether `a` says all that `b` says; of two that say the same, the first. */
function implies(a: Cond, b: Cond, isFirst: boolean): boolean {
  if (!("bound" in a && "bound" in b) || a.kind !== b.kind || a.index.id !== b.index.id) return false;
  if (a.bound === b.bound) return isFirst;
  return a.kind === "less" ? a.bound < b.bound : a.bound > b.bound;
}

function rangeOf(atom: IndexAtom): [number, number] {
  if (atom.kind === "var") return [0, atom.max];
  const [low, high] = [Math.max(0, atom.of.min), atom.of.max];
  if (atom.kind === "div") return [Math.floor(low / atom.by), Math.floor(high / atom.by)];
  if (atom.kind === "mod") return [0, Math.min(atom.by - 1, high)];
  return [Math.min(low, atom.by), Math.min(high, atom.by)];
}

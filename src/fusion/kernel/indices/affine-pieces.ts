/**
 * @file An index rule as affine pieces. Every output axis is a variable that runs from 0; where a division, a remainder
 * or a condition changes along it, it is cut, or written as digits (v = p·q + r). Costs nothing an element.
 */
import type { IndexAlgebra } from "../../ops";

/** `constant + Σ coefficient · variable`. */
export interface Affine {
  readonly constant: number;
  readonly terms: ReadonlyMap<number, number>;
}

export type Expr =
  | { readonly kind: "affine"; readonly value: Affine }
  | { readonly kind: "axis"; readonly axis: number }
  | { readonly kind: "add"; readonly a: Expr; readonly b: Expr }
  | { readonly kind: "mul" | "div" | "mod"; readonly a: Expr; readonly by: number };
/** `a ≥ low` or `a < low`. */
export interface Test {
  readonly a: Expr;
  readonly bound: number;
  readonly below: boolean;
}
export type Tests = readonly Test[];

const constant = (value: number): Affine => ({ constant: value, terms: new Map() });

/** Builds the rule instead of computing it. A condition is a conjunction of tests. */
export const expressions: IndexAlgebra<Expr, Tests> = {
  int: (value) => ({ kind: "affine", value: constant(value) }),
  add: (a, b) => ({ kind: "add", a, b }),
  mul: (a, by) => ({ kind: "mul", a, by }),
  div: (a, by) => ({ kind: "div", a, by }),
  mod: (a, by) => ({ kind: "mod", a, by }),
  less: (a, bound) => [
    { a, bound: 0, below: false },
    { a, bound, below: true },
  ],
  atLeast: (a, bound) => [{ a, bound, below: false }],
  and: (a, b) => [...a, ...b],
};

/** Output axes that an expression reads. */
export function axesOf(expr: Expr, into = new Set<number>()): Set<number> {
  if (expr.kind === "axis") into.add(expr.axis);
  else if (expr.kind === "add") axesOf(expr.b, axesOf(expr.a, into));
  else if (expr.kind !== "affine") axesOf(expr.a, into);
  return into;
}

/** Every output axis as an affine form of variables that run from 0 to their count. */
export interface Domain {
  readonly axes: readonly Affine[];
  readonly counts: ReadonlyMap<number, number>;
}

/** Says that a domain must be cut before the rule is affine on it. */
class Cut {
  readonly parts: readonly Domain[];
  constructor(parts: readonly Domain[]) {
    this.parts = parts;
  }
}

const plus = (a: Affine, b: Affine, by = 1): Affine => {
  const terms = new Map(a.terms);
  for (const [v, c] of b.terms) {
    const sum = (terms.get(v) ?? 0) + c * by;
    if (sum === 0) terms.delete(v);
    else terms.set(v, sum);
  }
  return { constant: a.constant + b.constant * by, terms };
};
const times = ({ constant: c, terms }: Affine, by: number): Affine =>
  by === 0 ? constant(0) : { constant: c * by, terms: new Map([...terms].map(([v, k]) => [v, k * by])) };

/** Least and greatest value on a domain. */
export function rangeOf({ constant: c, terms }: Affine, counts: Domain["counts"]): readonly [number, number] {
  let [low, high] = [c, c];
  for (const [v, k] of terms) {
    const end = k * (counts.get(v)! - 1);
    if (end < 0) low += end;
    else high += end;
  }
  return [low, high];
}

/** `v` becomes `form`, over new variables of these counts. */
function substituted({ axes, counts }: Domain, v: number, form: Affine, fresh: readonly (readonly [number, number])[]) {
  const next = new Map(counts);
  next.delete(v);
  for (const [id, count] of fresh) if (count > 1) next.set(id, count);
  const gone = new Set(fresh.flatMap(([id, count]) => (count > 1 ? [] : [id])));
  const value: Affine = { ...form, terms: new Map([...form.terms].filter(([id]) => !gone.has(id))) };
  const parts = axes.map((axis) => {
    const k = axis.terms.get(v);
    if (k === undefined) return axis;
    const rest = { ...axis, terms: new Map([...axis.terms].filter(([id]) => id !== v)) };
    return plus(rest, value, k);
  });
  return { axes: parts, counts: next } satisfies Domain;
}

let names = 0;
const form = (start: number, ...terms: readonly (readonly [number, number])[]): Affine => ({
  constant: start,
  terms: new Map(terms),
});

/** The part of the domain where `start ≤ v < start + count`. */
function range(domain: Domain, v: number, start: number, count: number): Domain {
  const id = ++names;
  return substituted(domain, v, form(start, [id, 1]), [[id, count]]);
}

const cutAt = (domain: Domain, v: number, at: number): Cut =>
  new Cut([range(domain, v, 0, at), range(domain, v, at, domain.counts.get(v)! - at)]);

/** v = period · q + r, and what is left over at the end. */
function digits(domain: Domain, v: number, period: number): Cut {
  const n = domain.counts.get(v)!;
  const whole = Math.floor(n / period);
  const [q, r] = [++names, ++names];
  const main = substituted(domain, v, form(0, [q, period], [r, 1]), [
    [q, whole],
    [r, period],
  ]);
  const left = n - whole * period;
  return new Cut(left > 0 ? [main, range(domain, v, whole * period, left)] : [main]);
}

/** The same values in the other direction. */
function flipped(domain: Domain, v: number): Cut {
  const id = ++names;
  const n = domain.counts.get(v)!;
  return new Cut([substituted(domain, v, form(n - 1, [id, -1]), [[id, n]])]);
}

/** Where `a` passes `boundary` for the first time along its widest variable, everything else running: cut there. */
function firstCut(domain: Domain, a: Affine, boundary: number): Cut {
  const negative = [...a.terms].find(([, k]) => k < 0);
  if (negative) return flipped(domain, negative[0]);
  const [v, k] = [...a.terms].reduce((most, term) => (term[1] > most[1] ? term : most));
  const rest = rangeOf(a, domain.counts)[1] - k * (domain.counts.get(v)! - 1);
  const touched = Math.ceil((boundary - rest) / k);
  if (touched > 0) return cutAt(domain, v, touched);
  const passed = Math.ceil((boundary - a.constant) / k);
  if (passed > 0 && passed < domain.counts.get(v)!) return cutAt(domain, v, passed);
  // Every value of it meets the boundary somewhere: one is looked at by itself.
  return cutAt(domain, v, 1);
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
/** More quotients than this are written as digits where that is possible. */
const FEW_QUOTIENTS = 4;

/** Floor division, where all that does not divide stays within one quotient. */
function divided(a: Affine, by: number, domain: Domain): Affine {
  const out = new Map([...a.terms].filter(([, k]) => k % by === 0).map(([v, k]) => [v, k / by]));
  const rest: Affine = { constant: a.constant, terms: new Map([...a.terms].filter(([, k]) => k % by !== 0)) };
  const [low, high] = rangeOf(rest, domain.counts);
  const [first, last] = [Math.floor(low / by), Math.floor(high / by)];
  if (first === last) return { constant: first, terms: out };
  if (last - first > FEW_QUOTIENTS) {
    for (const [v, k] of [...rest.terms].toSorted((x, y) => Math.abs(y[1]) - Math.abs(x[1]))) {
      const period = by / gcd(Math.abs(k), by);
      if (period < domain.counts.get(v)!) throw digits(domain, v, period);
    }
  }
  throw firstCut(domain, rest, (first + 1) * by);
}

/** The expression on the domain; throws a `Cut` where it is not affine on all of it. */
function evaluated(expr: Expr, domain: Domain): Affine {
  switch (expr.kind) {
    case "affine":
      return expr.value;
    case "axis":
      return domain.axes[expr.axis]!;
    case "add":
      return plus(evaluated(expr.a, domain), evaluated(expr.b, domain));
    case "mul":
      return times(evaluated(expr.a, domain), expr.by);
    case "div":
      return divided(evaluated(expr.a, domain), expr.by, domain);
    case "mod": {
      const a = evaluated(expr.a, domain);
      return plus(a, divided(a, expr.by, domain), -expr.by);
    }
  }
}

function holds({ a, bound, below }: Test, domain: Domain): boolean {
  const value = evaluated(a, domain);
  const [low, high] = rangeOf(value, domain.counts);
  if (high < bound) return below;
  if (low >= bound) return !below;
  throw firstCut(domain, value, bound);
}

/** A part of the output where every index is affine; `which` case holds there. */
export interface AffinePiece {
  readonly which: number;
  readonly index: readonly Affine[];
  readonly counts: Domain["counts"];
}

/** More pieces than this are not worth looking at. */
export const MAX_PIECES = 4096;
/** Domains looked at since the program began, for the law that counts them. */
export const visits = { domains: 0 };

/**
 * Cuts the box `domain` until the first case whose tests hold is the same, and affine, on every part.
 * Null where that takes more than `MAX_PIECES` parts.
 */
export function affinePieces(
  cases: readonly { readonly when: Tests | null; readonly index: readonly Expr[] }[],
  domain: Domain,
): AffinePiece[] | null {
  const open = [domain];
  const found: AffinePiece[] = [];
  for (let looked = 0; open.length > 0; looked++) {
    if (looked > MAX_PIECES) return null;
    visits.domains++;
    const part = open.pop()!;
    try {
      const which = cases.findIndex(({ when }) => when === null || when.every((test) => holds(test, part)));
      if (which < 0) continue;
      const index = cases[which]!.index.map((expr) => evaluated(expr, part));
      found.push({ which, index, counts: part.counts });
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
      open.push(...error.parts);
    }
  }
  return found;
}

/** A box of output elements: start, count and step on every axis. */
export function domainOf(
  box: readonly { readonly start: number; readonly count: number; readonly step: number }[],
): Domain {
  const counts = new Map<number, number>();
  const axes = box.map(({ start, count, step }): Affine => {
    if (count === 1) return constant(start);
    const id = ++names;
    counts.set(id, count);
    return form(start, [id, step]);
  });
  return { axes, counts };
}

/** @file Loads before what is computed from them: compilers keep the order of the text, and a load behind a computation waits for it. */
import type { Cond, Index, IndexAtom, IndexVar } from "./index-space";
import { isLoop, valuesOf, type Expr, type Stmt } from "./kernel-ir";

/** Registers of loads that are on their way at once, where a thread keeps little else. */
const LOADED = 64;

/** The variables that an index is made of. */
export function* variablesOf(index: Index): Generator<IndexVar> {
  const open: IndexAtom[] = index.terms.map(({ atom }) => atom);
  for (let atom = open.pop(); atom; atom = open.pop()) {
    if (atom.kind === "var") yield atom;
    else open.push(...atom.of.terms.map((term) => term.atom));
  }
}

/** The indices that a condition compares. */
function indicesIn(cond: Cond): readonly Index[] {
  switch (cond.kind) {
    case "always":
    case "never":
      return [];
    case "less":
    case "atLeast":
      return [cond.index];
    case "below":
      return [cond.index, cond.limit];
    case "both":
      return cond.parts.flatMap(indicesIn);
  }
}

/** The indices that an expression spells. */
function indicesOf(expr: Expr): readonly Index[] {
  if (expr.kind === "generate") return expr.at;
  if (expr.kind === "select") return indicesIn(expr.when);
  if (expr.kind === "load" && expr.when) return [expr.index, ...indicesIn(expr.when)];
  return "index" in expr && expr.index ? [expr.index] : [];
}

type Named = Extract<Stmt, { readonly kind: "let" | "bind" | "bindValue" }>;

/** Whether a statement names something that is the same wherever it is written, once its operands are known. */
const isNamed = (stmt: Stmt): stmt is Named =>
  stmt.kind === "bind" ||
  stmt.kind === "bindValue" ||
  (stmt.kind === "let" && stmt.value.kind !== "loadShared" && stmt.value.kind !== "shuffle");

const isLoad = (stmt: Stmt): boolean => stmt.kind === "let" && stmt.value.kind === "load";

/** The indices that a statement spells. */
const spelledBy = (stmt: Named): readonly Index[] =>
  stmt.kind === "let" ? indicesOf(stmt.value) : stmt.kind === "bind" ? [stmt.value] : [];

/** What a statement names, and what it is made of. */
const nameOf = (stmt: Named): number | IndexVar => (stmt.kind === "let" ? stmt.reg.id : stmt.variable);
function* partsOf(stmt: Named): Generator<number | IndexVar> {
  for (const value of valuesOf(stmt)) if (value.kind === "reg") yield value.id;
  for (const index of spelledBy(stmt)) yield* variablesOf(index);
}

/** Names that say something only from where they stand on, and buffers that are stored to, in blocks inside as well. */
function changedBy(stmts: readonly Stmt[]): ReadonlySet<unknown> {
  const changed = new Set<unknown>();
  const open = [...stmts];
  for (let stmt = open.pop(); stmt; stmt = open.pop()) {
    if (isLoop(stmt)) open.push(...stmt.body);
    else if (stmt.kind === "if") open.push(...stmt.body, ...stmt.otherwise);
    // What is stored over an input is stored where the same thread has read it.
    else if (stmt.kind === "store" || stmt.kind === "storePair") {
      if (!stmt.buffer.begins) changed.add(stmt.buffer);
    } else if (isNamed(stmt)) continue;
    else if ("reg" in stmt) changed.add(stmt.reg.id);
    else if ("variable" in stmt) changed.add(stmt.variable);
  }
  return changed;
}

/**
 * The statements of one block in another order: loads that need nothing of it first, then those that need these, with what names their
 * addresses; all others as they were. What is assigned or stored here stays where it is, and so does what reads it.
 */
export function loadsFirst(stmts: readonly Stmt[]): Stmt[] {
  const changed = changedBy(stmts);
  const home = new Map<number | IndexVar, Named>();
  /** How many loads stand behind one another up to a statement; ∞ where it can't move. */
  const depths = new Map<Named, number>();
  for (const stmt of stmts) {
    if (!isNamed(stmt)) continue;
    let depth = stmt.kind === "let" && stmt.value.kind === "load" && changed.has(stmt.value.buffer) ? Infinity : 0;
    for (const part of partsOf(stmt)) {
      const from = home.get(part);
      depth = Math.max(depth, from ? depths.get(from)! : changed.has(part) ? Infinity : 0);
    }
    depths.set(stmt, depth + (isLoad(stmt) ? 1 : 0));
    home.set(nameOf(stmt), stmt);
  }
  const early = new Set<Named>();
  const open = [...depths.keys()].filter((stmt) => isLoad(stmt) && depths.get(stmt)! < Infinity);
  for (let stmt = open.pop(); stmt; stmt = open.pop()) {
    if (early.has(stmt)) continue;
    early.add(stmt);
    for (const part of partsOf(stmt)) open.push(...(home.has(part) ? [home.get(part)!] : []));
  }
  // What waits for a load stands behind the loads that wait for as many.
  const turn = (stmt: Named): number => depths.get(stmt)! - (isLoad(stmt) ? 0.5 : 0);
  const isEarly = (stmt: Stmt): stmt is Named => (early as ReadonlySet<Stmt>).has(stmt);
  return [...stmts.filter(isEarly).toSorted((a, b) => turn(a) - turn(b)), ...stmts.filter((stmt) => !isEarly(stmt))];
}

/** Registers that the loads of these statements fill. */
const loaded = (stmts: readonly Stmt[]): number =>
  stmts.reduce((sum, stmt) => sum + (stmt.kind === "let" && stmt.value.kind === "load" ? stmt.reg.width : 0), 0);

/** Statements of walks one after another: the loads of as many of them first as `most` registers have room for. */
export function walkedTogether(walks: readonly (readonly Stmt[])[], most = LOADED): Stmt[] {
  const after: Stmt[] = [];
  let some: Stmt[] = [];
  for (const walk of walks) {
    if (some.length > 0 && loaded(some) + loaded(walk) > most) {
      after.push(...loadsFirst(some));
      some = [];
    }
    some.push(...walk);
  }
  return [...after, ...loadsFirst(some)];
}

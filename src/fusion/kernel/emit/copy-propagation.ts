/** @file Statements put as a person would: what is only handed on has no name of its own. */
import { withNamedAddresses } from "./addresses";
import type { IndexSpace } from "./index-space";
import { isLoop, valuesOf, type Stmt } from "./kernel-ir";
import type { Names } from "./names";

/** The same loads, values and stores in the same order. */
export const propagateCopies = (body: readonly Stmt[], space: IndexSpace, names: Names): Stmt[] =>
  withNamedAddresses(handedOn(body, usesOf(body)), space, names);

/** How often each register is read. */
function usesOf(body: readonly Stmt[]): ReadonlyMap<number, number> {
  const uses = new Map<number, number>();
  const open: Stmt[] = [...body];
  for (let stmt = open.pop(); stmt; stmt = open.pop()) {
    for (const value of valuesOf(stmt)) if (value.kind === "reg") uses.set(value.id, (uses.get(value.id) ?? 0) + 1);
    if (isLoop(stmt)) open.push(...stmt.body);
    if (stmt.kind === "if") open.push(...stmt.body, ...stmt.otherwise);
  }
  return uses;
}

/** `let next = x[i]; held = next;` is `held = x[i];`. */
function handedOn(body: readonly Stmt[], uses: ReadonlyMap<number, number>): Stmt[] {
  const after: Stmt[] = [];
  for (const stmt of body) {
    const before = after.at(-1);
    if (isLoop(stmt)) after.push({ ...stmt, body: handedOn(stmt.body, uses) });
    else if (stmt.kind === "if")
      after.push({ ...stmt, body: handedOn(stmt.body, uses), otherwise: handedOn(stmt.otherwise, uses) });
    else if ((stmt.kind === "var" || stmt.kind === "set") && before?.kind === "let" && isOnly(before, stmt, uses)) {
      const nodes = [...new Set([...before.nodes, ...stmt.nodes])];
      after.splice(-1, 1, { ...stmt, value: before.value, nodes });
    } else after.push(stmt);
  }
  return after;
}

type Named = Extract<Stmt, { readonly kind: "let" | "var" | "set" }>;

const isOnly = ({ reg }: Named, { reg: to, value }: Named, uses: ReadonlyMap<number, number>): boolean =>
  value.kind === "reg" &&
  value.id === reg.id &&
  to.scalar === reg.scalar &&
  to.width === reg.width &&
  uses.get(reg.id) === 1;

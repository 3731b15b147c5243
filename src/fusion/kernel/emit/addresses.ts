/** @file Addresses that a kernel spells out again and again get a name: `let x_at = …`, then `x[x_at]`, `x[x_at + 1u]`. */
import type { Index, IndexSpace, IndexVar } from "./index-space";
import { isLoop, type Buffer, type Expr, type Stmt } from "./kernel-ir";
import { variablesOf } from "./loads-first";
import type { Names } from "./names";

/** Sums of as many terms are named even where nothing is divided. */
const MANY_TERMS = 4;

/** What an access says beside a number that is written there: `unit` times the base, plus the number. */
interface Address {
  readonly base: Index;
  readonly unit: 1 | 4;
}

interface Access {
  readonly buffer: Buffer;
  readonly index: Index;
  readonly width: number;
}

/** The statements with a name for every long address that occurs at least twice where it is known. */
export function withNamedAddresses(body: readonly Stmt[], space: IndexSpace, names: Names): Stmt[] {
  return new AddressNaming(space, names).block(body, new Map());
}

class AddressNaming {
  readonly #space: IndexSpace;
  readonly #names: Names;

  constructor(space: IndexSpace, names: Names) {
    this.#space = space;
    this.#names = names;
  }

  /** @param known names that blocks around this one gave */
  block(body: readonly Stmt[], known: ReadonlyMap<Index, IndexVar>): Stmt[] {
    const uses = new Map<Index, { first: number; readonly buffers: Buffer[] }>();
    for (const [at, stmt] of body.entries()) {
      const inside = definedInside(stmt);
      for (const access of accesses([stmt])) {
        const address = this.#addressOf(access);
        if (!address || known.has(address.base) || !isKnownOutside(address.base, inside)) continue;
        const use = uses.get(address.base) ?? { first: at, buffers: [] };
        use.buffers.push(access.buffer);
        uses.set(address.base, use);
      }
    }
    const named = new Map(known);
    const binds = new Map<number, Stmt[]>();
    for (const [base, { first, buffers }] of uses) {
      if (buffers.length < 2) continue;
      const one = buffers.every((buffer) => buffer === buffers[0]);
      const variable = this.#space.variable(
        this.#names.fresh(one ? `${buffers[0]!.name}_at` : "at"),
        base.max,
        base.level,
      );
      named.set(base, variable);
      binds.set(first, [...(binds.get(first) ?? []), { kind: "bind", variable, value: base }]);
    }
    return body.flatMap((stmt, at) => [...(binds.get(at) ?? []), this.#rewritten(stmt, named)]);
  }

  /** Null where the address is short, or is spelled by more than its index. */
  #addressOf({ buffer, index, width }: Access): Address | null {
    if (buffer.type.dtype === "f16" || index.lane || (buffer.width === 4 && width === 1)) return null;
    const unit = buffer.width;
    const start = this.#space.add(index, this.#space.int(-index.constant));
    const base = unit === 4 ? this.#space.exactly(start, 4) : start;
    if (!base || base.min < 0 || index.constant % unit !== 0) return null;
    const { length } = base.terms;
    return length >= MANY_TERMS || (length > 1 && base.depth > 0) ? { base, unit } : null;
  }

  #renamed<A extends Access>(access: A, named: ReadonlyMap<Index, IndexVar>): A {
    const address = this.#addressOf(access);
    const variable = address && named.get(address.base);
    if (!variable) return access;
    const start = this.#space.mul(this.#space.of(variable), address.unit);
    return { ...access, index: this.#space.add(start, this.#space.int(access.index.constant)) };
  }

  #rewritten(stmt: Stmt, named: ReadonlyMap<Index, IndexVar>): Stmt {
    if (isLoop(stmt)) return { ...stmt, body: this.block(stmt.body, named) };
    if (stmt.kind === "if")
      return { ...stmt, body: this.block(stmt.body, named), otherwise: this.block(stmt.otherwise, named) };
    if (stmt.kind === "store") return this.#renamed(stmt, named);
    if (stmt.kind !== "let" && stmt.kind !== "var" && stmt.kind !== "set") return stmt;
    return stmt.value.kind === "load" ? { ...stmt, value: this.#renamed(stmt.value, named) } : stmt;
  }
}

const loadOf = (value: Expr): Access[] => (value.kind === "load" ? [value] : []);

/** Loads and stores in the order of the text, those of nested blocks included. */
function* accesses(body: readonly Stmt[]): Generator<Access> {
  for (const stmt of body) {
    if (isLoop(stmt)) yield* accesses(stmt.body);
    else if (stmt.kind === "if") yield* accesses([...stmt.body, ...stmt.otherwise]);
    else if (stmt.kind === "store") yield stmt;
    else if (stmt.kind === "let" || stmt.kind === "var" || stmt.kind === "set") yield* loadOf(stmt.value);
  }
}

/** Variables that exist only inside the blocks of `stmt`. */
function definedInside(stmt: Stmt): ReadonlySet<IndexVar> {
  const found = new Set<IndexVar>();
  const open: Stmt[] = [stmt];
  for (let next = open.pop(); next; next = open.pop()) {
    if (isLoop(next)) {
      found.add(next.variable);
      open.push(...next.body);
    } else if (next.kind === "if") open.push(...next.body, ...next.otherwise);
    else if ("variable" in next && next !== stmt) found.add(next.variable);
  }
  return found;
}

const isKnownOutside = (base: Index, inside: ReadonlySet<IndexVar>): boolean =>
  [...variablesOf(base)].every((variable) => !inside.has(variable));

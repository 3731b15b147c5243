/**
 * @file Four neighbours that one thread reads or writes one by one become one access of four: components along a short last axis, the
 * elements of windows, rows that lie between one another. Where it loads the four at once, too, as a stencil does in its middle, that
 * load is the only one. The same elements are touched as before.
 */
import type { NodeId } from "../../ir";
import type { Cond, Index, IndexSpace } from "./index-space";
import { isLoop, type Buffer, type Reg, type Scalar, type Stmt, type Value, type Width } from "./kernel-ir";

/** Who names registers. */
interface Registers {
  readonly space: IndexSpace;
  reg(name: string, scalar: Scalar, width: Width, level?: number): Reg;
}

type Load = Extract<Stmt, { readonly kind: "let" }>;
type Store = Extract<Stmt, { readonly kind: "store" }>;

/** Accesses of one run of statements to the same four elements: where each of them stands, by its lane among the four. */
interface Four {
  readonly buffer: Buffer;
  readonly start: Index;
  /** Where they exist; elsewhere what is read is dropped. */
  readonly when: Cond | undefined;
  readonly lanes: Map<number, number>;
  /** Where all four are loaded at once; null where they aren't. */
  whole: number | null;
}

/** The statements with as few accesses; buffers that are met in fours from now on say so. */
export function joinAccesses(body: readonly Stmt[], registers: Registers): Stmt[] {
  const joining = new Joining(registers);
  joining.look(body);
  return joining.block(body);
}

class Joining {
  readonly #registers: Registers;
  /** Buffers that are read, and those that are written. */
  readonly #read = new Set<Buffer>();
  readonly #written = new Set<Buffer>();
  /** Buffers with an access that is neither one of four nor of a component that the text can name: in how many loops, at most. */
  readonly #scattered = new Map<Buffer, number>();
  /** Buffers that helpers read element by element. */
  readonly #whole = new Set<Buffer>();
  readonly #fours = new Map<readonly Stmt[], readonly Four[]>();

  constructor(registers: Registers) {
    this.#registers = registers;
  }

  /** Finds the fours of each block, and what speaks against a buffer. */
  look(body: readonly Stmt[], loops = 0): void {
    const fours = this.#foursOf(body);
    this.#fours.set(body, fours);
    const joined = new Set(fours.flatMap(({ lanes }) => [...lanes.values()]));
    for (const [at, stmt] of body.entries()) {
      if (isLoop(stmt)) this.look(stmt.body, loops + 1);
      if (stmt.kind === "if") for (const block of [stmt.body, stmt.otherwise]) this.look(block, loops);
      if (stmt.kind === "merge") this.#whole.add(stmt.values);
      if (stmt.kind === "fetchAtomic") this.#whole.add(stmt.buffer);
      if (stmt.kind === "store" || stmt.kind === "storePair") this.#written.add(stmt.buffer);
      const access = accessOf(stmt);
      if (!access) continue;
      if (access.kind === "load") this.#read.add(access.buffer);
      if (access.width === 1 && !joined.has(at) && !this.#startOf(access.index, access.when))
        this.#scattered.set(access.buffer, Math.max(loops, this.#scattered.get(access.buffer) ?? 0));
    }
  }

  block(body: readonly Stmt[], loops = 0): Stmt[] {
    const [after, before, left] = [new Map<number, Stmt[]>(), new Map<number, Stmt[]>(), new Map<number, Stmt>()];
    for (const four of this.#fours.get(body) ?? []) {
      if (!this.#mayJoin(four, loops)) continue;
      const { lanes, buffer } = four;
      buffer.width = 4;
      if (body[[...lanes.values()][0]!]!.kind === "let") this.#joinLoads(body, four, before, left);
      else
        this.#joinStores(
          body,
          four,
          [0, 1, 2, 3].map((lane) => lanes.get(lane)!),
          after,
          left,
        );
    }
    return body.flatMap((stmt, at) => [
      ...(before.get(at) ?? []),
      ...(after.get(at) ?? [left.get(at) ?? this.#inside(stmt, loops)]).filter((each) => each !== GONE),
    ]);
  }

  #inside(stmt: Stmt, loops: number): Stmt {
    if (isLoop(stmt)) return { ...stmt, body: this.block(stmt.body, loops + 1) };
    if (stmt.kind === "if")
      return { ...stmt, body: this.block(stmt.body, loops), otherwise: this.block(stmt.otherwise, loops) };
    return stmt;
  }

  /** What is scattered may be a component that only a run knows, where that happens no more often and nothing is stored so. */
  #mayJoin({ buffer }: Four, loops: number): boolean {
    if (this.#whole.has(buffer)) return false;
    const scattered = this.#scattered.get(buffer);
    if (buffer.width === 1 && scattered !== undefined && (scattered > loops || this.#written.has(buffer))) return false;
    return !(this.#read.has(buffer) && this.#written.has(buffer));
  }

  /** All four are loaded where the first of them was. */
  #joinLoads(
    body: readonly Stmt[],
    { buffer, start, when, lanes, whole }: Four,
    before: Map<number, Stmt[]>,
    left: Map<number, Stmt>,
  ): void {
    const sites = [...lanes].toSorted(([a], [b]) => a - b);
    const first = Math.min(...lanes.values());
    const { reg: one } = body[first] as Load;
    const known = whole === null ? null : (body[whole] as Load).reg;
    const reg = known ?? this.#registers.reg(`${buffer.name}_four`, one.scalar, 4, one.level);
    if (whole === null || whole > first) {
      const nodes = nodesOf(
        [...sites.map(([, at]) => at), ...(whole === null ? [] : [whole])].map((at) => body[at] as Load),
      );
      const load: Stmt = { kind: "let", reg, value: { kind: "load", buffer, index: start, width: 4, when }, nodes };
      before.set(first, [...(before.get(first) ?? []), load]);
      if (whole !== null) left.set(whole, GONE);
    }
    for (const [lane, at] of sites) left.set(at, { ...(body[at] as Load), value: { kind: "part", a: reg, lane } });
  }

  /** All four are stored where the last of them was. */
  #joinStores(
    body: readonly Stmt[],
    { buffer, start }: Four,
    sites: readonly number[],
    after: Map<number, Stmt[]>,
    left: Map<number, Stmt>,
  ): void {
    const stores = sites.map((at) => body[at] as Store);
    const last = Math.max(...sites);
    const parts = stores.map(({ value }): Value => value);
    const nodes = nodesOf(stores);
    const level = Math.max(...parts.map((value) => (value.kind === "reg" ? value.level : 0)));
    const reg = this.#registers.reg(`${buffer.name}_four`, buffer.type.dtype, 4, level);
    for (const at of sites) left.set(at, GONE);
    after.set(last, [
      { kind: "let", reg, value: { kind: "pack", parts }, nodes },
      { kind: "store", buffer, index: start, value: reg, width: 4, nodes },
    ]);
  }

  /** Runs of statements end with what threads may not all reach, and with where they meet. Loads hold beyond a branch. */
  #foursOf(body: readonly Stmt[]): Four[] {
    const found: Four[] = [];
    const open = new Map<string, Four>();
    const close = (ended: "all" | "stores"): void => {
      for (const [key, four] of open) {
        if (ended === "stores" && !key.startsWith("store")) continue;
        open.delete(key);
        const { lanes, whole } = four;
        if (lanes.size === 4 || (whole !== null && lanes.size > 0)) found.push(four);
      }
    };
    for (const [at, stmt] of body.entries()) {
      if (stmt.kind === "if") close(hasLoop(stmt) ? "all" : "stores");
      if (isLoop(stmt) || stmt.kind === "guard" || stmt.kind === "barrier") close("all");
      const access = accessOf(stmt);
      if (!access || access.changes || !mayLieInFours(access.buffer)) continue;
      if (access.width === 4 && access.kind === "store") continue;
      const { when } = access;
      const address = this.#startOf(access.index, when);
      if (!address) continue;
      const exists = when ? this.#registers.space.keyOf(when) : "";
      const key = `${access.kind} ${access.buffer.name} ${address.start.id} ${exists}`;
      const four: Four = open.get(key) ?? {
        buffer: access.buffer,
        start: address.start,
        when,
        lanes: new Map(),
        whole: null,
      };
      if (access.width === 4) {
        four.whole ??= at;
        open.set(key, four);
        continue;
      }
      // An element that is written twice is the last one's.
      if (four.lanes.has(address.lane)) four.lanes.delete(address.lane);
      else open.set(key, four);
      four.lanes.set(address.lane, at);
    }
    close("all");
    return found;
  }

  /** Where the four begin that an element is one of, and which one it is; null where only a run knows. */
  #startOf(index: Index, when?: Cond): { readonly start: Index; readonly lane: number } | null {
    const { space } = this.#registers;
    if (index.lane) return null;
    const lane = ((index.constant % 4) + 4) % 4;
    const start = space.add(index, space.int(-lane));
    // An element that exists is none before the first: neither is where its four begin.
    return (when !== undefined || start.min >= 0) && space.exactly(start, 4) ? { start, lane } : null;
  }
}

/** Instead of a statement that is no longer there. */
const GONE: Stmt = { kind: "comment", text: "" };

const hasLoop = (stmt: Stmt): boolean =>
  isLoop(stmt) || (stmt.kind === "if" && [...stmt.body, ...stmt.otherwise].some(hasLoop));

const mayLieInFours = ({ access, type: { dtype }, elements }: Buffer): boolean =>
  access !== "uniform" && elements % 4 === 0 && (dtype === "f32" || dtype === "i32");

interface Access {
  readonly kind: "load" | "store";
  readonly buffer: Buffer;
  readonly index: Index;
  readonly width: Width;
  /** What is read is dropped elsewhere: there it may lie outside. */
  readonly when: Cond | undefined;
  /** It is read into a variable. */
  readonly changes: boolean;
}

function accessOf(stmt: Stmt): Access | null {
  if (stmt.kind === "store") return { ...stmt, when: undefined, changes: false };
  if ((stmt.kind !== "let" && stmt.kind !== "var" && stmt.kind !== "set") || stmt.value.kind !== "load") return null;
  return { ...stmt.value, when: stmt.value.when, changes: stmt.kind !== "let" };
}

const nodesOf = (stmts: readonly { readonly nodes: readonly NodeId[] }[]): NodeId[] => [
  ...new Set(stmts.flatMap(({ nodes }) => nodes)),
];

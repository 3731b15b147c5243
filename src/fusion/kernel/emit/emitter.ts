/** @file Writing a kernel's statements: scopes, names, memory accesses. What to write is lowering.ts's and the shapes' business. */
import { type DType, type Graph, isInput, node, type Node, type NodeId, sizeOf, isPathless } from "../../ir";
import { MIN_SUBGROUP } from "../nest/threads";
import { type Cond, type Index, type IndexAtom, type IndexSpace, type IndexVar } from "./index-space";
import {
  literal,
  type Buffer,
  type Expr,
  type Reg,
  type Scalar,
  type SharedArray,
  type Stmt,
  type Value,
  type Width,
} from "./kernel-ir";
import { walkedTogether } from "./loads-first";
import { identifier, Names } from "./names";

type Mask = Pick<Scope, "memo" | "parts">;

interface Scope {
  readonly block: Stmt[];
  readonly memo: Map<string, Value>;
  /** Innermost scope, this one included, that not every lane enters: loads stay inside it. */
  readonly conditionalLevel: number;
  /** Divisions, remainders and minima that have a name here, by atom. */
  readonly parts: Map<number, Index>;
  /** What was computed here for elements that exist under a condition alone, by that condition. */
  readonly masks: Map<string, Mask>;
  /** It is such a mask: its statements stand in the block around it. */
  readonly isMask?: true;
}

/** How the threads of a workgroup lie in subgroups. */
export interface Subgroups {
  /** Threads of this workgroup in a subgroup. */
  readonly peers: Index;
  /** Which subgroup this thread is in, of how many. */
  readonly own: Index;
  readonly count: Index;
  /** Which thread of its subgroup this is. */
  readonly lane: Index;
}

/** f16 is a storage format; arithmetic is f32. */
export const registerScalar = <S extends Scalar>(scalar: S): Exclude<S, "f16"> | "f32" =>
  scalar === "f16" ? "f32" : (scalar as Exclude<S, "f16">);

/** What a person would call a node in a kernel: its binding name, a composite's part, or its op. */
export function wordFor(n: Node): string {
  const plain = isPathless(n.id) ? n.id : n.label;
  return identifier(plain, isInput(n) ? "input" : identifier(n.op, "value"));
}

export class Emitter {
  readonly names = new Names();
  readonly buffers = new Map<NodeId, Buffer>();
  readonly shared: SharedArray[] = [];
  readonly body: Stmt[] = [];
  /** Answers a load from somewhere else than memory, or declines with null. */
  onLoad: (buffer: Buffer, offset: Index, conditional: boolean) => Value | null = () => null;
  /** Inner loops are expensive: divisions get names outside of them, and edges are masked instead of branched around. */
  lean = false;
  /** What is dropped where it does not exist is not read there. */
  guarded = false;
  /** While values are read that count only where this holds. */
  protected reading: Cond | null = null;
  registers = 0;
  protected readonly scopes: Scope[] = [
    { block: this.body, memo: new Map(), conditionalLevel: 0, parts: new Map(), masks: new Map() },
  ];
  readonly graph: Graph;
  readonly space: IndexSpace;
  readonly #bufferNames = new Set<string>();
  #subgroups: Subgroups | null = null;

  /** @param stored values that get a binding, in this order */
  constructor(graph: Graph, stored: readonly NodeId[], space: IndexSpace) {
    this.graph = graph;
    this.space = space;
    for (const id of stored) this.#declare(id);
  }

  get level(): number {
    return this.scopes.length - 1;
  }

  // ---- buffers and memory -------------------------------------------------------------------------------------------

  /** A tensor that is no node of the graph: partials of a split reduction. */
  temporary(id: NodeId, name: string, dtype: DType, elements: number): Buffer {
    return this.buffers.get(id) ?? this.#add(id, identifier(name, "partials"), { dtype, shape: [elements] }, elements);
  }

  buffer(id: NodeId): Buffer {
    return this.buffers.get(id) ?? this.#declare(id);
  }

  /** One buffer for both: `output` is written over `input`. */
  inPlace(output: NodeId, input: NodeId): void {
    const { type } = node(this.graph, output);
    this.buffers.set(
      input,
      this.#add(output, wordFor(node(this.graph, input)), type, sizeOf(type.shape), { begins: input }),
    );
  }

  #declare(id: NodeId): Buffer {
    const known = this.buffers.get(id);
    if (known) return known;
    const n = node(this.graph, id);
    return this.#add(id, wordFor(n), n.type, sizeOf(n.type.shape));
  }

  #add(id: NodeId, name: string, type: Node["type"], elements: number, begins: Pick<Buffer, "begins"> = {}): Buffer {
    const unique = this.names.fresh(name);
    this.#bufferNames.add(unique);
    const buffer: Buffer = {
      kind: "buffer",
      name: unique,
      value: id,
      type,
      elements,
      access: "read",
      width: 1,
      ...begins,
    };
    this.buffers.set(id, buffer);
    return buffer;
  }

  sharedArray(name: string, scalar: Scalar, length: number, width: Width = 1): SharedArray {
    return this.#share({ kind: "shared", name: this.names.frame(name), scalar, width, length });
  }

  /** Whole numbers of all threads, which may add to them at once. */
  sharedCounts(name: string, length: number): SharedArray {
    return this.#share({ kind: "shared", name: this.names.frame(name), scalar: "i32", width: 1, length, counts: true });
  }

  #share(array: SharedArray): SharedArray {
    this.shared.push(array);
    return array;
  }

  /** One number of all threads, which may add to it at once. */
  sharedNumber(name: string, atomic: boolean): SharedArray {
    const number = atomic ? "atomic" : "plain";
    return this.#share({ kind: "shared", name: this.names.frame(name), scalar: "i32", width: 1, length: 1, number });
  }

  /** A numbered row of registers: every thread has its own. */
  threadArray(name: string, scalar: Scalar, length: number, width: Width = 1): SharedArray {
    const array: SharedArray = { kind: "shared", name: this.names.frame(name), scalar, width, length, own: true };
    this.shared.push(array);
    return array;
  }

  // ---- writing statements -------------------------------------------------------------------------------------------

  emit(stmt: Stmt, level = this.level): void {
    this.scopes[level]!.block.push(stmt);
  }

  comment(text: string): void {
    this.emit({ kind: "comment", text });
  }

  barrier(): void {
    this.emit({ kind: "barrier" });
  }

  /** Writes `body`; threads meet in front of it where it answers that they have to. */
  meeting(body: () => boolean): void {
    const { block } = this.scopes.at(-1)!;
    const start = block.length;
    if (body()) block.splice(start, 0, { kind: "barrier" });
  }

  /**
   * Writes these walks over parts of a row one after another, their loads ahead of what is computed from them.
   * @param most registers of loads that are on their way at once
   */
  together(walks: readonly (() => void)[], most?: number): void {
    const { block } = this.scopes.at(-1)!;
    const start = block.length;
    const ends = walks.map((walk) => {
      walk();
      return block.length;
    });
    const written = block.splice(start);
    block.push(
      ...walkedTogether(
        ends.map((end, i) => written.slice((ends[i - 1] ?? start) - start, end - start)),
        most,
      ),
    );
  }

  reg(name: string, scalar: Scalar, width: Width, level = this.level): Reg {
    return { kind: "reg", id: this.registers++, name: this.names.fresh(name), scalar, width, level };
  }

  let(name: string, scalar: Scalar, width: Width, value: Expr, nodes: readonly NodeId[], level = this.level): Reg {
    const reg = this.reg(name, scalar, width, level);
    this.emit({ kind: "let", reg, value, nodes }, level);
    return reg;
  }

  variable(name: string, scalar: Scalar, width: Width, value: Expr, nodes: readonly NodeId[], level = this.level): Reg {
    const reg = this.reg(name, scalar, width, level);
    this.emit({ kind: "var", reg, value, nodes }, level);
    return reg;
  }

  set(reg: Reg, value: Expr, nodes: readonly NodeId[]): void {
    this.emit({ kind: "set", reg, value, nodes });
  }

  /** Names an index: `let row = …`. Constants and bare variables are left alone. */
  bind(name: string, value: Index, max = value.max): Index {
    if (value.terms.length === 0) return value;
    const variable = this.space.variable(this.names.frame(name), max, value.level);
    this.emit({ kind: "bind", variable, value }, value.level);
    const index = this.space.of(variable);
    const only = value.terms.length === 1 && value.constant === 0 ? value.terms[0]! : null;
    if (only?.by === 1 && only.atom.kind !== "var") this.scopes[value.level]!.parts.set(only.atom.atomId, index);
    return index;
  }

  /** In lean kernels, `index` with its divisions, remainders and minima computed once, as far out as they are known. */
  named(index: Index): Index {
    if (!this.lean || index.depth === 0) return index;
    return index.terms.reduce(
      (sum, { atom, by }) => this.space.add(sum, this.space.mul(this.#partNamed(atom), by)),
      this.space.int(index.constant),
    );
  }

  #partNamed(atom: IndexAtom): Index {
    if (atom.kind === "var") return this.space.of(atom);
    const whole = this.space.call(atom.kind, atom.of, atom.by);
    if (atom.of.lane || whole.terms.length !== 1) return whole;
    const { parts } = this.scopes[atom.of.level]!;
    let part = parts.get(atom.atomId);
    if (!part) {
      const inner = this.named(atom.of);
      const only = inner.terms.length === 1 && inner.constant === 0 ? inner.terms[0]! : null;
      const stem = only?.by === 1 && only.atom.kind === "var" ? only.atom.name.replace(".", "_") : "at";
      const name = atom.kind === "min" ? "held" : `${stem}_${atom.kind}_${atom.by}`;
      part = this.bind(name, this.space.call(atom.kind, inner, atom.by), whole.max);
      parts.set(atom.atomId, part);
    }
    return part;
  }

  /** The same for a condition. */
  namedCond(cond: Cond): Cond {
    switch (cond.kind) {
      case "less":
      case "atLeast":
        return { ...cond, index: this.named(cond.index) };
      case "both":
        return { kind: "both", parts: cond.parts.map((part) => this.namedCond(part)) };
      case "always":
      case "never":
      case "below":
        return cond;
    }
  }

  /**
   * Runs `body` once for each 0 … count−1; a single one is written without a loop.
   * @param over what an iteration is: a part of a row, a row of its own, or what goes on with what the one before it left in workgroup memory:
   * nothing of it is computed in front of the loop
   */
  loop(name: string, count: number, body: (index: Index) => void, over: "parts" | "rows" | "changes" = "parts"): void {
    if (count <= 0) return;
    if (count === 1 && over !== "changes") {
      body(this.space.int(0));
      return;
    }
    const variable = this.space.variable(this.names.frame(name), count - 1, this.level + 1);
    const block = this.enter(over === "changes");
    body(this.space.of(variable));
    this.leave();
    this.names.release(variable.name);
    this.emit({ kind: "for", variable, count, body: block, ...(over === "rows" ? { rows: true } : {}) });
  }

  /** variable = from … limit − 1, which the whole workgroup agrees on. */
  between(name: string, from: Index, limit: Index, body: (index: Index) => void): void {
    const variable = this.space.variable(this.names.frame(name), Math.max(0, limit.max - 1), this.level + 1);
    const block = this.enter(false);
    body(this.space.of(variable));
    this.leave();
    this.names.release(variable.name);
    this.emit({ kind: "range", variable, from, limit, step: 1, body: block });
  }

  /** variable = from, from/2 … 1 */
  halving(name: string, from: Index, body: (index: Index) => void): void {
    const variable = this.space.variable(this.names.frame(name), from.max, this.level + 1);
    const block = this.enter(false);
    body(this.space.of(variable));
    this.leave();
    this.names.release(variable.name);
    this.emit({ kind: "halve", variable, from, body: block });
  }

  /** variable = 1, 2 … limit − 1 */
  others(name: string, limit: Index, body: (index: Index) => void): void {
    const variable = this.space.variable(this.names.frame(name), Math.max(1, limit.max - 1), this.level + 1);
    const block = this.enter(false);
    body(this.space.of(variable));
    this.leave();
    this.names.release(variable.name);
    this.emit({ kind: "range", variable, from: this.space.int(1), limit, step: 1, body: block });
  }

  /** The subgroups that a workgroup of so many threads falls into. */
  subgroups(threads: number): Subgroups {
    this.#subgroups ??= this.#nameSubgroups(threads);
    return this.#subgroups;
  }

  #nameSubgroups(threads: number): Subgroups {
    const { space } = this;
    const most = Math.max(1, threads / MIN_SUBGROUP);
    const variable = (name: string, max: number): IndexVar => space.variable(this.names.frame(name), max, 0);
    const [peers, own, count] = [variable("peers", threads), variable("subgroup", most), variable("subgroups", most)];
    this.emit({ kind: "subgroups", threads, peers, own, count }, 0);
    const lane = this.subgroupLane(threads);
    return { peers: space.of(peers), own: space.of(own), count: space.of(count), lane };
  }

  /** Which thread of its subgroup this is. */
  subgroupLane(threads: number): Index {
    return this.space.of(this.space.variable("subgroup_lane", threads - 1, 0, "subgroup.lane"));
  }

  /** variable = 1, 2, 4 … while it is below `limit` */
  doubling(name: string, limit: Index, body: (index: Index) => void): void {
    const variable = this.space.variable(this.names.frame(name), Math.max(1, limit.max - 1), this.level + 1);
    const block = this.enter(false);
    body(this.space.of(variable));
    this.leave();
    this.names.release(variable.name);
    this.emit({ kind: "double", variable, limit, body: block });
  }

  /** `body` for the lanes where `when` holds. */
  branch(when: Cond, body: () => void, otherwise: (() => void) | null = null): void {
    if (when.kind === "always") return body();
    if (when.kind === "never") return otherwise?.();
    const yes = this.enter(true);
    body();
    this.leave();
    let no: Stmt[] = [];
    if (otherwise) {
      no = this.enter(true);
      otherwise();
      this.leave();
    }
    this.emit({ kind: "if", when, body: yes, otherwise: no });
  }

  protected enter(conditional: boolean): Stmt[] {
    const block: Stmt[] = [];
    const conditionalLevel = conditional ? this.scopes.length : this.scopes.at(-1)!.conditionalLevel;
    this.scopes.push({ block, memo: new Map(), conditionalLevel, parts: new Map(), masks: new Map() });
    return block;
  }

  protected leave(): void {
    this.scopes.pop();
  }

  // ---- memory accesses ----------------------------------------------------------------------------------------------

  /** The elements of a stored value at `offset`; four of them when the offset depends on the lane. */
  load(buffer: Buffer, offset: Index, nodes: readonly NodeId[], name = buffer.name, suffix = ""): Value {
    const key = `load ${buffer.name} ${offset.id}`;
    const known = this.find(key);
    if (known) return known;
    const { conditionalLevel } = this.scopes.at(-1)!;
    const elsewhere = this.onLoad(buffer, offset, conditionalLevel > 0);
    if (elsewhere) return elsewhere;
    const level = Math.max(offset.level, conditionalLevel);
    const scalar = registerScalar(buffer.type.dtype);
    const label = this.label(name, suffix);
    const when = this.reading ? { when: this.reading } : {};
    let value: Value;
    const aligned = offset.lane ? this.#aligned(buffer, offset) : null;
    if (!offset.lane) {
      // Half a word is picked by the index as well: it is spelled twice, so anything long gets a name.
      const index =
        buffer.type.dtype === "f16" && offset.depth > 0 ? this.bind(`${name}_at`, offset) : this.named(offset);
      value =
        this.guarded && this.reading
          ? this.#loadWhere(this.reading, { name: label, buffer, index, nodes, level })
          : this.let(label, scalar, 1, { kind: "load", buffer, index, width: 1, ...when }, nodes, level);
    } else if (aligned) {
      buffer.width = 4;
      const index = this.named(aligned);
      value = this.let(label, scalar, 4, { kind: "load", buffer, index, width: 4, ...when }, nodes, level);
    } else {
      const lanes = [0, 1, 2, 3];
      const parts = lanes.map((lane) => this.load(buffer, this.atLane(offset, lane), nodes, name, suffix));
      value = this.let(label, scalar, 4, { kind: "pack", parts }, nodes, level);
    }
    this.scopes[level]!.memo.set(key, value);
    return value;
  }

  /** An element where it exists, 0 elsewhere: what is dropped is not even read. */
  #loadWhere(
    when: Cond,
    load: { name: string; buffer: Buffer; index: Index; nodes: readonly NodeId[]; level: number },
  ): Reg {
    const { name, buffer, index, nodes, level } = load;
    const scalar = registerScalar(buffer.type.dtype);
    const reg = this.variable(name, scalar, 1, literal(0, scalar), nodes, level);
    const value = { kind: "load", buffer, index, width: 1 } as const;
    this.emit({ kind: "if", when, body: [{ kind: "set", reg, value, nodes }], otherwise: [] }, level);
    return reg;
  }

  /** Writes `value` at `offset`; four neighbours when the offset depends on the lane. `when` holds for each lane that exists. */
  store(buffer: Buffer, offset: Index, value: Value, nodes: readonly NodeId[]): void {
    buffer.access = "read_write";
    const aligned = offset.lane ? this.#aligned(buffer, offset) : null;
    if (!offset.lane) {
      this.emit({ kind: "store", buffer, index: offset, value, width: 1, nodes });
    } else if (aligned) {
      buffer.width = 4;
      this.emit({ kind: "store", buffer, index: aligned, value, width: 4, nodes });
    } else {
      for (const lane of [0, 1, 2, 3]) {
        const part = this.part(value, lane, nodes);
        this.emit({ kind: "store", buffer, index: this.atLane(offset, lane), value: part, width: 1, nodes });
      }
    }
  }

  /** Adds to an element that many threads may add to at once, or leaves the larger number there; what stood there. */
  fetchAtomic(
    takes: "add" | "max",
    name: string,
    buffer: Buffer,
    index: Index,
    value: Value,
    nodes: readonly NodeId[],
  ): Reg {
    Object.assign(buffer, { access: "read_write", atomic: true, written: 0 });
    const reg = this.reg(this.label(name, ""), "i32", 1);
    this.emit({ kind: "fetchAtomic", takes, reg, buffer, index, value, nodes });
    return reg;
  }

  /** Writes a word of two halves at the even `offset`. */
  storePair(buffer: Buffer, offset: Index, values: readonly [Value, Value], nodes: readonly NodeId[]): void {
    buffer.access = "read_write";
    this.emit({ kind: "storePair", buffer, index: offset, values, nodes });
  }

  atLane(offset: Index, lane: number): Index {
    return this.space.substitute(offset, this.space.lane, this.space.int(lane));
  }

  /** One of four neighbours. */
  part(value: Value, lane: number, nodes: readonly NodeId[]): Value {
    if (value.kind === "literal" || value.width === 1) return value;
    const key = `part ${value.id} ${lane}`;
    const known = this.find(key);
    if (known) return known;
    const reg = this.let(
      `${value.name}_${"xyzw"[lane]}`,
      value.scalar,
      1,
      { kind: "part", a: value, lane },
      nodes,
      value.level,
    );
    this.scopes[value.level]!.memo.set(key, reg);
    return reg;
  }

  /** 4q + lane with q a whole index: the start 4q, else null. A tensor that is not whole fours is bound one by one. */
  #aligned(buffer: Buffer, offset: Index): Index | null {
    const { space } = this;
    if (buffer.elements % 4 !== 0) return null;
    const lane = offset.terms.find((term) => term.atom === space.lane);
    if (lane?.by !== 1) return null;
    const start = space.add(offset, space.mul(space.of(space.lane), -1));
    return !start.lane && space.exactly(start, 4) ? start : null;
  }

  /** A value that an open scope knows. */
  protected find(key: string): Value | undefined {
    for (let level = this.scopes.length - 1; level >= 0; level--) {
      const found = this.scopes[level]!.memo.get(key);
      if (found) return found;
    }
    return undefined;
  }

  isBufferName(word: string): boolean {
    return this.#bufferNames.has(word);
  }

  protected label(word: string, suffix: string): string {
    if (suffix !== "") return `${word}${suffix}`;
    return this.#bufferNames.has(word) ? `${word}_i` : word;
  }
}

/** @file How neighbouring threads meet memory: the addresses of the first 32 threads at each load and store, and the 128-byte segments they fall into. */
import { dtypeBytes, type NodeId } from "../../ir";
import type { Cond, Index, IndexAtom } from "./index-space";
import { Indices } from "../simulate/indices";
import { isLoop, type Buffer, type Expr, type KernelProgram, type Loop, type Stmt } from "./kernel-ir";

/** Threads that run in step on most GPUs, and the bytes that memory hands out at once. */
const THREADS = 32;
const SEGMENT = 128;
/** Different ways of reading one tensor that are told apart. */
const MAX_WAYS = 3;

/** One load or store of a kernel as 32 neighbouring threads do it together. */
export interface NeighbourAccess {
  readonly value: NodeId;
  readonly name: string;
  readonly access: "read" | "write";
  /** Elements that each thread takes at once. */
  readonly width: number;
  /** Elements from one thread to the next; null where that is not always the same. 0: all take the same one. */
  readonly stride: number | null;
  /** The index is data: which element, only a run knows. Then there are no segments. */
  readonly byData: boolean;
  /** Bytes that are wanted of each segment of 128, in order of address. */
  readonly segments: readonly number[];
  /** Threads of the 32 that take part. */
  readonly threads: number;
}

/** Loads and stores of a kernel, each tensor's different ways once, in the order of the text. Loops stand at their first iteration. */
export function neighbourAccesses(program: KernelProgram): NeighbourAccess[] {
  return new Walk(program).run();
}

class Walk {
  readonly #program: KernelProgram;
  readonly #indices: Indices;
  readonly #found = new Map<string, NeighbourAccess>();
  /** Variables whose value is data. */
  readonly #data = new Set<number>();

  constructor(program: KernelProgram) {
    this.#program = program;
    this.#indices = new Indices(THREADS, program.space.lane);
  }

  run(): NeighbourAccess[] {
    const [x] = this.#program.workgroupSize;
    const all = Array.from({ length: Math.min(THREADS, x) }, (_, thread) => thread);
    const open: { block: readonly Stmt[]; at: number; threads: readonly number[] }[] = [
      { block: this.#program.body, at: 0, threads: all },
    ];
    while (open.length > 0) {
      const top = open.at(-1)!;
      const stmt = top.block[top.at++];
      if (!stmt) open.pop();
      else if (stmt.kind === "guard") top.threads = this.#where(stmt.when, top.threads);
      else if (stmt.kind === "if") {
        const yes = this.#where(stmt.when, top.threads);
        const no = top.threads.filter((thread) => !yes.includes(thread));
        open.push({ block: stmt.otherwise, at: 0, threads: no }, { block: stmt.body, at: 0, threads: yes });
      } else if (isLoop(stmt)) {
        this.#begin(stmt);
        open.push({ block: stmt.body, at: 0, threads: top.threads });
      } else if (top.threads.length > 0) this.#visit(stmt, top.threads);
    }
    return [...this.#found.values()];
  }

  /** Loops stand at their first iteration. */
  #begin(loop: Loop): void {
    const cells = this.#cells(loop.variable);
    if (loop.kind === "halve") {
      const from = this.#indices.index(loop.from);
      this.#fillBuiltins();
      for (let thread = 0; thread < THREADS; thread++) cells[thread] = from(thread, 0);
    } else cells.fill(loop.kind === "for" ? 0 : 1);
  }

  #where(when: Cond, threads: readonly number[]): readonly number[] {
    const test = this.#indices.test(when);
    this.#fillBuiltins();
    return threads.filter((thread) => test(thread));
  }

  #visit(stmt: Stmt, threads: readonly number[]): void {
    if (stmt.kind === "bind") this.#bind(stmt, threads);
    else if (stmt.kind === "bindValue") this.#data.add(stmt.variable.atomId);
    else if (stmt.kind === "let" || stmt.kind === "var" || stmt.kind === "set") this.#load(stmt.value, threads);
    else if (stmt.kind === "store") this.#note(stmt.buffer, stmt.index, stmt.width, "write", threads);
    else if (stmt.kind === "storePair") this.#note(stmt.buffer, stmt.index, 2, "write", threads);
  }

  #bind({ variable, value }: Extract<Stmt, { readonly kind: "bind" }>, threads: readonly number[]): void {
    const at = this.#indices.index(value);
    const cells = this.#cells(variable);
    this.#fillBuiltins();
    for (const thread of threads) cells[thread] = at(thread, 0);
    if (this.#isData(value)) this.#data.add(variable.atomId);
  }

  #load(value: Expr, threads: readonly number[]): void {
    if (value.kind === "load") this.#note(value.buffer, value.index, value.width, "read", threads);
  }

  #cells(variable: Parameters<Indices["cellsOf"]>[0]): Float64Array {
    return this.#indices.cellsOf(variable);
  }

  /** The first workgroup's threads. */
  #fillBuiltins(): void {
    for (const { variable, cells } of this.#indices.builtins) {
      const counts = variable === "tid" || variable === "gid.x" || variable === "subgroup.lane";
      for (let thread = 0; thread < THREADS; thread++) cells[thread] = counts ? thread : 0;
    }
  }

  #isData(index: Index): boolean {
    const open: IndexAtom[] = index.terms.map(({ atom }) => atom);
    for (let atom = open.pop(); atom; atom = open.pop()) {
      if (atom.kind === "var" ? this.#data.has(atom.atomId) : false) return true;
      if (atom.kind !== "var") open.push(...atom.of.terms.map((term) => term.atom));
    }
    return false;
  }

  #note(
    buffer: Buffer,
    index: Index,
    width: number,
    access: NeighbourAccess["access"],
    threads: readonly number[],
  ): void {
    const byData = this.#isData(index);
    const at = this.#indices.index(index);
    this.#fillBuiltins();
    const offsets = threads.map((thread) => at(thread, 0));
    const stride = byData ? null : strideOf(offsets);
    const segments = byData ? [] : segmentsOf(offsets, width, dtypeBytes(buffer.type.dtype));
    const { value, name } = buffer;
    const key = `${name} ${access} ${width} ${stride} ${segments.join()}`;
    const ways = [...this.#found.values()].filter((each) => each.name === name && each.access === access).length;
    if (this.#found.has(key) || ways >= MAX_WAYS) return;
    this.#found.set(key, { value, name, access, width, stride, byData, segments, threads: threads.length });
  }
}

/** The same distance between all neighbours; null where it differs. */
function strideOf(offsets: readonly number[]): number | null {
  const steps = new Set(offsets.slice(1).map((offset, i) => offset - offsets[i]!));
  return steps.size === 0 ? 0 : steps.size === 1 ? [...steps][0]! : null;
}

/** Wanted bytes of each segment that is touched. */
function segmentsOf(offsets: readonly number[], width: number, bytes: number): number[] {
  const touched = new Map<number, number>();
  const elements = new Set(offsets.flatMap((offset) => Array.from({ length: width }, (_, i) => offset + i)));
  for (const element of elements) {
    const segment = Math.floor((element * bytes) / SEGMENT);
    touched.set(segment, (touched.get(segment) ?? 0) + bytes);
  }
  return [...touched].toSorted(([a], [b]) => a - b).map(([, used]) => used);
}

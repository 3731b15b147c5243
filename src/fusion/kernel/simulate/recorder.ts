/** @file Writes down what the threads of one workgroup do, statement by statement, and how the counted bytes grow with each workgroup. */
import { dtypeBytes, type NodeId } from "../../ir";
import type { Index } from "../emit/index-space";
import { isLoop, type Buffer, type Expr, type KernelProgram, type Loop, type Reg, type Stmt } from "../emit/kernel-ir";
import { bits, type BufferTrace } from "./access-log";
import type { IndexOf } from "./indices";
import type { Seen, Watcher } from "./machine";
import { pairsOf, waitsBy } from "./orders";
import type { Active, Run } from "./threads";

/** What the threads do: with memory, with workgroup memory, in registers, or waiting for each other. */
export type Doing = "load" | "store" | "read" | "write" | "fold" | "exchange" | "compute" | "shuffle" | "barrier";

/** One statement, as all threads of a workgroup run it together. */
export interface Moment {
  readonly doing: Doing;
  readonly stmt: Stmt;
  readonly nodes: readonly NodeId[];
  /** Those that run it, by number. */
  readonly threads: Uint16Array;
  /** The tensor or the array in workgroup memory, by its name in the WGSL; empty where neither is touched. */
  readonly memory: string;
  /** First element that each thread touches, −1 where it drops what it reads; and the other one of a fold or an exchange. */
  readonly at: Int32Array;
  readonly from: Int32Array;
  /** Elements of each thread. */
  readonly width: number;
  /** Register that is set; empty where none is. */
  readonly register: string;
  /** `width` numbers of each thread: what the register holds or memory gets. */
  readonly values: Float32Array;
  /** Loops around it, outermost first, with their variables. */
  readonly loops: readonly { readonly name: string; readonly value: number }[];
  /** Bytes so far, of all workgroups up to here, as traffic is counted. */
  readonly moved: Moved;
}

/** Bytes. */
export interface Moved {
  readonly read: number;
  readonly written: number;
}

/** How often each element of a value counts, when the kernel reads it and when it writes it. */
export type Counting = ReadonlyMap<NodeId, { readonly passes: number; readonly writes: boolean }>;

const NONE = new Int32Array(0);
const NO_VALUES = new Float32Array(0);

/** How a statement meets memory. */
interface Meeting {
  readonly doing: Doing;
  readonly memory: string;
  readonly width: number;
  readonly register: string;
  /** Of a load or a store: what is counted. */
  readonly buffer: Buffer | null;
  readonly at: IndexOf | null;
  readonly from: IndexOf | null;
  readonly taken: ((thread: number) => boolean) | null;
  readonly numberOf: ((thread: number, lane: number) => number) | null;
}

export class Recorder implements Watcher {
  readonly moments: Moment[] = [];
  /** When each workgroup has ended. */
  readonly ended: Moved[] = [];
  /** There were more moments. */
  cut = false;
  #on = false;
  #moved: { read: number; written: number } = { read: 0, written: 0 };
  readonly #loops: ReadonlyMap<Stmt, readonly Loop[]>;

  readonly #workgroup: number;
  readonly #most: number;
  readonly #counting: Counting;

  /**
   * @param workgroup whose moments are written down
   * @param most moments
   * @param counting by what is bound
   */
  constructor(program: KernelProgram, workgroup: number, most: number, counting: Counting) {
    this.#workgroup = workgroup;
    this.#most = most;
    this.#counting = counting;
    const loops = new Map<Stmt, readonly Loop[]>();
    const visit = (body: readonly Stmt[], around: readonly Loop[]): void => {
      for (const stmt of body) {
        loops.set(stmt, around);
        if (isLoop(stmt)) visit(stmt.body, [...around, stmt]);
        else if (stmt.kind === "if") {
          visit(stmt.body, around);
          visit(stmt.otherwise, around);
        }
      }
    };
    visit(program.body, []);
    this.#loops = loops;
  }

  begin(workgroup: number): void {
    this.#on = workgroup === this.#workgroup;
  }

  end(_: number, { traces }: Seen): void {
    this.#on = false;
    let [read, written] = [0, 0];
    for (const [buffer, trace] of traces)
      for (let at = 0; at < buffer.elements; at++) {
        read += this.#readOf(buffer, trace, at);
        written += this.#writtenOf(buffer, trace, at);
      }
    this.#moved = { read, written };
    this.ended.push(this.#moved);
  }

  watch(stmt: Stmt, run: Run, seen: Seen): Run {
    const meeting = meetingOf(stmt, seen);
    if (!meeting) return run;
    const loops = this.#loops.get(stmt)!.map(({ variable }) => ({
      name: variable.name,
      cells: seen.indices.cellsOf(variable),
    }));
    return (active) => {
      if (!this.#on) return run(active);
      if (this.moments.length >= this.#most) {
        this.cut = true;
        return run(active);
      }
      const [first] = active.list;
      const around = loops.map(({ name, cells }) => ({ name, value: cells[first!]! }));
      this.#record(stmt, meeting, around, run, active, seen);
    };
  }

  #record(stmt: Stmt, meeting: Meeting, loops: Moment["loops"], run: Run, active: Active, seen: Seen): void {
    const { doing, memory, width, register, buffer } = meeting;
    const threads = Uint16Array.from(active.list.subarray(0, active.count));
    // A register that is an index of its own may change: indices are taken down before.
    const at = meeting.at
      ? Int32Array.from(threads, (thread) => (meeting.taken?.(thread) === false ? -1 : meeting.at!(thread, 0)))
      : NONE;
    const from = meeting.from ? Int32Array.from(threads, (thread) => meeting.from!(thread, 0)) : NONE;
    const trace = buffer ? seen.traces.get(buffer)! : null;
    const touched = new Set<number>();
    if (trace)
      for (const first of at)
        for (let lane = 0; lane < width; lane++)
          if (first >= 0 && first + lane < trace.buffer.elements) touched.add(first + lane);
    const before = trace && this.#sumOf(trace, touched);
    run(active);
    if (trace && before) {
      const after = this.#sumOf(trace, touched);
      this.#moved = {
        read: this.#moved.read + after.read - before.read,
        written: this.#moved.written + after.written - before.written,
      };
    }
    const { numberOf } = meeting;
    const values = numberOf
      ? Float32Array.from({ length: threads.length * width }, (_, i) =>
          numberOf(threads[Math.floor(i / width)]!, i % width),
        )
      : NO_VALUES;
    const nodes = "nodes" in stmt ? stmt.nodes : [];
    const moved = this.#moved;
    this.moments.push({ doing, stmt, nodes, threads, memory, at, from, width, register, values, loops, moved });
  }

  #sumOf(trace: BufferTrace, elements: ReadonlySet<number>): Moved {
    let [read, written] = [0, 0];
    for (const at of elements) {
      read += this.#readOf(trace.buffer, trace, at);
      written += this.#writtenOf(trace.buffer, trace, at);
    }
    return { read, written };
  }

  #readOf({ value, type }: Buffer, trace: BufferTrace, at: number): number {
    const mask = trace.passes[at]!;
    if (mask === 0) return 0;
    return Math.min(bits(mask), this.#counting.get(value)?.passes ?? 0) * dtypeBytes(type.dtype);
  }

  #writtenOf({ value, type }: Buffer, trace: BufferTrace, at: number): number {
    return trace.writes[at] === 1 && this.#counting.get(value)?.writes ? dtypeBytes(type.dtype) : 0;
  }
}

const EMPTY: Meeting = {
  doing: "compute",
  memory: "",
  width: 1,
  register: "",
  buffer: null,
  at: null,
  from: null,
  taken: null,
  numberOf: null,
};

/** Null for statements that only say where and how often. */
function meetingOf(stmt: Stmt, { indices, shared, traces, cellsOf }: Seen): Meeting | null {
  const cell = (name: Extract<Stmt, { kind: "foldShared" }>["array"]) => {
    const trace = shared.get(name)!;
    // No access of a thread: nothing may be noted.
    return (at: number): number => ("cells" in trace ? (trace.cells[at] ?? Number.NaN) : Number.NaN);
  };
  switch (stmt.kind) {
    case "let":
    case "var":
    case "set": {
      const { reg, value } = stmt;
      const cells = cellsOf(reg);
      const numberOf = (thread: number, lane: number): number => cells[reg.width * thread + lane]!;
      const set: Meeting = { ...EMPTY, width: reg.width, register: reg.name, numberOf };
      return { ...set, ...reading(value, indices) };
    }
    case "store":
    case "storePair": {
      const { buffer, index } = stmt;
      const at = indices.index(index);
      const { data } = traces.get(buffer)!;
      const width = stmt.kind === "store" ? stmt.width : 2;
      const numberOf = (thread: number, lane: number): number => data[at(thread, 0) + lane]!;
      return { ...EMPTY, doing: "store", memory: buffer.name, buffer, at, width, numberOf };
    }
    case "fetchAtomic": {
      const { buffer, index, reg } = stmt;
      const cells = cellsOf(reg);
      const numberOf = (thread: number): number => cells[thread]!;
      const at = indices.index(index);
      return { ...EMPTY, doing: "store", memory: buffer.name, register: reg.name, buffer, at, numberOf };
    }
    case "storeShared": {
      if (stmt.array.own) return null;
      const [at, read] = [cellIn(stmt.array.width, stmt.index, stmt.lane, indices), cell(stmt.array)];
      const width = stmt.lane ? 1 : stmt.array.width;
      const numberOf = (thread: number, lane: number): number => read(at(thread, 0) + lane);
      return { ...EMPTY, doing: "write", memory: stmt.array.name, at, width, numberOf };
    }
    case "addShared": {
      const [at, read] = [indices.index(stmt.index), cell(stmt.array)];
      return { ...EMPTY, doing: "write", memory: stmt.array.name, at, numberOf: (thread) => read(at(thread, 0)) };
    }
    case "takeNumber": {
      const [at, when, cells] = [indices.index(stmt.index), indices.test(stmt.when), cellsOf(stmt.reg)];
      const taken = (thread: number): boolean => when(thread, 0);
      return { ...EMPTY, doing: "write", memory: stmt.array.name, at, taken, numberOf: (thread) => cells[thread]! };
    }
    case "foldShared": {
      const [at, from, read] = [indices.index(stmt.into), indices.index(stmt.from), cell(stmt.array)];
      const numberOf = (thread: number): number => read(at(thread, 0));
      return { ...EMPTY, doing: "fold", memory: stmt.array.name, at, from, numberOf };
    }
    case "exchangePair": {
      const [pairOf, limit] = [pairsOf(stmt, indices), stmt.below && indices.index(stmt.below)];
      const at: IndexOf = (thread, lane) => pairOf(thread, lane)[0];
      const from: IndexOf = (thread, lane) => pairOf(thread, lane)[1];
      const taken = limit && ((thread: number): boolean => from(thread, 0) < limit(thread, 0));
      const read = cell(stmt.sort.keys);
      const numberOf = (thread: number): number => read(at(thread, 0));
      return { ...EMPTY, doing: "exchange", memory: stmt.sort.keys.name, at, from, taken, numberOf };
    }
    case "wait": {
      const { sort, first, count } = stmt.waiting;
      const waiting = cell(count);
      const taken = waitsBy(stmt, (value) => {
        if (value.kind === "literal") return () => value.value;
        const cells = cellsOf(value);
        return (thread) => cells[thread]!;
      });
      const at: IndexOf = (thread) => {
        let before = 0;
        for (let other = 0; other < thread; other++) before += Number(taken(other));
        return first + waiting(0) + before;
      };
      const held = cellsOf(stmt.key as Reg);
      return { ...EMPTY, doing: "write", memory: sort.keys.name, at, taken, numberOf: (thread) => held[thread]! };
    }
    case "countWaiting":
      return { ...EMPTY, doing: "barrier" };
    case "noneWait":
    case "barrier":
      return { ...EMPTY, doing: "barrier" };
    case "takeRetained": {
      const cells = cellsOf(stmt.key);
      return { ...EMPTY, register: stmt.key.name, numberOf: (thread) => cells[thread]! };
    }
    case "retainNone":
    case "retain":
    case "bind":
    case "bindValue":
    case "comment":
    case "double":
    case "for":
    case "guard":
    case "halve":
    case "if":
    case "merge":
    case "range":
    case "subgroups":
      return null;
  }
}

function cellIn(width: number, index: Index, lane: Index | null, indices: Seen["indices"]): IndexOf {
  const [cell, part] = [indices.index(index), lane && indices.index(lane)];
  return (thread, own) => cell(thread, own) * width + (part ? part(thread, own) : 0);
}

/** Where an expression reads. */
function reading(value: Expr, indices: Seen["indices"]): Partial<Meeting> {
  if (value.kind === "load") {
    const { buffer, index, when } = value;
    const taken = when ? indices.test(when) : null;
    return { doing: "load", memory: buffer.name, buffer, at: indices.index(index), taken };
  }
  if (value.kind === "loadShared" && !value.array.own)
    return { doing: "read", memory: value.array.name, at: cellIn(value.array.width, value.index, null, indices) };
  if (value.kind !== "shuffle") return {};
  const by = indices.index(value.by);
  return { doing: "shuffle", from: (thread, lane) => thread ^ by(thread, lane) };
}

/** @file What one run of a kernel touched: distinct elements, passes over them, and everything a GPU would do wrong in silence. */
import type { NodeId } from "../../ir";
import type { Buffer, SharedArray } from "../emit/kernel-ir";

export interface BufferAccess {
  readonly value: NodeId;
  /** Distinct elements. */
  readonly read: number;
  readonly written: number;
  /** Mean passes over what is read: 1 + rereads. Loads between two barriers or in one outer loop are one pass. */
  readonly passes: number;
}
export interface AccessLog {
  readonly buffers: readonly BufferAccess[];
  /** Out of bounds, races, barriers that not every thread reaches, elements written twice or never. */
  readonly problems: readonly string[];
}

const MAX_PROBLEMS = 20;

/** Distinct reads and writes of one tensor. */
export class BufferTrace {
  readonly passes: Uint32Array;
  readonly writes: Uint8Array;

  readonly buffer: Buffer;
  readonly data: Float64Array;
  readonly problems: string[];

  constructor(buffer: Buffer, data: Float64Array, problems: string[]) {
    this.buffer = buffer;
    this.data = data;
    this.problems = problems;
    this.passes = new Uint32Array(buffer.elements);
    this.writes = new Uint8Array(buffer.elements);
  }

  read(at: number, segment: number): number {
    if (!(at >= 0 && at < this.buffer.elements)) {
      note(this.problems, `${this.buffer.name}[${at}] is read outside its ${this.buffer.elements} elements`);
      return Number.NaN;
    }
    if (this.buffer.begins !== undefined && this.writes[at] === 1)
      note(this.problems, `${this.buffer.name}[${at}] is read after it was written over`);
    this.passes[at]! |= 1 << Math.min(segment, 31);
    return this.data[at]!;
  }

  write(at: number, value: number): void {
    if (!(at >= 0 && at < this.buffer.elements)) {
      note(this.problems, `${this.buffer.name}[${at}] is written outside its ${this.buffer.elements} elements`);
      return;
    }
    if (this.writes[at] === 1) note(this.problems, `${this.buffer.name}[${at}] is written twice`);
    this.writes[at] = 1;
    this.data[at] = value;
  }

  /** Adds to an element or leaves the larger number there, as any number of threads may at once, and answers with what it was. */
  fetch(takes: "add" | "max", at: number, value: number, segment: number): number {
    const was = this.read(at, segment);
    if (at >= 0 && at < this.buffer.elements) this.data[at] = takes === "add" ? was + value : Math.max(was, value);
    return was;
  }

  /** What was read and written; reads of a value that another is written over are that value's. */
  summary(): BufferAccess[] {
    let [read, written, passes] = [0, 0, 0];
    for (let at = 0; at < this.buffer.elements; at++) {
      const mask = this.passes[at]!;
      if (mask !== 0) {
        read++;
        passes += bits(mask);
      }
      written += this.writes[at]!;
    }
    const missing = (this.buffer.written ?? this.buffer.elements) - written;
    if (this.buffer.access === "read_write" && missing > 0)
      note(this.problems, `${this.buffer.name} has ${missing} elements that nobody writes`);
    const { value, begins } = this.buffer;
    const reading = { read, written: 0, passes: read === 0 ? 0 : passes / read };
    return begins === undefined
      ? [{ ...reading, value, written }]
      : [
          { ...reading, value: begins },
          { value, read: 0, written, passes: 0 },
        ];
  }
}

/** Workgroup memory: a cell that one thread writes may be used by another only after a barrier. */
export class SharedTrace {
  readonly cells: Float64Array;
  readonly #writer: Int32Array;
  readonly #writePhase: Int32Array;
  readonly #reader: Int32Array;
  readonly #readPhase: Int32Array;

  readonly array: SharedArray;
  readonly problems: string[];

  constructor(array: SharedArray, problems: string[]) {
    this.array = array;
    this.problems = problems;
    const size = array.length * array.width;
    this.cells = new Float64Array(size);
    this.#writer = new Int32Array(size);
    this.#writePhase = new Int32Array(size);
    this.#reader = new Int32Array(size);
    this.#readPhase = new Int32Array(size);
  }

  clear(): void {
    this.cells.fill(Number.NaN);
    this.#writer.fill(-1);
    this.#writePhase.fill(-1);
    this.#readPhase.fill(-1);
  }

  read(at: number, lane: number, phase: number): number {
    if (!(at >= 0 && at < this.cells.length)) return this.#outside(at);
    if (this.#writer[at] === -1) note(this.problems, `${this.array.name} cell ${at} is read before anyone writes it`);
    if (this.#writePhase[at] === phase && this.#writer[at] !== lane) {
      note(
        this.problems,
        `race: thread ${lane} reads ${this.array.name} cell ${at} that thread ${this.#writer[at]} writes before the next barrier`,
      );
    }
    this.#reader[at] = this.#readPhase[at] === phase && this.#reader[at] !== lane ? -2 : lane;
    this.#readPhase[at] = phase;
    return this.cells[at]!;
  }

  write(at: number, value: number, lane: number, phase: number): void {
    if (!(at >= 0 && at < this.cells.length)) {
      this.#outside(at);
      return;
    }
    const readByOther = this.#readPhase[at] === phase && this.#reader[at] !== lane;
    const writtenByOther = this.#writePhase[at] === phase && this.#writer[at] !== lane;
    if (readByOther || writtenByOther) {
      note(
        this.problems,
        `race: thread ${lane} writes ${this.array.name} cell ${at} that another thread ${readByOther ? "reads" : "writes"} before the next barrier`,
      );
    }
    this.#writer[at] = lane;
    this.#writePhase[at] = phase;
    this.cells[at] = value;
  }

  /** Adds to a number that threads add to at once, and answers with what it was. */
  add(at: number, value: number, thread: number, phase: number): number {
    const was = this.read(at, thread, phase);
    if (at in this.cells) this.cells[at] = was + value;
    return was;
  }

  #outside(at: number): number {
    note(this.problems, `${this.array.name} cell ${at} is outside its ${this.cells.length}`);
    return Number.NaN;
  }
}

/** Registers that a loop numbers: each thread's own, zeros at first. */
export class OwnTrace {
  readonly #cells: Float64Array;
  readonly #size: number;

  readonly array: SharedArray;
  readonly problems: string[];

  constructor(array: SharedArray, threads: number, problems: string[]) {
    this.array = array;
    this.problems = problems;
    this.#size = array.length * array.width;
    this.#cells = new Float64Array(this.#size * threads);
  }

  clear(): void {
    this.#cells.fill(0);
  }

  read(at: number, thread: number): number {
    return this.#inside(at) ? this.#cells[thread * this.#size + at]! : Number.NaN;
  }

  write(at: number, value: number, thread: number): void {
    if (this.#inside(at)) this.#cells[thread * this.#size + at] = value;
  }

  #inside(at: number): boolean {
    if (at >= 0 && at < this.#size) return true;
    note(this.problems, `${this.array.name} element ${at} is outside its ${this.#size}`);
    return false;
  }
}

export function note(problems: string[], text: string): void {
  if (problems.length < MAX_PROBLEMS && !problems.includes(text)) problems.push(text);
}

/** How many bits are set. */
export function bits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

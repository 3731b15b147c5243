/** @file What the invocations touched of each binding: distinct elements, passes over them, and what is wrong with it. */
import type { Binding } from "../../fusion";

/** Why a kernel's traffic is not counted: a sentence, and the line where there is one. */
export class NotCounted extends Error {
  readonly line: number | null;
  constructor(text: string, line: number | null) {
    super(text);
    this.line = line;
  }
}

/** Passes that are told apart: one bit each. */
const PASSES = 32;
const MAX_PROBLEMS = 8;

/** One access as a number, for comparing what two branches touch. */
type Record = number[];

export class BufferTrace {
  readonly binding: Binding;
  readonly elements: number;
  /** Elements of the tensor in one element of the declared type. */
  readonly units: number;
  /** Components of the declared type. */
  readonly lanes: number;
  readonly #passes: Uint32Array;
  readonly #writes: Uint8Array;
  readonly problems: Set<string>;

  constructor(binding: Binding, elements: number, units: number, lanes: number, problems: Set<string>) {
    this.binding = binding;
    this.elements = elements;
    this.units = units;
    this.lanes = lanes;
    this.problems = problems;
    this.#passes = new Uint32Array(elements);
    this.#writes = new Uint8Array(elements);
  }

  /** Elements of the declared type. */
  get length(): number {
    return Math.ceil(this.elements / this.units);
  }

  #outside(at: number, line: number, verb: string): boolean {
    if (at >= 0 && at < this.length) return false;
    if (this.problems.size < MAX_PROBLEMS)
      this.problems.add(`Line ${line} ${verb} ${this.binding.name}[${at}], outside its ${this.length} elements.`);
    return true;
  }

  /** `first` and `count`: the components that are touched, in elements of the tensor. */
  read(at: number, first: number, count: number, pass: number, line: number): void {
    if (this.#outside(at, line, "reads")) return;
    const bit = 1 << Math.min(pass, PASSES - 1);
    const from = at * this.units + first;
    const end = Math.min(this.elements, from + count);
    for (let i = from; i < end; i++) this.#passes[i]! |= bit;
  }

  write(at: number, first: number, count: number, line: number): void {
    if (this.#outside(at, line, "writes")) return;
    const from = at * this.units + first;
    this.#writes.fill(1, from, Math.min(this.elements, from + count));
  }

  /** Elements read and written, and the mean number of passes over what is read. */
  summary(): { readonly read: number; readonly written: number; readonly passes: number } {
    let [read, written, passes] = [0, 0, 0];
    for (let i = 0; i < this.elements; i++) {
      const mask = this.#passes[i]!;
      if (mask !== 0) {
        read++;
        for (let rest = mask; rest !== 0; rest &= rest - 1) passes++;
      }
      written += this.#writes[i]!;
    }
    return { read, written, passes: read === 0 ? 0 : passes / read };
  }
}

/**
 * Where accesses go: into the traces, or, while it is not known which branch runs, into a list. Branches that touch the same
 * elements count the same whichever runs.
 */
export class Log {
  #open: Record | null = null;
  readonly traces: readonly BufferTrace[];

  constructor(traces: readonly BufferTrace[]) {
    this.traces = traces;
  }

  access(buffer: number, write: boolean, at: number, first: number, count: number, pass: number, line: number): void {
    if (this.#open) this.#open.push(buffer, write ? 1 : 0, at, first, count, pass, line);
    else if (write) this.traces[buffer]!.write(at, first, count, line);
    else this.traces[buffer]!.read(at, first, count, pass, line);
  }

  /** What `run` touches, apart. */
  record(run: () => void): Record {
    const before = this.#open;
    const own: Record = [];
    this.#open = own;
    try {
      run();
    } finally {
      this.#open = before;
    }
    return own;
  }

  /** @throws NotCounted where the branches touch different elements */
  either(branches: readonly Record[], line: number): void {
    const keys = branches.map((list) => {
      const set = new Set<string>();
      for (let i = 0; i < list.length; i += 7) set.add(list.slice(i, i + 5).join(" "));
      return [...set].sort().join(",");
    });
    if (keys.some((key) => key !== keys[0]))
      throw new NotCounted("Which elements are touched depends on loaded values", line);
    const [first = []] = branches;
    for (let i = 0; i < first.length; i += 7)
      this.access(
        first[i]!,
        first[i + 1] === 1,
        first[i + 2]!,
        first[i + 3]!,
        first[i + 4]!,
        first[i + 5]!,
        first[i + 6]!,
      );
  }
}

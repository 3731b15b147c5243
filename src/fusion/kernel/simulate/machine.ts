/** @file Runs a lowered kernel on the CPU: all threads of a workgroup in lock-step, statements compiled to closures once. */
import { bug, type NodeId } from "../../ir";
import { roundToHalf } from "../../ops";
import type { Buffer, Expr, KernelProgram, Loop, Reg, SharedArray, SortArrays, Stmt, Value } from "../emit/kernel-ir";
import { BufferTrace, note, OwnTrace, SharedTrace, type AccessLog } from "./access-log";
import { Indices } from "./indices";
import { mergedFrom, pairsOf, putInOrder, waitsBy } from "./orders";
import { retaining, type RetainedLists } from "./retained";
import { scalarOf, storing } from "./scalars";
import { each, keep, nobody, iterationsOf, subgroupsIn, type NumberOf, type Run } from "./threads";

export interface InterpretOptions {
  /** `f32` rounds after every op; `f64` shows the plan's arithmetic without rounding. */
  readonly precision?: "f64" | "f32";
  /** False: only results are wanted, no log of accesses; much faster where the kernel can be translated. */
  readonly log?: boolean;
  /** Threads of a subgroup, a power of two from 4 to 128; absent: 32. */
  readonly subgroupSize?: number;
  /** Looks on while the kernel runs. */
  readonly watcher?: Watcher;
}

/** What a watcher may look at. */
export interface Seen {
  readonly indices: Indices;
  readonly traces: ReadonlyMap<Buffer, BufferTrace>;
  readonly shared: ReadonlyMap<SharedArray, SharedTrace | OwnTrace>;
  /** A register's numbers, `width` for each thread. */
  readonly cellsOf: (reg: Reg) => Float64Array;
}

/** Who looks on while a kernel runs. */
export interface Watcher {
  /** Asked once for each statement, before those of its block: what is to run instead of it. */
  watch(stmt: Stmt, run: Run, seen: Seen): Run;
  /** A workgroup begins, by its number; those along x come first. */
  begin(workgroup: number): void;
  end(workgroup: number, seen: Seen): void;
}

/**
 * Runs every workgroup of `program`.
 * @param buffers data of every bound tensor, by node; outputs are written in place
 */
export function interpretProgram(
  program: KernelProgram,
  buffers: ReadonlyMap<NodeId, Float64Array>,
  options: InterpretOptions = {},
): AccessLog {
  return new Machine(program, buffers, options.precision ?? "f64", options.subgroupSize ?? 32, options.watcher).run();
}

class Machine {
  readonly #threads: number;
  readonly #regs: Float64Array[];
  readonly #traces = new Map<Buffer, BufferTrace>();
  readonly #shared = new Map<SharedArray, SharedTrace | OwnTrace>();
  readonly #problems: string[] = [];
  readonly #retained = new Map<string, RetainedLists>();
  readonly #indices: Indices;
  readonly #round: (value: number) => number;
  #phase = 0;
  #segment = 0;
  #depth = 0;

  readonly program: KernelProgram;
  readonly #subgroupSize: number;
  readonly #watcher: Watcher | undefined;
  readonly #seen: Seen;

  constructor(
    program: KernelProgram,
    buffers: ReadonlyMap<NodeId, Float64Array>,
    precision: "f64" | "f32",
    subgroupSize: number,
    watcher?: Watcher,
  ) {
    this.program = program;
    this.#watcher = watcher;
    this.#subgroupSize = subgroupSize;
    const [x, y, z] = program.workgroupSize;
    this.#threads = x * y * z;
    this.#indices = new Indices(this.#threads, program.space.lane);
    this.#regs = Array.from({ length: program.registerCount });
    this.#round = precision === "f32" ? Math.fround : (value) => value;
    for (const buffer of program.buffers) {
      const data = buffers.get(buffer.value);
      if (!data) throw bug(`no data for ${buffer.value}`);
      if (data.length !== buffer.elements)
        throw bug(`${buffer.value} has ${data.length} elements, not ${buffer.elements}`);
      this.#traces.set(buffer, new BufferTrace(buffer, data, this.#problems));
    }
    for (const array of program.shared) {
      const own = array.own ? new OwnTrace(array, this.#threads, this.#problems) : null;
      this.#shared.set(array, own ?? new SharedTrace(array, this.#problems));
    }
    const cellsOf = (reg: Reg): Float64Array => this.#cellsOf(reg);
    this.#seen = { indices: this.#indices, traces: this.#traces, shared: this.#shared, cellsOf };
  }

  #cellsOf(reg: Reg): Float64Array {
    return (this.#regs[reg.id] ??= new Float64Array(this.#threads * reg.width));
  }

  run(): AccessLog {
    const body = this.#block(this.program.body);
    const [gx, gy, gz] = this.program.workgroups;
    const everyone = Int32Array.from({ length: this.#threads }, (_, i) => i);
    for (let z = 0; z < gz; z++)
      for (let y = 0; y < gy; y++)
        for (let x = 0; x < gx; x++) {
          this.#enterWorkgroup(x, y, z);
          const number = x + gx * (y + gy * z);
          this.#watcher?.begin(number);
          body({ list: everyone.slice(), count: this.#threads });
          this.#watcher?.end(number, this.#seen);
        }
    const accesses = [...this.#traces.values()].flatMap((trace) => trace.summary());
    return { buffers: accesses, problems: this.#problems };
  }

  #enterWorkgroup(x: number, y: number, z: number): void {
    for (const trace of this.#shared.values()) trace.clear();
    const [sx] = this.program.workgroupSize;
    for (const { variable, cells } of this.#indices.builtins) {
      for (let thread = 0; thread < this.#threads; thread++) {
        cells[thread] =
          variable === "tid"
            ? thread
            : variable === "subgroup.lane"
              ? thread % this.#subgroupSize
              : variable === "wid.x"
                ? x
                : variable === "wid.y"
                  ? y
                  : variable === "wid.z"
                    ? z
                    : variable === "gid.x"
                      ? x * sx + (thread % sx)
                      : y * this.program.workgroupSize[1] + Math.floor(thread / sx);
      }
    }
  }

  // ---- statements ---------------------------------------------------------------------------------------------------

  #block(stmts: readonly Stmt[]): Run {
    const runs = stmts.map((stmt) => {
      const run = this.#stmt(stmt);
      return this.#watcher ? this.#watcher.watch(stmt, run, this.#seen) : run;
    });
    return (active) => {
      for (const run of runs) {
        if (active.count === 0) return;
        run(active);
      }
    };
  }

  #stmt(stmt: Stmt): Run {
    switch (stmt.kind) {
      case "let":
      case "var":
      case "set":
        return this.#assign(stmt.reg, stmt.value);
      case "bind": {
        const [cells, value] = [this.#indices.cellsOf(stmt.variable), this.#indices.index(stmt.value)];
        return each((thread) => (cells[thread] = value(thread, 0)));
      }
      case "bindValue": {
        const [cells, value, { max }] = [this.#indices.cellsOf(stmt.variable), this.#value(stmt.value), stmt.variable];
        return each((thread) => (cells[thread] = Math.min(Math.max(Math.trunc(value(thread, 0)), 0), max)));
      }
      case "store":
        return this.#store(stmt);
      case "fetchAtomic":
        return this.#fetchAtomic(stmt);
      case "storePair":
        return this.#storePair(stmt);
      case "storeShared":
        return this.#storeShared(stmt);
      case "addShared": {
        const trace = this.#shared.get(stmt.array)! as SharedTrace;
        const [at, numberOf] = [this.#indices.index(stmt.index), this.#value(stmt.value)];
        return each((thread) => trace.add(at(thread, 0), numberOf(thread, 0), thread, this.#phase));
      }
      case "takeNumber": {
        const trace = this.#shared.get(stmt.array)! as SharedTrace;
        const [at, here, cells] = [
          this.#indices.index(stmt.index),
          this.#indices.test(stmt.when),
          this.#cellsOf(stmt.reg),
        ];
        return each(
          (thread) => (cells[thread] = here(thread, 0) ? trace.add(at(thread, 0), 1, thread, this.#phase) : 0),
        );
      }
      case "foldShared": {
        const trace = this.#shared.get(stmt.array)!;
        const [into, from] = [this.#indices.index(stmt.into), this.#indices.index(stmt.from)];
        const [rule, store] = [stmt.def.reduce!.combine, storing(stmt.array, this.#round)];
        return each((thread) => {
          const [a, b] = [into(thread, 0), from(thread, 0)];
          const both = rule.js(trace.read(a, thread, this.#phase), trace.read(b, thread, this.#phase));
          trace.write(a, store(both), thread, this.#phase);
        });
      }
      case "if":
        return this.#if(stmt);
      case "merge":
        return this.#merge(stmt);
      case "exchangePair": {
        const pairOf = pairsOf(stmt, this.#indices);
        const limit = stmt.below && this.#indices.index(stmt.below);
        const put = this.#inOrder(stmt.sort);
        return each((thread) => {
          const [near, far] = pairOf(thread, 0);
          if (!limit || far < limit(thread, 0)) put(thread, near, far);
        });
      }
      case "wait":
        return this.#wait(stmt);
      case "countWaiting":
        return this.#countWaiting(stmt);
      case "retainNone":
      case "retain":
      case "takeRetained":
        return retaining(stmt, this.#retained, {
          numberOf: (value) => this.#value(value),
          cellsOf: (reg) => this.#cellsOf(reg),
          problem: (text) => note(this.#problems, text),
          subgroupSize: this.#subgroupSize,
        });
      case "noneWait":
        return ({ list }) => this.#shared.get(stmt.waiting.count)!.write(0, 0, list[0]!, this.#phase);
      case "for":
      case "halve":
      case "double":
      case "range":
        return this.#loop(stmt);
      case "subgroups":
        return subgroupsIn(stmt, this.#indices, this.#subgroupSize);
      case "barrier":
        return this.#barrier();
      case "guard": {
        const test = this.#indices.test(stmt.when);
        return (active) => keep(active, active, test);
      }
      case "comment":
        return () => {};
    }
  }

  #assign(reg: Reg, value: Expr): Run {
    const cells = this.#cellsOf(reg);
    const numberOf = this.#expr(value, reg);
    if (reg.width === 1) return each((thread) => (cells[thread] = numberOf(thread, 0)));
    return each((thread) => {
      // All four are read before any is written: `x = f(x)` with lanes that cross.
      const [a, b, c, d] = [numberOf(thread, 0), numberOf(thread, 1), numberOf(thread, 2), numberOf(thread, 3)];
      cells[4 * thread] = a;
      cells[4 * thread + 1] = b;
      cells[4 * thread + 2] = c;
      cells[4 * thread + 3] = d;
    });
  }

  #store({ buffer, index, value, width }: Extract<Stmt, { kind: "store" }>): Run {
    const trace = this.#traces.get(buffer)!;
    const [at, numberOf] = [this.#indices.index(index), this.#value(value)];
    const round = this.#storing(buffer);
    return each((thread) => {
      const start = at(thread, 0);
      for (let lane = 0; lane < width; lane++) trace.write(start + lane, round(numberOf(thread, lane)));
    });
  }

  /** Threads come in the order of their numbers; on a GPU they come in any. */
  #fetchAtomic({ takes, buffer, index, value, reg }: Extract<Stmt, { kind: "fetchAtomic" }>): Run {
    const trace = this.#traces.get(buffer)!;
    const [cells, at, numberOf] = [this.#cellsOf(reg), this.#indices.index(index), this.#value(value)];
    return each((thread) => (cells[thread] = trace.fetch(takes, at(thread, 0), numberOf(thread, 0), this.#segment)));
  }

  #storePair({ buffer, index, values }: Extract<Stmt, { kind: "storePair" }>): Run {
    const trace = this.#traces.get(buffer)!;
    const [at, round] = [this.#indices.index(index), this.#storing(buffer)];
    const numbersOf = values.map((value) => this.#value(value));
    return each((thread) => {
      const start = at(thread, 0);
      if (start % 2 !== 0) note(this.#problems, `${buffer.name}[${start}] is no word's first half`);
      numbersOf.forEach((numberOf, half) => {
        if (start + half < buffer.elements) trace.write(start + half, round(numberOf(thread, 0)));
      });
    });
  }

  /** What memory keeps of a number. */
  #storing({ type: { dtype } }: Buffer): (value: number) => number {
    if (dtype === "i32" || dtype === "bool") return Math.trunc;
    return dtype === "f16" && this.#round === Math.fround ? roundToHalf : this.#round;
  }

  #storeShared({ array, index, value, lane }: Extract<Stmt, { kind: "storeShared" }>): Run {
    const trace = this.#shared.get(array)!;
    const [at, numberOf] = [this.#indices.index(index), this.#value(value)];
    if (lane) {
      const part = this.#indices.index(lane);
      return each((thread) =>
        trace.write(at(thread, 0) * array.width + part(thread, 0), numberOf(thread, 0), thread, this.#phase),
      );
    }
    return each((thread) => {
      const start = at(thread, 0) * array.width;
      for (let k = 0; k < array.width; k++) trace.write(start + k, numberOf(thread, k), thread, this.#phase);
    });
  }

  #inOrder({ keys, indices }: SortArrays): (thread: number, near: number, far: number) => void {
    const [key, index] = [this.#shared.get(keys)!, indices ? this.#shared.get(indices)! : null];
    return (thread, near, far) => putInOrder(key, index, [near, far], thread, this.#phase);
  }

  /** Threads put elements behind those that wait in the order of their numbers; on a GPU they come in any. */
  #wait(stmt: Extract<Stmt, { kind: "wait" }>): Run {
    const { sort, first, count } = stmt.waiting;
    const [keys, indices] = [this.#shared.get(sort.keys)!, sort.indices && this.#shared.get(sort.indices)!];
    const counter = this.#shared.get(count)! as SharedTrace;
    const numberOf = (value: Value): NumberOf => this.#value(value);
    const [key, index, waits] = [numberOf(stmt.key), stmt.index && numberOf(stmt.index), waitsBy(stmt, numberOf)];
    return each((thread) => {
      if (!waits(thread)) return;
      const slot = first + counter.add(0, 1, thread, this.#phase);
      keys.write(slot, key(thread, 0), thread, this.#phase);
      if (index) indices?.write(slot, index(thread, 0), thread, this.#phase);
    });
  }

  #countWaiting({ waiting, variable }: Extract<Stmt, { kind: "countWaiting" }>): Run {
    const [cells, barrier] = [this.#indices.cellsOf(variable), this.#barrier()];
    const [count, known] = [this.#shared.get(waiting.count)!, this.#shared.get(waiting.known)!];
    return (active) => {
      const one = active.list[0]!;
      barrier(active);
      known.write(0, count.read(0, one, this.#phase), one, this.#phase);
      barrier(active);
      each((thread) => (cells[thread] = known.read(0, thread, this.#phase)))(active);
      barrier(active);
    };
  }

  #merge({ variable, values, key, attrs, ...asked }: Extract<Stmt, { kind: "merge" }>): Run {
    const [cells, trace, segment] = [this.#indices.cellsOf(variable), this.#traces.get(values)!, this.#segment];
    const keyAt = (at: number): number => key.scalar!.js([trace.read(at, segment)], attrs);
    const [start, left, right, at] = [asked.start, asked.left, asked.right, asked.at].map((index) =>
      this.#indices.index(index),
    );
    return each((thread) => {
      cells[thread] = mergedFrom(keyAt, start!(thread, 0), left!(thread, 0), right!(thread, 0), at!(thread, 0));
    });
  }

  #if({ when, body, otherwise }: Extract<Stmt, { kind: "if" }>): Run {
    const test = this.#indices.test(when);
    this.#depth++;
    const [yes, no] = [this.#block(body), otherwise.length > 0 ? this.#block(otherwise) : null];
    this.#depth--;
    const [taken, rest] = [nobody(this.#threads), nobody(this.#threads)];
    return (active) => {
      keep(active, taken, test);
      if (no) keep(active, rest, (thread) => !test(thread));
      if (taken.count > 0) yes(taken);
      if (no && rest.count > 0) no(rest);
    };
  }

  /** Segments, by which passes are counted, end with an outermost loop (of a row) or a barrier. */
  #loop(stmt: Loop): Run {
    const cells = this.#indices.cellsOf(stmt.variable);
    const inside = stmt.kind === "for" && stmt.rows ? 0 : 1;
    this.#depth += inside;
    const body = this.#block(stmt.body);
    this.#depth -= inside;
    if (this.#depth === 0) this.#segment++;
    const { first, next, goesOn } = iterationsOf(stmt, this.#indices);
    if (stmt.kind === "range") {
      // Each thread goes round as often as its own range says.
      const going = nobody(this.#threads);
      const test = (thread: number): boolean => goesOn(cells[thread]!, thread);
      return (active) => {
        for (let i = 0; i < active.count; i++) cells[active.list[i]!] = first(active.list[i]!);
        for (keep(active, going, test); going.count > 0; keep(going, going, test)) {
          body(going);
          for (let i = 0; i < going.count; i++) cells[going.list[i]!] = next(cells[going.list[i]!]!);
        }
      };
    }
    return (active) => {
      for (let iteration = first(active.list[0]!); goesOn(iteration, active.list[0]!); iteration = next(iteration)) {
        cells.fill(iteration);
        body(active);
      }
    };
  }

  /** Subgroups are threads with neighbouring numbers. */
  #barrier(): Run {
    if (this.#depth === 0) this.#segment++;
    return (active) => {
      if (active.count !== this.#threads) {
        note(this.#problems, `${active.count} of ${this.#threads} threads reach a barrier`);
      }
      this.#phase++;
    };
  }

  // ---- values -------------------------------------------------------------------------------------------------------

  #value(value: Value): NumberOf {
    if (value.kind === "literal") {
      const constant = value.scalar === "f32" ? this.#round(value.value) : value.value;
      return () => constant;
    }
    const cells = this.#cellsOf(value);
    return value.width === 1 ? (thread) => cells[thread]! : (thread, lane) => cells[4 * thread + lane]!;
  }

  #expr(expr: Expr, into: Reg): NumberOf {
    switch (expr.kind) {
      case "reg":
      case "literal":
      case "splat":
        return this.#value(expr.kind === "splat" ? expr.a : expr);
      case "pack": {
        const parts = expr.parts.map((part) => this.#value(part));
        return (thread, lane) => parts[lane]!(thread, 0);
      }
      case "part": {
        const a = this.#value(expr.a);
        return (thread) => a(thread, expr.lane);
      }
      case "load":
        return this.#load(expr);
      case "loadShared": {
        const [trace, at] = [this.#shared.get(expr.array)!, this.#indices.index(expr.index)];
        const { width } = expr.array;
        return (thread, lane) => trace.read(at(thread, 0) * width + lane, thread, this.#phase);
      }
      case "select": {
        const [yes, no, test] = [this.#value(expr.yes), this.#value(expr.no), this.#indices.test(expr.when)];
        return (thread, lane) => (test(thread, lane) ? yes(thread, lane) : no(thread, lane));
      }
      case "choose": {
        const [yes, no, when] = [this.#value(expr.yes), this.#value(expr.no), this.#value(expr.when)];
        return (thread, lane) => (when(thread, lane) !== 0 ? yes(thread, lane) : no(thread, lane));
      }
      case "index":
        return this.#indices.index(expr.index);
      case "shuffle": {
        const [a, by] = [this.#value(expr.a), this.#indices.index(expr.by)];
        return (thread, lane) => {
          const other = thread ^ by(thread, 0);
          if ((thread ^ other) >= this.#subgroupSize || other >= this.#threads)
            note(this.#problems, `thread ${thread} asks ${other}, which is not of its subgroup`);
          return a(other, lane);
        };
      }
      case "generate": {
        const [at, indices] = [expr.at.map((index) => this.#indices.index(index)), expr.at.map(() => 0)];
        return (thread, lane) => {
          at.forEach((index, i) => (indices[i] = index(thread, lane)));
          return expr.def.generate!.js(indices, expr.attrs);
        };
      }
      case "op":
      case "combine":
      case "map":
      case "finish":
      case "fma":
      case "better":
      case "convert":
        return scalarOf(
          expr,
          into,
          (value) => this.#value(value),
          expr.kind === "op" && expr.index ? this.#indices.index(expr.index) : null,
          this.#round,
        );
    }
  }

  #load({ buffer, index, width, when }: Extract<Expr, { kind: "load" }>): NumberOf {
    const [trace, at, segment] = [this.#traces.get(buffer)!, this.#indices.index(index), this.#segment];
    if (when) {
      // What is dropped may be anything: a kernel that uses it will not agree with the reference.
      const test = this.#indices.test(when);
      return (thread, lane) =>
        test(thread, lane) ? trace.read(at(thread, 0) + (width === 1 ? 0 : lane), segment) : Number.NaN;
    }
    if (width === 1) return (thread) => trace.read(at(thread, 0), segment);
    return (thread, lane) => trace.read(at(thread, 0) + lane, segment);
  }
}

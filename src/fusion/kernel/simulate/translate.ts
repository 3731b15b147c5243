/**
 * @file A lowered kernel as one JavaScript function: the same statements that WGSL is printed from, for runs that want results
 * and no log. Kernels whose threads meet (barriers, workgroup memory) stay with the interpreter.
 */
import { bug, type NodeId } from "../../ir";
import { roundToHalf } from "../../ops";
import type { Cond, Index, IndexAtom } from "../emit/index-space";
import type { Buffer, Expr, KernelProgram, Reg, Stmt, Value } from "../emit/kernel-ir";

type Rule = (...values: readonly number[]) => number;
/** Runs every workgroup on these buffers. */
export type Translated = (buffers: ReadonlyMap<NodeId, Float64Array>) => void;

type Computed = Extract<Expr, { kind: "op" | "combine" | "map" | "finish" | "fma" | "better" | "convert" }>;

/** A statement or value that has no translation. */
class Untranslatable extends Error {}

/** The function of a kernel, or null where its threads work together. */
export function translate(program: KernelProgram, precision: "f64" | "f32"): Translated | null {
  if (program.shared.length > 0) return null;
  try {
    return new Translator(program, precision).build();
  } catch (error) {
    if (error instanceof Untranslatable) return null;
    throw error;
  }
}

/** Whole numbers wrap at 32 bits; what is no number becomes 0. */
const WHOLE = "const whole = (x) => (Number.isFinite(x) ? Math.trunc(x) | 0 : 0);";

class Translator {
  readonly #rules: Rule[] = [];
  readonly #known = new Map<unknown, Map<string, string>>();
  readonly #buffers: readonly Buffer[];
  readonly #lines: string[] = [];
  readonly program: KernelProgram;
  readonly #single: boolean;

  constructor(program: KernelProgram, precision: "f64" | "f32") {
    this.program = program;
    this.#buffers = program.buffers;
    this.#single = precision === "f32";
  }

  build(): Translated {
    this.#block(this.program.body);
    const [sx, sy, sz] = this.program.workgroupSize;
    const [gx, gy, gz] = this.program.workgroups;
    const threads = sx * sy * sz;
    const memory = this.#buffers.map((_, i) => `m${i}`).join(", ");
    const rules = this.#rules.map((_, i) => `f${i}`).join(", ");
    const text = [
      '"use strict";',
      WHOLE,
      "const fround = Math.fround;",
      `const [${rules}] = rules;`,
      `return function ([${memory}]) {`,
      "function thread(tid, wx, wy, wz, gx, gy) {",
      ...this.#lines,
      "}",
      `for (let z = 0; z < ${gz}; z++) for (let y = 0; y < ${gy}; y++) for (let x = 0; x < ${gx}; x++)`,
      `for (let t = 0; t < ${threads}; t++) thread(t, x, y, z, x * ${sx} + (t % ${sx}), y * ${sy} + Math.floor(t / ${sx}));`,
      "};",
    ].join("\n");
    const made = new Function("rules", "half", text) as (
      rules: readonly Rule[],
      half: Rule,
    ) => (memory: readonly Float64Array[]) => void;
    const run = made(this.#rules, roundToHalf as Rule);
    return (buffers) => {
      run(
        this.#buffers.map(({ value }) => {
          const data = buffers.get(value);
          if (!data) throw bug(`no data for ${value}`);
          return data;
        }),
      );
    };
  }

  /** A name for a meaning of an op; the same meaning with the same attributes has one name. */
  #rule(owner: unknown, key: string, rule: Rule): string {
    const own = this.#known.get(owner) ?? new Map<string, string>();
    this.#known.set(owner, own);
    let name = own.get(key);
    if (name === undefined) {
      name = `f${this.#rules.push(rule) - 1}`;
      own.set(key, name);
    }
    return name;
  }

  // ---- statements ---------------------------------------------------------------------------------------------------

  #block(stmts: readonly Stmt[]): void {
    for (const stmt of stmts) this.#stmt(stmt);
  }

  #stmt(stmt: Stmt): void {
    switch (stmt.kind) {
      case "let":
      case "var":
        return this.#define(stmt.reg, stmt.value, stmt.kind === "let" ? "const" : "let");
      case "set":
        return this.#set(stmt.reg, stmt.value);
      case "bind":
        this.#lines.push(`const v${stmt.variable.atomId} = ${this.#index(stmt.value, 0)};`);
        return;
      case "bindValue": {
        const { atomId, max } = stmt.variable;
        this.#lines.push(
          `const v${atomId} = Math.min(Math.max(Math.trunc(${this.#value(stmt.value, 0)}), 0), ${max});`,
        );
        return;
      }
      case "store":
        return this.#store(stmt);
      case "fetchAtomic": {
        const cell = `m${this.#buffers.indexOf(stmt.buffer)}[${this.#index(stmt.index, 0)}]`;
        const value = this.#value(stmt.value, 0);
        const stays = stmt.takes === "add" ? `${cell} + ${value}` : `Math.max(${cell}, ${value})`;
        this.#lines.push(`const r${stmt.reg.id} = ${cell};`, `${cell} = ${stays};`);
        return;
      }
      case "if":
        this.#lines.push(`if (${this.#test(stmt.when, 0)}) {`);
        this.#block(stmt.body);
        if (stmt.otherwise.length > 0) this.#lines.push("} else {");
        this.#block(stmt.otherwise);
        this.#lines.push("}");
        return;
      case "for": {
        const name = `v${stmt.variable.atomId}`;
        this.#lines.push(`for (let ${name} = 0; ${name} < ${stmt.count}; ${name}++) {`);
        this.#block(stmt.body);
        this.#lines.push("}");
        return;
      }
      case "guard":
        this.#lines.push(`if (!(${this.#test(stmt.when, 0)})) return;`);
        return;
      case "comment":
        return;
      case "halve":
      case "double":
      case "range":
      case "subgroups":
      case "exchangePair":
      case "wait":
      case "countWaiting":
      case "noneWait":
      case "retainNone":
      case "retain":
      case "takeRetained":
      case "merge":
      case "barrier":
      case "storeShared":
      case "addShared":
      case "takeNumber":
      case "storePair":
      case "foldShared":
        throw new Untranslatable(stmt.kind);
    }
  }

  #lanes(reg: Reg): string[] {
    return reg.width === 1 ? [`r${reg.id}`] : [0, 1, 2, 3].map((lane) => `r${reg.id}_${lane}`);
  }

  #define(reg: Reg, value: Expr, keyword: string): void {
    this.#lanes(reg).forEach((name, lane) => this.#lines.push(`${keyword} ${name} = ${this.#expr(value, reg, lane)};`));
  }

  /** Lanes may cross: all four are read before any is written. */
  #set(reg: Reg, value: Expr): void {
    const names = this.#lanes(reg);
    const texts = names.map((_, lane) => this.#expr(value, reg, lane));
    const cross = texts.some((text, lane) => names.some((name, other) => other !== lane && text.includes(name)));
    if (!cross) {
      names.forEach((name, lane) => this.#lines.push(`${name} = ${texts[lane]!};`));
      return;
    }
    this.#lines.push("{", ...texts.map((text, lane) => `const t${lane} = ${text};`));
    names.forEach((name, lane) => this.#lines.push(`${name} = t${lane};`));
    this.#lines.push("}");
  }

  #store({ buffer, index, value, width }: Extract<Stmt, { kind: "store" }>): void {
    const memory = `m${this.#buffers.indexOf(buffer)}`;
    const start = this.#index(index, 0);
    for (let lane = 0; lane < width; lane++) {
      this.#lines.push(
        `${memory}[${start}${lane > 0 ? ` + ${lane}` : ""}] = ${this.#stored(buffer, this.#value(value, lane))};`,
      );
    }
  }

  /** What memory keeps of a number. */
  #stored({ type: { dtype } }: Buffer, text: string): string {
    if (dtype === "i32" || dtype === "bool") return `Math.trunc(${text})`;
    if (!this.#single) return text;
    return dtype === "f16" ? `half(${text})` : `fround(${text})`;
  }

  // ---- values -------------------------------------------------------------------------------------------------------

  #number(value: number): string {
    if (Number.isNaN(value)) return "NaN";
    return Object.is(value, -0) ? "-0" : value < 0 ? `(${value})` : String(value);
  }

  #value(value: Value, lane: number): string {
    if (value.kind === "literal") {
      return this.#number(value.scalar === "f32" && this.#single ? Math.fround(value.value) : value.value);
    }
    return value.width === 1 ? `r${value.id}` : `r${value.id}_${lane}`;
  }

  /** As the register's type holds it. */
  #held(into: Pick<Reg, "scalar">, text: string): string {
    if (into.scalar === "i32") return `whole(${text})`;
    if (into.scalar === "bool") return `Number(${text})`;
    return this.#single ? `fround(${text})` : text;
  }

  #expr(expr: Expr, into: Reg, lane: number): string {
    switch (expr.kind) {
      case "reg":
      case "literal":
        return this.#value(expr, lane);
      case "splat":
        return this.#value(expr.a, lane);
      case "pack":
        return this.#value(expr.parts[lane]!, 0);
      case "part":
        return this.#value(expr.a, expr.lane);
      case "load": {
        const start = this.#index(expr.index, 0);
        const offset = expr.width === 1 || lane === 0 ? start : `${start} + ${lane}`;
        return `m${this.#buffers.indexOf(expr.buffer)}[${offset}]`;
      }
      case "select":
        return `(${this.#test(expr.when, lane)} ? ${this.#value(expr.yes, lane)} : ${this.#value(expr.no, lane)})`;
      case "choose":
        return `(${this.#value(expr.when, lane)} !== 0 ? ${this.#value(expr.yes, lane)} : ${this.#value(expr.no, lane)})`;
      case "index":
        return this.#index(expr.index, lane);
      case "generate": {
        const { def, attrs, at } = expr;
        const name = this.#rule(def, `generate ${JSON.stringify(attrs)}`, (...index) => def.generate!.js(index, attrs));
        return `${name}(${at.map((index) => this.#index(index, lane)).join(", ")})`;
      }
      case "loadShared":
      case "shuffle":
        throw new Untranslatable(expr.kind);
      case "op":
      case "combine":
      case "map":
      case "finish":
      case "fma":
      case "better":
      case "convert":
        return this.#held(into, this.#scalar(expr, lane));
    }
  }

  #scalar(expr: Computed, lane: number): string {
    switch (expr.kind) {
      case "op":
        return this.#op(expr, lane);
      case "combine": {
        const [a, b] = [this.#value(expr.a, expr.lanes?.[0] ?? lane), this.#value(expr.b, expr.lanes?.[1] ?? lane)];
        if (expr.def.name === "sum" || expr.def.name === "mean") return `${a} + ${b}`;
        const { combine } = expr.def.reduce!;
        return `${this.#rule(expr.def, "combine", (x, y) => combine.js(x!, y!))}(${a}, ${b})`;
      }
      case "map": {
        const { map } = expr.def.reduce!;
        return `${this.#rule(expr.def, "map", (x) => map!.js(x!))}(${this.#value(expr.a, lane)})`;
      }
      case "finish": {
        const { finish } = expr.def.reduce!;
        return `${this.#rule(expr.def, "finish", (x, n) => finish!.js(x!, n!))}(${this.#value(expr.a, lane)}, ${expr.count})`;
      }
      case "fma":
        return `${this.#value(expr.a, expr.lane ?? lane)} * ${this.#value(expr.b, lane)} + ${this.#value(expr.c, lane)}`;
      case "better": {
        const rank = expr.def.reduce!.arg!;
        const name = this.#rule(expr.def, "better", (a, b, i, j) =>
          Number(rank.js(a!, b!) || (!rank.js(b!, a!) && i! < j!)),
        );
        return `${name}(${[expr.a, expr.b, expr.ia, expr.ib].map((value) => this.#value(value, lane)).join(", ")})`;
      }
      case "convert":
        return expr.to === "bool" ? `(${this.#value(expr.a, lane)} !== 0)` : this.#value(expr.a, lane);
    }
  }

  #op({ def, args, attrs, index }: Extract<Expr, { kind: "op" }>, lane: number): string {
    const values = args.map((arg) => this.#value(arg, lane));
    if (index) values.push(this.#index(index, lane));
    const whole = args.length > 0 && args.every((arg) => arg.scalar === "i32");
    const plain = whole ? undefined : PLAIN.get(def.name);
    if (plain && values.length === 2) return `(${values[0]!} ${plain} ${values[1]!})`;
    const meaning = def.scalar!;
    const rule = whole && meaning.int ? meaning.int.bind(meaning) : meaning.js.bind(meaning);
    const name = this.#rule(def, `${whole ? "int" : "js"} ${JSON.stringify(attrs)}`, (...given) => rule(given, attrs));
    return `${name}(${values.join(", ")})`;
  }

  // ---- indices ------------------------------------------------------------------------------------------------------

  #index({ terms, constant }: Index, lane: number): string {
    const parts = terms.map(({ atom, by }) => {
      const text = this.#atom(atom, lane);
      return by === 1 ? text : `${text} * ${by}`;
    });
    if (constant !== 0 || parts.length === 0) parts.push(this.#number(constant));
    return parts.length === 1 ? parts[0]! : `(${parts.join(" + ")})`;
  }

  #atom(atom: IndexAtom, lane: number): string {
    if (atom.kind === "var") {
      if (atom === this.program.space.lane) return String(lane);
      if (atom.builtin === "subgroup.lane") throw new Untranslatable(atom.builtin);
      return atom.builtin ? BUILTINS[atom.builtin] : `v${atom.atomId}`;
    }
    const of = this.#index(atom.of, lane);
    // Indices are whole and below 2³¹: this stays integer arithmetic.
    if (atom.kind === "div") return `((${of} / ${atom.by}) | 0)`;
    return atom.kind === "min" ? `Math.min(${of}, ${atom.by})` : `(${of} % ${atom.by})`;
  }

  #test(cond: Cond, lane: number): string {
    switch (cond.kind) {
      case "always":
        return "true";
      case "never":
        return "false";
      case "less":
        return `${this.#index(cond.index, lane)} < ${cond.bound}`;
      case "atLeast":
        return `${this.#index(cond.index, lane)} >= ${cond.bound}`;
      case "below":
        return `${this.#index(cond.index, lane)} < ${this.#index(cond.limit, lane)}`;
      case "both":
        return cond.parts.map((part) => `(${this.#test(part, lane)})`).join(" && ");
    }
  }
}

const BUILTINS = { tid: "tid", "wid.x": "wx", "wid.y": "wy", "wid.z": "wz", "gid.x": "gx", "gid.y": "gy" };
/** Ops on floats that JavaScript writes as WGSL does. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ["add", "+"],
  ["sub", "-"],
  ["mul", "*"],
  ["div", "/"],
]);

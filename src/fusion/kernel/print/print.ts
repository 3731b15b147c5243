/** @file Lowered kernels as WGSL: a header that says what and how, one line an op, and for every line the nodes it came from. */
import { bug, type NodeId, type DType } from "../../ir";
import { wgslHelpers, wgslType, type OpDef, type WgslHelper, type WgslType } from "../../ops";
import type { Index } from "../emit/index-space";
import type { Buffer, Expr, KernelProgram, Scalar, SharedArray, Stmt, Value, Width } from "../emit/kernel-ir";
import { PackedHalves } from "./print-halves";
import { cellText, condText, factorText, indexText, laneText, unlessText } from "./print-index";
import {
  exchangeLines,
  exchangeText,
  mergeText,
  retainedText,
  retainingLines,
  searchSteps,
  takeNumberText,
  takenText,
  waitLine,
  waitText,
} from "./print-orders";

/** Four neighbours as one value. */
const VECTOR: Readonly<Record<Scalar, string>> = {
  f32: "vec4f",
  f16: "vec4h",
  i32: "vec4i",
  bool: "vec4<bool>",
  key: "vec4i",
};
const SCALAR: Readonly<Record<Scalar, DType>> = { f32: "f32", f16: "f16", i32: "i32", bool: "bool", key: "i32" };
const typeText = (scalar: Scalar, width: Width): string => (width === 4 ? VECTOR[scalar] : SCALAR[scalar]);
const sharedType = ({ number, counts, scalar, width, length }: SharedArray): string => {
  if (counts) return `array<atomic<i32>, ${length}>`;
  if (number) return number === "atomic" ? "atomic<u32>" : "u32";
  return `array<${typeText(scalar, width)}, ${length}>`;
};
/** bool is stored as u32, f16 as f16. */
const storedType = (dtype: DType, width: Width): string => {
  if (dtype === "bool") return width === 4 ? "vec4u" : "u32";
  return typeText(dtype, width);
};

export interface PrintedKernel {
  readonly wgsl: string;
  /** `lines[i]`: the nodes that line i+1 computes. */
  readonly lines: readonly (readonly NodeId[])[];
}

/** A kernel's text, and the statement that each of its lines says. */
export function printWithStatements(program: KernelProgram): {
  readonly wgsl: string;
  readonly lines: readonly (readonly Stmt[])[];
} {
  return new Printer(program).printWithStatements();
}

const ATOMIC = { add: "atomicAdd", max: "atomicMax" } as const;
const NOBODY: readonly NodeId[] = [];

export function printWgsl(program: KernelProgram): PrintedKernel {
  return new Printer(program).print();
}

class Printer {
  readonly #lines: string[] = [];
  readonly #origins: (readonly NodeId[])[] = [];
  /** Of each line. */
  readonly #statements: Stmt[] = [];
  #statement: Stmt | null = null;
  readonly #helpers = new Map<string, string>();
  /** Registers that are assigned again. */
  readonly #vars = new Set<number>();
  /** Registers without a line of their own: `x.y` of an `x` that stays as it is. */
  readonly #spelled = new Map<number, string>();
  #indent = "  ";

  readonly program: KernelProgram;

  /** Null where halves are bound as they are. */
  readonly #packed: PackedHalves | null;

  constructor(program: KernelProgram) {
    this.program = program;
    this.#packed = program.packedHalves ? new PackedHalves(program.space, program.body) : null;
  }

  print(): PrintedKernel {
    const { program } = this;
    for (const stmt of program.body) this.#stmt(stmt);
    const body = this.#lines.join("\n");
    const [x, y, z] = program.workgroupSize;
    const workgroupArrays = program.shared.filter(({ own }) => !own);
    const ownArrays = program.shared.filter(({ own }) => own);
    const head = [
      `// ${program.title}`,
      `// ${program.schedule}`,
      ...program.buffers.map((buffer, i) => this.#binding(buffer, i)),
      ...workgroupArrays.map((array) => `var<workgroup> ${array.name}: ${sharedType(array)};`),
      // Some are the same for either width: written once.
      ...[...new Set(this.#helpers.values())].flatMap((text) => ["", ...text.split("\n")]),
      "",
      `@compute @workgroup_size(${z > 1 ? `${x}, ${y}, ${z}` : y > 1 ? `${x}, ${y}` : x})`,
      `fn ${program.name}(${builtinsText(body)}) {`,
      ...ownArrays.map((array) => `  var ${array.name}: ${sharedType(array)};`),
    ];
    const features = [
      ...(program.buffers.some((buffer) => buffer.type.dtype === "f16" && !this.#packed) ? ["f16"] : []),
      ...(/\bsubgroup(_size|_lane|[A-Z]\w*)\b/.test([...this.#helpers.values(), body].join()) ? ["subgroups"] : []),
    ];
    if (features.length > 0) head.unshift(`enable ${features.join(", ")};`, "");
    return {
      wgsl: [...head, ...this.#lines, "}", ""].join("\n"),
      lines: [...head.map(() => NOBODY), ...this.#origins, NOBODY],
    };
  }

  #binding(buffer: Buffer, i: number): string {
    const length = Math.max(1, Math.ceil(buffer.elements / buffer.width));
    const type = this.#isPacked(buffer)
      ? this.#packed!.arrayType(buffer)
      : `array<${buffer.atomic ? "atomic<i32>" : storedType(buffer.type.dtype, buffer.width)}, ${length}>`;
    const space = buffer.access === "uniform" ? "uniform" : `storage, ${buffer.access}`;
    return `@group(0) @binding(${i}) var<${space}> ${buffer.name}: ${type};`;
  }

  #isPacked(buffer: Buffer): boolean {
    return this.#packed !== null && buffer.type.dtype === "f16";
  }

  #line(text: string, nodes = NOBODY): void {
    this.#lines.push(this.#indent + text);
    this.#origins.push(nodes);
    this.#statements.push(this.#statement!);
  }

  #nested(body: readonly Stmt[]): void {
    const before = this.#indent;
    this.#indent += "  ";
    for (const stmt of body) this.#stmt(stmt);
    this.#indent = before;
  }

  printWithStatements(): { readonly wgsl: string; readonly lines: readonly (readonly Stmt[])[] } {
    const { wgsl, lines } = this.print();
    const head = lines.length - 1 - this.#statements.length;
    return { wgsl, lines: [...Array.from({ length: head }, () => []), ...this.#statements.map((stmt) => [stmt]), []] };
  }

  #stmt(stmt: Stmt): void {
    this.#statement = stmt;
    switch (stmt.kind) {
      case "let":
        if (this.#isSpelled(stmt)) return;
        return this.#line(
          `let ${stmt.reg.name} = ${this.#expr(stmt.value, stmt.reg.scalar, stmt.reg.width)};`,
          stmt.nodes,
        );
      case "var":
        this.#vars.add(stmt.reg.id);
        return this.#line(
          `var ${stmt.reg.name}: ${typeText(stmt.reg.scalar, stmt.reg.width)} = ${this.#expr(stmt.value, stmt.reg.scalar, stmt.reg.width)};`,
          stmt.nodes,
        );
      case "set":
        return this.#line(
          assignText(stmt.reg.name, this.#expr(stmt.value, stmt.reg.scalar, stmt.reg.width)),
          stmt.nodes,
        );
      case "bind":
        return this.#line(`let ${stmt.variable.name} = ${indexText(stmt.value)};`);
      case "bindValue": {
        const { name, max } = stmt.variable;
        return this.#line(`let ${name} = u32(clamp(${this.#value(stmt.value, "i32", 1)}, 0, ${max}));`, stmt.nodes);
      }
      case "store":
        return this.#store(stmt);
      case "fetchAtomic": {
        const { takes, reg, buffer, index, value } = stmt;
        const cell = `${buffer.name}[${indexText(index)}]`;
        return this.#line(`let ${reg.name} = ${ATOMIC[takes]}(&${cell}, ${this.#value(value, "i32", 1)});`, stmt.nodes);
      }
      case "storePair": {
        const [a, b] = stmt.values.map((value) => this.#value(value, value.scalar, 1));
        this.#need("to_half", 1, null);
        return this.#line(this.#packed!.storePair(stmt.buffer, stmt.index, [a!, b!]), stmt.nodes);
      }
      case "storeShared": {
        const lane = stmt.lane ? `[${indexText(stmt.lane)}]` : "";
        const value = this.#value(stmt.value, stmt.array.scalar, stmt.lane ? 1 : stmt.array.width);
        const cell = `${cellText(stmt)}${lane}`;
        return this.#line(stmt.array.counts ? `atomicStore(&${cell}, ${value});` : `${cell} = ${value};`, stmt.nodes);
      }
      case "addShared":
        return this.#line(`atomicAdd(&${cellText(stmt)}, ${this.#value(stmt.value, "i32", 1)});`, stmt.nodes);
      case "takeNumber":
        if (!this.#helpers.has(stmt.name)) this.#helpers.set(stmt.name, takeNumberText(stmt));
        return this.#line(`let ${stmt.reg.name} = ${takenText(stmt)};`, stmt.nodes);
      case "foldShared": {
        const { array, def, into, from } = stmt;
        const [cell, other] = [cellText({ array, index: into }), cellText({ array, index: from })];
        const both = def.reduce!.combine.wgsl(cell, other, this.#type(def, array.scalar, 1));
        return this.#line(assignText(cell, both), stmt.nodes);
      }
      case "exchangePair":
        return this.#calling(stmt.sort.name, () => exchangeText(stmt.sort), exchangeLines(stmt), stmt.nodes);
      case "wait":
        return this.#calling(stmt.waiting.name, () => waitText(stmt.waiting), [waitLine(stmt, this.#one)], stmt.nodes);
      case "countWaiting": {
        const { count, known } = stmt.waiting;
        this.#line("workgroupBarrier();");
        this.#line(`if (tid == 0u) { ${known.name} = atomicLoad(&${count.name}); }`);
        const { name, max } = stmt.variable;
        return this.#line(`let ${name} = min(workgroupUniformLoad(&${known.name}), ${max}u);`);
      }
      case "retainNone":
      case "retain":
      case "takeRetained":
        return this.#calling(
          stmt.list.name,
          () => retainedText(stmt.list),
          retainingLines(stmt, this.#one),
          stmt.kind === "retainNone" ? NOBODY : stmt.nodes,
        );
      case "noneWait":
        return this.#line(`if (tid == 0u) { atomicStore(&${stmt.waiting.count.name}, 0u); }`);
      case "merge":
        return this.#merge(stmt);
      case "if":
        this.#line(`if (${condText(stmt.when)}) {`);
        this.#nested(stmt.body);
        if (stmt.otherwise.length > 0) {
          this.#line("} else {");
          this.#nested(stmt.otherwise);
        }
        return this.#line("}");
      case "for": {
        const { name } = stmt.variable;
        this.#line(`for (var ${name} = 0u; ${name} < ${stmt.count}u; ${name}++) {`);
        this.#nested(stmt.body);
        return this.#line("}");
      }
      case "halve": {
        const { name } = stmt.variable;
        this.#line(`for (var ${name} = ${indexText(stmt.from)}; ${name} > 0u; ${name} /= 2u) {`);
        this.#nested(stmt.body);
        return this.#line("}");
      }
      case "range": {
        const { name } = stmt.variable;
        const next = stmt.step === 1 ? `${name}++` : `${name} += ${stmt.step}u`;
        this.#line(`for (var ${name} = ${indexText(stmt.from)}; ${name} < ${indexText(stmt.limit)}; ${next}) {`);
        this.#nested(stmt.body);
        return this.#line("}");
      }
      case "subgroups":
        this.#line(`let ${stmt.peers.name} = min(subgroup_size, ${stmt.threads}u);`);
        this.#line(`let ${stmt.own.name} = tid / ${stmt.peers.name};`);
        return this.#line(`let ${stmt.count.name} = ${stmt.threads}u / ${stmt.peers.name};`);
      case "double": {
        const { name } = stmt.variable;
        this.#line(`for (var ${name} = 1u; ${name} < ${indexText(stmt.limit)}; ${name} *= 2u) {`);
        this.#nested(stmt.body);
        return this.#line("}");
      }
      case "barrier":
        return this.#line("workgroupBarrier();");
      case "guard":
        return this.#line(`if (${unlessText(stmt.when)}) { return; }`);
      case "comment":
        return this.#line(`// ${stmt.text}`);
    }
  }

  /** One of four neighbours is written where it is used. */
  #isSpelled({ reg, value }: Extract<Stmt, { kind: "let" }>): boolean {
    const one = value.kind === "part" && value.a.kind === "reg" && value.a.width === 4 && !this.#vars.has(value.a.id);
    if (one) this.#spelled.set(reg.id, this.#expr(value, reg.scalar, 1));
    return one;
  }

  /** A value by itself. */
  readonly #one = (value: Value): string => this.#value(value, value.scalar, 1);

  /** Lines that call a function of their own, which is written once. */
  #calling(name: string, text: () => string, lines: readonly string[], nodes = NOBODY): void {
    if (!this.#helpers.has(name)) this.#helpers.set(name, text());
    for (const line of lines) this.#line(line, nodes);
  }

  #merge({ variable, values, name, key, attrs, nodes, ...at }: Extract<Stmt, { kind: "merge" }>): void {
    const { dtype } = values.type;
    const keyAt = (at_: string): string =>
      key.scalar!.wgsl([`${values.name}[${at_}]`], attrs, this.#type(key, "key", 1, dtype));
    if (!this.#helpers.has(name)) this.#helpers.set(name, mergeText(name, searchSteps(at.left), keyAt));
    const asked = [at.start, at.left, at.right, at.at].map(indexText).join(", ");
    this.#line(`let ${variable.name} = ${name}(${asked});`, nodes);
  }

  #store({ buffer, index, value, width, nodes }: Extract<Stmt, { kind: "store" }>): void {
    const { dtype } = buffer.type;
    let text = this.#value(value, value.scalar, width);
    if (this.#isPacked(buffer)) {
      this.#need(width === 4 ? "to_halves" : "to_half", 1, null);
      for (const line of this.#packed!.store(buffer, index, text, width)) this.#line(line, nodes);
      return;
    }
    const target = addressText(buffer, index, width);
    if (dtype === "bool") text = width === 4 ? `select(vec4u(0u), vec4u(1u), ${text})` : `select(0u, 1u, ${text})`;
    if (dtype === "f16") text = `${typeText("f16", width)}(${text})`;
    this.#line(`${target} = ${text};`, nodes);
  }

  #expr(expr: Expr, scalar: Scalar, width: Width): string {
    switch (expr.kind) {
      case "reg":
      case "literal":
        return this.#value(expr, scalar, width);
      case "op":
        return this.#op(expr, scalar, width);
      case "combine": {
        const of = (value: Value, side: 0 | 1): string =>
          expr.lanes && value.kind === "reg" && value.width === 4
            ? `${value.name}.${"xyzw"[expr.lanes[side]]}`
            : this.#value(value, scalar, width);
        return expr.def.reduce!.combine.wgsl(of(expr.a, 0), of(expr.b, 1), this.#type(expr.def, scalar, width));
      }
      case "map":
        return expr.def.reduce!.map!.wgsl(this.#value(expr.a, scalar, width), this.#type(expr.def, scalar, width));
      case "finish":
        return expr.def.reduce!.finish!.wgsl(
          this.#value(expr.a, scalar, width),
          expr.count,
          this.#type(expr.def, scalar, width),
        );
      case "load":
        return this.#load(expr, width);
      case "loadShared":
        return expr.array.counts ? `atomicLoad(&${cellText(expr)})` : cellText(expr);
      case "splat":
        return this.#value(expr.a, scalar, 4);
      case "pack":
        return `${typeText(scalar, 4)}(${expr.parts.map((part) => this.#value(part, scalar, 1)).join(", ")})`;
      case "part":
        return expr.a.kind === "reg" && expr.a.width === 4
          ? `${expr.a.name}.${"xyzw"[expr.lane]}`
          : this.#value(expr.a, scalar, 1);
      case "fma":
        return this.#fma(expr, scalar, width);
      case "select":
        return `select(${this.#value(expr.no, scalar, width)}, ${this.#value(expr.yes, scalar, width)}, ${condText(expr.when)})`;
      case "choose":
        return `select(${this.#value(expr.no, scalar, width)}, ${this.#value(expr.yes, scalar, width)}, ${this.#value(expr.when, "bool", width)})`;
      case "better":
        return this.#better(expr, width);
      case "shuffle": {
        const [given, by] = [this.#value(expr.a, scalar, width), indexText(expr.by)];
        // Registers of numbers are handed over, not of bool.
        return scalar === "bool"
          ? `subgroupShuffleXor(u32(${given}), ${by}) != 0u`
          : `subgroupShuffleXor(${given}, ${by})`;
      }
      case "convert":
        return `${typeText(expr.to, width)}(${this.#value(expr.a, expr.a.scalar, width)})`;
      case "generate":
        return expr.def.generate!.wgsl(expr.at.map(indexText), expr.attrs);
      case "index":
        return this.#indexValue(expr.index, scalar, width);
    }
  }

  #op({ def, args, attrs, index }: Extract<Expr, { kind: "op" }>, scalar: Scalar, width: Width): string {
    const texts = args.map((arg) => this.#value(arg, arg.scalar, width));
    if (index)
      texts.push(index.lane || width === 1 ? laneText(index, "vec4u", (text) => text) : `vec4u(${indexText(index)})`);
    const operand = args.find((arg) => arg.scalar !== "bool")?.scalar ?? args[0]?.scalar ?? scalar;
    const text = def.scalar!.wgsl(texts, attrs, this.#type(def, scalar, width, operand));
    return width === 4 ? this.#unspread(text, args, texts) : text;
  }

  /** `x * 0.5`: where one side of an infix operator is four numbers, WGSL spreads the other itself. */
  #unspread(text: string, args: readonly Value[], texts: readonly string[]): string {
    const narrow = args.map((arg) => arg.kind === "literal" || arg.width === 1);
    const sign = texts.length === 2 ? ["+", "-", "*", "/"].find((each) => text === texts.join(` ${each} `)) : undefined;
    if (!sign || narrow[0] === narrow[1]) return text;
    return args.map((arg, i) => (narrow[i] ? this.#value(arg, arg.scalar, 1) : texts[i]!)).join(` ${sign} `);
  }

  #fma({ a, lane, b, c }: Extract<Expr, { kind: "fma" }>, scalar: Scalar, width: Width): string {
    let left = this.#value(a, scalar, lane === null ? width : 1);
    if (lane !== null && a.kind === "reg") left = `${a.name}.${"xyzw"[lane]}`;
    if (lane !== null && width === 4) left = `${VECTOR[scalar]}(${left})`;
    const [right, sum] = [this.#value(b, scalar, width), this.#value(c, scalar, width)];
    return scalar === "f32" ? `fma(${left}, ${right}, ${sum})` : `${left} * ${right} + ${sum}`;
  }

  #better({ def, a, b, ia, ib }: Extract<Expr, { kind: "better" }>, width: Width): string {
    const value = (of: Value): string => this.#value(of, of.scalar, width);
    const [rank, t] = [def.reduce!.arg!, this.#type(def, a.scalar, width)];
    const [x, y, first] = [value(a), value(b), `${value(ia)} < ${value(ib)}`];
    const [and, or] = width === 4 ? ["&", "|"] : ["&&", "||"];
    return `${rank.wgsl(x, y, t)} ${or} (!${rank.wgsl(y, x, t)} ${and} (${first}))`;
  }

  #indexValue(index: Index, scalar: Scalar, width: Width): string {
    if (!index.lane) {
      const text = `${scalar}(${indexText(index)})`;
      return width === 4 ? `${VECTOR[scalar]}(${text})` : text;
    }
    return laneText(index, VECTOR[scalar], (text) => `${scalar}(${text})`);
  }

  #load({ buffer, index, width: own }: Extract<Expr, { kind: "load" }>, width: Width): string {
    if (this.#isPacked(buffer)) {
      if (own === 4) this.#need("from_halves", 1, null);
      const text = this.#packed!.load(buffer, index, own);
      return width === 4 && own === 1 ? `vec4f(${text})` : text;
    }
    let text = addressText(buffer, index, own);
    const { dtype } = buffer.type;
    if (dtype === "bool") text = own === 4 ? `${text} != vec4u(0u)` : `${text} != 0u`;
    if (dtype === "f16") text = `${typeText("f32", own)}(${text})`;
    return width === 4 && own === 1 ? `${typeText(dtype === "f16" ? "f32" : dtype, 4)}(${text})` : text;
  }

  /** An operand in the width of its op; scalars are written four times. */
  #value(value: Value, scalar: Scalar, width: Width): string {
    if (value.kind === "literal") return this.#type(null, scalar, width).num(value.value);
    const name = this.#spelled.get(value.id) ?? value.name;
    return width === 4 && value.width === 1 ? `${VECTOR[value.scalar]}(${name})` : name;
  }

  #type(def: OpDef | null, result: Scalar, width: Width, operand: Scalar = result): WgslType {
    const base = wgslType(SCALAR[result], width, SCALAR[operand]);
    return {
      ...base,
      num: (value) => this.#noting(base.num(value)),
      call: (helper, ...args) => {
        this.#need(helper, width, def);
        return base.call(helper, ...args);
      },
    };
  }

  /** Literals without a WGSL spelling go through a helper. */
  #noting(text: string): string {
    const called = /^(from_bits)(4?)\(/.exec(text);
    if (called) this.#need(called[1]!, called[2] === "4" ? 4 : 1, null);
    return text;
  }

  #need(name: string, width: Width, def: OpDef | null): void {
    const key = `${name}${width}`;
    if (this.#helpers.has(key)) return;
    const helper = def?.scalar?.helpers?.find((h) => h.name === name) ?? helperNamed(name);
    this.#helpers.set(key, "");
    const t = this.#type(def, "f32", width);
    const needs = typeof helper.needs === "function" ? helper.needs(t) : (helper.needs ?? []);
    for (const other of needs) this.#need(other, width, def);
    const text = helper.wgsl(t);
    this.#helpers.delete(key);
    this.#helpers.set(key, text);
  }
}

function helperNamed(name: string): WgslHelper {
  const found = wgslHelpers().get(name);
  if (!found) throw bug(`no WGSL helper ${name}`);
  return found;
}

/** `sum += x;` */
function assignText(target: string, text: string): string {
  const added = text.startsWith(`${target} + `) ? text.slice(target.length + 3) : "";
  return /^\w+(?:\[[^[\]]*\])?$/.test(added) ? `${target} += ${added};` : `${target} = ${text};`;
}

/** `x[i]`, or one component of a buffer that is bound in fours. */
function addressText(buffer: Buffer, index: Index, width: Width): string {
  if (buffer.width === 1) return `${buffer.name}[${indexText(index)}]`;
  if (width === 4) return `${buffer.name}[${quarterText(index)}]`;
  if (index.terms.length === 0)
    return `${buffer.name}[${Math.floor(index.constant / 4)}u].${"xyzw"[index.constant % 4]}`;
  if (index.terms.every((term) => term.by % 4 === 0)) {
    const rest = index.constant - 4 * Math.floor(index.constant / 4);
    return `${buffer.name}[${quarterText({ ...index, constant: index.constant - rest })}].${"xyzw"[rest]}`;
  }
  return `${buffer.name}[${factorText(index)} / 4u][${factorText(index)} % 4u]`;
}

const quarterText = (index: Index): string =>
  indexText({
    ...index,
    constant: index.constant / 4,
    terms: index.terms.map((term) => ({ atom: term.atom, by: term.by / 4 })),
  });

/** Only the builtins that the body names. */
function builtinsText(body: string): string {
  const used = [
    /\bgid\b/.test(body) ? "@builtin(global_invocation_id) gid: vec3u" : "",
    /\bwid\b/.test(body) ? "@builtin(workgroup_id) wid: vec3u" : "",
    /\btid\b/.test(body) ? "@builtin(local_invocation_index) tid: u32" : "",
    /\bsubgroup_size\b/.test(body) ? "@builtin(subgroup_size) subgroup_size: u32" : "",
    /\bsubgroup_lane\b/.test(body) ? "@builtin(subgroup_invocation_id) subgroup_lane: u32" : "",
  ].filter((text) => text !== "");
  return used.length <= 1 ? used.join("") : used.join(", ");
}

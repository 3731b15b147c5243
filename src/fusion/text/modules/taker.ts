/** @file Reads one class: its sizes, the weights of its layers, and its methods without self. */
import type { TextEdit } from "../../ir";
import type { Argument, ClassStatement, DefStatement, Expr, ParamDecl, Statement } from "../syntax";
import { bare, bodiesOf, everyStatement, rootsOf, walk } from "../syntax";
import { LAYERS, usualValue, type Layer, type LayerArgs } from "./layers";

/** What `self.name` stands for. */
type Member =
  | { readonly kind: "layer"; readonly layer: Layer; readonly args: LayerArgs }
  | { readonly kind: "module"; readonly of: Taken }
  | { readonly kind: "sequence"; readonly input: string | null }
  | { readonly kind: "value" };

/** One class with its constants, weights and methods written out. */
export interface Taken {
  readonly lines: readonly string[];
  /** Type of the first input of its forward(), where it shows. */
  readonly input: string | null;
  readonly forward: DefStatement | null;
}

const DEEPEST = 8;
/** Of a list of equal layers, so many are written out. */
const MOST_LAYERS = 12;
const isSelf = (expr: Expr): boolean => expr.kind === "name" && expr.name === "self";
export const lastName = (expr: Expr): string =>
  expr.kind === "name" ? expr.name : expr.kind === "member" ? expr.name.text : "";
export const methodOf = ({ body }: ClassStatement, name: string): DefStatement | null =>
  body.find((each) => each.kind === "def" && each.name.text === name) as DefStatement | null ?? null; // prettier-ignore

/** Reads one class; `prefix` sets its names apart from the outer class's. */
class Taker {
  readonly lines: string[] = [];
  private readonly members = new Map<string, Member>();
  /** Names of the __init__ that became constants of the program. */
  private readonly constants = new Map<string, string>();
  /** Parameters that hold settings, `config.n_embd`: their fields are constants that all classes share. */
  private readonly configs = new Set<string>();
  private readonly text: string;
  private readonly classes: ReadonlyMap<string, ClassStatement>;
  private readonly prefix: string;
  private readonly depth: number;
  private readonly shared: Map<string, string>;
  /** Variables of comprehensions that are being written out. */
  private readonly turns = new Map<string, number>();

  constructor({ text, classes, shared }: Source, prefix: string, depth: number) {
    this.text = text;
    this.classes = classes;
    this.shared = shared;
    this.prefix = prefix;
    this.depth = depth;
  }

  source({ span }: Expr): string {
    return this.text.slice(span.from, span.to);
  }

  /** `expr`'s source with names of the class replaced by the program's. */
  private said(expr: Expr): string {
    return applied(this.source(expr), expr.span.from, this.renames([expr]));
  }

  private own = (name: string): string => this.prefix + name;

  /** Edits that make `self.x`, parameters and `config.x` names of the program. */
  private renames(roots: readonly Expr[]): TextEdit[] {
    const edits: TextEdit[] = [];
    for (const expr of roots.flatMap((root) => [...walk(root)])) {
      if (expr.kind === "member" && expr.object.kind === "name") {
        const { name: object } = expr.object;
        const { text: name } = expr.name;
        const known = this.constants.has(name) || this.members.has(name);
        if (object === "self" && name === "training") edits.push({ span: expr.span, insert: "False" });
        else if (object === "self" && known) edits.push({ span: expr.span, insert: this.own(name) });
        else if (this.configs.has(object)) edits.push({ span: expr.span, insert: name });
      } else if (expr.kind === "name" && this.turns.has(expr.name)) {
        edits.push({ span: expr.span, insert: String(this.turns.get(expr.name)) });
      } else if (expr.kind === "name" && this.constants.get(expr.name) === "parameter") {
        edits.push({ span: expr.span, insert: this.own(expr.name) });
      }
    }
    return edits;
  }

  /** What a name comes to, through names of other classes. */
  private settled(source: string): string {
    let now = source;
    for (let i = 0; i <= DEEPEST && this.shared.has(now); i++) now = this.shared.get(now)!;
    return now;
  }

  private constant(name: string, value: string, kind: "parameter" | "member"): void {
    const own = this.own(name);
    if (value !== own) this.lines.push(`${own} = ${value}`);
    this.constants.set(name, kind);
    this.shared.set(own, value);
  }

  /** Sizes: arguments, defaults, or what such a size usually is. */
  init(made: ClassStatement, args: readonly (readonly [name: string | null, source: string])[]): void {
    const init = methodOf(made, "__init__");
    const params = (init?.params ?? []).filter(({ name }) => name.text !== "self");
    const given = new Map(args.map(([name, source], i) => [name ?? params[i]?.name.text ?? "", source]));
    for (const param of params) this.parameter(param, given.get(param.name.text), init!);
    for (const statement of init?.body ?? []) this.initStatement(statement);
  }

  private parameter({ name: { text: name }, value }: ParamDecl, given: string | undefined, init: DefStatement): void {
    const fields = new Set<string>();
    for (const root of [...everyStatement(init.body)].flatMap(rootsOf)) {
      for (const expr of walk(root))
        if (expr.kind === "member" && expr.object.kind === "name" && expr.object.name === name)
          fields.add(expr.name.text);
    }
    if (fields.size === 0)
      return this.constant(name, given ?? (value ? this.source(value) : usualValue(name)), "parameter");
    this.configs.add(name);
    const defaults = this.fieldDefaults();
    for (const field of fields) {
      if (this.shared.has(field)) continue;
      this.shared.set(field, defaults.get(field) ?? usualValue(field));
      this.lines.push(`${field} = ${this.shared.get(field)!}`);
    }
  }

  /** `n_embd: int = 768` of a class that only holds settings. */
  private fieldDefaults(): Map<string, string> {
    const found = new Map<string, string>();
    for (const { body } of this.classes.values()) {
      for (const statement of body) {
        const target = statement.kind === "assign" ? statement.targets[0] : undefined;
        if (statement.kind === "assign" && statement.value && target?.kind === "name")
          found.set(target.name, this.source(statement.value));
      }
    }
    return found;
  }

  private initStatement(statement: Statement): void {
    if (statement.kind === "assign" && statement.value) {
      const target = bare(statement.targets[0]!);
      if (target.kind === "member" && isSelf(target.object))
        return this.member(target.name.text, bare(statement.value));
      if (target.kind === "name") return this.constant(target.name, this.said(statement.value), "parameter");
    }
    if (statement.kind === "pass") return;
    const call = statement.kind === "expression" ? bare(statement.value) : null;
    if (call?.kind === "string") return;
    const callee = call?.kind === "call" ? lastName(bare(call.callee)) : "";
    if (callee === "__init__") return;
    if (callee === "register_buffer" && call?.kind === "call") {
      const [name, value] = call.args.map((arg) => bare(arg.value));
      if (name?.kind === "string" && value) return this.member(name.value, value);
    }
    this.leave(statement.span);
  }

  /** What is not understood stays, as a comment. */
  private leave({ from, to }: { readonly from: number; readonly to: number }): void {
    for (const line of this.text.slice(from, to).split("\n")) this.lines.push(`# not taken over: ${line.trim()}`);
  }

  private member(name: string, value: Expr): void {
    const call = value.kind === "conditional" ? bare(value.whenTrue) : value;
    const made = call.kind === "call" ? this.made(this.own(name), call) : null;
    if (made) {
      this.members.set(name, made);
      return;
    }
    this.constant(name, this.said(value), "member");
    this.members.set(name, { kind: "value" });
  }

  /** The layer, module or weight that a call in __init__ makes; null for any other value. */
  private made(name: string, call: Extract<Expr, { kind: "call" }>): Member | null {
    const what = lastName(bare(call.callee));
    const args = call.args.map((arg) => [arg.name?.text ?? null, this.said(arg.value)] as const);
    const inner = this.classes.get(what);
    const layer = inner ? undefined : LAYERS.get(what);
    if (layer) return { kind: "layer", layer, args: this.weights(name, layer, args) };
    if (what === "Parameter") {
      const shape = [...walk(call)].find((each) => each.kind === "call" && each !== call);
      const sizes =
        shape?.kind === "call" ? shape.args.filter((arg) => !arg.name).map((arg) => this.said(arg.value)) : [];
      this.lines.push(`${name}: f32[${sizes.join(", ").replaceAll(/[()]|,\s*\)/g, "")}] = param()`);
      return { kind: "value" };
    }
    if (what === "Sequential") return this.sequence(name, call);
    if (what === "ModuleList") return this.list(name, call);
    if (!inner || this.depth >= DEEPEST || !methodOf(inner, "forward")) return null;
    const of = take(
      { text: this.text, classes: this.classes, shared: this.shared },
      { made: inner, name, prefix: `${name}_`, args, depth: this.depth + 1 },
    );
    this.lines.push(...of.lines);
    return { kind: "module", of };
  }

  private weights(name: string, layer: Layer, given: readonly (readonly [string | null, string])[]): LayerArgs {
    const args = new Map<string, string>();
    for (const param of layer.params) {
      const [key, usual] = param.split("=") as [string, string | undefined];
      if (usual !== undefined) args.set(key, usual);
    }
    given.forEach(([key, source], i) => {
      const settled = this.settled(source);
      const flag = settled === "True" || settled === "False" ? settled : source;
      args.set(key ?? layer.params[i]?.split("=")[0] ?? "", flag);
    });
    for (const { suffix, type, source } of layer.weights?.(args) ?? []) this.lines.push(`${name}_${suffix}: ${type} = ${source}`); // prettier-ignore
    return args;
  }

  /** Items of a list, or of a comprehension over range(n) with a known n: each with the number that its variable is. */
  private *elements(args: readonly Argument[]): Generator<readonly [item: Expr, variable: string, number: number]> {
    for (const arg of args) {
      const expr = bare(arg.value);
      if (expr.kind === "list" || expr.kind === "tuple") for (const item of expr.items) yield [bare(item), "", 0];
      else if (expr.kind !== "comprehension") yield [expr, "", 0];
      else {
        const range = bare(expr.iterable);
        const bound = range.kind === "call" && range.args.length === 1 ? this.said(range.args[0]!.value) : "";
        const count = Number(this.settled(bound));
        const variable = lastName(expr.target);
        for (let i = 0; i < Math.min(count, MOST_LAYERS); i++) yield [bare(expr.element), variable, i];
      }
    }
  }

  /** `nn.ModuleList([…])`: a tuple of defs. */
  private list(name: string, call: Extract<Expr, { kind: "call" }>): Member {
    const names: string[] = [];
    for (const [item, variable, number] of this.elements(call.args)) {
      const own = `${name}_${names.length}`;
      this.turns.set(variable, number);
      const part = item.kind === "call" ? this.made(own, item) : null;
      if (part && part.kind !== "module" && part.kind !== "sequence") {
        this.lines.push("", `def ${own}(x):`, `    return ${callOf(own, part, "x")}`, "");
      } else if (!part) this.lines.push(`# not taken over: ${this.source(item)}`);
      names.push(own);
    }
    this.lines.push("", `${name} = (${names.join(", ")}${names.length === 1 ? "," : ""})`);
    return { kind: "value" };
  }

  /** `nn.Sequential(a, b)`: a def that applies one after the other. */
  private sequence(name: string, call: Extract<Expr, { kind: "call" }>): Member {
    const body: string[] = [];
    let input: string | null = null;
    let i = -1;
    for (const [each, variable, number] of this.elements(call.args)) {
      i++;
      this.turns.set(variable, number);
      const part = each.kind === "call" ? this.made(`${name}_${i}`, each) : null;
      if (!part) body.push(`    # not taken over: ${this.source(each)}`);
      else body.push(`    x = ${callOf(`${name}_${i}`, part, "x")}`);
      if (part) input ??= inputOf(part);
    }
    this.lines.push("", `def ${name}(x):`, ...body, "    return x", "");
    return { kind: "sequence", input };
  }

  /** forward() and what it calls, as defs without self. */
  methods(made: ClassStatement, name: string): void {
    const defs = made.body.filter((each) => each.kind === "def" && each.name.text !== "__init__") as DefStatement[];
    const order = defs.toSorted((a, b) => Number(a.name.text === "forward") - Number(b.name.text === "forward"));
    for (const def of order) this.lines.push("", ...this.written(def, def.name.text === "forward" ? name : this.own(def.name.text), defs)); // prettier-ignore
  }

  private written(def: DefStatement, name: string, methods: readonly DefStatement[]): readonly string[] {
    const roots = [...everyStatement(def.body)].flatMap(rootsOf);
    const callees = new Set<Expr>();
    const edits: TextEdit[] = [];
    for (const expr of roots.flatMap((root) => [...walk(root)])) {
      if (expr.kind !== "call" || expr.callee.kind !== "member" || !isSelf(expr.callee.object)) continue;
      const called = expr.callee.name.text;
      const member = this.members.get(called);
      const own = methods.some((each) => each.name.text === called);
      if (!member && !own) continue;
      callees.add(expr.callee);
      const [callee, rest] = member ? calleeOf(this.own(called), member) : [this.own(called), ""];
      edits.push({ span: expr.callee.span, insert: callee });
      if (rest !== "") edits.push({ span: { from: expr.close, to: expr.close }, insert: rest });
    }
    const inCallee = (edit: TextEdit): boolean => [...callees].some(({ span }) => span.from === edit.span.from);
    const shadowed = new Set(def.params.map((param) => param.name.text));
    const renames = this.renames(roots).filter((edit) => !inCallee(edit) && !shadowed.has(this.text.slice(edit.span.from, edit.span.to))); // prettier-ignore
    const params = def.params.filter((param) => param.name.text !== "self").map(({ name: { text }, value }) => (value ? `${text}=${this.source(value)}` : text)); // prettier-ignore
    const start = this.text.indexOf("\n", def.paramsSpan.to) + 1;
    const from = start > 0 && start <= def.body[0]!.span.from ? start : def.body[0]!.span.from;
    const body = applied(this.text.slice(from, def.span.to), from, [...edits, ...renames]).split("\n");
    const depth = Math.min(...body.filter((line) => line.trim() !== "").map((line) => /^\s*/.exec(line)![0].length));
    return [`def ${name}(${params.join(", ")}):`, ...body.map((line) => (line.trim() === "" ? "" : `    ${line.slice(depth)}`))]; // prettier-ignore
  }

  /** Type of the first input: what the first layer that reads it takes. */
  input(forward: DefStatement | null): string | null {
    const first = forward?.params.find((param) => param.name.text !== "self")?.name.text;
    if (!forward || first === undefined) return null;
    const bodies = [forward, ...[...everyStatement(forward.body)].filter((each) => bodiesOf(each).length > 0)];
    const roots = bodies.flatMap((each) => bodiesOf(each).flat()).flatMap(rootsOf);
    for (const expr of roots.flatMap((root) => [...walk(root)])) {
      if (expr.kind !== "call" || expr.callee.kind !== "member" || !isSelf(expr.callee.object)) continue;
      const member = this.members.get(expr.callee.name.text);
      const reads = expr.args.some((arg) => arg.value.kind === "name" && arg.value.name === first);
      const found = member && reads ? inputOf(member) : null;
      if (found) return found;
    }
    return null;
  }
}

const inputOf = (member: Member): string | null => {
  if (member.kind === "layer") return member.layer.input?.(member.args) ?? null;
  if (member.kind === "module") return member.of.input;
  return member.kind === "sequence" ? member.input : null;
};

/** What replaces `self.name`, and what follows its arguments. */
function calleeOf(name: string, member: Member): readonly [callee: string, rest: string] {
  if (member.kind !== "layer") return [name, ""];
  const { layer, args } = member;
  const weights = layer.weights?.(args).map(({ suffix }) => `${name}_${suffix}`) ?? [];
  const rest = [...(layer.first?.(args) ?? []), ...weights, ...(layer.last?.(args) ?? [])];
  return [layer.op, rest.map((part) => `, ${part}`).join("")];
}

function callOf(name: string, member: Member, argument: string): string {
  const [callee, rest] = calleeOf(name, member);
  return callee === "" ? argument : `${callee}(${argument}${rest})`;
}

/** `source`, which starts at `offset`, after the edits. */
function applied(source: string, offset: number, edits: readonly TextEdit[]): string {
  let text = source;
  for (const { span, insert } of edits.toSorted((a, b) => b.span.from - a.span.from)) {
    if (span.from >= offset && span.to <= offset + source.length)
      text = text.slice(0, span.from - offset) + insert + text.slice(span.to - offset);
  }
  return text;
}

export interface Source {
  readonly text: string;
  readonly classes: ReadonlyMap<string, ClassStatement>;
  /** What every constant of the program is, by its name there. */
  readonly shared: Map<string, string>;
}

export interface Wish {
  readonly made: ClassStatement;
  readonly name: string;
  readonly prefix: string;
  readonly args: readonly (readonly [name: string | null, source: string])[];
  readonly depth: number;
}

export function take(source: Source, { made, name, prefix, args, depth }: Wish): Taken {
  // prettier-ignore
  const taker = new Taker(source, prefix, depth);
  taker.init(made, args);
  taker.methods(made, name);
  const forward = methodOf(made, "forward");
  return { lines: taker.lines, input: taker.input(forward), forward };
}

/** @file Reads one class: its sizes, the weights of its layers, and its methods without self. */
import type { TextEdit } from "../../ir";
import type { Argument, CallExpr, ClassStatement, DefStatement, Expr, ForStatement, IfStatement, ParamDecl, Statement } from "../syntax"; // prettier-ignore
import { bare, everyStatement, rootsOf, walk } from "../syntax";
import { ACTIVATIONS, LAYERS, usualValue, type Layer, type LayerArgs } from "./layers";
import { applied, chainOf, inputOf, isSelf, keptAs, lastName, tupleOf, type Member, type Part } from "./members";
import { firstInput, forwardOf, methodOf, writtenMethods } from "./methods";

/** One class with its constants, weights and methods written out. */
export interface Taken {
  readonly lines: readonly string[];
  /** Type of the first input of its forward(), where it shows. */
  readonly input: string | null;
}

export interface Source {
  readonly text: string;
  readonly classes: ReadonlyMap<string, ClassStatement>;
  /** What every constant of the program is, by its name there. */
  readonly shared: Map<string, string>;
  /** The number that an expression over those constants is, or null. */
  readonly number: (source: string) => number | null;
}

export interface Wish {
  readonly made: ClassStatement;
  readonly name: string;
  readonly prefix: string;
  readonly args: Given;
  readonly depth: number;
}

/** Arguments of a call as the program says them. */
type Given = readonly (readonly [name: string | null, source: string])[];

const DEEPEST = 8;
/** Of a list of equal layers, so many are written out. */
const MOST_LAYERS = 12;
/** Reads one class; `prefix` sets its names apart from the outer class's. */
class Taker {
  readonly lines: string[] = [];
  readonly members = new Map<string, Member>();
  /** Names of the __init__ that became constants of the program. */
  private readonly constants = new Map<string, "parameter" | "member">();
  /** Constants of the program that names of this class are. */
  private readonly aliases = new Map<string, string>();
  /** Parameters that hold settings, `config.n_embd`: their fields are constants that all classes share. */
  private readonly configs = new Set<string>();
  /** Python lists that __init__ fills before it makes a module of them. */
  private readonly locals = new Map<string, Part[]>();
  private readonly source: Source;
  private readonly wish: Wish;
  /** Variables of loops that are being written out, by the source of what they are. */
  private readonly turns = new Map<string, string>();

  constructor(source: Source, wish: Wish) {
    this.source = source;
    this.wish = wish;
  }

  private sourceOf = ({ span }: Expr): string => this.source.text.slice(span.from, span.to);

  /** `expr`'s source with names of the class replaced by the program's. */
  private said(expr: Expr): string {
    return applied(this.sourceOf(expr), expr.span.from, this.renames([expr]));
  }

  readonly own = (name: string): string => this.aliases.get(name) ?? this.wish.prefix + name;

  /** Edits that make `self.x`, parameters and `config.x` names of the program. */
  readonly renames = (roots: readonly Expr[]): TextEdit[] => {
    const edits: TextEdit[] = [];
    for (const expr of roots.flatMap((root) => [...walk(root)])) {
      if (expr.kind === "member" && this.isConfig(expr.object)) {
        edits.push({ span: expr.span, insert: expr.name.text });
      } else if (expr.kind === "member" && expr.object.kind === "name") {
        const { name: object } = expr.object;
        const { text: name } = expr.name;
        const known = this.constants.has(name) || this.members.has(name);
        const own = object === "self" || object === this.wish.made.name.text;
        if (object === "self" && name === "training") edits.push({ span: expr.span, insert: "False" });
        else if (own && known) edits.push({ span: expr.span, insert: this.own(name) });
      } else if (expr.kind === "name" && this.turns.has(expr.name)) {
        edits.push({ span: expr.span, insert: this.turns.get(expr.name)! });
      } else if (expr.kind === "name" && this.constants.get(expr.name) === "parameter") {
        edits.push({ span: expr.span, insert: this.own(expr.name) });
      }
    }
    return edits;
  };

  /** `config`, or `self.config` that is the same. */
  private isConfig(expr: Expr): boolean {
    if (expr.kind === "name") return this.configs.has(expr.name);
    return expr.kind === "member" && isSelf(expr.object) && this.configs.has(`self.${expr.name.text}`);
  }

  /** What a name comes to, through names of other classes. */
  private settled(source: string): string {
    let now = source;
    for (let i = 0; i <= DEEPEST && this.source.shared.has(now); i++) now = this.source.shared.get(now)!;
    return now;
  }

  private constant(name: string, value: string, kind: "parameter" | "member"): void {
    const own = this.own(name);
    this.constants.set(name, kind);
    if (this.source.shared.has(value)) {
      this.aliases.set(name, value);
      return;
    }
    this.lines.push(`${own} = ${value}`);
    this.source.shared.set(own, value);
  }

  /** Sizes: arguments, defaults, or what such a size usually is. */
  init(): void {
    const { made, args } = this.wish;
    for (const each of made.body) {
      const target = each.kind === "assign" && each.value ? bare(each.targets[0]!) : null;
      if (each.kind === "assign" && target?.kind === "name") this.constant(target.name, this.said(each.value!), "member"); // prettier-ignore
    }
    const init = methodOf(made, "__init__");
    const params = (init?.params ?? []).filter(({ name }) => name.text !== "self");
    const given = new Map(args.map(([name, source], i) => [name ?? params[i]?.name.text ?? "", source]));
    for (const param of params) this.parameter(param, given.get(param.name.text), init!);
    this.initBody(init?.body ?? []);
    for (const [name, member] of this.members)
      if (member.kind === "list") this.lines.push(...tupleOf(this.own(name), member.parts));
  }

  private parameter({ name: { text: name }, value }: ParamDecl, given: string | undefined, init: DefStatement): void {
    const kept = [...everyStatement(init.body)].flatMap((each) => keptAs(each, name));
    const whole = this.wish.made.body.flatMap((each) => (each.kind === "def" ? [...everyStatement(each.body)] : []));
    const fields = new Set<string>();
    for (const expr of whole.flatMap(rootsOf).flatMap((root) => [...walk(root)])) {
      if (expr.kind !== "member") continue;
      const { object } = expr;
      const own = object.kind === "name" && object.name === name;
      if (own || (object.kind === "member" && isSelf(object.object) && kept.includes(object.name.text))) fields.add(expr.name.text); // prettier-ignore
    }
    if (fields.size === 0)
      return this.constant(name, given ?? (value ? this.sourceOf(value) : usualValue(name)), "parameter");
    for (const config of [name, ...kept.map((each) => `self.${each}`)]) this.configs.add(config);
    const defaults = this.fieldDefaults();
    for (const field of fields) {
      if (this.source.shared.has(field)) continue;
      this.source.shared.set(field, defaults.get(field) ?? usualValue(field));
      this.lines.push(`${field} = ${this.source.shared.get(field)!}`);
    }
  }

  /** `n_embd: int = 768` of a class that only holds settings. */
  private fieldDefaults(): Map<string, string> {
    const found = new Map<string, string>();
    for (const { body } of this.source.classes.values()) {
      for (const statement of body) {
        const target = statement.kind === "assign" ? statement.targets[0] : undefined;
        if (statement.kind === "assign" && statement.value && target?.kind === "name")
          found.set(target.name, this.sourceOf(statement.value));
      }
    }
    return found;
  }

  private initBody(body: readonly Statement[]): void {
    for (const statement of body) this.initStatement(statement);
  }

  private initStatement(statement: Statement): void {
    switch (statement.kind) {
      case "pass":
        return;
      case "if":
        return this.branch(statement);
      case "for":
        return this.loop(statement);
      case "assign":
        if (statement.value && this.assigned(bare(statement.targets[0]!), bare(statement.value))) return;
        return this.leave(statement);
      case "update":
        if (statement.op === "+" && this.appended(bare(statement.target), [{ value: statement.value, starred: true }])) return; // prettier-ignore
        return this.leave(statement);
      case "expression":
        if (!this.understood(bare(statement.value))) this.leave(statement);
        return;
      case "def":
      case "class":
      case "return":
      case "bad":
        this.leave(statement);
    }
  }

  /** `self.name = …` or `name = …`. */
  private assigned(target: Expr, value: Expr): boolean {
    if (target.kind === "member" && isSelf(target.object)) this.member(target.name.text, value);
    else if (target.kind !== "name") return false;
    else if (value.kind === "list") this.locals.set(target.name, this.partsOf(this.own(target.name), [{ value }]));
    else this.constant(target.name, this.said(value), "parameter");
    return true;
  }

  /** A line of __init__ that is a call: super(), register_buffer(), append(). Whether it was understood. */
  private understood(call: Expr): boolean {
    if (call.kind === "string") return true;
    if (call.kind !== "call") return false;
    const callee = bare(call.callee);
    const name = lastName(callee);
    if (name === "__init__") return true;
    const [first, second] = call.args.map((arg) => bare(arg.value));
    if (name === "register_buffer" && first?.kind === "string" && second) {
      this.member(first.value, second);
      return true;
    }
    if (callee.kind !== "member" || !first) return false;
    if (name === "append") return this.appended(callee.object, call.args.slice(0, 1));
    if (name === "extend") return this.appended(callee.object, [{ value: first, starred: true }]);
    return name === "add_module" && second !== undefined && this.appended(callee.object, [{ value: second }]);
  }

  /** Adds modules to `self.list` or to a Python list; whether there is one. */
  private appended(list: Expr, args: readonly Pick<Argument, "value" | "starred">[]): boolean {
    const member = list.kind === "member" && isSelf(list.object) ? this.members.get(list.name.text) : undefined;
    const parts = list.kind === "name" ? this.locals.get(list.name) : member?.kind === "list" ? member.parts : undefined; // prettier-ignore
    if (!parts) return false;
    parts.push(...this.partsOf(this.own(lastName(list)), args, parts.length));
    return true;
  }

  /** Whether `test` holds; null when that is not known before the program runs. */
  private holds(test: Expr): boolean | null {
    const known = this.source.number(`1 if (${this.said(test)}) else 0`);
    return known === null ? null : known === 1;
  }

  private branch(statement: IfStatement): void {
    for (const { test, body } of statement.branches) {
      const holds = this.holds(test);
      if (holds === null) return this.leave(statement);
      if (holds) return this.initBody(body);
    }
    this.initBody(statement.otherwise);
  }

  /** What `target` is in each turn over `iterable`, as source by variable; null where the turns are not known. */
  private turnsOf(target: Expr, iterable: Expr): readonly (readonly (readonly [string, string])[])[] | null {
    const over = this.said(iterable);
    const count = this.source.number(`len(tuple(${over}))`);
    if (count === null) return null;
    const names = target.kind === "tuple" || target.kind === "list" ? target.items.map(bare) : [target];
    const said = (from: string): string => this.source.number(from)?.toString() ?? from;
    return Array.from({ length: Math.min(count, MOST_LAYERS) }, (_, i) => names.map((name, k) => [lastName(name), said(names.length > 1 ? `tuple(${over})[${i}][${k}]` : `tuple(${over})[${i}]`)] as const)); // prettier-ignore
  }

  private loop(statement: ForStatement): void {
    const turns = this.turnsOf(bare(statement.target), bare(statement.iterable));
    if (!turns) return this.leave(statement);
    for (const turn of turns) {
      for (const [variable, source] of turn) this.turns.set(variable, source);
      this.initBody(statement.body);
    }
    for (const [variable] of turns[0] ?? []) this.turns.delete(variable);
  }

  /** What is not understood stays, as a comment. */
  private leave({ span: { from, to } }: Statement): void {
    for (const line of this.source.text.slice(from, to).split("\n")) this.lines.push(`# not taken over: ${line.trim()}`); // prettier-ignore
  }

  private member(name: string, value: Expr): void {
    if (this.configs.has(`self.${name}`)) return;
    const settled = value.kind === "conditional" ? (this.holds(value.test) === false ? value.whenFalse : value.whenTrue) : value; // prettier-ignore
    const made = this.made(this.own(name), bare(settled));
    if (made) {
      this.members.set(name, made);
      return;
    }
    this.constant(name, this.said(value), "member");
    this.members.set(name, { kind: "value" });
  }

  /** Name of what is called, and arguments that go with it, where a parameter says which: `norm_layer(dim)`. */
  private called(callee: Expr): readonly [what: string, given: Given] {
    const name = lastName(callee);
    if (callee.kind !== "name" || !this.constants.has(name)) return [name, []];
    const [, what, more] = /^(?:(?:functools\.)?partial\()?(?:\w+\.)*(\w+)(.*?)\)?$/.exec(this.settled(this.own(name))) ?? []; // prettier-ignore
    const given = [...(more ?? "").matchAll(/(\w+)=([^,()]+)/g)].map(([, key, source]) => [key!, source!] as const);
    return [what ?? name, given];
  }

  /** The layer, module or weight that an expression of __init__ makes; null for any other value. */
  private made(name: string, value: Expr): Member | null {
    if (value.kind === "subscript" && lastName(value.object) === "ACT2FN" && value.indices[0]?.kind === "at") {
      const layer = ACTIVATIONS.get(this.settled(this.said(value.indices[0].value)).replaceAll(/["']/g, ""));
      return layer ? { kind: "layer", layer, args: new Map() } : null;
    }
    if (value.kind !== "call") return null;
    const [what, more] = this.called(bare(value.callee));
    if (what === "Parameter" || what === "Buffer") return this.weight(name, value);
    if (what === "Sequential") return this.sequence(name, value.args);
    if (what === "ModuleList") return { kind: "list", parts: this.partsOf(name, value.args) };
    const args = [...value.args.map((arg) => [arg.name?.text ?? null, this.said(arg.value)] as const), ...more];
    const inner = this.source.classes.get(what);
    const layer = inner ? undefined : LAYERS.get(what);
    if (layer) return this.layer(name, layer, args);
    if (!inner || this.wish.depth >= DEEPEST || !forwardOf(inner)) return null;
    const of = take(this.source, { made: inner, name, prefix: `${name}_`, args, depth: this.wish.depth + 1 });
    this.lines.push(...of.lines);
    return { kind: "def", input: of.input };
  }

  private weight(name: string, call: CallExpr): Member {
    const shape = [...walk(call)].find((each) => each.kind === "call" && each !== call);
    const sizes = shape?.kind === "call" ? shape.args.filter((arg) => !arg.name).map((arg) => this.said(arg.value)) : []; // prettier-ignore
    this.lines.push(`${name}: f32[${sizes.join(", ").replaceAll(/[()]|,\s*\)/g, "")}] = param()`);
    return { kind: "value" };
  }

  private layer(name: string, layer: Layer, given: Given): Member {
    const args = this.argsOf(layer, given);
    for (const { suffix, type, source } of layer.weights?.(args) ?? []) this.lines.push(`${name}_${suffix}: ${type} = ${source}`); // prettier-ignore
    if (!layer.def) return { kind: "layer", layer, args };
    this.lines.push("", ...layer.def(name, args), "");
    return { kind: "def", input: layer.input?.(args) ?? null };
  }

  private argsOf(layer: Layer, given: Given): LayerArgs {
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
    return args;
  }

  /** Modules of a list as it is written: items, comprehensions, `*layers`, names of lists; null for what makes none. */
  private *modules(
    name: string,
    args: readonly Pick<Argument, "value" | "starred">[],
    from: number,
  ): Generator<readonly [Part | null, Expr]> {
    // prettier-ignore
    let next = from;
    const one = (item: Expr): readonly [Part | null, Expr] => {
      const own = `${name}_${next++}`;
      const member = this.made(own, item);
      if (member?.kind === "list") this.lines.push(...tupleOf(own, member.parts));
      return [member && { name: own, member: member.kind === "list" ? { kind: "def", input: null } : member }, item];
    };
    for (const arg of args) {
      const expr = bare(arg.value);
      const local = expr.kind === "name" ? this.locals.get(expr.name) : undefined;
      if (local) for (const part of local) yield [part, expr];
      else if (expr.kind === "list" || expr.kind === "tuple") for (const item of expr.items) yield one(bare(item));
      else if (expr.kind !== "comprehension") yield one(expr);
      else {
        for (const turn of this.turnsOf(bare(expr.target), bare(expr.iterable)) ?? []) {
          for (const [variable, source] of turn) this.turns.set(variable, source);
          yield one(bare(expr.element));
          for (const [variable] of turn) this.turns.delete(variable);
        }
      }
    }
  }

  private partsOf(name: string, args: readonly Pick<Argument, "value" | "starred">[], from = 0): Part[] {
    const parts: Part[] = [];
    for (const [part, item] of this.modules(name, args, from)) {
      if (part) parts.push(part);
      else this.lines.push(`# not taken over: ${this.sourceOf(item)}`);
    }
    return parts;
  }

  /** `nn.Sequential(a, b)`: a def that applies one after the other. */
  private sequence(name: string, args: readonly Argument[]): Member {
    const chain = [...this.modules(name, args, 0)].map(([part, item]) => part ?? `# not taken over: ${this.sourceOf(item)}`); // prettier-ignore
    this.lines.push(...chainOf(name, chain));
    const input = chain.flatMap((part) => (typeof part === "string" ? [] : (inputOf(part.member) ?? []))).at(0);
    return { kind: "def", input: input ?? null };
  }
}

/** `wish.made` written out under `wish.name`. */
export function take(source: Source, wish: Wish): Taken {
  const taker = new Taker(source, wish);
  taker.init();
  const { members, own, renames } = taker;
  const methods = { text: source.text, made: wish.made, members, own, renames };
  return { lines: [...taker.lines, ...writtenMethods(methods, wish.name)], input: firstInput(methods) };
}

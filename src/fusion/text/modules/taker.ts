/** @file Reads one class: its sizes, the weights of its layers, and its methods without self. */
import type { TextEdit } from "../../ir";
import type { Argument, CallExpr, DefStatement, Expr, ForStatement, IfStatement, ParamDecl, Statement } from "../syntax"; // prettier-ignore
import { bare } from "../syntax";
import { activationCalled, LAYERS, usualValue, type Layer, type LayerArgs } from "./layers";
import { applied, chainOf, inputOf, isSelf, lastName, plainArgs, tupleOf, type Member, type Part } from "./members";
import { isIdle } from "./init-lines";
import { firstInput, forwardOf, methodOf, writtenMethods } from "./methods";
import { extents, fieldDefaults, fieldsAsked, guessed, namedModules, weightSizes } from "./settings";
import type { Given, Source, Taken, Wish } from "./source";
import { renamesOf, type Names } from "./renames";

const DEEPEST = 8;
/** Of a list of equal layers, so many are written out. */
const MOST_LAYERS = 12;
/** Reads one class; `prefix` sets its names apart from the outer class's. */
class Taker {
  readonly lines: string[] = [];
  readonly members = new Map<string, Member>();
  /** Names of the __init__ that became constants of the program. */
  private readonly constants = new Map<string, "parameter" | "member" | "both">();
  /** Constants of the program that names of this class are. */
  private readonly aliases = new Map<string, string>();
  /** Parameters that hold settings, `config.n_embd`: their fields are constants that all classes share. */
  private readonly configs = new Set<string>();
  /** Python lists that __init__ fills before it makes a module of them. */
  private readonly locals = new Map<string, Part[]>();
  /** Which of the inherited __init__s is being read. */
  private above = 0;
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
  readonly renames = (roots: readonly Expr[]): TextEdit[] => renamesOf(this.names(), roots);

  private names(): Names {
    const { constants, members, configs, turns, own } = this;
    return {
      className: this.wish.made.name.text,
      constants,
      members,
      configs,
      turns,
      own,
      fields: fieldDefaults(this.source.classes.values(), this.source.text),
    };
  }

  /** What a name comes to, through names of other classes. */
  private settled(source: string): string {
    let now = source;
    for (let i = 0; i <= DEEPEST && this.source.shared.has(now); i++) now = this.source.shared.get(now)!;
    return now;
  }

  private constant(name: string, value: string, kind: "parameter" | "member"): void {
    const own = this.own(name);
    const before = this.constants.get(name);
    // `self.heads = heads`: one name for both, as long as they are one.
    this.constants.set(name, before !== undefined && before !== kind && value === own ? "both" : kind);
    if (value === own) return;
    if (this.source.shared.has(value)) {
      this.aliases.set(name, value);
      return;
    }
    const said = this.source.readable(value) ? value : guessed(name, value);
    // A class is no constant: layers are made of it by its name.
    if (said !== null) this.lines.push(`${own} = ${said}`);
    if (said !== null) this.source.said.push(`${own} = ${said}`);
    this.source.shared.set(own, said ?? value);
  }

  /** Sizes: arguments, defaults, or what such a size usually is. */
  init(): void {
    const { made, args } = this.wish;
    for (const each of made.body) {
      const target = each.kind === "assign" && each.value ? bare(each.targets[0]!) : null;
      if (each.kind === "assign" && target?.kind === "name") this.field(target.name, this.said(each.value!));
      const open = each.kind === "assign" && !each.value && each.annotation ? bare(each.targets[0]!) : null;
      if (open?.kind === "name") this.field(open.name, usualValue(open.name));
    }
    const init = methodOf(made, "__init__");
    const params = (init?.params ?? []).filter(({ name, starred }) => name.text !== "self" && !starred);
    const given = new Map(args.map(([name, source], i) => [name ?? params[i]?.name.text ?? "", source]));
    for (const param of params) this.parameter(param, given.get(param.name.text), init!);
    this.initBody(init?.body ?? []);
    if (!init) this.ofLibrary(args);
    for (const [name, member] of this.members)
      if (member.kind === "list") this.lines.push(...tupleOf(this.own(name), member.parts));
  }

  /** A field of a dataclass, which its maker may give another value. */
  private field(name: string, usual: string): void {
    const said = this.wish.args.find(([key]) => key === name)?.[1];
    this.constant(name, said ?? usual, "member");
  }

  private parameter({ name: { text: name }, value }: ParamDecl, given: string | undefined, init: DefStatement): void {
    const { fields, kept } = fieldsAsked(this.wish.made, init, name);
    // `hidden=None` beside `config.hidden`: the field stands for it.
    if (
      fields.size === 0 &&
      given === undefined &&
      value?.kind === "none" &&
      this.source.shared.has(this.own(name)) &&
      this.configs.size > 0
    ) {
      this.constants.set(name, "parameter");
      return;
    }
    if (fields.size === 0)
      return this.constant(name, given ?? (value ? this.sourceOf(value) : usualValue(name)), "parameter");
    for (const config of [name, ...kept.map((each) => `self.${each}`)]) this.configs.add(config);
    const defaults = fieldDefaults(this.source.classes.values(), this.source.text);
    for (const field of fields) {
      if (this.source.shared.has(field)) continue;
      this.source.shared.set(field, defaults.get(field) ?? usualValue(field));
      this.lines.push(`${field} = ${this.source.shared.get(field)!}`);
      this.source.said.push(`${field} = ${this.source.shared.get(field)!}`);
    }
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
        if (statement.value && statement.targets.every((target) => this.assigned(bare(target), bare(statement.value!))))
          return;
        return this.leave(statement);
      case "update":
        if (statement.op === "+" && this.appended(bare(statement.target), [{ value: statement.value, starred: "items" }])) return; // prettier-ignore
        return this.leave(statement);
      case "expression":
        if (!this.understood(bare(statement.value))) this.leave(statement);
        return;
      case "raise":
        return;
      case "def":
      case "class":
      case "return":
      case "while":
      case "break":
      case "continue":
      case "bad":
        this.leave(statement);
    }
  }

  /** `self.name = …` or `name = …`. */
  private assigned(target: Expr, value: Expr): boolean {
    if (target.kind === "member" && isSelf(target.object)) this.member(target.name.text, value);
    else if (target.kind === "tuple" || target.kind === "list") return this.unpacked(target.items.map(bare), value);
    else if (target.kind !== "name") return false;
    else if (value.kind === "list") this.locals.set(target.name, this.partsOf(this.own(target.name), [{ value }]));
    else this.constant(target.name, this.said(value), "parameter");
    return true;
  }

  /** `height, width = size`. */
  private unpacked(targets: readonly Expr[], value: Expr): boolean {
    if (value.kind === "tuple" && value.items.length === targets.length) return targets.every((target, i) => this.assigned(target, bare(value.items[i]!))); // prettier-ignore
    const said = this.said(value);
    if (this.source.number(`len(tuple(${said}))`) !== targets.length) return false;
    for (const [i, target] of targets.entries()) {
      const name = lastName(target);
      this.constant(name, `tuple(${said})[${i}]`, target.kind === "member" ? "member" : "parameter");
      if (target.kind === "member") this.members.set(name, { kind: "value" });
    }
    return true;
  }

  /** A line of __init__ that is a call: super(), register_buffer(), append(). Whether it was understood. */
  private understood(call: Expr): boolean {
    if (call.kind === "string") return true;
    if (call.kind !== "call") return false;
    const callee = bare(call.callee);
    const name = lastName(callee);
    if (name === "__init__") return this.inherited(call);
    const [first, second] = call.args.map((arg) => bare(arg.value));
    if ((name === "register_buffer" || name === "register_parameter") && first?.kind === "string" && second) {
      this.member(first.value, second);
      return true;
    }
    if (callee.kind !== "member" || !first) return false;
    if (name === "append") return this.appended(callee.object, call.args.slice(0, 1));
    if (name === "extend") return this.appended(callee.object, [{ value: first, starred: "items" }]);
    return name === "add_module" && second !== undefined && this.appended(callee.object, [{ value: second }]);
  }

  /** A class that is a layer of the library itself: its sizes and weights are its own. */
  private ofLibrary(given: Given): true {
    const layer = this.wish.made.bases
      .map((base) => LAYERS.get(lastName(bare(base))))
      .find((each) => each !== undefined);
    if (!layer) return true;
    const args = this.argsOf(layer, given);
    for (const [name, source] of args) if (!this.constants.has(name)) this.constant(name, source, "member");
    for (const name of layer.weights ? ["weight", "bias"] : []) this.constants.delete(name);
    const weights = layer.weights?.(args) ?? [];
    for (const [name, suffix] of [
      ["weight", "w"],
      ["bias", "b"],
    ] as const) {
      const made = weights.find((each) => each.suffix === suffix);
      if (made) this.lines.push(`${this.own(name)}: ${made.type} = ${made.source}`);
      else if (layer.weights) this.lines.push(`${this.own(name)} = None`);
      if (layer.weights) this.members.set(name, { kind: "value" });
    }
    return true;
  }

  /** `super().__init__(dim)`: the next __init__ with these arguments; one of a library's class makes nothing. */
  private inherited(call: CallExpr): boolean {
    const inits = this.wish.made.body.filter((each) => each.kind === "def" && each.name.text === "__init__") as DefStatement[]; // prettier-ignore
    const next = inits[this.above + 1];
    if (!next)
      return this.ofLibrary(plainArgs(call).map((arg) => [arg.name?.text ?? null, this.said(arg.value)] as const));
    this.above++;
    const params = next.params.filter(({ name, starred }) => name.text !== "self" && !starred);
    const given = new Map(plainArgs(call).map((arg, i) => [arg.name?.text ?? params[i]?.name.text ?? "", this.said(arg.value)])); // prettier-ignore
    for (const param of params) {
      const { text } = param.name;
      if (given.get(text) !== this.own(text)) this.parameter(param, given.get(text), next);
    }
    this.initBody(next.body);
    this.above--;
    return true;
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
    if (isIdle(statement)) return;
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

  /** What is not understood stays, as a comment; what could change nothing goes. */
  private leave(statement: Statement): void {
    if (isIdle(statement)) return;
    const { from, to } = statement.span;
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
    if (value.kind === "subscript" && lastName(value.object).startsWith("ACT2") && value.indices[0]?.kind === "at") return this.activation(value.indices[0].value); // prettier-ignore
    if (value.kind !== "call") return null;
    const asked = /^(get|create)_act/.test(lastName(bare(value.callee))) ? value.args[0] : undefined;
    if (asked) return this.activation(asked.value);
    const [what, more] = this.called(bare(value.callee));
    if (what === "Parameter" || what === "Buffer") return this.weight(name, value);
    if (what === "Sequential") return this.sequence(name, value.args);
    if (what === "ModuleList") return { kind: "list", parts: this.partsOf(name, value.args) };
    const args = [...plainArgs(value).map((arg) => [arg.name?.text ?? null, this.said(arg.value)] as const), ...more];
    const inner = this.source.classes.get(what);
    const layer = inner ? undefined : LAYERS.get(what);
    if (layer) return this.layer(name, layer, args);
    const callee = bare(value.callee);
    const own = callee.kind === "member" && (isSelf(callee.object) || lastName(callee.object) === this.wish.made.name.text) ? methodOf(this.wish.made, what) : null; // prettier-ignore
    const factory = layer || inner ? undefined : (own ?? this.source.defs.get(what));
    if (factory) return this.produced(name, factory, args);
    if (!inner || this.wish.depth >= DEEPEST || !forwardOf(inner)) return null;
    const of = take(this.source, { made: inner, name, prefix: `${name}_`, args, depth: this.wish.depth + 1 });
    this.lines.push(...of.lines);
    return { kind: "def", input: of.input };
  }

  /** `conv3x3(a, b)`: what the def's last line makes, its parameters being what they are here. */
  private produced(name: string, { params, body }: DefStatement, given: Given): Member | null {
    const last = body.at(-1);
    const made = last?.kind === "return" && last.values.length === 1 ? bare(last.values[0]!) : null;
    if (made?.kind !== "call" || this.turns.size > MOST_LAYERS) return null;
    const before = new Map(this.turns);
    params
      .filter(({ name }) => name.text !== "self")
      .forEach(({ name: { text }, value }, i) => {
        const source = given.find(([key], k) => (key === null ? k === i : key === text))?.[1];
        this.turns.set(text, source ?? (value ? this.sourceOf(value) : usualValue(text)));
      });
    const member = this.made(name, made);
    this.turns.clear();
    for (const [variable, source] of before) this.turns.set(variable, source);
    return member;
  }

  /** What a configuration calls an activation, by its name or by its class. */
  private activation(expr: Expr): Member | null {
    const layer = activationCalled(this.settled(this.said(expr)).replaceAll(/["']/g, ""));
    return layer ? this.layer("", layer, []) : null;
  }

  private weight(name: string, call: CallExpr): Member {
    const sizes = weightSizes(call)?.map((size) => this.said(size)) ?? [];
    this.lines.push(`${name}: f32[${sizes.join(", ")}] = param()`);
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
      const flag = settled === "True" || settled === "False" ? settled : extents(source, this.source.number);
      args.set(key?.replace(/^use_bias$/, "bias") ?? layer.params[i]?.split("=")[0] ?? "", flag);
    });
    return args;
  }

  /** Modules of a list as it is written: items, comprehensions, `*layers`, names of lists. */
  private *modules(name: string, args: readonly Pick<Argument, "value" | "starred">[], from: number): Generator<Part> {
    // prettier-ignore
    let next = from;
    const one = (item: Expr): Part => {
      const own = `${name}_${next++}`;
      const member = this.made(own, item);
      if (member?.kind === "list") this.lines.push(...tupleOf(own, member.parts));
      if (!member) return this.unknown(own, item);
      return { name: own, member: member.kind === "list" ? { kind: "def", input: null } : member };
    };
    for (const arg of args) {
      const expr = bare(arg.value);
      const local = expr.kind === "name" ? this.locals.get(expr.name) : undefined;
      if (local) yield* local;
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

  /** What a module of a list is that nothing here knows: its name is called all the same, so that it is missed where it stands. */
  private readonly unknown = (name: string, item: Expr): Part => {
    this.lines.push(`# not taken over: ${name} = ${this.sourceOf(item)}`);
    return { name, member: { kind: "def", input: null } };
  };

  private partsOf(name: string, args: readonly Pick<Argument, "value" | "starred">[], from = 0): Part[] {
    return [...this.modules(name, args, from)];
  }

  /** `nn.Sequential(a, b)`: a def that applies one after the other. */
  private sequence(name: string, args: readonly Argument[]): Member {
    const named = bare(args[0]?.value ?? { kind: "bad", span: { from: 0, to: 0 } });
    const chain = named.kind === "call" && lastName(bare(named.callee)) === "OrderedDict" ? this.inOrder(name, named) : [...this.modules(name, args, 0)]; // prettier-ignore
    this.lines.push(...chainOf(name, chain));
    const input = chain.flatMap((part) => inputOf(part.member) ?? []).at(0);
    return { kind: "def", input: input ?? null };
  }

  /** `OrderedDict([("fc", nn.Linear(8, 8)), …])`: modules with names of their own. */
  private inOrder(name: string, { args }: CallExpr): readonly Part[] {
    return namedModules(args).map(([key, value]) => {
      const own = `${name}_${key}`;
      const member = this.made(own, value);
      return member ? { name: own, member } : this.unknown(own, value);
    });
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

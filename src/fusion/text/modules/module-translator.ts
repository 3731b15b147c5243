/** @file Reads one class: its sizes, the weights of its layers, and its methods without self. */
import type { TextEdit } from "../../ir";
import type {
  Argument,
  CallExpr,
  DefStatement,
  Expr,
  ForStatement,
  IfStatement,
  ParamDecl,
  Statement,
} from "../syntax";
import { bare } from "../syntax";
import { LAYERS, usualValue } from "./layers";
import { applied, isSelf, lastName, plainArgs, tupleOf, type Member, type Part } from "./members";
import { isIdle } from "./init-lines";
import { firstInput, methodOf, writtenMethods } from "./methods";
import { fieldDefaults, fieldsAsked, guessed } from "./settings";
import { DEEPEST, LayerBuilder, MOST_LAYERS, type ClassReader } from "./layer-builder";
import type { CallArguments, Source, TranslatedModule, ModuleRequest } from "./translation";
import { renamesOf, type Names } from "./renames";

/** Reads one class; `prefix` sets its names apart from the outer class's. */
class ModuleTranslator implements ClassReader {
  readonly lines: string[] = [];
  readonly members = new Map<string, Member>();
  /** Names of the __init__ that became constants of the program. */
  private readonly constants = new Map<string, "parameter" | "member" | "both">();
  /** Constants of the program that names of this class are. */
  private readonly aliases = new Map<string, string>();
  /** Parameters that hold settings, `config.n_embd`: their fields are constants that all classes share. */
  private readonly configs = new Set<string>();
  /** Python lists that __init__ fills before it makes a module of them. */
  readonly locals = new Map<string, Part[]>();
  /** Which of the inherited __init__s is being read. */
  private above = 0;
  readonly source: Source;
  readonly request: ModuleRequest;
  /** Variables of loops that are being written out, by the source of what they are. */
  readonly loopVariables = new Map<string, string>();

  private readonly layers: LayerBuilder;

  constructor(source: Source, request: ModuleRequest) {
    this.source = source;
    this.request = request;
    this.layers = new LayerBuilder(this);
  }

  readonly translate = (request: ModuleRequest): TranslatedModule => translate(this.source, request);

  readonly isConstant = (name: string): boolean => this.constants.has(name);

  readonly sourceOf = ({ span }: Expr): string => this.source.text.slice(span.from, span.to);

  /** `expr`'s source with names of the class replaced by the program's. */
  translated(expr: Expr): string {
    return applied(this.sourceOf(expr), expr.span.from, this.renames([expr]));
  }

  readonly own = (name: string): string => this.aliases.get(name) ?? this.request.prefix + name;

  /** Edits that make `self.x`, parameters and `config.x` names of the program. */
  readonly renames = (roots: readonly Expr[]): TextEdit[] => renamesOf(this.names(), roots);

  private names(): Names {
    const { constants, members, configs, loopVariables, own } = this;
    return {
      className: this.request.made.name.text,
      constants,
      members,
      configs,
      loopVariables,
      own,
      fields: fieldDefaults(this.source.classes.values(), this.source.text),
    };
  }

  /** What a name comes to, through names of other classes. */
  settled(source: string): string {
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
    const known = this.source.readable(value) ? value : guessed(name, value);
    // A class is no constant: layers are made of it by its name.
    if (known !== null) this.lines.push(`${own} = ${known}`);
    if (known !== null) this.source.constantLines.push(`${own} = ${known}`);
    this.source.shared.set(own, known ?? value);
  }

  /** Sizes: arguments, defaults, or what such a size usually is. */
  init(): void {
    const { made, args } = this.request;
    for (const each of made.body) {
      const target = each.kind === "assign" && each.value ? bare(each.targets[0]!) : null;
      if (each.kind === "assign" && target?.kind === "name") this.field(target.name, this.translated(each.value!));
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

  /** A field of a dataclass, which a call may give another value. */
  private field(name: string, usual: string): void {
    const given = this.request.args.find(([key]) => key === name)?.[1];
    this.constant(name, given ?? usual, "member");
  }

  private parameter({ name: { text: name }, value }: ParamDecl, given: string | undefined, init: DefStatement): void {
    const { fields, kept } = fieldsAsked(this.request.made, init, name);
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
      this.source.constantLines.push(`${field} = ${this.source.shared.get(field)!}`);
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
        if (
          statement.op === "+" &&
          this.appended(bare(statement.target), [{ value: statement.value, starred: "items" }])
        )
          return;
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
    else if (value.kind === "list")
      this.locals.set(target.name, this.layers.partsOf(this.own(target.name), [{ value }]));
    else this.constant(target.name, this.translated(value), "parameter");
    return true;
  }

  /** `height, width = size`. */
  private unpacked(targets: readonly Expr[], value: Expr): boolean {
    if (value.kind === "tuple" && value.items.length === targets.length)
      return targets.every((target, i) => this.assigned(target, bare(value.items[i]!)));
    const source = this.translated(value);
    if (this.source.number(`len(tuple(${source}))`) !== targets.length) return false;
    for (const [i, target] of targets.entries()) {
      const name = lastName(target);
      this.constant(name, `tuple(${source})[${i}]`, target.kind === "member" ? "member" : "parameter");
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
  private ofLibrary(given: CallArguments): true {
    const layer = this.request.made.bases
      .map((base) => LAYERS.get(lastName(bare(base))))
      .find((each) => each !== undefined);
    if (!layer) return true;
    const args = this.layers.argsOf(layer, given);
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
    const inits = this.request.made.body.filter(
      (each) => each.kind === "def" && each.name.text === "__init__",
    ) as DefStatement[];
    const next = inits[this.above + 1];
    if (!next)
      return this.ofLibrary(
        plainArgs(call).map((arg) => [arg.name?.text ?? null, this.translated(arg.value)] as const),
      );
    this.above++;
    const params = next.params.filter(({ name, starred }) => name.text !== "self" && !starred);
    const given = new Map(
      plainArgs(call).map((arg, i) => [arg.name?.text ?? params[i]?.name.text ?? "", this.translated(arg.value)]),
    );
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
    const parts =
      list.kind === "name" ? this.locals.get(list.name) : member?.kind === "list" ? member.parts : undefined;
    if (!parts) return false;
    parts.push(...this.layers.partsOf(this.own(lastName(list)), args, parts.length));
    return true;
  }

  /** Whether `test` holds; null when that is not known before the program runs. */
  private holds(test: Expr): boolean | null {
    const known = this.source.number(`1 if (${this.translated(test)}) else 0`);
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

  /** What `target` is in each iteration over `iterable`, as source by variable; null where the iterations are not known. */
  iterationsOf(target: Expr, iterable: Expr): readonly (readonly (readonly [string, string])[])[] | null {
    const over = this.translated(iterable);
    const count = this.source.number(`len(tuple(${over}))`);
    if (count === null) return null;
    const names = target.kind === "tuple" || target.kind === "list" ? target.items.map(bare) : [target];
    const known = (from: string): string => this.source.number(from)?.toString() ?? from;
    return Array.from({ length: Math.min(count, MOST_LAYERS) }, (_, i) =>
      names.map(
        (name, k) =>
          [lastName(name), known(names.length > 1 ? `tuple(${over})[${i}][${k}]` : `tuple(${over})[${i}]`)] as const,
      ),
    );
  }

  private loop(statement: ForStatement): void {
    const loopVariables = this.iterationsOf(bare(statement.target), bare(statement.iterable));
    if (!loopVariables) return this.leave(statement);
    for (const iteration of loopVariables) {
      for (const [variable, source] of iteration) this.loopVariables.set(variable, source);
      this.initBody(statement.body);
    }
    for (const [variable] of loopVariables[0] ?? []) this.loopVariables.delete(variable);
  }

  /** What is not understood stays, as a comment; what could change nothing goes. */
  private leave(statement: Statement): void {
    if (isIdle(statement)) return;
    const { from, to } = statement.span;
    for (const line of this.source.text.slice(from, to).split("\n"))
      this.lines.push(`# not taken over: ${line.trim()}`);
  }

  private member(name: string, value: Expr): void {
    if (this.configs.has(`self.${name}`)) return;
    const settled =
      value.kind === "conditional" ? (this.holds(value.test) === false ? value.whenFalse : value.whenTrue) : value;
    const made = this.layers.made(this.own(name), bare(settled));
    if (made) {
      this.members.set(name, made);
      return;
    }
    this.constant(name, this.translated(value), "member");
    this.members.set(name, { kind: "value" });
  }
}

/** `request.made` written out under `request.name`. */
export function translate(source: Source, request: ModuleRequest): TranslatedModule {
  const translator = new ModuleTranslator(source, request);
  translator.init();
  const { members, own, renames } = translator;
  const methods = { text: source.text, made: request.made, members, own, renames };
  return { lines: [...translator.lines, ...writtenMethods(methods, request.name)], input: firstInput(methods) };
}

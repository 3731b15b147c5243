/** @file What an expression of `__init__` makes: a layer, a module, a list of them, a weight. */
import type { Argument, CallExpr, DefStatement, Expr } from "../syntax";
import { bare } from "../syntax";
import { activationCalled, LAYERS, usualValue, type Layer, type LayerArgs } from "./layers";
import { chainOf, inputOf, isSelf, lastName, plainArgs, tupleOf, type Member, type Part } from "./members";
import { forwardOf, methodOf } from "./methods";
import { extents, namedModules, weightSizes } from "./settings";
import type { CallArguments, Source, TranslatedModule, ModuleRequest } from "./translation";

/** Classes inside classes, and names that stand for names, are followed so far. */
export const DEEPEST = 8;
/** Of a list of equal layers, so many are written out. */
export const MOST_LAYERS = 12;

/** Who reads the class, and knows what its names are. */
export interface ClassReader {
  readonly source: Source;
  readonly request: ModuleRequest;
  /** Lines of the program; what is made adds its own. */
  readonly lines: string[];
  /** Python lists that __init__ fills before it makes a module of them. */
  readonly locals: ReadonlyMap<string, readonly Part[]>;
  /** Variables of loops that are being written out, by the source of what they are. */
  readonly loopVariables: Map<string, string>;
  readonly own: (name: string) => string;
  isConstant(name: string): boolean;
  sourceOf(expr: Expr): string;
  /** `expr`'s source with names of the class replaced by the program's. */
  translated(expr: Expr): string;
  /** What a name comes to, through names of other classes. */
  settled(source: string): string;
  /** What `target` is in each iteration over `iterable`, as source by variable; null where the iterations are not known. */
  iterationsOf(target: Expr, iterable: Expr): readonly (readonly (readonly [string, string])[])[] | null;
  /** A class inside this one. */
  translate(request: ModuleRequest): TranslatedModule;
}

export class LayerBuilder {
  private readonly reader: ClassReader;

  constructor(reader: ClassReader) {
    this.reader = reader;
  }

  /** Name of what is called, and arguments that go with it, where a parameter says which: `norm_layer(dim)`. */
  private called(callee: Expr): readonly [what: string, given: CallArguments] {
    const name = lastName(callee);
    if (callee.kind !== "name" || !this.reader.isConstant(name)) return [name, []];
    const [, what, more] =
      /^(?:(?:functools\.)?partial\()?(?:\w+\.)*(\w+)(.*?)\)?$/.exec(this.reader.settled(this.reader.own(name))) ?? [];
    const given = [...(more ?? "").matchAll(/(\w+)=([^,()]+)/g)].map(([, key, source]) => [key!, source!] as const);
    return [what ?? name, given];
  }

  /** The layer, module or weight that an expression of __init__ makes; null for any other value. */
  made(name: string, value: Expr): Member | null {
    if (value.kind === "subscript" && lastName(value.object).startsWith("ACT2") && value.indices[0]?.kind === "at")
      return this.activation(value.indices[0].value);
    if (value.kind !== "call") return null;
    const asked = /^(get|create)_act/.test(lastName(bare(value.callee))) ? value.args[0] : undefined;
    if (asked) return this.activation(asked.value);
    const [what, more] = this.called(bare(value.callee));
    if (what === "Parameter" || what === "Buffer") return this.weight(name, value);
    if (what === "Sequential") return this.sequence(name, value.args);
    if (what === "ModuleList") return { kind: "list", parts: this.partsOf(name, value.args) };
    const args = [
      ...plainArgs(value).map((arg) => [arg.name?.text ?? null, this.reader.translated(arg.value)] as const),
      ...more,
    ];
    const inner = this.reader.source.classes.get(what);
    const layer = inner ? undefined : LAYERS.get(what);
    if (layer) return this.layer(name, layer, args);
    const callee = bare(value.callee);
    const own =
      callee.kind === "member" &&
      (isSelf(callee.object) || lastName(callee.object) === this.reader.request.made.name.text)
        ? methodOf(this.reader.request.made, what)
        : null;
    const factory = layer || inner ? undefined : (own ?? this.reader.source.defs.get(what));
    if (factory) return this.produced(name, factory, args);
    if (!inner || this.reader.request.depth >= DEEPEST || !forwardOf(inner)) return null;
    const of = this.reader.translate({
      made: inner,
      name,
      prefix: `${name}_`,
      args,
      depth: this.reader.request.depth + 1,
    });
    this.reader.lines.push(...of.lines);
    return { kind: "def", input: of.input };
  }

  /** `conv3x3(a, b)`: what the def's last line makes, its parameters being what they are here. */
  private produced(name: string, { params, body }: DefStatement, given: CallArguments): Member | null {
    const last = body.at(-1);
    const made = last?.kind === "return" && last.values.length === 1 ? bare(last.values[0]!) : null;
    if (made?.kind !== "call" || this.reader.loopVariables.size > MOST_LAYERS) return null;
    const before = new Map(this.reader.loopVariables);
    params
      .filter(({ name }) => name.text !== "self")
      .forEach(({ name: { text }, value }, i) => {
        const source = given.find(([key], k) => (key === null ? k === i : key === text))?.[1];
        this.reader.loopVariables.set(text, source ?? (value ? this.reader.sourceOf(value) : usualValue(text)));
      });
    const member = this.made(name, made);
    this.reader.loopVariables.clear();
    for (const [variable, source] of before) this.reader.loopVariables.set(variable, source);
    return member;
  }

  /** What a configuration calls an activation, by its name or by its class. */
  private activation(expr: Expr): Member | null {
    const layer = activationCalled(this.reader.settled(this.reader.translated(expr)).replaceAll(/["']/g, ""));
    return layer ? this.layer("", layer, []) : null;
  }

  private weight(name: string, call: CallExpr): Member {
    const sizes = weightSizes(call)?.map((size) => this.reader.translated(size)) ?? [];
    this.reader.lines.push(`${name}: f32[${sizes.join(", ")}] = param()`);
    return { kind: "value" };
  }

  private layer(name: string, layer: Layer, given: CallArguments): Member {
    const args = this.argsOf(layer, given);
    for (const { suffix, type, source } of layer.weights?.(args) ?? [])
      this.reader.lines.push(`${name}_${suffix}: ${type} = ${source}`);
    if (!layer.def) return { kind: "layer", layer, args };
    this.reader.lines.push("", ...layer.def(name, args), "");
    return { kind: "def", input: layer.input?.(args) ?? null };
  }

  argsOf(layer: Layer, given: CallArguments): LayerArgs {
    const args = new Map<string, string>();
    for (const param of layer.params) {
      const [key, usual] = param.split("=") as [string, string | undefined];
      if (usual !== undefined) args.set(key, usual);
    }
    given.forEach(([key, source], i) => {
      const settled = this.reader.settled(source);
      const flag = settled === "True" || settled === "False" ? settled : extents(source, this.reader.source.number);
      args.set(key?.replace(/^use_bias$/, "bias") ?? layer.params[i]?.split("=")[0] ?? "", flag);
    });
    return args;
  }

  /** Modules of a list as it is written: items, comprehensions, `*layers`, names of lists. */
  private *modules(name: string, args: readonly Pick<Argument, "value" | "starred">[], from: number): Generator<Part> {
    let next = from;
    const one = (item: Expr): Part => {
      const own = `${name}_${next++}`;
      const member = this.made(own, item);
      if (member?.kind === "list") this.reader.lines.push(...tupleOf(own, member.parts));
      if (!member) return this.unknown(own, item);
      return { name: own, member: member.kind === "list" ? { kind: "def", input: null } : member };
    };
    for (const arg of args) {
      const expr = bare(arg.value);
      const local = expr.kind === "name" ? this.reader.locals.get(expr.name) : undefined;
      if (local) yield* local;
      else if (expr.kind === "list" || expr.kind === "tuple") for (const item of expr.items) yield one(bare(item));
      else if (expr.kind !== "comprehension") yield one(expr);
      else {
        for (const iteration of this.reader.iterationsOf(bare(expr.target), bare(expr.iterable)) ?? []) {
          for (const [variable, source] of iteration) this.reader.loopVariables.set(variable, source);
          yield one(bare(expr.element));
          for (const [variable] of iteration) this.reader.loopVariables.delete(variable);
        }
      }
    }
  }

  /** What a module of a list is that nothing here knows: its name is called all the same, so that it is missed where it stands. */
  private readonly unknown = (name: string, item: Expr): Part => {
    this.reader.lines.push(`# not taken over: ${name} = ${this.reader.sourceOf(item)}`);
    return { name, member: { kind: "def", input: null } };
  };

  partsOf(name: string, args: readonly Pick<Argument, "value" | "starred">[], from = 0): Part[] {
    return [...this.modules(name, args, from)];
  }

  /** `nn.Sequential(a, b)`: a def that applies one after the other. */
  private sequence(name: string, args: readonly Argument[]): Member {
    const named = bare(args[0]?.value ?? { kind: "bad", span: { from: 0, to: 0 } });
    const chain =
      named.kind === "call" && lastName(bare(named.callee)) === "OrderedDict"
        ? this.inOrder(name, named)
        : [...this.modules(name, args, 0)];
    this.reader.lines.push(...chainOf(name, chain));
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

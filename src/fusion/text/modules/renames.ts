/** @file Names of a class as names of the program: `self.x`, parameters, fields of a configuration, `self` itself. */
import type { TextEdit } from "../../ir";
import type { CallExpr, Expr } from "../syntax";
import { bare, walk } from "../syntax";
import { isSelf, lastName, type Member } from "./members";

/** What of a class the program has names for. */
export interface Names {
  readonly className: string;
  /** Names of __init__ and of fields that became constants. */
  readonly constants: ReadonlyMap<string, "parameter" | "member" | "both">;
  readonly members: ReadonlyMap<string, Member>;
  /** Parameters that hold settings, and `self.config` that is one of them. */
  readonly configs: ReadonlySet<string>;
  /** Fields of such parameters that the text gives a value. */
  readonly fields: ReadonlyMap<string, string>;
  /** Variables of loops that are being written out, by the source of what they are. */
  readonly loopVariables: ReadonlyMap<string, string>;
  readonly own: (name: string) => string;
}

/** `config`, or `self.config` that is the same. */
export function isConfig({ configs }: Names, expr: Expr): boolean {
  if (expr.kind === "name") return configs.has(expr.name);
  return expr.kind === "member" && isSelf(expr.object) && configs.has(`self.${expr.name.text}`);
}

/** `getattr(config, "head_dim", 64)` is the field where the text has one, else what is usual. */
function ofConfig(names: Names, { callee, args, span }: CallExpr): readonly TextEdit[] {
  const word = lastName(bare(callee));
  const [config, field, otherwise] = args.map(({ value }) => bare(value));
  if ((word !== "getattr" && word !== "hasattr") || !config || field?.kind !== "string") return [];
  if (!isConfig(names, config)) return [];
  const exists = names.fields.has(field.value);
  if (word === "hasattr") return [{ span, insert: exists ? "True" : "False" }];
  if (exists || !otherwise) return [{ span, insert: field.value }];
  // The default's own names have edits of their own: only what stands around it goes.
  return [
    { span: { from: span.from, to: otherwise.span.from }, insert: "(" },
    { span: { from: otherwise.span.to, to: span.to }, insert: ")" },
  ];
}

/** `self.proj.weight`, `self.proj.in_features`: a weight or a size of a layer; null of anything else. */
function ofLayer({ members, own }: Names, { object, name }: Extract<Expr, { kind: "member" }>): string | null {
  if (object.kind !== "member" || !isSelf(object.object)) return null;
  const member = members.get(object.name.text);
  if (member?.kind !== "layer") return null;
  const suffix = name.text === "weight" ? "w" : name.text === "bias" ? "b" : null;
  if (suffix === null) return member.args.get(name.text) ?? null;
  return member.layer.weights?.(member.args).some((weight) => weight.suffix === suffix)
    ? `${own(object.name.text)}_${suffix}`
    : "None";
}

/** `self.drop is not None` of a layer: it is there, or it stands for nothing. */
function isThere({ members }: Names, expr: Extract<Expr, { kind: "binary" }>): string | null {
  const { left, right, op } = expr;
  if (right.kind !== "none" || left.kind !== "member" || !isSelf(left.object)) return null;
  const member = members.get(left.name.text);
  if (!member || member.kind === "value") return null;
  return op === "is not" || op === "!=" ? "True" : op === "is" || op === "==" ? "False" : null;
}

/** `self` as a value: what a function that takes the module may ask it for. */
function asValue({ constants, own }: Names): string {
  const fields = [...constants].flatMap(([name, kind]) => (kind === "parameter" ? [] : [`"${name}": ${own(name)}`]));
  return `{${['"training": False', ...fields].join(", ")}}`;
}

/** Edits of `roots` that make the names of the class the program's. */
export function renamesOf(names: Names, roots: readonly Expr[]): TextEdit[] {
  const { constants, members, loopVariables, own, className } = names;
  const all = roots.flatMap((root) => [...walk(root)]);
  const objects = new Set(all.flatMap((expr) => (expr.kind === "member" ? [expr.object] : [])));
  // What a wider edit takes along; `walk` gives the outer expression first.
  const gone = new Set<Expr>();
  return all.flatMap((expr): readonly TextEdit[] => {
    const { span } = expr;
    if (expr.kind === "call") return ofConfig(names, expr);
    const there = expr.kind === "binary" ? isThere(names, expr) : null;
    if (there !== null && expr.kind === "binary") {
      gone.add(expr.left);
      return [{ span, insert: there }];
    }
    const held = expr.kind === "member" ? ofLayer(names, expr) : null;
    if (held !== null && expr.kind === "member") {
      gone.add(expr.object);
      return [{ span, insert: held }];
    }
    if (gone.has(expr)) return [];
    if (expr.kind === "member" && isConfig(names, expr.object)) return [{ span, insert: expr.name.text }];
    if (expr.kind === "member" && expr.object.kind === "name") {
      const { name: object } = expr.object;
      const { text: name } = expr.name;
      if (object === "self" && name === "training") return [{ span, insert: "False" }];
      const known = constants.has(name) || members.has(name);
      return known && (object === "self" || object === className) ? [{ span, insert: own(name) }] : [];
    }
    if (expr.kind !== "name") return [];
    if (loopVariables.has(expr.name)) return [{ span, insert: loopVariables.get(expr.name)! }];
    if (constants.has(expr.name) && constants.get(expr.name) !== "member") return [{ span, insert: own(expr.name) }];
    return expr.name === "self" && !objects.has(expr) ? [{ span, insert: asValue(names) }] : [];
  });
}

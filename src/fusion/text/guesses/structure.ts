/** @file What a parameter holds that is more than one tensor: `params["w"]`, `h, c = carry`, `for w, b in layers`, also where another def does it to what it is given. */
import { findOp } from "../../ops";
import { annotatedKind } from "../reading/python-types";
import type { CallExpr, ClassStatement, DefStatement, Expr, ParamDecl, Statement } from "../reading/syntax";
import { bare, everyStatement, lastNameOf, rootsOf, walk } from "../reading/syntax";
import { calledBy, type Defs, inOrder, reboundAt, wholeOf } from "./evidence";

/** Who reads a part, and under which name. */
interface Reader {
  readonly def: DefStatement;
  readonly name: string;
}

/** A parameter or a part of it. */
export interface Part {
  /** By the keys or fields that are read. */
  readonly entries: Map<string, Part>;
  /** The class whose fields its entries are. */
  readonly of: string | null;
  /** What it is taken apart into. */
  items: readonly Part[] | null;
  /** Names that a loop gives the parts of one of the layers in it. */
  layer: readonly string[];
  /** Something computes with it as with one tensor. */
  isArray: boolean;
  readonly readers: Reader[];
}

const newPart = (of: string | null = null): Part => ({
  entries: new Map(),
  of,
  items: null,
  layer: [],
  isArray: false,
  readers: [],
});

/** A tensor of a parameter, under the name that it gets as an input. */
export interface Leaf {
  readonly name: string;
  readonly part: Part;
}

/** Calls and names are followed so deep. */
const MAX_DEPTH = 6;
/** So many layers stand for a list of them. */
const LAYERS_IN_LIST = 3;
/** Methods of what holds several. */
const OF_SEVERAL = /^(items|keys|values|get|copy|append|_replace|_asdict|replace)$/;
/** Functions that take what holds several as it is. */
const TAKES_ANY = /^(zip|len|list|tuple|dict|enumerate|reversed|isinstance|print|tree_map|map|cat|concatenate|stack)$/;

/** What is asked of anything: it computes nothing with it. */
const ASKS: ReadonlySet<string> = new Set(["not", "is", "is not", "in", "not in", "==", "!="]);
/** Names of lists of tensors. */
const LISTS = /^(grads|gradients|params|parameters|tensors|weights|losses)$/;

/** Names and defs of a text, by which parameters are followed. */
export interface Known {
  readonly defs: Defs;
  readonly classes: ReadonlyMap<string, ClassStatement>;
}

/** The defs and classes of a program that `main` may speak of: those at the top and its own. */
export const knownIn = (statements: readonly Statement[], main: DefStatement): Known => ({
  defs: new Map(
    [...statements, ...everyStatement(main.body)].flatMap((each) =>
      each.kind === "def" ? [[each.name.text, each] as const] : [],
    ),
  ),
  classes: new Map(statements.flatMap((each) => (each.kind === "class" ? [[each.name.text, each] as const] : []))),
});

/** Fields of a class of tensors alone, `class State(NamedTuple): pos: Array`; null of any other. */
function fieldsOf({ body }: ClassStatement): readonly string[] | null {
  const fields = body.flatMap((each) => {
    const target = each.kind === "assign" && each.annotation && !each.value ? bare(each.targets[0]!) : null;
    return each.kind === "assign" && target?.kind === "name"
      ? [[target.name, annotatedKind(each.annotation!)] as const]
      : [];
  });
  return fields.length > 0 && fields.every(([, kind]) => kind === "tensor") ? fields.map(([name]) => name) : null;
}

/** What `def` and all that it calls take its parameter for. */
export function partsOf(def: DefStatement, { name, annotation }: ParamDecl, known: Known): Part {
  const of = annotation ? known.classes.get(lastNameOf(annotation)) : undefined;
  const fields = of && fieldsOf(of);
  const part = newPart(fields ? of.name.text : null);
  for (const field of fields ?? []) part.entries.set(field, newPart());
  study(part, { def, name: name.text }, 0, known, 0);
  return part;
}

/** Whether it stands for several tensors. */
export const isSeveral = ({ isArray, entries, items, layer }: Part): boolean =>
  !isArray && (entries.size > 0 || items !== null || layer.length > 0);

/** Notes what is done to `part` where `reader` has it, behind `from`. */
function study(part: Part, reader: Reader, from: number, known: Known, depth: number): void {
  const { def, name } = reader;
  if (depth > MAX_DEPTH || part.readers.some((each) => each.def === def && each.name === name)) return;
  part.readers.push(reader);
  const until = reboundAt(def.body, name, from) ?? Infinity;
  const partOf = (expr: Expr): Part | null => {
    const inner = bare(expr);
    if (inner.kind === "name") return inner.name === name ? part : null;
    if (inner.kind === "member") {
      const whole = partOf(inner.object);
      return whole?.of ? (whole.entries.get(inner.name.text) ?? null) : null;
    }
    const [index] = inner.kind === "subscript" && inner.indices.length === 1 ? inner.indices : [];
    const key = index?.kind === "at" ? bare(index.value) : null;
    const whole = inner.kind === "subscript" && key?.kind === "string" ? partOf(inner.object) : null;
    if (!whole || key?.kind !== "string") return null;
    const found = whole.entries.get(key.value) ?? newPart();
    whole.entries.set(key.value, found);
    return found;
  };
  const follow = (found: Part, into: DefStatement | null | undefined, param: string | undefined): void => {
    if (into && param !== undefined) study(found, { def: into, name: param }, 0, known, depth + 1);
  };
  for (const statement of inOrder(def.body)) {
    if (statement.span.from < from || statement.span.from >= until) continue;
    noteBinding(statement, partOf, (found, alias) =>
      study(found, { def, name: alias }, statement.span.to, known, depth + 1),
    );
    for (const root of rootsOf(statement))
      for (const expr of noted(root, partOf)) {
        if (expr.kind === "comprehension") {
          const list = partOf(expr.iterable);
          const isList = bare(expr.target).kind === "tuple" || LISTS.test(name);
          if (list && isList && list.layer.length === 0) list.layer = namesOf(expr.target);
        }
        if (expr.kind === "call") noteCall(expr, partOf, known, follow);
        const computed =
          expr.kind === "binary" && !ASKS.has(expr.op)
            ? [expr.left, expr.right]
            : expr.kind === "unary" && !ASKS.has(expr.op)
              ? [expr.operand]
              : expr.kind === "member" && !OF_SEVERAL.test(expr.name.text)
                ? [expr.object]
                : [];
        for (const operand of computed) {
          const found = partOf(operand);
          if (found && !(expr.kind === "member" && found.of)) found.isArray = true;
        }
      }
  }
}

/** All expressions of `root`, once their parts are known in the order of the text. */
function noted(root: Expr, partOf: (expr: Expr) => Part | null): readonly Expr[] {
  const all = [...walk(root)].toSorted((a, b) => a.span.from - b.span.from);
  for (const expr of all) partOf(expr);
  return all;
}

/** `h, c = carry`, `p = params["mlp"]`, `for w, b in layers[:-1]`, `w, b = layers[-1]`. */
function noteBinding(
  statement: Statement,
  partOf: (expr: Expr) => Part | null,
  bind: (part: Part, name: string) => void,
): void {
  if (statement.kind === "for") {
    let over = bare(statement.iterable);
    while (over.kind === "subscript" && !partOf(over)) over = bare(over.object);
    const list = partOf(over);
    if (list) list.layer = namesOf(statement.target);
  }
  if (statement.kind !== "assign" || !statement.value) return;
  const [target, value] = [bare(statement.targets[0]!), bare(statement.value)];
  const index = value.kind === "subscript" && value.indices.length === 1 ? value.indices[0] : undefined;
  const list =
    value.kind === "subscript" && index?.kind === "at" && wholeOf(index.value) !== null ? partOf(value.object) : null;
  if (list && target.kind === "tuple") list.layer = list.layer.length > 0 ? list.layer : namesOf(target);
  const part = partOf(value);
  if (part) takeApart(part, target, bind);
}

function takeApart(part: Part, target: Expr, bind: (part: Part, name: string) => void): void {
  const expr = bare(target);
  if (expr.kind === "name") return bind(part, expr.name);
  if ((expr.kind !== "tuple" && expr.kind !== "list") || expr.starred.length > 0 || part.of) return;
  if (part.items && part.items.length !== expr.items.length) return;
  part.items ??= expr.items.map(() => newPart());
  for (const [i, item] of part.items.entries()) takeApart(item, expr.items[i]!, bind);
}

/** Names of a target; empty where it is more than names. */
function namesOf(target: Expr): readonly string[] {
  const expr = bare(target);
  const items = expr.kind === "tuple" || expr.kind === "list" ? expr.items.map(bare) : [expr];
  return items.flatMap((item) => (item.kind === "name" ? [item.name] : []));
}

/** What a call does to its arguments: a def of the text reads them, a loop of JAX hands them on, and an op takes a tensor. */
function noteCall(
  { callee, args }: CallExpr,
  partOf: (expr: Expr) => Part | null,
  { defs }: Known,
  follow: (part: Part, into: DefStatement | null | undefined, param: string | undefined) => void,
): void {
  const word = lastNameOf(callee);
  const inner = bare(callee);
  const functionIn = (expr: Expr | undefined): DefStatement | undefined => {
    const of = expr && bare(expr);
    return of?.kind === "lambda" ? of.def : of?.kind === "name" ? defs.get(of.name) : undefined;
  };
  // `value_and_grad(loss)(params, batch)` gives its arguments to `loss`.
  const called = inner.kind === "call" ? functionIn(inner.args[0]?.value) : calledBy(callee, defs);
  const carrying = CARRIES.get(word);
  const body = carrying && functionIn(args[carrying.body]?.value);
  for (const [i, { name, value }] of args.entries()) {
    const part = partOf(value);
    if (!part) continue;
    const own = called?.params.filter((param) => param.name.text !== "self") ?? [];
    const param = name ? own.find((each) => each.name.text === name.text) : own[i];
    if (called) follow(part, called, param?.name.text);
    else if (body) follow(part, body, body.params[i - carrying.first + carrying.into]?.name.text);
    else if (findOp(word) && !TAKES_ANY.test(word)) part.isArray = true;
  }
}

/** Loops of JAX: which argument is the body, and from which one on they are what it takes from its parameter `into` on. */
const CARRIES: ReadonlyMap<string, { readonly body: number; readonly first: number; readonly into: number }> = new Map([
  ["scan", { body: 0, first: 1, into: 0 }],
  ["fori_loop", { body: 2, first: 3, into: 1 }],
  ["while_loop", { body: 1, first: 2, into: 0 }],
]);

/** What to write for a part: its tensors under names of their own, and the value that is made of them. */
export function spread(
  part: Part,
  param: string,
  path: readonly string[] = [],
): { readonly text: string; readonly leaves: readonly Leaf[] } {
  if (!isSeveral(part)) {
    const name = path.length === 0 ? param : wordOf(path);
    return { text: name, leaves: [{ name, part }] };
  }
  if (part.items) {
    const items = part.items.map((item, i) => spread(item, param, [...(path.length > 0 ? path : [param]), `${i}`]));
    return { text: `(${items.map(({ text }) => text).join(", ")})`, leaves: items.flatMap(({ leaves }) => leaves) };
  }
  if (part.layer.length > 0) {
    const rows = Array.from({ length: LAYERS_IN_LIST }, (_, i) =>
      part.layer.map((name) => ({ name: `${name}_${i}`, part: newPart() })),
    );
    const text = rows.map((row) => `(${row.map(({ name }) => name).join(", ")})`).join(", ");
    return { text: `(${text})`, leaves: rows.flat() };
  }
  const start = part.of && path.length === 0 ? [param] : path;
  const entries = [...part.entries].map(([key, entry]) => [key, spread(entry, param, [...start, key])] as const);
  const fields = entries.map(([key, { text }]) => (part.of ? `${key}=${text}` : `${JSON.stringify(key)}: ${text}`));
  return {
    text: part.of ? `${part.of}(${fields.join(", ")})` : `{${fields.join(", ")}}`,
    leaves: entries.flatMap(([, { leaves }]) => leaves),
  };
}

/** A name made of keys. */
export const wordOf = (keys: readonly string[]): string =>
  keys
    .join("_")
    .replaceAll(/\W/g, "_")
    .replace(/^(?=\d)/, "_");

/** @file What a text says of the shapes of what goes into a def, without being run: `b, c, h, w = x.shape`, `boxes[:, 3]`, "x: [B, T, C]" in a comment. */
import { findOp, type Param } from "../../ops";
import { MODULES } from "../calls/names";
import { libraryDef } from "../library/library";
import type { CallExpr, DefStatement, Expr, Index, ParamDecl, Statement } from "../reading/syntax";
import { bare, childrenOf, everyStatement, lastNameOf, rootsOf, walk } from "../reading/syntax";

/** What is known of one parameter. */
export interface Evidence {
  /** Names or sizes of its axes, all of them; null where nothing says how many there are. */
  readonly axes: readonly string[] | null;
  /** It has at least so many axes. */
  readonly least: number;
  /** Extents by axis, from the front or, below 0, from the end. */
  readonly extents: ReadonlyMap<number, number>;
  /** What reads it as more than numbers: `w[x]`, or `x` in `range(x)` and `v[:x]`. */
  readonly reads: "index" | "whole" | null;
}

/** The defs of a text by name, methods too. */
export type Defs = ReadonlyMap<string, DefStatement>;

interface Gathering {
  axes: readonly string[] | null;
  least: number;
  readonly extents: Map<number, number>;
  /** Axes that are also read from their end or by what is not written: what is written says nothing of them. */
  readonly open: Set<number>;
  reads: Evidence["reads"];
}

/** Calls are followed so deep. */
const MAX_DEPTH = 3;
/** Longer axes are not guessed from indices that are written. */
const MAX_EXTENT = 64;
/** Calls that leave a shape as it is. */
const ALIKE =
  /^(float|double|half|to|type|astype|contiguous|detach|clone|cpu|cuda|asarray|array|type_as|requires_grad_)$/;

/** What all of the text says of the parameter `name` of `def`. */
export const evidenceOf = (text: string, def: DefStatement, name: string, defs: Defs): Evidence =>
  evidenceAt(text, def, name, defs, 0);

function evidenceAt(text: string, def: DefStatement, name: string, defs: Defs, depth: number): Evidence {
  const found: Gathering = { axes: null, least: 0, extents: new Map(), open: new Set(), reads: null };
  gather(text, def, name, defs, found, depth);
  const extents = new Map([...found.extents].filter(([axis]) => !found.open.has(axis)));
  return { axes: found.axes, least: found.least, extents, reads: found.reads };
}

function gather(text: string, def: DefStatement, name: string, defs: Defs, found: Gathering, depth: number): void {
  const isParam = def.params.some((param) => param.name.text === name);
  const bound = reboundAt(def.body, name, 0);
  const until = (isParam ? bound : bound && reboundAt(def.body, name, bound)) ?? def.span.to;
  found.axes ??= saidAxes(text, def, name, until);
  for (const statement of inOrder(def.body)) {
    if (statement.span.from >= until) return;
    noteUnpacking(statement, name, found);
    for (const alias of depth < MAX_DEPTH ? rowsNamed(statement, name) : []) {
      const of = evidenceAt(text, def, alias, defs, depth + 1);
      if (of.reads === "index") found.reads ??= "index";
      found.least = Math.max(found.least, 1 + Math.max(of.least, of.axes?.length ?? 0, of.reads === "index" ? 1 : 0));
    }
    const derived = depth < MAX_DEPTH ? numberNamed(statement, name) : null;
    if (derived !== null && evidenceAt(text, def, derived, defs, depth + 1).reads === "whole") found.reads = "whole";
    for (const root of [...rootsOf(statement), ...partsWritten(statement)]) {
      for (const expr of walk(root)) {
        noteExpression(expr, name, found);
        if (depth < MAX_DEPTH && expr.kind === "call") {
          const called = calledBy(expr.callee, defs);
          for (const [i, arg] of called ? expr.args.entries() : []) {
            if (!isOf(arg.value, name)) continue;
            const own = called!.params.filter((param) => param.name.text !== "self");
            const param = arg.name ? own.find((each) => each.name.text === arg.name!.text) : own[i];
            if (param) gather(text, called!, param.name.text, defs, found, depth + 1);
          }
        }
      }
    }
  }
}

/** `x[rows, y]` where elements are assigned to. */
const partsWritten = (statement: Statement): readonly Expr[] => {
  const targets =
    statement.kind === "assign" ? statement.targets : statement.kind === "update" ? [statement.target] : [];
  return targets.filter((target) => bare(target).kind === "subscript");
};

/** The name of a number that is computed from `name`: `half = dim // 2`. */
function numberNamed(statement: Statement, name: string): string | null {
  if (statement.kind !== "assign" || !statement.value) return null;
  const [target, value] = [bare(statement.targets[0]!), bare(statement.value)];
  const isNumber = value.kind === "binary" && /^(\/\/|[*+-])$/.test(value.op) && target.kind === "name";
  return isNumber && target.name !== name && numbersIn(value).some((each) => isOf(each, name)) ? target.name : null;
}

/** Names of rows: `row, col = edges[0], edges[1]`. */
function rowsNamed(statement: Statement, name: string): readonly string[] {
  if (statement.kind !== "assign" || !statement.value) return [];
  const [target, value] = [bare(statement.targets[0]!), bare(statement.value)];
  const pairs =
    target.kind === "tuple" && value.kind === "tuple" && target.items.length === value.items.length
      ? target.items.map((item, i) => [bare(item), bare(value.items[i]!)] as const)
      : [[target, value] as const];
  return pairs.flatMap(([to, from]) => {
    const [at] = from.kind === "subscript" && from.indices.length === 1 ? from.indices : [];
    const isRow =
      from.kind === "subscript" && isOf(from.object, name) && at?.kind === "at" && wholeOf(at.value) !== null;
    return isRow && to.kind === "name" && to.name !== name ? [to.name] : [];
  });
}

/** Statements with those of their bodies, as they stand in the text. */
export const inOrder = (body: readonly Statement[]): readonly Statement[] =>
  [...everyStatement(body)].toSorted((a, b) => a.span.from - b.span.from);

/** Where the value of `name` becomes another one behind `from`; null where it never does. */
export function reboundAt(body: readonly Statement[], name: string, from: number): number | null {
  for (const each of inOrder(body)) {
    if (each.span.from < from) continue;
    const targets = each.kind === "assign" ? each.targets : each.kind === "for" ? [each.target] : [];
    const isBound = targets.flatMap((target) => [...walk(target)]).some((t) => t.kind === "name" && t.name === name);
    // What the statement itself reads is still the parameter.
    if (isBound && !(each.kind === "assign" && each.value && isOf(each.value, name))) return each.span.to;
  }
  return null;
}

/** The def of the text that is called. */
export function calledBy(callee: Expr, defs: Defs): DefStatement | undefined {
  const inner = bare(callee);
  const isOwn = inner.kind === "name" || (inner.kind === "member" && isOf(inner.object, "self"));
  return isOwn ? defs.get(lastNameOf(inner)) : undefined;
}

/** Whether `expr` is `name`, or the same in another form: `x.float()`. */
function isOf(expr: Expr, name: string): boolean {
  const inner = bare(expr);
  if (inner.kind === "name") return inner.name === name;
  if (inner.kind !== "call" || !ALIKE.test(lastNameOf(inner.callee))) return false;
  const callee = bare(inner.callee);
  if (callee.kind === "member" && isOf(callee.object, name)) return true;
  return inner.args.length > 0 && isOf(inner.args[0]!.value, name);
}

/** A whole number that is written. */
export const wholeOf = (expr: Expr | null): number | null => {
  const inner = expr && bare(expr);
  if (inner?.kind === "number" && inner.whole) return inner.value;
  const negative = inner?.kind === "unary" && inner.op === "-" ? bare(inner.operand) : null;
  return negative?.kind === "number" && negative.whole ? -negative.value : null;
};

/** Whether `expr` is the shape of `name`. */
function isShapeOf(expr: Expr, name: string): boolean {
  const inner = bare(expr);
  if (inner.kind === "member") return inner.name.text === "shape" && isOf(inner.object, name);
  if (inner.kind !== "call") return false;
  const callee = bare(inner.callee);
  if (callee.kind === "member" && callee.name.text === "size" && inner.args.length === 0)
    return isOf(callee.object, name);
  return lastNameOf(callee) === "shape" && inner.args.length === 1 && isOf(inner.args[0]!.value, name);
}

/** `b, c, h, w = x.shape` names all axes; `x, y, z = points.unbind(-1)` says how long one is. */
function noteUnpacking(statement: Statement, name: string, found: Gathering): void {
  const target = statement.kind === "assign" && statement.value ? bare(statement.targets[0]!) : null;
  if (statement.kind !== "assign" || (target?.kind !== "tuple" && target?.kind !== "list")) return;
  const value = bare(statement.value!);
  if (isShapeOf(value, name)) {
    if (target.starred.length > 0) found.least = Math.max(found.least, target.items.length - 1);
    else found.axes ??= target.items.map((item) => lastNameOf(item));
    return;
  }
  if (isOf(value, name) && target.starred.length === 0) return noteExtent(found, 0, target.items.length);
  const callee = value.kind === "call" ? bare(value.callee) : null;
  if (value.kind !== "call" || lastNameOf(value.callee) !== "unbind" || target.starred.length > 0) return;
  const isMethod = callee?.kind === "member" && isOf(callee.object, name);
  if (!isMethod && !(value.args.length > 0 && isOf(value.args[0]!.value, name))) return;
  const axis = value.args.find((arg) => wholeOf(arg.value) !== null);
  noteExtent(found, axis ? wholeOf(axis.value)! : 0, target.items.length);
}

function noteExtent(found: Gathering, axis: number, extent: number): void {
  if (extent > MAX_EXTENT) return;
  found.extents.set(axis, Math.max(found.extents.get(axis) ?? 0, extent));
  found.least = Math.max(found.least, axis < 0 ? -axis : axis + 1);
}

function noteExpression(expr: Expr, name: string, found: Gathering): void {
  if (expr.kind === "subscript") noteSubscript(expr, name, found);
  if (expr.kind !== "call") return;
  const callee = bare(expr.callee);
  const word = lastNameOf(callee);
  if ((word === "range" || word === "arange") && expr.args.some((arg) => isOf(arg.value, name))) found.reads = "whole";
  noteParameter(expr, name, found);
  if (callee.kind === "member" && word === "permute" && isOf(callee.object, name)) {
    const axes = expr.args.flatMap(({ value }) => (value.kind === "tuple" ? value.items : [value]));
    if (axes.length > 1) found.axes ??= axes.map(() => "");
  }
  if (
    callee.kind === "member" &&
    /^(view|reshape)$/.test(word) &&
    isOf(callee.object, name) &&
    expr.args.length === 2
  ) {
    const [rows, width] = expr.args.map(({ value }) => wholeOf(value));
    if (rows === -1 && width !== null && width! > 1) found.axes ??= ["", `${width}`];
  }
  if (callee.kind === "member" && word === "size" && isOf(callee.object, name) && expr.args.length === 1)
    noteAxis(found, wholeOf(expr.args[0]!.value));
  noteSpelled(
    expr.args.map(({ value }) => bare(value)),
    name,
    found,
  );
}

/** What sizes and axes are computed from, `n` in `x.view(2 * n, -1)`. */
function numbersIn(expr: Expr): readonly Expr[] {
  const inner = bare(expr);
  if (inner.kind === "name") return [inner];
  const isNumber = inner.kind === "binary" || inner.kind === "unary" || inner.kind === "tuple" || inner.kind === "list";
  return isNumber ? childrenOf(inner).flatMap(numbersIn) : [];
}

const SIZES: ReadonlySet<Param["kind"]> = new Set(["int", "axis", "axes", "shape", "ints"]);
const IDS = /(^|_)(index|indices|ids?|labels?|targets?)$/;

/** What the parameter of a known op or function that `name` goes into asks for: a size or an axis, or indices. */
function noteParameter(expr: CallExpr, name: string, found: Gathering): void {
  const callee = bare(expr.callee);
  const word = lastNameOf(callee);
  const op = findOp(word);
  // What takes a tensor where others take an axis says nothing.
  if (op?.withTensor || op?.withAxisFirst) return;
  const names =
    op?.params ??
    libraryDef(word, null)?.params.map((param) => ({ names: [param.name.text], kind: "tensor" as const }));
  if (!names) return;
  let root = callee;
  while (root.kind === "member") root = root.object;
  // A layer is called after what it does, and takes tensors alone.
  if (root !== callee && root.kind === "name" && root.name === "self") return;
  const isMethod = callee.kind === "member" && !(root.kind === "name" && MODULES.has(root.name));
  for (const [i, arg] of expr.args.entries()) {
    if (!numbersIn(arg.value).some((each) => isOf(each, name))) continue;
    const at = Math.min(i + (isMethod ? 1 : 0), names.length - 1);
    const param = arg.name ? names.find((each) => each.names.includes(arg.name!.text)) : names[at];
    if (!param) continue;
    if (SIZES.has(param.kind)) found.reads = "whole";
    else if (isOf(arg.value, name) && param.names.some((each) => IDS.test(each))) found.reads ??= "index";
  }
}

const noteAxis = (found: Gathering, axis: number | null): void => {
  if (axis !== null) found.least = Math.max(found.least, axis < 0 ? -axis : axis + 1);
};

/** `einsum("bhqd,bhkd->bhqk", q, k)` and `rearrange(x, "b c h w -> …")` spell the axes out. */
function noteSpelled(args: readonly Expr[], name: string, found: Gathering): void {
  const spelled = args.find((arg) => arg.kind === "string" && arg.value.includes("->"));
  if (spelled?.kind !== "string") return;
  const [left] = spelled.value.split("->") as [string];
  const at = args.filter((arg) => arg !== spelled).findIndex((arg) => isOf(arg, name));
  if (at < 0 || left.includes(".")) return;
  if (args[0] === spelled) found.axes ??= (left.split(",")[at] ?? "").replaceAll(" ", "").split("");
  else if (at === 0)
    found.axes ??= (left.match(/\([^)]*\)|\S+/g) ?? []).map((axis) => (axis.startsWith("(") ? "" : axis));
}

/** `boxes[:, 3]` has an axis of 4; `w[x]` makes `x` an index, `v[:x]` a number. */
function noteSubscript(
  { object, indices }: Extract<Expr, { kind: "subscript" }>,
  name: string,
  found: Gathering,
): void {
  for (const index of indices) {
    if (index.kind === "at" && isOf(index.value, name)) found.reads ??= "index";
    const bounds = index.kind === "slice" ? [index.start, index.stop].filter((bound) => bound !== null) : [];
    if (bounds.some((bound) => [...walk(bound)].some((part) => part.kind === "name" && part.name === name)))
      found.reads = "whole";
  }
  if (isShapeOf(object, name) && indices[0]?.kind === "at") noteAxis(found, wholeOf(indices[0].value));
  if (!isOf(object, name)) return;
  const isAll = (i: number): boolean => {
    const index = indices[i]!;
    return index.kind === "at" && bare(index.value).kind === "hole";
  };
  const real = indices.flatMap((index, i) =>
    index.kind === "at" && bare(index.value).kind === "none" ? [] : [{ index, isAll: isAll(i) }],
  );
  // `sin[None, :, :]` speaks of all axes.
  const isFull = (index: Index): boolean =>
    index.kind === "slice" && index.start === null && index.stop === null && index.step === null;
  if (real.length >= 2 && real.length < indices.length && real.every(({ index }) => isFull(index)))
    found.axes ??= real.map(() => "");
  const gap = real.findIndex((each) => each.isAll);
  found.least = Math.max(found.least, gap < 0 ? real.length : real.length - 1);
  for (const [i, { index, isAll: all }] of real.entries()) {
    if (all) continue;
    const axis = gap >= 0 && i > gap ? i - real.length : i;
    if (index.kind === "at") {
      const at = wholeOf(index.value);
      if (at === null || at < 0) found.open.add(axis);
      else if (at > 0) noteExtent(found, axis, at + 1);
      continue;
    }
    const [start, stop] = [wholeOf(index.start), wholeOf(index.stop)];
    const isWritten = (index.start === null || (start ?? -1) >= 0) && (index.stop === null || (stop ?? -1) > 0);
    if (index.start === null && index.stop === null) continue;
    if (!isWritten || index.step !== null || start === 1) found.open.add(axis);
    else noteExtent(found, axis, stop ?? 2 * start!);
  }
}

/** Axes in a comment, a docstring or an annotation: `# (B, L, D)`, "features: [batch, views, dim]", `Float[Array, "n d"]`. */
function saidAxes(text: string, def: DefStatement, name: string, until: number): readonly string[] | null {
  const param = def.params.find((each) => each.name.text === name);
  const said = param?.annotation ? spelledIn(param.annotation) : null;
  if (said || !param) return said;
  const rest = text.slice(param.span.to, text.indexOf("\n", param.span.to) + 1 || text.length);
  const behind = /^\s*,?\s*(?:\).*)?#(.*)/.exec(rest);
  const listed = behind && axesIn(behind[1]!);
  if (listed) return listed;
  const lines = text.slice(def.paramsSpan.from, until).split("\n");
  const isOwn = new RegExp(`^[\\s#*:\\-\`"']*(?:(?:param|arg|inputs?|args)\\b[\\s:]*)?\`{0,2}${name}(?![\\w.(])(.*)`);
  const remarks = [...docLines(def), ...lines.flatMap((line) => /#(.*)/.exec(line)?.[1] ?? [])];
  for (const line of remarks) {
    const axes = axesIn(isOwn.exec(line)?.[1] ?? "");
    if (axes) return axes;
  }
  return null;
}

/** The lines of a def's docstring. */
function docLines({ body }: DefStatement): readonly string[] {
  const [first] = body;
  const doc = first?.kind === "expression" ? bare(first.value) : null;
  return doc?.kind === "string" ? doc.value.split("\n") : [];
}

/** The axes of jaxtyping's `Float[Array, "batch dim"]`. */
function spelledIn(annotation: Expr): readonly string[] | null {
  const inner = bare(annotation);
  const last = inner.kind === "subscript" ? inner.indices.at(-1) : null;
  const words = last?.kind === "at" ? bare(last.value) : null;
  if (inner.kind !== "subscript" || inner.indices.length !== 2 || words?.kind !== "string") return null;
  const axes = words.value.trim().split(/\s+/).filter(Boolean);
  return axes.some((axis) => /^(\.\.\.|\*)/.test(axis)) ? null : axes;
}

const AXIS = String.raw`(?:\d+\s*\*\s*)?[A-Za-z_]\w*(?:\s*[*+/-]+\s*\w+)?|\d+`;
const LISTED = new RegExp(
  String.raw`[[(]\s*((?:${AXIS})(?:\s*(?:,|[x×])\s*(?:${AXIS}))+|(?:[A-Z]\w*|\d+)\s*,?)\s*[\])]`,
  "g",
);
/** What stands in brackets and is no list of axes. */
const NO_AXES =
  /^(optional|default|torch|np|jnp|numpy|array|tensor|int|float|bool|str|list|tuple|none|ndarray|callable|true|false|e|i)\b/i;

/** The first list of axes in a remark: `[B, N, 4]`, `(batch, seq)`, `(Nx4)`. */
function axesIn(remark: string): readonly string[] | null {
  for (const [, listed] of remark.matchAll(LISTED)) {
    const parts = /^[A-Z]x\d+$/.test(listed!) ? listed!.split("x") : listed!.split(/\s*,\s*|\s+[x×]\s+|×/);
    const axes = parts.map((part) => part.trim()).filter((part) => part !== "");
    if (!axes.some((axis) => NO_AXES.test(axis))) return axes;
  }
  return null;
}

/** Whether the def itself refuses to go without what it takes None for: `if x is None: raise …`. */
export const refusesNone = ({ body }: DefStatement, { name, value }: ParamDecl): boolean =>
  value?.kind === "none" &&
  [...everyStatement(body)].some(
    (each) =>
      each.kind === "if" &&
      each.branches.some(({ test, body: [first] }) => {
        const asked = bare(test);
        return (
          first?.kind === "raise" &&
          asked.kind === "binary" &&
          asked.op === "is" &&
          asked.left.kind === "name" &&
          asked.left.name === name.text &&
          asked.right.kind === "none"
        );
      }),
  );

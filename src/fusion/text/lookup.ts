/** @file What a bare name stands for, and the best advice when it stands for nothing. */
import { broadcastShapes, type Shape, type Span } from "../ir";
import { activations, findOp } from "../ops";
import type { Interpreter, StatementRun } from "./interpreter";
import { isLayer } from "./layers/layer";
import { libraryClass } from "./library/library";
import { DTYPES, MODULES, NUMBERS } from "./calls/names";
import { currentAll } from "./calls/memory";
import { throughSelf } from "./objects/inheritance";
import { nearest } from "./suggest";
import { Diagnostics } from "./reading/diagnostics";
import { readProgram } from "./reading/read";
import { isBuiltin } from "./values/builtins";
import { aboutParser } from "./reading/mistakes";
import { bare, everyStatement, rootsOf, walk, type Expr, type NameExpr } from "./reading/syntax";
import { latest } from "./values/grown";
import { BROKEN, numberValue, Scope, type Value } from "./values/values";

const ACTIVATIONS_BY_NAME: Value = {
  kind: "dict",
  entries: new Map(
    [...activations].map(([name, op]) => [name, { value: { kind: "op", op }, path: "", expr: null }] as const),
  ),
};

/** The value of a name that is read; a use is noted with its symbol. */
export function nameValue(interpreter: Interpreter, run: StatementRun, { name, span }: NameExpr): Value {
  const bound = run.frame.scope.find(name);
  if (bound) {
    bound.symbol.addUse(span);
    return currentAll(interpreter, run, { kind: "name", name, span }, latest(interpreter, bound.value));
  }
  // Tables of activations by the names that configurations give them.
  if (name === "ACT2FN") return ACTIVATIONS_BY_NAME;
  // What says where something is computed changes no value, whatever it is called.
  if (/^_?dev(ice)?$/i.test(name)) return { kind: "string", value: "device" };
  if (name === "__name__") return { kind: "string", value: "__main__" };
  const dtype = DTYPES.get(name);
  if (dtype) return { kind: "dtype", dtype };
  const number = NUMBERS.get(name);
  if (number !== undefined) return numberValue(number, false);
  if (MODULES.has(name)) return { kind: "module", name };
  if (isLayer(name)) return { kind: "layer-class", name };
  const of = libraryClass(name);
  if (of) return { kind: "class", of };
  const op = findOp(name);
  if (op && op.kind !== "source") return { kind: "op", op };
  if (name === "Ellipsis") return { kind: "hole" };
  if (isBuiltin(name)) return builtinAsValue(name);
  unknownName(interpreter, run, { kind: "name", name, span });
  return BROKEN;
}

const asValues = new Map<string, Value>();

/** One of Python's own functions that is handed on, `map(len, rows)`: as a def that calls it. */
function builtinAsValue(name: string): Value {
  const known = asValues.get(name);
  if (known) return known;
  const [statement] = readProgram(`lambda *items: ${name}(*items)`, new Diagnostics(), Infinity).statements;
  const expr = statement?.kind === "expression" ? bare(statement.value) : null;
  const value: Value = expr?.kind === "lambda" ? { kind: "def", def: expr.def, scope: new Scope(null, "") } : BROKEN;
  asValues.set(name, value);
  return value;
}

/** The method that this stands in, by its name. */
function methodAround({ statements }: Interpreter, { from }: Span): string | null {
  for (const each of everyStatement(statements)) {
    const methods = each.kind === "class" ? each.body : [];
    const found = methods.find((method) => method.kind === "def" && method.span.from <= from && from < method.span.to);
    if (found?.kind === "def") return found.name.text;
  }
  return null;
}

const imports = new WeakMap<Interpreter, ReadonlySet<string>>();

/** Whether an `import` of the text gives this name: those of known libraries mean something without it. */
function isImported(interpreter: Interpreter, name: string): boolean {
  let names = imports.get(interpreter);
  if (!names) {
    const lists = [...interpreter.text.matchAll(/^[ \t]*import[ \t]+([^\n#;]*)/gm)].map(([, list]) => list!.split(","));
    names = new Set(lists.flat().map((each) => (/\bas\s+(\w+)/.exec(each) ?? /(\w+)/.exec(each))?.[1] ?? ""));
    imports.set(interpreter, names);
  }
  return names.has(name);
}

/** The shape that an expression seems to have: what is elementwise has that of its tensors; null where it names none. */
function shapeSeen(interpreter: Interpreter, run: StatementRun, given: Expr): Shape | null {
  const expr = bare(given);
  const seen = (each: Expr): Shape | null => shapeSeen(interpreter, run, each);
  if (expr.kind === "name") {
    const value = run.frame.scope.find(expr.name)?.value;
    return value?.kind === "tensor" ? interpreter.nodes.get(value.node)!.type.shape : null;
  }
  if (expr.kind === "unary") return seen(expr.operand);
  if (expr.kind === "call") {
    const { callee, args } = expr;
    const object = callee.kind === "member" ? seen(callee.object) : null;
    return args.reduce((found, { value }) => found ?? seen(value), object);
  }
  if (expr.kind !== "binary") return null;
  const [left, right] = [seen(expr.left), seen(expr.right)];
  if (!left || !right) return left ?? right;
  return expr.op === "@" ? [...left.slice(0, -1), ...right.slice(-1)] : broadcastShapes(left, right);
}

/** A shape that fits what stands beside the name at `span`, as the other side of an operator or as another argument; a usual one where nothing does. */
function shapeBeside(interpreter: Interpreter, run: StatementRun, span: Span): Shape {
  const isHere = (expr: Expr): boolean => bare(expr).span.from === span.from;
  for (const expr of rootsOf(run.statement).flatMap((root) => [...walk(root)])) {
    if (expr.kind === "call" && expr.args.some(({ value }) => isHere(value))) {
      const shape = shapeSeen(interpreter, run, expr);
      if (shape && shape.length > 0) return shape;
    }
    if (expr.kind !== "binary" || !(isHere(expr.left) || isHere(expr.right))) continue;
    const isLeft = isHere(expr.left);
    const shape = shapeSeen(interpreter, run, isLeft ? expr.right : expr.left) ?? [];
    if (shape.length === 0) continue;
    const shared = shape.at(isLeft ? -2 : -1);
    return expr.op === "@" && shared !== undefined ? [shared, shared] : shape;
  }
  return [1024, 1024];
}

function unknownName(interpreter: Interpreter, run: StatementRun, { name, span }: NameExpr): void {
  const later = interpreter.firstDefinition.get(name);
  if (later && later.from > span.from) {
    interpreter.readEarly.add(name);
    interpreter.diagnostics.add(
      "used-before-definition",
      span,
      `\`${name}\` is defined only further down. Move that line above this one.`,
    );
    return;
  }
  const sign = /[–—−×÷“”‘’]/.test(name) ? aboutParser(interpreter.text, span.from) : null;
  if (sign) return interpreter.diagnostics.add("syntax", sign.span, sign.text);
  if (name === "self") {
    const def = methodAround(interpreter, span);
    const text = def
      ? `\`${def}\` needs \`self\` as its first parameter: def ${def}(self, …).`
      : "`self` has no meaning outside a pasted method: name the weights as inputs.";
    interpreter.diagnostics.add("unknown-name", span, text);
    return;
  }
  if (isImported(interpreter, name)) {
    const text = `\`${name}\` is a library that is not known here: write it with ops of PyTorch, JAX or NumPy, or give its result as an input.`;
    interpreter.diagnostics.add("unknown-name", span, text);
    return;
  }
  const near = throughSelf(run.frame.method, name) ?? nearest(name, run.frame.scope.visible());
  const start = interpreter.text.startsWith('"""') || interpreter.text.startsWith("'''") ? null : 0;
  const type = `f32[${shapeBeside(interpreter, run, span).join(", ")}]`;
  const declare = {
    title: `Declare ${name} as an input`,
    edits: [{ span: { from: start ?? 0, to: start ?? 0 }, insert: `${name}: ${type}\n` }],
  };
  const change = near && { title: `Change to ${near}`, edits: [{ span, insert: near }] };
  interpreter.diagnostics.add(
    "unknown-name",
    span,
    `Nothing is called \`${name}\`. ${near ? `Did you mean \`${near}\`?` : `Declare it first: ${name}: ${type}.`}`,
    { fixes: [...(change ? [change] : []), ...(start === null ? [] : [declare])] },
  );
}

/** @file Inputs: `x: f32[8192, 4096] = randn(seed=7)`. Types, roles and where a run's data comes from. */
import type { Attrs, Span, TensorType } from "../../ir";
import { sizeOf } from "../../ir";
import { dataProblem } from "../../datasets";
import { numberOf, opDef, withDefaults } from "../../ops";
import { evaluate } from "../evaluate";
import { startingWeights } from "../layers/starting-weights";
import type { Interpreter, StatementRun } from "../interpreter";
import { addNode } from "../interpreter";
import { DTYPES, SOURCES } from "../calls/names";
import { nearest } from "../suggest";
import { FARTHEST_MEAN, normalStart } from "./starting-values";
import type { CallExpr, Expr, ParamDecl } from "../reading/syntax";
import { bare } from "../reading/syntax";
import { BROKEN, describe, isBroken, tensorValue, type Value } from "../values/values";

const MAX_ELEMENTS = 2 ** 40;

/** Last word of a dotted name, or null. */
function lastName(expr: Expr): string | null {
  return expr.kind === "name" ? expr.name : expr.kind === "member" ? expr.name.text : null;
}

function sizeAt(interpreter: Interpreter, run: StatementRun, expr: Expr, path: string): number | null {
  const value = evaluate(interpreter, run, expr, path);
  if (value.kind === "number" && Number.isInteger(value.value) && value.value >= 0) return value.value;
  if (!isBroken(value)) {
    const what = value.kind === "number" ? `${value.value}` : describe(value);
    interpreter.diagnostics.add("bad-size", expr.span, `A size is a whole number from 0 on; this is ${what}.`);
  }
  return null;
}

/** The type an annotation says; null after a diagnostic. */
export function readType(
  interpreter: Interpreter,
  run: StatementRun,
  annotation: Expr,
  path: string,
): TensorType | null {
  const expr = bare(annotation);
  if (expr.kind === "bad") return null;
  const head = expr.kind === "subscript" ? expr.object : expr;
  const name = lastName(head);
  const dtype = name === null ? undefined : DTYPES.get(name);
  if (!dtype) {
    const near = name === null ? null : nearest(name, ["f32", "f16", "i32", "bool"]);
    const example =
      expr.kind === "subscript" ? interpreter.text.slice(expr.object.span.to, expr.span.to) : "[1024, 1024]";
    interpreter.diagnostics.add(
      "bad-type",
      head.span,
      `A type is f32, f16, i32 or bool with its sizes, such as f32${example}.${near ? ` Did you mean \`${near}\`?` : ""}`,
      {
        fixes: [
          {
            title: `Change to ${near ?? `f32${expr.kind === "subscript" ? "" : "[1024, 1024]"}`}`,
            edits: [{ span: head.span, insert: near ?? (expr.kind === "subscript" ? "f32" : "f32[1024, 1024]") }],
          },
        ],
      },
    );
    return null;
  }
  if (expr.kind !== "subscript") return { dtype, shape: [] };
  const shape: number[] = [];
  let ok = true;
  expr.indices.forEach((index, i) => {
    if (index.kind === "slice") {
      interpreter.diagnostics.add("bad-size", expr.span, "A size is a whole number; a slice has no meaning in a type.");
      ok = false;
      return;
    }
    const size = sizeAt(interpreter, run, index.value, `${path}/type/${i}`);
    if (size === null) ok = false;
    else shape.push(size);
  });
  if (ok && sizeOf(shape) > MAX_ELEMENTS) {
    interpreter.diagnostics.add(
      "too-big",
      expr.span,
      `That is ${sizeOf(shape)} elements; at most ${MAX_ELEMENTS} make sense here.`,
    );
    ok = false;
  }
  return ok ? { dtype, shape } : null;
}

/** The call that says where an input's data comes from, or null when `value` is something else. */
export function sourceCall(value: Expr): CallExpr | null {
  const expr = bare(value);
  if (expr.kind !== "call") return null;
  const name = lastName(expr.callee);
  return name !== null && SOURCES.has(name) ? expr : null;
}

interface SourceSpec {
  readonly positional: readonly string[];
  /** Taken as keywords only. */
  readonly named?: readonly string[];
  readonly attrs: Attrs;
}
const SPECS: ReadonlyMap<string, SourceSpec> = new Map<string, SourceSpec>([
  ["randn", { positional: ["seed"], named: ["mean", "std", "seed"], attrs: { source: "randn" } }],
  ["normal", { positional: ["mean", "std", "seed"], attrs: { source: "randn" } }],
  ["uniform", { positional: ["lo", "hi", "seed"], attrs: { source: "uniform", lo: 0, hi: 1 } }],
  ["rand", { positional: ["seed"], attrs: { source: "uniform", lo: 0, hi: 1 } }],
  ["zeros", { positional: [], attrs: { source: "zeros" } }],
  ["ones", { positional: [], attrs: { source: "ones" } }],
  ["arange", { positional: [], attrs: { source: "arange" } }],
  ["param", { positional: [], attrs: { source: "randn", role: "param" } }],
  ["const", { positional: ["values"], attrs: { source: "values", role: "const" } }],
  ["state", { positional: [], attrs: { source: "zeros", role: "state" } }],
  ["data", { positional: ["set", "part", "seed"], attrs: { source: "data" } }],
]);
/** Sources that may say by another one what they begin with: `param(zeros())`. */
const WRAPS: ReadonlySet<string> = new Set(["param", "state"]);
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ["low", "lo"],
  ["high", "hi"],
  ["stddev", "std"],
  ["loc", "mean"],
  ["scale", "std"],
  ["minval", "lo"],
  ["maxval", "hi"],
  ["key", "seed"],
]);

const FAR = `A deviation here is above 0, and a mean at most ${FARTHEST_MEAN} times it: draw around 0, and add the mean.`;

function flatNumbers(value: Value): number[] | null {
  const numbers: number[] = [];
  const left: Value[] = [value];
  for (let item = left.pop(); item; item = left.pop()) {
    if (item.kind === "number") numbers.push(item.value);
    else if (item.kind === "bool") numbers.push(Number(item.value));
    else if (item.kind === "sequence") left.push(...item.items.map((operand) => operand.value).toReversed());
    else return null;
  }
  return numbers;
}

/** Attributes that a source call says; null after a diagnostic. */
function readSource(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallExpr,
  type: TensorType,
  path: string,
): Attrs | null {
  const word = lastName(call.callee)!;
  const { named = [], attrs, ...spec } = SPECS.get(word)!;
  // `normal(7)` is that of a seed.
  const positional = word === "normal" && call.args.length === 1 ? ["seed"] : spec.positional;
  const found: Record<string, Attrs[string]> = { ...attrs };
  let next = 0;
  for (const arg of call.args) {
    const inner = WRAPS.has(word) && !arg.name ? sourceCall(arg.value) : null;
    if (inner) {
      const source = readSource(interpreter, run, inner, type, path);
      if (!source) return null;
      Object.assign(found, source, { role: attrs["role"] });
      continue;
    }
    const name = arg.name ? (SPELLINGS.get(arg.name.text) ?? arg.name.text) : positional[next++];
    const ofParam = word === "param" && (name === "seed" || name === "fan_in");
    const known = name !== undefined && (positional.includes(name) || named.includes(name) || ofParam);
    if (!known) {
      interpreter.diagnostics.add(
        "unknown-argument",
        arg.span,
        `${word} takes ${positional.length === 0 ? "no arguments" : [...positional, ...named].join(", ")}: the type before it says the shape.`,
      );
      return null;
    }
    const value = evaluate(interpreter, run, arg.value, `${path}/source/${name}`);
    const isName = name === "set" || name === "part";
    const plain = value.kind === (isName ? "string" : "number") ? value.value : null;
    const read = name === "values" ? flatNumbers(value) : plain;
    if (read === null) {
      const needs = isName ? "the names of a data set and of its part" : "numbers";
      if (!isBroken(value))
        interpreter.diagnostics.add("bad-argument", arg.span, `${word} needs ${needs}; this is ${describe(value)}.`);
      return null;
    }
    if (name === "fan_in") Object.assign(found, startingWeights(Number(read)));
    else found[name] = read;
  }
  const mean = numberOf(found["mean"], 0);
  if (mean !== 0 && normalStart(mean, numberOf(found["std"], 1))?.["source"] !== "randn") {
    interpreter.diagnostics.add("bad-argument", call.span, FAR);
    return null;
  }
  const wrong = word === "data" ? dataProblem(found["set"], found["part"], type) : null;
  if (wrong !== null) interpreter.diagnostics.add("bad-data", call.span, wrong);
  return wrong !== null || (word === "const" && !valuesFit(interpreter, call.span, found["values"], type))
    ? null
    : found;
}

function valuesFit(interpreter: Interpreter, span: Span, values: Attrs[string] | undefined, type: TensorType): boolean {
  const count = Array.isArray(values) ? values.length : 0;
  const size = sizeOf(type.shape);
  if (count === size) return true;
  interpreter.diagnostics.add(
    "bad-values",
    span,
    `The type holds ${size} values; ${count === 0 ? "none are" : count === 1 ? "one is" : `${count} are`} given.`,
  );
  return false;
}

export interface Declared {
  readonly name: string;
  readonly path: string;
  readonly annotation: Expr;
  readonly source: Expr | null;
  readonly span: Span;
  readonly param: ParamDecl | null;
}

/** Makes the node of an input. */
export function declareInput(interpreter: Interpreter, run: StatementRun, declared: Declared): Value {
  const { path, annotation, source, span, param } = declared;
  const type = readType(interpreter, run, annotation, path);
  const call = source && sourceCall(source);
  const given = type && call ? readSource(interpreter, run, call, type, path) : {};
  if (!type || !given) return BROKEN;
  const attrs = withDefaults(opDef("input"), given);
  const node = addNode(interpreter, {
    id: path,
    op: "input",
    inputs: [],
    attrs,
    type,
    label: declared.name,
    groups: run.frame.groups,
    span,
  });
  interpreter.sites.set(node, { node, expr: annotation, run, param, op: null, attrs, operands: [] });
  return tensorValue(node);
}

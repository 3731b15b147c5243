/** @file A call of a user's def: its body runs again with the arguments as names. */
import type { Span } from "../../ir";
import type { Interpreter, StatementRun, Frame } from "../interpreter";
import { mayGoOn, toNode } from "../interpreter";
import {
  BROKEN,
  type GivenArgument,
  literalValue,
  type Making,
  type Method,
  NONE,
  type Operand,
  Scope,
  tensorValue,
  type Value,
} from "../values/values";
import { latest } from "../values/grown";
import { leavesOf } from "../values/trees";
import { withDerivatives } from "../still";
import { generated, isGenerator, yieldAt } from "../statements/generators";
import { nearest } from "../suggest";
import { bindName } from "../symbols";
import { indentAt } from "../reading/lines";
import type { CallExpr, DefStatement, Expr, ParamDecl, Statement } from "../reading/syntax";
import { bare, bodiesOf, everyStatement, walk } from "../reading/syntax";

/** Deeper than people nest calls; keeps the engine's own stack small. */
const MAX_CALL_DEPTH = 40;

interface DefCall {
  readonly def: DefStatement;
  readonly scope: Scope;
  readonly expr: CallExpr;
  readonly path: string;
  /** When it was made: its defaults are of then. */
  readonly made?: number;
  /** Whether derivatives pass through what it computes, where a decorator says it. */
  readonly derivatives?: boolean;
  /** It may end without `return`: it is called for what it does. */
  readonly mayEnd?: true;
  /** Its first parameter is this object. */
  readonly method?: Method;
  /** It fills in a new object. */
  readonly making?: Making;
  /** What the call's box and messages call it, if not by the def's own name. */
  readonly label?: string;
}

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

/** What positions and keywords are left over, for `*args` and `**kwargs`. */
interface Rest {
  readonly items: Operand[];
  readonly entries: Map<string, Operand>;
}

/** Whether a value is a list or a dictionary that a call may change, and no graph has a part of it. */
const isChangeable = (value: Value): boolean =>
  ((value.kind === "sequence" && value.list === true) || value.kind === "dict") &&
  leavesOf(loose(value)).every(({ value: { kind } }) => kind !== "tensor" && kind !== "weight");

/** The value of a default: a list or a dictionary is one for all calls, as Python makes it where it reads the def. */
function defaultOf(interpreter: Interpreter, run: StatementRun, call: DefCall, param: ParamDecl): Operand | null {
  const made = interpreter.defaults.get(param) ?? [];
  const known = made.find(({ scope, step }) => scope === call.scope && step === call.made);
  if (known) return loose(latest(interpreter, known.value));
  const operand = freshDefault(interpreter, run, call, param);
  if (operand && isChangeable(operand.value))
    interpreter.defaults.set(param, [...made, { scope: call.scope, step: call.made, value: operand.value }]);
  return operand;
}

/** The value of a default; anything but a literal is read where the def was written. */
function freshDefault(
  interpreter: Interpreter,
  run: StatementRun,
  { def, scope: now, made, path }: DefCall,
  { name, value }: ParamDecl,
): Operand | null {
  if (!value) return null;
  const scope = made === undefined ? now : new Scope(now, now.owner);
  for (const expr of made === undefined ? [] : walk(value)) {
    const then = expr.kind === "name" ? now.findAt(expr.name, made!) : null;
    if (then && expr.kind === "name" && then !== now.find(expr.name)) scope.bind(expr.name, then);
  }
  const frame = { ...run.frame, scope };
  const at = `${path}/${def.name.text}.${name.text}`;
  return loose(literalValue(bare(value)) ?? interpreter.valueOf({ ...run, frame }, value, at));
}

/** Whether the first parameter is the object: `def f(*args)` has it among the others. */
const takesSelf = ({ def, method }: DefCall): boolean => method !== undefined && def.params[0]?.starred !== "items";

function bindParams(
  interpreter: Interpreter,
  run: StatementRun,
  call: DefCall,
  args: readonly GivenArgument[],
): Map<ParamDecl, Operand> | null {
  const { def, expr, method } = call;
  const label = call.label ?? def.name.text;
  const found = new Map<ParamDecl, Operand>();
  const rest: Rest = { items: [], entries: new Map() };
  const { diagnostics } = interpreter;
  let ok = true;
  const wrong = (code: string, span: Span, text: string): void => {
    ok = false;
    diagnostics.add(code, span, text);
  };
  // A function of a class that is called with its object: `Base.forward(self, x)`, or what a decorator was given.
  const isGiven = !method && args[0]?.name === null && args[0].operand.value.kind === "object";
  const all = takesSelf(call)
    ? def.params.slice(1)
    : def.params.filter((param) => isGiven || param.name.text !== "self");
  const [items, entries] = ["items", "entries"].map((kind) => all.find(({ starred }) => starred === kind));
  const params = all.filter(({ starred }) => !starred);
  const open = params.filter(({ keyword }) => !keyword);
  let next = 0;
  if (method && !takesSelf(call)) rest.items.push(loose(method.self));
  for (const { name, operand, span } of args) {
    const param = name ? params.find((candidate) => candidate.name.text === name.text) : open[next++];
    if (param) found.set(param, operand);
    else if (name && entries) rest.entries.set(name.text, operand);
    else if (!name && items) rest.items.push(operand);
    else if (name) {
      const near = nearest(
        name.text,
        params.map((candidate) => candidate.name.text),
      );
      wrong(
        "unknown-argument",
        name.span,
        `${label} has no parameter \`${name.text}\`.${near ? ` Did you mean \`${near}\`?` : ""}`,
      );
    } else wrong("too-many-arguments", span, `${label} takes ${open.length} arguments; this is number ${next}.`);
  }
  for (const param of params) {
    if (found.has(param)) continue;
    const operand = defaultOf(interpreter, run, call, param);
    if (operand) found.set(param, operand);
    else wrong("missing-argument", expr.callee.span, `${label} still needs \`${param.name.text}\`.`);
  }
  if (items) found.set(items, loose({ kind: "sequence", items: rest.items }));
  if (entries) found.set(entries, loose({ kind: "dict", entries: rest.entries }));
  return ok ? materialised(interpreter, run, found) : null;
}

/** A hole that is passed becomes one node, however often the body reads it. */
function materialised(
  interpreter: Interpreter,
  run: StatementRun,
  found: Map<ParamDecl, Operand>,
): Map<ParamDecl, Operand> {
  for (const [param, operand] of found) {
    if (operand.value.kind === "hole")
      found.set(param, { ...operand, value: tensorValue(toNode(interpreter, run, operand, [])) });
  }
  return found;
}

/** The value `def` returns for `args`. Its nodes carry the call's instance as group and prefix. */
export function callDef(
  interpreter: Interpreter,
  run: StatementRun,
  call: DefCall,
  args: readonly GivenArgument[],
): Value {
  const { def, expr, method } = call;
  const label = call.label ?? def.name.text;
  const { frame } = run;
  if (frame.defs.length >= MAX_CALL_DEPTH) {
    const text = frame.defs.includes(def)
      ? `\`${def.name.text}\` calls itself more than ${MAX_CALL_DEPTH} deep: it must end at a value that is known before the graph runs. Use a loop over range(n).`
      : `Calls are nested more than ${MAX_CALL_DEPTH} deep.`;
    interpreter.diagnostics.add("recursion", expr.callee.span, text);
    return BROKEN;
  }
  const bound = bindParams(interpreter, run, call, args);
  if (!bound || !mayGoOn(interpreter, expr.span)) return BROKEN;
  const calls = `${run.root}/${label.replaceAll(".", "_")}`;
  const number = interpreter.defCalls.get(calls) ?? 0;
  interpreter.defCalls.set(calls, number + 1);
  const id = `${calls}#${number}`;
  const group = { kind: "def", id, label } as const;
  const inner: Frame = {
    scope: new Scope(call.scope, def.name.text),
    prefix: `${id}/`,
    groups: [...frame.groups, group],
    versions: new Map(),
    defs: [...frame.defs, def],
    result: { values: null },
    ...(frame.sequence && isOwnStatement(run, expr) && { sequence: true as const }),
    ...(method && { method }),
    ...(isGenerator(def) && { yields: { items: [], isEndless: false } }),
    ...((call.making ?? frame.making) && { making: call.making ?? frame.making! }),
  };
  const self = method && takesSelf(call) && def.params[0];
  if (self)
    bindName(
      interpreter,
      { ...run, frame: inner },
      { kind: "name", name: self.name.text, span: self.name.span },
      method.self,
      "parameter",
    );
  for (const [param, operand] of bound) {
    bindName(
      interpreter,
      { ...run, frame: inner },
      { kind: "name", name: param.name.text, span: param.name.span },
      operand.value,
      "parameter",
    );
  }
  // A keyword is a use of the parameter's name: a rename must reach it.
  for (const { name } of args) if (name) inner.scope.find(name.text)?.symbol.addUse(name.span);
  const { opening } = frame;
  const end = opening && bare(opening.expr) === expr && inner.yields ? yieldAt(def) : -1;
  withDerivatives(interpreter, call.derivatives ?? !interpreter.nodes.off, () => {
    interpreter.runBody(end < 0 ? def.body : def.body.slice(0, end + 1), inner);
    // Of a context the rest is done where its block ends.
    if (end >= 0) opening!.rest = { statements: def.body.slice(end + 1), frame: inner, off: interpreter.nodes.off };
  });
  if (inner.result.early?.length) interpreter.settleReturns(inner, def.body.at(-1) ?? def);
  const value = resultOf(interpreter, run, call, inner);
  interpreter.calls.push({ ...group, span: expr.span, result: value.kind === "tensor" ? value.node : null, expr, run });
  return value;
}

/** Whether a statement is this call and nothing else. */
const isOwnStatement = ({ statement }: StatementRun, expr: CallExpr): boolean =>
  statement.kind === "expression" && bare(statement.value) === expr;

function resultOf(interpreter: Interpreter, run: StatementRun, call: DefCall, inner: Frame): Value {
  const { def, expr, mayEnd } = call;
  const { values } = inner.result;
  if (inner.yields) return generated(inner.yields);
  // A method may be called for what it does to its object, and a def in a statement of its own for what it does.
  if (!values && (mayEnd || inner.making)) return NONE;
  if (!values && !forgetsReturn(run, call) && (inner.sequence || (call.method && !returns(def)))) return NONE;
  if (!values) {
    const isBad = [...everyStatement(def.body)].some(({ kind }) => kind === "bad");
    if (!interpreter.stopped && !isBad) tellNoReturn(interpreter, def);
    return BROKEN;
  }
  if (inner.result.value) return inner.result.value;
  return { kind: "sequence", items: values.map((operand) => ({ ...operand, expr })) };
}

const returns = ({ body }: DefStatement): boolean =>
  [...everyStatement(body)].some((each) => (each.kind === "return" && each.values.length > 0) || each.kind === "raise");

/** A method without `return` whose value is wanted: by who calls it, or since that is what a module is called for; one that sets fields may be called for that. */
function forgetsReturn(run: StatementRun, { def, expr, method }: DefCall): boolean {
  if (!method || returns(def)) return false;
  const isForward = /^(forward|__call__)$/.test(def.name.text);
  const isWanted = !isOwnStatement(run, expr);
  const last = lastOf(def.body);
  const made = last && madeBy(last);
  const isField = made !== null && bare(made).kind === "member";
  return isForward ? isWanted || (made !== null && !isField) : isWanted && made !== null && !isField;
}

/** The statement at the end, inside of loops and branches. */
function lastOf(body: readonly Statement[]): Statement | null {
  const last = body.findLast(({ kind }) => kind !== "pass");
  const inner =
    last && last.kind !== "def" && last.kind !== "class" ? bodiesOf(last).find(({ length }) => length > 0) : null;
  return inner ? lastOf(inner) : (last ?? null);
}

/** What a statement gives a value to; null where it names nothing. */
function madeBy(statement: Statement): Expr | null {
  if (statement.kind === "update") return statement.target;
  return statement.kind === "assign" && statement.value ? statement.targets[0]! : null;
}

/** Says that `def` has no `return`, and offers to return what its end makes. */
function tellNoReturn({ diagnostics, text }: Interpreter, def: DefStatement): void {
  const last = lastOf(def.body);
  const made = last && madeBy(last);
  const said = made ? `return ${text.slice(made.span.from, made.span.to)}` : "return";
  const of = returns(def) ? "returns nothing here, so this call" : "has no return, so its call";
  diagnostics.add("no-return", def.name.span, `\`${def.name.text}\` ${of} gives None: end it with \`${said}\`.`, {
    fixes: last ? returnFix(text, def, last, said) : [],
  });
}

function returnFix(text: string, { name, body }: DefStatement, last: Statement, said: string) {
  if (last.kind === "expression" && body.at(-1) === last)
    return [{ title: "Return it", edits: [{ span: { from: last.span.from, to: last.span.from }, insert: "return " }] }];
  if (said === "return") return [];
  const to = text.slice(0, Math.max(...body.map(({ span }) => span.to))).trimEnd().length;
  const isOneLine = !text.slice(name.span.from, body[0]!.span.from).includes("\n");
  const end = text.indexOf("\n", to);
  const at = isOneLine ? to : end < 0 ? text.length : end;
  const insert = isOneLine ? `; ${said}` : `\n${indentAt(text, body[0]!.span.from)}${said}`;
  return [{ title: `Add ${said}`, edits: [{ span: { from: at, to: at }, insert }] }];
}

/** @file `if` on a number that only the run knows: both branches are computed, and the number chooses between what they leave and return, as in jax.lax.cond. */
import type { NodeId } from "../../ir";
import { findOp } from "../../ops";
import { applyOp } from "../calls/apply";
import { writeInPlace } from "../calls/memory";
import { type EarlyReturn, type Frame, type Interpreter, typeOf } from "../interpreter";
import {
  bare,
  bodiesOf,
  everyStatement,
  type Expr,
  type IfStatement,
  type NameExpr,
  rootsOf,
  type Statement,
  walk,
} from "../reading/syntax";
import { bindName } from "../symbols";
import { BROKEN, NONE, numberValue, type Operand, tensorValue, type Value } from "../values/values";
import { change, latest } from "../values/grown";
import { isIdle } from "../objects/classes";
import { chosenOf, DIFFERENT, OPEN } from "./chosen";
import { chooseEffects, type Effects, marksOf, NO_EFFECTS, standsFor, takeEffects } from "./effects";
import { namesIn, underName, writtenName } from "./targets";

/** Whether a branch ends with `raise`: no graph can do that. */
export const refuses = (body: readonly Statement[]): boolean => body.at(-1)?.kind === "raise";

/** A remark, or something told: `print(…)`, `warnings.warn(…)`. */
function isRemark(each: Statement): boolean {
  const value = each.kind === "expression" ? bare(each.value) : null;
  if (value?.kind !== "call") return value?.kind === "string";
  const callee = bare(value.callee);
  return callee.kind === "name" ? callee.name === "print" : isIdle(each) && writtenName(value) === null;
}

/** What grows a list or a dictionary that a name holds. */
const GROWS: ReadonlySet<string> = new Set(["append", "extend", "insert", "update"]);

/** The name of the list that `statement` grows; null where it does something else. */
function grownName(statement: Statement): NameExpr | null {
  const call = statement.kind === "expression" ? bare(statement.value) : null;
  const callee = call?.kind === "call" ? bare(call.callee) : null;
  const object = callee?.kind === "member" && GROWS.has(callee.name.text) ? bare(callee.object) : null;
  return object?.kind === "name" ? object : null;
}

/** What a branch changes: names with other values, or the first statement that can't be chosen for afterwards. */
function changesOf(
  statements: readonly Statement[],
  isTold: (name: string) => boolean,
): readonly NameExpr[] | Statement {
  const found: NameExpr[] = [];
  const note = (names: readonly NameExpr[] | null): boolean => names !== null && found.push(...names) >= 0;
  const inTarget = (target: Expr): readonly NameExpr[] | null => {
    const expr = bare(target);
    // What is set of objects is noted where it is set.
    if (expr.kind === "member") return [];
    if (expr.kind === "tuple" || expr.kind === "list") {
      const inner = expr.items.map(inTarget);
      return inner.includes(null) ? null : inner.flatMap((names) => names!);
    }
    const names = namesIn(expr);
    return names.length > 0 ? names : null;
  };
  const isChoice = (each: Statement, inLoop: boolean): boolean => {
    if (each.kind === "assign") return each.targets.every((target) => note(inTarget(target)));
    if (each.kind === "update") return note(inTarget(each.target));
    if (each.kind === "break" || each.kind === "continue") return inLoop;
    if (each.kind === "return") return !inLoop;
    const written = each.kind === "expression" ? writtenName(each.value) : null;
    if (written) return note([written]);
    const grown = grownName(each);
    if (grown) return isTold(grown.name) || note([grown]);
    return PLAIN.has(each.kind) || isRemark(each);
  };
  const firstWrong = (body: readonly Statement[], inLoop: boolean): Statement | null => {
    for (const each of body) {
      const isLoop = each.kind === "for" || each.kind === "while";
      if (isLoop && each.kind === "for") note(namesIn(each.target));
      const inside = isLoop || each.kind === "if" ? bodiesOf(each) : null;
      const wrong = inside
        ? (inside.map((inner) => firstWrong(inner, inLoop || isLoop)).find((one) => one !== null) ?? null)
        : isChoice(each, inLoop)
          ? null
          : each;
      if (wrong) return wrong;
    }
    return null;
  };
  const wrong = firstWrong(statements, false);
  return wrong ?? [...new Map(found.map((name) => [name.name, name])).values()];
}

const PLAIN: ReadonlySet<Statement["kind"]> = new Set(["pass", "raise", "assert", "import"]);

/** Names of lists that the text only grows and never reads: what is appended to them is told, not computed with. */
function onlyGrown({ statements }: Interpreter): (name: string) => boolean {
  return (name) => {
    const all = [...everyStatement(statements)];
    const grows = all.filter((each) => grownName(each)?.name === name);
    const reads = all.flatMap((each) => rootsOf(each).flatMap((root) => [...walk(root)]));
    const uses = reads.filter((expr) => expr.kind === "name" && expr.name === name).length;
    return grows.length > 0 && uses === grows.length;
  };
}

/** Lists that the branches only grow and nobody reads. */
const toldIn = (interpreter: Interpreter, { branches, otherwise }: IfStatement): readonly NameExpr[] =>
  [...everyStatement([...branches.flatMap(({ body }) => body), ...otherwise])].flatMap((each) => {
    const grown = grownName(each);
    return grown && onlyGrown(interpreter)(grown.name) ? [grown] : [];
  });

const changedBy = (interpreter: Interpreter, { branches, otherwise }: IfStatement): readonly NameExpr[] | Statement =>
  changesOf([...branches.flatMap(({ body }) => body), ...otherwise], onlyGrown(interpreter));

const isNames = (found: readonly NameExpr[] | Statement): found is readonly NameExpr[] => Array.isArray(found);

/** Whether a condition can choose between what the branches of this `if` leave: it is one number. */
export function canChoose(
  interpreter: Interpreter,
  statement: IfStatement,
  test: Value,
): test is Value & { node: NodeId } {
  if (interpreter.anyIteration || test.kind !== "tensor" || interpreter.unknown.has(test.node)) return false;
  if (typeOf(interpreter, test.node).shape.length > 0) return false;
  return isNames(changedBy(interpreter, statement));
}

/** Why a condition on data can't choose between the branches of an `if`. */
export function whyNoChoice(interpreter: Interpreter, statement: IfStatement): string {
  const wrong = changedBy(interpreter, statement);
  if (isNames(wrong)) return OPEN;
  const line = interpreter.text.slice(0, wrong.span.from).split("\n").length;
  const what = wrong.kind === "expression" ? "what line " : `the \`${wrong.kind}\` in line `;
  return `${OPEN} That works for assignments and return, not for ${what}${line}${wrong.kind === "expression" ? " does" : ""}.`;
}

/** What a branch ends with. */
interface End {
  readonly effects: Effects;
  readonly values: readonly (Value | undefined)[];
  /** What it returns, whatever else it meets. */
  readonly returned: Value | null;
  /** What it returns where some of its own conditions hold. */
  readonly early: readonly EarlyReturn[];
}

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

/** The one value of what a def returns. */
const oneOf = ({ values, value }: Frame["result"]): Value =>
  value ?? { kind: "sequence", items: values ?? [{ value: NONE, path: "", expr: null }] };

/**
 * Runs both branches, and binds every name that they end with apart to what `test` chooses. A branch that returns leaves the rest of
 * the def to the other one. Answers what can't be chosen for, in words, or null.
 */
export function runBoth(
  interpreter: Interpreter,
  statement: IfStatement,
  frame: Frame,
  test: { readonly node: NodeId; readonly expr: Expr },
): string | null {
  const { scope, result } = frame;
  const [yesBody, noBody] = [statement.branches[0]!.body, statement.otherwise];
  const names = changedBy(interpreter, statement) as readonly NameExpr[];
  const valuesNow = (): readonly (Value | undefined)[] => names.map(({ name }) => scope.find(name)?.value);
  const before = valuesNow();
  const told = new Set(toldIn(interpreter, statement).map(({ name }) => scope.find(name)?.value));
  const outer = result.early ?? [];
  const endOf = (body: readonly Statement[]): End => {
    const mark = scope.mark();
    const marks = marksOf(interpreter);
    result.early = [];
    interpreter.runBody(body, frame);
    settleReturns(interpreter, frame, statement);
    const values = valuesNow().map((value) => value && standsFor(interpreter, value));
    const [returned, early] = [result.values && oneOf(result), result.early ?? []];
    result.values = null;
    delete result.value;
    result.early = [];
    // The choice reads what each branch binds.
    for (const name of scope.boundSince(mark)) scope.find(name)!.symbol.isRead = true;
    const effects = takeEffects(interpreter, marks);
    scope.backTo(mark);
    return { values, returned, early, effects };
  };
  const [yes, no] = [endOf(yesBody), endOf(noBody)];
  const choose = (name: string, a: Value, b: Value): Value | null =>
    underName(interpreter, frame, statement, name, (run) => chosenOf(interpreter, run, test, [a, b], run.root));
  const holds = truth(interpreter, frame, statement, test);
  const guarded = (end: End, is: boolean): readonly EarlyReturn[] =>
    end.early.map((each) => ({
      ...each,
      test: allOf(interpreter, frame, statement, [holds(is), each.test], test.expr),
    }));
  result.early = [...outer, ...guarded(yes, true), ...guarded(no, false)];
  const chooseAll = (unread: ReadonlySet<Value>): string | null => {
    const fault = chooseEffects(interpreter, { frame, statement, test, told: unread }, [yes.effects, no.effects]);
    const marks = marksOf(interpreter);
    result.early = (result.early ?? []).map((each, i) => (i < outer.length ? each : { ...each, marks }));
    return fault;
  };
  if (yes.returned && no.returned) {
    const fault = chooseAll(new Set());
    const value = choose("return", yes.returned, no.returned);
    setResult(interpreter, frame, statement, value ?? BROKEN);
    return value ? fault : "return one shape";
  }
  const left = yes.returned ? no : no.returned ? yes : null;
  const returned = yes.returned ?? no.returned;
  const marks = marksOf(interpreter);
  if (returned)
    result.early = [...result.early, { test: holds(yes.returned !== null), value: returned, expr: test.expr, marks }];
  for (const [at, name] of names.entries()) {
    const [a, b, was] = [(left ?? yes).values[at], (left ?? no).values[at], before[at]];
    // What one branch alone binds is read where that branch was taken.
    const value = !a || !b || a === b ? (a ?? b) : choose(name.name, a, b);
    if (value === null) return `leave \`${name.name}\` in one shape`;
    if (value === undefined || value === was) continue;
    const node = { ...name };
    underName(interpreter, frame, statement, name.name, (run) => {
      if (was && [yes, no].some(({ effects }) => effects.tensors.has(was)))
        writeInPlace(interpreter, run, node, was, value);
      if (was && [yes, no].some(({ effects }) => effects.lists.has(was))) change(interpreter, was, value);
      bindName(interpreter, run, node, value);
    });
  }
  const unread = new Set([...told].flatMap((value) => (value ? [latest(interpreter, value)] : [])));
  return chooseAll(unread);
}

/** What was done after a def may have returned is done where it did not. */
export function settleReturns(interpreter: Interpreter, frame: Frame, statement: Statement): void {
  for (const { test, expr, marks } of (frame.result.early ?? []).toReversed()) {
    const effects = takeEffects(interpreter, marks);
    const choice = { frame, statement, test: { node: test, expr }, told: new Set<Value>() };
    const fault = chooseEffects(interpreter, choice, [NO_EFFECTS, effects]);
    if (fault) interpreter.diagnostics.add("branch", expr.span, `${DIFFERENT} ${fault}.`);
  }
}

/** The value that a def returns, where some of its conditions made it return others before. */
export function setResult(interpreter: Interpreter, frame: Frame, statement: Statement, last: Value): void {
  const { result } = frame;
  const early = result.early ?? [];
  settleReturns(interpreter, frame, statement);
  result.early = [];
  const value = early.reduceRight<Value>((otherwise, { test, value: first, expr }) => {
    const both = underName(interpreter, frame, statement, "return", (run) =>
      chosenOf(interpreter, run, { node: test, expr }, [first, otherwise], run.root),
    );
    if (both === null) interpreter.diagnostics.add("branch", expr.span, `${DIFFERENT} return one shape.`);
    return both ?? BROKEN;
  }, last);
  result.values = value.kind === "sequence" ? value.items : [{ value, path: frame.prefix, expr: null }];
  result.value = value;
}

/** `test` as a yes or no, or as its opposite. */
function truth(
  interpreter: Interpreter,
  frame: Frame,
  statement: Statement,
  { node, expr }: { readonly node: NodeId; readonly expr: Expr },
): (is: boolean) => NodeId {
  const apply = (op: string, tensors: readonly Operand[]): NodeId =>
    underName(interpreter, frame, statement, "_", (run) => {
      const operands = tensors.map((each, i) => ({ ...each, path: `${run.root}/${i}` }));
      const value = applyOp(
        interpreter,
        run,
        { op: findOp(op)!, path: run.root, expr },
        { tensors: operands, attrs: {} },
      );
      return value.kind === "tensor" ? value.node : node;
    });
  return (is) => {
    const asked = loose(tensorValue(node));
    if (typeOf(interpreter, node).dtype !== "bool")
      return apply(is ? "ne" : "eq", [asked, loose(numberValue(0, true))]);
    return is ? node : apply("not", [asked]);
  };
}

function allOf(
  interpreter: Interpreter,
  frame: Frame,
  statement: Statement,
  tests: readonly NodeId[],
  expr: Expr,
): NodeId {
  return underName(interpreter, frame, statement, "_", (run) => {
    const tensors = tests.map((test) => loose(tensorValue(test)));
    const value = applyOp(interpreter, run, { op: findOp("and")!, path: run.root, expr }, { tensors, attrs: {} });
    return value.kind === "tensor" ? value.node : tests[0]!;
  });
}

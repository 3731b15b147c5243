/**
 * @file What an expression stands for. Post-order with stacks of its own, so that depth costs nothing.
 * @about and, or: Python leaves the second operand alone where the first decides.
 */
import { findOp } from "../ops";
import { dialectIn } from "./calls/dialect";
import { applyCall, type Callee, calleeOf } from "./calls/call";
import { foldBinary, foldUnary, truthOf } from "./values/constants";
import type { NodeId } from "../ir";
import { type Interpreter, type StatementRun, typeOf } from "./interpreter";
import { filled, memberValue } from "./calls/member";
import { holdsAtFirst } from "./statements/any-iteration";
import { chosenOf, DIFFERENT } from "./statements/chosen";
import { chooseEffects, type Effects, marksOf, takeEffects } from "./statements/effects";
import { noteUses, staticCondition } from "./statements/static-condition";
import { prefixOf } from "./calls/member";
import { BINARY_OPS, COMPARISONS, UNARY_OPS } from "./calls/names";
import { nameValue } from "./lookup";
import { comprehended } from "./values/walks";
import { searched } from "./values/grown";
import { operated, operatedAlone } from "./objects/operators";
import { hasSelection, ofSelection } from "./indexing/selection";
import { subscriptValue } from "./indexing/subscript";
import { bindName } from "./symbols";
import { dictOf, formatted } from "./reading/strings";
import {
  bare,
  type BinaryExpr,
  childrenOf,
  type ConditionalExpr,
  type Expr,
  indexParts,
  type NamedExpr,
  type UnaryExpr,
} from "./reading/syntax";
import { applyOp } from "./calls/apply";
import { itemsOf } from "./statements/iterate";
import { isTorchIn } from "./calls/dialect";
import { answersViews, noteView } from "./calls/memory";
import { isInLibrary } from "./library/library";
import {
  BROKEN,
  describe,
  type GivenArgument,
  isBroken,
  isOperand,
  NONE,
  numberValue,
  type Operand,
  type Value,
} from "./values/values";

const WORDS: ReadonlySet<string> = new Set(["is", "is not", "in", "not in"]);

interface Task {
  readonly expr: Expr;
  readonly path: string;
  /** Known once the operands are under way. */
  readonly callee: Callee | null;
  /** −1: operands not yet looked at. */
  readonly operands: number;
  /** The left side of an `and` or `or` whose right side is asked too. */
  readonly left?: Operand;
}

/** `root`'s value; nodes made on the way take `path` and paths under it. Never throws: what has no meaning is broken and a diagnostic says so. */
export function evaluate(interpreter: Interpreter, run: StatementRun, root: Expr, path: string): Value {
  const tasks: Task[] = [{ expr: root, path, callee: null, operands: -1 }];
  const stack: Operand[] = [];
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    if (task.operands < 0) open(interpreter, run, task, tasks, stack);
    else {
      const operands = stack.splice(stack.length - task.operands, task.operands);
      if (task.expr.kind === "conditional") {
        if (isOpen(interpreter, operands[0]!.value)) {
          const value = eitherOf(interpreter, run, { ...task, expr: task.expr }, operands[0]!);
          stack.push({ value, path: task.path, expr: task.expr });
          continue;
        }
        tasks.push({ ...task, expr: chosen(interpreter, run, task.expr, operands[0]!), operands: -1 });
        continue;
      }
      if (isLogic(task.expr) && !task.left) {
        const [left] = operands as [Operand];
        if (decides(run, task.expr, left.value)) stack.push({ ...left, path: task.path, expr: task.expr });
        else {
          tasks.push({ ...task, left });
          tasks.push({ expr: task.expr.right, path: `${task.path}/1`, callee: null, operands: -1 });
        }
        continue;
      }
      const all = task.left ? [task.left, ...operands] : operands;
      stack.push({ value: combine(interpreter, run, task, all), path: task.path, expr: task.expr });
    }
  }
  return stack[0]!.value;
}

type Logic = BinaryExpr & { readonly op: "and" | "or" };
const isLogic = (expr: Expr): expr is Logic => expr.kind === "binary" && (expr.op === "and" || expr.op === "or");

/** Whether the left side says it all: `mask is not None and mask.ndim == 2` never looks at a mask that is not there. */
function decides(run: StatementRun, { op, right }: Logic, left: Value): boolean {
  const holds = truthOf(left);
  if (holds === null || holds === (op === "and")) return false;
  noteUses(run, [right]);
  return true;
}

/** Puts the operands of `task` on the stack, or its value when it has none. */
function open(interpreter: Interpreter, run: StatementRun, task: Task, tasks: Task[], stack: Operand[]): void {
  const { expr, path } = task;
  const callee = expr.kind === "call" ? calleeOf(run, expr) : null;
  const operands = operandsOf(run, expr, callee);
  if (operands.length === 0) {
    stack.push({ value: combine(interpreter, run, { ...task, callee }, []), path, expr });
    return;
  }
  tasks.push({ expr, path, callee, operands: operands.length });
  for (let i = operands.length - 1; i >= 0; i--) {
    const inner = expr.kind === "paren" ? path : `${path}/${i}`;
    tasks.push({ expr: operands[i]!, path: inner, callee: null, operands: -1 });
  }
}

/** Whether `expr` is a dotted name that starts with an unbound prefix: `torch.nn.functional`. */
function isPrefixed(run: StatementRun, expr: Expr): boolean {
  let inner = expr;
  while (inner.kind === "member") inner = inner.object;
  return inner.kind === "name" && prefixOf(run.frame.scope, inner.name) !== null;
}

function operandsOf(run: StatementRun, expr: Expr, callee: Callee | null): readonly Expr[] {
  if (expr.kind === "call" && callee) {
    const args = expr.args.map((arg) => arg.value);
    if (callee.kind === "usual") return [callee.value];
    if (callee.kind === "at") return [callee.object, ...callee.item.indices.flatMap(indexParts), ...args];
    if (callee.kind === "function" && callee.name.text === "isinstance" && !callee.value) return args.slice(0, 1);
    if (callee.kind === "value") return [expr.callee, ...args];
    return callee.kind === "method" ? [callee.receiver, ...args] : args;
  }
  if (expr.kind === "conditional") return [expr.test];
  if (isLogic(expr)) return [expr.left];
  if (expr.kind === "comprehension") return [expr.iterable];
  if (expr.kind === "lambda") return [];
  if (expr.kind === "member") return isPrefixed(run, expr) ? [] : [expr.object];
  if (expr.kind === "subscript") return [expr.object, ...expr.indices.flatMap(indexParts)];
  return childrenOf(expr);
}

function combine(interpreter: Interpreter, run: StatementRun, task: Task, operands: readonly Operand[]): Value {
  const { expr, path } = task;
  const isAsked = expr.kind === "binary" || expr.kind === "unary" || expr.kind === "call";
  if (isAsked && hasSelection(operands) && !takesAny(task.callee))
    return ofSelection(
      interpreter,
      run,
      { expr, path, ...wordOf(interpreter, task.callee) },
      operands,
      (wholes, extra) =>
        extra.length === 0
          ? combine(interpreter, run, task, wholes)
          : combine(interpreter, run, { ...task, expr: withArguments(expr, extra) }, [
              ...wholes.filter((_, i) => !isSaid(expr, wholes.length, i, extra)),
              ...extra.map(({ operand }) => operand),
            ]),
    );
  switch (expr.kind) {
    case "name":
      return nameValue(interpreter, run, expr);
    case "number":
      return numberValue(expr.value, expr.whole);
    case "string":
      return { kind: "string", value: expr.value };
    case "true":
    case "false":
      return { kind: "bool", value: expr.kind === "true" };
    case "none":
      return NONE;
    case "hole":
      return { kind: "hole" };
    case "bad":
      return BROKEN;
    case "paren":
      return operands[0]!.value;
    case "tuple":
    case "list":
      return {
        kind: "sequence",
        items: expr.starred.length > 0 ? unpacked(interpreter, run, expr.starred, operands) : operands,
        ...(expr.kind === "list" && { list: true }),
      };
    case "member":
      return viewed(interpreter, expr, operands[0], memberValue(interpreter, run, expr, operands[0] ?? null, path));
    case "subscript":
      return cut(interpreter, expr, operands, subscriptValue(interpreter, run, expr, operands, path));
    case "call":
      return called(
        interpreter,
        expr,
        task.callee!,
        operands,
        applyCall(interpreter, run, { expr, callee: task.callee!, path }, operands),
      );
    case "lambda":
      return { kind: "def", def: expr.def, scope: run.frame.scope, made: interpreter.step + 1 };
    case "dict":
      return dictOf(interpreter, expr, operands);
    case "format":
      return formatted(expr, operands);
    case "named":
      return named(interpreter, run, expr, operands[0]!);
    case "conditional":
      return BROKEN;
    case "comprehension":
      return comprehended(interpreter, run, expr, operands[0]!, path);
    case "binary":
      return binaryValue(interpreter, run, expr, operands, path);
    case "unary":
      return unaryValue(interpreter, run, expr, operands, path);
  }
}

/** What a call calls, and whose it is. */
const wordOf = (
  interpreter: Interpreter,
  callee: Callee | null,
): { readonly name: string; readonly isNumpy: boolean } => ({
  name: callee && "name" in callee ? callee.name.text : "",
  isNumpy: (callee?.kind === "function" ? callee.dialect : dialectIn(interpreter)) === "jax",
});

/** Whether a def or a list takes whatever it is given. */
const takesAny = (callee: Callee | null): boolean =>
  callee?.kind === "value" ||
  (callee?.kind === "function" && callee.value !== null && callee.value.kind !== "op") ||
  (callee?.kind === "method" && /^(append|extend|insert|update)$/.test(callee.name.text));

/** Whether operand `i` of a call is what `extra` says instead. */
function isSaid(expr: Expr, operands: number, i: number, extra: readonly GivenArgument[]): boolean {
  if (expr.kind !== "call") return false;
  const name = expr.args[i - operands + expr.args.length]?.name?.text;
  return name !== undefined && extra.some((arg) => arg.name?.text === name);
}

/** A call with other keywords. */
function withArguments(expr: Expr, extra: readonly GivenArgument[]): Expr {
  if (expr.kind !== "call") return expr;
  const others = expr.args.filter(({ name }) => !extra.some((arg) => arg.name?.text === name?.text));
  const added = extra.map(({ name, span }) => ({ name, span, value: { kind: "bad" as const, span }, starred: null }));
  return { ...expr, args: [...others, ...added] } as Expr;
}

/** `value`, which shares the memory of the operand where movements alone lie between them. */
function viewed(
  interpreter: Interpreter,
  expr: Expr,
  operand: Operand | undefined,
  value: Value,
  name?: string,
): Value {
  const noted = operand && noteView(interpreter, operand.value, value, name);
  if (noted !== "copied" || name !== "view" || !isTorchIn(interpreter) || isInLibrary(interpreter)) return value;
  const text =
    "These elements lie in another order in memory, so PyTorch has no view of them in this shape: write .reshape(…), or .contiguous() before .view(…).";
  interpreter.diagnostics.add("bad-attr", expr.span, text, { raises: ["RuntimeError"] });
  return BROKEN;
}

/** `x[…]`: what numbers and slices cut is a view, and what data picks is a copy. */
const cut = (interpreter: Interpreter, expr: Expr, [object, ...parts]: readonly Operand[], value: Value): Value =>
  parts.some(({ value: part }) => part.kind === "tensor" || part.kind === "sequence")
    ? value
    : viewed(interpreter, expr, object, value);

/** What a call answers: a view of its first operand, or values of its own. */
const called = (
  interpreter: Interpreter,
  expr: Expr,
  callee: Callee,
  [first]: readonly Operand[],
  value: Value,
): Value =>
  "name" in callee && answersViews(interpreter, callee.name.text)
    ? viewed(interpreter, expr, first, value, callee.name.text)
    : value;

/** `(n := value)`: a hole is one node, however many read it. */
function named(interpreter: Interpreter, run: StatementRun, { target }: NamedExpr, operand: Operand): Value {
  const { value } = filled(interpreter, run, operand);
  bindName(interpreter, run, target, value);
  return value;
}

/** Whether only the run knows a test, which is one number. */
const isOpen = (interpreter: Interpreter, value: Value): value is Value & { readonly node: NodeId } =>
  value.kind === "tensor" &&
  !interpreter.unknown.has(value.node) &&
  typeOf(interpreter, value.node).shape.length === 0 &&
  holdsAtFirst(interpreter, value.node) === null;

interface Way {
  readonly value: Value;
  readonly effects: Effects;
}

/** `a if test else b` where only the run knows the test: both are computed, and it chooses. */
function eitherOf(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: { readonly expr: ConditionalExpr; readonly path: string },
  { value: asked }: Operand,
): Value {
  if (asked.kind !== "tensor") return BROKEN;
  const test = { node: asked.node, expr };
  const [yes, no] = [expr.whenTrue, expr.whenFalse].map((way, i) => {
    const marks = marksOf(interpreter);
    const value = interpreter.valueOf(run, way, `${path}/${i + 1}`);
    return { value, effects: takeEffects(interpreter, marks) };
  }) as [Way, Way];
  const value = chosenOf(interpreter, run, test, [yes.value, no.value], path);
  const choice = { frame: run.frame, statement: run.statement, test, told: new Set<Value>() };
  const fault = chooseEffects(interpreter, choice, [yes.effects, no.effects]) ?? (value ? null : "have one shape");
  if (fault) interpreter.diagnostics.add("branch", expr.span, `${DIFFERENT} ${fault}.`);
  return value ?? BROKEN;
}

/** The branch that the test picks; what the other one reads is read all the same. */
function chosen(interpreter: Interpreter, run: StatementRun, expr: ConditionalExpr, test: Operand): Expr {
  const holds = staticCondition(interpreter, test, expr.test);
  if (holds === null) return { kind: "bad", span: expr.span };
  noteUses(run, [holds ? expr.whenFalse : expr.whenTrue]);
  return holds ? expr.whenTrue : expr.whenFalse;
}

/** Items, those written with a star one by one: of a list, of a dictionary, or rows. */
const unpacked = (
  interpreter: Interpreter,
  run: StatementRun,
  starred: readonly number[],
  items: readonly Operand[],
): readonly Operand[] =>
  items.flatMap((operand, i) =>
    starred.includes(i) ? (itemsOf(interpreter, run, operand, `${operand.path}*`) ?? [operand]) : [operand],
  );

function refuse(interpreter: Interpreter, expr: BinaryExpr | UnaryExpr, operands: readonly Operand[]): Value {
  const wrong = operands.find(({ value }) => !isOperand(value))!;
  const span = wrong.expr?.span ?? expr.span;
  interpreter.diagnostics.add(
    "bad-operand",
    span,
    `\`${expr.op}\` needs tensors or numbers; this is ${describe(wrong.value)}.`,
  );
  return BROKEN;
}

/** The comparison that this one goes on from, without brackets; null where there is none. */
const chained = ({ left }: BinaryExpr): BinaryExpr | null =>
  bare(left) === left && left.kind === "binary" && COMPARISONS.has(left.op) ? left : null;

function binaryValue(
  interpreter: Interpreter,
  run: StatementRun,
  expr: BinaryExpr,
  operands: readonly Operand[],
  path: string,
): Value {
  const chain = COMPARISONS.has(expr.op) ? chained(expr) : null;
  const before = operands[0]!;
  if (chain && truthOf(before.value) === false) return before.value;
  if (chain && truthOf(before.value) === true) {
    // `a < b < c` is `a < b and b < c`.
    const middle = {
      value: interpreter.valueOf(run, chain.right, `${path}/middle`),
      path: `${path}/middle`,
      expr: chain.right,
    };
    return binaryValue(interpreter, run, { ...expr, left: chain.right }, [middle, operands[1]!], path);
  }
  const [left, right] = [before, operands[1]!];
  if (isBroken(left.value) || isBroken(right.value)) return BROKEN;
  const own = operated(interpreter, run, { expr, path, op: expr.op }, left, right);
  if (own) return own;
  const folded = foldBinary(expr.op, left.value, right.value);
  if (folded && expr.op.endsWith("in")) searched(interpreter, left.value, right);
  if (folded) return folded;
  if (WORDS.has(expr.op)) {
    interpreter.diagnostics.add("outside-language", expr.opSpan, `\`${expr.op}\` has no meaning for tensors.`);
    return BROKEN;
  }
  if (chain) {
    interpreter.diagnostics.add(
      "chained-comparison",
      expr.span,
      "Tensors can't be compared in a chain: write (a < b) & (b < c).",
    );
    return BROKEN;
  }
  if (!isOperand(left.value) || !isOperand(right.value)) return refuse(interpreter, expr, operands);
  const op = findOp(BINARY_OPS.get(expr.op) ?? "");
  if (!op) {
    interpreter.diagnostics.add("unknown-op", expr.opSpan, `\`${expr.op}\` has no op here.`);
    return BROKEN;
  }
  return applyOp(interpreter, run, { op, path, expr }, { tensors: operands, attrs: {} });
}

function unaryValue(
  interpreter: Interpreter,
  run: StatementRun,
  expr: UnaryExpr,
  operands: readonly Operand[],
  path: string,
): Value {
  const [operand] = operands;
  if (!operand || isBroken(operand.value)) return BROKEN;
  const folded =
    operatedAlone(interpreter, run, { expr, path, op: expr.op }, operand) ?? foldUnary(expr.op, operand.value);
  if (folded) return folded;
  if (!isOperand(operand.value)) return refuse(interpreter, expr, operands);
  const op = findOp(UNARY_OPS.get(expr.op) ?? "");
  return op ? applyOp(interpreter, run, { op, path, expr }, { tensors: operands, attrs: {} }) : operand.value;
}

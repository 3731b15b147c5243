/** @file What an expression stands for. Post-order with stacks of its own, so that depth costs nothing. */
import { findOp } from "../ops";
import { applyCall, calleeOf, type Callee } from "./call";
import { foldBinary, foldUnary, truthOf } from "./constants";
import type { Machine, Place } from "./machine";
import { filled, memberValue } from "./member";
import { knownTest, noteUses } from "./known-test";
import { BINARY_OPS, COMPARISONS, MODULES, UNARY_OPS } from "./names";
import { nameValue } from "./lookup";
import { subscriptValue } from "./subscript";
import { bindName } from "./symbols";
import { comprehended } from "./comprehend";
import { dictOf, formatted } from "./texts";
import type { BinaryExpr, ConditionalExpr, Expr, NamedExpr, UnaryExpr } from "./syntax";
import { bare, childrenOf, indexParts } from "./syntax";
import { applyOp } from "./apply";
import type { Slot, Value } from "./values";
import { BROKEN, NONE, describe, isBroken, isOperand, numberValue } from "./values";

const WORDS: ReadonlySet<string> = new Set(["is", "is not", "in", "not in"]);

interface Task {
  readonly expr: Expr;
  readonly path: string;
  /** Known once the operands are under way. */
  readonly callee: Callee | null;
  /** −1: operands not yet looked at. */
  readonly operands: number;
  /** The left side of an `and` or `or` whose right side is asked too. */
  readonly left?: Slot;
}

/** `root`'s value; nodes made on the way take `path` and paths under it. Never throws: what has no meaning is broken and a diagnostic says so. */
export function evaluate(machine: Machine, place: Place, root: Expr, path: string): Value {
  const tasks: Task[] = [{ expr: root, path, callee: null, operands: -1 }];
  const slots: Slot[] = [];
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    if (task.operands < 0) open(machine, place, task, tasks, slots);
    else {
      const operands = slots.splice(slots.length - task.operands, task.operands);
      if (task.expr.kind === "conditional") {
        tasks.push({ ...task, expr: chosen(machine, place, task.expr, operands[0]!), operands: -1 });
        continue;
      }
      if (isLogic(task.expr) && !task.left) {
        const [left] = operands as [Slot];
        if (decides(place, task.expr, left.value)) slots.push({ ...left, path: task.path, expr: task.expr });
        else {
          tasks.push({ ...task, left });
          tasks.push({ expr: task.expr.right, path: `${task.path}/1`, callee: null, operands: -1 });
        }
        continue;
      }
      const all = task.left ? [task.left, ...operands] : operands;
      slots.push({ value: combine(machine, place, task, all), path: task.path, expr: task.expr });
    }
  }
  return slots[0]!.value;
}

type Logic = BinaryExpr & { readonly op: "and" | "or" };
const isLogic = (expr: Expr): expr is Logic => expr.kind === "binary" && (expr.op === "and" || expr.op === "or");

/** Whether the left side says it all: `mask is not None and mask.ndim == 2` never looks at a mask that is not there. */
function decides(place: Place, { op, right }: Logic, left: Value): boolean {
  const holds = truthOf(left);
  if (holds === null || holds === (op === "and")) return false;
  noteUses(place, [right]);
  return true;
}

/** Puts the operands of `task` on the stack, or its value when it has none. */
function open(machine: Machine, place: Place, task: Task, tasks: Task[], slots: Slot[]): void {
  const { expr, path } = task;
  const callee = expr.kind === "call" ? calleeOf(place, expr) : null;
  const operands = operandsOf(place, expr, callee);
  if (operands.length === 0) {
    slots.push({ value: combine(machine, place, { ...task, callee }, []), path, expr });
    return;
  }
  tasks.push({ expr, path, callee, operands: operands.length });
  for (let i = operands.length - 1; i >= 0; i--) {
    const inner = expr.kind === "paren" ? path : `${path}/${i}`;
    tasks.push({ expr: operands[i]!, path: inner, callee: null, operands: -1 });
  }
}

/** Whether `expr` is a dotted name that starts with an unbound prefix: `torch.nn.functional`. */
function isPrefixed(place: Place, expr: Expr): boolean {
  let inner = expr;
  while (inner.kind === "member") inner = inner.object;
  return inner.kind === "name" && MODULES.has(inner.name) && place.turn.scope.find(inner.name) === null;
}

function operandsOf(place: Place, expr: Expr, callee: Callee | null): readonly Expr[] {
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
  if (expr.kind === "member") return isPrefixed(place, expr) ? [] : [expr.object];
  if (expr.kind === "subscript") return [expr.object, ...expr.indices.flatMap(indexParts)];
  return childrenOf(expr);
}

function combine(machine: Machine, place: Place, task: Task, operands: readonly Slot[]): Value {
  const { expr, path } = task;
  switch (expr.kind) {
    case "name":
      return nameValue(machine, place, expr);
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
        items: expr.starred.length > 0 ? unpacked(expr.starred, operands) : operands,
        ...(expr.kind === "list" && { list: true }),
      };
    case "member":
      return memberValue(machine, place, expr, operands[0] ?? null, path);
    case "subscript":
      return subscriptValue(machine, place, expr, operands, path);
    case "call":
      return applyCall(machine, place, { expr, callee: task.callee!, path }, operands);
    case "lambda":
      return { kind: "def", def: expr.def, scope: place.turn.scope };
    case "dict":
      return dictOf(machine, expr, operands);
    case "format":
      return formatted(expr, operands);
    case "named":
      return named(machine, place, expr, operands[0]!);
    case "conditional":
      return BROKEN;
    case "comprehension":
      return comprehended(machine, place, expr, operands[0]!, path);
    case "binary":
      return binaryValue(machine, place, expr, operands, path);
    case "unary":
      return unaryValue(machine, place, expr, operands, path);
  }
}

/** `(n := value)`: an open place is one node, however many read it. */
function named(machine: Machine, place: Place, { target }: NamedExpr, slot: Slot): Value {
  const { value } = filled(machine, place, slot);
  bindName(machine, place, target, value);
  return value;
}

/** The branch that the test picks; what the other one reads is read all the same. */
function chosen(machine: Machine, place: Place, expr: ConditionalExpr, test: Slot): Expr {
  const holds = knownTest(machine, test, expr.test);
  if (holds === null) return { kind: "bad", span: expr.span };
  noteUses(place, [holds ? expr.whenFalse : expr.whenTrue]);
  return holds ? expr.whenTrue : expr.whenFalse;
}

/** Items, those written with a star one by one. */
export const unpacked = (starred: readonly number[], items: readonly Slot[]): readonly Slot[] =>
  items.flatMap((slot, i) => (starred.includes(i) && slot.value.kind === "sequence" ? slot.value.items : [slot]));

function refuse(machine: Machine, expr: BinaryExpr | UnaryExpr, operands: readonly Slot[]): Value {
  const wrong = operands.find(({ value }) => !isOperand(value))!;
  const span = wrong.expr?.span ?? expr.span;
  machine.problems.add(
    "bad-operand",
    span,
    `\`${expr.op}\` needs tensors or numbers; this is ${describe(wrong.value)}.`,
  );
  return BROKEN;
}

function binaryValue(machine: Machine, place: Place, expr: BinaryExpr, operands: readonly Slot[], path: string): Value {
  const [left, right] = [operands[0]!, operands[1]!];
  if (isBroken(left.value) || isBroken(right.value)) return BROKEN;
  const folded = foldBinary(expr.op, left.value, right.value);
  if (folded) return folded;
  if (WORDS.has(expr.op)) {
    machine.problems.add("outside-language", expr.opSpan, `\`${expr.op}\` has no meaning for tensors.`);
    return BROKEN;
  }
  const chained = bare(expr.left) === expr.left && expr.left.kind === "binary" && COMPARISONS.has(expr.left.op);
  if (COMPARISONS.has(expr.op) && chained) {
    machine.problems.add(
      "chained-comparison",
      expr.span,
      "A chain of comparisons has no meaning for tensors: write (a < b) & (b < c).",
    );
    return BROKEN;
  }
  if (!isOperand(left.value) || !isOperand(right.value)) return refuse(machine, expr, operands);
  const op = findOp(BINARY_OPS.get(expr.op) ?? "");
  if (!op) {
    machine.problems.add("unknown-op", expr.opSpan, `\`${expr.op}\` has no op here.`);
    return BROKEN;
  }
  return applyOp(machine, place, { op, path, expr }, { tensors: operands, attrs: {} });
}

function unaryValue(machine: Machine, place: Place, expr: UnaryExpr, operands: readonly Slot[], path: string): Value {
  const [operand] = operands;
  if (!operand || isBroken(operand.value)) return BROKEN;
  const folded = foldUnary(expr.op, operand.value);
  if (folded) return folded;
  if (!isOperand(operand.value)) return refuse(machine, expr, operands);
  const op = findOp(UNARY_OPS.get(expr.op) ?? "");
  return op ? applyOp(machine, place, { op, path, expr }, { tensors: operands, attrs: {} }) : operand.value;
}

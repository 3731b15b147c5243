/** @file Runs statements one after the other: binds names, unrolls loops, notes what is returned. */
import type { TensorType } from "../ir";
import { sameShape, showType } from "../ir";
import { findOp } from "../ops";
import { applyOp } from "./apply";
import { runAssertion } from "./assert";
import { declareInput, readType, sourceCall } from "./declare";
import { evaluate } from "./evaluate";
import type { Machine, Place, Turn } from "./machine";
import { mayGoOn, toNode, typeOf } from "./machine";
import { BINARY_OPS } from "./names";
import { bindName } from "./symbols";
import type {
  AssignStatement,
  Expr,
  ExpressionStatement,
  ForStatement,
  NameExpr,
  ReturnStatement,
  Statement,
  UpdateStatement,
} from "./syntax";
import { bare } from "./syntax";
import type { Slot, Value } from "./values";
import { BROKEN, describe, isBroken, isOperand, numberValue, tensorValue } from "./values";
import { foldBinary } from "./constants";

const MOST_TURNS = 10_000;

/** `y`, or `y@2` when `y` names a node already. */
function versioned(turn: Turn, name: string): string {
  const used = turn.versions.get(name) ?? 0;
  return used === 0 ? turn.prefix + name : `${turn.prefix}${name}@${used + 1}`;
}

/** Runs `work` with the identity that `name` gets in `statement`; the version is used up if a node was made. */
function underName<T>(machine: Machine, turn: Turn, statement: Statement, name: string, work: (place: Place) => T): T {
  const before = machine.nodes.size;
  const place: Place = { turn, statement, moment: ++machine.moment, root: versioned(turn, name) };
  machine.places.push(place);
  const result = work(place);
  if (machine.nodes.size > before) turn.versions.set(name, (turn.versions.get(name) ?? 0) + 1);
  return result;
}

/** Runs `statements` until one returns. */
export function runBody(machine: Machine, statements: readonly Statement[], turn: Turn): void {
  for (const statement of statements) {
    if (turn.result.values || !mayGoOn(machine, statement.span)) return;
    runStatement(machine, statement, turn);
  }
}

function runStatement(machine: Machine, statement: Statement, turn: Turn): void {
  switch (statement.kind) {
    case "assign":
      return runAssign(machine, statement, turn);
    case "update":
      return runUpdate(machine, statement, turn);
    case "expression":
      return runExpression(machine, statement, turn);
    case "return":
      return runReturn(machine, statement, turn);
    case "def":
      return underName(machine, turn, statement, statement.name.text, (place) =>
        bindName(
          machine,
          place,
          { kind: "name", name: statement.name.text, span: statement.name.span },
          { kind: "def", def: statement, scope: turn.scope },
          "def",
        ),
      );
    case "for":
      return runFor(machine, statement, turn);
    case "pass":
      return;
    case "bad":
      return underName(machine, turn, statement, "_", (place) => {
        for (const target of statement.targets) bindTargets(machine, place, target, BROKEN);
      });
  }
}

const namesIn = (target: Expr): readonly NameExpr[] => {
  const expr = bare(target);
  if (expr.kind === "name") return [expr];
  return expr.kind === "tuple" || expr.kind === "list" ? expr.items.flatMap(namesIn) : [];
};

/** Binds a name or a tuple of names; says what else can't be assigned to. */
function bindTargets(machine: Machine, place: Place, target: Expr, value: Value): void {
  const expr = bare(target);
  if (expr.kind === "name") return bindName(machine, place, expr, value);
  if (expr.kind !== "tuple" && expr.kind !== "list") {
    if (expr.kind !== "bad" && !isBroken(value))
      machine.problems.add(
        "bad-target",
        expr.span,
        "Only names can be assigned to: values never change, a new one gets a name.",
      );
    return;
  }
  const items = value.kind === "sequence" ? value.items : null;
  const fits = items?.length === expr.items.length;
  if (!fits && !isBroken(value)) {
    machine.problems.add(
      "bad-unpacking",
      expr.span,
      items
        ? `There are ${expr.items.length} names and ${items.length} values.`
        : `${expr.items.length} names can't be bound to ${describe(value)}.`,
    );
  }
  expr.items.forEach((item, i) => bindTargets(machine, place, item, fits ? items[i]!.value : BROKEN));
}

/** A bound hole is one node, however many read it. */
function held(machine: Machine, place: Place, value: Value, expr: Expr): Value {
  return value.kind === "hole" ? tensorValue(toNode(machine, place, { value, path: place.root, expr }, [])) : value;
}

function runAssign(machine: Machine, statement: AssignStatement, turn: Turn): void {
  const [first] = statement.targets;
  if (!first) return;
  const name = namesIn(first)[0]?.name ?? "_";
  const { value, annotation } = statement;
  if (annotation && (value === null || sourceCall(value))) return runDeclaration(machine, statement, turn, annotation);
  if (!value) return;
  const expr = bare(value);
  const target = bare(first);
  // `a, b = relu(x), exp(x)`: each value is a binding of its own.
  if (
    expr.kind === "tuple" &&
    target.kind === "tuple" &&
    expr.items.length === target.items.length &&
    statement.targets.length === 1
  ) {
    const values = target.items.map((item, i) => {
      const of = namesIn(item)[0]?.name ?? "_";
      return underName(machine, turn, statement, of, (place) => {
        const found = held(machine, place, evaluate(machine, place, expr.items[i]!, place.root), expr.items[i]!);
        return () => bindTargets(machine, place, item, found);
      });
    });
    for (const bind of values) bind();
    return;
  }
  underName(machine, turn, statement, name, (place) => {
    const found = held(machine, place, evaluate(machine, place, value, place.root), value);
    const checked = annotation ? checkedType(machine, place, annotation, found) : found;
    for (const each of statement.targets) bindTargets(machine, place, each, checked);
  });
}

function runDeclaration(machine: Machine, statement: AssignStatement, turn: Turn, annotation: Expr): void {
  const target = bare(statement.targets[0]!);
  if (target.kind !== "name" || turn.defs.length > 0) {
    const text =
      target.kind === "name"
        ? "An input is declared at the top, not inside a def: make it a parameter."
        : "Only a name can be declared.";
    machine.problems.add("bad-target", target.span, text);
    for (const each of statement.targets)
      underName(machine, turn, statement, "_", (place) => bindTargets(machine, place, each, BROKEN));
    return;
  }
  underName(machine, turn, statement, target.name, (place) => {
    const value = declareInput(machine, place, {
      name: target.name,
      path: place.root,
      annotation,
      source: statement.value,
      span: statement.span,
      param: null,
    });
    bindName(machine, place, target, value, "input");
  });
}

/** `y: f32[8, 4] = relu(x)`: the annotation is checked, the value counts. */
function checkedType(machine: Machine, place: Place, annotation: Expr, value: Value): Value {
  const said = readType(machine, place, annotation, place.root);
  if (!said || value.kind !== "tensor" || machine.unknown.has(value.node)) return value;
  const real: TensorType = typeOf(machine, value.node);
  if (said.dtype !== real.dtype || !sameShape(said.shape, real.shape)) {
    const { span } = annotation;
    machine.problems.add(
      "wrong-annotation",
      span,
      `The annotation says ${showType(said)}; the value is ${showType(real)}.`,
      {
        nodes: [value.node],
        fixes: [{ title: `Change to ${showType(real)}`, edits: [{ span, insert: showType(real) }] }],
      },
    );
  }
  return value;
}

function runUpdate(machine: Machine, statement: UpdateStatement, turn: Turn): void {
  const target = bare(statement.target);
  if (target.kind !== "name") {
    machine.problems.add(
      "bad-target",
      target.span,
      "Only names can be assigned to: values never change, a new one gets a name.",
    );
    return;
  }
  underName(machine, turn, statement, target.name, (place) => {
    const left: Slot = {
      value: evaluate(machine, place, target, `${place.root}/0`),
      path: `${place.root}/0`,
      expr: null,
    };
    const right: Slot = {
      value: evaluate(machine, place, statement.value, `${place.root}/1`),
      path: `${place.root}/1`,
      expr: statement.value,
    };
    bindName(machine, place, target, updated(machine, place, statement, left, right));
  });
}

function updated(
  machine: Machine,
  place: Place,
  { op, opSpan, span, value: right }: UpdateStatement,
  a: Slot,
  b: Slot,
): Value {
  if (isBroken(a.value) || isBroken(b.value)) return BROKEN;
  const folded = foldBinary(op, a.value, b.value);
  if (folded) return folded;
  const def = findOp(BINARY_OPS.get(op) ?? "");
  if (!def || !isOperand(a.value) || !isOperand(b.value)) {
    machine.problems.add("bad-operand", opSpan, `\`${op}=\` needs tensors or numbers.`);
    return BROKEN;
  }
  const expr: Expr = { kind: "binary", span, op, opSpan, left: { kind: "bad", span: opSpan }, right };
  return applyOp(machine, place, { op: def, path: place.root, expr }, { tensors: [a, b], attrs: {} });
}

function isModeCall({ value }: ExpressionStatement): "train" | "eval" | null {
  const expr = bare(value);
  if (expr.kind !== "call" || expr.args.length > 0) return null;
  const callee = bare(expr.callee);
  const name = callee.kind === "name" ? callee.name : callee.kind === "member" ? callee.name.text : "";
  return name === "train" || name === "eval" ? name : null;
}

function runExpression(machine: Machine, statement: ExpressionStatement, turn: Turn): void {
  const mode = isModeCall(statement);
  if (mode) {
    machine.training = mode === "train";
    return;
  }
  if (bare(statement.value).kind === "string" || runAssertion(machine, statement, turn)) return;
  underName(machine, turn, statement, "_", (place) => {
    const value = evaluate(machine, place, statement.value, place.root);
    const silent = value.kind === "tensor" || isBroken(value) || value.kind === "none";
    if (!silent)
      machine.problems.add("no-effect", statement.span, "This line has no effect: give the value a name.", {
        severity: "warning",
      });
    else if (value.kind === "tensor" && bare(statement.value).kind === "name") {
      machine.problems.add("no-effect", statement.span, "This line has no effect.", { severity: "warning" });
    }
  });
}

function runReturn(machine: Machine, statement: ReturnStatement, turn: Turn): void {
  const only = statement.values.length === 1 ? bare(statement.values[0]!) : null;
  const values = only && (only.kind === "tuple" || only.kind === "list") ? only.items : statement.values;
  if (values.length === 0) {
    machine.problems.add("no-return", statement.span, "return needs a value.");
  }
  turn.result.values = values
    .map((expr, i) => {
      const name = values.length === 1 ? "return" : `return#${i}`;
      return underName(machine, turn, statement, name, (place) => {
        const value = held(machine, place, evaluate(machine, place, expr, place.root), expr);
        if (value.kind !== "tensor" && !isBroken(value) && value.kind !== "sequence" && turn.defs.length === 0) {
          machine.problems.add("bad-return", expr.span, `Only tensors can be results; this is ${describe(value)}.`);
        }
        return { value, path: place.root, expr };
      });
    })
    .flatMap((slot) => (slot.value.kind === "sequence" && values.length === 1 ? slot.value.items : [slot]));
}

/** Numbers `range(…)` goes through; null after a diagnostic. */
function rangeOf(machine: Machine, place: Place, { iterable }: ForStatement): readonly number[] | null {
  const expr = bare(iterable);
  const called =
    expr.kind === "call" &&
    bare(expr.callee).kind === "name" &&
    machine.text.slice(expr.callee.span.from, expr.callee.span.to) === "range";
  if (!called) {
    machine.problems.add(
      "outside-language",
      iterable.span,
      "A loop goes over range(n) with a constant n: it is unrolled into the graph.",
    );
    return null;
  }
  const bounds = expr.args.map((arg, i) => evaluate(machine, place, arg.value, `${place.root}/range/${i}`));
  if (bounds.some(isBroken)) return null;
  const numbers = bounds.flatMap((value) =>
    value.kind === "number" && Number.isInteger(value.value) ? [value.value] : [],
  );
  const [start, stop, step] = numbers.length === 1 ? [0, numbers[0]!, 1] : [numbers[0]!, numbers[1]!, numbers[2] ?? 1];
  const count = step === 0 ? Infinity : Math.max(0, Math.ceil((stop - start) / step));
  if (numbers.length !== bounds.length || numbers.length < 1 || numbers.length > 3 || !(count <= MOST_TURNS)) {
    const what =
      count > MOST_TURNS
        ? `at most ${MOST_TURNS} turns are unrolled`
        : "range takes one to three whole numbers that are known before the graph runs";
    machine.problems.add("bad-range", iterable.span, `${what[0]!.toUpperCase()}${what.slice(1)}.`);
    return null;
  }
  return Array.from({ length: count }, (_, i) => start + i * step);
}

function runFor(machine: Machine, statement: ForStatement, turn: Turn): void {
  const target = bare(statement.target);
  if (target.kind !== "name") {
    machine.problems.add("bad-target", statement.target.span, "A loop has one variable.");
    return;
  }
  const key = `${target.name}#`;
  const place: Place = {
    turn,
    statement,
    moment: ++machine.moment,
    root: `${versioned(turn, target.name)}`,
  };
  const numbers = rangeOf(machine, place, statement);
  if (!numbers) return;
  const loops = (turn.versions.get(key) ?? 0) + 1;
  turn.versions.set(key, loops);
  const loop = loops === 1 ? target.name : `${target.name}@${loops}`;
  for (const number of numbers) {
    if (!mayGoOn(machine, statement.span) || turn.result.values) return;
    const id = `${turn.prefix}${loop}#${number}`;
    const group = { kind: "loop", id, label: `for ${target.name} = ${number}` } as const;
    const inner: Turn = { ...turn, prefix: `${id}/`, groups: [...turn.groups, group], versions: new Map() };
    bindName(machine, { ...place, turn: inner }, target, numberValue(number, true), "loop");
    machine.calls.push({ ...group, span: statement.span, result: null, expr: null, place });
    runBody(machine, statement.body, inner);
  }
}

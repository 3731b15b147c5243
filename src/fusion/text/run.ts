/** @file Runs statements one after the other: binds names, unrolls loops, notes what is returned. */
import type { Span, TensorType } from "../ir";
import { sameShape, showType } from "../ir";
import { findOp } from "../ops";
import { applyOp } from "./apply";
import { runAssertion } from "./assert";
import { declareInput, readType, sourceCall } from "./declare";
import { evaluate } from "./evaluate";
import { runFor, runIf, runWhile } from "./flow";
import { noteUses } from "./known-test";
import type { Machine, Place, Turn } from "./machine";
import { mayGoOn, toNode, typeOf } from "./machine";
import { BINARY_OPS, MODULES } from "./names";
import { heldBy } from "./python-types";
import { bindName } from "./symbols";
import type {
  AssignStatement,
  ClassStatement,
  Expr,
  ExpressionStatement,
  RaiseStatement,
  ReturnStatement,
  Statement,
  UpdateStatement,
} from "./syntax";
import { bare } from "./syntax";
import { bindTargets, namesIn, underName, writeItem, writtenName } from "./targets";
import type { Slot, Value } from "./values";
import { BROKEN, describe, isBroken, isOperand, tensorValue } from "./values";
import { foldBinary } from "./constants";

/** Runs `statements` until one returns or leaves its loop. */
export function runBody(machine: Machine, statements: readonly Statement[], turn: Turn): void {
  for (const statement of statements) {
    if (turn.result.values || turn.jump?.word || !mayGoOn(machine, statement.span)) return;
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
    case "if":
      return runIf(machine, statement, turn);
    case "while":
      return runWhile(machine, statement, turn);
    case "break":
    case "continue":
      if (turn.jump) turn.jump.word = statement.kind;
      return;
    case "raise":
      return runRaise(machine, statement, turn);
    case "class":
      return runClass(machine, statement, turn);
    case "pass":
      return;
    case "bad":
      return underName(machine, turn, statement, "_", (place) => {
        for (const target of statement.targets) bindTargets(machine, place, target, BROKEN);
      });
  }
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
    // What is written into a place of a tensor is a node beside the tensor that then has it.
    const path = target.kind === "subscript" ? `${place.root}/value` : place.root;
    const found = held(machine, { ...place, root: path }, evaluate(machine, place, value, path), value);
    const checked = annotation && heldBy(annotation) === null ? checkedType(machine, place, annotation, found) : found;
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
  const name = target.kind === "name" ? target : target.kind === "subscript" ? writtenName(target) : null;
  if (!name || (target.kind === "subscript" && bare(target.object) !== name)) {
    machine.problems.add(
      "bad-target",
      target.span,
      "Only names and places of a tensor can be assigned to: values never change, a new one gets a name.",
    );
    return;
  }
  underName(machine, turn, statement, name.name, (place) => {
    const slot = (expr: Expr, path: string, shown: Expr | null): Slot => ({
      value: evaluate(machine, place, expr, path),
      path,
      expr: shown,
    });
    const left = slot(target, `${place.root}/0`, null);
    const right = slot(statement.value, `${place.root}/1`, statement.value);
    if (target.kind !== "subscript")
      return bindName(machine, place, name, updated(machine, place, statement, left, right, place.root));
    const path = `${place.root}/value`;
    writeItem(machine, place, target, {
      value: updated(machine, place, statement, left, right, path),
      path,
      expr: null,
    });
  });
}

function updated(
  machine: Machine,
  place: Place,
  { op, opSpan, span, value: right }: UpdateStatement,
  a: Slot,
  b: Slot,
  path: string,
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
  return applyOp(machine, place, { op: def, path, expr }, { tensors: [a, b], attrs: {} });
}

/** The text says of itself that what leads here is wrong; what comes after is not read. */
function runRaise(machine: Machine, { span }: RaiseStatement, turn: Turn): void {
  const said = machine.text.slice(span.from, span.to).replaceAll(/\s+/g, " ");
  machine.problems.add("raise", span, `The program refuses these sizes or arguments itself: ${said}`);
  turn.result.values = [{ value: BROKEN, path: turn.prefix, expr: null }];
}

function isModeCall({ value }: ExpressionStatement): "train" | "eval" | null {
  const expr = bare(value);
  if (expr.kind !== "call" || expr.args.length > 0) return null;
  const callee = bare(expr.callee);
  const name = callee.kind === "name" ? callee.name : callee.kind === "member" ? callee.name.text : "";
  return name === "train" || name === "eval" ? name : null;
}

/** A class is no value here; where the classes of the program can be written out, one fix does it for all of them. */
function runClass(machine: Machine, statement: ClassStatement, turn: Turn): void {
  const { name, span } = statement;
  const line = machine.text.indexOf("\n", span.from);
  const fix = turn.defs.length === 0 ? machine.moduleFix() : null;
  const what = !fix
    ? "A class is not part of this language. Paste its forward() as a def, with the weights as parameters."
    : fix.name === name.text
      ? "A class is not part of this language, but what it computes is: its sizes become constants, its weights inputs."
      : `A class is not part of this language: ${name.text} is written out together with ${fix.name}.`;
  machine.problems.add("class", { from: span.from, to: line < 0 ? span.to : line }, what, {
    fixes: fix ? [{ title: `Write ${fix.name} as a program`, edits: fix.edits }] : [],
  });
  underName(machine, turn, statement, "_", (place) =>
    bindName(machine, place, { kind: "name", name: name.text, span: name.span }, BROKEN),
  );
}

/** `print(x)`: reads what it names and does nothing. */
function isPrinted(machine: Machine, { value, span }: ExpressionStatement, turn: Turn): boolean {
  const call = bare(value);
  const callee = call.kind === "call" ? bare(call.callee) : null;
  if (callee?.kind !== "name" || callee.name !== "print" || turn.scope.find("print")) return false;
  ignored(
    machine,
    turn,
    value,
    span,
    "Nothing is printed here: hover a name to see its shape, run to see numbers. This line is ignored.",
  );
  return true;
}

/** What only checks or tells: `utils.check_rank(x, 2)`, `logger.warning(…)`, `warnings.warn(…)`. */
const REMARK =
  /^_*(assert|check|warn|log|debug|info|error|validate|deprecat|register_|set_|seed|manual_seed|record|synchronize|mark_)/;

/** A call of something that is not here and whose answer nobody takes: it can change no value. */
function isRemark(machine: Machine, { value, span }: ExpressionStatement, turn: Turn): boolean {
  const call = bare(value);
  const callee = call.kind === "call" ? bare(call.callee) : null;
  if (callee?.kind !== "name" && callee?.kind !== "member") return false;
  let root: Expr = callee;
  while (root.kind === "member") root = root.object;
  const name = callee.kind === "name" ? callee.name : callee.name.text;
  const bound = root.kind === "name" ? turn.scope.find(root.name) : null;
  if (root.kind !== "name" || (bound && bound.value.kind !== "none") || findOp(name)) return false;
  const elsewhere = root !== callee && !MODULES.has(root.name);
  if (!elsewhere && !REMARK.test(name)) return false;
  ignored(machine, turn, value, span, "What this line calls is not here, and nothing takes its answer: it is ignored.");
  return true;
}

function ignored(machine: Machine, turn: Turn, value: Expr, span: Span, text: string): void {
  noteUses({ turn, statement: { kind: "expression", value, span }, moment: machine.moment, root: turn.prefix }, [
    value,
  ]);
  machine.problems.add("no-effect", span, text, { severity: "warning" });
}

function runExpression(machine: Machine, statement: ExpressionStatement, turn: Turn): void {
  const mode = isModeCall(statement);
  if (mode) {
    machine.training = mode === "train";
    return;
  }
  if (bare(statement.value).kind === "string" || runAssertion(machine, statement, turn)) return;
  if (isPrinted(machine, statement, turn)) return;
  if (isRemark(machine, statement, turn)) return;
  const written = writtenName(statement.value)?.name;
  underName(machine, turn, statement, written ?? "_", (place) => {
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
        if (
          value.kind !== "tensor" &&
          !isBroken(value) &&
          value.kind !== "sequence" &&
          value.kind !== "dict" &&
          turn.defs.length === 0
        ) {
          machine.problems.add("bad-return", expr.span, `Only tensors can be results; this is ${describe(value)}.`);
        }
        return { value, path: place.root, expr };
      });
    })
    .flatMap((slot) => (slot.value.kind === "sequence" && values.length === 1 ? slot.value.items : [slot]));
}

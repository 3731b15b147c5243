/** @file Runs statements one after the other: binds names, unrolls loops, notes what is returned. */
import type { TensorType } from "../../ir";
import { sameShape, showType } from "../../ir";
import { findOp } from "../../ops";
import { applyOp, scalarNode } from "../calls/apply";
import { runAssertion } from "./assert";
import { Attempts } from "../attempts";
import { leaveBlocks, runContext } from "./contexts";
import { setResult } from "./both-ways";
import { declareInput, readType, sourceCall } from "./declare";
import { evaluate } from "../evaluate";
import { runFor, runIf, runWhile } from "./flow";
import { hostReads, isPrinted, isRemark, runAssert, runRaise } from "./tells";
import { noteUses } from "./static-condition";
import type { Interpreter, StatementRun, Frame } from "../interpreter";
import { mayGoOn, toNode, typeOf } from "../interpreter";
import { BINARY_OPS, MODULES } from "../calls/names";
import { imported } from "../calls/member";
import { annotatedKind } from "../reading/python-types";
import { bindName } from "../symbols";
import type {
  AssignStatement,
  Expr,
  ExpressionStatement,
  ReturnStatement,
  Statement,
  UpdateStatement,
  YieldStatement,
} from "../reading/syntax";
import { bare, everyStatement, lastNameOf, rootsOf } from "../reading/syntax";
import { MOST_YIELDED } from "./generators";
import { itemsOf } from "./iterate";
import { isOn } from "./modes";
import { decorated } from "./decorators";
import { currentAll, writeInPlace } from "../calls/memory";
import { refusesInPlace } from "../calls/refused";
import { asPair } from "../calls/multi-results";
import { isIdle, runClass } from "../objects/classes";
import { isModule, setWeights } from "../objects/modules";
import { operated } from "../objects/operators";
import { hasSelection, ofSelection } from "../indexing/selection";
import { learnInPlace } from "../objects/parameters";
import { bindTargets, joinedAt, underName, wordOf, writeItem, writtenName } from "./targets";
import {
  BROKEN,
  isBroken,
  isOperand,
  isScalarTensor,
  NONE,
  type Operand,
  tensorValue,
  type Value,
} from "../values/values";
import { foldBinary } from "../values/constants";
import { change } from "../values/grown";
import { tellPlain } from "../values/results";

/** Runs `statements` until one returns or leaves its loop. */
export function runBody(interpreter: Interpreter, statements: readonly Statement[], frame: Frame): void {
  const { nodes } = interpreter;
  const { off } = nodes;
  runAll(interpreter, statements, frame);
  // The end of a block that is left before is not read.
  if (frame.result.values || frame.jump?.word) nodes.off = off;
}

function runAll(interpreter: Interpreter, statements: readonly Statement[], frame: Frame): void {
  const { nodes } = interpreter;
  /** Whether derivatives were off before each open `with torch.no_grad():`. */
  const before: boolean[] = [];
  const attempts = new Attempts(interpreter, statements, frame, before, runAll);
  for (const [i, statement] of statements.entries()) {
    if (attempts.passesOver(i, statement)) continue;
    const mode = statement.kind === "pass" ? statement.derivatives : undefined;
    if (
      frame.result.values &&
      frame.defs.length === 0 &&
      statements[i - 1]?.kind === "return" &&
      statement.kind !== "pass"
    )
      warnUnreached(interpreter, statement);
    if (!mayGoOn(interpreter, statement.span)) return;
    if (frame.result.values || frame.jump?.word)
      return leaveBlocks(statements, i, frame, (rest) => runAll(interpreter, rest, frame));
    if (mode === "before") nodes.off = before.pop() ?? false;
    else if (mode) {
      before.push(nodes.off);
      underName(interpreter, frame, statement, "_", (run) => (nodes.off = !isOn(interpreter, run, mode)));
    } else attempts.read(i, () => runStatement(interpreter, statement, frame));
  }
}

/** What follows the program's own return is read by nobody, which is easily overlooked. */
function warnUnreached(interpreter: Interpreter, { span }: Statement): void {
  interpreter.diagnostics.add("unused-value", span, "Nothing after `return` is computed: move `return` to the end.", {
    severity: "warning",
  });
}

/**
 * While a class or an object is made, what goes wrong is held back until something reads what is missing: an `__init__` also sets up
 * what forward() never asks for.
 */
function runStatement(interpreter: Interpreter, statement: Statement, frame: Frame): void {
  const { making } = frame;
  if (!making || statement.kind === "raise") return runPlainly(interpreter, statement, frame);
  if (isIdle(statement)) {
    const run = { frame, statement, step: interpreter.step, root: frame.prefix };
    noteUses(run, [...everyStatement([statement])].flatMap(rootsOf));
    setWeights(interpreter, statement, frame);
    return;
  }
  const { diagnostics } = interpreter;
  const mark = diagnostics.mark();
  runPlainly(interpreter, statement, frame);
  if (!diagnostics.errorsSince(mark)) return;
  const target = statement.kind === "assign" ? statement.targets[0] : undefined;
  const word = target ? wordOf(target) : null;
  making.late = [...making.late, ...diagnostics.takeErrors(mark).map((problem) => ({ ...problem, word }))];
}

function runPlainly(interpreter: Interpreter, statement: Statement, frame: Frame): void {
  switch (statement.kind) {
    case "assign":
      return runAssign(interpreter, statement, frame);
    case "update":
      return runUpdate(interpreter, statement, frame);
    case "expression":
      return runExpression(interpreter, statement, frame);
    case "return":
      return runReturn(interpreter, statement, frame);
    case "yield":
      return runYield(interpreter, statement, frame);
    case "def":
      return underName(interpreter, frame, statement, statement.name.text, (run) =>
        bindName(
          interpreter,
          run,
          { kind: "name", name: statement.name.text, span: statement.name.span },
          decorated(interpreter, run, statement, {
            kind: "def",
            def: statement,
            scope: frame.scope,
            made: interpreter.step + 1,
          }),
          "def",
        ),
      );
    case "for":
      return runFor(interpreter, statement, frame);
    case "if":
      return runIf(interpreter, statement, frame);
    case "while":
      return runWhile(interpreter, statement, frame);
    case "break":
    case "continue":
      if (frame.jump) frame.jump.word = statement.kind;
      return;
    case "raise":
      return runRaise(interpreter, statement, frame);
    case "assert":
      return runAssert(interpreter, statement, frame);
    case "class":
      return runClass(interpreter, statement, frame);
    case "import":
      return underName(interpreter, frame, statement, "_", (run) => {
        for (const { path, alias } of statement.names) {
          const value = imported(path);
          if (value && !MODULES.has(alias.name)) bindName(interpreter, run, alias, value, "parameter");
        }
      });
    case "pass":
      if (statement.context) runContext(interpreter, statement, frame);
      for (const name of statement.outer?.names ?? []) frame.scope.declare(name, statement.outer!.isGlobal);
      return;
    case "bad":
      return underName(interpreter, frame, statement, "_", (run) => {
        for (const target of statement.targets) bindTargets(interpreter, run, target, BROKEN);
      });
  }
}

/** A bound hole is one node, however many read it. */
function holeAsNode(interpreter: Interpreter, run: StatementRun, value: Value, expr: Expr): Value {
  return value.kind === "hole" ? tensorValue(toNode(interpreter, run, { value, path: run.root, expr }, [])) : value;
}

function runAssign(interpreter: Interpreter, statement: AssignStatement, frame: Frame): void {
  const [first] = statement.targets;
  if (!first) return;
  const name = wordOf(first) ?? "_";
  const { value, annotation } = statement;
  if (annotation && (value === null || sourceCall(value)))
    return runDeclaration(interpreter, statement, frame, annotation);
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
      const of = wordOf(item) ?? "_";
      return underName(interpreter, frame, statement, of, (run) => {
        const path = bare(item).kind === "subscript" ? `${run.root}/value` : run.root;
        const found = holeAsNode(interpreter, run, evaluate(interpreter, run, expr.items[i]!, path), expr.items[i]!);
        return () => bindTargets(interpreter, run, item, currentAll(interpreter, run, expr.items[i]!, found));
      });
    });
    for (const bind of values) bind();
    return;
  }
  let bound: Value = BROKEN;
  underName(interpreter, frame, statement, name, (run) => {
    // What is written into elements of a tensor is a node beside the tensor that then has it.
    const path = target.kind === "subscript" ? `${run.root}/value` : run.root;
    const found = holeAsNode(interpreter, { ...run, root: path }, evaluate(interpreter, run, value, path), value);
    const checked =
      annotation && annotatedKind(annotation) === null ? checkedType(interpreter, run, annotation, found) : found;
    bound = expr.kind === "call" && target.kind === "name" ? asPair(interpreter, checked, expr) : checked;
    bindTargets(interpreter, run, first, bound);
  });
  // `x[0] = x[-1] = 0`: each target is a version of its own.
  for (const each of statement.targets.slice(1))
    underName(interpreter, frame, statement, wordOf(each) ?? "_", (run) => bindTargets(interpreter, run, each, bound));
}

function runDeclaration(interpreter: Interpreter, statement: AssignStatement, frame: Frame, annotation: Expr): void {
  const target = bare(statement.targets[0]!);
  if (target.kind !== "name" || frame.defs.length > 0) {
    const text =
      target.kind === "name"
        ? "An input is declared at the top, not inside a def: make it a parameter."
        : "Only a name can be declared.";
    interpreter.diagnostics.add("bad-target", target.span, text);
    for (const each of statement.targets)
      underName(interpreter, frame, statement, "_", (run) => bindTargets(interpreter, run, each, BROKEN));
    return;
  }
  underName(interpreter, frame, statement, target.name, (run) => {
    const value = declareInput(interpreter, run, {
      name: target.name,
      path: run.root,
      annotation,
      source: statement.value,
      span: statement.span,
      param: null,
    });
    bindName(interpreter, run, target, value, "input");
  });
}

/** `y: f32[8, 4] = relu(x)`: the annotation is checked, the value counts. */
function checkedType(interpreter: Interpreter, run: StatementRun, annotation: Expr, value: Value): Value {
  const declared = readType(interpreter, run, annotation, run.root);
  if (!declared || value.kind !== "tensor" || interpreter.unknown.has(value.node)) return value;
  const real: TensorType = typeOf(interpreter, value.node);
  if (declared.dtype !== real.dtype || !sameShape(declared.shape, real.shape)) {
    const { span } = annotation;
    interpreter.diagnostics.add(
      "wrong-annotation",
      span,
      `The annotation says ${showType(declared)}; the value is ${showType(real)}.`,
      {
        nodes: [value.node],
        fixes: [{ title: `Change to ${showType(real)}`, edits: [{ span, insert: showType(real) }] }],
      },
    );
  }
  return value;
}

function runUpdate(interpreter: Interpreter, statement: UpdateStatement, frame: Frame): void {
  const target = bare(statement.target);
  let held = target;
  while (held.kind === "subscript") held = bare(held.object);
  // `y.t()[1] -= 5`: what a call answers may be a view of a tensor that has a name.
  const isView = held.kind === "call" && target.kind === "subscript" && interpreter.memory !== null;
  const name = held.kind === "name" || held.kind === "member" ? wordOf(held) : isView ? "_" : null;
  if (name === null) {
    interpreter.diagnostics.add(
      "bad-target",
      target.span,
      "Only a name, or elements of a named tensor, can be assigned to.",
    );
    return;
  }
  underName(interpreter, frame, statement, name, (run) => {
    const operand = (expr: Expr, path: string, shown: Expr | null): Operand => ({
      value: evaluate(interpreter, run, expr, path),
      path,
      expr: shown,
    });
    const left = operand(target, `${run.root}/0`, null);
    const right = operand(statement.value, `${run.root}/1`, statement.value);
    if (target.kind !== "subscript") {
      const made = updated(interpreter, run, statement, left, right, run.root);
      const now = statement.op !== "@" && refusesInPlace(interpreter, target, left.value, made) ? BROKEN : made;
      // What holds the tensor is asked before it holds what was written.
      if (target.kind === "member" && target.name.text === "data") learnInPlace(interpreter, frame, left.value, now);
      writeInPlace(interpreter, run, target, left.value, now);
      if ((left.value.kind === "sequence" && left.value.list) || (interpreter.memory && isScalarTensor(left.value)))
        change(interpreter, left.value, now);
      bindTargets(interpreter, run, target, now);
      if (target.kind === "name") learnInPlace(interpreter, frame, left.value, now);
      return;
    }
    const path = `${run.root}/value`;
    writeItem(interpreter, run, target, {
      value: updated(interpreter, run, statement, left, right, path),
      path,
      expr: null,
    });
  });
}

function updated(
  interpreter: Interpreter,
  run: StatementRun,
  { op, opSpan, span, value: right }: UpdateStatement,
  a: Operand,
  b: Operand,
  path: string,
): Value {
  if (isBroken(a.value) || isBroken(b.value)) return BROKEN;
  const own = operated(interpreter, run, { expr: right, path, op }, a, b);
  if (own) return own;
  const folded = foldBinary(op, a.value, b.value);
  if (folded) return folded;
  if (hasSelection([a, b])) {
    const at = {
      path,
      expr: { kind: "binary" as const, span, op, opSpan, left: { kind: "bad" as const, span: opSpan }, right },
      name: "",
      isNumpy: false,
    };
    return ofSelection(interpreter, run, at, [a, b], ([left, other]) =>
      updated(interpreter, run, { op, opSpan, span, value: right } as UpdateStatement, left!, other!, path),
    );
  }
  const def = findOp(BINARY_OPS.get(op) ?? "");
  if (!def || !isOperand(a.value) || !isOperand(b.value)) {
    interpreter.diagnostics.add("bad-operand", opSpan, `\`${op}=\` needs tensors or numbers.`);
    return BROKEN;
  }
  const expr: Expr = { kind: "binary", span, op, opSpan, left: { kind: "bad", span: opSpan }, right };
  return applyOp(interpreter, run, { op: def, path, expr }, { tensors: [a, b], attrs: {} });
}

/** Whether a statement says that all trains, or that nothing does, `train()`, `model.eval()`; null where it says neither. */
function saysMode({ scope }: Frame, { value }: ExpressionStatement): "train" | "eval" | null {
  const expr = bare(value);
  if (expr.kind !== "call" || expr.args.length > 0) return null;
  const callee = bare(expr.callee);
  const name = callee.kind === "name" ? callee.name : callee.kind === "member" ? callee.name.text : "";
  const isOwn = callee.kind === "name" && scope.find(name) !== null;
  return !isOwn && (name === "train" || name === "eval") ? name : null;
}

/** Whether the mode is that of a module that the program has. */
function isOfModule({ scope }: Frame, { value }: ExpressionStatement): boolean {
  const call = bare(value);
  let root = call.kind === "call" ? bare(call.callee) : call;
  if (root.kind !== "member") return false;
  while (root.kind === "member") root = bare(root.object);
  return root.kind === "name" && isModule(scope.find(root.name)?.value ?? NONE);
}

function runExpression(interpreter: Interpreter, statement: ExpressionStatement, frame: Frame): void {
  const mode = saysMode(frame, statement);
  if (mode) {
    interpreter.training = mode === "train";
    if (!isOfModule(frame, statement)) return;
  }
  const asked = bare(statement.value);
  if (asked.kind === "call" && lastNameOf(asked) === "set_grad_enabled") {
    underName(interpreter, frame, statement, "_", (run) => (interpreter.nodes.off = !isOn(interpreter, run, asked)));
    return;
  }
  if (bare(statement.value).kind === "string" || runAssertion(interpreter, statement, frame)) return;
  const reads = hostReads(statement, (name) => frame.scope.find(name)?.value.kind === "tensor");
  for (const read of reads) runAssign(interpreter, read, frame);
  if (reads.length > 0 || isPrinted(interpreter, statement, frame) || isRemark(interpreter, statement, frame)) return;
  const joined = joinedAt(statement.value);
  if (joined) return storeJoined(interpreter, statement, frame, joined);
  const written = writtenName(statement.value)?.name;
  underName(interpreter, frame, statement, written ?? "_", (run) => {
    const changes = interpreter.grown.size;
    const value = evaluate(interpreter, run, statement.value, run.root);
    if (statement === interpreter.statements.at(-1)) frame.result.shown = value;
    const silent =
      value.kind === "tensor" || value.kind === "none" || isModule(value) || isBroken(value) || frame.making;
    // `items.pop()`: it is called for what it does.
    if (interpreter.grown.size > changes) return;
    if (!silent)
      interpreter.diagnostics.add("no-effect", statement.span, "This line has no effect: give the value a name.", {
        severity: "warning",
      });
    else if (value.kind === "tensor" && bare(statement.value).kind === "name") {
      interpreter.diagnostics.add("no-effect", statement.span, "This line has no effect.", { severity: "warning" });
    }
  });
}

/** `np.add.at(x, rows, y)`: x has other elements from here on. */
function storeJoined(
  interpreter: Interpreter,
  statement: ExpressionStatement,
  frame: Frame,
  { target, value }: NonNullable<ReturnType<typeof joinedAt>>,
): void {
  underName(interpreter, frame, statement, wordOf(target) ?? "_", (run) => {
    const was = evaluate(interpreter, run, target, `${run.root}/object`);
    const now = evaluate(interpreter, run, value, run.root);
    writeInPlace(interpreter, run, target, was, now);
    bindTargets(interpreter, run, target, now);
  });
}

/** `yield x`, `yield from items`. */
function runYield(interpreter: Interpreter, statement: YieldStatement, frame: Frame): void {
  const { yields } = frame;
  if (!yields) {
    interpreter.diagnostics.add("outside-language", statement.span, "`yield` stands in a def.");
    return;
  }
  const { value: expr, all } = statement;
  underName(interpreter, frame, statement, "yield", (run) => {
    const value = expr ? evaluate(interpreter, run, expr, run.root) : NONE;
    const operand = { value, path: run.root, expr };
    const items = all ? itemsOf(interpreter, run, operand, `${run.root}/in`) : [operand];
    if (!items && expr && !isBroken(value))
      interpreter.diagnostics.add("outside-language", expr.span, "`yield from` takes a list, a tuple or a generator.");
    yields.items.push(...(items ?? []));
  });
  if (yields.items.length < MOST_YIELDED) return;
  yields.isEndless = true;
  frame.result.values = [];
}

/** What the program returns: its numbers that are tensors are results, too. */
function mapScalars(interpreter: Interpreter, run: StatementRun, expr: Expr, value: Value): Value {
  const inside = (operand: Operand, i: number | string): Operand => ({
    ...operand,
    value: mapped(operand.value, `${run.root}#${i}`),
  });
  const mapped = (each: Value, path: string): Value => {
    if (each.kind === "sequence" && each.items.some((item) => isScalarTensor(item.value)))
      return { ...each, items: each.items.map(inside) };
    return scalarNode(interpreter, run, { path, expr }, each);
  };
  return mapped(value, run.root);
}

function runReturn(interpreter: Interpreter, statement: ReturnStatement, frame: Frame): void {
  const only = statement.values.length === 1 ? bare(statement.values[0]!) : null;
  const isTuple = only && (only.kind === "tuple" || only.kind === "list") && only.starred.length === 0;
  const values = isTuple ? only.items : statement.values;
  if (statement.values.length === 0 && (frame.method || frame.yields || (frame.sequence && frame.defs.length > 0))) {
    frame.result.values = [{ value: NONE, path: frame.prefix, expr: null }];
    frame.result.value = NONE;
    return;
  }
  if (statement.values.length === 0) {
    interpreter.diagnostics.add("no-return", statement.span, "return needs a value.");
  }
  const operands = values.map((expr, i) => {
    const name = values.length === 1 ? "return" : `return#${i}`;
    return underName(interpreter, frame, statement, name, (run) => {
      const found = holeAsNode(interpreter, run, evaluate(interpreter, run, expr, run.root), expr);
      const value = frame.defs.length === 0 ? mapScalars(interpreter, run, expr, found) : found;
      return { value, path: run.root, expr };
    });
  });
  if (frame.defs.length === 0) tellPlain(interpreter, operands);
  const [first] = operands;
  const alone = !isTuple && operands.length === 1 ? first!.value : null;
  if (frame.result.early?.length)
    return setResult(interpreter, frame, statement, alone ?? { kind: "sequence", items: operands });
  frame.result.values = alone?.kind === "sequence" ? alone.items : operands;
  if (alone) frame.result.value = alone;
}

/** @file Branches and loops: decided and unrolled while the program is read. */
import { evaluate } from "../evaluate";
import { canChoose, refuses, runBoth, whyNoChoice } from "./both-ways";
import { DIFFERENT } from "./chosen";
import { leave, settle, unlessLeft, withoutJump } from "./leaving";
import { holdsAtFirst } from "./any-iteration";
import { staticCondition, noteUses } from "./static-condition";
import type { Interpreter, Left, StatementRun, Frame } from "../interpreter";
import { itemsOf } from "./iterate";
import { mayGoOn } from "../interpreter";
import { bare, bodiesOf, everyStatement, rootsOf, walk } from "../reading/syntax";
import type { GroupRef } from "../../ir";
import { isInput, type NodeId } from "../../ir";
import { onlyTells } from "./telling";
import type { Expr, ForStatement, IfStatement, Statement, WhileStatement } from "../reading/syntax";
import { forAsLoop, type ForLoop } from "./for-loop";
import { type FirstIteration, isTraining, mayTrain, isTooLong, LONGEST_WRITTEN, runFirst } from "./training-loop";
import { bindTargets, namesIn, underName, versioned } from "./targets";
import { repeatsItself } from "./iterations-differ";
import { exhaust, isMade } from "../values/grown";
import { BROKEN, isBroken, type Operand, type Value } from "../values/values";

/** What a test says; names of an `if` belong to nothing, so a test makes no binding. */
function testValue(
  interpreter: Interpreter,
  statement: Statement,
  frame: Frame,
  test: Expr,
  { text, rest }: { readonly text?: string; readonly rest?: IfStatement } = {},
): boolean | null | NodeId {
  return underName(interpreter, frame, statement, "_", (run) => {
    const made = interpreter.nodes.size;
    const value = evaluate(interpreter, run, test, run.root);
    if (
      statement.kind === "if" &&
      value.kind === "tensor" &&
      counts(interpreter, value.node) &&
      onlyTells([statement], ENDS)
    ) {
      for (const id of [...interpreter.nodes.keys()].slice(made)) {
        interpreter.spare.add(id);
        interpreter.optimizing.tests.add(id);
      }
      return false;
    }
    const isOpen = value.kind === "tensor" && holdsAtFirst(interpreter, value.node) === null;
    if (isOpen && rest && refuses(rest.branches[0]!.body)) {
      for (const id of [...interpreter.nodes.keys()].slice(made)) interpreter.spare.add(id);
      const remark = "Only the running program would know whether it stops here. These lines are ignored.";
      interpreter.diagnostics.add("no-effect", test.span, remark, { severity: "warning" });
      return false;
    }
    if (isOpen && frame.jump && onlyTells([statement], ENDS) && isTraining(interpreter, frame, frame.jump.loop)) {
      for (const id of [...interpreter.nodes.keys()].slice(made)) interpreter.spare.add(id);
      const remark = "A training goes on for as long as it is let to: this is ignored.";
      interpreter.diagnostics.add("no-effect", test.span, remark, { severity: "warning" });
      return false;
    }
    const choice = rest && (frame.jump ? withoutJump(rest).statement : rest);
    if (isOpen && choice && canChoose(interpreter, choice, value)) return value.node;
    if (isOpen && choice && !interpreter.anyIteration)
      return staticCondition(
        interpreter,
        { value, path: run.root, expr: test },
        test,
        whyNoChoice(interpreter, choice),
      );
    return staticCondition(interpreter, { value, path: run.root, expr: test }, test, text);
  });
}

/** A training is as long as it is let to be: where its loop ends by its number says nothing about a step. */
const ENDS: ReadonlySet<Statement["kind"]> = new Set(["break"]);

/** Whether a condition hangs on nothing but which iteration this is. */
function counts({ nodes, optimizing }: Interpreter, test: NodeId): boolean {
  const seen = new Set([test]);
  let found = false;
  for (const id of seen) {
    if (optimizing.counts.has(id)) found = true;
    else if (isInput(nodes.get(id)!)) return false;
    else for (const input of nodes.get(id)!.inputs) seen.add(input);
  }
  return found;
}

export function runIf(interpreter: Interpreter, statement: IfStatement, frame: Frame): void {
  const ways = [...statement.branches, { test: null, body: statement.otherwise }];
  let taken: readonly Statement[] | null = null;
  let unclear = false;
  for (const [at, { test, body }] of ways.entries()) {
    const open = taken === null && !unclear;
    const rest = open && test ? from(statement, at) : null;
    const holds = rest ? testValue(interpreter, statement, frame, test!, { rest }) : open;
    if (typeof holds === "string") {
      if (refuses(rest!.otherwise)) {
        taken = body;
        continue;
      }
      const { statement: choice, word } = frame.jump ? withoutJump(rest!) : { statement: rest!, word: null };
      const asked = { node: holds, expr: test! };
      const left = word && { ...asked, node: unlessLeft(interpreter, statement, frame, asked) };
      const fault = runBoth(interpreter, choice, frame, asked);
      if (!fault && left) leave(interpreter, frame, word, left);
      if (!fault) return;
      interpreter.diagnostics.add("branch", test!.span, `${DIFFERENT} ${fault}.`);
    }
    if (holds === null || typeof holds === "string") unclear = true;
    if (holds === true) taken = body;
    else skip(interpreter, frame, statement, body, unclear);
  }
  if (taken) interpreter.runBody(taken, frame);
}

/** The `if` that the branches from the one at `at` on make: what comes after that one is its `else`. */
function from(statement: IfStatement, at: number): IfStatement {
  const [first, ...more] = statement.branches.slice(at);
  const otherwise = more.length === 0 ? statement.otherwise : [{ ...statement, branches: more }];
  return { ...statement, branches: [first!], otherwise };
}

/** A body that is not taken; where nobody knows whether it is, its names are broken. */
function skip(
  interpreter: Interpreter,
  frame: Frame,
  statement: Statement,
  body: readonly Statement[],
  unclear: boolean,
): void {
  const run: StatementRun = { frame, statement, step: interpreter.step, root: versioned(frame, "_") };
  for (const inner of everyStatement(body)) {
    noteUses(run, rootsOf(inner));
    const targets = inner.kind === "assign" ? inner.targets : inner.kind === "update" ? [inner.target] : [];
    if (unclear) for (const target of targets) bindTargets(interpreter, run, target, BROKEN);
  }
}

interface Passes {
  readonly all: readonly Pass[];
  /** What they are of: a loop that is left leaves the rest of it. */
  readonly of: Operand;
}

interface Pass {
  /** Tells the iteration from others in identities: the number it is about, else its index. */
  readonly key: number;
  readonly value: Value;
}

/** What a loop goes through; null after a diagnostic. Turns over whole numbers are told apart by them. */
function passesOf(interpreter: Interpreter, run: StatementRun, statement: ForStatement): Passes | null {
  const { iterable } = statement;
  const found = evaluate(interpreter, run, iterable, `${run.root}/in`);
  const of = { value: found, path: `${run.root}/in`, expr: iterable };
  const items = itemsOf(interpreter, run, of, `${run.root}/in`);
  if (items) {
    const numbers = items.flatMap((item) =>
      item.value.kind === "number" && item.value.whole ? [item.value.value] : [],
    );
    const telling = new Set(numbers).size === items.length;
    return { all: items.map((item, i) => ({ key: telling ? numbers[i]! : i, value: item.value })), of };
  }
  if (!isBroken(found))
    interpreter.diagnostics.add(
      "outside-language",
      iterable.span,
      "A loop goes over range(n) with a constant n, or over a tuple: it is unrolled into the graph.",
    );
  return null;
}

const ENDLESS =
  "`while` depends on data, and the graph must be known in advance. Write `for i in range(20):` with the most iterations that it may take, and `if not condition: break` in it.";

/** More iterations than a person means; a text that asks for more has a slip in it. */
const MAX_ITERATIONS = 10_000;

/** Runs `body` as one iteration of a loop; whether the loop goes on. */
function runIteration(
  interpreter: Interpreter,
  statement: Statement,
  frame: Frame,
  group: GroupRef,
  bind: (inner: Frame) => void,
  breaks: Left[],
): boolean {
  const jump: NonNullable<Frame["jump"]> = { word: null, loop: statement, breaks, continues: [] };
  const inner: Frame = {
    ...frame,
    prefix: `${group.id}/`,
    groups: [...frame.groups, group],
    versions: new Map(),
    jump,
  };
  bind(inner);
  interpreter.runBody(bodiesOf(statement)[0]!, inner);
  if (jump.continues.length > 0) settle(interpreter, statement, inner, jump.continues);
  return jump.word !== "break";
}

/**
 * Runs an iteration; whether it is the last one. A loop whose iteration is a step of training is all of it: a program is one step.
 * @param block whether the iterations up to this one repeat as a block; null for the first
 */
function isLast(
  interpreter: Interpreter,
  run: StatementRun,
  iteration: Omit<FirstIteration, "run">,
  iterate: (number: Value | null) => boolean,
  block: (() => boolean) | null,
): boolean {
  const { optimizing } = interpreter;
  if (!block && mayTrain(interpreter, run.frame, iteration.statement))
    return runFirst(interpreter, run, { ...iteration, run: iterate }) !== "goes on";
  const { turns } = optimizing;
  if (!iterate(null)) return true;
  if (optimizing.turns === turns || optimizing.writtenOut.has(iteration.statement)) return false;
  // Iterations that make no step came before: they are the step together with this one, or they differ.
  if (block?.()) return true;
  optimizing.writtenOut.add(iteration.statement);
  return false;
}

/** What a test hangs on, where that is nothing but numbers and words: with the same values it says the same again. */
function testedValues(frame: Frame, test: Expr): string | null {
  const values: unknown[] = [];
  for (const expr of walk(test)) {
    if (expr.kind === "name") {
      const value = frame.scope.find(expr.name)?.value;
      if (value?.kind !== "number" && value?.kind !== "bool" && value?.kind !== "string") return null;
      values.push(value.value);
    } else if (!FIXED.has(expr.kind)) return null;
  }
  return values.join();
}
const FIXED: ReadonlySet<Expr["kind"]> = new Set(["number", "string", "true", "false", "binary", "unary", "paren"]);
const LEAVES: ReadonlySet<Statement["kind"]> = new Set(["break", "return", "yield", "raise"]);

/** Runs a loop, and then chooses what names stand for if it was left before its end. */
function untilLeft(interpreter: Interpreter, statement: Statement, frame: Frame, work: (breaks: Left[]) => void): void {
  const breaks: Left[] = [];
  work(breaks);
  if (breaks.length > 0) settle(interpreter, statement, frame, breaks);
}

export const runWhile = (interpreter: Interpreter, statement: WhileStatement, frame: Frame): void =>
  untilLeft(interpreter, statement, frame, (breaks) => iterateWhile(interpreter, statement, frame, breaks));

function iterateWhile(interpreter: Interpreter, statement: WhileStatement, frame: Frame, breaks: Left[]): void {
  const loop = versioned(frame, "while");
  frame.versions.set("while", (frame.versions.get("while") ?? 0) + 1);
  const staysIn = ![...everyStatement(statement.body)].some(({ kind }) => LEAVES.has(kind));
  for (let i = 0; ; i++) {
    if (!mayGoOn(interpreter, statement.span) || frame.result.values) return;
    if (i === MAX_ITERATIONS) {
      interpreter.diagnostics.add(
        "too-long",
        statement.test.span,
        `This still holds after ${MAX_ITERATIONS} iterations. A loop is unrolled in advance, so it must end after a known number.`,
      );
      return;
    }
    const holds = testValue(interpreter, statement, frame, statement.test, { text: ENDLESS });
    if (holds === null) skip(interpreter, frame, statement, statement.body, true);
    if (holds !== true) return;
    const id = `${loop}#${i}`;
    const group = { kind: "loop", id, label: `while, iteration ${i}` } as const;
    const run: StatementRun = { frame, statement, step: ++interpreter.step, root: loop };
    const iterate = (): boolean => runIteration(interpreter, statement, frame, group, () => {}, breaks);
    const before = staysIn ? testedValues(frame, statement.test) : null;
    const block = i === 0 ? null : (): boolean => false;
    if (isLast(interpreter, run, { statement, id, number: null, items: null }, iterate, block)) return;
    if (i + 1 === LONGEST_WRITTEN && isTooLong(interpreter, statement)) return;
    if (before !== null && before === testedValues(frame, statement.test)) {
      const text =
        "This loop never ends: its body changes nothing of what it tests. Count with `for i in range(3):`, or change that in the body.";
      interpreter.diagnostics.add("too-long", statement.test.span, text);
      return;
    }
  }
}

/** Iterations from which on the others are tried as one loop. */
const TRIES = 3;

/** Loops that were tried and had to be written out: in another iteration around them they are not tried again. */
const unrolled = new WeakMap<Interpreter, Set<ForStatement>>();

function mayBeOneLoop(interpreter: Interpreter, statement: ForStatement): boolean {
  const known = unrolled.get(interpreter) ?? new Set();
  unrolled.set(interpreter, known);
  // What hooks keep is apart for each iteration.
  return !known.has(statement) && interpreter.hooks.length === 0;
}

/** The number that a loop counts by: its variable, or the first of a tuple, as `enumerate` numbers items. */
function ownNumber(target: Expr, passes: readonly Pass[]): FirstIteration["number"] {
  const name = target.kind === "tuple" ? bare(target.items[0]!) : target;
  const numbers = passes.map(({ value }): number | null => {
    const own = value.kind === "sequence" && target.kind === "tuple" ? value.items[0]?.value : value;
    return own?.kind === "number" && own.whole ? own.value : null;
  });
  const [now = null, next = null] = numbers;
  if (name.kind !== "name" || now === null) return null;
  const step = (next ?? now + 1) - now;
  return numbers.every((each, i) => each === now + i * step) ? { name: name.name, now, step } : null;
}

const withNumber = (value: Value, number: Value): Value =>
  value.kind === "sequence"
    ? { ...value, items: value.items.map((item, i) => (i === 0 ? { ...item, value: number } : item)) }
    : number;

export const runFor = (interpreter: Interpreter, statement: ForStatement, frame: Frame): void =>
  untilLeft(interpreter, statement, frame, (breaks) => iterateFor(interpreter, statement, frame, breaks));

function iterateFor(interpreter: Interpreter, statement: ForStatement, frame: Frame, breaks: Left[]): void {
  const target = bare(statement.target);
  const names = namesIn(target);
  const name = names[0]?.name;
  if (name === undefined) {
    interpreter.diagnostics.add("bad-target", statement.target.span, "A loop has a variable, or a tuple of them.");
    return;
  }
  const key = `${name}#`;
  const run: StatementRun = {
    frame,
    statement,
    step: ++interpreter.step,
    root: `${versioned(frame, name)}`,
  };
  const found = passesOf(interpreter, run, statement);
  if (!found) return;
  const { all: passes, of } = found;
  const loops = (frame.versions.get(key) ?? 0) + 1;
  frame.versions.set(key, loops);
  const loop = loops === 1 ? name : `${name}@${loops}`;
  const items = passes.map(({ value }) => value);
  const rest = (from: number): ForLoop => ({
    statement,
    id: `${frame.prefix}${loop}${from < 2 ? "" : `.from${from}`}`,
    items: items.slice(from),
    runBody: (around, bind) => {
      const group = { kind: "loop", id: `${frame.prefix}${loop}#`, label: `for ${name}` } as const;
      runIteration(interpreter, statement, around, group, bind, breaks);
    },
  });
  // What is a number before the first iteration may be a tensor after it, and a condition may be about the first alone, where a name may
  // have another shape than in all others.
  let tries = TRIES;
  for (let at = 0; at < passes.length; at++) {
    if (!mayGoOn(interpreter, statement.span) || frame.result.values) return;
    if (tries > 0 && mayBeOneLoop(interpreter, statement)) {
      const some = forAsLoop(interpreter, run, rest(at));
      at += some;
      if (at === passes.length) return;
      tries = some > 0 ? TRIES : tries - 1;
      // What an iteration of a loop around it says on trial is not its last word.
      if (tries === 0 && interpreter.anyIteration === null) unrolled.get(interpreter)!.add(statement);
    }
    const iterate = (own: Value | null, of = at): boolean => {
      const { key: iterationKey, value } = passes[of]!;
      const id = `${frame.prefix}${loop}#${iterationKey}`;
      const group = { kind: "loop", id, label: `for ${name} = ${iterationKey}` } as const;
      interpreter.calls.push({ ...group, span: statement.span, result: null, expr: null, run });
      const item = own === null ? value : withNumber(value, own);
      const bind = (inner: Frame): void => bindTargets(interpreter, { ...run, frame: inner }, target, item, "loop");
      return runIteration(interpreter, statement, frame, group, bind, breaks);
    };
    const id = `${frame.prefix}${loop}#${passes[at]!.key}`;
    const block = (): boolean =>
      2 * at + 1 < passes.length &&
      repeatsItself(interpreter, frame, () => {
        for (let of = at + 1; of <= 2 * at + 1; of++) iterate(null, of);
      });
    const number = at === 0 ? ownNumber(target, passes) : null;
    const left = isLast(interpreter, run, { statement, id, number, items }, iterate, at === 0 ? null : block);
    if ((left || frame.result.values) && of.value.kind === "sequence")
      exhaust(interpreter, of.value, of.value.items.slice(at + 1), isMade(of.expr));
    if (left) return;
    if (at + 1 === LONGEST_WRITTEN && at + 1 < passes.length && isTooLong(interpreter, statement)) return;
  }
}

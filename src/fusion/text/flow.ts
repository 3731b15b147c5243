/** @file Branches and loops: decided and unrolled while the program is read. */
import { evaluate, knownTest, noteUses } from "./evaluate";
import type { Machine, Place, Turn } from "./machine";
import { mayGoOn } from "./machine";
import type { CallExpr, Expr, ForStatement, IfStatement, Statement } from "./syntax";
import { bare, everyStatement, rootsOf } from "./syntax";
import { bindTargets, namesIn, underName, versioned } from "./targets";
import type { Value } from "./values";
import { BROKEN, isBroken, numberValue } from "./values";

const MOST_TURNS = 10_000;

/** What a test says; names of an `if` belong to nothing, so a test makes no binding. */
function testValue(machine: Machine, statement: IfStatement, turn: Turn, test: Expr): boolean | null {
  return underName(machine, turn, statement, "_", (place) => {
    const value = evaluate(machine, place, test, place.root);
    return knownTest(machine, { value, path: place.root, expr: test }, test);
  });
}

export function runIf(machine: Machine, statement: IfStatement, turn: Turn): void {
  const ways = [...statement.branches, { test: null, body: statement.otherwise }];
  let taken: readonly Statement[] | null = null;
  let unclear = false;
  for (const { test, body } of ways) {
    const open = taken === null && !unclear;
    const holds = open && test ? testValue(machine, statement, turn, test) : open;
    if (holds === null) unclear = true;
    if (holds === true) taken = body;
    else skip(machine, turn, statement, body, unclear);
  }
  if (taken) machine.runBody(taken, turn);
}

/** A body that is not taken; where nobody knows whether it is, its names are broken. */
function skip(machine: Machine, turn: Turn, statement: Statement, body: readonly Statement[], unclear: boolean): void {
  const place: Place = { turn, statement, moment: machine.moment, root: versioned(turn, "_") };
  for (const inner of everyStatement(body)) {
    noteUses(place, rootsOf(inner));
    const targets = inner.kind === "assign" ? inner.targets : inner.kind === "update" ? [inner.target] : [];
    if (unclear) for (const target of targets) bindTargets(machine, place, target, BROKEN);
  }
}

interface Pass {
  /** Tells the turn from others in identities: the number it is about, else its place. */
  readonly key: number;
  readonly value: Value;
}

/** What a loop goes through; null after a diagnostic. */
function passesOf(machine: Machine, place: Place, statement: ForStatement): readonly Pass[] | null {
  const expr = bare(statement.iterable);
  const called = expr.kind === "call" && bare(expr.callee).kind === "name";
  if (called && machine.text.slice(expr.callee.span.from, expr.callee.span.to) === "range") {
    const numbers = rangeOf(machine, place, statement, expr);
    return numbers && numbers.map((key) => ({ key, value: numberValue(key, true) }));
  }
  const value = evaluate(machine, place, expr, `${place.root}/in`);
  if (value.kind === "sequence" && value.items.length <= MOST_TURNS)
    return value.items.map((item, key) => ({ key, value: item.value }));
  if (!isBroken(value))
    machine.problems.add(
      "outside-language",
      expr.span,
      "A loop goes over range(n) with a constant n, or over a tuple: it is unrolled into the graph.",
    );
  return null;
}

/** Numbers `range(…)` goes through; null after a diagnostic. */
function rangeOf(machine: Machine, place: Place, { iterable }: ForStatement, expr: CallExpr): readonly number[] | null {
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

export function runFor(machine: Machine, statement: ForStatement, turn: Turn): void {
  const target = bare(statement.target);
  const names = namesIn(target);
  const name = names[0]?.name;
  if (name === undefined) {
    machine.problems.add("bad-target", statement.target.span, "A loop has a variable, or a tuple of them.");
    return;
  }
  const key = `${name}#`;
  const place: Place = {
    turn,
    statement,
    moment: ++machine.moment,
    root: `${versioned(turn, name)}`,
  };
  const passes = passesOf(machine, place, statement);
  if (!passes) return;
  const loops = (turn.versions.get(key) ?? 0) + 1;
  turn.versions.set(key, loops);
  const loop = loops === 1 ? name : `${name}@${loops}`;
  for (const { key: turnKey, value } of passes) {
    if (!mayGoOn(machine, statement.span) || turn.result.values) return;
    const id = `${turn.prefix}${loop}#${turnKey}`;
    const group = { kind: "loop", id, label: `for ${name} = ${turnKey}` } as const;
    const inner: Turn = { ...turn, prefix: `${id}/`, groups: [...turn.groups, group], versions: new Map() };
    bindTargets(machine, { ...place, turn: inner }, target, value, "loop");
    machine.calls.push({ ...group, span: statement.span, result: null, expr: null, place });
    machine.runBody(statement.body, inner);
  }
}

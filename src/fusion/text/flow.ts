/** @file Branches and loops: decided and unrolled while the program is read. */
import { evaluate, knownTest, noteUses } from "./evaluate";
import type { Machine, Place, Turn } from "./machine";
import { mayGoOn } from "./machine";
import type { Expr, ForStatement, IfStatement, Statement } from "./syntax";
import { bare, everyStatement, rootsOf } from "./syntax";
import { bindTargets, namesIn, underName, versioned } from "./targets";
import type { Value } from "./values";
import { BROKEN, isBroken } from "./values";

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

/** What a loop goes through; null after a diagnostic. Turns over whole numbers are told apart by them. */
function passesOf(machine: Machine, place: Place, statement: ForStatement): readonly Pass[] | null {
  const { iterable } = statement;
  const value = evaluate(machine, place, iterable, `${place.root}/in`);
  if (value.kind === "sequence") {
    const numbers = value.items.flatMap((item) => (item.value.kind === "number" && item.value.whole ? [item.value.value] : [])); // prettier-ignore
    const telling = new Set(numbers).size === value.items.length;
    return value.items.map((item, i) => ({ key: telling ? numbers[i]! : i, value: item.value }));
  }
  if (!isBroken(value))
    machine.problems.add(
      "outside-language",
      iterable.span,
      "A loop goes over range(n) with a constant n, or over a tuple: it is unrolled into the graph.",
    );
  return null;
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

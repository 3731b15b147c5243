/** @file Branches and loops: decided and unrolled while the program is read. */
import { evaluate } from "./evaluate";
import { knownTest, noteUses } from "./known-test";
import type { Machine, Place, Turn } from "./machine";
import { itemsOf } from "./iterate";
import { mayGoOn } from "./machine";
import type { Expr, ForStatement, IfStatement, Statement, WhileStatement } from "./syntax";
import { bare, bodiesOf, everyStatement, rootsOf } from "./syntax";
import type { GroupRef } from "../ir";
import { bindTargets, namesIn, underName, versioned } from "./targets";
import type { Value } from "./values";
import { BROKEN, isBroken } from "./values";

/** What a test says; names of an `if` belong to nothing, so a test makes no binding. */
function testValue(machine: Machine, statement: Statement, turn: Turn, test: Expr, text?: string): boolean | null {
  return underName(machine, turn, statement, "_", (place) => {
    const value = evaluate(machine, place, test, place.root);
    return knownTest(machine, { value, path: place.root, expr: test }, test, text);
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
  const found = evaluate(machine, place, iterable, `${place.root}/in`);
  const items = itemsOf(machine, place, { value: found, path: `${place.root}/in`, expr: iterable }, `${place.root}/in`);
  if (items) {
    const numbers = items.flatMap((item) =>
      item.value.kind === "number" && item.value.whole ? [item.value.value] : [],
    );
    const telling = new Set(numbers).size === items.length;
    return items.map((item, i) => ({ key: telling ? numbers[i]! : i, value: item.value }));
  }
  if (!isBroken(found))
    machine.problems.add(
      "outside-language",
      iterable.span,
      "A loop goes over range(n) with a constant n, or over a tuple: it is unrolled into the graph.",
    );
  return null;
}

const ENDLESS =
  "A graph is fixed before it runs: whether this holds is known only when it does. Write `for i in range(3):` with a constant.";

/** More turns than a person means; a text that asks for more has a slip in it. */
const MOST_TURNS = 10_000;

/** Runs `body` as one turn of a loop; whether the loop goes on. */
function runTurn(
  machine: Machine,
  statement: Statement,
  turn: Turn,
  group: GroupRef,
  bind: (inner: Turn) => void,
): boolean {
  const jump: Turn["jump"] = { word: null };
  const inner: Turn = { ...turn, prefix: `${group.id}/`, groups: [...turn.groups, group], versions: new Map(), jump };
  bind(inner);
  machine.runBody(bodiesOf(statement)[0]!, inner);
  return jump.word !== "break";
}

export function runWhile(machine: Machine, statement: WhileStatement, turn: Turn): void {
  const loop = versioned(turn, "while");
  turn.versions.set("while", (turn.versions.get("while") ?? 0) + 1);
  for (let i = 0; ; i++) {
    if (!mayGoOn(machine, statement.span) || turn.result.values) return;
    if (i === MOST_TURNS) {
      machine.problems.add(
        "too-long",
        statement.test.span,
        `This still holds after ${MOST_TURNS} turns: a loop ends before the graph runs.`,
      );
      return;
    }
    const holds = testValue(machine, statement, turn, statement.test, ENDLESS);
    if (holds === null) skip(machine, turn, statement, statement.body, true);
    if (holds !== true) return;
    const group = { kind: "loop", id: `${loop}#${i}`, label: `while, turn ${i}` } as const;
    if (!runTurn(machine, statement, turn, group, () => {})) return;
  }
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
    machine.calls.push({ ...group, span: statement.span, result: null, expr: null, place });
    const bind = (inner: Turn): void => bindTargets(machine, { ...place, turn: inner }, target, value, "loop");
    if (!runTurn(machine, statement, turn, group, bind)) return;
  }
}

/** @file A Python `for` that stays a loop: what its body assigns and had before is what it carries, what it appends to lists are its rows. */
import type { NodeId } from "../../ir";

import { addNode, type Frame, type Interpreter, type StatementRun, typeOf } from "../interpreter";
import { openTrial } from "../trial";
import { type Given, keepLoop, type KeptLoop } from "./keep-loop";
import { type Added, growingIn, lastItems, withLast, withRows } from "./kept-lists";
import { patternOf } from "./loop-items";
import { type SymbolRecord, tensorValue, type Value } from "../values/values";
import { bindName } from "../symbols";
import type { ForStatement, NameExpr, Statement } from "../reading/syntax";
import { bodiesOf, everyStatement, rootsOf, walk } from "../reading/syntax";
import { bindTargets, namesIn, underName } from "./targets";

export interface KeptFor {
  readonly statement: ForStatement;
  /** Identity of the loop. */
  readonly id: string;
  /** What it goes through. */
  readonly items: readonly Value[];
  /** Reads the body once, as an iteration of its own. */
  readonly runBody: (frame: Frame, bind: (inner: Frame) => void) => void;
}

type Sequence = Extract<Value, { readonly kind: "sequence" }>;

const STEERING: ReadonlySet<Statement["kind"]> = new Set([
  "break",
  "continue",
  "return",
  "raise",
  "while",
  "def",
  "class",
  "bad",
]);

/** Names that the body binds, each where it is bound last. */
function assigned(body: readonly Statement[]): ReadonlyMap<string, NameExpr> {
  const names = new Map<string, NameExpr>();
  for (const statement of everyStatement(body)) {
    const targets =
      statement.kind === "assign" ? statement.targets : statement.kind === "update" ? [statement.target] : [];
    for (const name of targets.flatMap(namesIn)) {
      const known = names.get(name.name);
      if (!known || name.span.from > known.span.from) names.set(name.name, name);
    }
  }
  return names;
}

/** Whether the text reads a name of this spelling outside of the loop. */
const readOutside = ({ statements }: Interpreter, loop: ForStatement, name: string): boolean =>
  [...everyStatement(statements)]
    .filter((statement) => statement.span.from < loop.span.from || statement.span.to > loop.span.to)
    .flatMap(rootsOf)
    .some((root) => [...walk(root)].some((expr) => expr.kind === "name" && expr.name === name));

/** Whether the body takes gradients or steps of an optimizer, which no loop of the graph does. */
const learns = (body: readonly Statement[]): boolean =>
  [...everyStatement(body)]
    .flatMap(rootsOf)
    .flatMap((root) => [...walk(root)])
    .some((expr) => expr.kind === "member" && (expr.name.text === "backward" || expr.name.text === "step"));

/** Tensors of one number, for names that are numbers before the first iteration and tensors after it; null where some stay numbers. */
function startingTensors(
  interpreter: Interpreter,
  run: StatementRun,
  { statement, id, items, runBody }: KeptFor,
  numbers: readonly NameExpr[],
): readonly CarriedName[] | null {
  if (numbers.length === 0) return [];
  const { frame } = run;
  const { scope } = frame;
  const before = scope.mark();
  const valueOf = ({ name }: NameExpr): Value => scope.find(name)!.value;
  const starts = numbers.map(valueOf);
  const trial = openTrial(interpreter);
  const bind = (inner: Frame): void =>
    bindTargets(interpreter, { ...run, frame: inner }, statement.target, items[0]!, "loop");
  runBody({ ...frame, groups: [] }, bind);
  const ends = numbers.map(valueOf);
  const types = ends.map((end) =>
    end.kind === "tensor" && !interpreter.unknown.has(end.node) ? typeOf(interpreter, end.node) : null,
  );
  trial.undo();
  scope.backTo(before);
  if (types.includes(null)) return null;
  return numbers.map((name, at) => {
    const { dtype, shape } = types[at]!;
    const made = { groups: frame.groups, span: statement.span };
    const { value } = starts[at] as { readonly value: number };
    const number = { op: "const", inputs: [], attrs: { value }, type: { dtype, shape: [] }, label: `${value}` };
    const own = addNode(interpreter, { ...made, ...number, id: `${id}.${name.name}/1` });
    const spread = { op: "expand", inputs: [own], attrs: { shape }, type: { dtype, shape }, label: name.name };
    return { name, node: addNode(interpreter, { ...made, ...spread, id: `${id}.${name.name}` }) };
  });
}

interface CarriedName {
  readonly name: NameExpr;
  /** Before the first iteration. */
  readonly node: NodeId;
}

/**
 * Keeps the loop as one, and binds what it leaves behind; false where it has to be written out.
 * A value that the first iteration changes in shape or dtype is none that a loop carries: the caller may ask again after that.
 */
export function keepFor(interpreter: Interpreter, run: StatementRun, loop: KeptFor): boolean {
  const trial = openTrial(interpreter);
  const kept = tryFor(interpreter, run, loop);
  if (!kept) trial.undo();
  return kept;
}

function tryFor(interpreter: Interpreter, run: StatementRun, loop: KeptFor): boolean {
  const { statement, id, items, runBody } = loop;
  const { frame } = run;
  const { scope } = frame;
  const body = bodiesOf(statement)[0]!;
  const targets = namesIn(statement.target);
  if (learns(body) || [...everyStatement(body)].some(({ kind }) => STEERING.has(kind))) return false;
  const pattern = patternOf(interpreter, items);
  if (!pattern) return false;
  const names = assigned(body);
  if (targets.some(({ name }) => names.has(name))) return false;
  const numbers = [...names.values()].filter(({ name }) => scope.find(name)?.value.kind === "number");
  const started = startingTensors(interpreter, run, loop, numbers);
  if (!started) return false;
  const carried = [...names.values()].flatMap((name): CarriedName[] => {
    const { value } = scope.find(name.name) ?? {};
    if (value?.kind === "number") return started.filter((each) => each.name === name);
    return value?.kind === "tensor" && !interpreter.unknown.has(value.node) ? [{ name, node: value.node }] : [];
  });
  const fresh = [...names.keys()].filter((name) => !carried.some((each) => each.name.name === name));
  const lasts = lastItems(body, scope);
  if (carried.length + lasts.length === 0) return false;
  // Numbers that iterations change are known to each of them; what only the last one leaves behind is found in it.
  if (fresh.some((name) => scope.find(name) !== null || readOutside(interpreter, statement, name))) return false;
  const before = scope.mark();
  const symbols = new Map<string, SymbolRecord>();
  let lists: readonly Added[] = [];
  const iteration = (given: Given): ReturnType<Parameters<typeof keepLoop>[2]["iteration"]> => {
    const bind = (inner: Frame): void => {
      bindTargets(interpreter, { ...run, frame: inner }, statement.target, pattern.item(given), "loop");
      carried.forEach(({ name }, at) => {
        const { symbol } = scope.find(name.name)!;
        scope.bind(name.name, { step: ++interpreter.step, value: tensorValue(given.carried[at]!), symbol });
      });
      lasts.forEach(({ name }, at) => {
        const { symbol, value } = scope.find(name.name)!;
        const now = withLast(value, given.carried[carried.length + at]!);
        scope.bind(name.name, { step: ++interpreter.step, value: now, symbol });
      });
    };
    const listed = new Map(growingIn(body).map((call) => [call, scope.find(call.name.name)?.value] as const));
    runBody({ ...frame, groups: [] }, bind);
    for (const { name } of carried) symbols.set(name.name, scope.find(name.name)!.symbol);
    const added = withRows(body, scope, listed, lasts);
    if (!added) return null;
    lists = added;
    const known = new Set([...names.keys(), ...targets.map(({ name }) => name), ...added.map(({ name }) => name.name)]);
    const appended = lasts.map(({ name }) => (scope.find(name.name)!.value as Sequence).items.at(-1)!.value);
    const ends = [...carried.map(({ name }) => scope.find(name.name)!.value), ...appended];
    if (scope.boundSince(before).some((name) => !known.has(name))) return null;
    if (ends.some((value) => value.kind !== "tensor")) return null;
    const nodeOf = (value: Value): NodeId => (value as { readonly node: NodeId }).node;
    return { carried: ends.map(nodeOf), rows: added.flatMap(({ rows }) => rows) };
  };
  const kept = keepLoop(interpreter, run, {
    id,
    carried: [...carried, ...lasts].map(({ name, node }) => ({ name: name.name, node })),
    iterations: items.length,
    number: pattern.number && (targets[0]?.name ?? "iteration"),
    rows: pattern.rows,
    iteration,
  });
  scope.backTo(before);
  if (!kept) return false;
  pattern.kept();
  // What an iteration reads of the values before it, the next one reads of what it has set.
  for (const { name } of carried)
    for (const use of scope.find(name.name)!.symbol.uses)
      if (use.from > statement.span.from && use.to <= statement.span.to) symbols.get(name.name)?.addUse(use);
  bindCarried(interpreter, frame, statement, carried, kept);
  let next = 0;
  for (const list of lists) {
    underName(interpreter, frame, statement, list.name.name, (inner) => {
      bindTargets(interpreter, inner, list.name, list.after(interpreter, inner, kept, next));
    });
    next += list.rows.length;
  }
  bindTargets(interpreter, run, statement.target, items.at(-1)!, "loop");
  return true;
}

function bindCarried(
  interpreter: Interpreter,
  frame: Frame,
  statement: ForStatement,
  carried: readonly { readonly name: NameExpr }[],
  kept: KeptLoop,
): void {
  carried.forEach(({ name }, at) => {
    underName(interpreter, frame, statement, name.name, (inner) => {
      const node = kept.result(at, {
        id: inner.root as NodeId,
        label: name.name,
        groups: frame.groups,
        span: statement.span,
      });
      bindName(interpreter, inner, name, tensorValue(node));
    });
  });
}

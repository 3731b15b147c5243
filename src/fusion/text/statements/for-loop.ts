/** @file A Python `for` that stays a loop: what its body assigns and had before is what it carries, what it appends to lists are its rows. */
import type { NodeId } from "../../ir";
import type { Walk } from "../../ops";

import { addNode, type Frame, type Interpreter, type StatementRun, typeOf } from "../interpreter";
import { openTrial } from "../trial";
import { type Given, asOneLoop, type OneLoop } from "./one-loop";
import { type Added, growingIn, lastItems, withLast, withRows } from "./loop-lists";
import { isCovered, withRowsAt } from "./loop-rows";
import { patternOf } from "./loop-items";
import { longestStart } from "./any-iteration";
import { fits, walkOf } from "./loop-reading";
import { forgetGrown } from "../values/grown";
import { branchAlike, leavesOf, mapLeaves } from "../values/trees";
import { type Operand, type SymbolRecord, tensorValue, type Value } from "../values/values";
import { bindName } from "../symbols";
import { writeInPlace } from "../calls/memory";
import { watchMemory } from "./loop-memory";
import type { ForStatement, NameExpr, Statement } from "../reading/syntax";
import { bare, bodiesOf, everyStatement, type Expr, expressionsOf, rootsOf, walk } from "../reading/syntax";
import { bindTargets, namesIn, underName } from "./targets";

export interface ForLoop {
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
  "yield",
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

/** Names that the body mentions only to set elements, once: `out[t] = h`. */
function onlyWritten(body: readonly Statement[], names: Iterable<NameExpr>): readonly NameExpr[] {
  const statements = [...everyStatement(body)];
  const targets = statements.flatMap((each) => (each.kind === "assign" ? each.targets : [])).map(bare);
  const updated = statements.flatMap((each) => (each.kind === "update" ? [each.target] : []));
  const all = [...expressionsOf(body), ...[...targets, ...updated].flatMap((target) => [...walk(target)])];
  const isSet = ({ name }: NameExpr): boolean =>
    targets.some((target) => target.kind === "subscript" && isNamed(target.object, name));
  return [...names].filter((name) => isSet(name) && all.filter((expr) => isNamed(expr, name.name)).length === 1);
}

const isNamed = (expr: Expr, name: string): boolean => {
  const inner = bare(expr);
  return inner.kind === "name" && inner.name === name;
};

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
  { statement, id, items, runBody }: ForLoop,
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

/** A name whose value is carried: a tensor, or a tuple of tensors. */
interface CarriedTree {
  readonly name: NameExpr;
  /** Before the first iteration, and its tensors from left to right. */
  readonly tree: Operand;
  readonly nodes: readonly NodeId[];
}

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

/** The tree with other tensors. */
const treeOf = ({ tree }: CarriedTree, nodes: readonly NodeId[]): Value =>
  mapLeaves(tree, (leaf, at) => ({ ...leaf, value: tensorValue(nodes[at]!) })).value;

/** The tensors of a tuple of tensors, or of one alone; null of any other value. */
function tensorsOf({ unknown }: Interpreter, value: Value | undefined): readonly NodeId[] | null {
  if (value?.kind !== "tensor" && (value?.kind !== "sequence" || value.list === true)) return null;
  const leaves = leavesOf(loose(value));
  const nodes = leaves.flatMap((leaf) => (leaf.value.kind === "tensor" ? [leaf.value.node] : []));
  const isWhole = nodes.length > 0 && nodes.length === leaves.length;
  return isWhole && !nodes.some((node) => unknown.has(node)) ? nodes : null;
}

/**
 * Reads the loop as one, and binds what it leaves behind. Where a condition on the iteration's number changes on the way, only the
 * iterations before that are one loop, but the last of them, which binds the names that nothing carries.
 * A value that the first iteration changes in shape or dtype is none that a loop carries: the caller may ask again after that.
 * @returns how many iterations, from the first, are one loop: 0 where they have to be written out
 */
export function forAsLoop(interpreter: Interpreter, run: StatementRun, loop: ForLoop): number {
  const attempt = (items: readonly Value[]): boolean | number => {
    const trial = openTrial(interpreter);
    const changes = interpreter.grown.size;
    const taken = tryFor(interpreter, run, { ...loop, items });
    if (taken !== true) trial.undo();
    // What one iteration made of lists is not what all of them do.
    else forgetGrown(interpreter, changes);
    return taken;
  };
  const all = attempt(loop.items);
  if (typeof all === "boolean") return all ? loop.items.length : 0;
  const some = loop.items.slice(0, all - 1);
  return attempt(some) === true ? some.length : 0;
}

/** Whether it is one loop; a number where only so many of its first iterations could be. */
function tryFor(interpreter: Interpreter, run: StatementRun, loop: ForLoop): boolean | number {
  const { statement, id, items, runBody } = loop;
  const { frame } = run;
  const { scope } = frame;
  const body = bodiesOf(statement)[0]!;
  const targets = namesIn(statement.target);
  if (learns(body) || [...everyStatement(body)].some(({ kind }) => STEERING.has(kind))) return false;
  const pattern = patternOf(interpreter, items);
  if (!pattern) {
    const some = longestStart(items.length, (count) => patternOf(interpreter, items.slice(0, count)) !== null);
    return some > 2 && some;
  }
  const names = assigned(body);
  if (targets.some(({ name }) => names.has(name))) return false;
  const numbers = [...names.values()].filter(({ name }) => scope.find(name)?.value.kind === "number");
  const started = startingTensors(interpreter, run, loop, numbers);
  if (!started) return false;
  const written = onlyWritten(body, names.values()).flatMap((name): CarriedName[] => {
    const value = scope.find(name.name)?.value;
    return value?.kind === "tensor" && !interpreter.unknown.has(value.node) ? [{ name, node: value.node }] : [];
  });
  const isWritten = (name: string): boolean => written.some((each) => each.name.name === name);
  const carried = [...names.values()].flatMap((name): CarriedTree[] => {
    if (isWritten(name.name)) return [];
    const { value } = scope.find(name.name) ?? {};
    const begin = started.find((each) => each.name === name);
    if (begin) return [{ name, tree: loose(tensorValue(begin.node)), nodes: [begin.node] }];
    const nodes = tensorsOf(interpreter, value);
    return nodes ? [{ name, tree: loose(value!), nodes }] : [];
  });
  const tensors = carried.flatMap(({ nodes }) => nodes).length;
  const fresh = [...names.keys()].filter((name) => ![...carried, ...written].some((each) => each.name.name === name));
  const lasts = lastItems(body, scope);
  if (carried.length + lasts.length === 0) return false;
  // Numbers that iterations change are known to each of them; what only the last one leaves behind is found in it.
  if (fresh.some((name) => scope.find(name) !== null || readOutside(interpreter, statement, name))) return false;
  const before = scope.mark();
  const symbols = new Map<string, SymbolRecord>();
  const tensorsIn = (value: Value): readonly Value[] => leavesOf(loose(value)).map((leaf) => leaf.value);
  const outers = carried.flatMap(({ tree }) => tensorsIn(tree.value));
  const writtenOuters = written.map(({ name }) => scope.find(name.name)!.value);
  const atEnd = watchMemory(interpreter);
  let inPlace: readonly number[] = [];
  let lists: readonly Added[] = [];
  let rows: readonly WrittenRow[] = [];
  const iteration = (given: Given): ReturnType<Parameters<typeof asOneLoop>[2]["iteration"]> => {
    let standIns: readonly Value[] = [];
    const bind = (inner: Frame): void => {
      bindTargets(interpreter, { ...run, frame: inner }, statement.target, pattern.item(given), "loop");
      const bindTo = ({ name }: { readonly name: NameExpr }, value: Value): void => {
        const { symbol } = scope.find(name.name)!;
        scope.bind(name.name, { step: ++interpreter.step, value, symbol });
      };
      let next = 0;
      for (const each of carried) {
        bindTo(each, treeOf(each, given.carried.slice(next, next + each.nodes.length)));
        next += each.nodes.length;
      }
      standIns = carried.flatMap(({ name }) => tensorsIn(scope.find(name.name)!.value));
      written.forEach((each, at) => bindTo(each, tensorValue(given.written[at]!)));
      lasts.forEach(({ name }, at) => {
        const { symbol, value } = scope.find(name.name)!;
        const now = withLast(value, given.carried[tensors + at]!);
        scope.bind(name.name, { step: ++interpreter.step, value: now, symbol });
      });
    };
    const listed = new Map(growingIn(body).map((call) => [call, scope.find(call.name.name)?.value] as const));
    runBody({ ...frame, groups: [] }, bind);
    for (const { name } of carried) symbols.set(name.name, scope.find(name.name)!.symbol);
    const added = withRows(body, scope, listed, lasts);
    if (!added) return null;
    lists = added;
    const setRows = writtenRows(interpreter, written, given.written);
    if (!setRows) return null;
    rows = setRows;
    const known = new Set([...names.keys(), ...targets.map(({ name }) => name), ...added.map(({ name }) => name.name)]);
    const appended = lasts.map(({ name }) => (scope.find(name.name)!.value as Sequence).items.at(-1)!.value);
    const after = carried.map(({ name }) => scope.find(name.name)!.value);
    if (carried.some(({ tree }, at) => !branchAlike(tree.value, after[at]!))) return null;
    const carriedEnds = after.flatMap(tensorsIn);
    const stored = atEnd(
      standIns.map((standIn, at) => ({ outer: outers[at]!, standIn, end: carriedEnds[at]! })),
      added.flatMap(({ name }) => tensorsIn(scope.find(name.name)!.value)),
    );
    if (!stored) return null;
    inPlace = stored.map(({ standIn }) => standIns.indexOf(standIn));
    const ends = [...carriedEnds, ...appended];
    if (scope.boundSince(before).some((name) => !known.has(name))) return null;
    if (ends.some((value) => value.kind !== "tensor")) return null;
    const nodeOf = (value: Value): NodeId => (value as { readonly node: NodeId }).node;
    return {
      carried: ends.map(nodeOf),
      rows: [...added.flatMap((list) => list.rows), ...setRows.map(({ row }) => row)],
    };
  };
  const oneLoop = asOneLoop(interpreter, run, {
    id,
    carried: [
      ...carried.flatMap((each) => each.nodes.map((node, at) => ({ name: wordOf(each, at), node }))),
      ...lasts.map(({ name, node }) => ({ name: name.name, node })),
    ],
    iterations: items.length,
    number: pattern.number && (targets[0]?.name ?? "iteration"),
    rows: pattern.rows,
    written: written.map(({ node }) => node),
    iteration,
  });
  scope.backTo(before);
  if (oneLoop === null) return false;
  if (typeof oneLoop === "number") return oneLoop;
  pattern.spareItems();
  // What an iteration reads of the values before it, the next one reads of what it has set.
  for (const { name } of carried)
    for (const use of scope.find(name.name)!.symbol.uses)
      if (use.from > statement.span.from && use.to <= statement.span.to) symbols.get(name.name)?.addUse(use);
  bindCarried(interpreter, frame, statement, carried, oneLoop);
  const results = carried.flatMap(({ name }) => tensorsIn(scope.find(name.name)!.value));
  for (const at of inPlace) writeInPlace(interpreter, run, statement.target, outers[at]!, results[at]!);
  let next = 0;
  for (const list of lists) {
    underName(interpreter, frame, statement, list.name.name, (inner) => {
      bindTargets(interpreter, inner, list.name, list.after(interpreter, inner, oneLoop, next));
    });
    next += list.rows.length;
  }
  for (const { of, axis, walk } of rows) {
    const at = next++;
    underName(interpreter, frame, statement, of.name.name, (inner) => {
      const { root } = inner;
      const [isAll, reversed] = [
        isCovered(interpreter, of.node, axis, items.length),
        walk.backwards !== oneLoop.backwards,
      ];
      const made = { label: of.name.name, groups: frame.groups, span: statement.span };
      const given = oneLoop.rows(at, (lies) => ({
        ...made,
        id: (isAll && !reversed && lies === axis ? root : `${root}.given`) as NodeId,
      }));
      const first = walk.backwards ? walk.start - items.length + 1 : walk.start;
      const node = withRowsAt(interpreter, inner, of.node, { rows: given, axis, first, reversed }, root);
      const value = tensorValue(node);
      writeInPlace(interpreter, inner, of.name, writtenOuters[written.indexOf(of)]!, value);
      bindName(interpreter, inner, of.name, value);
    });
  }
  bindTargets(interpreter, run, statement.target, items.at(-1)!, "loop");
  return true;
}

/** What the iterations write of a tensor: the row of one, and which rows those of all are. */
interface WrittenRow {
  readonly of: CarriedName;
  readonly axis: number;
  readonly walk: Walk;
  readonly row: NodeId;
}

/** What was written of the tensors that stand for `written`; null where some of it is not one row an iteration, each beside the last. */
function writtenRows(
  { nodes, anyIteration }: Interpreter,
  written: readonly CarriedName[],
  standing: readonly NodeId[],
): readonly WrittenRow[] | null {
  const { numbersOf, written: writes } = anyIteration!;
  const found: WrittenRow[] = [];
  for (const [at, of] of written.entries()) {
    const [write, more] = writes.get(standing[at]!)!;
    if (write === undefined) continue;
    if (write === null || more !== undefined) return null;
    const { axis, index, row } = write;
    const { shape } = nodes.get(of.node)!.type;
    const numbers = numbersOf(index)?.map((each) => (each < 0 ? each + shape[axis]! : each)) ?? [];
    const walk = walkOf(numbers);
    if (!walk || !fits(walk, numbers.length, shape, axis)) return null;
    found.push({ of, axis, walk, row });
  }
  return found;
}

/** What tensor `at` of it is called. */
const wordOf = ({ name, nodes }: CarriedTree, at: number): string =>
  nodes.length === 1 ? name.name : `${name.name}_${at}`;

function bindCarried(
  interpreter: Interpreter,
  frame: Frame,
  statement: ForStatement,
  carried: readonly CarriedTree[],
  oneLoop: OneLoop,
): void {
  let next = 0;
  for (const each of carried) {
    const { name, nodes } = each;
    underName(interpreter, frame, statement, name.name, (inner) => {
      const results = nodes.map((_, at) =>
        oneLoop.result(next++, {
          id: (nodes.length === 1 ? inner.root : `${inner.root}#${at}`) as NodeId,
          label: wordOf(each, at),
          groups: frame.groups,
          span: statement.span,
        }),
      );
      bindName(interpreter, inner, name, treeOf(each, results));
    });
  }
}

/**
 * @file The loop that is the training: its iteration takes a derivative and carries what it makes of it on. A program is one such
 * iteration, and what the loop carries replaces what it began with: weights, what an optimizer keeps, counts.
 */
import { type Attrs, isInput, nodeId, type NodeId, sameShape, type Span, type TensorType } from "../../ir";
import { opDef, withDefaults } from "../../ops";
import { applyOp } from "../calls/apply";
import { type Ending, endings } from "../values/endings";
import type { Frame, Interpreter, Moment, RepeatedStep, StatementRun } from "../interpreter";
import { addNode, typeOf } from "../interpreter";
import { BINARY_OPS } from "../calls/names";
import { isLearned, replace, sparesWeights } from "../objects/parameters";
import { changedSince, type Home, momentOf, readIn, scopesOf, withFirstEntries } from "./carried";
import { difference, differingNames } from "./iterations-differ";
import { canBegin, constantStart, startAttrs } from "./starting-values";
import type { Expr, ForStatement, Statement, WhileStatement } from "../reading/syntax";
import { bare, bodiesOf, everyStatement, expressionsOf, walk } from "../reading/syntax";
import { isTransform } from "../calls/transforms";
import { openTrial } from "../trial";
import { numberValue, type Operand, type SymbolRecord, tensorValue, type Value } from "../values/values";

/** What a loop is, for who runs its first iteration. */
export interface FirstIteration {
  readonly statement: ForStatement | WhileStatement;
  /** Identity of the iteration. */
  readonly id: string;
  /** The loop's own number in this iteration and the next; null where it has none. */
  readonly number: { readonly name: string; readonly now: number; readonly step: number } | null;
  /** What it goes through; null where only its condition knows. */
  readonly items: readonly Value[] | null;
  /** Runs the iteration, with another value of the loop's own number where one is given; whether the loop goes on. */
  readonly run: (number: Value | null) => boolean;
}

const takesDerivatives = new WeakMap<readonly Statement[], boolean>();

const derives = (expr: Expr): boolean =>
  (expr.kind === "name" && isTransform(expr.name)) ||
  (expr.kind === "member" && (expr.name.text === "backward" || isTransform(expr.name.text)));

/** Whether the text speaks of derivatives anywhere. */
export function differentiates({ statements }: Pick<Interpreter, "statements">): boolean {
  const known =
    takesDerivatives.get(statements) ??
    (expressionsOf(statements).some(derives) ||
      [...everyStatement(statements)].some(
        (each) => each.kind === "def" && (each.decorators ?? []).some((one) => [...walk(one)].some(derives)),
      ));
  takesDerivatives.set(statements, known);
  return known;
}

/** `torch.autograd.grad(loss, ws, create_graph=True)`: a derivative that is differentiated again. */
const isInner = (expr: Expr): boolean =>
  expr.kind === "call" &&
  derives(bare(expr.callee)) &&
  expr.args.some(({ name, value }) => name?.text === "create_graph" && bare(value).kind === "true");

/** How many derivatives a loop takes in its own body, and how many of them are differentiated again. */
function derivativesIn(loop: Statement): { readonly all: number; readonly inner: number } {
  const expressions = expressionsOf(bodiesOf(loop).flat());
  return { all: expressions.filter(derives).length, inner: expressions.filter(isInner).length };
}

/**
 * Whether a loop that stands here may be the training: part of the program's own sequence, not of what it differentiates or batches,
 * and not steps that are differentiated again.
 */
export function mayTrain(interpreter: Interpreter, frame: Frame, loop: Statement): boolean {
  if (frame.sequence !== true || !differentiates(interpreter)) return false;
  const { all, inner } = derivativesIn(loop);
  return inner === 0 || all > inner;
}

/** Whether a loop that stands here takes derivatives in its own body. */
export const isTraining = (interpreter: Interpreter, frame: Frame, loop: Statement): boolean =>
  mayTrain(interpreter, frame, loop) && derivativesIn(loop).all > 0;

/** A number or tensor that an iteration carries on as another. */
interface Carried extends Ending {
  readonly home: Home;
}

const carriedSince = (interpreter: Interpreter, before: Moment, { statement }: FirstIteration): readonly Carried[] =>
  changedSince(interpreter, before, statement).flatMap(({ home, from, to }) =>
    [...endings(from, to, home.name)].map((each) => ({ ...each, home })),
  );

const isTensor = ({ from, to }: Ending): boolean => from.kind === "tensor" && to.kind === "tensor";

/** Whether it is a number that another iteration finds as another, or as a tensor of one. */
function isNumber({ nodes }: Interpreter, { home, from, to }: Carried): boolean {
  if (from.kind !== "number") return false;
  if (to.kind === "number") return from.value !== to.value;
  return to.kind === "tensor" && nodes.get(to.node)?.type.shape.length === 0 && home.isRead();
}

/** An input that begins as `start` says and that the next step replaces. */
function stateNode(
  interpreter: Interpreter,
  { frame, statement }: StatementRun,
  { label, type, start }: { readonly label: string; readonly type: TensorType; readonly start: Attrs },
): NodeId {
  const wanted = `${frame.prefix}${label}`;
  let id = wanted;
  for (let again = 2; interpreter.nodes.has(nodeId(id)); again++) id = `${wanted}@${again}`;
  const attrs = withDefaults(opDef("input"), { ...start, role: "state" });
  const { groups } = frame;
  const { span } = statement;
  const node = addNode(interpreter, { id, op: "input", inputs: [], attrs, type, label, groups, span });
  interpreter.spare.add(node);
  return node;
}

/** A number that every step counts on. */
function countNode(interpreter: Interpreter, run: StatementRun, label: string, begin: number): NodeId {
  const node = stateNode(interpreter, run, { label, type: COUNT, start: constantStart(begin) });
  interpreter.optimizing.counts.add(node);
  return node;
}

const COUNT: TensorType = { dtype: "f32", shape: [] };

/** `value` with the number at `path` in it replaced. */
function withLeaf(value: Value, [key, ...rest]: readonly string[], leaf: Value): Value {
  if (key === undefined) return leaf;
  const inside = (item: Operand): Operand => ({ ...item, value: withLeaf(item.value, rest, leaf) });
  if (value.kind === "sequence")
    return { ...value, items: value.items.map((item, i) => (`${i}` === key ? inside(item) : item)) };
  if (value.kind !== "dict") return value;
  return { ...value, entries: new Map([...value.entries].map(([k, item]) => [k, k === key ? inside(item) : item])) };
}

/** Marks what the iteration drew: each step draws it anew. */
function drawAnew({ nodes, drawn, optimizing }: Interpreter, before: ReadonlySet<NodeId>): void {
  for (const id of drawn) {
    const node = nodes.get(id);
    if (node && !before.has(id) && !optimizing.replaced.has(id))
      nodes.set(id, { ...node, attrs: { ...node.attrs, redrawn: true } });
  }
}

/** Runs the first iteration of a loop, as `firstOf`; what the iteration of a training draws is drawn anew in every step. */
export function runFirst(
  interpreter: Interpreter,
  run: StatementRun,
  first: FirstIteration,
): "trained" | "ended" | "goes on" {
  const before = new Set(interpreter.drawn);
  const { optimizing } = interpreter;
  optimizing.open++;
  const found = firstOf(interpreter, run, first);
  optimizing.open--;
  if (found === "trained") drawAnew(interpreter, before);
  return found;
}

/** More iterations are not written out: a program has as many ops as they. */
export const LONGEST_WRITTEN = 16;

/** Whether what was read since is a step of training: it asks for derivatives and moves what it asks them of. */
function isStep(
  interpreter: Interpreter,
  carried: readonly Carried[],
  was: { readonly turns: number; readonly asked: number; readonly moved: ReadonlyMap<NodeId, NodeId> },
): boolean {
  const { optimizing } = interpreter;
  if (optimizing.turns > was.turns) return true;
  return optimizing.asked > was.asked && movedBy(interpreter, carried, was).length > 0;
}

/** The inputs that an iteration moves along derivatives, and their next values. */
const movedBy = (
  interpreter: Interpreter,
  carried: readonly Carried[],
  was: Pick<Moment, "moved">,
): readonly Move[] => [...learnedBy(interpreter, carried), ...steppedBy(interpreter, was)];

type Move = readonly [was: NodeId, now: NodeId];

/** Those that names and fields hold. */
const learnedBy = (interpreter: Interpreter, carried: readonly Carried[]): readonly Move[] =>
  carried.flatMap(({ from, to }) =>
    from.kind === "tensor" &&
    to.kind === "tensor" &&
    canBegin(interpreter, from.node) &&
    isLearned(interpreter, to.node)
      ? [[from.node, to.node] as const]
      : [],
  );

/** Those that an optimizer or a write into parameters replaced. */
const steppedBy = ({ optimizing }: Interpreter, { moved }: Pick<Moment, "moved">): readonly Move[] =>
  [...optimizing.replaced].filter(([input, value]) => moved.get(input) !== value);

/**
 * Whether what an iteration moves are copies of what the program goes on to use as it is: fast weights that a model keeps its own
 * beside, a copied learner, a point that began as an input.
 */
function movesCopies(
  interpreter: Interpreter,
  { frame, statement }: StatementRun,
  carried: readonly Carried[],
  was: Pick<Moment, "moved">,
): boolean {
  const { weightOf, optimizing } = interpreter;
  const beginning = ([id]: Move): NodeId => optimizing.first.get(id) ?? id;
  const learned = learnedBy(interpreter, carried).map(beginning);
  const stepped = steppedBy(interpreter, was).map(beginning);
  const still = stillHeld(interpreter, frame, statement);
  return (
    learned.length + stepped.length > 0 &&
    learned.every((id) => weightOf.has(id) || still.has(id)) &&
    stepped.every((id) => weightOf.get(id)?.named.isCopy === true || (learned.includes(id) && weightOf.has(id)))
  );
}

/** Inputs that names stand for which the text reads in the loop or after it. */
function stillHeld({ statements }: Interpreter, frame: Frame, loop: Statement): ReadonlySet<NodeId> {
  const read = new Set(
    [...expressionsOf(statements)].flatMap((expr) =>
      expr.kind === "name" && expr.span.from > loop.span.from ? [expr.name] : [],
    ),
  );
  const held = [...scopesOf(frame)].flatMap(({ names }) =>
    [...names].flatMap(([name, history]) => {
      const value = history.at(-1)?.value;
      return value?.kind === "tensor" && read.has(name) ? [value.node] : [];
    }),
  );
  return new Set(held);
}

/**
 * Runs the first iteration of a loop. Where that is a step of training, what it carries on is recorded; numbers that it changes, the
 * loop's own among them, are counted on as states, where its body can be read with those. Iterations that differ in more than that are
 * no step: they are written out, or refused where they are many.
 * @returns whether the loop is the training, which one iteration of it is all of
 */
function firstOf(interpreter: Interpreter, run: StatementRun, first: FirstIteration): "trained" | "ended" | "goes on" {
  const { frame } = run;
  const { optimizing } = interpreter;
  const { turns, asked } = optimizing;
  const start = momentOf(interpreter, frame);
  const was = { turns, asked, moved: start.moved };
  const marks = [...scopesOf(frame)].map((scope) => [scope, scope.mark()] as const);
  const trial = openTrial(interpreter);
  const undo = (): void => {
    trial.undo();
    for (const [scope, mark] of marks) scope.backTo(mark);
  };
  const { repeated: another } = optimizing;
  optimizing.repeated = null;
  const made = interpreter.madeEntries.length;
  const goesOn = first.run(null);
  const inner = optimizing.repeated as RepeatedStep | null;
  const carried = carriedSince(interpreter, start, first);
  const ended = goesOn ? "goes on" : "ended";
  if (!isStep(interpreter, carried, was) || optimizing.writtenOut.has(first.statement)) {
    optimizing.repeated ??= another;
    return ended;
  }
  const isSpared = optimizing.turns === turns && sparesWeights(interpreter, movedBy(interpreter, carried, was));
  if (isSpared || movesCopies(interpreter, run, carried, was)) {
    if (first.items && first.items.length <= LONGEST_WRITTEN) {
      optimizing.writtenOut.add(first.statement);
      optimizing.repeated ??= another;
      return ended;
    }
    if (isSpared) tellSpared(interpreter, first);
  }
  if (inner && doesMore(interpreter, first, start, inner)) {
    if (inner.iterations === null || inner.iterations > LONGEST_WRITTEN) tellRest(interpreter, inner);
    else {
      undo();
      optimizing.writtenOut.add(inner.statement);
      return firstOf(interpreter, run, first);
    }
  }
  if (beginEntries(interpreter, run, start, made, first, undo)) return firstOf(interpreter, run, first);
  const read = first.items?.length === 1 ? start : asStep(interpreter, run, { first, start, carried, undo });
  if (!read) return first.run(null) ? "goes on" : "ended";
  for (const { from, to, path } of carriedSince(interpreter, read, first).filter(isTensor))
    if (from.kind === "tensor" && to.kind === "tensor" && canBegin(interpreter, from.node) && from.node !== to.node)
      replace(interpreter, from.node, to.node, path.join("."));
  const iterations = first.items?.length ?? null;
  if (iterations !== 1 && another && !inner) tellSecond(interpreter, first.statement);
  if (iterations !== 1)
    optimizing.repeated = {
      statement: first.statement,
      iterations,
      before: start,
      after: momentOf(interpreter, frame),
    };
  optimizing.turns++;
  return "trained";
}

/** Gives dictionaries the entries that the first iteration makes in them, as they begin; whether there are any, and all of them do. */
function beginEntries(
  interpreter: Interpreter,
  run: StatementRun,
  start: Moment,
  made: number,
  { statement }: FirstIteration,
  undo: () => void,
): boolean {
  const changed = changedSince(interpreter, start, statement).flatMap(({ home, from, to }) =>
    from.kind === "dict" && to.kind === "dict" && to.entries.size > from.entries.size
      ? [{ home, begun: withFirstEntries(interpreter, from, made, home.name) }]
      : [],
  );
  if (changed.length === 0 || changed.some(({ begun }) => begun === null)) return false;
  undo();
  for (const { home, begun } of changed) home.put(begun!((state) => stateNode(interpreter, run, state)));
  return true;
}

interface Attempt {
  readonly first: FirstIteration;
  readonly start: Moment;
  readonly carried: readonly Carried[];
  /** Makes everything what it was before the iteration. */
  readonly undo: () => void;
}

/**
 * Reads the iteration, which has been read once, so that it is every iteration; with a message where that can't be done.
 * @returns what names stood for before it; null where the iterations are to be written out
 */
function asStep(interpreter: Interpreter, run: StatementRun, { first, start, carried, undo }: Attempt): Moment | null {
  const { frame } = run;
  const { number, statement, items } = first;
  const isRead = readIn(interpreter, statement);
  const asks = number !== null && isReadHere(frame, number.name, isRead);
  let numbers = [...carried.filter((each) => isNumber(interpreter, each)), ...apart(interpreter, carried)];
  let read: Moment | null = start;
  let counts = false;
  for (let more: readonly Carried[] = numbers, round = 0; more.length > 0 || (asks && round === 0); round++) {
    undo();
    read = round < MOST_ROUNDS ? counted(interpreter, run, first, numbers) : null;
    if (!read) break;
    counts = true;
    const known = new Set(numbers.map(({ path }) => path.join()));
    more = carriedSince(interpreter, read, first).filter(
      (each) => isNumber(interpreter, each) && !known.has(each.path.join()),
    );
    numbers = [...numbers, ...more];
  }
  const names = [...numbers.map(({ path }) => path.join(".")), ...(asks ? [number.name] : [])];
  const differing = items
    ? differingNames(statement.kind === "for" ? statement.target : BAD, items).filter(
        (name) => !(counts && name === number?.name) && isReadHere(frame, name, isRead),
      )
    : [];
  const found =
    read === null
      ? `the body needs to know ${listed(names)} while it is read`
      : differing.length > 0
        ? `${listed(differing)} ${differing.length === 1 ? "is" : "are"} another in each iteration`
        : difference(interpreter, changedSince(interpreter, read, statement));
  if (found === null) return read;
  undo();
  if (items === null || items.length <= LONGEST_WRITTEN) {
    interpreter.optimizing.writtenOut.add(statement);
    return null;
  }
  first.run(null);
  tellDiffering(interpreter, statement, found, items.length);
  return start;
}

/** Numbers may hang on numbers: so often what hangs on those before is looked for. */
const MOST_ROUNDS = 5;

const isReadHere = ({ scope }: Frame, name: string, isRead: (symbol: SymbolRecord) => boolean): boolean => {
  const symbol = scope.find(name)?.symbol;
  return symbol !== undefined && isRead(symbol);
};

const sameMoves = (a: ReadonlyMap<NodeId, NodeId>, b: ReadonlyMap<NodeId, NodeId>): boolean =>
  a.size === b.size && [...a].every(([input, value]) => b.get(input) === value);

/** Whether an iteration around the repeated step `inner` computes or counts anything besides it. */
function doesMore(interpreter: Interpreter, first: FirstIteration, start: Moment, inner: RepeatedStep): boolean {
  const { statement, number } = first;
  const isRead = readIn(interpreter, statement);
  const valueAt = ({ names }: Moment, name: string): Value | undefined =>
    names.map(([, values]) => values.get(name)?.value).find((value) => value !== undefined);
  const changed = changedSince(interpreter, start, statement);
  const fields = interpreter.fieldWrites.length - start.fields > inner.after.fields - inner.before.fields;
  const symbol = number && inner.after.names[0]?.[1].get(number.name)?.symbol;
  return (
    fields ||
    !sameMoves(start.moved, inner.before.moved) ||
    !sameMoves(inner.after.moved, interpreter.optimizing.replaced) ||
    (symbol ? isRead(symbol) : false) ||
    changed.some(
      ({ home: { name, isRead }, from, to }) =>
        isRead() && (valueAt(inner.before, name) !== from || valueAt(inner.after, name) !== to),
    )
  );
}

/** Of tensors that begin as one and go on as several, all but the first: `m, v = zeros, zeros`. */
function apart(interpreter: Interpreter, carried: readonly Carried[]): readonly Carried[] {
  const ends = new Map<NodeId, NodeId>();
  return carried.filter(({ from, to }) => {
    if (from.kind !== "tensor" || to.kind !== "tensor") return false;
    const known = ends.get(from.node);
    if (known === undefined) ends.set(from.node, to.node);
    return known !== undefined && known !== to.node && startAttrs(interpreter, from.node) !== null;
  });
}

/** The iteration with tensors instead of what it counts, and inputs of their own for what is apart; what names stood for before it, null where it can't be read so. */
function counted(
  interpreter: Interpreter,
  run: StatementRun,
  first: FirstIteration,
  numbers: readonly Carried[],
): Moment | null {
  const { number, run: iterate } = first;
  const { frame } = run;
  const trial = openTrial(interpreter);
  const begun = numbers.flatMap(({ home, path, from }): Begun[] => {
    const label = path.join(".");
    const start = from.kind === "tensor" ? startAttrs(interpreter, from.node) : null;
    if (from.kind !== "number" && !(from.kind === "tensor" && start)) return [];
    const node =
      from.kind === "number"
        ? countNode(interpreter, run, label, from.value)
        : stateNode(interpreter, run, { label, type: typeOf(interpreter, from.node), start: start! });
    const keys = path.slice(1);
    home.put(withLeaf(home.now()!, keys, tensorValue(node)));
    return [{ node, home, keys }];
  });
  const before = momentOf(interpreter, frame);
  const own = number && countNode(interpreter, run, number.name, number.now);
  iterate(own ? tensorValue(own) : null);
  if (interpreter.stopped || trial.hasErrors()) return null;
  const ends = begun.map(({ node, home, keys }) => {
    let value = home.now();
    for (const key of keys)
      value =
        value?.kind === "sequence"
          ? value.items[Number(key)]?.value
          : value?.kind === "dict"
            ? value.entries.get(key)?.value
            : undefined;
    return [node, value?.kind === "tensor" ? value.node : null] as const;
  });
  if (
    ends.some(
      ([node, end]) => end === null || !sameShape(typeOf(interpreter, end).shape, typeOf(interpreter, node).shape),
    )
  )
    return null;
  for (const [node, end] of ends)
    if (end !== null && interpreter.optimizing.counts.has(node)) carryCount(interpreter, node, end);
  if (own) countOn(interpreter, run, first, own);
  return before;
}

interface Begun {
  readonly node: NodeId;
  readonly home: Home;
  readonly keys: readonly string[];
}

/** The loop's own number goes on by its step. */
function countOn(interpreter: Interpreter, run: StatementRun, { id, number }: FirstIteration, own: NodeId): void {
  const path = `${id}/${number!.name}.next`;
  const operands = [tensorValue(own), numberValue(number!.step, true)].map((value, i) => ({
    value,
    path: `${path}/${i}`,
    expr: null,
  }));
  const op = opDef(BINARY_OPS.get("+")!);
  const expr = bare(run.statement.kind === "for" ? run.statement.target : BAD);
  const made = interpreter.nodes.size;
  const next = applyOp(interpreter, run, { op, path, expr }, { tensors: operands, attrs: {} });
  for (const each of [...interpreter.nodes.keys()].slice(made)) interpreter.spare.add(each);
  if (next.kind === "tensor") carryCount(interpreter, own, next.node);
}

const BAD: Expr = { kind: "bad", span: { from: 0, to: 0 } };

/** A count goes on where something besides its own next value reads it, or reads that. */
function carryCount(interpreter: Interpreter, from: NodeId, to: NodeId): void {
  const { nodes } = interpreter;
  const own = new Set([to]);
  for (const id of own) for (const input of nodes.get(id)!.inputs) own.add(input);
  const chain = new Set([from]);
  for (const { id, inputs } of nodes.values())
    if (own.has(id) && inputs.some((input) => chain.has(input))) chain.add(id);
  const readElsewhere = [...nodes.values()].some(
    ({ id, inputs }) =>
      !own.has(id) && !interpreter.optimizing.tests.has(id) && inputs.some((input) => chain.has(input)),
  );
  const { type } = nodes.get(to)!;
  const goesOn = readElsewhere && type.dtype === COUNT.dtype;
  if (goesOn) replace(interpreter, from, to, nodes.get(from)!.label);
  for (const id of own)
    if (goesOn) interpreter.spare.delete(id);
    else if (!isInput(nodes.get(id)!) || id === from) interpreter.spare.add(id);
}

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(" and ");

const headOf = (statement: Statement): Span =>
  statement.kind === "for" ? statement.target.span : statement.kind === "while" ? statement.test.span : statement.span;

/** Iterations that differ in `what`, and are too many to write out. */
function tellDiffering({ diagnostics }: Interpreter, statement: Statement, what: string, iterations: number): void {
  const text = `The iterations of this training differ: ${what}. Up to ${LONGEST_WRITTEN} are written out; these are ${iterations}. Every iteration must compute the same with other numbers: choose with where(…), begin with tensors of the later shape, or write the loop over fewer.`;
  diagnostics.add("iterations-differ", headOf(statement), text);
}

/** Whether a training that is written out goes on for too long; with a message. */
export function isTooLong({ diagnostics, optimizing }: Interpreter, statement: Statement): boolean {
  if (!optimizing.writtenOut.has(statement)) return false;
  const text = `The iterations of this training differ, and only up to ${LONGEST_WRITTEN} are written out. A program is one step of training: let every iteration do the same, or loop over fewer.`;
  diagnostics.add("iterations-differ", headOf(statement), text);
  return true;
}

/** A loop that moves something else than the weights that its loss hangs on, and is too long to write out. */
function tellSpared({ diagnostics }: Interpreter, { statement, items }: FirstIteration): void {
  const often = items === null ? "as long as its condition holds" : `${items.length} times`;
  const text = `This loop moves none of the weights, so it is no training; it goes round ${often}, and up to ${LONGEST_WRITTEN} iterations are written out. Here one step is one iteration: run so many steps, or loop over fewer.`;
  diagnostics.add("iterations-differ", headOf(statement), text, { severity: "warning" });
}

/** A training after another one. */
function tellSecond({ diagnostics }: Interpreter, statement: Statement): void {
  const text =
    "This is a second loop that trains, and a program is one step: each step makes one iteration of either loop.";
  diagnostics.add("second-training", headOf(statement), text, { severity: "warning" });
}

/** A step that repeats too often to be written out, inside of a loop that does something else, too. */
function tellRest({ diagnostics }: Interpreter, { statement, iterations }: RepeatedStep): void {
  const often = iterations === null ? "repeats as long as its condition holds" : `repeats ${iterations} times`;
  const text = `This step of training ${often}, and the loop around it does more. A program is one step, and what is around it happens in every one of them: write both as one loop, or repeat at most ${LONGEST_WRITTEN} times, which are written out.`;
  diagnostics.add("iterations-differ", headOf(statement), text);
}

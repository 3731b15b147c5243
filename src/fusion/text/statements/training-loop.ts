/**
 * @file The loop that is the training: its iteration takes a derivative and carries what it makes of it on. A program is one such
 * iteration, and what the loop carries replaces what it began with: weights, what an optimizer keeps, counts.
 */
import { type Attrs, isInput, nodeId, type NodeId, sameShape, type TensorType } from "../../ir";
import { opDef, withDefaults } from "../../ops";
import { applyOp } from "../calls/apply";
import { type Ending, endings } from "../values/endings";
import type { Frame, Interpreter, StatementRun } from "../interpreter";
import { addNode, typeOf } from "../interpreter";
import { BINARY_OPS } from "../calls/names";
import { isLearned, replace } from "../objects/parameters";
import { canBegin, constantStart, startAttrs } from "./starting-values";
import type { Expr, ForStatement, Statement, WhileStatement } from "../reading/syntax";
import { bare, everyStatement, expressionsOf, walk } from "../reading/syntax";
import { isTransform } from "../calls/transforms";
import { openTrial } from "../trial";
import { numberValue, type Operand, type Scope, tensorValue, type Value } from "../values/values";

/** What a loop is, for who runs its first iteration. */
export interface FirstIteration {
  readonly statement: ForStatement | WhileStatement;
  /** Identity of the iteration. */
  readonly id: string;
  /** The loop's own number in this iteration and the next; null where it has none. */
  readonly number: { readonly name: string; readonly now: number; readonly step: number } | null;
  /** Runs the iteration, with another value of the loop's own number where one is given; whether the loop goes on. */
  readonly run: (number: Value | null) => boolean;
}

const takesDerivatives = new WeakMap<readonly Statement[], boolean>();

const derives = (expr: Expr): boolean =>
  (expr.kind === "name" && isTransform(expr.name)) ||
  (expr.kind === "member" && (expr.name.text === "backward" || isTransform(expr.name.text)));

/** Whether the text speaks of derivatives anywhere. */
export function differentiates({ statements }: Interpreter): boolean {
  const known =
    takesDerivatives.get(statements) ??
    (expressionsOf(statements).some(derives) ||
      [...everyStatement(statements)].some(
        (each) => each.kind === "def" && (each.decorators ?? []).some((one) => [...walk(one)].some(derives)),
      ));
  takesDerivatives.set(statements, known);
  return known;
}

/** Whether a loop that stands here may be the training: part of the program's own sequence, not of what it differentiates or batches. */
export const mayTrain = (interpreter: Interpreter, frame: Frame): boolean =>
  frame.sequence === true && differentiates(interpreter);

/** A scope and those around it. */
function* scopesOf(frame: Frame): Generator<Scope> {
  for (let scope: Scope | null = frame.scope; scope; scope = scope.parent) yield scope;
}

/** A number or tensor that an iteration carries on as another. */
interface Carried extends Ending {
  readonly scope: Scope;
  readonly name: string;
}

type Values = readonly (readonly [Scope, ReadonlyMap<string, Value>])[];

const valuesNow = (frame: Frame): Values =>
  [...scopesOf(frame)].map((scope) => [
    scope,
    new Map([...scope.names].flatMap(([name, history]) => (history.length > 0 ? [[name, history.at(-1)!.value]] : []))),
  ]);

const carriedSince = (before: Values): readonly Carried[] =>
  before.flatMap(([scope, names]) =>
    [...names].flatMap(([name, first]) => {
      const last = scope.names.get(name)?.at(-1)?.value;
      return last && last !== first ? [...endings(first, last, name)].map((each) => ({ ...each, scope, name })) : [];
    }),
  );

const isTensor = ({ from, to }: Ending): boolean => from.kind === "tensor" && to.kind === "tensor";
const isNumber = ({ from, to }: Ending): boolean =>
  from.kind === "number" && to.kind === "number" && from.value !== to.value;

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
  const found = firstOf(interpreter, run, first);
  if (found === "trained") drawAnew(interpreter, before);
  return found;
}

/**
 * Runs the first iteration of a loop. Where that is a step of training, what it carries on is recorded; numbers that it changes, the
 * loop's own among them, are counted on as states, where its body can be read with those.
 * @returns whether the loop is the training, which one iteration of it is all of
 */
function firstOf(interpreter: Interpreter, run: StatementRun, first: FirstIteration): "trained" | "ended" | "goes on" {
  const { frame } = run;
  const { optimizing } = interpreter;
  const { turns, asked } = optimizing;
  const moved = new Map(optimizing.replaced);
  let before = valuesNow(frame);
  const marks = [...scopesOf(frame)].map((scope) => [scope, scope.mark()] as const);
  const trial = openTrial(interpreter);
  const goesOn = first.run(null);
  if (optimizing.turns > turns) return "trained";
  const carried = carriedSince(before);
  const learns = carried.some(
    ({ from, to }) =>
      from.kind === "tensor" &&
      to.kind === "tensor" &&
      canBegin(interpreter, from.node) &&
      isLearned(interpreter, to.node),
  );
  const moves = [...optimizing.replaced].some(([input, value]) => moved.get(input) !== value);
  if (optimizing.asked === asked || !(learns || moves)) return goesOn ? "goes on" : "ended";
  const numbers = [...carried.filter(isNumber), ...apart(interpreter, carried)];
  const { number } = first;
  const asks = number !== null && (frame.scope.find(number.name)?.symbol.uses.length ?? 0) > 0;
  if (numbers.length > 0 || asks) {
    const undo = (): void => {
      trial.undo();
      for (const [scope, mark] of marks) scope.backTo(mark);
      optimizing.replaced.clear();
      for (const [input, value] of moved) optimizing.replaced.set(input, value);
    };
    undo();
    const begun = counted(interpreter, run, first, numbers);
    if (begun) before = begun;
    else {
      undo();
      first.run(null);
      tellFirst(interpreter, first, [...numbers.map(({ name }) => name), ...(asks ? [number.name] : [])]);
    }
  }
  for (const { from, to, path } of carriedSince(before).filter(isTensor))
    if (from.kind === "tensor" && to.kind === "tensor" && canBegin(interpreter, from.node) && from.node !== to.node)
      replace(interpreter, from.node, to.node, path.join("."));
  optimizing.turns++;
  return "trained";
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
  { id, number, run: iterate }: FirstIteration,
  numbers: readonly Carried[],
): Values | null {
  const { frame } = run;
  const trial = openTrial(interpreter);
  const begun: {
    readonly node: NodeId;
    readonly scope: Scope;
    readonly name: string;
    readonly keys: readonly string[];
  }[] = [];
  for (const { scope, name, path, from } of numbers) {
    const label = path.join(".");
    const start = from.kind === "tensor" ? startAttrs(interpreter, from.node) : null;
    if (from.kind !== "number" && !(from.kind === "tensor" && start)) continue;
    const node =
      from.kind === "number"
        ? countNode(interpreter, run, label, from.value)
        : stateNode(interpreter, run, { label, type: typeOf(interpreter, from.node), start: start! });
    const keys = path.slice(1);
    const { value, symbol } = scope.find(name)!;
    scope.bind(name, { step: ++interpreter.step, value: withLeaf(value, keys, tensorValue(node)), symbol });
    begun.push({ node, scope, name, keys });
  }
  const before = valuesNow(frame);
  const own = number && countNode(interpreter, run, number.name, number.now);
  iterate(own ? tensorValue(own) : null);
  if (interpreter.stopped || trial.hasErrors()) return null;
  const ends = begun.map(({ node, scope, name, keys }) => {
    let value: Value | undefined = scope.find(name)?.value;
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
  if (own && number) {
    const path = `${id}/${number.name}.next`;
    const operands = [tensorValue(own), numberValue(number.step, true)].map((value, i) => ({
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
  return before;
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

/** A number that decides what an iteration does is that of the first one, in every step. */
function tellFirst(interpreter: Interpreter, { statement }: FirstIteration, names: readonly string[]): void {
  const span = statement.kind === "for" ? statement.target.span : statement.test.span;
  const which = names.map((name) => `\`${name}\``).join(" and ");
  interpreter.diagnostics.add(
    "first-iteration",
    span,
    `A step of training is the first iteration of this loop, and the body needs to know ${which} while it is read: every step uses what ${names.length === 1 ? "it is" : "they are"} there.`,
    { severity: "warning" },
  );
}

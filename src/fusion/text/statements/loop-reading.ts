/** @file One iteration of a loop, read on stand-ins, as a body: what works element by element, and the rows of tensors that it reads. */
import { sizeOf, type Node, type NodeId, type Shape } from "../../ir";
import { front, liftNode, type BatchWriter } from "../../autodiff";
import {
  isOwnedRun,
  isSharedRun,
  opDef,
  withDefaults,
  type BodyArg,
  type BodyParam,
  type BodyValue,
  type LoopBody,
  type Walk,
} from "../../ops";
import type { Interpreter } from "../interpreter";
import { addNode, typeOf } from "../interpreter";
import { numbersIn } from "./any-iteration";
import { runsOf } from "./runs-of-rows";

/** A value that a loop carries from iteration to iteration. */
export interface Carried {
  readonly name: string;
  /** Before the first iteration. */
  readonly node: NodeId;
}

/** A tensor of which each iteration reads a row. */
export interface Walked {
  readonly name: string;
  readonly node: NodeId;
  readonly axis: number;
  readonly walk: Walk;
}

/** What stands for what iterations have: carried values, the iteration's number, rows. */
export interface StandIns {
  readonly carried: readonly NodeId[];
  readonly number: NodeId | null;
  readonly rows: ReadonlyMap<NodeId, Walked>;
}

export interface Reading {
  readonly carried: readonly Carried[];
  readonly iterations: number;
  /** What the iteration's number is called. */
  readonly number: string;
  readonly standIns: StandIns;
  /** What the trial has made. */
  readonly made: ReadonlySet<NodeId>;
  /** What each carried value is after the iteration, and what the iteration gives a row of. */
  readonly ends: readonly NodeId[];
  readonly given: readonly NodeId[];
}

export interface ReadBody {
  readonly body: LoopBody;
  /** Nodes that the parameters stand for. */
  readonly params: readonly NodeId[];
  /** The axis along which a parameter is walked; undefined where it is not. */
  readonly axes: readonly (number | undefined)[];
  /** What the iteration made that no iteration changes: it stays in front of the loop. */
  readonly outside: ReadonlySet<NodeId>;
  /** The last axes of a carried value, or of a result, that one run of the body has whole. */
  readonly ownOf: (id: NodeId) => Shape;
}

/**
 * The body; null where it mixes what stands beside one another, or has halves, whose roundings depend on where they are stored. It works
 * element by element, or else on as few last axes of what is carried as it mixes the elements of.
 */
export function bodyOf(interpreter: Interpreter, reading: Reading): ReadBody | null {
  const plain = bodyFor(interpreter, reading, null);
  if (plain) return plain;
  const shapes = reading.carried.map(({ node }) => typeOf(interpreter, node).shape);
  const longest = shapes.reduce((most, shape) => (shape.length > most.length ? shape : most), []);
  for (let outer = longest.length - 1; outer >= 0; outer--) {
    const found = bodyFor(interpreter, reading, longest.slice(0, outer));
    if (found) return found;
  }
  return null;
}

/** @param around the axes that say which run of the body it is; null: every element is one */
function bodyFor(interpreter: Interpreter, reading: Reading, around: Shape | null): ReadBody | null {
  const { carried, standIns, made, ends, given } = reading;
  const names = new Set<string>();
  const unique = (wanted: string): string => {
    const word = wanted.replaceAll(/\W+/g, "_").replace(/^(?![A-Za-z])/, "v");
    let name = word;
    for (let i = 2; names.has(name); i++) name = `${word}_${i}`;
    names.add(name);
    return name;
  };
  const parameters = new Set(carried.map(({ name }) => name));
  const turn = unique(reading.number);
  const args = new Map<NodeId, BodyArg>(standIns.carried.map((id, at) => [id, { kind: "param", at }] as const));
  if (standIns.number !== null) args.set(standIns.number, { kind: "iteration" });
  const nodes: NodeId[] = carried.map(({ node }) => node);
  const axes: (number | undefined)[] = carried.map(() => undefined);
  const values: BodyValue[] = [];
  const calls = new Map<string, number>();
  const changes = changing(interpreter, made, standIns);
  const outside = new Set<NodeId>();
  const keep = (id: NodeId): void => {
    const open = [id];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (!made.has(at) || outside.has(at)) continue;
      outside.add(at);
      open.push(...interpreter.nodes.get(at)!.inputs);
    }
  };
  const walkedOf = walking(interpreter, reading, changes, (id) => void (made.has(id) ? keep(id) : outside.add(id)));
  const isRow = (n: Node): boolean => n.type.dtype !== "f16" && walkedOf(n) !== null;
  const results = [...ends, ...given];
  const runs = around && runsOf(interpreter, { around, made, changes, carried: standIns.carried, results, isRow });
  if (around && !runs) return null;
  const ownOf = (id: NodeId): Shape => {
    const { shape } = typeOf(interpreter, id);
    return shape.slice(shape.length - (runs?.own.get(id) ?? 0));
  };
  const param = (id: NodeId, name: string, walk?: Walk): BodyParam => {
    const own = ownOf(id);
    const { dtype } = typeOf(interpreter, id);
    return { name: unique(name), dtype, ...(own.length > 0 && { own }), ...(walk && { walk }) };
  };
  const params: BodyParam[] = carried.map(({ name }, at) => param(standIns.carried[at]!, name));
  if (params.some(({ dtype }) => dtype === "f16")) return null;
  const walks = new Map<string, BodyArg>();
  const addParam = (node: NodeId, said: BodyParam, along?: Walked): BodyArg => {
    keep(node);
    axes.push(along?.axis);
    params.push(said);
    return { kind: "param", at: nodes.push(node) - 1 };
  };
  const rowArg = (id: NodeId, along: Walked): BodyArg => {
    const { node, axis, walk, name } = along;
    const key = `${node} ${axis} ${walk.start} ${walk.backwards}`;
    const known = walks.get(key) ?? addParam(node, param(id, name, walk), along);
    walks.set(key, known);
    return known;
  };
  const isMap = ({ id, op }: Node): boolean =>
    runs ? runs.own.has(id) : opDef(op).kind === "elementwise" && !opDef(op).scalar?.usesIndex;
  /** What no iteration changes is in front of the loop, or, where all of the body works element by element, computed in each. */
  const staysOutside = (n: Node): boolean =>
    !made.has(n.id) || (!changes.has(n.id) && (runs !== null || (!isMap(n) && opDef(n.op).kind !== "random")));
  const argOf = (n: Node): BodyArg | null => {
    const { id, op, attrs, type, label, inputs, groups } = n;
    const def = opDef(op);
    if (def.kind === "source" && "value" in attrs)
      return { kind: "literal", value: Number(attrs["value"]), dtype: type.dtype };
    if (staysOutside(n)) return addParam(id, param(id, label));
    if (!isMap(n)) return null;
    const call = groups.find(({ kind }) => kind === "composite")?.id;
    if (call !== undefined && !calls.has(call)) calls.set(call, calls.size);
    values.push({
      name: unique(parameters.has(label) ? `${label}_next` : label),
      op,
      args: inputs.map((input) => args.get(input)!),
      attrs: runs?.attrs.get(id) ?? attrs,
      ...(call === undefined ? {} : { call: calls.get(call)! }),
    });
    return { kind: "value", at: values.length - 1 };
  };
  const open = [...ends, ...given].toReversed();
  for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
    const n = interpreter.nodes.get(id)!;
    const along = args.has(id) ? null : walkedOf(n);
    if (along && n.type.dtype !== "f16") args.set(id, rowArg(id, along));
    const inside = made.has(id) && (changes.has(id) || (!runs && opDef(n.op).kind === "elementwise"));
    const next = args.has(id) || !inside ? undefined : n.inputs.find((input) => !args.has(input));
    if (next !== undefined) {
      open.push(next);
      continue;
    }
    open.pop();
    if (args.has(id)) continue;
    const arg = n.type.dtype === "f16" ? null : argOf(n);
    if (!arg) return null;
    args.set(id, arg);
  }
  const [next, rows] = [ends, given].map((ids) => ids.map((id) => args.get(id)!)) as [BodyArg[], BodyArg[]];
  const body = { params, iteration: turn, values, next, rows };
  if (around && !mayStay(body, sizeOf(around))) return null;
  return { body, params: nodes, axes, outside, ownOf };
}

/** Whether a thread can hold a run of the body, or the threads of a workgroup can. */
function mayStay(body: LoopBody, runs: number): boolean {
  const types = opDef("row_loop").loop!.typesOf(body);
  return Array.isArray(types) && (isOwnedRun(body, types) || isSharedRun(body, types, runs));
}

/** What was made and is another in every iteration. */
function changing(
  interpreter: Interpreter,
  made: ReadonlySet<NodeId>,
  { carried, number, rows }: StandIns,
): ReadonlySet<NodeId> {
  const found = new Set([...carried, ...rows.keys(), ...(number === null ? [] : [number])]);
  for (const id of made) if (interpreter.nodes.get(id)!.inputs.some((input) => found.has(input))) found.add(id);
  return found;
}

/**
 * The row of a tensor that a node is in each iteration: a stand-in for one, `x[:, t - 1]`, whose index is one further on, or back, each
 * time, or a row whose elements are moved, or that is multiplied by a matrix: all rows are, in front of the loop.
 * @param keep is told of nodes that stay in front of the loop
 */
function walking(
  interpreter: Interpreter,
  { iterations, standIns: { rows, number } }: Reading,
  changes: ReadonlySet<NodeId>,
  keep: (id: NodeId) => void,
): (n: Node) => Walked | null {
  const numbersOf = numbersIn(interpreter, number, iterations);
  const found = new Map<NodeId, Walked | null>();
  const walkedOf = (n: Node): Walked | null => {
    const known = found.get(n.id);
    if (known !== undefined) return known;
    const walked = rows.get(n.id) ?? indexed(n) ?? lifted(n);
    found.set(n.id, walked);
    return walked;
  };
  const lifted = (n: Node): Walked | null => {
    const { movement, kind } = opDef(n.op);
    const varying = n.inputs.filter((input) => changes.has(input));
    const isMoved = n.inputs.length === 1 && (movement?.free === true || movement?.batched !== undefined);
    if (varying.length !== 1 || !(isMoved || kind === "contraction")) return null;
    const along = walkedOf(interpreter.nodes.get(varying[0]!)!);
    // Products of rows that no iteration reads are not computed.
    if (!along || (!isMoved && typeOf(interpreter, along.node).shape[along.axis]! > iterations)) return null;
    return ofAllRows(interpreter, n, varying[0]!, along, keep);
  };
  const indexed = (n: Node): Walked | null => {
    const { gather } = opDef(n.op);
    const [data, index] = n.inputs as [NodeId, NodeId];
    if (!gather || number === null || changes.has(data) || typeOf(interpreter, index).shape.length > 0) return null;
    const { shape } = typeOf(interpreter, data);
    const axis = gather.axis(n.attrs, shape);
    const walk = walkOf(numbersOf(index) ?? []);
    if (!walk || !fits(walk, iterations, shape, axis)) return null;
    return { name: interpreter.nodes.get(data)!.label, node: data, axis, walk };
  };
  return walkedOf;
}

/** The same op on all rows at once. @param row the operand that is one */
function ofAllRows(
  interpreter: Interpreter,
  n: Node,
  row: NodeId,
  along: Walked,
  keep: (id: NodeId) => void,
): Walked | null {
  const { nodes } = interpreter;
  const { groups, span = { from: 0, to: 0 } } = n;
  const writer: BatchWriter = {
    typeOf: (id) => typeOf(interpreter, id),
    op(op, inputs, given = {}) {
      const def = opDef(op);
      const attrs = withDefaults(def, given);
      const type = def.infer(
        inputs.map((id) => typeOf(interpreter, id)),
        attrs,
      );
      if (!type.ok) throw new TypeError(type.text);
      let id = `${n.id}.rows`;
      for (let i = 2; nodes.has(id as NodeId); i++) id = `${n.id}.rows@${i}`;
      const made = addNode(interpreter, { id, op, inputs, attrs, type: type.value, label: op, groups, span });
      keep(made);
      return made;
    },
    scalar: () => {
      throw new TypeError("what only moves has no numbers");
    },
  };
  const { node, axis, walk, name } = along;
  keep(node);
  const whole = front(writer, node, axis);
  const [size] = typeOf(interpreter, whole).shape as [number];
  for (const input of n.inputs) if (input !== row) keep(input);
  const types = n.inputs.map((input) => typeOf(interpreter, input));
  const batched = n.inputs.map((input) => (input === row ? whole : null));
  const made = liftNode(writer, { node: n, types, batched, size });
  return made === null ? null : { name, node: made, axis: 0, walk };
}

/** Whether all rows are there. */
export const fits = ({ start, backwards }: Walk, iterations: number, shape: Shape, axis: number): boolean => {
  const last = backwards ? start - iterations + 1 : start + iterations - 1;
  return Math.min(start, last) >= 0 && Math.max(start, last) < shape[axis]!;
};

/** Numbers that grow by one, or shrink by one; null of others. */
export function walkOf(numbers: readonly number[]): Walk | null {
  const [start, second] = numbers;
  if (start === undefined || second === undefined || Math.abs(second - start) !== 1) return null;
  const step = second - start;
  return numbers.every((each, i) => each === start + i * step) ? { start, backwards: step < 0 } : null;
}

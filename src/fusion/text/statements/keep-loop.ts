/** @file Which loops stay loops: one iteration is read on stand-ins for what it carries, and where all of it works element by element it is a body. */
import type { DType, Node, NodeId } from "../../ir";
import { OPS_PER_NOTCH, sameShape } from "../../ir";
import { bodyText, opDef, pruned, type BodyArg, type BodyValue, type LoopBody } from "../../ops";
import type { Interpreter, StatementRun } from "../interpreter";
import { addNode, MAX_NODES, typeOf } from "../interpreter";
import { openTrial, type Trial } from "../trial";
import { numberValue, tensorValue, type Value } from "../values/values";

/** A value that a loop carries from iteration to iteration. */
export interface Carried {
  readonly name: string;
  /** Before the first iteration. */
  readonly node: NodeId;
}

export interface LoopCandidate {
  /** Identity of the loop. */
  readonly id: string;
  readonly carried: readonly Carried[];
  readonly iterations: number;
  /** The loop's number in the first iteration, and what it grows by; null where no iteration has one. */
  readonly numbers: { readonly name: string; readonly start: number; readonly step: number } | null;
  /** Reads one iteration; what it carries on, in the order of `carried`. Null where that is no tensor. */
  readonly iteration: (carried: readonly NodeId[], number: Value) => readonly NodeId[] | null;
}

/** What the loop's results are: as many as it carries. */
export interface KeptLoop {
  /** Adds the node of carried value `at` under `id`. */
  readonly result: (
    at: number,
    made: Pick<Node, "id" | "label" | "groups"> & { readonly span: NonNullable<Node["span"]> },
  ) => NodeId;
}

/**
 * Whether the loop is one: its body is a map over what it carries, which keeps shape and dtype, and written out it would be more than
 * a kernel holds. A shorter one is written out, and fused like anything else.
 */
export function keepLoop(interpreter: Interpreter, run: StatementRun, candidate: LoopCandidate): KeptLoop | null {
  if (candidate.iterations < 2) return null;
  const trial = openTrial(interpreter);
  const found = readIteration(interpreter, run, candidate, trial);
  if (!found) {
    trial.undo();
    return null;
  }
  trial.keepOnly(found.outside);
  const { body, params } = found;
  const launches = candidate.iterations * body.values.length;
  if (launches > MAX_NODES)
    interpreter.diagnostics.add(
      "too-long",
      run.statement.span,
      `Op by op this loop would launch ${launches} kernels; ${MAX_NODES} are the maximum. Write fewer iterations.`,
    );
  // Values of one shape share a loop; a smaller one has a loop of its own, so that no element is computed for each of a larger one.
  const shapeOf = (at: number): readonly number[] => typeOf(interpreter, candidate.carried[at]!.node).shape;
  const parts = new Map<
    string,
    { readonly inputs: readonly NodeId[]; readonly body: string; readonly at: ReadonlyMap<number, number> }
  >();
  return {
    result(at, { id, label, groups, span }) {
      const shape = shapeOf(at);
      let part = parts.get(shape.join());
      if (!part) {
        const alike = candidate.carried.flatMap((_, other) => (sameShape(shapeOf(other), shape) ? [other] : []));
        const left = pruned(body, alike);
        part = { inputs: left.params.map((old) => params[old]!), body: bodyText(left.body), at: left.results };
        parts.set(shape.join(), part);
      }
      const attrs = { iterations: candidate.iterations, body: part.body, result: part.at.get(at)!, launched: true };
      const { type } = interpreter.nodes.get(candidate.carried[at]!.node)!;
      return addNode(interpreter, { id, op: "map_loop", inputs: part.inputs, attrs, type, label, groups, span });
    },
  };
}

interface ReadBody {
  readonly body: LoopBody;
  /** Nodes that the parameters stand for. */
  readonly params: readonly NodeId[];
  /** What the iteration made that no iteration changes: it stays in front of the loop. */
  readonly outside: ReadonlySet<NodeId>;
}

function readIteration(
  interpreter: Interpreter,
  { frame, statement }: StatementRun,
  { id, carried, iterations, numbers, iteration }: LoopCandidate,
  trial: Trial,
): ReadBody | null {
  const { groups } = frame;
  const { span } = statement;
  const standIn = (name: string, type: Node["type"]): NodeId =>
    addNode(interpreter, {
      id: `${id}##/${name}`,
      op: "input",
      inputs: [],
      attrs: {},
      type,
      label: name,
      groups,
      span,
    });
  const whole = { dtype: "i32", shape: [] } as const;
  const places = carried.map(({ name, node }) => standIn(name, typeOf(interpreter, node)));
  const counter = numbers && standIn(numbers.name, whole);
  const number = (): Value => {
    if (!counter) return numberValue(0, true);
    const scaled = (of: NodeId, op: string, by: number): NodeId => {
      const constant = { op: "const", inputs: [], attrs: { value: by }, type: whole, label: `${by}`, groups, span };
      const inputs = [of, addNode(interpreter, { id: `${id}##/${op}/1`, ...constant })];
      return addNode(interpreter, { id: `${id}##/${op}`, op, inputs, attrs: {}, type: whole, label: op, groups, span });
    };
    const stepped = numbers!.step === 1 ? counter : scaled(counter, "mul", numbers!.step);
    return tensorValue(numbers!.start === 0 ? stepped : scaled(stepped, "add", numbers!.start));
  };
  const ends = iteration(places, number());
  if (!ends || trial.failed()) return null;
  const keepsType = ends.every((end, at) => {
    const [before, after] = [typeOf(interpreter, carried[at]!.node), typeOf(interpreter, end)];
    return before.dtype === after.dtype && sameShape(before.shape, after.shape);
  });
  const standIns = new Map<NodeId, BodyArg>([
    ...places.map((place, at) => [place, { kind: "param", at }] as const),
    ...(counter ? [[counter, { kind: "iteration" }] as const] : []),
  ]);
  const read = keepsType
    ? bodyOf(interpreter, trial.made(), standIns, carried, numbers?.name ?? "iteration", ends)
    : null;
  return read && iterations * read.body.values.length > OPS_PER_NOTCH ? read : null;
}

/** The values behind `ends` as a body; null where one of them is no map, or has halves, whose roundings depend on where they are kept. */
function bodyOf(
  interpreter: Interpreter,
  made: ReadonlySet<NodeId>,
  standIns: ReadonlyMap<NodeId, BodyArg>,
  carried: readonly Carried[],
  iteration: string,
  ends: readonly NodeId[],
): ReadBody | null {
  const args = new Map<NodeId, BodyArg>(standIns);
  const names = new Set<string>();
  const parameters = new Set(carried.map(({ name }) => name));
  const unique = (wanted: string): string => {
    const word = wanted.replaceAll(/\W+/g, "_").replace(/^(?![A-Za-z])/, "v");
    let name = word;
    for (let i = 2; names.has(name); i++) name = `${word}_${i}`;
    names.add(name);
    return name;
  };
  const turn = unique(iteration);
  const params = carried.map(({ name, node }) => ({ name: unique(name), dtype: typeOf(interpreter, node).dtype }));
  const shared: { readonly name: string; readonly dtype: DType }[] = [];
  const nodes: NodeId[] = carried.map(({ node }) => node);
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
  const argOf = ({ id, op, attrs, type, label, inputs, groups }: Node): BodyArg | null => {
    const def = opDef(op);
    if (def.kind === "source" && "value" in attrs)
      return { kind: "literal", value: Number(attrs["value"]), dtype: type.dtype };
    const isMap = def.kind === "elementwise" && !def.scalar?.usesIndex;
    if (!made.has(id) || (!changes.has(id) && !isMap && def.kind !== "random")) {
      keep(id);
      shared.push({ name: unique(label), dtype: type.dtype });
      return { kind: "param", at: nodes.push(id) - 1 };
    }
    if (!isMap) return null;
    const call = groups.find(({ kind }) => kind === "composite")?.id;
    if (call !== undefined && !calls.has(call)) calls.set(call, calls.size);
    values.push({
      name: unique(parameters.has(label) ? `${label}_next` : label),
      op,
      args: inputs.map((input) => args.get(input)!),
      attrs,
      ...(call === undefined ? {} : { call: calls.get(call)! }),
    });
    return { kind: "value", at: values.length - 1 };
  };
  const open = [...ends];
  for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
    const n = interpreter.nodes.get(id)!;
    const inside = made.has(id) && (changes.has(id) || opDef(n.op).kind === "elementwise");
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
  const body = { params: [...params, ...shared], iteration: turn, values, next: ends.map((end) => args.get(end)!) };
  return params.some(({ dtype }) => dtype === "f16") ? null : { body, params: nodes, outside };
}

/** What was made and is another in every iteration. */
function changing(
  interpreter: Interpreter,
  made: ReadonlySet<NodeId>,
  standIns: ReadonlyMap<NodeId, BodyArg>,
): ReadonlySet<NodeId> {
  const found = new Set(standIns.keys());
  for (const id of made) if (interpreter.nodes.get(id)!.inputs.some((input) => found.has(input))) found.add(id);
  return found;
}

/** @file Weights of models: inputs that stand under the name which the program gives their layer, `encoder.fc.weight`; copies of models, whose weights are their own. */
import { isInput, nodeId, type Attrs, type DType, type NodeId, type Shape } from "../../ir";
import { opDef, withDefaults } from "../../ops";
import { isTorchIn } from "../calls/dialect";
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { addNode, typeOf } from "../interpreter";
import type { Expr } from "../reading/syntax";
import {
  BROKEN,
  type GivenArgument,
  isBroken,
  type Named,
  type ObjectInfo,
  type Operand,
  tensorValue,
  unnamed,
  type Value,
} from "../values/values";
import { constantStart, startAttrs } from "../statements/starting-values";
import { startingAs } from "./starting-weights";

/** Whether a variable holds it, alone or inside a model: its weights have their names. */
export const isHeld = (named: Named): boolean => pathOf(named).root !== null;

/** `layers.0.fc` inside an object, and the variable that holds the outermost one. */
function pathOf(named: Named): { readonly root: string | null; readonly keys: readonly string[] } {
  const keys: string[] = [];
  let at = named;
  for (; at.holder; at = at.holder.object) keys.unshift(at.holder.key);
  return { root: at.name, keys };
}

/** What a box of this object is called: its path in its model, or its class. */
export function labelOf(object: ObjectInfo): string {
  const { keys } = pathOf(object);
  return keys.length > 0 ? keys.join(".") : object.of.name;
}

/** Tells everything in `value` that has weights where it stands, unless it stands somewhere already. */
export function attach(value: Value, object: ObjectInfo, key: string): void {
  eachNamed(value, key, (named, at) => {
    if (named !== object) named.holder ??= { object, key: at };
  });
}

/** Tells everything in `value` which variable holds it. */
export function nameAfter(value: Value, variable: string): void {
  eachNamed(value, variable, (named, at) => {
    named.name ??= at;
  });
}

function eachNamed(value: Value, key: string, tell: (named: Named, key: string) => void): void {
  if (value.kind === "object") tell(value.object, key);
  else if (value.kind === "layer") tell(value.layer, key);
  else if (value.kind === "weight") tell(value.weight, key);
  else if (value.kind === "sequence") value.items.forEach((item, i) => eachNamed(item.value, `${key}.${i}`, tell));
  else if (value.kind === "dict")
    for (const [entry, item] of value.entries) eachNamed(item.value, `${key}.${entry}`, tell);
}

export interface WeightAt {
  readonly named: Named;
  /** Identity of what has no name, such as a layer that is called where it is made. */
  readonly path: string;
  /** Of a weight among others of its layer; null: `named` is the weight itself. */
  readonly name: string | null;
  readonly shape: Shape;
  /** Its numbers where nothing trains it. */
  readonly source: Attrs;
  /** How it begins where it is trained; null: as `source` says. */
  readonly begin: Attrs | null;
  /** Nothing trains it. */
  readonly buffer?: boolean;
  /** Where flax holds it, where that is not with what is trained. */
  readonly collection?: string;
  readonly dtype?: DType;
  readonly expr: Expr;
}

/** The input that a weight is; asked for again, it is there. */
export function weightNode(
  interpreter: Interpreter,
  run: StatementRun,
  { named, path, name, shape, source, begin, buffer, collection, dtype = "f32", expr }: WeightAt,
): NodeId {
  const key = name ?? "";
  const { variables } = interpreter.applied;
  const apart = variables?.nameOf(run.frame.method?.self, named, key) ?? null;
  const given = apart && variables!.find(apart, collection);
  if (given?.kind === "tensor") return given.node;
  if (apart) variables!.remember(named);
  const known = named.weights.get(key);
  if (!apart && known !== undefined && interpreter.nodes.has(known)) return known;
  const { root, keys } = pathOf(named);
  const own = name === null ? [] : [name];
  // A part of an op may be called as a weight of a model that is that op alone.
  const within = apart?.length === 1 ? [run.root, "params", ...apart] : [run.root, ...(apart ?? [])];
  const wanted = (apart ? within : [root ?? path, ...keys, ...own]).join(".");
  let id = wanted;
  for (let again = 2; interpreter.nodes.has(nodeId(id)); again++) id = `${wanted}@${again}`;
  // A model's name says nothing where there is one model; a layer's or a weight's own is all there is.
  const isObject = "of" in named;
  const label = (apart ?? (keys.length > 0 || root === null || isObject ? [...keys, ...own] : [root, ...own])).join(
    ".",
  );
  const twin = named.twins?.get(key);
  const attrs = withDefaults(opDef("input"), { ...(twin ?? source), role: buffer ? "const" : "param" });
  if (!twin) named.twins?.set(key, { ...attrs, like: id });
  const { groups } = run.frame;
  const type = { dtype, shape };
  const node = addNode(interpreter, { id, op: "input", inputs: [], attrs, type, label, groups, span: expr.span });
  interpreter.sites.set(node, { node, expr, run, param: null, op: null, attrs, operands: [] });
  if (apart) variables!.note(apart, tensorValue(node), collection);
  named.weights.set(key, node);
  interpreter.begins.set(node, () => named.begins.get(key) ?? begin);
  interpreter.weightOf.set(node, { named, key, ...(buffer && { buffer }) });
  return node;
}

/** The tensor of `nn.Parameter(…)`. */
export const weightValue = (
  interpreter: Interpreter,
  run: StatementRun,
  { weight }: Extract<Value, { kind: "weight" }>,
  path: string,
): Value => tensorValue(weightNode(interpreter, run, { ...weight, named: weight, path, name: null }));

const PARAMETERS: ReadonlySet<string> = new Set(["Parameter", "Param", "Variable", "BatchStat"]);

/** Whether libraries call a kind of weight so: `wrt=nnx.Param`. */
export const isParameterClass = (name: string): boolean => PARAMETERS.has(name);

/**
 * Whether a weight made of a tensor is that tensor: what a run feeds, and what is computed.
 * @param begin what an input has that begins so
 */
function isData({ nodes, drawn, keepsWeights }: Interpreter, id: NodeId, begin: Attrs | null): boolean {
  if (isInput(nodes.get(id)!) && !drawn.has(id)) return true;
  if (begin !== null) return false;
  const sources = new Set([id]);
  for (const each of sources) for (const input of nodes.get(each)!.inputs) sources.add(input);
  // Numbers that are drawn and computed with can't be what training begins with.
  return keepsWeights || ![...sources].some((each) => drawn.has(each));
}

/** The weight is that tensor. */
function holdData({ nodes, weightOf }: Interpreter, named: Named, id: NodeId): void {
  const node = nodes.get(id)!;
  if (isInput(node)) nodes.set(id, { ...node, attrs: { ...node.attrs, role: "param" } });
  named.weights.set("", id);
  weightOf.set(id, { named, key: "" });
}

/** The weight that a call of `name` makes; null where it makes none. */
export function parameterOf(
  interpreter: Interpreter,
  { expr }: CallAt,
  name: string,
  args: readonly GivenArgument[],
): Value | null {
  const value = (args.find((arg) => arg.name?.text === "data" || arg.name?.text === "value") ?? args[0])?.operand.value;
  if (!PARAMETERS.has(name) || !value) return null;
  // PyTorch's is the tensor itself.
  if (name === "Variable" && isTorchIn(interpreter)) return value;
  if (isBroken(value)) return BROKEN;
  const shape = value.kind === "tensor" ? typeOf(interpreter, value.node).shape : value.kind === "number" ? [] : null;
  if (!shape) return value;
  const usual = { ...unnamed(), shape, source: startingAs(shape), expr };
  if (value.kind !== "tensor") {
    const begin = value.kind === "number" ? constantStart(value.value) : null;
    // One number that is written is the weight's own; where it is 0, what it gates would not be seen.
    const source = value.kind === "number" && value.value !== 0 ? begin! : usual.source;
    return { kind: "weight", weight: { ...usual, begin, source } };
  }
  const { node } = value;
  const begin = startAttrs(interpreter, node);
  // One draw or one number everywhere only says how training begins; other numbers are the weight's own.
  const weight = { ...usual, begin, ...(begin?.["source"] === "values" && { source: begin }) };
  const trains = args.find(({ name }, i) => name?.text === "requires_grad" || (i === 1 && !name))?.operand.value;
  if (trains?.kind === "bool" && !trains.value) weight.frozen.add("");
  if (isData(interpreter, node, begin)) holdData(interpreter, weight, node);
  else interpreter.spare.add(node);
  return { kind: "weight", weight };
}

/**
 * `p.detach().clone()` of a weight before it is trained: an input of its own that begins with the same numbers and stays what it is;
 * null of anything else.
 */
export function copyOfWeight(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: { readonly expr: Expr; readonly path: string },
  of: NodeId,
): Value | null {
  const { nodes, weightOf, optimizing, keepsWeights, begins } = interpreter;
  const still = nodes.get(of)!;
  const node = isInput(still) ? still : nodes.get(still.inputs[0] ?? of)!;
  if (keepsWeights || optimizing.open > 0 || !isInput(node) || optimizing.first.has(of)) return null;
  if (!weightOf.has(node.id) && node.attrs["role"] !== "param") return null;
  let id = `${path}/${node.label}`;
  for (let again = 2; nodes.has(nodeId(id)); again++) id = `${path}/${node.label}@${again}`;
  const attrs = { ...node.attrs, ...begins.get(node.id)?.(), role: "param", like: node.attrs["like"] ?? node.id };
  const { groups } = run.frame;
  const label = `${node.label}.copy`;
  const copy = addNode(interpreter, {
    id,
    op: "input",
    inputs: [],
    attrs,
    type: node.type,
    label,
    groups,
    span: expr.span,
  });
  interpreter.sites.set(copy, { node: copy, expr, run, param: null, op: null, attrs, operands: [] });
  interpreter.drawn.add(copy);
  interpreter.spare.add(copy);
  return tensorValue(copy);
}

/** A copy that has no name yet. */
function copyOf(interpreter: Interpreter | null, named: Named): Named {
  const begins = new Map(named.begins);
  const made = { ...unnamed(), begins, frozen: new Set(named.frozen) };
  if (!interpreter) return made;
  const copy = { ...made, isCopy: true as const };
  const twins = (named.twins ??= new Map());
  copy.twins = twins;
  for (const [key, id] of named.weights) {
    const node = interpreter.nodes.get(id);
    if (!node) continue;
    if (!isInput(node)) copy.weights.set(key, id);
    else if (!twins.has(key)) twins.set(key, { ...node.attrs, like: node.attrs["like"] ?? node.id });
  }
  return copy;
}

/** What a copy is in: training or inference, as what it is a copy of. */
function inModeOf<T extends Named>(interpreter: Interpreter | null, was: Named, copy: T): T {
  const mode = interpreter?.modes.get(was);
  if (mode !== undefined) interpreter!.modes.set(copy, mode);
  return copy;
}

/**
 * `value` with layers and objects of its own instead of those in it.
 * @param interpreter null: their weights draw numbers of their own, too
 */
export function deepCopy(
  interpreter: Interpreter | null,
  value: Value,
  seen = new Map<ObjectInfo, ObjectInfo>(),
): Value {
  const inside = (item: Operand): Operand => ({ ...item, value: deepCopy(interpreter, item.value, seen) });
  if (value.kind === "tensor") return { ...value };
  if (value.kind === "layer") {
    const { layer } = value;
    const own = { ...layer, ...copyOf(interpreter, layer), batches: [...(layer.batches ?? [])] };
    return { kind: "layer", layer: inModeOf(interpreter, layer, own) };
  }
  if (value.kind === "weight")
    return { kind: "weight", weight: { ...value.weight, ...copyOf(interpreter, value.weight) } };
  if (value.kind === "sequence") return { ...value, items: value.items.map(inside) };
  if (value.kind === "dict")
    return { ...value, entries: new Map([...value.entries].map(([key, item]) => [key, inside(item)])) };
  if (value.kind !== "object") return value;
  const { object } = value;
  const known = seen.get(object);
  if (known) return { kind: "object", object: known };
  const { of, making, layer, buffers } = object;
  const own: ObjectInfo = { ...copyOf(interpreter, object), of, making, layer, fields: new Map(), buffers };
  inModeOf(interpreter, object, own);
  seen.set(object, own);
  for (const [name, field] of object.fields) {
    const copy = deepCopy(interpreter, field, seen);
    own.fields.set(name, copy);
    attach(copy, own, name);
  }
  return { kind: "object", object: own };
}

/**
 * @file What a model is made of: its modules and its weights by name, before it is called; what is done to each, `model.apply(init_weights)`;
 * and models whose weights are values of the program, flax's `init` and `apply`.
 */
import type { CallAt, Frame, Interpreter, StatementRun } from "../interpreter";
import { countsOf, makeWeights } from "../layers/layer";
import { isHeld, weightValue } from "../layers/weights";
import { sameShape } from "../../ir";
import { typeOf } from "../interpreter";
import { writeInPlace } from "../calls/memory";
import type { Expr, Statement } from "../reading/syntax";
import { isTrained, learnInPlace, setWeight } from "./parameters";
import { STATE } from "../layers/collections";
import { inherited } from "./inheritance";
import { Variables } from "../layers/variables";
import { openTrial } from "../trial";
import { leavesOf } from "../values/trees";
import {
  type GivenArgument,
  isBroken,
  type Named,
  type ObjectInfo,
  type Operand,
  tensorValue,
  type Value,
} from "../values/values";

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

/** What stands inside a module under a name, directly. */
function* insidesOf(value: Value): Generator<readonly [name: string, value: Value]> {
  if (value.kind === "sequence") for (const [i, item] of value.items.entries()) yield [`${i}`, item.value];
  else if (value.kind === "dict") for (const [name, item] of value.entries) yield [name, item.value];
  else if (value.kind === "object") yield* value.object.fields;
}

/** Whether a value is a module: an object, a layer, a list of modules. */
export function isModule(value: Value): boolean {
  if (value.kind === "layer" || value.kind === "object") return true;
  if (value.kind !== "sequence" && value.kind !== "dict") return false;
  const inside = [...insidesOf(value)];
  return inside.length > 0 && inside.every(([, item]) => isModule(item));
}

type NamedValue = readonly [name: string, value: Value];

/** Modules directly inside one, by their names there. */
export const childrenOf = (value: Value): NamedValue[] => [...insidesOf(value)].filter(([, item]) => isModule(item));

/** A module and all inside it by their paths, the outermost first, as PyTorch goes through them. */
export function modulesOf(value: Value, path = "", seen = new Set<unknown>()): NamedValue[] {
  const own = value.kind === "object" ? value.object : value.kind === "layer" ? value.layer : value;
  if (!isModule(value) || seen.has(own)) return [];
  seen.add(own);
  const inside = [...insidesOf(value)].flatMap(([name, item]) =>
    modulesOf(item, path === "" ? name : `${path}.${name}`, seen),
  );
  return [[path, value], ...inside];
}

/** What a list of these answers in Python: pairs of names and values. */
export const pairsOf = (named: readonly NamedValue[]): Operand[] =>
  named.map(([name, value]) =>
    loose({ kind: "sequence", items: [loose({ kind: "string", value: name }), loose(value)] }),
  );

/**
 * What a model keeps beside its parameters, by name: tensors that its objects register, and what its norms keep.
 * @param saved those alone that are saved with it: all but what is registered with `persistent=False`
 */
export function namedBuffers(
  interpreter: Interpreter,
  run: StatementRun,
  value: Value,
  prefix = "",
  saved = false,
): NamedValue[] {
  const isBuffer = (node: Value): boolean => node.kind === "tensor" && !isTrained(interpreter, node.node);
  if (value.kind === "tensor") return value.isPair ? [] : [[prefix.slice(0, -1), value]];
  if (value.kind === "layer")
    return [
      ...namedWeights(interpreter, run, value, prefix).filter(([, node]) => isBuffer(node)),
      ...countsOf(interpreter, value.layer).map(([name, count]): NamedValue => [`${prefix}${name}`, count]),
    ];
  const isBufferOf = ({ buffers }: ObjectInfo, name: string): boolean =>
    saved ? buffers.get(name) === true : buffers.has(name);
  const isKept = (name: string, item: Value): boolean =>
    value.kind !== "object" || item.kind !== "tensor" || isBufferOf(value.object, name);
  return [...insidesOf(value)].flatMap(([name, item]) =>
    isKept(name, item) ? namedBuffers(interpreter, run, item, `${prefix}${name}.`, saved) : [],
  );
}

/** Parameters of a model by name. */
export const namedParameters = (interpreter: Interpreter, run: StatementRun, value: Value): NamedValue[] =>
  namedWeights(interpreter, run, value).filter(
    ([, node]) => node.kind === "tensor" && isTrained(interpreter, node.node),
  );

/**
 * `target.load_state_dict(online.state_dict())`: weights of the same names and types are those from here on. What is not here,
 * `torch.load(path)`, changes nothing.
 */
export function loadState(interpreter: Interpreter, run: StatementRun, expr: Expr, self: Value, from: Value): void {
  if (from.kind !== "dict") return;
  for (const [name, was] of namedWeights(interpreter, run, self)) {
    const now = from.entries.get(name)?.value;
    if (was.kind !== "tensor" || now?.kind !== "tensor" || was.node === now.node) continue;
    const weight = interpreter.weightOf.get(was.node);
    if (!weight || !sameShape(typeOf(interpreter, was.node).shape, typeOf(interpreter, now.node).shape)) continue;
    writeInPlace(interpreter, run, expr, was, now);
    learnInPlace(interpreter, run.frame, was, now);
    setWeight(interpreter, weight.named, weight.key, now.node);
  }
}

/** What `make` answers, noting weights that it makes before a variable holds their model, which gives them their names. */
function noteEarly<T>({ early, nodes, spare }: Interpreter, named: Named, make: () => T): T {
  if (isHeld(named)) return make();
  const before = new Set(nodes.keys());
  const made = make();
  for (const [key, node] of named.weights) {
    if (before.has(node)) continue;
    spare.add(node);
    early.push({ named, key, node });
  }
  return made;
}

/** Drops weights that were made only to be counted while `object` was built; they are built under its name later. */
export function forgetEarly({ early, nodes }: Interpreter, object: ObjectInfo): void {
  if (early.length === 0) return;
  const read = new Set([...nodes.values()].flatMap(({ inputs }) => inputs));
  const fields = [...object.fields.values()].flatMap((value) => leavesOf(loose(value)));
  for (const { value } of fields) if (value.kind === "tensor") read.add(value.node);
  for (const { named, key, node } of early.splice(0))
    if (!read.has(node) && named.weights.get(key) === node) named.weights.delete(key);
}

/** The weights of a model, by their names, made if they are not yet; those whose sizes turn out in a call are left out. */
export function namedWeights(
  interpreter: Interpreter,
  run: StatementRun,
  value: Value,
  prefix = "",
): readonly NamedValue[] {
  if (value.kind === "layer") {
    const weights = noteEarly(interpreter, value.layer, () => makeWeights(interpreter, run, value.layer));
    return [...weights].map(([name, node]) => [`${prefix}${name}`, tensorValue(node)]);
  }
  if (value.kind === "weight") {
    const weight = noteEarly(interpreter, value.weight, () => weightValue(interpreter, run, value, prefix));
    return [[prefix.slice(0, -1), weight]];
  }
  // `class LoRALinear(nn.Linear)` has the weights of the layer that it is, too.
  const { layer = null, holder = null, name: called = null } = value.kind === "object" ? value.object : {};
  const own: Value | null = layer && { kind: "layer", layer: { ...layer, holder, name: called } };
  return [
    ...(own ? namedWeights(interpreter, run, own, prefix) : []),
    ...[...insidesOf(value)].flatMap(([name, item]) => namedWeights(interpreter, run, item, `${prefix}${name}.`)),
  ];
}

/** Calls `of` with every module in `value`, the innermost first: what that sets of their weights stays, and nothing else. */
export function applyToEach(interpreter: Interpreter, run: StatementRun, at: CallAt, value: Value, of: Value): void {
  for (const [i, [, module]] of modulesOf(value).toReversed().entries()) {
    const trial = openTrial(interpreter);
    interpreter.call(run, { ...at, path: `${at.path}/module${i}` }, of, [
      { name: null, operand: loose(module), span: at.expr.span },
    ]);
    trial.undo();
  }
}

/** Runs `nn.init.zeros_(self.fc.bias)` where a model is made: what it sets of weights stays, and nothing else. */
export function setWeights(interpreter: Interpreter, statement: Statement, { making: _made, ...frame }: Frame): void {
  const trial = openTrial(interpreter);
  const written = (): number => interpreter.weightWrites.length + (interpreter.memory?.later.size ?? 0);
  const before = written();
  interpreter.runBody([statement], frame);
  // A weight that was written is what was written, where nothing trains it, and so is any other tensor.
  if (written() === before || trial.hasErrors()) trial.undo();
}

const dict = (entries: readonly (readonly [string, Value])[]): Value => ({
  kind: "dict",
  entries: new Map(entries.map(([name, value]) => [name, loose(value)])),
});

/** What says how a call is made, and is none of the model's own arguments. */
const HOW = /^(rngs?|mutable|method)$/;

/** What flax calls a model: an object, or a layer alone, `nn.Dense(8)`. */
type Model = Extract<Value, { readonly kind: "object" | "layer" }>;

/** What is called: the model, or the method of it that the call names, `method=model.encode`. */
function calleeOf(self: Model, args: readonly GivenArgument[]): Value {
  if (self.kind === "layer") return self;
  const { object } = self;
  const asked = args.find(({ name }) => name?.text === "method")?.operand.value;
  const found = asked?.kind === "string" ? inherited(object.of, asked.value)?.operand.value : asked;
  if (found?.kind !== "def") return self;
  return found.method ? found : { ...found, method: { self, owner: object.of } };
}

const namedOf = (model: Model): Named => (model.kind === "object" ? model.object : model.layer);

function called(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  model: Model,
  variables: Variables,
  args: readonly GivenArgument[],
): Value {
  const { applied } = interpreter;
  const around = applied.variables;
  applied.variables = variables;
  const own = args.filter(({ name }) => !name || !HOW.test(name.text));
  const value = interpreter.call(run, at, calleeOf(model, args), own);
  applied.variables = around;
  variables.close();
  return value;
}

/** `model.init(key, x)`: the weights that a call with `x` reads, as a tree by their names; nothing is computed. */
export function initVariables(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  model: Model,
  [, ...args]: readonly GivenArgument[],
): Value {
  const trial = openTrial(interpreter);
  const variables = new Variables(namedOf(model), null);
  const value = called(interpreter, run, at, model, variables, args);
  // What was stored is computed of what the call was given.
  const needed = new Set(variables.nodes);
  for (const id of needed) for (const input of interpreter.nodes.get(id)?.inputs ?? []) needed.add(input);
  trial.dropAllBut(needed);
  for (const node of needed) interpreter.spare.add(node);
  return isBroken(value)
    ? value
    : dict(variables.collections.map((each) => [each, variables.tree(each, each === STATE)]));
}

/** `model.apply(variables, x)`: a call with those weights. */
export function applyVariables(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  model: Model,
  [first, ...args]: readonly GivenArgument[],
): Value {
  const given = first!.operand.value;
  const variables = new Variables(namedOf(model), given);
  const value = called(interpreter, run, at, model, variables, args);
  const mutable = args.find(({ name }) => name?.text === "mutable")?.operand.value;
  const listed = mutable?.kind === "sequence" ? mutable.items.map((item) => item.value) : mutable ? [mutable] : [];
  const asked = listed.flatMap((each) => (each.kind === "string" ? [each.value] : []));
  const all = mutable?.kind === "bool" && mutable.value ? variables.collections : asked;
  if (all.length === 0 && mutable?.kind !== "sequence") return value;
  return { kind: "sequence", items: [loose(value), loose(dict(all.map((each) => [each, variables.tree(each)])))] };
}

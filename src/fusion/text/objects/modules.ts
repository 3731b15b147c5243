/**
 * @file What a model is made of: its modules and its weights by name, before it is called; what is done to each, `model.apply(init_weights)`;
 * and models whose weights are values of the program, flax's `init` and `apply`.
 */
import type { CallAt, Frame, Interpreter, StatementRun } from "../interpreter";
import { makeWeights } from "../layers/layer";
import { isHeld, weightValue } from "../layers/weights";
import type { Statement } from "../reading/syntax";
import { Variables } from "../layers/variables";
import { openTrial } from "../trial";
import { type GivenArgument, isBroken, type ObjectInfo, type Operand, tensorValue, type Value } from "../values/values";

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

/** Modules directly inside one. */
export const childrenOf = (value: Value): Operand[] =>
  [...insidesOf(value)].flatMap(([, item]) => (isModule(item) ? [loose(item)] : []));

/** A module and all inside it, the outermost first, as PyTorch goes through them. */
export function modulesOf(value: Value, seen = new Set<unknown>()): Operand[] {
  const own = value.kind === "object" ? value.object : value.kind === "layer" ? value.layer : value;
  if (!isModule(value) || seen.has(own)) return [];
  seen.add(own);
  return [loose(value), ...[...insidesOf(value)].flatMap(([, item]) => modulesOf(item, seen))];
}

/** The weights of a model that a variable holds, by their names, made if they are not yet; those whose sizes turn out in a call are left out. */
export function namedWeights(
  interpreter: Interpreter,
  run: StatementRun,
  value: Value,
  prefix = "",
): readonly (readonly [name: string, value: Value])[] {
  if (value.kind === "layer")
    return isHeld(value.layer)
      ? [...makeWeights(interpreter, run, value.layer)].map(([name, node]) => [`${prefix}${name}`, tensorValue(node)])
      : [];
  if (value.kind === "weight")
    return isHeld(value.weight) ? [[prefix.slice(0, -1), weightValue(interpreter, run, value, prefix)]] : [];
  return [...insidesOf(value)].flatMap(([name, item]) => namedWeights(interpreter, run, item, `${prefix}${name}.`));
}

/** Calls `of` with every module in `value`, the innermost first: what that sets of their weights stays, and nothing else. */
export function applyToEach(interpreter: Interpreter, run: StatementRun, at: CallAt, value: Value, of: Value): void {
  for (const [i, operand] of modulesOf(value).toReversed().entries()) {
    const trial = openTrial(interpreter);
    interpreter.call(run, { ...at, path: `${at.path}/module${i}` }, of, [{ name: null, operand, span: at.expr.span }]);
    trial.undo();
  }
}

/** Runs `nn.init.zeros_(self.fc.bias)` where a model is made: what it sets of weights stays, and nothing else. */
export function setWeights(interpreter: Interpreter, statement: Statement, { making: _made, ...frame }: Frame): void {
  const trial = openTrial(interpreter);
  interpreter.runBody([statement], frame);
  trial.undo();
}

const dict = (entries: readonly (readonly [string, Value])[]): Value => ({
  kind: "dict",
  entries: new Map(entries.map(([name, value]) => [name, loose(value)])),
});

/** What says how a call is made, and is none of the model's own arguments. */
const HOW = /^(rngs?|mutable)$/;

function called(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  object: ObjectInfo,
  variables: Variables,
  args: readonly GivenArgument[],
): Value {
  const { variables: around } = interpreter;
  interpreter.variables = variables;
  const own = args.filter(({ name }) => !name || !HOW.test(name.text));
  const value = interpreter.call(run, at, { kind: "object", object }, own);
  interpreter.variables = around;
  variables.close();
  return value;
}

/** `model.init(key, x)`: the weights that a call with `x` reads, as a tree by their names; nothing is computed. */
export function initVariables(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  object: ObjectInfo,
  [, ...args]: readonly GivenArgument[],
): Value {
  const trial = openTrial(interpreter);
  const variables = new Variables(object, null);
  const value = called(interpreter, run, at, object, variables, args);
  trial.dropAllBut(variables.nodes);
  for (const node of variables.nodes) interpreter.spare.add(node);
  return isBroken(value) ? value : dict([["params", variables.tree()]]);
}

/** `model.apply(variables, x)`: a call with those weights. */
export function applyVariables(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  object: ObjectInfo,
  [first, ...args]: readonly GivenArgument[],
): Value {
  const given = first!.operand.value;
  const params = given.kind === "dict" ? (given.entries.get("params")?.value ?? given) : given;
  const value = called(interpreter, run, at, object, new Variables(object, params), args);
  const mutable = args.find(({ name }) => name?.text === "mutable")?.operand.value;
  const isPair = mutable?.kind === "sequence" || mutable?.kind === "string" || mutable?.kind === "dict";
  return isPair ? { kind: "sequence", items: [loose(value), loose(dict([]))] } : value;
}

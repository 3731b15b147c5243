/** @file Models whose weights are values of the program: flax's `init` and `apply`. */
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { Variables } from "../layers/variables";
import { openTrial } from "../trial";
import { type GivenArgument, isBroken, type ObjectInfo, type Operand, type Value } from "../values/values";

const loose = (value: Value): Operand => ({ value, path: "", expr: null });
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
  trial.keepOnly(variables.nodes);
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

/** @file What a module keeps beside its weights from call to call: flax's collections, such as `batch_stats`, and haiku's state. */
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import { startAttrs } from "../statements/starting-values";
import type { CallExpr, Expr } from "../reading/syntax";
import { BROKEN, NONE, type ObjectInfo, type Operand, tensorValue, type Value } from "../values/values";
import { weightNode } from "./weights";

/** The collection that haiku's state is here. Its `init` answers how it begins, whatever the call stores. */
export const STATE = "state";

/** Something that an object keeps. */
export interface StoredAt {
  readonly object: ObjectInfo;
  readonly collection: string;
  readonly name: string;
  readonly path: string;
  readonly expr: Expr;
}

/** Under what an object has it that is called without weights of its own. */
const fieldOf = ({ collection, name }: StoredAt): string => `${collection}/${name}`;

/** What an object keeps; null where it is to be made. */
export function storedValue(interpreter: Interpreter, run: StatementRun, at: StoredAt): Value | null {
  const { variables } = interpreter.applied;
  const field = at.object.fields.get(fieldOf(at));
  if (!variables) return field ?? null;
  return variables.find(variables.nameOf(run.frame.method?.self, at.object, at.name), at.collection);
}

/** What begins as `begun`: an input where it begins evenly, as weights do; else what it is. */
export function storeFirst(interpreter: Interpreter, run: StatementRun, at: StoredAt, begun: Value): Value {
  const start = begun.kind === "tensor" ? startAttrs(interpreter, begun.node) : null;
  const { object: named, name, path, expr, collection } = at;
  const type = begun.kind === "tensor" ? typeOf(interpreter, begun.node) : null;
  const value =
    start && type
      ? tensorValue(
          weightNode(interpreter, run, {
            named,
            path,
            name,
            ...type,
            source: start,
            begin: start,
            buffer: true,
            collection,
            expr,
          }),
        )
      : begun;
  if (value === begun) store(interpreter, run, at, begun);
  return value;
}

/** What an object keeps from here on. */
export function store(interpreter: Interpreter, run: StatementRun, at: StoredAt, value: Value): Value {
  const { variables } = interpreter.applied;
  const { object } = at;
  if (variables) variables.store(variables.nameOf(run.frame.method?.self, object, at.name), value, at.collection);
  else {
    const key = fieldOf(at);
    interpreter.fieldWrites.push({ object, name: key, before: object.fields.get(key) });
    object.fields.set(key, value);
  }
  return NONE;
}

/** The module whose method runs, or the function that is transformed; null where neither is. */
export function runningModule({ applied }: Interpreter, { frame }: StatementRun): ObjectInfo | null {
  const self = frame.method?.self;
  if (self?.kind === "object") return self.object;
  const root = applied.variables?.root;
  return root && "of" in root ? (root as ObjectInfo) : null;
}

/** `hk.get_state("mean", [d], init=jnp.zeros)`, `hk.set_state("mean", v)`, of the module that runs; null where none does. */
export function haikuState(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: { readonly expr: CallExpr; readonly path: string },
  operands: readonly Operand[],
  stores: boolean,
): Value | null {
  const object = runningModule(interpreter, run);
  const words = stores ? ["name", "value"] : ["name", "shape", "dtype", "init"];
  const [name, second, dtype, init] = words.map((word, at) => {
    const i = expr.args.findIndex((arg, k) => (arg.name ? arg.name.text === word : k === at));
    return operands[i];
  });
  if (!object || name?.value.kind !== "string") return null;
  const at = { object, collection: STATE, name: name.value.value, path, expr };
  if (stores) return second ? store(interpreter, run, at, second.value) : null;
  const known = storedValue(interpreter, run, at);
  if (known || !init || !second) return known;
  const given = [second, dtype].flatMap((operand) =>
    operand && operand.value.kind !== "none" ? [{ name: null, operand, span: expr.span }] : [],
  );
  const begun = interpreter.call(run, { expr, path: `${path}/init` }, init.value, given);
  return begun.kind === "broken" ? BROKEN : storeFirst(interpreter, run, at, begun);
}

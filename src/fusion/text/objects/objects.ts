/** @file Objects: how a call of a class makes one, and what a call of one does. */
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { callLayer, layerOf } from "../layers/layer";
import { attach, deepCopy, labelOf } from "../layers/weights";
import { bare } from "../reading/syntax";
import { nearest } from "../suggest";
import {
  BROKEN,
  type ClassInfo,
  type GivenArgument,
  isBroken,
  NONE,
  type ObjectInfo,
  type Operand,
  unnamed,
  type Value,
} from "../values/values";
import { isOfLibrary, saidOutside } from "../library/library";
import { foldBinary, truthOf } from "../values/constants";
import { callMethod, tell } from "./attributes";
import { callOf, layerAbove, newMaking, setAside } from "./classes";
import { inherited, isEnum, lineOf, membersOf } from "./inheritance";
import { forgetEarly } from "./modules";
import { beginGroups } from "./optimizers";
import { attachItems, containerOf, isContainerClass, ITEMS } from "./containers";

/** `Mode("mean")`: the member of an enumeration with that value; null where it has none. */
function memberOf(of: ClassInfo, [given]: readonly GivenArgument[]): Value | null {
  const wanted = given?.operand.value;
  const found = membersOf(of).find(
    ([, { value }]) => wanted && truthOf(foldBinary("==", value, wanted) ?? NONE) === true,
  );
  return found ? found[1].value : null;
}

/** `Block(256)`: an object, filled in by __init__, or field by field. */
export function instantiate(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  of: ClassInfo,
  args: readonly GivenArgument[],
): Value {
  const member = isEnum(of) ? memberOf(of, args) : null;
  if (member) return member;
  const object: ObjectInfo = {
    ...unnamed(),
    of,
    fields: new Map(),
    buffers: new Map(),
    layer: null,
    making: newMaking(interpreter),
  };
  // What JAX's libraries call a module of theirs by its keyword.
  const name = isOfLibrary(of.scope) ? args.find((arg) => arg.name?.text === "name")?.operand.value : undefined;
  if (name?.kind === "string") object.called = name.value;
  const self: Value = { kind: "object", object };
  const before = new Set(interpreter.nodes.keys());
  const { making } = object;
  const { expr } = at;
  const init = inherited(of, "__init__");
  if (args.some(({ operand }) => operand.value.kind === "broken") && !run.frame.making) return BROKEN;
  if (init) {
    const made = callMethod(interpreter, run, at, { found: init, self, making, label: of.name }, args);
    making.late = making.late.map((late) => saidOutside(of.scope, late, expr.span));
    if (isBroken(made)) {
      tell(interpreter, making);
      return BROKEN;
    }
  } else if (lineOf(of).some(({ fields }) => fields.size > 0)) {
    if (!fillFields(interpreter, at, object, args)) return BROKEN;
  } else setLayer(object, at, args);
  for (const name of ["__post_init__", "setup"]) {
    const found = inherited(of, name);
    if (found) callMethod(interpreter, run, { ...at, path: `${at.path}/${name}` }, { found, self, making }, []);
  }
  setAside(interpreter, before);
  forgetEarly(interpreter, object);
  beginGroups(interpreter, object);
  return self;
}

/** The layer of a library that the object is by what its class inherits from. */
export function setLayer(
  object: ObjectInfo,
  { expr }: CallAt,
  args: readonly GivenArgument[],
  type = layerAbove(object.of),
): void {
  if (type === null) return;
  if (isContainerClass(type)) {
    const value = containerOf(type === "list" ? "ModuleList" : type, args);
    if (value) {
      attachItems(value, object);
      object.fields.set(ITEMS, value);
    }
    return;
  }
  const made = layerOf(type, args, expr);
  if (made?.kind !== "layer") return;
  // Its weights are the object's own.
  object.layer = { ...made.layer, weights: object.weights };
  object.layer.holder = object.holder;
}

/** `field(default_factory=list)`. */
const isMade = ({ expr }: Operand): boolean => {
  const call = expr && bare(expr);
  return call?.kind === "call" && call.args.some(({ name }) => name?.text === "default_factory");
};

/** Arguments by the order of the fields, as a dataclass takes them. */
function fillFields(
  interpreter: Interpreter,
  { expr }: CallAt,
  object: ObjectInfo,
  args: readonly GivenArgument[],
): boolean {
  const fields = new Map(
    lineOf(object.of)
      .toReversed()
      .flatMap(({ fields: own }) => [...own]),
  );
  const names = [...fields.keys()];
  let next = 0;
  for (const { name, operand, span } of args) {
    const key = name?.text ?? names[next++];
    if (key === "name" && operand.value.kind === "string") object.called = operand.value.value;
    if ((key === "name" || key === "parent") && !fields.has(key)) continue;
    if (key === undefined || !fields.has(key)) {
      const near = name && nearest(name.text, names);
      const text = name
        ? `${object.of.name} has no field \`${name.text}\`.${near ? ` Did you mean \`${near}\`?` : ""}`
        : `${object.of.name} takes ${names.length} arguments; this is number ${next}.`;
      interpreter.diagnostics.add(name ? "unknown-argument" : "too-many-arguments", span, text);
      return false;
    }
    object.fields.set(key, operand.value);
    attach(operand.value, object, key);
  }
  for (const [name, usual] of fields) {
    if (object.fields.has(name)) continue;
    // What a factory makes is each object's own.
    if (usual) object.fields.set(name, isMade(usual) ? deepCopy(null, usual.value) : usual.value);
    else {
      interpreter.diagnostics.add("missing-argument", expr.callee.span, `${object.of.name} still needs \`${name}\`.`);
      return false;
    }
  }
  return true;
}

/** A call of an object, `block(x)`. */
export function callObject(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  object: ObjectInfo,
  args: readonly GivenArgument[],
): Value {
  const self: Value = { kind: "object", object };
  const found = callOf(object.of);
  if (found) return callMethod(interpreter, run, at, { found, self, label: labelOf(object) }, args);
  const items = object.fields.get(ITEMS);
  if (items) return interpreter.call(run, at, items, args);
  if (object.layer) return callLayer(interpreter, run, at, layerOfObject(object), args);
  if (object.making.late.length > 0) tell(interpreter, object.making);
  else
    interpreter.diagnostics.add(
      "not-callable",
      at.expr.callee.span,
      `${object.of.name} has no forward(): it can't be called.`,
    );
  return BROKEN;
}

/** The layer under an object, with the object's path in its model. */
export const layerOfObject = ({ layer, holder, name }: ObjectInfo): NonNullable<ObjectInfo["layer"]> => ({
  ...layer!,
  holder,
  name,
});

/** @file Attributes of objects and classes: fields, constants, methods bound to their object, what a library's class lends. */
import { type CallAt, type Interpreter, modeOf, type StatementRun } from "../interpreter";
import { applyOf, isFunctionClass } from "./custom-functions";
import { currentAll } from "../calls/memory";
import { latest } from "../values/grown";
import { layerMember } from "../layers/layer";
import { weightValue } from "../layers/weights";
import { callAnyDef } from "../library/library";
import { calledAt, type Expr, type Identifier } from "../reading/syntax";
import {
  BROKEN,
  type ClassInfo,
  type GivenArgument,
  isBroken,
  type Making,
  type ObjectInfo,
  type Operand,
  type Value,
} from "../values/values";
import { unknownAttribute } from "./classes";
import { inherited, isDecorated, lineOf, type Found } from "./inheritance";
import { ITEMS } from "./containers";

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

/** A method of `self`, as Python binds it. */
function bound(found: Found, self: Value): Value {
  const { value } = found.operand;
  if (value.kind !== "def" || isDecorated(value.def, "staticmethod")) return value;
  const own =
    isDecorated(value.def, "classmethod") && self.kind === "object"
      ? ({ kind: "class", of: self.object.of } as const)
      : self;
  return { ...value, method: { self: own, owner: found.owner } };
}

interface MethodCall {
  readonly found: Found;
  readonly self: Value;
  readonly making?: Making;
  readonly label?: string;
}

/** Calls a method of `self`. */
export function callMethod(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  { found, self, making, label }: MethodCall,
  args: readonly GivenArgument[],
): Value {
  const value = bound(found, self);
  if (value.kind !== "def") return interpreter.call(run, at, value, args);
  const { def, scope, method, made, derivatives } = value;
  return callAnyDef(
    interpreter,
    run,
    {
      ...at,
      def,
      scope,
      ...(made !== undefined && { made }),
      ...(derivatives !== undefined && { derivatives }),
      ...(method && { method }),
      ...(making && { making }),
      ...(label && { label }),
    },
    args,
  );
}

/** Tells what went wrong while `making` was made, now that something needs `word`: what belongs to it, else everything. */
export function tell({ diagnostics }: Interpreter, making: Making, word: string | null = null): void {
  const own = making.late.filter((each) => word !== null && each.word === word);
  const told = own.length > 0 ? own : making.late;
  for (const { code, span, text, fixes = [], nodes = [] } of told) diagnostics.add(code, span, text, { fixes, nodes });
  making.late = making.late.filter((each) => !told.includes(each));
}

/** What `object.name` stands for; null where it has no such thing. */
export function attributeOf(
  interpreter: Interpreter,
  run: StatementRun,
  object: ObjectInfo,
  name: Identifier,
  at: { readonly path: string; readonly expr: Expr },
): Value | null {
  const self: Value = { kind: "object", object };
  const field = object.fields.get(name.text);
  if (field) {
    if (isBroken(field)) tell(interpreter, object.making, name.text);
    return field.kind === "weight"
      ? weightValue(interpreter, run, field, at.path)
      : currentAll(interpreter, run, at.expr, latest(interpreter, field));
  }
  const found = inherited(object.of, name.text);
  if (found) {
    const { value } = found.operand;
    if (isBroken(value)) tell(interpreter, found.owner.making, name.text);
    // A list of the class is one for all of its objects.
    if (value.kind === "sequence" || value.kind === "dict")
      return currentAll(interpreter, run, at.expr, latest(interpreter, value));
    if (value.kind !== "def" || !PROPERTIES.some((word) => isDecorated(value.def, word))) return bound(found, self);
    const call = { ...callAs(at.expr), path: at.path };
    return callMethod(interpreter, run, call, { found, self }, []);
  }
  const layer = object.layer && layerMember(interpreter, run, object.layer, name, at.path);
  if (layer) return layer;
  const items = object.fields.get(ITEMS);
  if (items?.kind === "dict" && items.entries.has(name.text)) return items.entries.get(name.text)!.value;
  if (name.text === "training") return { kind: "bool", value: modeOf(interpreter, object) ?? false };
  if (name.text === "device") return { kind: "string", value: "device" };
  if (name.text === "dtype") return { kind: "dtype", dtype: "f32" };
  if (name.text === "__class__") return { kind: "class", of: object.of };
  if (name.text === "__dict__")
    return { kind: "dict", entries: new Map([...object.fields].map(([key, value]) => [key, loose(value)])) };
  if (object.making.late.length === 0) return null;
  tell(interpreter, object.making);
  return BROKEN;
}

const PROPERTIES = ["property", "cached_property"] as const;
/** A property is read like a field, and computed like a call. */
const callAs = (expr: Expr): { readonly expr: Extract<Expr, { kind: "call" }> } => ({
  expr: calledAt(expr),
});

/** What stands after a dot behind a class: a constant, or a method that takes its object as an argument. */
export function classMember(interpreter: Interpreter, of: ClassInfo, name: Identifier): Value {
  const found = inherited(of, name.text);
  if (found) {
    const { value } = found.operand;
    if (value.kind === "def" && isDecorated(value.def, "classmethod"))
      return { ...value, method: { self: { kind: "class", of }, owner: found.owner } };
    if (isBroken(value)) tell(interpreter, found.owner.making, name.text);
    return latest(interpreter, value);
  }
  const field = lineOf(of).flatMap(({ fields }) => fields.get(name.text) ?? [])[0];
  if (field) return field.value;
  if (name.text === "__name__") return { kind: "string", value: of.name };
  if (name.text === "apply" && isFunctionClass(of)) return applyOf(of);
  unknownAttribute(interpreter, of, [], name);
  return BROKEN;
}

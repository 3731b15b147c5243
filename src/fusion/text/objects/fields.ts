/** @file Fields of objects as the program sets them. */
import type { Interpreter } from "../interpreter";
import { attach } from "../layers/weights";
import { setterKey } from "./inheritance";
import type { ClassInfo, ObjectInfo, Value } from "../values/values";

/** What `@name.setter` above a def says of a property, in the class or above it; null where there is none. */
export function setterOf(
  owner: ClassInfo,
  name: string,
): { readonly owner: ClassInfo; readonly value: Extract<Value, { kind: "def" }> } | null {
  const value = owner.attributes.get(setterKey(name))?.value;
  if (value?.kind === "def") return { owner, value };
  for (const base of owner.bases) {
    const found = setterOf(base, name);
    if (found) return found;
  }
  return null;
}

/** `object.name = value`. */
export function setField(interpreter: Interpreter, object: ObjectInfo, name: string, value: Value): void {
  interpreter.fieldWrites.push({ object, name, before: object.fields.get(name) });
  object.fields.set(name, value);
  attach(value, object, name);
}

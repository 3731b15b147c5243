/** @file Fields of objects as the program sets them. */
import type { Interpreter } from "../interpreter";
import { attach } from "../layers/weights";
import type { ObjectInfo, Value } from "../values/values";

/** `object.name = value`. */
export function setField(interpreter: Interpreter, object: ObjectInfo, name: string, value: Value): void {
  interpreter.fieldWrites.push({ object, name, before: object.fields.get(name) });
  object.fields.set(name, value);
  attach(value, object, name);
}

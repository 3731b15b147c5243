/** @file What a class has of those that it inherits from, and what kinds of classes there are. */
import { type DefStatement, lastNameOf } from "../reading/syntax";
import type { ClassInfo, Method, Operand, Value } from "../values/values";

export const isDecorated = (def: DefStatement, name: string): boolean =>
  def.decorators?.some((decorator) => lastNameOf(decorator) === name) ?? false;

/** Under what a class has the setter of a property. */
export const setterKey = (name: string): string => `${name}.setter`;

/** Under what a class has a def of its body. */
export const attributeKey = (def: DefStatement): string =>
  isDecorated(def, "setter") ? setterKey(def.name.text) : def.name.text;

/** The class and those that it inherits from, the nearest first. */
export function lineOf(of: ClassInfo): readonly ClassInfo[] {
  const line = [of];
  for (let i = 0; i < line.length; i++) for (const base of line[i]!.bases) if (!line.includes(base)) line.push(base);
  return line;
}

/** What the fields of a record hold, which its class declares: of a dataclass or a NamedTuple; null of anything else. */
export const fieldsOf = (value: Value): readonly Value[] | null =>
  value.kind === "object" && lineOf(value.object.of).some(({ fields }) => fields.size > 0)
    ? [...value.object.fields.values()]
    : null;

/** Whether the attributes of a class are the values of an enumeration. */
export const isEnum = (of: ClassInfo): boolean =>
  lineOf(of).some(({ statement }) => statement.bases.some((base) => /^(Int|Str)?(Enum|Flag)$/.test(lastNameOf(base))));

/** The members of an enumeration, which stand for their values. */
export const membersOf = (of: ClassInfo): readonly (readonly [string, Operand])[] =>
  [...of.attributes].filter(([name, { value }]) => value.kind !== "def" && !name.startsWith("_"));

/** Names of the class and of everything that it inherits from, as `isinstance` asks for them. */
export const classNames = (of: ClassInfo): readonly string[] =>
  lineOf(of).flatMap(({ name, statement }) => [name, ...statement.bases.map(lastNameOf)]);

export interface Found {
  readonly owner: ClassInfo;
  readonly operand: Operand;
}

/** An attribute of the class, or of one above `above`. */
export function inherited(of: ClassInfo, name: string, above: ClassInfo | null = null): Found | null {
  const line = lineOf(of);
  for (const owner of line.slice(above ? line.indexOf(above) + 1 : 0)) {
    const operand = owner.attributes.get(name);
    if (operand) return { owner, operand };
  }
  return null;
}

/** `self.fc`, where the method that runs has an object with a field or an attribute of that name: Python wants it written so. */
export function throughSelf(method: Method | undefined, name: string): string | null {
  if (method?.self.kind !== "object") return null;
  const { fields, of } = method.self.object;
  return fields.has(name) || inherited(of, name) ? `self.${name}` : null;
}

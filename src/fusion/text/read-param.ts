/** @file Parameters of defs and lambdas, and the types after a colon. */
import type { Problems } from "./problems";
import type { Item } from "./read-item";
import { exprsOf, partNamed, spanOf } from "./read-item";
import type { Expr, ParamDecl } from "./syntax";

interface Place {
  readonly text: string;
  readonly problems: Problems;
}

/** The annotation's expression; `f32[]` counts its brackets. */
export function typeIn(text: string, type: Item): Expr {
  const expr = exprsOf(type.parts)[0];
  if (!expr) return { kind: "bad", span: spanOf(type) };
  const empty = /^\[\s*\]/.exec(text.slice(expr.span.to, expr.span.to + 20))?.[0].length ?? 0;
  return empty === 0 ? expr : { ...expr, span: { from: expr.span.from, to: expr.span.to + empty } };
}

/** One parameter out of the parts between two commas; null for a mark that is none, and after a diagnostic. */
export function readParam(place: Place, group: readonly Item[]): ParamDecl | null {
  const { text, problems } = place;
  const span = { from: group[0]!.from, to: group.at(-1)!.to };
  const name = partNamed(group, "VariableName");
  if (!name || group[0] !== name) {
    if (group[0]!.name !== "/" && group[0]!.name !== "⚠" && !(group[0]!.name === "*" && !name)) {
      problems.add("outside-language", span, "A starred parameter is not part of this language: name each one.");
    }
    return null;
  }
  const type = partNamed(group, "TypeDef");
  const assign = group.findIndex((part) => part.name === "AssignOp");
  return {
    span,
    name: { text: text.slice(name.from, name.to), span: spanOf(name) },
    annotation: type && typeIn(text, type),
    value: assign < 0 ? null : (group[assign + 1]?.expr ?? null),
  };
}

/** @file Parameters of defs and lambdas, and the types after a colon. */
import type { Item } from "./read-item";
import { exprsOf, partNamed, spanOf } from "./read-item";
import type { Expr, ParamDecl } from "./syntax";

/** The annotation's expression; `f32[]` counts its brackets. */
export function typeIn(text: string, type: Item): Expr {
  const expr = exprsOf(type.parts)[0];
  if (!expr) return { kind: "bad", span: spanOf(type) };
  const empty = /^\[\s*\]/.exec(text.slice(expr.span.to, expr.span.to + 20))?.[0].length ?? 0;
  return empty === 0 ? expr : { ...expr, span: { from: expr.span.from, to: expr.span.to + empty } };
}

/** Parameters out of the parts between commas; `*` and `/` alone are marks. */
export function readParams(text: string, groups: readonly (readonly Item[])[]): readonly ParamDecl[] {
  const star = groups.findIndex(([first]) => first!.name === "*");
  return groups.flatMap((group, i) => {
    const param = readParam(text, group);
    const keyword = star >= 0 && i > star && param && !param.starred;
    return param ? [keyword ? { ...param, keyword } : param] : [];
  });
}

function readParam(text: string, group: readonly Item[]): ParamDecl | null {
  const span = { from: group[0]!.from, to: group.at(-1)!.to };
  const name = partNamed(group, "VariableName");
  if (!name) return null;
  const sign = group[0]!.name;
  const type = partNamed(group, "TypeDef");
  const assign = group.findIndex((part) => part.name === "AssignOp");
  return {
    span,
    name: { text: text.slice(name.from, name.to), span: spanOf(name) },
    annotation: type && typeIn(text, type),
    value: assign < 0 ? null : (group[assign + 1]?.expr ?? null),
    ...(sign === "*" ? { starred: "items" } : sign === "**" ? { starred: "entries" } : {}),
  };
}

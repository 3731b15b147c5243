/** @file A piece of the tree on its way to becoming an expression or a statement. */
import type { Expr, Statement } from "./syntax";

export interface Item {
  /** The parser's name: `CallExpression`, `(`, `⚠` … */
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly parts: readonly Item[];
  /** It or something in it is a parse error. */
  readonly broken: boolean;
  readonly expr: Expr | null;
  /** A statement, or the statements of a group. */
  readonly statements: readonly Statement[];
}

export const spanOf = ({ from, to }: Item): { from: number; to: number } => ({ from, to });
export const partNamed = (parts: readonly Item[], name: string): Item | null =>
  parts.find((part) => part.name === name) ?? null;
export const exprsOf = (parts: readonly Item[]): readonly Expr[] =>
  parts.flatMap((part) => (part.expr ? [part.expr] : []));

/** Parts between commas, each group without the commas. */
export function splitAtCommas(parts: readonly Item[]): readonly (readonly Item[])[] {
  const groups: Item[][] = [[]];
  for (const part of parts) {
    if (part.name === ",") groups.push([]);
    else groups.at(-1)!.push(part);
  }
  return groups.filter((group) => group.length > 0);
}

/** @file What `self.name` of a class stands for in the program that it becomes, and how a call of it is written. */
import type { TextEdit } from "../../ir";
import type { Argument, CallExpr, Expr, Statement } from "../syntax";
import { bare } from "../syntax";
import type { Layer, LayerArgs } from "./layers";

export type Member =
  | { readonly kind: "layer"; readonly layer: Layer; readonly args: LayerArgs }
  /** A def of the program: a module, a sequence, a layer that writes one. */
  | { readonly kind: "def"; readonly input: string | null }
  /** A tuple of defs; more may be appended while __init__ is read. */
  | { readonly kind: "list"; readonly parts: Part[] }
  | { readonly kind: "value" };

/** A module in a list or a sequence, with the name of its weights. */
export interface Part {
  readonly name: string;
  readonly member: Member;
}

export const isSelf = (expr: Expr): boolean => expr.kind === "name" && expr.name === "self";
export const lastName = (expr: Expr): string =>
  expr.kind === "name" ? expr.name : expr.kind === "member" ? expr.name.text : "";

/** Arguments without `**options`: where and how something is kept changes no value. */
export const plainArgs = ({ args }: CallExpr): readonly Argument[] =>
  args.filter(({ starred }) => starred !== "entries");

/** The type that the first input of a member may have, where it shows. */
export function inputOf(member: Member): string | null {
  if (member.kind === "layer") return member.layer.input?.(member.args) ?? null;
  return member.kind === "def" ? member.input : null;
}

/** What replaces `self.name`, and what follows its arguments. */
export function calleeOf({ name, member }: Part): readonly [callee: string, rest: string] {
  if (member.kind !== "layer") return [name, ""];
  const { layer, args } = member;
  const weights = layer.weights?.(args).map(({ suffix }) => `${name}_${suffix}`) ?? [];
  const rest = [...(layer.first?.(args) ?? []), ...weights, ...(layer.last?.(args) ?? [])];
  return [layer.op, rest.map((part) => `, ${part}`).join("")];
}

/** `linear(x, fc_w, fc_b)`. */
export function callOf(part: Part, argument: string): string {
  const [callee, rest] = calleeOf(part);
  return callee === "" ? argument : `${callee}(${argument}${rest})`;
}

/** The tuple that a list of modules is; what is one op in a class becomes a def. */
export function tupleOf(name: string, parts: readonly Part[]): readonly string[] {
  const defs = parts.flatMap((part) =>
    part.member.kind === "layer" ? ["", `def ${part.name}(x):`, `    return ${callOf(part, "x")}`, ""] : [],
  );
  const names = parts.map((part) => part.name);
  return [...defs, "", `${name} = (${names.join(", ")}${names.length === 1 ? "," : ""})`];
}

/** The def that a sequence of modules is: one after the other. */
export function chainOf(name: string, parts: readonly Part[]): readonly string[] {
  const body = parts.map((part) => `    x = ${callOf(part, "x")}`);
  return ["", `def ${name}(x):`, ...body, "    return x", ""];
}

/** `source`, which starts at `offset`, after the edits. */
export function applied(source: string, offset: number, edits: readonly TextEdit[]): string {
  let text = source;
  for (const { span, insert } of edits.toSorted((a, b) => b.span.from - a.span.from)) {
    if (span.from >= offset && span.to <= offset + source.length)
      text = text.slice(0, span.from - offset) + insert + text.slice(span.to - offset);
  }
  return text;
}

/** Names of members that are the parameter `name` itself: `self.config = config`. */
export function keptAs(statement: Statement, name: string): readonly string[] {
  if (statement.kind !== "assign" || !statement.value) return [];
  const [target, value] = [bare(statement.targets[0]!), bare(statement.value)];
  return target.kind === "member" && isSelf(target.object) && value.kind === "name" && value.name === name
    ? [target.name.text]
    : [];
}

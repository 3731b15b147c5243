/** @file What an expression can stand for while the program is read: tensors are nodes, everything else is known at once. */
import type { DType, NodeId, Span } from "../ir";
import type { CompositeDef, OpDef } from "../ops";
import type { DefStatement, Expr, Identifier } from "./syntax";
import type { Scope } from "./scope";

export type Value =
  | { readonly kind: "tensor"; readonly node: NodeId }
  /** With a dtype when it was written with one, `f16(0.5)`: then it is never folded. */
  | { readonly kind: "number"; readonly value: number; readonly whole: boolean; readonly dtype?: DType }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "none" }
  | { readonly kind: "dtype"; readonly dtype: DType }
  /** `list`: written with square brackets. As an index, a list is a gather, and a tuple is one index an axis. */
  | { readonly kind: "sequence"; readonly items: readonly Operand[]; readonly list?: boolean }
  | { readonly kind: "dict"; readonly entries: ReadonlyMap<string, Operand> }
  | { readonly kind: "op"; readonly op: OpDef | CompositeDef }
  | { readonly kind: "def"; readonly def: DefStatement; readonly scope: Scope }
  /** `grad(f)`, waiting for its arguments. */
  | {
      readonly kind: "transform";
      readonly name: string;
      readonly of: Value;
      readonly argnums: readonly number[] | number;
      /** The function answers the loss and something else beside it. */
      readonly aux?: boolean;
      /** Of vmap: the batch's axis in the arguments (None: all examples share it), and in the results; trees of axes. */
      readonly axes?: { readonly in: Value; readonly out: Value };
    }
  /** What `vjp(f, x)` answers beside the value: takes a cotangent. */
  | { readonly kind: "pullback"; readonly results: readonly NodeId[]; readonly points: readonly Operand[] }
  /** `partial(f, dim=-1)`: some arguments are there already. */
  | { readonly kind: "partial"; readonly of: Value; readonly args: readonly PartialArgument[] }
  /** `nn.Dense(64)`: its weights are made when it meets its input. */
  | {
      readonly kind: "layer";
      readonly name: string;
      readonly args: readonly PartialArgument[];
      /** Identity of its first call, under which its weights stand. */
      readonly first: { path: string | null };
    }
  | { readonly kind: "module"; readonly name: string }
  /** `self` of a pasted method. */
  | { readonly kind: "self" }
  | { readonly kind: "hole" }
  /** A diagnostic already speaks of it; what reads it stays silent. */
  | { readonly kind: "broken" };

/** A value with the expression it was written as; `path` is the identity that a node made of it takes. */
export interface Operand {
  readonly value: Value;
  readonly path: string;
  readonly expr: Expr | null;
}

export interface PartialArgument {
  readonly name: Identifier | null;
  readonly operand: Operand;
  readonly span: Span;
}

export const BROKEN: Value = { kind: "broken" };
export const NONE: Value = { kind: "none" };
export const numberValue = (value: number, whole: boolean): Value => ({ kind: "number", value, whole });
export const tensorValue = (node: NodeId): Value => ({ kind: "tensor", node });

/** The value of a literal, or null for any other expression. */
export function literalValue(expr: Expr): Value | null {
  if (expr.kind === "number") return numberValue(expr.value, expr.whole);
  if (expr.kind === "true" || expr.kind === "false") return { kind: "bool", value: expr.kind === "true" };
  if (expr.kind === "string") return { kind: "string", value: expr.value };
  return expr.kind === "none" ? NONE : null;
}

/** Whether a diagnostic already speaks of it or of something in it. */
export function isBroken(value: Value): boolean {
  if (value.kind === "sequence") return value.items.some((item) => item.value.kind === "broken");
  if (value.kind === "dict") return [...value.entries.values()].some((item) => item.value.kind === "broken");
  return value.kind === "broken";
}

/** For messages: "a number", "a tuple". */
export function describe(value: Value): string {
  switch (value.kind) {
    case "tensor":
      return "a tensor";
    case "number":
      return `the number ${value.value}`;
    case "bool":
      return value.value ? "True" : "False";
    case "string":
      return `the text "${value.value}"`;
    case "none":
      return "None";
    case "dtype":
      return `the type ${value.dtype}`;
    case "sequence":
      return `${value.items.length === 0 ? "an empty" : "a"} ${value.list ? "list" : "tuple"}`;
    case "dict":
      return "a dictionary";
    case "op":
      return `the op ${value.op.name}`;
    case "def":
      return `the function ${value.def.name.text}`;
    case "transform":
      return `a function made by ${value.name}`;
    case "pullback":
      return "a pullback";
    case "partial":
      return `${describe(value.of)} with some arguments`;
    case "layer":
      return `the layer ${value.name}`;
    case "module":
      return `the prefix ${value.name}`;
    case "self":
      return "self";
    case "hole":
      return "`...`";
    case "broken":
      return "something with an error";
  }
}

/** Whether `value` can be an operand. */
export const isOperand = (value: Value): boolean =>
  value.kind === "tensor" || value.kind === "number" || value.kind === "bool" || value.kind === "hole";

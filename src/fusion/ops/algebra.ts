/** @file Facts of algebra about an op: what passes may conclude of it without knowing it by name. A law samples each of them. */
import type { Attrs } from "../ir";

/** How the result changes with one operand while the others stay. */
export interface Monotone {
  /** `up`: it never decreases where the operand increases. `down`: it never increases. */
  readonly way: "up" | "down";
  /** So does the rounded value on every machine; an approximation may dip by a last bit. */
  readonly exact: boolean;
  /** Only for operands in this range. */
  readonly where?: Range;
  /** Only with these attributes. */
  readonly given?: (attrs: Attrs) => boolean;
  /** The other way round where this operand is negative, and known only where it is a number other than 0. */
  readonly signOf?: number;
}

export type Range = "positive" | "non-negative";

/** Left out: not so, or not known. */
export interface Algebra {
  /** The result is the operand in the result's dtype, and says nothing else: where the types agree it is left out. */
  readonly sameValue?: true;
  /** f(f(x)) = x. */
  readonly involution?: true;
  /** f(f(x)) = f(x), since such a result is already … */
  readonly idempotent?: string;
  /** f(0) = 0, and −0 is not told apart. */
  readonly keepsZero?: true;
  /** Where every result lies, as far as f32 can say: what underflows is 0. */
  readonly range?: Range;
  /** The result is whether a and b stand so to each other. */
  readonly compares?: string;
  /** f(a + b) = f(a) · f(b). */
  readonly exponential?: true;
  /** By operand; null: it is not monotone in this one. */
  readonly monotone?: readonly (Monotone | null)[];
  /** The result is the sum of all operands, each with this sign. */
  readonly terms?: readonly (1 | -1)[];
  /** The result is the product of all operands, each raised to this power. */
  readonly powers?: readonly number[];
  /** Groups of operands in which the result is linear together while the others stay; `terms` and `powers` imply theirs. */
  readonly linear?: readonly (readonly number[])[];
  /** Of a reduction: folding some axes and then others is one fold of all of them. */
  readonly nests?: true;
}

export const UP: Monotone = { way: "up", exact: false };
export const UP_EXACT: Monotone = { way: "up", exact: true };
export const DOWN: Monotone = { way: "down", exact: false };
export const DOWN_EXACT: Monotone = { way: "down", exact: true };

/** `a · b` */
export const isMultiplication = ({ powers }: Algebra): boolean => powers?.join() === "1,1";
/** `a / b` */
export const isDivision = ({ powers }: Algebra): boolean => powers?.join() === "1,-1";
/** `a · b` or `a / b` */
export const isProduct = (algebra: Algebra): boolean => isMultiplication(algebra) || isDivision(algebra);
/** `a − b` */
export const isSubtraction = ({ terms }: Algebra): boolean => terms?.join() === "1,-1";
/** `a + b` or `a − b` */
export const isSum = ({ terms }: Algebra): boolean => terms?.length === 2;
/** `x`, under another name */
export const isCopy = ({ terms }: Algebra): boolean => terms?.join() === "1";
/** `−x` */
export const isNegation = ({ terms }: Algebra): boolean => terms?.join() === "-1";

/** Groups of operands in which an op is linear together, the others fixed. */
export function linearGroups({ linear, terms, powers }: Algebra): readonly (readonly number[])[] {
  if (linear) return linear;
  if (terms) return [terms.map((_, operand) => operand)];
  return powers?.flatMap((power, operand) => (power === 1 ? [[operand]] : [])) ?? [];
}

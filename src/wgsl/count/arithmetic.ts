/** @file Whole numbers as WGSL computes them: 32 bits, wrapping, and division by zero that gives the dividend. */
import { DATA, joined, wrapped, type Kind, type Shape } from "./types";

export type Scalar = () => number;

const multiplied = (kind: Kind, a: number, b: number): number =>
  kind === "u32" ? Math.imul(a, b) >>> 0 : kind === "i32" ? Math.imul(a, b) : a * b;

/** `a op b`. */
export function arithmetic(operator: string, kind: Kind, a: Scalar, b: Scalar): Scalar {
  switch (operator) {
    case "+":
      return () => wrapped(kind, a() + b());
    case "-":
      return () => wrapped(kind, a() - b());
    case "*":
      return () => multiplied(kind, a(), b());
    case "/":
      return () => {
        const [top, bottom] = [a(), b()];
        return bottom === 0 ? top : wrapped(kind, Math.trunc(top / bottom));
      };
    case "%":
      return () => {
        const [top, bottom] = [a(), b()];
        return bottom === 0 ? 0 : wrapped(kind, top % bottom);
      };
    case "<<":
      return () => wrapped(kind, a() << (b() & 31));
    case ">>":
      return kind === "u32" ? () => a() >>> (b() & 31) : () => a() >> (b() & 31);
    case "&":
      return () => wrapped(kind, a() & b());
    case "|":
      return () => wrapped(kind, a() | b());
    case "^":
      return () => wrapped(kind, a() ^ b());
    case "<":
      return () => (a() < b() ? 1 : 0);
    case "<=":
      return () => (a() <= b() ? 1 : 0);
    case ">":
      return () => (a() > b() ? 1 : 0);
    case ">=":
      return () => (a() >= b() ? 1 : 0);
    case "==":
      return () => (a() === b() ? 1 : 0);
    case "!=":
      return () => (a() === b() ? 0 : 1);
    case "&&":
      return () => (a() !== 0 && b() !== 0 ? 1 : 0);
    default:
      return () => (a() !== 0 || b() !== 0 ? 1 : 0);
  }
}

interface BuiltinCall {
  readonly shape: Shape;
  lanes(args: readonly (readonly Scalar[])[]): readonly Scalar[];
}

const FUNCTIONS: Readonly<Record<string, (...values: number[]) => number>> = {
  min: (a, b) => Math.min(a!, b!),
  max: (a, b) => Math.max(a!, b!),
  clamp: (x, low, high) => Math.min(Math.max(x!, low!), high!),
  abs: (a) => Math.abs(a!),
  select: (no, yes, which) => (which === 0 ? no! : yes!),
  countLeadingZeros: (a) => Math.clz32(a!),
};

/** A function of whole numbers that WGSL brings along; null for any other. */
export function builtinCall(name: string, args: readonly Shape[]): BuiltinCall | null {
  const compute = FUNCTIONS[name];
  if (!compute || args.length === 0) return null;
  const values = name === "select" ? args.slice(0, 2) : args;
  const shape = args.some(({ kind }) => kind === "data") ? DATA : values.reduce(joined);
  return {
    shape,
    lanes: (given) =>
      Array.from({ length: shape.lanes }, (_, lane) => {
        const own = given.map((each) => each[each.length === 1 ? 0 : lane]!);
        return () => wrapped(shape.kind, compute(...own.map((each) => each())));
      }),
  };
}

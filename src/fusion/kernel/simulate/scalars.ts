/** @file One element of each op, by the meaning its own file states. */
import type { Attrs } from "../../ir";
import type { Expr, Reg, Value } from "../emit/kernel-ir";

type NumberOf = (thread: number, lane: number) => number;
type Rounding = (value: number) => number;

type Rule = (args: readonly number[], attrs: Attrs) => number;

/** 32-bit wrap-around of whole numbers. */
const asInt = (value: number): number => (Number.isFinite(value) ? Math.trunc(value) | 0 : 0);

export function storing(into: Pick<Reg, "scalar">, round: Rounding): Rounding {
  if (into.scalar === "i32") return asInt;
  if (into.scalar === "key") return (key) => key;
  return into.scalar === "bool" ? Number : round;
}

type ScalarExpr = Extract<Expr, { kind: "op" | "combine" | "map" | "finish" | "fma" | "better" | "convert" }>;

/** Ops, folds and conversions as functions of (thread, lane). */
export function scalarOf(
  expr: ScalarExpr,
  into: Reg,
  valueOf: (value: Value) => NumberOf,
  index: NumberOf | null,
  round: Rounding,
): NumberOf {
  const store = storing(into, round);
  switch (expr.kind) {
    case "op": {
      const meaning = expr.def.scalar!;
      const whole = expr.args.every((arg) => arg.scalar === "i32") && expr.args.length > 0;
      const useInt = whole && meaning.int !== undefined;
      const rule: Rule = useInt ? (a, attrs) => meaning.int!(a, attrs) : (a, attrs) => meaning.js(a, attrs);
      const args = expr.args.map(valueOf);
      if (index) args.push(index);
      return applied(rule, args, expr.attrs, store);
    }
    case "combine": {
      const [a, b, rule] = [valueOf(expr.a), valueOf(expr.b), expr.def.reduce!.combine];
      const { lanes } = expr;
      if (lanes) return (thread) => store(rule.js(a(thread, lanes[0]), b(thread, lanes[1])));
      return (thread, lane) => store(rule.js(a(thread, lane), b(thread, lane)));
    }
    case "map": {
      const [a, rule] = [valueOf(expr.a), expr.def.reduce!.map!];
      return (thread, lane) => store(rule.js(a(thread, lane)));
    }
    case "finish": {
      const [a, rule] = [valueOf(expr.a), expr.def.reduce!.finish!];
      return (thread, lane) => store(rule.js(a(thread, lane), expr.count));
    }
    case "fma": {
      const [a, b, c] = [valueOf(expr.a), valueOf(expr.b), valueOf(expr.c)];
      const { lane: fixed } = expr;
      return (thread, lane) => store(a(thread, fixed ?? lane) * b(thread, lane) + c(thread, lane));
    }
    case "better": {
      const [a, b, ia, ib] = [valueOf(expr.a), valueOf(expr.b), valueOf(expr.ia), valueOf(expr.ib)];
      const rank = expr.def.reduce!.arg!;
      return (thread, lane) => {
        const [x, y] = [a(thread, lane), b(thread, lane)];
        return Number(rank.js(x, y) || (!rank.js(y, x) && ia(thread, lane) < ib(thread, lane)));
      };
    }
    case "convert": {
      const a = valueOf(expr.a);
      return expr.to === "bool"
        ? (thread, lane) => Number(a(thread, lane) !== 0)
        : (thread, lane) => store(a(thread, lane));
    }
  }
}

function applied(rule: Rule, args: readonly NumberOf[], attrs: Attrs, store: Rounding): NumberOf {
  const scratch = args.map(() => 0);
  const [a, b] = args;
  if (args.length === 1) {
    return (thread, lane) => {
      scratch[0] = a!(thread, lane);
      return store(rule(scratch, attrs));
    };
  }
  if (args.length === 2) {
    return (thread, lane) => {
      scratch[0] = a!(thread, lane);
      scratch[1] = b!(thread, lane);
      return store(rule(scratch, attrs));
    };
  }
  return (thread, lane) => {
    for (let i = 0; i < args.length; i++) scratch[i] = args[i]!(thread, lane);
    return store(rule(scratch, attrs));
  };
}

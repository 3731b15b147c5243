/** @file What operators and Python's functions ask of objects: `__add__`, `__eq__`, `__len__`, `__getitem__`, `__iter__`. */
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { calledAt, type Expr } from "../reading/syntax";
import { contentsOf } from "./containers";
import { inherited, isEnum, membersOf } from "./inheritance";
import { truthOf } from "../values/constants";
import type { Operand, Value } from "../values/values";

/** Methods by operators: of the left side, and of the right side where the left one has none. */
const METHODS: ReadonlyMap<string, readonly [left: string, right: string]> = new Map([
  ["+", ["__add__", "__radd__"]],
  ["-", ["__sub__", "__rsub__"]],
  ["*", ["__mul__", "__rmul__"]],
  ["/", ["__truediv__", "__rtruediv__"]],
  ["//", ["__floordiv__", "__rfloordiv__"]],
  ["%", ["__mod__", "__rmod__"]],
  ["**", ["__pow__", "__rpow__"]],
  ["@", ["__matmul__", "__rmatmul__"]],
  ["&", ["__and__", "__rand__"]],
  ["|", ["__or__", "__ror__"]],
  [">>", ["__rshift__", "__rrshift__"]],
  ["<<", ["__lshift__", "__rlshift__"]],
  ["==", ["__eq__", "__eq__"]],
  ["!=", ["__ne__", "__ne__"]],
  ["<", ["__lt__", "__gt__"]],
  ["<=", ["__le__", "__ge__"]],
  [">", ["__gt__", "__lt__"]],
  [">=", ["__ge__", "__le__"]],
]);
const UNARY: ReadonlyMap<string, string> = new Map([
  ["-", "__neg__"],
  ["+", "__pos__"],
  ["~", "__invert__"],
]);

interface At {
  readonly expr: Expr | null;
  readonly path: string;
}

/** What the method `name` of an object answers; null where it is no object, or has none. */
export function asked(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: At,
  self: Value,
  name: string,
  args: readonly Operand[] = [],
): Value | null {
  const found = self.kind === "object" ? inherited(self.object.of, name) : null;
  if (!found || found.operand.value.kind !== "def") return null;
  const at: CallAt = { expr: calledAt(expr ?? { kind: "none", span: run.statement.span }), path };
  const given = args.map((operand) => ({ name: null, operand, span: operand.expr?.span ?? at.expr.span }));
  return interpreter.call(run, at, { ...found.operand.value, method: { self, owner: found.owner } }, given);
}

/** `a + b` where one of them is an object whose class says what that is; null of anything else. */
export function operated(
  interpreter: Interpreter,
  run: StatementRun,
  at: At & { readonly op: string },
  left: Operand,
  right: Operand,
): Value | null {
  if (left.value.kind !== "object" && right.value.kind !== "object") return null;
  const [first, second] = METHODS.get(at.op) ?? [];
  if (first === undefined || second === undefined)
    return at.op.endsWith("in") ? contained(interpreter, run, at, left, right) : null;
  const found =
    asked(interpreter, run, at, left.value, first, [right]) ?? asked(interpreter, run, at, right.value, second, [left]);
  if (found || (at.op !== "==" && at.op !== "!=")) return found;
  if (at.op === "!=") {
    const same = operated(interpreter, run, { ...at, op: "==" }, left, right);
    const holds = same && truthOf(same);
    return holds === null ? null : { kind: "bool", value: !holds };
  }
  return { kind: "bool", value: isSame(left.value, right.value) };
}

/** Objects without an `__eq__` are equal where they are one, and records where their fields are. */
const isSame = (left: Value, right: Value): boolean =>
  left.kind === "object" && right.kind === "object" && left.object === right.object;

/** `x in object`. */
function contained(
  interpreter: Interpreter,
  run: StatementRun,
  at: At & { readonly op: string },
  left: Operand,
  right: Operand,
): Value | null {
  const found = asked(interpreter, run, at, right.value, "__contains__", [left]);
  const holds = found && truthOf(found);
  return holds === null ? null : { kind: "bool", value: holds === (at.op === "in") };
}

/** `-a` of such an object. */
export function operatedAlone(
  interpreter: Interpreter,
  run: StatementRun,
  at: At & { readonly op: string },
  operand: Operand,
): Value | null {
  const name = UNARY.get(at.op);
  return name === undefined ? null : asked(interpreter, run, at, operand.value, name);
}

/** What an object holds that is gone through, measured or indexed: its own list, or what its class says. */
export function partsOf(interpreter: Interpreter, run: StatementRun, at: At, value: Value): Value {
  if (value.kind === "class" && isEnum(value.of))
    return { kind: "sequence", items: membersOf(value.of).map(([, member]) => member) };
  const held = contentsOf(value);
  return held.kind === "object" ? (asked(interpreter, run, at, held, "__iter__") ?? held) : held;
}

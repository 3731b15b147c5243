/** @file Numbers that stand in the text as (nested) lists, and the constant tensor that holds them. */
import type { Attrs, DType, NodeId } from "../../ir";
import { opDef, withDefaults } from "../../ops";
import { applyOp } from "../calls/apply";
import { oncePerText } from "../calls/dialect";
import type { Interpreter, StatementRun } from "../interpreter";
import { addNode, bindingName, warnTooLarge } from "../interpreter";
import type { Expr } from "../reading/syntax";
import { numberValue, type Operand, tensorValue, type Value } from "./values";

export interface NumberArray {
  readonly shape: readonly number[];
  readonly numbers: readonly number[];
  /** Every entry is a whole number. */
  readonly whole: boolean;
  /** Every entry is True or False. */
  readonly bools: boolean;
}

/** The numbers of nested lists, row-major; null when something else is among them or rows differ in length. */
export function numberArray(value: Value): NumberArray | null {
  let level: readonly Value[] = [value];
  const shape: number[] = [];
  while (level.length > 0 && level.every((each) => each.kind === "sequence")) {
    const rows = level.map((each) => each.items.map((item) => item.value));
    const extent = rows[0]!.length;
    if (rows.some((row) => row.length !== extent)) return null;
    shape.push(extent);
    level = rows.flat();
  }
  const numbers = level.flatMap((each) =>
    each.kind === "number"
      ? [each]
      : each.kind === "bool"
        ? [numberValue(Number(each.value), true) as Extract<Value, { kind: "number" }>]
        : [],
  );
  if (numbers.length !== level.length) return null;
  return {
    shape,
    numbers: numbers.map((number) => number.value),
    whole: numbers.every((number) => number.whole),
    bools: level.length > 0 && level.every(({ kind }) => kind === "bool"),
  };
}

/** A number as a tensor of this dtype holds it. */
const numberIn = (dtype: DType, number: number): number =>
  dtype === "bool" ? Number(number !== 0) : dtype === "i32" ? Math.trunc(number) : number;

/** A number or a truth as a tensor of this dtype holds it; of halves its own dtype says so. */
export function numberAs(dtype: DType, of: Extract<Value, { kind: "number" | "bool" }>): Value {
  const value = numberIn(dtype, Number(of.value));
  if (dtype === "bool") return { kind: "bool", value: value !== 0 };
  return dtype === "f16" ? { kind: "number", value, whole: false, dtype } : numberValue(value, dtype === "i32");
}

/** A constant input with these numbers. */
export function constantTensor(
  interpreter: Interpreter,
  run: StatementRun,
  { path, expr }: { readonly path: string; readonly expr: Expr },
  { shape, numbers }: Pick<NumberArray, "shape" | "numbers">,
  { dtype, label }: { readonly dtype: DType; readonly label: string },
): NodeId {
  if (dtype === "i32") warnTooLarge(interpreter, expr.span, numbers);
  const values = numbers.map((number) => numberIn(dtype, number));
  const attrs = withDefaults(opDef("input"), { source: "values", role: "const", values });
  const node = addNode(interpreter, {
    id: path,
    op: "input",
    inputs: [],
    attrs,
    type: { dtype, shape },
    label,
    groups: run.frame.groups,
    span: expr.span,
  });
  interpreter.sites.set(node, { node, expr, run, param: null, op: null, attrs, operands: [] });
  return node;
}

/** Whether an optimizer moves tensors: then the numbers that they begin with stand in the text, and those of later steps do not. */
const hasOptimizer = oncePerText((text) => /\boptim\b/.test(text));

/** Numbers that stand in the text as a tensor that has a gradient; any other value as it is. */
export function trackedNumber(
  interpreter: Interpreter,
  run: StatementRun,
  at: { readonly path: string; readonly expr: Expr },
  value: Value,
): Value {
  const { nodes } = interpreter;
  const how = { dtype: "f32", label: bindingName(run, at.path) ?? "value" } as const;
  const made =
    value.kind === "number"
      ? tensorValue(constantTensor(interpreter, run, at, { shape: [], numbers: [value.value] }, how))
      : value;
  const node = made.kind === "tensor" ? nodes.get(made.node) : undefined;
  if (node?.op === "input" && node.attrs["role"] === "const" && hasOptimizer(interpreter))
    nodes.set(node.id, { ...node, attrs: { ...node.attrs, role: "param" } });
  return made;
}

/** A list as a tensor: its tensors side by side, or the numbers in it; null of anything else. */
export function arrayOfList(
  interpreter: Interpreter,
  run: StatementRun,
  call: { readonly path: string; readonly expr: Expr },
  list: Extract<Value, { kind: "sequence" }>,
  asked: DType | null = null,
): Value | null {
  if (list.items.some(({ value }) => value.kind === "tensor")) {
    const path = asked ? `${call.path}/rows` : call.path;
    const made = (name: string, at: string, tensors: readonly Operand[], attrs: Attrs): Value =>
      applyOp(
        interpreter,
        run,
        { ...call, op: opDef(name), path: at },
        { tensors, attrs: withDefaults(opDef(name), attrs) },
      );
    const rows = made("stack", path, list.items, { axis: 0 });
    return asked ? made("cast", call.path, [{ value: rows, path, expr: null }], { dtype: asked }) : rows;
  }
  const array = numberArray(list);
  if (!array || array.numbers.length === 0) return null;
  const dtype = asked ?? (array.bools ? "bool" : array.whole ? "i32" : "f32");
  const label = bindingName(run, call.path) ?? "values";
  return tensorValue(constantTensor(interpreter, run, call, array, { dtype, label }));
}

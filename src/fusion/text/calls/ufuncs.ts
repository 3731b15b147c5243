/** @file Methods of NumPy's elementwise functions: `np.add.outer(a, b)`, `np.maximum.accumulate(x)`, `np.add.reduce(x)`. */
import { allOps, type CompositeDef, findOp, type OpDef } from "../../ops";
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { toNode, typeOf } from "../interpreter";
import { arrayOfList } from "../values/number-arrays";
import { type GivenArgument, numberValue, type Operand, tensorValue, type Value } from "../values/values";
import { applyOp } from "./apply";
import { bare } from "../reading/syntax";
import { opCall } from "./op-calls";

const METHODS: ReadonlySet<string> = new Set(["outer", "reduce", "accumulate"]);

const foldsBy =
  (op: string) =>
  ({ reduce }: OpDef): boolean =>
    reduce?.ofTwo === op && !reduce.ofEach;

/** The op that goes along an axis and takes elements together by `op`; for all of it, the fold. */
function alongAxis(op: string, all: boolean): OpDef | null {
  const scan = allOps.find((each) => each.scan && foldsBy(op)(each.scan.fold));
  return (all ? (scan?.scan?.fold ?? allOps.find(foldsBy(op))) : scan) ?? null;
}

/** What a method of an op's function answers; null of any other call. */
export function ufuncCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallAt,
  args: readonly GivenArgument[],
): Value | null {
  const callee = bare(call.expr.callee);
  const object = callee.kind === "member" ? bare(callee.object) : null;
  if (callee.kind !== "member" || object?.kind !== "member" || !METHODS.has(callee.name.text)) return null;
  const op = findOp(object.name.text);
  if (!op || op.kind === "source") return null;
  if (callee.name.text === "outer") return outer(interpreter, run, call, op, args);
  const along = alongAxis(op.name, callee.name.text === "reduce");
  if (!along) return null;
  const isGiven = args.length > 1;
  const span = call.expr.span;
  const [first, ...others] = args;
  const list = first?.operand.value;
  const at = `${call.path}/list`;
  const array = list?.kind === "sequence" ? arrayOfList(interpreter, run, { expr: call.expr, path: at }, list) : null;
  const given = array ? [{ ...first!, operand: { ...first!.operand, value: array, path: at } }, ...others] : args;
  const axis: GivenArgument = {
    name: { text: "axis", span },
    operand: { value: numberValue(0, true), path: "", expr: null },
    span,
  };
  return opCall(interpreter, run, call, along, isGiven ? given : [...given, axis]);
}

/** Every element of the first with every element of the second. */
function outer(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: CallAt,
  op: OpDef | CompositeDef,
  args: readonly GivenArgument[],
): Value | null {
  const operands = args.slice(0, 2).map(({ operand }, i): Operand => {
    const { value } = operand;
    const at = `${path}/${i}`;
    const array = value.kind === "sequence" ? arrayOfList(interpreter, run, { expr, path: at }, value) : null;
    return { ...operand, value: array ?? value, path: at };
  });
  const [a, b] = operands;
  if (!a || !b) return null;
  const [first, second] = [a, b].map((operand) => toNode(interpreter, run, operand, ["f32"])) as [
    ReturnType<typeof toNode>,
    ReturnType<typeof toNode>,
  ];
  const { shape } = typeOf(interpreter, first);
  const wide = [...shape, ...typeOf(interpreter, second).shape.map(() => 1)];
  const at = `${path}/wide`;
  const spread = applyOp(
    interpreter,
    run,
    { op: findOp("reshape")!, path: at, expr },
    { tensors: [{ value: tensorValue(first), path: at, expr }], attrs: { shape: wide } },
  );
  const tensors = [
    { value: spread, path: at, expr },
    { ...b, value: tensorValue(second) },
  ];
  return applyOp(interpreter, run, { op, path, expr }, { tensors, attrs: {} });
}

/** @file `x[mask]`: rows whose number only the run knows. What is computed of each of them is computed of all, and what folds them leaves out the others. */
import type { NodeId, Shape } from "../../ir";
import { axesOf, type CompositeDef, findOp, type OpDef, opDef, permOf, sliceAxes } from "../../ops";
import { applyOp, applyParts } from "../calls/apply";
import { ignoredAmong, libraryCall } from "../calls/op-calls";
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import { callAnyDef, selectedDef } from "../library/library";
import type { CallExpr, Expr, SubscriptExpr } from "../reading/syntax";
import {
  BROKEN,
  describe,
  type GivenArgument,
  numberValue,
  type Operand,
  type Selection,
  tensorValue,
  type Value,
} from "../values/values";

interface At {
  readonly path: string;
  readonly expr: Expr;
}

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

/** A tensor in another shape; itself where it has that. */
function reshaped(interpreter: Interpreter, run: StatementRun, at: At, node: NodeId, shape: Shape): NodeId {
  if (typeOf(interpreter, node).shape.join() === shape.join()) return node;
  const value = applyParts(interpreter, run, { ...at, label: "rows" }, [loose(tensorValue(node))], (b, [x]) =>
    b.op("rows", "reshape", [x!], { shape }),
  );
  return (value as { readonly node: NodeId }).node;
}

/** The rows of `whole` that `mask` picks, over its first axes; null where the mask has other sizes. */
export function selectionOf(
  interpreter: Interpreter,
  run: StatementRun,
  { path, expr }: { readonly path: string; readonly expr: SubscriptExpr },
  whole: NodeId,
  mask: NodeId,
): Selection | null {
  const [shape, picked] = [typeOf(interpreter, whole).shape, typeOf(interpreter, mask).shape];
  if (picked.length === 0 || picked.join() !== shape.slice(0, picked.length).join()) return null;
  const count = picked.reduce((product, extent) => product * extent, 1);
  const all = [count, ...shape.slice(picked.length)];
  return {
    kind: "selection",
    whole: reshaped(interpreter, run, { path: `${path}/all`, expr }, whole, all),
    rows: reshaped(interpreter, run, { path: `${path}/rows`, expr }, mask, [count]),
  };
}

/** Whether two nodes are computed in the same way of the same. */
function areAlike({ nodes }: Interpreter, a: NodeId, b: NodeId): boolean {
  const open: [NodeId, NodeId][] = [[a, b]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [one, other] = next;
    if (one === other) continue;
    const [m, n] = [nodes.get(one)!, nodes.get(other)!];
    const same =
      m.op === n.op && m.inputs.length === n.inputs.length && m.inputs.length + Object.keys(m.attrs).length > 0;
    if (!same || JSON.stringify(m.attrs) !== JSON.stringify(n.attrs) || opDef(m.op).kind === "random") return false;
    if (m.op === n.op && m.inputs.length === 0 && !("value" in m.attrs)) return false;
    m.inputs.forEach((input, i) => open.push([input, n.inputs[i]!]));
  }
  return true;
}

/** The whole of a selection in the shape of a tensor that the same mask picks from; null where it is another mask. */
export function wholeFor(
  interpreter: Interpreter,
  run: StatementRun,
  at: At,
  { whole, rows }: Selection,
  mask: NodeId,
  shape: Shape,
): Value | null {
  const count = typeOf(interpreter, rows).shape;
  const own = reshaped(interpreter, run, { ...at, path: `${at.path}/rows` }, mask, count);
  const fits =
    typeOf(interpreter, whole).shape.reduce((size, n) => size * n, 1) === shape.reduce((size, n) => size * n, 1);
  return fits && areAlike(interpreter, own, rows) ? tensorValue(reshaped(interpreter, run, at, whole, shape)) : null;
}

/** Whether each row of `result` is computed of the same rows of `wholes` alone. */
function keepsRows({ nodes }: Interpreter, result: NodeId, wholes: ReadonlySet<NodeId>, count: number): boolean {
  const depends = new Map<NodeId, boolean>([...wholes].map((id) => [id, true]));
  const reaches = (id: NodeId): boolean => {
    const known = depends.get(id);
    if (known !== undefined) return known;
    depends.set(id, false);
    const found = nodes.get(id)!.inputs.map(reaches).includes(true);
    depends.set(id, found);
    return found;
  };
  if (!reaches(result)) return false;
  for (const [id, isOn] of depends) {
    if (!isOn || wholes.has(id)) continue;
    const { op, inputs, attrs, type } = nodes.get(id)!;
    const on = inputs.filter((input) => depends.get(input));
    const shapes = on.map((input) => nodes.get(input)!.type.shape);
    if (type.shape[0] !== count || shapes.some(([first]) => first !== count)) return false;
    const { kind, movement } = opDef(op);
    const rank = shapes[0]!.length;
    const isKept =
      kind === "elementwise"
        ? shapes.every((shape) => shape.length === type.shape.length)
        : kind === "reduce"
          ? !axesOf(attrs["axes"], rank).includes(0)
          : kind === "contraction"
            ? on.length === 1 && on[0] === inputs[0] && rank > 1
            : movement?.free || ("perm" in attrs && permOf(attrs, rank)[0] === 0) || isWhole(attrs, shapes[0]!);
    if (!isKept) return false;
  }
  return true;
}

/** Whether a slice leaves all rows in their order. */
function isWhole(attrs: Parameters<typeof sliceAxes>[0], shape: Shape): boolean {
  if (!("start" in attrs)) return false;
  const [first] = sliceAxes(attrs, shape);
  return first?.start === 0 && first.step === 1 && first.count === shape[0];
}

const isSelection = (value: Value): value is Selection => value.kind === "selection";
/** Whether a value that is not known before the run is among them. */
export const hasSelection = (operands: readonly Operand[]): boolean => operands.some(({ value }) => isSelection(value));

export interface SelectionCall extends At {
  /** Of a call: what is called; empty of an operator. */
  readonly name: string;
  /** Whether it is called as NumPy's. */
  readonly isNumpy: boolean;
}

/** What an operator or a call answers for selections, the same being asked of their wholes. */
export function ofSelection(
  interpreter: Interpreter,
  run: StatementRun,
  call: SelectionCall,
  operands: readonly Operand[],
  ask: (operands: readonly Operand[], extra: readonly GivenArgument[]) => Value,
): Value {
  const selections = operands.flatMap(({ value }) => (isSelection(value) ? [value] : []));
  const [first] = selections as [Selection];
  const refuse = (): Value => {
    interpreter.diagnostics.add("bad-index", call.expr.span, `This can't be computed of ${describe(first)}.`);
    return BROKEN;
  };
  if (selections.some(({ rows }) => !areAlike(interpreter, rows, first.rows))) return refuse();
  const { name } = call;
  const folded = call.expr.kind === "call" ? foldOf(call.expr, name, operands) : null;
  if (folded) return fold(interpreter, run, { ...call, expr: call.expr as CallExpr }, first, folded);
  const op = findOp(name);
  const isLoss = op !== null && op.params.some(({ names }) => names[0] === "reduction");
  const wholes = operands.map((operand) =>
    isSelection(operand.value) ? { ...operand, value: tensorValue(operand.value.whole) } : operand,
  );
  const none: Operand = loose({ kind: "string", value: "none" });
  const { span } = call.expr;
  const said = call.expr.kind === "call" ? call.expr.args.map((arg) => arg.name?.text ?? "") : [];
  const value = ask(wholes, isLoss ? [{ name: { text: "reduction", span }, operand: none, span }] : []);
  if (value.kind !== "tensor") return value.kind === "broken" ? BROKEN : refuse();
  const count = typeOf(interpreter, first.rows).shape[0]!;
  if (!keepsRows(interpreter, value.node, new Set(selections.map(({ whole }) => whole)), count)) return refuse();
  const result: Selection = { ...first, whole: value.node };
  if (!isLoss) return result;
  const at = call.expr.kind === "call" ? call.expr.args.findIndex((arg) => arg.name?.text === "reduction") : -1;
  const asked = at < 0 ? null : operands.at(at - said.length)!.value;
  const word = asked?.kind === "string" ? asked.value : "mean";
  const about = { op, said, wholes };
  const counted = word === "mean" ? withoutIgnored(interpreter, run, call, about, result) : result;
  if (word === "none") return result;
  const total = (selection: Selection, by: string, path: string): Value =>
    fold(interpreter, run, { ...call, path, expr: call.expr as CallExpr }, selection, {
      name: by,
      dim: null,
      options: [],
    });
  const weights = word === "mean" ? targetWeights(interpreter, run, call, about) : null;
  if (weights === null) return total(counted, word, `${call.path}/${word}`);
  // A mean with weights of classes divides by the weights of those that are counted.
  const parts = [counted, { ...counted, whole: weights }].map((part, i) =>
    loose(total(part, "sum", `${call.path}/sum${i}`)),
  );
  const quotient = { op: findOp("div")!, path: `${call.path}/mean`, expr: call.expr };
  return applyOp(interpreter, run, quotient, { tensors: parts, attrs: {} });
}

interface LossCall {
  readonly op: OpDef | CompositeDef;
  readonly said: readonly string[];
  readonly wholes: readonly Operand[];
}

/** An argument of a loss, by one of its names or by its position. */
function argumentOf({ op, said, wholes }: LossCall, words: readonly string[]): Operand | undefined {
  const first = wholes.length - said.length;
  const named = said.findIndex((word) => words.includes(word));
  if (named >= 0) return wholes[first + named];
  const at = op.params.findIndex(({ names }) => names.some((name) => words.includes(name)));
  return at >= 0 && (said[at - first] ?? "") === "" ? wholes[at] : undefined;
}

/** The weight of each row's class; null where the loss has no such weights. */
function targetWeights(
  interpreter: Interpreter,
  run: StatementRun,
  { path, expr }: SelectionCall,
  call: LossCall,
): NodeId | null {
  const weight = argumentOf(call, ["weight"]);
  const target = argumentOf(call, call.op.params[1]?.names ?? []);
  const hasClasses = call.op.params.some(({ names }) => names.includes("ignore_index"));
  if (!hasClasses || weight?.value.kind !== "tensor" || target?.value.kind !== "tensor") return null;
  if (typeOf(interpreter, target.value.node).dtype !== "i32") return null;
  const at = { op: findOp("gather")!, path: `${path}/weights`, expr };
  const value = applyOp(interpreter, run, at, { tensors: [weight, target], attrs: { axis: 0 } });
  return value.kind === "tensor" ? value.node : null;
}

/** The rows that the mean of a loss counts: those whose target is not the one that it ignores. */
function withoutIgnored(
  interpreter: Interpreter,
  run: StatementRun,
  { path, expr }: SelectionCall,
  call: LossCall,
  selection: Selection,
): Selection {
  const ignores = call.op.params.find(({ names }) => names.includes("ignore_index"));
  const target = argumentOf(call, call.op.params[1]?.names ?? []);
  if (!ignores || target?.value.kind !== "tensor") return selection;
  const given = argumentOf(call, ignores.names);
  const own = given ? null : ignoredAmong(interpreter, target.value.node);
  if (!given && own === null) return selection;
  const ignored = given ?? loose(numberValue(own!, true));
  const made = (of: OpDef | CompositeDef, tensors: readonly Operand[], word: string): Operand => {
    const at = { op: of, path: `${path}/${word}`, expr };
    return loose(applyOp(interpreter, run, at, { tensors, attrs: {} }));
  };
  const other = made(findOp("ne")!, [target, { ...ignored, path: `${path}/ignored` }], "other");
  const rows = made(findOp("and")!, [loose(tensorValue(selection.rows)), other], "counted");
  return rows.value.kind === "tensor" ? { ...selection, rows: rows.value.node } : selection;
}

interface Fold {
  readonly name: string;
  readonly dim: number | null;
  readonly options: readonly GivenArgument[];
}

const FOLDS: ReadonlySet<string> = new Set([
  "sum",
  "mean",
  "max",
  "min",
  "amax",
  "amin",
  "prod",
  "any",
  "all",
  "std",
  "var",
  "norm",
  "numel",
  "nelement",
  "len",
  "count_nonzero",
]);
const AXIS: ReadonlySet<string> = new Set(["dim", "axis"]);
const OPTIONS: ReadonlySet<string> = new Set(["unbiased", "correction", "ddof"]);

/** The fold over the rows that a call is; null of any other call. */
function foldOf({ args }: CallExpr, name: string, operands: readonly Operand[]): Fold | null {
  if (!FOLDS.has(name) || !isSelection(operands[0]!.value)) return null;
  const given = operands.slice(1);
  const own = args.slice(args.length - given.length);
  const dims = given.flatMap(({ value }, i) => (!own[i]!.name || AXIS.has(own[i]!.name.text) ? [value] : []));
  const options = given.flatMap((operand, i) => {
    const word = own[i]!.name;
    return word && OPTIONS.has(word.text) ? [{ name: word, operand, span: own[i]!.span }] : [];
  });
  if (dims.length + options.length < given.length || dims.length > 1) return null;
  const [dim] = dims;
  if (!dim || dim.kind === "none") return { name, dim: null, options };
  return dim.kind === "number" && dim.value === 0 ? { name, dim: 0, options } : null;
}

function fold(
  interpreter: Interpreter,
  run: StatementRun,
  call: { readonly path: string; readonly expr: CallExpr; readonly isNumpy: boolean },
  { whole, rows }: Selection,
  { name, dim, options }: Fold,
): Value {
  const { span } = call.expr;
  const { shape } = typeOf(interpreter, whole);
  const lanes = shape.map((extent, axis) => (axis === 0 ? extent : 1));
  const mask = reshaped(interpreter, run, { path: `${call.path}/mask`, expr: call.expr }, rows, lanes);
  const argument = (value: Value, text?: string): GivenArgument => ({
    name: text === undefined ? null : { text, span },
    operand: loose(value),
    span,
  });
  const plain = name.replace(/^a(?=max|min)/, "").replace("nelement", "numel");
  const def = selectedDef(plain)!;
  const value = callAnyDef(interpreter, run, { ...libraryCall(call, def), label: name }, [
    argument(tensorValue(whole)),
    argument(tensorValue(mask)),
    argument(dim === null ? { kind: "none" } : numberValue(0, true)),
    ...(plain === "std" || plain === "var"
      ? options.length > 0
        ? options
        : [argument(numberValue(call.isNumpy ? 0 : 1, true), "correction")]
      : []),
  ]);
  // PyTorch answers indices beside such values.
  const isPair = dim !== null && !call.isNumpy && /^(max|min)$/.test(name);
  return isPair && value.kind === "tensor" ? { ...value, isPair: "returned" } : value;
}

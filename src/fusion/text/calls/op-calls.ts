/** @file A call of an op: folded while the program is read where all of it is known, else its arguments bound and its nodes made. */
import type { Attrs, DType, NodeId, Shape, Span, TensorType } from "../../ir";
import { sizeOf } from "../../ir";
import { findOp, storedBeside, type CompositeDef, type OpDef } from "../../ops";
import { applyOp, applyParts } from "./apply";
import type { Bound } from "./bind";
import { writeInPlace } from "./memory";
import { bindArguments } from "./bind";
import { defaultsIn, isTorchIn, meantBy, type Dialect } from "./dialect";
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import { boundsOf } from "../indexing/from-end";
import { withChosen } from "../indexing/chosen-indices";
import { openTrial } from "../trial";
import { constantValues } from "../values/constant-values";
import { arrayOfList, trackedNumber } from "../values/number-arrays";
import { callAnyDef, isInLibrary, jnpDef, libraryOverload, libraryScope, ownDef } from "../library/library";
import { bare, type DefStatement, type Expr, lastNameOf } from "../reading/syntax";
import { isTorchAt } from "./refused";
import {
  asScalarTensor,
  BROKEN,
  type GivenArgument,
  NONE,
  numberValue,
  type Operand,
  type Value,
} from "../values/values";

const isTorchCall = (interpreter: Interpreter, dialect: Dialect): boolean =>
  dialect === "torch" || (dialect === null && isTorchIn(interpreter));

/** The shapes of all operands, where the call is one of PyTorch's and they are known. */
function shapesInTorch(interpreter: Interpreter, dialect: Dialect, { tensors }: Bound): readonly Shape[] | null {
  if (!isTorchCall(interpreter, dialect)) return null;
  const shapes = tensors.map((each) =>
    each?.value.kind === "tensor" && !interpreter.unknown.has(each.value.node)
      ? typeOf(interpreter, each.value.node).shape
      : null,
  );
  return shapes.includes(null) ? null : (shapes as readonly Shape[]);
}

/** What arguments mean to PyTorch, where the call is one of its; null where it refuses them, which is said. */
function asTorchReads(
  interpreter: Interpreter,
  { dialect = null, expr }: OpCall,
  { inTorch, refusedInTorch }: OpDef | CompositeDef,
  bound: Bound,
  attrs: Attrs,
): Bound | null {
  const shapes = inTorch || refusedInTorch ? shapesInTorch(interpreter, dialect, bound) : null;
  if (!shapes) return { ...bound, attrs };
  const read = inTorch ? inTorch(attrs, shapes) : attrs;
  const refused = refusedInTorch?.(read, shapes) ?? null;
  if (refused === null) return { ...bound, attrs: read };
  interpreter.diagnostics.add("bad-attr", expr.span, refused);
  return null;
}

export interface OpCall extends CallAt {
  readonly dialect?: Dialect;
  readonly isMethod?: true;
  /** The name in the text, for messages about the whole call. */
  readonly word?: Span;
}

/** A call of a function of the library. */
export const libraryCall = (call: CallAt, def: DefStatement): Parameters<typeof callAnyDef>[2] => ({
  expr: call.expr,
  path: call.path,
  def,
  scope: libraryScope(),
});

/** The value of an op for arguments that are written or made; it is stored where the call says, `inplace=True` or `out=y`. */
export function opCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: OpCall,
  op: OpDef | CompositeDef,
  given: readonly GivenArgument[],
): Value {
  const { args, over, where } = storedOver(call, op, withArray(interpreter, run, call, op, given));
  const all = opValue(interpreter, run, call, op, args);
  const path = `${call.path}/where`;
  const at = { op: findOp("where")!, path, expr: call.expr };
  const value =
    where && over && all.kind === "tensor"
      ? applyOp(interpreter, run, at, { tensors: [where, { value: all, path, expr: null }, over], attrs: {} })
      : all;
  if (over) writeInPlace(interpreter, run, call.expr, over.value, value);
  return value;
}

/** NumPy's and JAX's functions take a list of numbers for the array that it is: `np.cumsum([3, 4, 5])`. */
function withArray(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path, dialect = null }: OpCall,
  op: OpDef | CompositeDef,
  given: readonly GivenArgument[],
): readonly GivenArgument[] {
  const [first, ...rest] = given;
  const list = first?.operand.value;
  if (dialect !== "jax" || first?.name !== null || list?.kind !== "sequence" || op.params[0]?.kind !== "tensor")
    return given;
  if (libraryOverload(op, dialect, given)) return given;
  const at = `${path}/list`;
  const value = arrayOfList(interpreter, run, { expr, path: at }, list);
  return value ? [{ ...first, operand: { ...first.operand, value, path: at } }, ...rest] : given;
}

/** The arguments, and the tensor that the result is stored over: `relu(x, True)`, `np.add(x, y, x)` or by keyword. */
function storedOver(
  { dialect = null }: OpCall,
  op: OpDef | CompositeDef,
  given: readonly GivenArgument[],
): {
  readonly args: readonly GivenArgument[];
  readonly over: Operand | null;
  /** NumPy's mask of what is stored. */
  readonly where: Operand | null;
} {
  const { params, kind: of } = op;
  const word = given.find(({ name }) => name?.text === "out" || name?.text === "inplace");
  const plain = given.filter(({ name }) => !name);
  const isOpen =
    params.some(({ variadic, kind }) => variadic || kind === "tensors") || libraryOverload(op, dialect, given) !== null;
  const last = !isOpen && plain.length === params.length + 1 ? plain.at(-1)! : null;
  const means = last?.operand.value.kind;
  const more = means === "bool" || (means === "tensor" && dialect === "jax") ? last : null;
  const asked = more ?? word;
  const { kind } = asked?.operand.value ?? {};
  const over = kind === "tensor" ? asked!.operand : kind === "bool" && isTrue(asked!) ? given[0]!.operand : null;
  const mask = of === "elementwise" && over ? given.find(({ name }) => name?.text === "where") : undefined;
  return { args: given.filter((arg) => arg !== more && arg !== mask), over, where: mask?.operand ?? null };
}

const isTrue = ({ operand: { value } }: GivenArgument): boolean => value.kind === "bool" && value.value;

function opValue(
  interpreter: Interpreter,
  run: StatementRun,
  call: OpCall,
  op: OpDef | CompositeDef,
  given: readonly GivenArgument[],
): Value {
  const { dialect = null } = call;
  const { meant, args } = meantBy(
    (dialect === "jax" ? findOp(op.inJax ?? "") : null) ?? op,
    dialect,
    given.map((arg) => (arg.name?.text === "dimension" ? { ...arg, name: { ...arg.name, text: "axis" } } : arg)),
  );
  const { callee } = call.expr;
  const ofJax = callee.kind === "member" && lastNameOf(callee.object) === "jnp" ? jnpDef(meant.name) : null;
  const overload = ofJax ?? libraryOverload(meant, dialect, args);
  if (overload) return callAnyDef(interpreter, run, libraryCall(call, overload), args);
  if (!saysAxis(interpreter, call, meant, args)) return BROKEN;
  const folded = foldCall(
    meant,
    given.map(({ operand }) => operand),
  );
  if (folded) return folded;
  const hasOwn = meant.params.some(({ names }) => names.includes("dtype"));
  const wider = hasOwn ? undefined : args.find(({ name }) => name?.text === "dtype");
  const rest = wider ? args.filter((arg) => arg !== wider) : args;
  const defaults = { ...defaultsIn(dialect, meant), ...ownSeed(interpreter, meant, rest) };
  const found = bindArguments(interpreter, meant, rest, call.word ?? call.expr.callee.span, defaults);
  const attrs = found && {
    ...perSpace(interpreter, call.called ?? "", found),
    ...ownIgnored(interpreter, meant, found),
    ...(leavesAxis(interpreter, call, meant, args) && { axis: null }),
  };
  const asRead = found && asTorchReads(interpreter, call, meant, found, attrs!);
  const isStrict = isTorchCall(interpreter, dialect);
  const converts = args.some(({ name }) => name?.text === "dtype");
  if (asRead && isStrict && !converts && !takesFloats(interpreter, call, meant, asRead)) return BROKEN;
  const bound = asRead && withChosen(interpreter, run, call, meant, asRead, isStrict);
  const [first] = bound?.tensors ?? [];
  if (bound && first?.value.kind === "tensor" && meant.passes?.(bound.attrs)) return first.value;
  const number = bound && numberMade(interpreter, run, call, meant, bound);
  const tracks = args.find(({ name }) => name?.text === "requires_grad");
  if (number) return tracks && isTrue(tracks) ? trackedNumber(interpreter, run, call, number) : number;
  const rank = rankOf(interpreter, bound?.tensors[0]?.value);
  if (bound && meant.mayLackBatch && isOne(interpreter, meant, bound))
    return ofOne(interpreter, run, { ...call, label: meant.name }, meant, bound);
  if (bound && rank > 1 && takesRow(meant, dialect, rest))
    return inRow(interpreter, run, { ...call, label: meant.name }, bound);
  if (bound && wider?.operand.value.kind === "dtype" && CONVERTS.has(meant.kind))
    return foldWider(interpreter, run, { ...call, label: meant.name }, bound, wider.operand.value.dtype);
  if (!bound) return BROKEN;
  const value = applyOp(interpreter, run, { op: meant, path: call.path, expr: call.expr }, bound);
  if (isStrict && meant.kind === "composite") storeBesides(interpreter, run, call, meant, bound);
  return value;
}

/** What the call stores beside its result: the running values of a norm. */
function storeBesides(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: CallAt,
  { name, params }: CompositeDef,
  { tensors, attrs }: Bound,
): void {
  const stored = storedBeside(name, attrs);
  if (!stored || stored.over.some((at) => tensors[at]?.value.kind !== "tensor")) return;
  const { span } = expr;
  const def = ownDef(stored.by);
  const args = def.params.map(({ name: { text } }): GivenArgument => {
    const at = params.findIndex(({ names }) => names.includes(text));
    const number = attrs[text];
    const value = typeof number === "number" ? numberValue(number, false) : NONE;
    return { name: { text, span }, operand: tensors[at] ?? { value, path: "", expr: null }, span };
  });
  const found = callAnyDef(interpreter, run, libraryCall({ expr, path: `${path}/stored` }, def), args);
  if (found.kind !== "sequence") return;
  for (const [i, at] of stored.over.entries())
    writeInPlace(interpreter, run, expr, tensors[at]!.value, found.items[i]!.value);
}

/** Whether the first operand has the dtype that PyTorch takes; told where it has not. */
function takesFloats(
  interpreter: Interpreter,
  { expr }: CallAt,
  op: OpDef | CompositeDef,
  { tensors, attrs }: Bound,
): boolean {
  const [first] = tensors;
  const { floatsInTorch: asks } = op;
  if (!(typeof asks === "function" ? asks(attrs) : asks) || isInLibrary(interpreter) || first?.value.kind !== "tensor")
    return true;
  const { node } = first.value;
  const { dtype } = typeOf(interpreter, node);
  if (interpreter.unknown.has(node) || dtype === "f32" || dtype === "f16") return true;
  const text = `PyTorch takes floats for ${op.name}; this is ${dtype}. Convert it first: .float().`;
  const { span } = first.expr ?? expr;
  const simple = /^[\w.]+$/.test(interpreter.text.slice(span.from, span.to));
  const edits = [{ span: { from: span.to, to: span.to }, insert: ".float()" }];
  const fixes = first.expr && simple ? [{ title: "Convert it to floats", edits }] : [];
  interpreter.diagnostics.add("bad-operand", expr.span, text, { fixes, nodes: [node], raises: ["RuntimeError"] });
  return false;
}

/** Whether PyTorch finds the axis of a call that says none, `F.softmax(x)`, `nn.Softmax()(x)`. */
function leavesAxis(
  interpreter: Interpreter,
  { expr, dialect = null, word }: OpCall,
  op: OpDef | CompositeDef,
  args: readonly GivenArgument[],
): boolean {
  if (!op.saysAxisInTorch || !op.inTorch || (dialect !== "torch" && word)) return false;
  const axis = op.params.findIndex(({ kind }) => kind === "axis");
  return isTorchAt(interpreter, expr) && !gives(op, axis, args);
}

/** Whether a call says the axis where PyTorch asks for it, which is told where it does not. */
function saysAxis(
  interpreter: Interpreter,
  { expr, isMethod, word }: OpCall,
  op: OpDef | CompositeDef,
  args: readonly GivenArgument[],
): boolean {
  const callee = bare(expr.callee);
  const isOfTorch = callee.kind === "member" && lastNameOf(callee.object) === "torch";
  if (!op.saysAxisInTorch || !(isMethod ?? isOfTorch) || !isTorchAt(interpreter, expr)) return true;
  const axis = op.params.findIndex(({ kind }) => kind === "axis" || kind === "axes");
  if (axis < 0 || gives(op, axis, args)) return true;
  const text = `PyTorch asks for the axis of ${op.name} here: write dim=-1 for the last one.`;
  interpreter.diagnostics.add("missing-argument", word ?? callee.span, text, { raises: ["TypeError"] });
  return false;
}

/** What an op computes of numbers alone is a number, whatever it is made of: `np.clip(7, 0, 5)`. */
function numberMade(
  interpreter: Interpreter,
  run: StatementRun,
  { path, expr }: CallAt,
  op: OpDef | CompositeDef,
  bound: Bound,
): Value | null {
  if (op.kind !== "elementwise" && op.kind !== "composite") return null;
  const isPlain = (operand: Operand | null): boolean => operand?.value.kind === "number" && !operand.value.dtype;
  if (bound.tensors.length === 0 || !bound.tensors.every(isPlain)) return null;
  const trial = openTrial(interpreter);
  const value = applyOp(interpreter, run, { op, path, expr }, bound);
  const type = value.kind === "tensor" ? typeOf(interpreter, value.node) : null;
  const values = value.kind === "tensor" ? constantValues(interpreter.nodes, value.node) : null;
  trial.undo();
  if (!type || type.shape.length > 0 || !values) return null;
  const [number] = values;
  const known: Value =
    type.dtype === "bool" ? { kind: "bool", value: number !== 0 } : numberValue(number!, type.dtype === "i32");
  return asScalarTensor(
    known,
    bound.tensors.flatMap((operand) => (operand ? [operand.value] : [])),
  );
}

/** Ops that convert their operand before they compute, where a call names another dtype. */
const CONVERTS: ReadonlySet<string> = new Set(["reduce", "scan", "composite"]);

const rankOf = (interpreter: Interpreter, value: Value | undefined): number =>
  value?.kind === "tensor" && !interpreter.unknown.has(value.node) ? typeOf(interpreter, value.node).shape.length : 0;

/** Whether a call gives the parameter at `at`, in its turn or by one of its names. */
const gives = ({ params }: OpDef | CompositeDef, at: number, args: readonly GivenArgument[]): boolean =>
  args.filter(({ name }) => !name).length > at ||
  args.some(({ name }) => name !== null && params[at]!.names.includes(name.text));

/** Whether the call says no axis, and so means all elements in a row. */
function takesRow(op: OpDef | CompositeDef, dialect: Dialect, args: readonly GivenArgument[]): boolean {
  if (!op.rowWithoutAxis || (op.rowWithoutAxis === "jax" && dialect !== "jax")) return false;
  const axis = op.params.findIndex(({ kind }) => kind === "axis");
  return axis >= 0 && !gives(op, axis, args);
}

/** Whether the call fits one example without a batch. */
function isOne(interpreter: Interpreter, op: OpDef | CompositeDef, { tensors, attrs }: Bound): boolean {
  const types = tensors.map((operand) =>
    operand?.value.kind === "tensor" && !interpreter.unknown.has(operand.value.node)
      ? typeOf(interpreter, operand.value.node)
      : null,
  );
  const [x, w, ...others] = types;
  if (!x || !w || x.shape.length + 1 !== w.shape.length) return false;
  const batch = { ...x, shape: [1, ...x.shape] };
  const given = [batch, w, ...others];
  return (
    op.kind === "composite"
      ? op.infer(given, attrs)
      : op.infer(
          given.filter((type) => type !== null),
          attrs,
        )
  ).ok;
}

/** A call on one example: it becomes a batch of one, and the result is taken out of it. */
function ofOne(
  interpreter: Interpreter,
  run: StatementRun,
  at: { readonly path: string; readonly expr: Expr; readonly label: string },
  op: OpDef | CompositeDef,
  { tensors, attrs }: Bound,
): Value {
  const operands = tensors.filter((operand) => operand !== null);
  return applyParts(interpreter, run, at, operands, (b, [x, ...others]) => {
    const given = [b.op("batch", "unsqueeze", [x!], { axes: [0] }), ...others];
    const result = op.kind === "composite" ? op.build(b, given, attrs) : b.op("of_batch", op.name, given, attrs);
    return b.op(at.label, "squeeze", [result], { axes: [0] });
  });
}

/** Calls that draw and name no seed draw differently from one another: each has the next. */
function ownSeed(interpreter: Interpreter, op: OpDef | CompositeDef, args: readonly GivenArgument[]): Attrs {
  const at = op.kind === "random" ? op.params.findIndex(({ names }) => names[0] === "seed") : -1;
  return at < 0 || gives(op, at, args) ? {} : { seed: interpreter.draws++ };
}

/** The class that PyTorch's losses ignore unless another is named. */
const IGNORED = -100;

/** What a loss ignores that names nothing: its own class where targets may be negative, as `where(mask, t, -100)` are; else null. */
export function ignoredAmong(interpreter: Interpreter, target: NodeId): number | null {
  const isWhole = typeOf(interpreter, target).dtype === "i32";
  return isWhole && boundsOf(interpreter, target).least < 0 ? IGNORED : null;
}

function ownIgnored(interpreter: Interpreter, { params }: OpDef | CompositeDef, { tensors, attrs }: Bound): Attrs {
  if (!params.some(({ names }) => names[0] === "ignore_index") || (attrs["ignore_index"] ?? null) !== null) return {};
  const target = tensors[1]?.value;
  const ignored = target?.kind === "tensor" ? ignoredAmong(interpreter, target.node) : null;
  return ignored === null ? {} : { ignore_index: ignored };
}

/** `np.cumsum(x)`: the operand is flattened first. */
function inRow(
  interpreter: Interpreter,
  run: StatementRun,
  at: { readonly path: string; readonly expr: Expr; readonly label: string },
  { tensors, attrs }: Bound,
): Value {
  const operands = tensors.filter((operand) => operand !== null);
  return applyParts(interpreter, run, at, operands, (b, [x]) => {
    const row = b.op("row", "reshape", [x!], { shape: [sizeOf(b.typeOf(x!).shape)] });
    return b.op(at.label, at.label, [row], { ...attrs, axis: 0 });
  });
}

/** `x.sum(dtype=torch.float32)`: the operand is converted before it is folded. */
function foldWider(
  interpreter: Interpreter,
  run: StatementRun,
  at: { readonly path: string; readonly expr: Expr; readonly label: string },
  { tensors, attrs }: Bound,
  dtype: DType,
): Value {
  const operands = tensors.filter((operand) => operand !== null);
  return applyParts(interpreter, run, at, operands, (b, [x]) =>
    b.op(at.label, at.label, [b.op("wide", "cast", [x!], { dtype })], attrs),
  );
}

/** `avg_pool2d(x, 3)` of a picture without a batch: the name says how many axes one number is for. */
function perSpace(interpreter: Interpreter, name: string, { tensors, attrs }: Bound): Attrs {
  const rank = Number(/pool([23])d$/.exec(name)?.[1] ?? 0);
  const x = tensors[0]?.value;
  if (rank === 0 || x?.kind !== "tensor" || typeOf(interpreter, x.node).shape.length !== rank + 1) return attrs;
  const key = "output_size" in attrs ? "output_size" : "kernel_size";
  const value = attrs[key];
  const [only, ...more] = Array.isArray(value) ? value : [value];
  return typeof only === "number" && more.length === 0
    ? { ...attrs, [key]: Array.from({ length: rank }, () => only) }
    : attrs;
}

/** `math.sqrt(64)`: an elementwise op of numbers is a number. */
function foldCall(op: OpDef | CompositeDef, operands: readonly Operand[]): Value | null {
  if (op.kind !== "elementwise" || !op.scalar || operands.length === 0) return null;
  if (operands.length !== op.params.filter(({ kind }) => kind === "tensor").length) return null;
  const numbers: number[] = [];
  const types: TensorType[] = [];
  for (const { value } of operands) {
    if (value.kind !== "number" || value.dtype) return null;
    numbers.push(value.value);
    types.push({ dtype: value.whole ? "i32" : "f32", shape: [] });
  }
  const found = op.infer(types, {});
  const number = op.scalar.js(numbers, {});
  const value = numberValue(number, found.ok && found.value.dtype === "i32" && Number.isInteger(number));
  return asScalarTensor(
    value,
    operands.map((operand) => operand.value),
  );
}

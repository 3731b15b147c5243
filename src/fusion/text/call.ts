/** @file Calls: which op or def is meant (prefixes dropped, methods accepted), and what follows. */
import type { Attrs, DType, Span } from "../ir";
import type { CompositeDef, OpDef } from "../ops";
import { findOp } from "../ops";
import { applyOp, applyParts } from "./apply";
import type { Bound, GivenArgument } from "./bind";
import { bindArguments } from "./bind";
import type { Interpreter, StatementRun } from "./interpreter";
import { typeOf } from "./interpreter";
import { defaultsIn, dialectOf, meantBy, type Dialect } from "./dialect";
import { castTo, sizeMethod, transposeAll } from "./member";
import { DTYPES, MODULES } from "./names";
import { isSplit, splitResults } from "./split";
import { builtin, isBuiltin } from "./builtins";
import { isHostFunction, hostCall } from "./host-functions";
import { convert, isConversion } from "./conversions";
import { dictMethod, listMethod, textMethod } from "./collections";
import { bindName } from "./symbols";
import { writesInPlace, writtenName } from "./targets";
import { unknownCall } from "./unknown-call";
import { einops, isEinops } from "./einops";
import { callAnyDef, libraryDef, libraryOverload, libraryScope, libraryValue } from "./library/library";

import { callLayer, layerOf } from "./inline-layers";
import { atCall } from "./at-call";
import { isLoopCall, loopCall } from "./loop-calls";
import type { CallExpr, DefStatement, Expr, Identifier, SubscriptExpr } from "./syntax";
import { bare } from "./syntax";
import type { Operand, Value } from "./values";
import { callPullback, callTransform, isTransform, transform } from "./transforms";
import { treeCall, treeValue } from "./trees";
import { BROKEN, NONE, describe, isBroken, numberValue } from "./values";

export type Callee =
  | { readonly kind: "function"; readonly name: Identifier; readonly value: Value | null; readonly dialect: Dialect }
  | { readonly kind: "method"; readonly name: Identifier; readonly receiver: Expr }
  | { readonly kind: "self"; readonly name: Identifier }
  /** JAX's `x.at[1:].set(v)`. */
  | { readonly kind: "at"; readonly name: Identifier; readonly item: SubscriptExpr; readonly object: Expr }
  /** `table.get(name, usual)` of a table that is not here: what is usual. */
  | { readonly kind: "usual"; readonly value: Expr }
  /** `layers[0](x)`, `make(4)(x)`: found out when it is evaluated, as the first operand. */
  | { readonly kind: "value" }
  | { readonly kind: "none" };

/** Dotted names from the outside in: `torch.relu` → root `torch`. */
function rootOf(expr: Expr): Expr {
  let inner = expr;
  while (inner.kind === "member") inner = inner.object;
  return inner;
}

const TABLE: ReadonlySet<string> = new Set(["get", "get_interface"]);

/** Who is called. Looks names up, makes nothing. */
export function calleeOf({ frame }: StatementRun, { callee, args }: CallExpr): Callee {
  const expr = bare(callee);
  if (expr.kind === "name") {
    const bound = frame.scope.find(expr.name);
    const value = bound && CALLABLE.has(bound.value.kind) ? bound.value : null;
    if (bound && value) bound.symbol.addUse(expr.span);
    return { kind: "function", name: { text: expr.name, span: expr.span }, value, dialect: null };
  }
  if (expr.kind === "subscript" || expr.kind === "lambda" || expr.kind === "call" || expr.kind === "conditional")
    return { kind: "value" };
  if (expr.kind !== "member") return { kind: "none" };
  const root = rootOf(expr);
  if (root.kind === "name") {
    const bound = frame.scope.find(root.name);
    if (!bound && (MODULES.has(root.name) || isHostFunction(expr.name.text)))
      // `nn.gelu` is flax's: PyTorch's functions stand under `nn.functional`.
      return {
        kind: "function",
        name: expr.name,
        value: null,
        dialect: dialectOf(expr.object === root && root.name === "nn" ? "flax" : root.name),
      };
    if (bound?.value.kind === "self") return { kind: "self", name: expr.name };
    const usual = args.length === 2 && !bound && TABLE.has(expr.name.text) ? args[1] : undefined;
    if (usual) return { kind: "usual", value: usual.value };
  }
  const item = bare(expr.object);
  if (item.kind === "subscript" && item.object.kind === "member" && item.object.name.text === "at")
    return { kind: "at", name: expr.name, item, object: item.object.object };
  return { kind: "method", name: expr.name, receiver: expr.object };
}

const CALLABLE: ReadonlySet<Value["kind"]> = new Set(["def", "op", "partial", "layer", "transform", "pullback"]);

export interface CallPlace {
  readonly expr: CallExpr;
  readonly callee: Callee;
  readonly path: string;
}

/** The call's value, its operands known (a method's receiver first). */
export function applyCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallPlace,
  operands: readonly Operand[],
): Value {
  const { callee, expr } = call;
  switch (callee.kind) {
    case "none":
      interpreter.diagnostics.add("not-callable", expr.callee.span, "Only an op, a def or a method can be called.");
      return BROKEN;
    case "usual":
      return operands[0]!.value;
    case "at":
      return atCall(interpreter, run, call, callee, operands);
    case "self":
      interpreter.diagnostics.add(
        "self",
        expr.callee.span,
        `\`self.${callee.name.text}\` is a module of a class that is not here: write the op with its weights as inputs, such as linear(x, w, b).`,
      );
      return BROKEN;
    case "value":
      return valueCall(interpreter, run, call, operands);
    case "method":
      return methodCall(interpreter, run, call, callee.name, operands);
    case "function":
      return functionCall(interpreter, run, call, callee, operands);
  }
}

/** A call of what an expression stands for: the first operand. */
export function valueCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallPlace,
  [callee, ...operands]: readonly Operand[],
): Value {
  const value = callee!.value;
  if (value.kind === "transform") return callTransform(interpreter, run, call, value, operands, valueCall);
  if (value.kind === "pullback") return callPullback(interpreter, run, call, value, operands);
  if (value.kind === "def")
    return callAnyDef(
      interpreter,
      run,
      { ...call, def: value.def, scope: value.scope },
      argumentsOf(call.expr, operands),
    );
  if (value.kind === "op") return opCall(interpreter, run, call, value.op, argumentsOf(call.expr, operands));
  if (value.kind === "partial") return partialCall(interpreter, run, call, value, operands);
  if (value.kind === "layer") return callLayer(interpreter, run, call, value, operands);
  if (!isBroken(value))
    interpreter.diagnostics.add(
      "not-callable",
      call.expr.callee.span,
      `Only an op, a def or a method can be called; this is ${describe(value)}.`,
    );
  return BROKEN;
}

function argumentsOf(expr: CallExpr, operands: readonly Operand[]): readonly GivenArgument[] {
  const extra = operands.length - expr.args.length;
  return operands.flatMap((operand, i) => {
    const arg = i < extra ? null : expr.args[i - extra]!;
    const span = arg?.span ?? operand.expr?.span ?? expr.span;
    if (arg?.starred === "entries" && operand.value.kind === "dict")
      return [...operand.value.entries].map(([text, entry]) => ({ name: { text, span }, operand: entry, span }));
    const items = arg?.starred && operand.value.kind === "sequence" ? operand.value.items : [operand];
    return items.map((item) => ({ name: arg?.name ?? null, operand: item, span }));
  });
}

function opCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallPlace,
  op: OpDef | CompositeDef,
  given: readonly GivenArgument[],
): Value {
  const dialect = call.callee.kind === "function" ? call.callee.dialect : null;
  const { meant, args } = meantBy(op, dialect, given);
  const overload = libraryOverload(meant, args);
  if (overload) return callAnyDef(interpreter, run, libraryCall(call, overload), args);
  const folded = foldCall(
    meant,
    given.map(({ operand }) => operand),
  );
  if (folded) return folded;
  const wider = meant.kind === "reduce" ? args.find(({ name }) => name?.text === "dtype") : undefined;
  const rest = wider ? args.filter((arg) => arg !== wider) : args;
  const found = bindArguments(interpreter, meant, rest, calleeSpan(call), defaultsIn(dialect, meant));
  const bound = found && { ...found, attrs: perSpace(interpreter, call, found) };
  if (bound && wider?.operand.value.kind === "dtype")
    return foldWider(interpreter, run, { ...call, label: meant.name }, bound, wider.operand.value.dtype);
  return bound ? applyOp(interpreter, run, { op: meant, path: call.path, expr: call.expr }, bound) : BROKEN;
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
function perSpace(interpreter: Interpreter, { callee }: CallPlace, { tensors, attrs }: Bound): Attrs {
  const name = callee.kind === "function" || callee.kind === "method" ? callee.name.text : "";
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

const calleeSpan = ({ callee, expr }: CallPlace): Span =>
  callee.kind === "none" || callee.kind === "value" || callee.kind === "usual" ? expr.callee.span : callee.name.span;

/** `math.sqrt(64)`: an elementwise op of numbers is a number. */
function foldCall(op: OpDef | CompositeDef, operands: readonly Operand[]): Value | null {
  if (op.kind !== "elementwise" || !op.scalar || operands.length === 0) return null;
  if (operands.length !== op.params.filter(({ kind }) => kind === "tensor").length) return null;
  const numbers: number[] = [];
  for (const { value } of operands) {
    if (value.kind !== "number" || value.dtype) return null;
    numbers.push(value.value);
  }
  return numberValue(op.scalar.js(numbers, {}), false);
}

function functionCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallPlace,
  { name, value, dialect }: Extract<Callee, { kind: "function" }>,
  operands: readonly Operand[],
): Value {
  if (value?.kind === "def")
    return callAnyDef(
      interpreter,
      run,
      { ...call, def: value.def, scope: value.scope },
      argumentsOf(call.expr, operands),
    );
  if (value?.kind === "op") return opCall(interpreter, run, call, value.op, argumentsOf(call.expr, operands));
  if (value) return valueCall(interpreter, run, call, [{ value, path: "", expr: null }, ...operands]);
  if (isTransform(name.text))
    return transform(interpreter, run, call, name.text, argumentsOf(call.expr, operands), valueCall);
  if (isSplit(name.text)) return splitResults(interpreter, run, { ...call, name }, argumentsOf(call.expr, operands));
  const tree = treeCall(interpreter, call.expr, name.text);
  if (tree)
    return treeValue(interpreter, call, tree, operands, (operands, path) =>
      valueCall(interpreter, run, { ...call, path, expr: { ...call.expr, args: [] } }, operands),
    );
  if (isLoopCall(name.text)) return loopOf(interpreter, run, call, name.text, operands);
  if (name.text === "partial") return partialOf(interpreter, call, argumentsOf(call.expr, operands));
  if (name.text === "map") return mapped(interpreter, run, call, operands);
  if (isEinops(name.text, operands))
    return einops(interpreter, run, { ...call, name }, argumentsOf(call.expr, operands));
  const built = builtin(interpreter, run, call, name.text, operands);
  if (built) return built;
  const args = argumentsOf(call.expr, operands);
  const written = libraryDef(name.text, dialect);
  const op = findOp(name.text);
  if (op && op.kind !== "source") return opCall(interpreter, run, call, op, args);
  if (written) return callAnyDef(interpreter, run, libraryCall(call, written), args);
  const layer = name.text === "Sequential" ? inSequence(args) : layerOf(name.text, args);
  if (layer) return layer;
  if (!(isBuiltin(name.text) && operands.some((operand) => isBroken(operand.value))))
    unknownCall(interpreter, run, call.expr, name, operands);
  return BROKEN;
}

function loopOf(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallPlace,
  name: string,
  operands: readonly Operand[],
): Value {
  const apply = (f: Operand, given: readonly Operand[], path: string): Value =>
    valueCall(interpreter, run, { ...call, path, expr: { ...call.expr, args: [] } }, [f, ...given]);
  const stack = (items: readonly Operand[], path: string): Value =>
    applyOp(interpreter, run, { op: findOp("stack")!, path, expr: call.expr }, { tensors: items, attrs: { axis: 0 } });
  return loopCall({ interpreter, run, call, apply, stack }, name, argumentsOf(call.expr, operands));
}

const libraryCall = (call: CallPlace, def: DefStatement): Parameters<typeof callAnyDef>[2] => ({
  ...call,
  def,
  scope: libraryScope(),
});

/** `nn.Sequential(a, b)`, or of a list of layers: a function that calls one after the other. */
function inSequence(args: readonly GivenArgument[]): Value {
  const [only] = args;
  const { value } = only?.operand ?? { value: NONE };
  const layers =
    args.length === 1 && value.kind === "sequence"
      ? value.items.map((operand) => ({ name: null, operand, span: only!.span }))
      : args.map((arg) => ({ ...arg, name: null }));
  return { kind: "partial", of: libraryValue("_sequential"), args: layers };
}

function partialOf(interpreter: Interpreter, { expr }: CallPlace, [f, ...args]: readonly GivenArgument[]): Value {
  if (!f || isBroken(f.operand.value)) return BROKEN;
  if (f.operand.value.kind === "partial")
    return { kind: "partial", of: f.operand.value.of, args: [...f.operand.value.args, ...args] };
  if (f.operand.value.kind === "def" || f.operand.value.kind === "op")
    return { kind: "partial", of: f.operand.value, args };
  interpreter.diagnostics.add(
    "bad-argument",
    expr.span,
    `partial takes a def or an op; this is ${describe(f.operand.value)}.`,
  );
  return BROKEN;
}

/** `partial(f, dim=-1)(x)`: keywords given now take precedence. */
function partialCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallPlace,
  { of, args }: Extract<Value, { kind: "partial" }>,
  operands: readonly Operand[],
): Value {
  const now = argumentsOf(call.expr, operands);
  const named = new Set(now.flatMap(({ name }) => name?.text ?? []));
  const given = [...args.filter(({ name }) => !name || !named.has(name.text)), ...now];
  if (of.kind === "def") return callAnyDef(interpreter, run, { ...call, def: of.def, scope: of.scope }, given);
  if (of.kind === "op") return opCall(interpreter, run, call, of.op, given);
  if (!isBroken(of))
    interpreter.diagnostics.add(
      "not-callable",
      call.expr.callee.span,
      `partial holds ${describe(of)}, which can't be called.`,
    );
  return BROKEN;
}

/** `map(f, xs)`: one call an item. */
function mapped(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallPlace,
  [f, ...lists]: readonly Operand[],
): Value {
  const items = lists.map(({ value }) => (value.kind === "sequence" ? value.items : null));
  if (!f || items.length === 0 || items.includes(null)) {
    if (!lists.some(({ value }) => isBroken(value)))
      interpreter.diagnostics.add("bad-argument", call.expr.span, "map takes a def and tuples.");
    return BROKEN;
  }
  const count = Math.min(...items.map((list) => list!.length));
  return {
    kind: "sequence",
    items: Array.from({ length: count }, (_, i) => {
      const path = `${call.path}#${i}`;
      const given = items.map((list) => list![i]!);
      const value = valueCall(interpreter, run, { ...call, path, expr: { ...call.expr, args: [] } }, [f, ...given]);
      return { value, path, expr: call.expr };
    }),
  };
}

const CASTS: ReadonlySet<string> = new Set(["float", "half", "int", "long", "bool"]);
/** What only moves data between devices or copies it changes no value. */
const NOTHING: ReadonlySet<string> = new Set([
  "contiguous",
  "clone",
  "cuda",
  "cpu",
  "block_until_ready",
  "requires_grad_",
  "retain_grad",
]);

function methodCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallPlace,
  name: Identifier,
  operands: readonly Operand[],
): Value {
  const receiver = operands[0]!;
  const { value } = receiver;
  if (isBroken(value)) return BROKEN;
  if (value.kind === "dict")
    return dictMethod(interpreter, run, { entries: value.entries, object: receiver.expr }, name, operands.slice(1));
  if (value.kind === "sequence")
    return listMethod(interpreter, run, { items: value.items, object: receiver.expr }, name, operands.slice(1));
  if (value.kind === "string") return textMethod(interpreter, value.value, name, operands.slice(1));
  const number = (value.kind === "number" || value.kind === "bool") && findOp(name.text) !== null;
  if (value.kind !== "tensor" && value.kind !== "hole" && !number) {
    interpreter.diagnostics.add(
      "bad-method",
      name.span,
      `Only tensors have methods; \`.${name.text}()\` stands after something else.`,
    );
    return BROKEN;
  }
  if (NOTHING.has(name.text)) return value;
  if (name.text === "backward" && value.kind === "tensor") {
    interpreter.losses.push(value.node);
    interpreter.cotangents.clear();
    return NONE;
  }
  if (isSplit(name.text)) return splitResults(interpreter, run, { ...call, name }, argumentsOf(call.expr, operands));
  if (value.kind === "tensor") {
    const type = typeOf(interpreter, value.node);
    const known = sizeMethod(interpreter, name, type, operands.slice(1), interpreter.unknown.has(value.node));
    if (known) return known;
    if ((name.text === "t" || name.text === "transpose") && operands.length === 1)
      return transposeAll(interpreter, run, call, receiver);
  }
  const dtype = CASTS.has(name.text) && operands.length === 1 ? DTYPES.get(name.text) : undefined;
  if (dtype) return castTo(interpreter, run, call, receiver, dtype);
  if (isConversion(name.text, operands.length - 1)) {
    const converted = convert(interpreter, run, { ...call, name }, receiver, argumentsOf(call.expr, operands).slice(1));
    if (converted) return converted;
  }
  const inPlace = writesInPlace(name.text);
  const plain = inPlace ? name.text.slice(0, -1) : name.text;
  // NumPy's arrays take all axes: `x.transpose(0, 2, 1, 3)`.
  const op = findOp(plain === "transpose" && operands.length > 3 ? "permute" : plain);
  if (op && op.kind !== "source") {
    const now = opCall(interpreter, run, call, op, argumentsOf(call.expr, operands));
    const written = inPlace ? writtenName(call.expr) : null;
    if (written) bindName(interpreter, run, written, now);
    return now;
  }
  const known = hostCall(interpreter, run, call, name.text, operands);
  if (known) return known;
  const def = libraryDef(plain, null);
  if (def) {
    const now = callAnyDef(interpreter, run, libraryCall(call, def), argumentsOf(call.expr, operands));
    const target = inPlace ? writtenName(call.expr) : null;
    if (target) bindName(interpreter, run, target, now);
    return now;
  }
  unknownCall(interpreter, run, call.expr, name, operands);
  return BROKEN;
}

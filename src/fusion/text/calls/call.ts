/** @file Calls: who is meant (prefixes dropped, methods accepted), and what follows. */
import type { DType } from "../../ir";
import { findOp } from "../../ops";
import { applyOp } from "./apply";
import { atCall } from "./at-calls";
import { builtin, isBuiltin } from "../values/builtins";
import { type Dialect, dialectOf, isTorchIn } from "./dialect";
import { callCustom } from "./custom-derivatives";
import { customFunction, isCustom } from "../objects/custom-functions";
import { einops, einsumArguments, isEinops } from "./einops";
import { isHostFunction } from "../values/host-functions";
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { initialise, isFill, isInit } from "../layers/begins";
import { callLayer, layerOf } from "../layers/layer";
import { parameterOf } from "../layers/weights";
import {
  callAnyDef,
  classOfJax,
  initializerDef,
  isOfLibrary,
  INITIALIZERS,
  libraryClass,
  libraryDef,
  moduleDef,
  linalgDef,
  numpyDef,
} from "../library/library";
import { isLoopCall, loopCall } from "./loop-calls";
import { onceThrough } from "../statements/generators";
import { itemsOf } from "../statements/iterate";
import { writesInPlace } from "../statements/targets";
import { collectionOf } from "../values/special-collections";
import { isBegun, methodCall } from "./method-calls";
import { prefixOf } from "./member";
import { callChain, containerOf } from "../objects/containers";
import { withHooks } from "../objects/hooks";
import { callObject, instantiate } from "../objects/objects";
import { clipped, isClip } from "../objects/optimizers";
import { moduleMethod, superOf } from "../objects/methods";
import { libraryCall, opCall } from "./op-calls";
import { isSplit, splitResults } from "./split";
import {
  bare,
  dottedName,
  type CallExpr,
  type Expr,
  type Identifier,
  lastNameOf,
  type SubscriptExpr,
} from "../reading/syntax";
import { callPullback, callTransform, isTransform, transform } from "./transforms";
import { treeCall, treeValue } from "../values/trees";
import { ufuncCall } from "./ufuncs";
import { unknownCall } from "./unknown-call";
import {
  BROKEN,
  describe,
  type GivenArgument,
  isBroken,
  numberValue,
  type Operand,
  type Value,
} from "../values/values";

export type Callee =
  | { readonly kind: "function"; readonly name: Identifier; readonly value: Value | null; readonly dialect: Dialect }
  | { readonly kind: "method"; readonly name: Identifier; readonly receiver: Expr }
  | { readonly kind: "self"; readonly name: Identifier }
  /** JAX's `x.at[1:].set(v)`. */
  | { readonly kind: "at"; readonly name: Identifier; readonly item: SubscriptExpr; readonly object: Expr }
  /** `table.get(name, usual)` of a table that is not here: what is usual. */
  | { readonly kind: "usual"; readonly value: Expr }
  /** `nn.initializers.normal(0.02)`: what draws first weights. */
  | { readonly kind: "initializer"; readonly name: Identifier }
  /** `layers[0](x)`, `make(4)(x)`: found out when it is evaluated, as the first operand. */
  | { readonly kind: "value" }
  | { readonly kind: "none" };

/** Dotted names from the outside in: `torch.relu` → root `torch`. */
function rootOf(expr: Expr): Expr {
  let inner = expr;
  while (inner.kind === "member") inner = inner.object;
  return inner;
}

/** Where haiku's own modules stand. */
const HAIKU: ReadonlySet<string> = new Set(["hk", "haiku", "nets"]);

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
    const prefix = prefixOf(frame.scope, root.name);
    if (!bound && expr.name.text === "__init__") return { kind: "method", name: expr.name, receiver: expr.object };
    if (!bound && INITIALIZERS.has(lastNameOf(expr.object))) return { kind: "initializer", name: expr.name };
    const path = prefix === null ? "" : dottedName(expr.object).replace(root.name, prefix);
    const ofModule = moduleDef(path, expr.name.text);
    if (ofModule) return { kind: "function", name: expr.name, value: ofModule, dialect: null };
    // `train_state.TrainState.create`: what a class of a library has.
    const ofClass = expr.object !== root && libraryClass(lastNameOf(expr.object)) !== null;
    if (!ofClass && (prefix !== null || (!bound && isHostFunction(expr.name.text))))
      // `nn.gelu` is flax's: PyTorch's functions stand under `nn.functional`.
      return {
        kind: "function",
        name: expr.name,
        value: null,
        dialect: dialectOf(expr.object === root && prefix === "nn" ? "flax" : (prefix ?? root.name)),
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

const CALLABLE: ReadonlySet<Value["kind"]> = new Set([
  "def",
  "op",
  "partial",
  "class",
  "object",
  "module-method",
  "layer-class",
  "layer",
  "sequence",
  "dict",
  "transform",
  "pullback",
  "custom",
]);

export interface CallWithCallee extends CallAt {
  readonly callee: Callee;
}

/** The call's value, its operands known (a method's receiver first). */
export function applyCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallWithCallee,
  operands: readonly Operand[],
): Value {
  const { callee, expr } = call;
  if (expr.args.some(({ starred }) => starred === "items")) {
    const flat = withoutStars(interpreter, run, call, operands);
    return applyCall(interpreter, run, flat.call, flat.operands);
  }
  switch (callee.kind) {
    case "none":
      interpreter.diagnostics.add("not-callable", expr.callee.span, "Only an op, a def or a method can be called.");
      return BROKEN;
    case "usual":
      return operands[0]!.value;
    case "at":
      return atCall(interpreter, run, call, callee, operands);
    case "initializer":
      return initializerCall(interpreter, run, call, callee.name, operands);
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
      return methodCall(interpreter, run, call, callee.name, operands, argumentsOf(expr, operands).slice(1));
    case "function":
      return functionCall(interpreter, run, call, callee, operands);
  }
}

/** The call as it is where each item of `*items` stands for itself. */
function withoutStars(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallWithCallee,
  operands: readonly Operand[],
): { readonly call: CallWithCallee; readonly operands: readonly Operand[] } {
  const { expr } = call;
  const extra = operands.length - expr.args.length;
  const parts = expr.args.map((arg, i) => {
    const operand = operands[i + extra]!;
    if (arg.starred !== "items") return [{ arg, operand }];
    const items = itemsOf(interpreter, run, operand, `${operand.path}*`) ?? [operand];
    const { name, value, span } = arg;
    return items.map((item) => ({ arg: { name, value, span }, operand: item }));
  });
  const all = parts.flat();
  return {
    call: { ...call, expr: { ...expr, args: all.map(({ arg }) => arg) } },
    operands: [...operands.slice(0, extra), ...all.map(({ operand }) => operand)],
  };
}

/** `nn.initializers.normal(0.02)`, or a function of that name that is given its key and shape at once. */
function initializerCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallWithCallee,
  name: Identifier,
  operands: readonly Operand[],
): Value {
  const def = initializerDef(name.text);
  if (def) return callAnyDef(interpreter, run, libraryCall(call, def), argumentsOf(call.expr, operands));
  unknownCall(interpreter, run, call.expr, name, operands);
  return BROKEN;
}

/** A call of what an expression stands for: the first operand. */
function valueCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallAt,
  [callee, ...operands]: readonly Operand[],
): Value {
  const { value } = callee!;
  if (value.kind === "transform") return callTransform(interpreter, run, call, value, operands, valueCall);
  if (value.kind === "pullback") return callPullback(interpreter, run, call, value, operands);
  return callValue(interpreter, run, call, value, argumentsOf(call.expr, operands));
}

/** Python's own functions by the types that they make. */
const PYTHONS: Readonly<Record<DType, string>> = { i32: "int", f32: "float", bool: "bool", f16: "half" };

/** What `value` answers for arguments that are written or made. */
export function callValue(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallAt,
  value: Value,
  args: readonly GivenArgument[],
): Value {
  const { expr, path } = call;
  if (value.kind === "def") return callAnyDef(interpreter, run, { ...value, expr, path }, args);
  if (value.kind === "op") return opCall(interpreter, run, call, value.op, args);
  // `map(int, words)`
  const cast =
    value.kind === "dtype"
      ? builtin(
          interpreter,
          run,
          call,
          PYTHONS[value.dtype],
          args.map(({ operand }) => operand),
        )
      : null;
  if (cast) return cast;
  if (value.kind === "partial") return partialCall(interpreter, run, call, value, args);
  if (value.kind === "custom") return callCustom(interpreter, run, call, value.custom, args);
  if (value.kind === "layer")
    return withHooks(interpreter, run, call, value, args, (given) =>
      callLayer(interpreter, run, call, value.layer, given),
    );
  if (value.kind === "layer-class") return containerOf(value.name, args) ?? layerOf(value.name, args, expr)!;
  if (value.kind === "class") return instantiate(interpreter, run, call, value.of, args);
  if (value.kind === "module-method")
    return moduleMethod(interpreter, run, call, { kind: "object", object: value.object }, value.name, args) ?? BROKEN;
  if (value.kind === "object")
    return withHooks(interpreter, run, call, value, args, (given) =>
      callObject(interpreter, run, call, value.object, given),
    );
  if (value.kind === "transform" || value.kind === "pullback")
    return valueCall(interpreter, run, { ...call, expr: { ...expr, args: [] } }, [
      { value, path: "", expr: null },
      ...args.map(({ operand }) => operand),
    ]);
  const chain = value.kind === "sequence" ? value.items : value.kind === "dict" ? [...value.entries.values()] : [];
  if ((value.kind === "sequence" || value.kind === "dict") && value.chain)
    return withHooks(interpreter, run, call, value, args, (given) => callChain(interpreter, run, call, chain, given));
  if (!isBroken(value))
    interpreter.diagnostics.add(
      "not-callable",
      expr.callee.span,
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
    return [{ name: arg?.name ?? null, operand, span }];
  });
}

/** `torch.abs(z)` of what a class of the library is, complex numbers: its method; null of anything else. */
function libraryObjectCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallWithCallee,
  name: Identifier,
  operands: readonly Operand[],
): Value | null {
  const [first] = operands;
  if (first?.value.kind !== "object" || !isOfLibrary(first.value.object.of.scope)) return null;
  const { of } = first.value.object;
  if (of !== libraryClass("Complex") || !of.attributes.has(name.text)) return null;
  return methodCall(interpreter, run, call, name, operands, argumentsOf(call.expr, operands).slice(1));
}

const NUMPY = /^(np|numpy)$/;

/** The class that a library of JAX means: that of flax.nnx takes `rngs`. Null where PyTorch's is meant. */
function jaxClass(interpreter: Interpreter, name: string, isNet: boolean, args: readonly GivenArgument[]) {
  if (isNet) return classOfJax(name, "haiku");
  if (isTorchIn(interpreter)) return null;
  const isSized = args.some((arg) => arg.name?.text === "rngs");
  return (isSized ? classOfJax(name, "nnx") : null) ?? classOfJax(name, "flax");
}

function functionCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallWithCallee,
  { name, value, dialect }: Extract<Callee, { kind: "function" }>,
  operands: readonly Operand[],
): Value {
  if (value) return valueCall(interpreter, run, call, [{ value, path: "", expr: null }, ...operands]);
  const ofNumbers = libraryObjectCall(interpreter, run, call, name, operands);
  if (ofNumbers) return ofNumbers;
  if (isTransform(name.text))
    return transform(interpreter, run, call, name.text, argumentsOf(call.expr, operands), valueCall);
  if (isCustom(name.text) && operands.length > 0)
    return customFunction(interpreter, name.text, argumentsOf(call.expr, operands));
  if (isSplit(name.text)) return splitResults(interpreter, run, { ...call, name }, argumentsOf(call.expr, operands));
  const tree = treeCall(interpreter, call.expr, name.text);
  if (tree)
    return treeValue(interpreter, call, tree, operands, (operands, path) =>
      valueCall(interpreter, run, { ...call, path, expr: { ...call.expr, args: [] } }, operands),
    );
  if (isLoopCall(name.text)) return loopOf(interpreter, run, call, name.text, operands);
  const args = einsumArguments(name.text, argumentsOf(call.expr, operands));
  const ofFunction = ufuncCall(interpreter, run, call, args);
  if (ofFunction) return ofFunction;
  if (name.text === "partial") return partialOf(interpreter, call, args);
  const overRows = name.text === "map" && dialect === "jax" ? libraryDef("map", "jax") : null;
  if (overRows) return callAnyDef(interpreter, run, libraryCall(call, overRows), args);
  if (name.text === "map") return mapped(interpreter, run, call, operands);
  if (name.text === "super") return superOf(interpreter, run, call, args);
  if (isEinops(name.text, operands)) return einops(interpreter, run, { ...call, name }, args);
  const built = builtin(interpreter, run, call, name.text, operands);
  if (built) return built;
  const { callee } = call.expr;
  const isLinalg = callee.kind === "member" && lastNameOf(callee.object) === "linalg";
  const ofMatrix = isLinalg ? linalgDef(name.text, args) : null;
  const ofNumpy = callee.kind === "member" && NUMPY.test(lastNameOf(callee.object)) ? numpyDef(name.text) : null;
  const written = ofMatrix ?? ofNumpy ?? libraryDef(name.text, dialect);
  const op = ofMatrix ? null : findOp(name.text);
  const called = { ...call, dialect, called: name.text, word: name.span };
  if (op && op.kind !== "source") return opCall(interpreter, run, called, op, args);
  if (written) {
    const answer = (given: readonly GivenArgument[]): Value =>
      callAnyDef(interpreter, run, libraryCall(call, written), given);
    return isClip(name.text) ? clipped(interpreter, run, call, args, answer) : answer(args);
  }
  const [tensor] = operands;
  if (tensor?.value.kind === "tensor" && writesInPlace(name.text) && !isInit(name.text) && !isFill(name.text))
    return methodCall(interpreter, run, call, name, operands, args.slice(1));
  if (tensor?.value.kind === "tensor" && isFill(name.text) && !isBegun(interpreter, tensor.value.node, name.text)) {
    const [, by = { value: numberValue(name.text === "ones_" ? 1 : 0, false), path: "", expr: null }] = operands;
    const given = [tensor, by];
    return methodCall(interpreter, run, call, { ...name, text: "fill_" }, given, [
      { name: null, operand: by, span: name.span },
    ]);
  }
  if (tensor?.value.kind === "tensor" && isInit(name.text))
    return initialise(interpreter, name.text, tensor.value, args.slice(1));
  const draws = initializerDef(name.text);
  if (draws) return callAnyDef(interpreter, run, libraryCall(call, draws), args);
  const collection = collectionOf(interpreter, run, name.text, args);
  if (collection) return collection;
  const isNet = callee.kind === "member" && HAIKU.has(lastNameOf(callee.object));
  const of = jaxClass(interpreter, name.text, isNet, args) ?? libraryClass(name.text);
  if (of) return instantiate(interpreter, run, call, of, args);
  const made =
    containerOf(name.text, args) ??
    parameterOf(interpreter, call, name.text, args) ??
    layerOf(name.text, args, call.expr);
  if (made) return made;
  if (isRecord(name.text, args))
    return { kind: "dict", entries: new Map(args.map((arg) => [arg.name!.text, arg.operand])) };
  if (!(isBuiltin(name.text) && operands.some((operand) => isBroken(operand.value))))
    unknownCall(interpreter, run, call.expr, name, operands);
  return BROKEN;
}

/** `BaseModelOutput(last_hidden_state=x)`: results by their names, whatever class of a library holds them. */
const isRecord = (name: string, args: readonly GivenArgument[]): boolean =>
  /^[A-Z]\w*Output/.test(name) && args.length > 0 && args.every((arg) => arg.name !== null);

/** What `name`, a transformation, makes of its arguments. */
export const transformed = (
  interpreter: Interpreter,
  run: StatementRun,
  call: CallAt,
  name: string,
  args: readonly GivenArgument[],
): Value => transform(interpreter, run, call, name, args, valueCall);

function loopOf(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallWithCallee,
  name: string,
  operands: readonly Operand[],
): Value {
  const apply = (f: Operand, given: readonly Operand[], path: string): Value =>
    valueCall(interpreter, run, { ...call, path, expr: { ...call.expr, args: [] } }, [f, ...given]);
  const stack = (items: readonly Operand[], path: string): Value =>
    applyOp(interpreter, run, { op: findOp("stack")!, path, expr: call.expr }, { tensors: items, attrs: { axis: 0 } });
  return loopCall({ interpreter, run, call, apply, stack }, name, argumentsOf(call.expr, operands));
}

/** What `partial(f, dim=-1)` and `map(f, xs)` take. */
const APPLICABLE: ReadonlySet<Value["kind"]> = new Set([
  "def",
  "op",
  "class",
  "layer-class",
  "layer",
  "object",
  "transform",
  "custom",
]);

/** `partial(f, dim=-1)`. */
function partialOf(interpreter: Interpreter, { expr }: CallAt, [f, ...args]: readonly GivenArgument[]): Value {
  if (!f || isBroken(f.operand.value)) return BROKEN;
  const of = f.operand.value;
  if (of.kind === "partial") return { kind: "partial", of: of.of, args: [...of.args, ...args] };
  if (APPLICABLE.has(of.kind)) return { kind: "partial", of, args };
  interpreter.diagnostics.add("bad-argument", expr.span, `partial takes a def or an op; this is ${describe(of)}.`);
  return BROKEN;
}

/** `partial(f, dim=-1)(x)`: keywords given now take precedence. */
function partialCall(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  { of, args }: Extract<Value, { kind: "partial" }>,
  now: readonly GivenArgument[],
): Value {
  const named = new Set(now.flatMap(({ name }) => name?.text ?? []));
  return interpreter.call(run, at, of, [...args.filter(({ name }) => !name || !named.has(name.text)), ...now]);
}

/** `map(f, xs)`: one call an item. */
function mapped(interpreter: Interpreter, run: StatementRun, at: CallAt, [f, ...lists]: readonly Operand[]): Value {
  const items = lists.map((list, i) =>
    list.value.kind === "sequence" ? list.value.items : itemsOf(interpreter, run, list, `${at.path}/in${i}`),
  );
  if (!f || items.length === 0 || items.includes(null)) {
    if (!lists.some(({ value }) => isBroken(value)))
      interpreter.diagnostics.add("bad-argument", at.expr.span, "map takes a def and tuples.");
    return BROKEN;
  }
  const count = Math.min(...items.map((list) => list!.length));
  const all = Array.from({ length: count }, (_, i) => {
    const path = `${at.path}#${i}`;
    const given = items.map((list) => ({ name: null, operand: list![i]!, span: at.expr.span }));
    return { value: interpreter.call(run, { ...at, path }, f.value, given), path, expr: at.expr };
  });
  return onceThrough(all, ...lists.map(({ value }) => ({ of: value })));
}

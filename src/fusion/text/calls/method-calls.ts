/** @file Methods: of tensors, which are ops; of lists, dictionaries and texts; of objects and layers. */
import { type CompositeDef, findOp, type OpDef, withDefaults } from "../../ops";
import { contentsOf } from "../objects/containers";
import { isModule } from "../objects/modules";
import { dictMethod, inOrderNow, listMethod, rebound } from "../values/collections";
import { walkCall } from "../values/walks";
import { change } from "../values/grown";
import { numberAs, trackedNumber } from "../values/number-arrays";
import { textMethod } from "../values/texts";
import { convert, isConversion } from "../values/conversions";
import { hostCall, isHostFunction } from "../values/host-functions";
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import { callAnyDef, isOfLibrary, libraryDef, libraryMethod, moduleDef } from "../library/library";
import { type Attrs, type NodeId, showShape } from "../../ir";
import { applyOp, scalarNode } from "./apply";
import { isRule, setRules } from "../objects/custom-functions";
import { dialectIn, isNumpyIn } from "./dialect";
import { castTo, sizeMethod, transposeAll } from "./member";
import { DTYPES } from "./names";
import { callGradientHooks, registerHook } from "../objects/hooks";
import { attributeOf } from "../objects/attributes";
import { callAsLayer, callOnClass, callSuper, moduleMethod, withModule } from "../objects/methods";
import { unknownAttribute } from "../objects/classes";
import { truthOf } from "../values/constants";
import { asWritten, writtenNumber } from "../values/written-numbers";
import { addLoss, freeze, learnInPlace, zeroOne } from "../objects/parameters";
import { copiedInOrder, writeInPlace } from "./memory";
import { libraryCall, opCall } from "./op-calls";
import { initialise, isFill, isInit } from "../layers/begins";
import { refusesInPlace } from "./refused";
import { isSplit, splitResults } from "./split";
import { bindName, boundAt } from "../symbols";
import { bare, type CallExpr, type Identifier, type Expr, lastNameOf } from "../reading/syntax";
import { asScalar } from "./written-derivatives";
import { copyOfWeight } from "../layers/weights";
import { writesInPlace, writtenName } from "../statements/targets";
import { unknownCall } from "./unknown-call";
import {
  asScalarTensor,
  BROKEN,
  type GivenArgument,
  isBroken,
  isScalarTensor,
  NONE,
  type Operand,
  type Value,
} from "../values/values";

const CASTS: ReadonlySet<string> = new Set(["float", "half", "int", "long", "bool"]);
/** What only moves data between devices or copies it changes no value. */
const NOTHING: ReadonlySet<string> = new Set([
  "contiguous",
  "cuda",
  "cpu",
  "block_until_ready",
  "numpy",
  "retain_grad",
  // Numbers here are real.
  "conj",
  "resolve_conj",
]);

/** Methods by which NumPy's arrays change. */
const IN_PLACE: ReadonlySet<string> = new Set(["sort"]);

/** What `receiver.name(…)` answers, the receiver being the first operand. */
export function methodCall(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  asked: Identifier,
  operands: readonly Operand[],
  args: readonly GivenArgument[],
): Value {
  const receiver = operands[0]!;
  const { value } = receiver;
  const name = value.kind === "tensor" && asked.text === "fill" ? { ...asked, text: "fill_" } : asked;
  if (isBroken(value)) {
    if (name.text === "backward") interpreter.optimizing.unclear = true;
    return BROKEN;
  }
  const longer = withModule(value, name.text, args);
  if (longer) return rebound(interpreter, run, receiver.expr, longer, value);
  const own = memberCall(interpreter, run, at, name, value, args);
  if (own) return own;
  const call = { ...at, called: name.text, word: name.span };
  const all = [{ name: null, operand: receiver, span: receiver.expr?.span ?? at.expr.span }, ...args];
  if (value.kind === "dict") return dictMethod(interpreter, run, { value, object: receiver.expr }, name, args);
  if (value.kind === "sequence" && name.text === "sort") {
    const first = { name: null, value: receiver.expr ?? at.expr.callee, span: at.expr.callee.span };
    const call = { ...at, expr: { ...at.expr, args: [first, ...at.expr.args] } };
    const ordered = walkCall(interpreter, run, call, "sorted", operands) ?? BROKEN;
    return inOrderNow(interpreter, run, { value, object: receiver.expr }, ordered);
  }
  if (value.kind === "sequence")
    return listMethod(interpreter, run, { value, object: receiver.expr }, name, operands.slice(1));
  // `rng.normal(size=(2, 3))`; whatever else is done to a generator makes no other numbers.
  if (value.kind === "key") return hostCall(interpreter, run, call, name.text, operands) ?? value;
  if (value.kind === "string") return textMethod(interpreter, value.value, name, args);
  if (name.text === "item" || name.text === "tolist") {
    const known = name.text === "item" ? writtenNumber(interpreter, value) : asWritten(interpreter, value);
    if (known) return known;
  }
  if (isScalarTensor(value)) {
    const [on] = args.map(({ operand }) => operand.value);
    if (name.text === "requires_grad_" && (!on || truthOf(on))) return trackedNumber(interpreter, run, at, value);
    const still = scalarMethod(value, name.text, operands.slice(1));
    if (still) return still;
    const asNode = { ...receiver, value: scalarNode(interpreter, run, at, value) };
    const now = methodCall(interpreter, run, at, name, [asNode, ...operands.slice(1)], args);
    if (writesInPlace(name.text) && interpreter.memory) change(interpreter, value, now);
    return now;
  }
  const number =
    (value.kind === "number" || value.kind === "bool") && (findOp(name.text) !== null || isHostFunction(name.text));
  if (value.kind === "custom" && isRule(name.text)) {
    setRules(value.custom, name.text, args);
    return NONE;
  }
  if (value.kind === "def" && isRule(name.text)) {
    const text = `\`${value.def.name.text}\` is a plain def, which takes no rule: write @jax.custom_${name.text.slice(3, 6)} above it.`;
    interpreter.diagnostics.add("bad-method", name.span, text);
    return BROKEN;
  }
  if (value.kind !== "tensor" && value.kind !== "hole" && !number) {
    interpreter.diagnostics.add(
      "bad-method",
      name.span,
      `Only tensors have methods; \`.${name.text}()\` stands after something else.`,
    );
    return BROKEN;
  }
  if (name.text === "requires_grad_" && value.kind === "tensor") {
    const [on] = args.map(({ operand }) => operand.value);
    freeze(interpreter, value.node, on !== undefined && truthOf(on) === false);
    return value;
  }
  if (name.text === "contiguous") return copiedInOrder(interpreter, value);
  if (NOTHING.has(name.text)) return value;
  const handle = value.kind === "tensor" ? registerHook(interpreter, run, at, value, name.text, args) : null;
  if (handle) return handle;
  if (value.kind === "tensor" && isCopied(interpreter, name.text, receiver)) {
    const copy = copyOfWeight(interpreter, run, at, value.node);
    if (copy) return copy;
  }
  if (name.text === "clone" || (name.text === "copy" && operands.length === 1)) return { ...value };
  if (name.text === "item" && value.kind === "tensor") return itemOf(interpreter, run, call, receiver);
  if (name.text === "backward" && value.kind === "tensor") {
    const gradient = args.find((arg, i) => arg.name?.text === "gradient" || (i === 0 && !arg.name))?.operand;
    const loss =
      gradient && gradient.value.kind !== "none"
        ? weighed(interpreter, run, call, receiver, gradient)
        : asScalar(interpreter, run, call, receiver).value;
    if (loss.kind === "tensor") {
      addLoss(interpreter, loss.node, run.statement.span);
      callGradientHooks(interpreter, run, call);
    }
    return NONE;
  }
  if (name.text === "zero_" && isGradient(receiver.expr)) {
    zeroOne(interpreter);
    return NONE;
  }
  if (value.kind === "tensor" && isInit(name.text) && isBegun(interpreter, value.node, name.text))
    return initialise(interpreter, name.text, value, args);
  if (isSplit(name.text)) return splitResults(interpreter, run, { ...call, name }, all);
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
    const converted = convert(interpreter, run, { ...call, name }, receiver, args);
    if (converted) return converted;
  }
  const method = libraryMethod(name.text);
  if (method) {
    const now = callAnyDef(interpreter, run, libraryCall(call, method), all);
    return name.text.endsWith("_") ? written(interpreter, run, call, value, now) : now;
  }
  const marked = writesInPlace(name.text);
  const inPlace = marked || (IN_PLACE.has(name.text) && isNumpyIn(interpreter));
  const plain = marked ? name.text.slice(0, -1) : name.text;
  // NumPy's arrays take all axes: `x.transpose(0, 2, 1, 3)`.
  const op = findOp(plain === "transpose" && operands.length > 3 ? "permute" : plain);
  if (op && op.kind !== "source") {
    const now = opCall(
      interpreter,
      run,
      { ...call, dialect: dialectIn(interpreter), isMethod: true },
      op,
      inOrder(op, all),
    );
    if (inPlace && op.kind === "elementwise" && refusesInPlace(interpreter, call.expr, value, now)) return BROKEN;
    return inPlace ? written(interpreter, run, call, value, now) : now;
  }
  const known = hostCall(interpreter, run, call, name.text, operands);
  if (known) return known;
  const def = libraryDef(plain, dialectIn(interpreter));
  if (def) {
    const now = callAnyDef(interpreter, run, libraryCall(call, def), all);
    return inPlace || def.name.text.endsWith("_") ? written(interpreter, run, call, value, now) : now;
  }
  unknownCall(interpreter, run, call.expr, name, operands);
  return BROKEN;
}

/** What a method of `torch.tensor(2)` answers that leaves the number known: itself, a copy, another dtype; null of any other. */
function scalarMethod(value: Value, name: string, given: readonly Operand[]): Value | null {
  if (value.kind !== "number" && value.kind !== "bool") return null;
  if (NOTHING.has(name) || name === "detach" || name === "requires_grad_") return value;
  if (name === "clone") return { ...value };
  const asked = given.find((operand) => operand.value.kind === "dtype")?.value;
  const dtype = asked?.kind === "dtype" ? asked.dtype : CASTS.has(name) ? DTYPES.get(name) : undefined;
  if (dtype && (CASTS.has(name) || name === "to" || name === "type"))
    return asScalarTensor(numberAs(dtype, value), [value]);
  return name === "to" && given.every((operand) => operand.value.kind === "string") ? value : null;
}

/** Arguments of a method as its function takes them, the receiver first: `x.where(condition, y)` is `where(condition, x, y)`. */
function inOrder(op: OpDef | CompositeDef, [receiver, ...args]: readonly GivenArgument[]): readonly GivenArgument[] {
  const at = op.methodOf ?? 0;
  if (!receiver || at === 0) return [receiver, ...args].filter((arg) => arg !== undefined);
  const isPlain = args.slice(0, at).every(({ name }) => name === null);
  const text = op.params[at]!.names[0]!;
  return isPlain ? args.toSpliced(at, 0, receiver) : [{ ...receiver, name: { text, span: receiver.span } }, ...args];
}

/** A tensor was written in place: everything that holds it has what this answers, in the dtype that its memory has. */
function written(interpreter: Interpreter, run: StatementRun, at: CallAt, was: Value, found: Value): Value {
  const { expr } = at;
  const now = inDtypeOf(interpreter, run, at, was, found);
  const holder = expr.callee.kind === "member" ? bare(expr.callee.object) : null;
  if (holder && isGradient(holder) && now.kind === "tensor") setGradient(interpreter, run, holder, now.node);
  else {
    rebind(interpreter, run, expr, was, now);
    learnInPlace(interpreter, run.frame, was, now);
  }
  return now;
}

/** `mask.fill_diagonal_(0)`: what is stored in memory takes the dtype that it has. */
function inDtypeOf(interpreter: Interpreter, run: StatementRun, { expr, path }: CallAt, was: Value, now: Value): Value {
  if (was.kind !== "tensor" || now.kind !== "tensor") return now;
  const { dtype } = typeOf(interpreter, was.node);
  if (typeOf(interpreter, now.node).dtype === dtype) return now;
  return castTo(interpreter, run, { expr, path: `${path}/stored` }, { value: now, path, expr }, dtype);
}

/** `x.relu_()`: the name stands for the result from now on. Where the call is part of something larger, that reads it. */
function rebind(interpreter: Interpreter, run: StatementRun, expr: CallExpr, was: Value, value: Value): void {
  writeInPlace(interpreter, run, expr, was, value);
  const target = writtenName(expr);
  if (!target || cutsFrom(expr)) return;
  const { statement } = run;
  bindName(interpreter, run, target, value);
  const symbol = boundAt(interpreter, target);
  if (symbol && !(statement.kind === "expression" && bare(statement.value) === expr)) symbol.isRead = true;
}

/** Whether a part of a tensor is written, `x[0].add_(1)`. */
function cutsFrom(expr: Expr): boolean {
  const at = bare(expr);
  if (at.kind === "subscript") return true;
  return at.kind === "call" && at.callee.kind === "member" && cutsFrom(at.callee.object);
}

/** Whether a tensor that an init function sets is a weight, or what a program draws or declares to begin with. Draws that are filled with a number are that number. */
export const isBegun = ({ nodes, weightOf, drawn }: Interpreter, id: NodeId, name: string): boolean =>
  weightOf.has(id) || (drawn.has(id) && !isFill(name)) || nodes.get(id)!.attrs["role"] === "param";

/** `w.grad`, `w.grad.data` */
function isGradient(expr: Expr | null): boolean {
  const at = expr && bare(expr);
  return at?.kind === "member" && (at.name.text === "grad" || (at.name.text === "data" && isGradient(at.object)));
}

/** `p.grad.mul_(0.5)`, `p.grad.data.clamp_(-1, 1)`: later readers of the gradient find what it is now. */
function setGradient(interpreter: Interpreter, run: StatementRun, expr: Expr, now: NodeId): void {
  const at = bare(expr);
  if (at.kind !== "member") return;
  if (at.name.text === "data") return setGradient(interpreter, run, at.object, now);
  const of = interpreter.valueOf(run, at.object, `${run.root}/of`);
  if (of.kind === "tensor") interpreter.cotangents.set(of.node, now);
}

/** `loss.item()`: the number that the only element will be, which nothing is differentiated through. */
function itemOf(interpreter: Interpreter, run: StatementRun, at: CallAt, of: Operand): Value {
  const { shape } = typeOf(interpreter, (of.value as Extract<Value, { kind: "tensor" }>).node);
  if (shape.some((extent) => extent !== 1)) {
    interpreter.diagnostics.add(
      "bad-method",
      at.expr.callee.span,
      `item() takes the one element of a tensor; this one is ${showShape(shape)}.`,
    );
    return BROKEN;
  }
  const apply = (word: string, operand: Operand, path: string, attrs: Attrs): Operand => ({
    value: applyOp(interpreter, run, { op: findOp(word)!, path, expr: at.expr }, { tensors: [operand], attrs }),
    path,
    expr: at.expr,
  });
  const flat = shape.length === 0 ? of : apply("reshape", of, `${at.path}/0`, { shape: [] });
  const { value } = apply("stop_gradient", flat, at.path, {});
  // Told to the host alone, it is no result.
  if (value.kind === "tensor") interpreter.spare.add(value.node);
  return value;
}

/** Whether a tensor is copied so that no derivative passes: `p.data.clone()`, `p.clone().detach()`. */
function isCopied({ nodes }: Interpreter, name: string, { value, expr }: Operand): boolean {
  const at = expr && bare(expr);
  if (value.kind !== "tensor" || !at) return false;
  const word = at.kind === "call" ? lastNameOf(at) : at.kind === "member" ? at.name.text : "";
  if (name === "detach") return word === "clone";
  return (
    name === "clone" &&
    (nodes.off || word === "data" || (word === "detach" && nodes.get(value.node)!.inputs.length === 1))
  );
}

/** `y.backward(g)`: the sum of y, each element times that of g, which counts as constant. */
function weighed(interpreter: Interpreter, run: StatementRun, at: CallAt, of: Operand, gradient: Operand): Value {
  if (isBroken(gradient.value)) return BROKEN;
  const apply = (word: string, tensors: readonly Operand[], step: string, attrs: Attrs = {}): Operand => {
    const path = `${at.path}/${step}`;
    const op = findOp(word)!;
    const all = op.kind === "composite" || op.kind === "source" ? attrs : withDefaults(op, attrs);
    const value = applyOp(interpreter, run, { op, path, expr: at.expr }, { tensors, attrs: all });
    if (value.kind === "tensor") interpreter.spare.add(value.node);
    return { value, path, expr: at.expr };
  };
  const still = apply("stop_gradient", [gradient], "gradient");
  return apply("sum", [apply("mul", [of, still], "weighed")], "loss").value;
}

/** How a class that is a dictionary of modules goes through what it holds. */
const WALKED: ReadonlySet<string> = new Set(["items", "keys", "values"]);

/** A method of an object, a class, a layer or a list of modules; null of anything else. */
function memberCall(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  name: Identifier,
  value: Value,
  args: readonly GivenArgument[],
): Value | null {
  if (value.kind === "object") {
    const { object } = value;
    const found = attributeOf(interpreter, run, object, name, { path: at.path, expr: at.expr.callee });
    if (found) return interpreter.call(run, at, found, args);
    const known = moduleMethod(interpreter, run, at, value, name.text, args);
    const inside = known ? value : contentsOf(value);
    if (inside.kind === "dict" && WALKED.has(name.text))
      return dictMethod(interpreter, run, { value: inside, object: null }, name, args);
    if (!known) unknownAttribute(interpreter, object.of, object.fields.keys(), name);
    return known ?? BROKEN;
  }
  if (value.kind === "class") return callOnClass(interpreter, run, at, value.of, name, args);
  if (value.kind === "super") return callSuper(interpreter, run, at, value, name, args);
  const isLayer = value.kind === "layer" || value.kind === "layer-class";
  if (value.kind === "layer-class" && name.text === "__init__") return callAsLayer(at, value.name, args);
  if (isLayer || (value.kind === "sequence" && value.list))
    return moduleMethod(interpreter, run, at, value, name.text, args);
  const ofModules =
    value.kind === "dict" && isModule(value) ? moduleMethod(interpreter, run, at, value, name.text, args) : null;
  if (ofModules) return ofModules;
  // `chain.from_iterable(lists)`: a function beside a function.
  const beside = value.kind === "def" && isOfLibrary(value.scope) ? moduleDef("itertools", name.text) : null;
  if (beside) return interpreter.call(run, at, beside, args);
  const entry = value.kind === "dict" ? value.entries.get(name.text) : undefined;
  return entry && CALLABLE.has(entry.value.kind) ? interpreter.call(run, at, entry.value, args) : null;
}

const CALLABLE: ReadonlySet<Value["kind"]> = new Set([
  "def",
  "op",
  "partial",
  "object",
  "module-method",
  "layer",
  "class",
  "custom",
]);

/** @file Functions of Python and its libraries whose answer is known while the program is read: types, settings, limits, what wraps a value. */
import { findOp, opDef, withDefaults } from "../../ops";
import { libraryDef } from "../library/library";
import { applyOp } from "../calls/apply";
import type { DType } from "../../ir";
import { foldBinary, truthOf } from "./constants";
import { countedCall, countedNames } from "./counted";
import type { Interpreter, StatementRun } from "../interpreter";
import { haikuState, runningModule } from "../layers/collections";
import { isLayer, layerMember, layerNamed, layerOf, namedWeight } from "../layers/layer";
import { lieWithin } from "../indexing/from-end";
import { deepCopy } from "../layers/weights";
import { attributeOf } from "../objects/attributes";
import { classNames } from "../objects/inheritance";
import { setField } from "../objects/fields";
import { operated } from "../objects/operators";
import { castTo, memberValue } from "../calls/member";
import { typeOf } from "../interpreter";
import { arrayOfList, numberAs, trackedNumber } from "./number-arrays";
import type { CallExpr, Expr } from "../reading/syntax";
import { itemsOf } from "../statements/iterate";
import { dictKey, entryUnder } from "../reading/strings";
import { exhaust, isMade } from "./grown";
import { drawnOf, RANDOM } from "./random";
import { bare, lastNameOf, walk } from "../reading/syntax";
import { asDictionary, namedAnswer, namedTuple, replaced } from "./records";
import {
  BROKEN,
  type GivenArgument,
  isBroken,
  isOperand,
  isScalarTensor,
  NONE,
  numberValue,
  type Operand,
  type Value,
} from "./values";

interface Call {
  readonly expr: CallExpr;
  readonly path: string;
}
type Known = (interpreter: Interpreter, run: StatementRun, call: Call, operands: readonly Operand[]) => Value | null;

const loose = (value: Value): Operand => ({ value, path: "", expr: null });
const flag = (value: boolean): Value => ({ kind: "bool", value });

/** Whether it is a list or a dictionary of modules that a library's class made. */
const isContainer = (value: Value): value is Extract<Value, { kind: "sequence" | "dict" }> =>
  (value.kind === "sequence" || value.kind === "dict") && value.chain !== undefined;

/** Names of types as `isinstance` asks for them, by what stands for such a value here. */
const TYPES: readonly (readonly [RegExp, (value: Value) => boolean])[] = [
  [/Tensor$|^Array$|^ndarray$|^Parameter$|^Variable$/, (value) => value.kind === "tensor" || isScalarTensor(value)],
  [/^int$|^Integral$|^integer$/, (value) => (value.kind === "number" && value.whole) || value.kind === "bool"],
  [/^float$|^Real$|^Number$|^floating$/, (value) => value.kind === "number" && !value.whole],
  [/^Number$/, (value) => value.kind === "number"],
  [/^bool$/, ({ kind }) => kind === "bool"],
  [/^str$/, ({ kind }) => kind === "string"],
  [/^tuple$|^list$|^Sequence$|^Iterable$|^Size$/i, ({ kind }) => kind === "sequence"],
  [/^dict$|^Mapping$/i, ({ kind }) => kind === "dict"],
  [/^dtype$/, ({ kind }) => kind === "dtype"],
  [/^Callable$|^FunctionType$/, ({ kind }) => kind === "def" || kind === "op" || kind === "partial"],
  [/^Sequential$/, (value) => isContainer(value) && value.chain === true],
  [/^ModuleList$/, (value) => isContainer(value) && value.kind === "sequence" && !value.chain],
  [/^ModuleDict$/, (value) => isContainer(value) && value.kind === "dict" && !value.chain],
  [/^Module$/, (value) => value.kind === "layer" || value.kind === "object" || isContainer(value)],
];

/** Names of the classes that a layer or an object is of. */
function classesOf(value: Value): readonly string[] {
  if (value.kind === "layer") return [value.layer.type];
  return value.kind === "object" ? classNames(value.object.of) : [];
}

const wordsIn = (expr: Expr): readonly string[] =>
  [...walk(expr)].flatMap((each) =>
    each.kind === "name" ? [each.name] : each.kind === "member" ? [each.name.text] : [],
  );

/** Types are words here: what no word of the language means, no value is. */
const isInstance: Known = (_interpreter, _run, { expr }, [first]) => {
  const wanted = expr.args[1];
  if (!first || !wanted) return null;
  if (first.value.kind === "broken") return BROKEN;
  const words = wordsIn(wanted.value);
  if (classesOf(first.value).some((name) => words.includes(name))) return flag(true);
  const types = isScalarTensor(first.value) ? TYPES.slice(0, 1) : TYPES;
  return flag(types.some(([pattern, holds]) => words.some((word) => pattern.test(word)) && holds(first.value)));
};

const LIMITS: Readonly<Record<"f32" | "f16" | "i32", Readonly<Record<string, number>>>> = {
  f32: {
    max: 3.4028234663852886e38,
    min: -3.4028234663852886e38,
    eps: 2 ** -23,
    tiny: 2 ** -126,
    smallest_normal: 2 ** -126,
  },
  f16: { max: 65504, min: -65504, eps: 2 ** -10, tiny: 2 ** -14, smallest_normal: 2 ** -14 },
  i32: { max: 2 ** 31 - 1, min: -(2 ** 31) },
};

/** `torch.finfo(x.dtype)`: its fields as entries. */
const limits: Known = (interpreter, _run, _call, [first]) => {
  const value = first?.value;
  const dtype =
    value?.kind === "dtype" ? value.dtype : value?.kind === "tensor" ? typeOf(interpreter, value.node).dtype : null;
  if (dtype === null || dtype === "bool") return null;
  const entries = Object.entries(LIMITS[dtype]).map(
    ([name, limit]) => [name, loose(numberValue(limit, dtype === "i32"))] as const,
  );
  return { kind: "dict", entries: new Map(entries) };
};

/** What `object.name` is; null where there is no such thing. */
function attributeNamed(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: Call,
  { value }: Operand,
  text: string,
): Value | null {
  if (value.kind === "dict") return value.entries.get(text)?.value ?? null;
  if (value.kind === "object")
    return attributeOf(interpreter, run, value.object, { text, span: expr.span }, { path, expr });
  if (value.kind === "layer") return layerMember(interpreter, run, value.layer, { text, span: expr.span }, path);
  if (value.kind === "class") return value.of.attributes.get(text)?.value ?? null;
  const op = findOp(text);
  if (value.kind === "tensor" && TENSOR_MEMBERS.has(text)) {
    const name = { text, span: expr.span };
    const member = { kind: "member", object: expr, name, span: expr.span } as const;
    return memberValue(interpreter, run, member, { value, path: "", expr: null }, path);
  }
  // A method of a tensor, `getattr(loss, reduction)()`.
  if (value.kind === "tensor" && op && op.kind !== "source")
    return {
      kind: "partial",
      of: { kind: "op", op },
      args: [{ name: null, operand: { value, path: "", expr: null }, span: expr.span }],
    };
  if (value.kind !== "module") return null;
  if (isLayer(text)) return { kind: "layer-class", name: text };
  return op && op.kind !== "source" ? { kind: "op", op } : null;
}

const TENSOR_MEMBERS: ReadonlySet<string> = new Set(["shape", "ndim", "dtype", "device", "T", "mT", "requires_grad"]);

/** `getattr(options, "eps", 1e-5)`. */
const attribute: Known = (interpreter, run, call, [object, name, otherwise]) => {
  if (!object || name?.value.kind !== "string") return otherwise?.value ?? null;
  const found = attributeNamed(interpreter, run, call, object, name.value.value);
  if (!found && !otherwise && object.value.kind === "dict") interpreter.missing.add(name.value.value);
  return found ?? otherwise?.value ?? null;
};

const hasAttribute: Known = (interpreter, run, call, [object, name]) => {
  if (name?.value.kind !== "string" || !object) return null;
  const { value: text } = name.value;
  if (object.value.kind === "tensor" || object.value.kind === "module")
    return flag(findOp(text) !== null || libraryDef(text, null) !== null);
  return flag(attributeNamed(interpreter, run, call, object, name.value.value) !== null);
};

/** `setattr(self, f"layer{i}", layer)`. */
const setAttribute: Known = (interpreter, _run, _call, [object, name, value]) => {
  if (object?.value.kind !== "object" || name?.value.kind !== "string" || !value) return null;
  setField(interpreter, object.value.object, name.value.value, value.value);
  return NONE;
};

/** `type(x)`. */
const typeOfValue: Known = (_interpreter, _run, _call, [first]) => {
  if (first?.value.kind === "object") return { kind: "class", of: first.value.object.of };
  return first?.value.kind === "layer" ? { kind: "layer-class", name: first.value.layer.type } : null;
};

/** `field(default_factory=lambda: [1, 2])` of a dataclass, or its default. */
const fieldDefault: Known = (interpreter, run, call, operands) => {
  const given = (word: string): Operand | undefined =>
    operands[call.expr.args.findIndex(({ name }) => name?.text === word)];
  const factory = given("default_factory");
  if (factory) return interpreter.call(run, call, factory.value, []);
  return given("default")?.value ?? NONE;
};

const givenIn = (expr: CallExpr, operands: readonly Operand[]): readonly GivenArgument[] =>
  operands.map((operand, i) => ({ name: expr.args[i]?.name ?? null, operand, span: expr.span }));

/** `dataclasses.replace(state, step=1)`. */
const withFields: Known = (_interpreter, _run, { expr }, operands) => {
  const [first, ...others] = givenIn(expr, operands);
  return first?.operand.value.kind === "object" ? replaced(first.operand.value.object, others) : null;
};

/** `set(names)`: each item once, as they come. */
const distinct: Known = (interpreter, run, { path }, [first]) => {
  const items = first ? itemsOf(interpreter, run, first, `${path}/in`) : [];
  if (!items) return null;
  const isNew = ({ value }: Operand, at: number): boolean =>
    items.findIndex((other) => truthOf(foldBinary("==", other.value, value) ?? NONE) === true) >= at;
  const plain = items.every(({ value }) => /^(number|string|bool|sequence)$/.test(value.kind));
  return { kind: "sequence", items: plain ? items.filter(isNew) : items, list: true };
};

/** `get_act_layer("gelu")`: the layer that configurations call so; a class stays as it is. */
const activationLayer: Known = (_interpreter, _run, { expr }, [first]) => {
  if (!first || isBroken(first.value)) return first ? BROKEN : null;
  const found = first.value.kind === "string" ? layerNamed(first.value.value) : first.value;
  if (!found) return null;
  const makes = !/^get_act_layer$|_class$/.test(lastNameOf(expr));
  return makes && found.kind === "layer-class" ? layerOf(found.name, [], expr) : found;
};

/** `np.array(x)`: x in memory of its own. */
const copyOf: Known = (interpreter, run, call, operands) => {
  const value = arrayOf(interpreter, run, call, operands);
  const tracks = givenIn(call.expr, operands).find(({ name }) => name?.text === "requires_grad")?.operand.value;
  if (value && tracks && truthOf(tracks)) return trackedNumber(interpreter, run, call, value);
  if (value?.kind === "number" || value?.kind === "bool") return { ...value, isTensor: true };
  return value?.kind === "tensor" ? { ...value } : value;
};

/** `copy.copy(items)`: a list or a dictionary of its own, which holds the same. */
const shallow: Known = (_interpreter, _run, _call, [first]) =>
  first && ["tensor", "sequence", "dict"].includes(first.value.kind) ? { ...first.value } : null;

/** A copy with weights of its own. */
const copied: Known = (interpreter, _run, _call, [first]) => (first ? deepCopy(interpreter, first.value) : null);

/** `torch.tensor([1.0, 2.0])`: numbers that stand in the text, as a constant; `jnp.asarray(x)` is x. */
const arrayOf: Known = (interpreter, run, call, operands) => {
  const asked = operands.find(({ value }) => value.kind === "dtype");
  const dtype: DType | null = asked?.value.kind === "dtype" ? asked.value.dtype : null;
  const first = operands.find(({ value }) => value.kind !== "string");
  if (!first || isBroken(first.value)) return first ? BROKEN : null;
  if (first.value.kind === "tensor") return dtype ? castTo(interpreter, run, call, first, dtype) : first.value;
  if (first.value.kind === "number" || first.value.kind === "bool")
    return dtype ? numberAs(dtype, first.value) : first.value;
  if (first.value.kind !== "sequence") return null;
  return arrayOfList(interpreter, run, call, first.value, dtype);
};

/** `x.new_tensor(data)`: of x's dtype, unless the call names another. */
const arrayAs: Known = (interpreter, run, call, [of, ...data]) => {
  const own =
    of?.value.kind === "tensor" && !interpreter.unknown.has(of.value.node)
      ? [loose({ kind: "dtype", dtype: typeOf(interpreter, of.value.node).dtype })]
      : [];
  return copyOf(interpreter, run, call, [...data, ...own]);
};

/** JAX's checks hand back what they were given: the arrays, without the name of the caller and the dtype. */
const arraysGiven =
  (always: boolean): Known =>
  (_interpreter, _run, _call, operands) => {
    const arrays = operands.filter(({ value }) => value.kind !== "string" && value.kind !== "dtype");
    if (arrays.some(({ value }) => isBroken(value))) return BROKEN;
    return arrays.length === 1 && !always ? arrays[0]!.value : { kind: "sequence", items: arrays };
  };

const SPEAKS_OF_LIBRARY = /\b(torch|np|numpy|jnp|jax)\b/;
/** Functions that Python has itself, those among them whose name an op has, too. */
const PYTHONS_OWN = /^(abs|all|any|max|min|pow|round|sum)$/;

/** A text that speaks of a library, and calls no op without its prefix, means Python's own function where there is none. */
function meansPython(text: string): boolean {
  if (!SPEAKS_OF_LIBRARY.test(text)) return false;
  const own = new Set(
    [...text.matchAll(/\bdef\s+(\w+)|\bimport\s+([\w ,]+)/g)].flatMap(([, def, names]) => def ?? names!.split(/\W+/)),
  );
  const calls = [...text.matchAll(/(?<![\w.])([a-z_]\w*)\s*\(/g)].map(([, name]) => name!);
  return !calls.some((name) => !own.has(name) && !PYTHONS_OWN.test(name) && findOp(name) !== null);
}

/** `sum(losses)`; of a tensor, Python adds its rows up. */
const total: Known = (interpreter, run, call, [list, start, ...more]) => {
  const callee = bare(call.expr.callee);
  const rank = list?.value.kind === "tensor" ? typeOf(interpreter, list.value.node).shape.length : 0;
  const alone = !start || (start.value.kind === "number" && start.value.value === 0);
  if (list && rank > 1 && alone && more.length === 0 && callee.kind === "name" && meansPython(interpreter.text)) {
    const op = opDef("sum");
    return applyOp(interpreter, run, { op, ...call }, { tensors: [list], attrs: withDefaults(op, { axes: [0] }) });
  }
  if (
    list?.value.kind !== "sequence" ||
    list.value.items.some(({ value }) => !isOperand(value) && value.kind !== "object")
  )
    return null;
  exhaust(interpreter, list.value, [], isMade(list.expr));
  const all = [...(start ? [start] : []), ...list.value.items];
  const [first, ...rest] = all.length > 0 ? all : [loose(numberValue(0, true))];
  return rest.reduce((sum, item, i): Operand => {
    const path = i === rest.length - 1 ? call.path : `${call.path}#${i}`;
    const value =
      operated(interpreter, run, { expr: call.expr, path, op: "+" }, sum, item) ??
      foldBinary("+", sum.value, item.value) ??
      applyOp(interpreter, run, { op: findOp("add")!, path, expr: call.expr }, { tensors: [sum, item], attrs: {} });
    return { value, path, expr: call.expr };
  }, first!).value;
};

const every =
  (some: boolean): Known =>
  (interpreter, _run, _call, [list]) => {
    if (list?.value.kind !== "sequence") return null;
    const truths = list.value.items.map(({ value }) => truthOf(value));
    // The first that decides is the last that is asked.
    const last = truths.indexOf(some);
    exhaust(interpreter, list.value, last < 0 ? [] : list.value.items.slice(last + 1), isMade(list.expr));
    return truths.includes(null) ? null : flag(some ? truths.includes(true) : !truths.includes(false));
  };

/** The product of sizes: `math.prod(shape)`. */
const product: Known = (_interpreter, _run, _call, [list]) => {
  const numbers = list?.value.kind === "sequence" ? list.value.items.map(({ value }) => value) : null;
  if (!numbers?.every((value) => value.kind === "number")) return null;
  return numberValue(
    numbers.reduce((all, { value }) => all * value, 1),
    numbers.every(({ whole }) => whole),
  );
};

/** `dict(a=1, **other)`. */
const dictionary: Known = (interpreter, run, { expr, path }, operands) => {
  const entries = new Map<string, Operand>();
  for (const [i, operand] of operands.entries()) {
    const { value } = operand;
    const name = expr.args[i]?.name;
    if (isBroken(value)) return BROKEN;
    if (name) entries.set(name.text, operand);
    else if (value.kind === "dict") for (const [key, entry] of value.entries) entries.set(key, entry);
    else
      for (const pair of itemsOf(interpreter, run, operand, `${path}/in`) ?? []) {
        const [key, entry] = pair.value.kind === "sequence" ? pair.value.items : [];
        if (!key || !entry) return null;
        const word = dictKey(interpreter, key);
        if (word === null) return BROKEN;
        entries.set(word, entryUnder(key, entry));
      }
  }
  return { kind: "dict", entries };
};

const pairOf: Known = (_interpreter, _run, _call, [only]) => {
  if (!only || isBroken(only.value)) return only ? BROKEN : null;
  return only.value.kind === "sequence" ? only.value : { kind: "sequence", items: [only, only] };
};

const rounded: Known = (_interpreter, _run, _call, [number, digits]) => {
  if (number?.value.kind !== "number") return null;
  const scale = digits?.value.kind === "number" ? 10 ** digits.value.value : 1;
  const up = number.value.value * scale;
  const near = Math.abs(up % 1) === 0.5 ? 2 * Math.round(up / 2) : Math.round(up);
  return numberValue(near / scale, !digits);
};

/** How convolutional networks round channels: to a multiple, and never down by more than a tenth. */
const divisible: Known = (_interpreter, _run, { expr }, operands) => {
  const [value, divisor, least, limit] = ["v", "divisor", "min_value", "round_limit"].map((name, i) => {
    const at = expr.args.findIndex((arg, k) => (arg.name ? arg.name.text === name : k === i));
    const found = operands[at]?.value;
    return found?.kind === "number" ? found.value : null;
  });
  if (value === null || value === undefined) return null;
  const by = divisor ?? 8;
  const near = Math.max(least ?? by, Math.floor((value + by / 2) / by) * by);
  return numberValue(near < (limit ?? 0.9) * value ? near + by : near, true);
};

/** `torch.LongTensor([1, 2])` holds the numbers; `torch.Tensor(2, 3)` has that shape, and whatever values. */
const typedTensor =
  (dtype: DType): Known =>
  (interpreter, run, call, operands) =>
    operands[0]?.value.kind === "number"
      ? drawnOf(dtype)(interpreter, run, call, operands)
      : arrayOf(interpreter, run, call, [...operands, loose({ kind: "dtype", dtype })]);

const never: Known = () => flag(false);
const nothing: Known = () => NONE;

/** What compiles a function. */
/** Whether indices are known to be at least the one number and below the other. */
const areWithin: Known = (interpreter, _run, _call, [index, low, high]) =>
  index && low?.value.kind === "number" && high?.value.kind === "number"
    ? flag(lieWithin(interpreter, index.value, low.value.value, high.value.value))
    : null;

export const WRAPPERS: ReadonlySet<string> = new Set(["jit", "compile", "script", "filter_jit"]);

const KNOWN: ReadonlyMap<string, Known> = new Map<string, Known>([
  ["isinstance", isInstance],
  ["getattr", attribute],
  ...countedNames.map((name): readonly [string, Known] => [
    name,
    (interpreter, run, call, operands) => countedCall(interpreter, run, call, name, operands),
  ]),
  ["copy", shallow],
  ["hasattr", hasAttribute],
  ["setattr", setAttribute],
  ["type", typeOfValue],
  ["field", fieldDefault],
  ["deepcopy", copied],
  ["replace", withFields],
  [
    "asdict",
    (_interpreter, _run, _call, [first]) => (first?.value.kind === "object" ? asDictionary(first.value.object) : null),
  ],
  ["namedtuple", (interpreter, _run, { expr }, operands) => namedTuple(interpreter, expr, givenIn(expr, operands))],
  ["NamedTuple", (interpreter, _run, { expr }, operands) => namedTuple(interpreter, expr, givenIn(expr, operands))],
  ["return_types", (_interpreter, _run, _call, operands) => namedAnswer(operands)],
  ["is_within", areWithin],
  ["is_grad_enabled", ({ keepsWeights, nodes }) => flag(!keepsWeights && !nodes.off)],
  ["set", distinct],
  ["frozenset", distinct],
  ...["get_act_layer", "get_act_fn", "create_act_layer", "get_activation"].map(
    (name) => [name, activationLayer] as const,
  ),
  ["OrderedDict", dictionary],
  ["SimpleNamespace", dictionary],
  ["Namespace", dictionary],
  ["finfo", limits],
  ["iinfo", limits],
  ...["asarray", "from_numpy", "as_tensor"].map((name) => [name, arrayOf] as const),
  ["array", copyOf],
  ["tensor", copyOf],
  ["scalar_tensor", copyOf],
  ["ensure_arraylike", arraysGiven(false)],
  ["new_tensor", arrayAs],
  ["promote_args_inexact", arraysGiven(true)],
  ["promote_args", arraysGiven(true)],
  ["promote_dtype", arraysGiven(true)],
  ["broadcast_arrays_like", arraysGiven(true)],
  ...RANDOM,
  ["Tensor", typedTensor("f32")],
  ["FloatTensor", typedTensor("f32")],
  ["DoubleTensor", typedTensor("f32")],
  ["HalfTensor", typedTensor("f16")],
  ["IntTensor", typedTensor("i32")],
  ["LongTensor", typedTensor("i32")],
  ["BoolTensor", typedTensor("bool")],
  // What compiles or wraps a function or a model changes no value.
  ...[...WRAPPERS, "weight_norm", "DataParallel"].map((name): readonly [string, Known] => [
    name,
    (_interpreter, _run, _call, [of]) => of?.value ?? null,
  ]),
  ["device", (_interpreter, _run, _call, [name]) => (name ? name.value : { kind: "string", value: "cpu" })],
  [
    "get_parameter",
    (interpreter, run, call, operands) =>
      namedWeight(interpreter, run, call, operands, runningModule(interpreter, run) ?? undefined),
  ],
  ["get_state", (interpreter, run, call, operands) => haikuState(interpreter, run, call, operands, false)],
  ["set_state", (interpreter, run, call, operands) => haikuState(interpreter, run, call, operands, true)],
  ["sum", total],
  ["any", every(true)],
  ["all", every(false)],
  ["prod", product],
  ["dict", dictionary],
  ["round", rounded],
  ["make_divisible", divisible],
  ["_make_divisible", divisible],
  ["to_2tuple", pairOf],
  ["_pair", pairOf],
  ["pair", pairOf],
  [
    "callable",
    (_interpreter, _run, _call, [first]) => (first ? flag(/^(def|op|partial)$/.test(first.value.kind)) : null),
  ],
  [
    "is_floating_point",
    (interpreter, _run, _call, [first]) =>
      first?.value.kind === "tensor" ? flag(typeOf(interpreter, first.value.node).dtype.startsWith("f")) : null,
  ],
  [
    "is_integer",
    (_interpreter, _run, _call, [first]) =>
      first?.value.kind === "number" ? flag(Number.isInteger(first.value.value)) : null,
  ],
  ["get_device", () => numberValue(0, true)],
  ["is_contiguous", () => flag(true)],
  [
    "is_tensor",
    (_interpreter, _run, _call, [first]) =>
      first ? flag(first.value.kind === "tensor" || isScalarTensor(first.value)) : null,
  ],
  ...[
    "is_scripting",
    "is_tracing",
    "is_compiling",
    "is_exporting",
    "is_autocast_enabled",
    "is_torch_npu_available",
    "iscomplexobj",
    "is_complex",
    "is_cuda",
    "is_initialized",
    "is_available",
    "is_built",
    "is_bf16_supported",
  ].map((name) => [name, never] as const),
  ...[
    "print",
    "manual_seed",
    "synchronize",
    "empty_cache",
    "set_float32_matmul_precision",
    "get_logger",
    "getLogger",
    "make_rng",
  ].map((name) => [name, nothing] as const),
]);

/** The answer of `name`; null when nothing here knows it. */
export function hostCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: Call,
  name: string,
  operands: readonly Operand[],
): Value | null {
  return KNOWN.get(name)?.(interpreter, run, call, operands) ?? null;
}

export const isHostFunction = (name: string): boolean => KNOWN.has(name);

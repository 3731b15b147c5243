/** @file Methods that an object has of a library's classes, and those of the classes above its own: `self.register_buffer(…)`, `super().forward(x)`. */
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { store, storeFirst, storedValue } from "../layers/collections";
import { callLayer, layerMember, namedWeight } from "../layers/layer";
import { callOwn } from "../library/library";
import type { Identifier } from "../reading/syntax";
import {
  BROKEN,
  type ClassInfo,
  type GivenArgument,
  isBroken,
  type LayerInfo,
  type Method,
  NONE,
  type ObjectInfo,
  type Operand,
  type Value,
} from "../values/values";
import { callMethod, classMember } from "./attributes";
import { takesObject, unknownAttribute } from "./classes";
import { inherited } from "./inheritance";
import { attachItems, ITEMS } from "./containers";
import { setField } from "./fields";
import { registerHook, removeHook } from "./hooks";
import {
  applyToEach,
  applyVariables,
  childrenOf,
  initVariables,
  loadState,
  modulesOf,
  namedBuffers,
  namedParameters,
  namedWeights,
  pairsOf,
} from "./modules";
import { optimizerMethod } from "./optimizers";
import { freeze, zeroGradients } from "./parameters";
import { truthOf } from "../values/constants";
import { layerOfObject, setLayer } from "./objects";

/** What every module can do: where it is, how it is saved and which mode it is in change no value. */
const SAME: ReadonlySet<string> = new Set([
  "to",
  "cuda",
  "cpu",
  "float",
  "half",
  "double",
  "bfloat16",
  "type",
  "compile",
]);
/** What a module is made of, by the method that lists it. */
const LISTS: ReadonlyMap<string, (interpreter: Interpreter, run: StatementRun, self: Value) => NamedValues> = new Map([
  ["modules", (_interpreter, _run, self) => modulesOf(self)],
  ["children", (_interpreter, _run, self) => childrenOf(self)],
  ["parameters", namedParameters],
  ["buffers", (interpreter, run, self) => namedBuffers(interpreter, run, self)],
]);
import { asDictionary, replaced } from "../values/records";

type NamedValues = readonly (readonly [name: string, value: Value])[];
const NOTHING =
  /^(register_\w*hook|register_load\w*|_?init_weights|post_init|sow|gradient_checkpointing_\w+|add_module|register_module|reset_parameters)$/;

const FUNCTIONS: ReadonlySet<Value["kind"]> = new Set(["def", "partial", "op"]);
const isFunction = ({ kind }: Value): boolean => FUNCTIONS.has(kind);

/** The module, it and all inside it training or not. */
function inMode(interpreter: Interpreter, self: Value, on: boolean): Value {
  for (const [, value] of modulesOf(self)) {
    const named = value.kind === "object" ? value.object : value.kind === "layer" ? value.layer : null;
    if (named) interpreter.modes.set(named, on);
  }
  return self;
}

/** Methods of every module that a program may hand on, `apply_fn=model.apply`. */
export const isHandedOn = (name: string): boolean => name === "apply" || name === "init";

/** A method that every module of a library has; null of any other name. */
export function moduleMethod(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  self: Value,
  name: string,
  args: readonly GivenArgument[],
): Value | null {
  if (name === "requires_grad_") {
    const [on] = args.map(({ operand }) => operand.value);
    for (const [, weight] of namedWeights(interpreter, run, self))
      if (weight.kind === "tensor") freeze(interpreter, weight.node, on !== undefined && truthOf(on) === false);
    return self;
  }
  if (SAME.has(name)) return self;
  if (name === "train" || name === "eval") {
    const [said] = args.map(({ operand }) => truthOf(operand.value));
    return inMode(interpreter, self, name === "train" && said !== false);
  }
  if (self.kind === "layer" && name === "attend" && args[0]) return attended(interpreter, run, at, self.layer, args[0]);
  const isModel = self.kind === "object" || self.kind === "layer";
  if (isModel && name === "init") return initVariables(interpreter, run, at, self, args);
  if (isModel && name === "apply" && args[0] && !isFunction(args[0].operand.value))
    return applyVariables(interpreter, run, at, self, args);
  if (name === "apply") {
    if (args[0]) applyToEach(interpreter, run, at, self, args[0].operand.value);
    return self;
  }
  const listed = name === "parameters" ? undefined : LISTS.get(name.replace(/^named_/, ""))?.(interpreter, run, self);
  if (listed) {
    const items = name.startsWith("named_")
      ? pairsOf(listed)
      : listed.map(([, value]) => ({ value, path: "", expr: null }));
    return { kind: "sequence", items, list: true };
  }
  if (name === "state_dict") {
    const all = [...namedWeights(interpreter, run, self), ...namedBuffers(interpreter, run, self, "", true)];
    return { kind: "dict", entries: new Map(all.map(([key, value]) => [key, { value, path: "", expr: null }])) };
  }
  if (name === "load_state_dict") {
    if (args[0]) loadState(interpreter, run, at.expr, self, args[0].operand.value);
    return NONE;
  }
  if (name === "zero_grad") {
    zeroGradients(interpreter);
    return NONE;
  }
  if (name === "parameters") return { kind: "sequence", items: [], list: true, parametersOf: self };
  const handle = registerHook(interpreter, run, at, self, name, args);
  if (handle) return handle;
  if (self.kind === "object" && removeHook(interpreter, self.object, name)) return NONE;
  if (self.kind !== "object") return NOTHING.test(name) ? NONE : null;
  const { object } = self;
  if (/^_?replace$/.test(name) && args.every((arg) => arg.name && object.fields.has(arg.name.text)))
    return replaced(object, args);
  if (name === "_asdict") return asDictionary(object);
  const done = optimizerMethod(interpreter, run, at, object, name, args);
  if (done) return done;
  const [first, second] = args.map(({ operand }) => operand.value);
  const adds = ADDS.test(name);
  const registers = name === "register_buffer" || name === "register_parameter" || adds;
  if (registers && first?.kind === "string" && second) {
    const items = object.fields.get(ITEMS);
    if (adds && items) object.fields.set(ITEMS, added(items, first.value, args[1]!.operand));
    setField(interpreter, object, first.value, second);
    const saved = args.find((arg, i) => arg.name?.text === "persistent" || i === 2)?.operand.value;
    if (name === "register_buffer") object.buffers.set(first.value, !saved || truthOf(saved) !== false);
    return NONE;
  }
  if (name === "param") return paramOf(interpreter, run, at, object, args);
  const answer = collectionMethod(interpreter, run, at, object, name, args);
  if (answer) return answer;
  if (name === "append" || name === "extend") {
    const items = object.fields.get(ITEMS);
    const more =
      name === "append" ? args.map(({ operand }) => operand) : first?.kind === "sequence" ? first.items : null;
    if (items?.kind !== "sequence" || !more) return null;
    const now: Value = { ...items, items: [...items.items, ...more] };
    attachItems(now, object);
    object.fields.set(ITEMS, now);
    return self;
  }
  if (name === "make_rng") return NONE;
  return NOTHING.test(name) ? NONE : null;
}

const ADDS = /^(add|register)_module$/;

/** What `features.add_module("norm", layer)` makes of a chain that no class is; null of another call. */
export function withModule(self: Value, name: string, args: readonly GivenArgument[]): Value | null {
  const [key, module] = args.map(({ operand }) => operand);
  const isChain = (self.kind === "dict" || self.kind === "sequence") && self.chain === true;
  return ADDS.test(name) && isChain && key?.value.kind === "string" && module
    ? added(self, key.value.value, module)
    : null;
}

/** A container with one module more. */
function added(items: Value, key: string, operand: Operand): Value {
  if (items.kind === "dict") return { ...items, entries: new Map([...items.entries, [key, operand]]) };
  if (items.kind !== "sequence") return items;
  if (items.items.length > 0) return { ...items, items: [...items.items, operand] };
  return { kind: "dict", entries: new Map([[key, operand]]), chain: items.chain ?? false };
}

/** `self.param("scale", init, (d,))`. */
function paramOf(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  object: ObjectInfo,
  args: readonly GivenArgument[],
): Value | null {
  return namedWeight(
    interpreter,
    run,
    at,
    args.map(({ operand }) => operand),
    object,
  );
}

/** `embed.attend(x)`: the products with all rows of the embedding; null of a layer without any. */
function attended(
  interpreter: Interpreter,
  run: StatementRun,
  { path, expr }: CallAt,
  layer: LayerInfo,
  { operand }: GivenArgument,
): Value | null {
  const word = { text: layer.type === "Embed" ? "embedding" : "weight", span: expr.span };
  const weight = layerMember(interpreter, run, layer, word, `${path}/weight`);
  if (weight?.kind !== "tensor") return null;
  return callOwn(interpreter, run, { expr, path }, "attend", [operand, { value: weight, path: "", expr: null }]);
}

/** `self.variable("batch_stats", "mean", init)`, and what else a module of flax asks of its collections; null of another method. */
function collectionMethod(
  interpreter: Interpreter,
  run: StatementRun,
  { path, expr }: CallAt,
  object: ObjectInfo,
  method: string,
  args: readonly GivenArgument[],
): Value | null {
  if (method === "is_initializing") return { kind: "bool", value: interpreter.applied.variables?.isMaking ?? false };
  if (method === "is_mutable_collection") return { kind: "bool", value: true };
  const [collection, name, third, ...more] = args.map(({ operand }) => operand);
  if (collection?.value.kind !== "string" || name?.value.kind !== "string") return null;
  const at = { object, collection: collection.value.value, name: name.value.value, path, expr };
  const known = storedValue(interpreter, run, at);
  if (method === "sow") {
    if (!third || !interpreter.applied.variables || interpreter.applied.variables.isMaking) return NONE;
    const before = known?.kind === "sequence" ? known.items : [];
    return store(interpreter, run, at, { kind: "sequence", items: [...before, third] });
  }
  if (method === "has_variable") return { kind: "bool", value: known !== null };
  if (method === "get_variable") return known ?? third?.value ?? NONE;
  if (method === "put_variable") return third ? store(interpreter, run, at, third.value) : null;
  if (method !== "variable") return null;
  if (known === null) {
    const given = more.map((operand) => ({ name: null, operand, span: expr.span }));
    const begun = third ? interpreter.call(run, { expr, path: `${path}/init` }, third.value, given) : NONE;
    if (isBroken(begun)) return BROKEN;
    storeFirst(interpreter, run, { ...at, path: `${path}/${at.name}` }, begun);
  }
  return callOwn(interpreter, run, { expr, path }, "variable", [
    { value: { kind: "object", object }, path: "", expr: null },
    collection,
    name,
  ]);
}

/** `super().name(…)`: the method above the running one's class. */
export function callSuper(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  { object, above }: Extract<Value, { kind: "super" }>,
  name: Identifier,
  args: readonly GivenArgument[],
): Value {
  const self: Value = { kind: "object", object };
  const found = inherited(object.of, name.text, above);
  if (found)
    return callMethod(
      interpreter,
      run,
      at,
      { found, self, ...(run.frame.making && { making: run.frame.making }) },
      args,
    );
  if (name.text === "__init__") {
    setLayer(object, at, args);
    storeSettings(interpreter, object, args);
    return NONE;
  }
  if (name.text === "forward" || name.text === "__call__") {
    if (object.layer) return callLayer(interpreter, run, at, layerOfObject(object), args);
    const items = object.fields.get(ITEMS);
    if (items) return interpreter.call(run, at, items, args);
  }
  const known = moduleMethod(interpreter, run, at, self, name.text, args);
  if (known) return known;
  // What a class of a library does while an object is made sets it up.
  if (run.frame.making) return NONE;
  unknownAttribute(interpreter, object.of, object.fields.keys(), name);
  return BROKEN;
}

/** `Base.__init__(self, 8)`, `Block.make(3)`: a method that is given its object, or needs none. */
export function callOnClass(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  of: ClassInfo,
  name: Identifier,
  args: readonly GivenArgument[],
): Value {
  const found = inherited(of, name.text);
  const { making } = run.frame;
  const own = found && takesObject(found) ? args[0] : undefined;
  if (found && own)
    return callMethod(
      interpreter,
      run,
      at,
      { found, self: own.operand.value, ...(making && { making }) },
      args.slice(1),
    );
  if (!found && name.text === "__init__") return NONE;
  return interpreter.call(run, at, classMember(interpreter, of, name), args);
}

/** `nn.Linear.__init__(self, 8, 4)`: the object is that layer too. */
export function callAsLayer(at: CallAt, type: string, [self, ...args]: readonly GivenArgument[]): Value {
  if (self?.operand.value.kind === "object") setLayer(self.operand.value.object, at, args, type);
  return NONE;
}

/** `super().__init__(config)` of a class that is not here: settings stay under the name that they are given by. */
function storeSettings(interpreter: Interpreter, object: ObjectInfo, args: readonly GivenArgument[]): void {
  for (const { name, operand } of args) {
    const word = name?.text ?? (operand.expr?.kind === "name" ? operand.expr.name : null);
    const holds = operand.value.kind === "dict" || operand.value.kind === "object";
    if (word !== null && holds && !object.fields.has(word)) setField(interpreter, object, word, operand.value);
  }
}

/** `super()`, `super(Block, self)`. */
export function superOf(
  interpreter: Interpreter,
  run: StatementRun,
  { expr }: CallAt,
  args: readonly GivenArgument[],
): Value {
  const method: Method | undefined = run.frame.method;
  const [first] = args.map(({ operand }) => operand.value);
  if (method?.self.kind !== "object") {
    interpreter.diagnostics.add("self", expr.span, "super() has a meaning in a method of a class only.");
    return BROKEN;
  }
  return { kind: "super", object: method.self.object, above: first?.kind === "class" ? first.of : method.owner };
}

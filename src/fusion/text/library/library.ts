/** @file Functions of PyTorch, NumPy and JAX that are written in the language itself. A call is one box, like a composite op's. */
import { isInput, isLiteral, nodeId, type NodeId, type Span } from "../../ir";
import type { OpDef } from "../../ops";
import { callDef } from "../calls/call-def";
import { Diagnostics } from "../reading/diagnostics";
import type { Dialect } from "../calls/dialect";
import { OWN_MODULES, ownModule } from "../reading/own-modules";
import type { Interpreter, StatementRun } from "../interpreter";
import { bindingName } from "../interpreter";
import { attributeKey } from "../objects/inheritance";
import { readProgram } from "../reading/read";
import {
  BROKEN,
  type ClassInfo,
  type GivenArgument,
  isBroken,
  type Operand,
  type Problem,
  Scope,
  SymbolRecord,
  tensorValue,
  type Value,
} from "../values/values";
import { lastNameOf, type CallExpr, type ClassStatement, type DefStatement } from "../reading/syntax";
import { mapLeaves } from "../values/trees";
import { ARRAYS } from "./arrays";
import { COMPLEX } from "./complex";
import { DERIVATIVES } from "./derivatives";
import { DISTRIBUTIONS } from "./distributions";
import { INITIALIZER_DEFS } from "./initializers";
import { ITERTOOLS } from "./itertools";
import { LAYER_CLASSES } from "./layers";
import { JAX_MODULES } from "./jax-modules";
import { LAX } from "./lax";
import { LINEAR_ALGEBRA } from "./linear-algebra";
import { NUMPY } from "./numpy";
import { OPTAX } from "./optax";
import { OPTIMIZERS } from "./optimizers";
import { ALIGNMENT, PLACING } from "./placing";
import { SAMPLING } from "./sampling";
import { SMALL_MATRICES } from "./small-matrices";
import { SPECIAL } from "./special";
import { LOSSES, STATISTICS } from "./statistics";
import { VISION } from "./vision";

const SOURCE = [
  STATISTICS,
  LINEAR_ALGEBRA,
  SMALL_MATRICES,
  ARRAYS,
  NUMPY,
  ITERTOOLS,
  LAX,
  LOSSES,
  SPECIAL,
  DERIVATIVES,
  DISTRIBUTIONS,
  INITIALIZER_DEFS,
  LAYER_CLASSES,
  OPTIMIZERS,
  OPTAX,
  JAX_MODULES,
  VISION,
  SAMPLING,
  PLACING,
  ALIGNMENT,
  COMPLEX,
].join("\n");

interface Library {
  readonly scope: Scope;
  readonly defs: ReadonlyMap<string, DefStatement>;
  readonly classes: ReadonlyMap<string, ClassInfo>;
}

let read: Library | null = null;

function library(): Library {
  if (read) return read;
  const scope = new Scope(null, "");
  const defs = new Map<string, DefStatement>();
  const classes = new Map<string, ClassInfo>();
  for (const statement of readProgram(SOURCE, new Diagnostics(), Infinity).statements) {
    if (statement.kind !== "def" && statement.kind !== "class") continue;
    const name = statement.name.text;
    const symbol = new SymbolRecord(name, "def", statement.name.span, statement, "");
    const of = statement.kind === "class" ? classOf(statement, scope, classes) : null;
    if (statement.kind === "def") defs.set(name, statement);
    if (of) classes.set(name, of);
    const value: Value = statement.kind === "def" ? { kind: "def", def: statement, scope } : { kind: "class", of: of! };
    scope.bind(name, { step: 0, value, symbol });
  }
  read = { scope, defs, classes };
  return read;
}

/** A class of the library: methods alone. */
function classOf(statement: ClassStatement, scope: Scope, classes: ReadonlyMap<string, ClassInfo>): ClassInfo {
  const methods = statement.body.flatMap((def): [string, Operand][] =>
    def.kind === "def" ? [[attributeKey(def), { value: { kind: "def", def, scope }, path: "", expr: null }]] : [],
  );
  const bases = statement.bases.flatMap((base) => (base.kind === "name" ? (classes.get(base.name) ?? []) : []));
  const attributes = new Map(methods);
  return {
    name: statement.name.text.replace(/^(flax|haiku|nnx)_/, ""),
    statement,
    scope,
    bases,
    layer: null,
    attributes,
    fields: new Map(),
    making: { late: [] },
  };
}

/** The class of that name: a layer that is more than one function; null when the library has none. */
export const libraryClass = (name: string): ClassInfo | null =>
  isPublic(name) ? (library().classes.get(name) ?? null) : null;

/**
 * The class that a library of JAX means by that name: haiku's, that of flax.nnx, which is told the size of its input, or flax's; null
 * where it means what PyTorch does.
 */
export const classOfJax = (name: string, of: "haiku" | "nnx" | "flax"): ClassInfo | null =>
  library().classes.get(`${of}_${name}`) ?? null;

/** Where the library's names are bound. */
export const libraryScope = (): Scope => library().scope;

/** What the library's text has wrong in it: nothing, as a test asks. */
export function libraryMistakes(): readonly string[] {
  const diagnostics = new Diagnostics();
  readProgram(SOURCE, diagnostics, Infinity);
  return diagnostics.list(SOURCE).map(({ line, text }) => `${line}: ${text}`);
}

/** Names that the library's text gives to two defs: the last of them would be meant by all. None, as a test asks. */
export function libraryTwice(): readonly string[] {
  const names = readProgram(SOURCE, new Diagnostics(), Infinity).statements.flatMap((each) =>
    each.kind === "def" || each.kind === "class" ? [each.name.text] : [],
  );
  return names.filter((name, at) => names.indexOf(name) !== at);
}

/** Names that start with an underscore are the library's own; `jax_median` is what NumPy and JAX mean by `median`, `flax_max_pool` what flax means by the name of an op that does something else, `haiku_MLP` what stands behind `hk.nets.`, `linalg_norm` what a name means behind `linalg.`, `tensor_unfold` a method alone, `numpy_histogram` what NumPy alone means, `jnp_take_along_axis` what JAX alone means, `sized_unique` a function that is told how many elements it answers. */
const isPublic = (name: string): boolean =>
  !/^(_|jax_|flax_|haiku_|nnx_|linalg_|selected_|tensor_|initializer_|itertools_|functional_|numpy_|jnp_|sized_)/.test(
    name,
  );

/** Every name that a call can use. */
export const libraryNames = (): readonly string[] =>
  [...library().defs.keys(), ...library().classes.keys()].filter(isPublic);

/** Where JAX's libraries keep what draws first weights. */
export const INITIALIZERS: ReadonlySet<string> = new Set(["initializers"]);

/** Other names of what draws first weights: of older releases and of haiku. */
const INITIALIZER_NAMES: ReadonlyMap<string, string> = new Map([
  ["xavier_normal", "glorot_normal"],
  ["xavier_uniform", "glorot_uniform"],
  ["kaiming_normal", "he_normal"],
  ["kaiming_uniform", "he_uniform"],
  ["truncated_normal", "normal"],
  ["delta_orthogonal", "orthogonal"],
  ["RandomNormal", "normal"],
  ["TruncatedNormal", "normal"],
  ["RandomUniform", "uniform"],
  ["Orthogonal", "orthogonal"],
  ["Constant", "constant"],
  ["VarianceScaling", "variance_scaling"],
]);

/** What makes a function of a key and a shape that draws first weights, or is one; null of another name. */
export function initializerDef(name: string): DefStatement | null {
  return library().defs.get(`initializer_${INITIALIZER_NAMES.get(name) ?? name}`) ?? null;
}

/** What takes a number, then a key and a shape: the spread of normal numbers, or the end of an even range from 0. */
export function drawsWith(source: "randn" | "uniform"): Value {
  const { defs, scope } = library();
  return { kind: "def", def: defs.get(source === "randn" ? "_normal" : "_uniform")!, scope };
}

/** The function of that name after this prefix; null when the library has none. */
export function libraryDef(name: string, dialect: Dialect): DefStatement | null {
  const { defs } = library();
  const found = dialect === "jax" ? (defs.get(`jax_${name}`) ?? defs.get(name)) : defs.get(name);
  return found && isPublic(name) ? found : null;
}

/** What a module of its own names, Python's `itertools` or `torch.autograd.functional`, has by that name; null of any other path, or where it has no such thing. */
export function moduleDef(path: string, name: string): Value | null {
  const { defs, scope } = library();
  const module = ownModule(path);
  const def = module === null ? undefined : defs.get(`${OWN_MODULES.get(module)}${name}`);
  return def ? { kind: "def", def, scope } : null;
}

/** What a tensor's method of that name does where it is not what the function of the name does; null where it is. */
export const libraryMethod = (name: string): DefStatement | null => library().defs.get(`tensor_${name}`) ?? null;

/** What `name` means behind `np.` where JAX means something else; null where it does not. */
export const numpyDef = (name: string): DefStatement | null => library().defs.get(`numpy_${name}`) ?? null;

/** What `name` means behind `jnp.` where NumPy means the op of that name; null where it does not. */
export const jnpDef = (name: string): DefStatement | null => library().defs.get(`jnp_${name}`) ?? null;

/** The function of that name that is told how many elements it answers; null where there is none. */
export const sizedDef = (name: string): DefStatement | null => library().defs.get(`sized_${name}`) ?? null;

/** A function of the library's own, which no program calls by its name. */
export const ownDef = (name: string): DefStatement => library().defs.get(`_${name}`)!;

/** What that answers for these arguments. */
export const callOwn = (
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: { readonly expr: CallExpr; readonly path: string },
  name: string,
  operands: readonly Operand[],
): Value =>
  callAnyDef(
    interpreter,
    run,
    { expr, path, def: ownDef(name), scope: libraryScope() },
    operands.map((operand) => ({ name: null, operand, span: expr.span })),
  );

/** The fold of that name over rows that a mask picks; null where there is none. */
export const selectedDef = (name: string): DefStatement | null => library().defs.get(`selected_${name}`) ?? null;

/** What a name means behind `linalg.` where it is given a second argument that means something else there; null where it is not. */
export function linalgDef(name: string, args: readonly GivenArgument[]): DefStatement | null {
  const def = library().defs.get(`linalg_${name}`);
  const second = def?.params[1]?.name.text;
  return def && args.some((arg, i) => (arg.name ? arg.name.text === second : i === 1)) ? def : null;
}

/** Whether a list stands where the function wants one, as in `select([a, b], [x, y])`. */
const takesLists = ({ params }: DefStatement, args: readonly GivenArgument[]): boolean =>
  params.some(({ annotation }, i) => {
    const value = args[i]?.operand.value;
    const items = value?.kind === "sequence" ? value.items : [];
    const isList = annotation?.kind === "name" && annotation.name === "list";
    return isList && items.length > 0 && items.every(({ value: { kind } }) => kind === "sequence" || kind === "tensor");
  });

const isVariadic = ({ kind }: OpDef["params"][number]): boolean => kind === "tensors";

/** The function that understands a keyword, a list, a tensor or one argument more, which the op of the same name does not: `add(x, y, alpha=2)`. */
export function libraryOverload(
  op: Pick<OpDef, "name" | "params">,
  dialect: Dialect,
  args: readonly GivenArgument[],
): DefStatement | null {
  const other = dialect === "jax" ? library().defs.get(`flax_${op.name}`) : undefined;
  if (other) return other;
  const def = libraryDef(op.name, dialect);
  if (!def) return null;
  const has = new Set(def.params.map(({ name }) => name.text));
  const odd = args.some(
    ({ name }) => name && has.has(name.text) && !op.params.some(({ names }) => names.includes(name.text)),
  );
  const more = args.length > op.params.length && args.length <= def.params.length && !op.params.some(isVariadic);
  return odd || more || takesLists(def, args) || givesOther(op, def, args) ? def : null;
}

/**
 * Whether a tensor or a text stands where the op wants a number, as in `clamp(x, min=y)`; a text or a fraction where it wants whole
 * numbers, `padding="same"`; or the text that a parameter of the function is annotated with, or a list or a tensor where that is "tensor".
 */
const givesOther = ({ params }: Pick<OpDef, "params">, def: DefStatement, args: readonly GivenArgument[]): boolean =>
  args.some(({ name, operand: { value } }, i) => {
    const param = name ? params.find(({ names }) => names.includes(name.text)) : params[i];
    const own = def.params.find(({ name: { text } }) => param?.names.includes(text))?.annotation;
    if (own?.kind === "string" && own.value === "tensor") return value.kind === "tensor" || value.kind === "sequence";
    if (own?.kind === "string") return value.kind === "string" && value.value === own.value;
    if (param?.kind === "float") return value.kind === "tensor" || value.kind === "string";
    const items = value.kind === "sequence" ? value.items.map((item) => item.value) : [value];
    const isOther = (each: Value): boolean =>
      each.kind === "string" || (each.kind === "number" && !Number.isInteger(each.value));
    return param?.kind === "ints" && items.some(isOther);
  });

/** An interpreter that reads the library's text, and the one whose program called it. */
interface Inside extends Interpreter {
  readonly outside: Outside;
}
interface Outside {
  readonly interpreter: Interpreter;
  readonly run: StatementRun;
  readonly expr: CallExpr;
  /** Nodes that functions of the program made when the library called them. */
  readonly foreign: Set<NodeId>;
}

const isInside = (interpreter: Interpreter): interpreter is Inside => "outside" in interpreter;

/** Whether a function of the library is being read, not the program. */
export const isInLibrary = (interpreter: Interpreter): boolean => isInside(interpreter);

/** Whether a scope is one of the library's text. */
export function isOfLibrary(scope: Scope): boolean {
  let root = scope;
  while (root.parent) root = root.parent;
  return root === library().scope;
}

/** Other spellings of what the library calls `dim`, `keepdim` and `input`. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ["axis", "dim"],
  ["axes", "dim"],
  ["keepdims", "keepdim"],
  ["self", "input"],
  ["x", "input"],
  ["a", "input"],
]);

function respelled(def: DefStatement, args: readonly GivenArgument[]): readonly GivenArgument[] {
  const has = new Set(def.params.map(({ name }) => name.text));
  return args.flatMap((arg) => {
    if (!arg.name || has.has(arg.name.text)) return [arg];
    if (["out", "generator", "dtype", "device"].includes(arg.name.text)) return [];
    const other = SPELLINGS.get(arg.name.text);
    return [other !== undefined && has.has(other) ? { ...arg, name: { ...arg.name, text: other } } : arg];
  });
}

type DefCall = Parameters<typeof callDef>[2];

/** A call of a def: those of the library, and those of the program that the library calls, each read with their own text. */
export function callAnyDef(
  interpreter: Interpreter,
  run: StatementRun,
  call: DefCall,
  args: readonly GivenArgument[],
): Value {
  const own = isOfLibrary(call.scope);
  if (own === isInside(interpreter)) return callDef(interpreter, run, call, args);
  if (own) return enter(interpreter, run, call, args);
  const { outside } = interpreter as Inside;
  const before = new Set(interpreter.nodes.keys());
  outside.interpreter.step = interpreter.step;
  const value = callDef(
    outside.interpreter,
    { ...run, statement: outside.run.statement },
    { ...call, expr: outside.expr },
    args,
  );
  interpreter.step = outside.interpreter.step;
  for (const id of interpreter.nodes.keys()) if (!before.has(id)) outside.foreign.add(id);
  return value;
}

function enter(interpreter: Interpreter, run: StatementRun, call: DefCall, given: readonly GivenArgument[]): Value {
  const args = respelled(call.def, given);
  if (args.some(({ operand }) => isBroken(operand.value) || operand.value.kind === "hole")) return BROKEN;
  if (args.some(({ operand: { value } }) => value.kind === "tensor" && interpreter.unknown.has(value.node)))
    return BROKEN;
  const diagnostics = new Diagnostics();
  const outside: Outside = { interpreter, run, expr: call.expr, foreign: new Set() };
  const inside: Inside = Object.assign(Object.create(interpreter) as Interpreter, {
    text: SOURCE,
    statements: [],
    memory: null,
    diagnostics,
    symbols: new Map(),
    calls: [],
    runs: [],
    readEarly: new Set<string>(),
    firstDefinition: new Map(),
    outside,
  });
  const before = new Set(interpreter.nodes.keys());
  const value = callDef(inside, run, call, args);
  interpreter.step = inside.step;
  interpreter.stopped = inside.stopped;
  const made = [...interpreter.nodes.keys()].filter((id) => !before.has(id) && !outside.foreign.has(id));
  const result = settle(outside, call, made, value);
  const [wrong] = diagnostics.list(SOURCE).filter(({ severity }) => severity === "error");
  if (!wrong) return result;
  interpreter.diagnostics.add("bad-argument", call.expr.span, saidIn(wrong));
  return BROKEN;
}

/** What the library's own text says of what it refuses. */
const saidIn = ({ text }: { readonly text: string }): string => /raise \w+\("(.*)"\)$/.exec(text)?.[1] ?? text;

/** A mistake found where `scope` is seen: one in the library's text is told at the call that led there. */
export const saidOutside = <T extends Problem>(scope: Scope, problem: T, span: Span): T =>
  isOfLibrary(scope) ? { ...problem, code: "bad-argument", span, text: saidIn(problem) } : problem;

/** What the library made stands where it was called: results take the call's identity, and everything else belongs to them. */
function settle(
  { interpreter, run, expr }: Outside,
  { path, def, label: called }: DefCall,
  made: readonly NodeId[],
  value: Value,
): Value {
  const name = called ?? def.name.text;
  // What a function of the library answers is called like that: `jax.hessian(f)(x)`.
  const said = expr.kind === "call" && name === "lambda" ? lastNameOf(expr.callee) : name;
  const label = said.replace(/^(jax|flax|linalg|tensor|itertools|functional|numpy|jnp|sized)_/, "");
  const fresh = new Set(made);
  const renamed = new Map<NodeId, NodeId>();
  const results: NodeId[] = [];
  const single = value.kind === "tensor";
  const shown = mapLeaves({ value, path, expr }, (leaf): Operand => {
    if (leaf.value.kind !== "tensor") return leaf;
    const { node } = leaf.value;
    if (!fresh.has(node) || isLiteral(interpreter.nodes.get(node)!)) return leaf;
    if (!renamed.has(node)) {
      const at = single ? path : `${path}#${results.length}`;
      const free = !interpreter.nodes.has(nodeId(at)) || fresh.has(nodeId(at));
      renamed.set(node, free ? nodeId(at) : node);
      results.push(node);
    }
    return { value: tensorValue(renamed.get(node)!), path: leaf.path, expr };
  });
  const to = (id: NodeId): NodeId => renamed.get(id) ?? id;
  const last = results.at(-1);
  for (const id of made) {
    const old = interpreter.nodes.get(id)!;
    const site = interpreter.sites.get(id);
    interpreter.nodes.delete(id);
    interpreter.sites.delete(id);
    const own = results.includes(id);
    const shown = own && single ? (bindingName(run, path) ?? old.op) : own ? old.op : old.label;
    const groups = old.groups.map((group) =>
      group.kind === "def" && group.label === name ? { ...group, kind: "composite" as const, id: path, label } : group,
    );
    if (interpreter.drawn.delete(id)) interpreter.drawn.add(to(id));
    interpreter.nodes.set(to(id), {
      ...old,
      id: to(id),
      origins: [to(id)],
      inputs: old.inputs.map(to),
      label: shown,
      groups,
      span: expr.span,
    });
    if (isLiteral(old)) continue;
    if (own || isInput(old))
      interpreter.sites.set(to(id), {
        node: to(id),
        expr,
        run,
        param: null,
        op: null,
        attrs: site?.attrs ?? {},
        operands: [],
      });
    else if (last !== undefined) interpreter.partOf.set(id, to(last));
  }
  for (const [part, whole] of interpreter.partOf) if (renamed.has(whole)) interpreter.partOf.set(part, to(whole));
  for (const [key, entry] of interpreter.derived)
    if (renamed.has(entry.made) || entry.inputs.some((id) => renamed.has(id))) interpreter.derived.delete(key);
  interpreter.calls.push({
    kind: "composite",
    id: path,
    label,
    span: expr.span,
    result: last === undefined ? null : to(last),
    expr,
    run,
  });
  return shown.value;
}

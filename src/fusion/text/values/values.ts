/** @file What an expression can stand for while the program is read: tensors are nodes, everything else is known at once. */
import type { Attrs, Diagnostic, DType, NodeId, Shape, Span } from "../../ir";
import type { CompositeDef, OpDef } from "../../ops";
import type { ClassStatement, DefStatement, Expr, Identifier, Statement } from "../reading/syntax";

export type Value =
  /** `isPair`: the values of a call that answers indices beside them, bound as one; whether by that call or by a def that answers them. */
  | { readonly kind: "tensor"; readonly node: NodeId; readonly isPair?: "called" | "returned" }
  /** With a dtype when it was written with one, `f16(0.5)`: then it is never folded. `isTensor`: as `torch.tensor(2)` is one, which changes where it is. */
  | {
      readonly kind: "number";
      readonly value: number;
      readonly whole: boolean;
      readonly dtype?: DType;
      readonly isTensor?: true;
    }
  | { readonly kind: "bool"; readonly value: boolean; readonly isTensor?: true }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "none" }
  | { readonly kind: "dtype"; readonly dtype: DType }
  /**
   * `list`: written with square brackets. As an index, a list is a gather, and a tuple is one index an axis.
   * `chain`: `nn.Sequential`, whose items are called one after the other.
   */
  | {
      readonly kind: "sequence";
      readonly items: readonly Operand[];
      readonly list?: boolean;
      readonly chain?: boolean;
      /** What PyTorch calls the items, in their order: `hist`, `bin_edges`. */
      readonly names?: readonly string[];
      /** A generator: who goes through it leaves nothing. */
      readonly isOnce?: true;
      /** Of `enumerate` and its like: what it takes its items from, how many it was to take, and how many more it takes to find its end. */
      readonly from?: readonly { readonly of: Value; readonly total: number; readonly ahead: number }[];
      /** Of a generator that goes on for ever: these are the first that it hands out. */
      readonly isEndless?: true;
      /** A deque holds so many items, and drops those at the other end. */
      readonly most?: number;
      /** `model.parameters()`: what its weights are turns out while the program goes on. */
      readonly parametersOf?: Value;
    }
  /** `missing`: what makes an entry that is asked for and not there (`defaultdict(list)`), or the number that stands for it (`Counter`). */
  | {
      readonly kind: "dict";
      readonly entries: ReadonlyMap<string, Operand>;
      readonly chain?: boolean;
      readonly missing?: Value;
    }
  | { readonly kind: "op"; readonly op: OpDef | CompositeDef }
  /** With the object that it is a method of, and when it was made. */
  | {
      readonly kind: "def";
      readonly def: DefStatement;
      readonly scope: Scope;
      readonly method?: Method;
      readonly made?: number;
      /** Whether derivatives pass through what it computes, where a decorator says it. */
      readonly derivatives?: boolean;
    }
  /** `grad(f)`, waiting for its arguments. */
  | {
      readonly kind: "transform";
      readonly name: string;
      readonly of: Value;
      readonly argnums: readonly number[] | number;
      /** The function answers the loss and something else beside it. */
      readonly aux?: boolean;
      /** Of vmap: the batch's axis in the arguments (None: all examples share it), and in the results; trees of axes. */
      readonly axes?: { readonly in: Value; readonly out: Value };
    }
  /** A function whose derivative the program writes itself. */
  | { readonly kind: "custom"; readonly custom: CustomFunction }
  /** What `vjp(f, x)` answers beside the value: takes a cotangent. */
  | { readonly kind: "pullback"; readonly results: readonly NodeId[]; readonly points: readonly Operand[] }
  /** `partial(f, dim=-1)`: some arguments are there already. */
  | { readonly kind: "partial"; readonly of: Value; readonly args: readonly GivenArgument[] }
  /** A class of the program. */
  | { readonly kind: "class"; readonly of: ClassInfo }
  /** What a class of the program makes. */
  | { readonly kind: "object"; readonly object: ObjectInfo }
  /** `model.apply`: a method that every module has, handed on. */
  | { readonly kind: "module-method"; readonly object: ObjectInfo; readonly name: string }
  /** `super()`: the object, seen from above one of its classes. */
  | { readonly kind: "super"; readonly object: ObjectInfo; readonly above: ClassInfo }
  /** `nn.Linear`: a class of a library. */
  | { readonly kind: "layer-class"; readonly name: string }
  /** `nn.Linear(8, 8)`. */
  | { readonly kind: "layer"; readonly layer: LayerInfo }
  /** `nn.Parameter(torch.zeros(8))`: a node once it is read under its name. */
  | { readonly kind: "weight"; readonly weight: WeightInfo }
  /** `slice(0, -4)`, for an index. */
  | {
      readonly kind: "slice";
      readonly start: number | null;
      readonly stop: number | null;
      readonly step: number | null;
    }
  | { readonly kind: "module"; readonly name: string }
  /** JAX's key of random numbers: what is drawn with it has a seed of its own. */
  | { readonly kind: "key" }
  /** `self` of a pasted method whose class is not here. */
  | { readonly kind: "self" }
  | Selection
  | { readonly kind: "hole" }
  /** A diagnostic already speaks of it; what reads it stays silent. */
  | { readonly kind: "broken" };

/** `x[mask]`: those of the first axis of `whole` where `rows`, a mask along it, is true. */
export interface Selection {
  readonly kind: "selection";
  readonly whole: NodeId;
  readonly rows: NodeId;
}

/** A value with the expression it was written as; `path` is the identity that a node made of it takes. */
export interface Operand {
  readonly value: Value;
  readonly path: string;
  readonly expr: Expr | null;
  /** What a dictionary has it under, where that is no text. */
  readonly key?: Value;
}

/** An argument of a call, as it is written or made. */
export interface GivenArgument {
  readonly name: Identifier | null;
  readonly operand: Operand;
  readonly span: Span;
}

/** A movement from a whole to a view of it. */
export interface ViewStep {
  readonly op: string;
  readonly attrs: Attrs;
}

interface View {
  readonly base: Value;
  /** Null where something else lies between. */
  readonly steps: readonly ViewStep[] | null;
}

export interface Memory {
  /** What stands instead of a value since it was written in place, in order of writing. */
  readonly later: Map<Value, Value>;
  readonly views: WeakMap<Value, View>;
  /** Values that were read, while somebody asks. */
  reads: Set<Value> | null;
}

/** Where something of a model stands: in which object and under which name there. */
export interface Named {
  holder: { readonly object: ObjectInfo; readonly key: string } | null;
  /** What a variable calls it that no object holds. */
  name: string | null;
  /** What the program calls it where it makes it, `Block(8, name="head")`. */
  called?: string;
  /** Nodes of its weights. */
  readonly weights: Map<string, NodeId>;
  /** How those of its weights begin that the program sets before it trains them. */
  readonly begins: Map<string, Attrs>;
  /** Those of its weights that nothing trains. */
  readonly frozen: Set<string>;
  /** The attributes of inputs that weights of the same key are, in all copies of a model; null where there is no copy. */
  twins: Map<string, Attrs> | null;
  /** `copy.deepcopy(model)` made it. */
  readonly isCopy?: true;
}

/** A class as its statement says it. */
export interface ClassInfo {
  readonly name: string;
  readonly statement: ClassStatement;
  /** Where it was written: what its methods see. */
  readonly scope: Scope;
  /** Classes of the program that it inherits from. */
  readonly bases: readonly ClassInfo[];
  /** The layer of a library that it inherits from. */
  readonly layer: string | null;
  /** Methods and constants. */
  readonly attributes: Map<string, Operand>;
  /** Annotated names, `dim: int = 8`, in order: what a call fills in where there is no __init__. */
  readonly fields: Map<string, Operand | null>;
  readonly making: Making;
}

export interface ObjectInfo extends Named {
  readonly of: ClassInfo;
  readonly fields: Map<string, Value>;
  /** Fields that it registers as buffers, and whether `state_dict` holds them. */
  readonly buffers: Map<string, boolean>;
  /** What it is by the library's class that its own class inherits from. */
  layer: LayerInfo | null;
  readonly making: Making;
}

/** What went wrong while a class or an object was made: told where what is missing is read. */
export interface Making {
  late: readonly Late[];
}

/** A mistake, and the name or field that is missing for it. */
export interface Late extends Problem {
  readonly word: string | null;
}

export type Problem = Pick<Diagnostic, "code" | "span" | "text" | "fixes" | "nodes">;

export interface LayerInfo extends Named {
  readonly type: string;
  readonly args: readonly GivenArgument[];
  /** The call that made it. */
  readonly expr: Expr;
  /** Results of the calls that trained it. */
  batches?: NodeId[];
}

export interface WeightInfo extends Named {
  readonly shape: Shape;
  readonly source: Attrs;
  /** How it begins where it is trained, if the program says it. */
  readonly begin: Attrs | null;
  readonly expr: Expr;
}

/** A function with a derivative of its own: PyTorch's `autograd.Function`, JAX's `custom_vjp`, `custom_jvp` and `custom_gradient`. */
export interface CustomFunction {
  readonly name: string;
  readonly style: "Function" | "custom_vjp" | "custom_jvp" | "custom_gradient";
  readonly forward: Value;
  /** Arguments that no derivative is taken by, by position. */
  readonly fixed: ReadonlySet<number>;
  /** Of `Function`: its backward and its setup_context; of `custom_vjp`: forward and backward; of `custom_jvp`: the rule, or one for each argument. */
  rules: readonly Value[];
  /** The rules are those of single arguments. */
  apart?: boolean;
  /** Its own rule is being read: calls in it are those of the plain function. */
  isOpen?: boolean;
}

/** A method's object, and the class that it was found in. */
export interface Method {
  readonly self: Value;
  readonly owner: ClassInfo;
}

/** A function that is called around a module's forward pass, or with a gradient. */
export interface Hook {
  readonly kind: "before" | "after" | "backward" | "gradient";
  /** The module, what a chain of them holds, or the tensor whose gradient it is. */
  readonly of: Named | NodeId | readonly Operand[] | ReadonlyMap<string, Operand>;
  readonly call: Value;
  readonly withKeywords: boolean;
}

/** A call of a module with hooks on its backward pass. */
export interface HookedCall {
  readonly hook: Hook;
  readonly module: Value;
  readonly inputs: readonly Value[];
  readonly output: Value;
}

export const unnamed = (): Named => ({
  holder: null,
  name: null,
  weights: new Map(),
  begins: new Map(),
  frozen: new Set(),
  twins: null,
});

export const BROKEN: Value = { kind: "broken" };
export const NONE: Value = { kind: "none" };
export const numberValue = (value: number, whole: boolean): Value => ({ kind: "number", value, whole });
export const tensorValue = (node: NodeId): Value => ({ kind: "tensor", node });

/** Whether a number or a truth is a tensor of the program, `torch.tensor(2)`. */
export const isScalarTensor = (value: Value): boolean =>
  (value.kind === "number" || value.kind === "bool") && value.isTensor === true;

/** What was computed of `operands` is a tensor where one of them is. */
export const asScalarTensor = (value: Value, operands: readonly Value[]): Value =>
  (value.kind === "number" || value.kind === "bool") && operands.some(isScalarTensor)
    ? { ...value, isTensor: true }
    : value;

/** The items of a tuple or a list; any other value alone. */
export const itemsIn = (value: Value): readonly Value[] =>
  value.kind === "sequence" ? value.items.map((item) => item.value) : [value];

/** The value of a literal, or null for any other expression. */
export function literalValue(expr: Expr): Value | null {
  if (expr.kind === "number") return numberValue(expr.value, expr.whole);
  if (expr.kind === "true" || expr.kind === "false") return { kind: "bool", value: expr.kind === "true" };
  if (expr.kind === "string") return { kind: "string", value: expr.value };
  return expr.kind === "none" ? NONE : null;
}

/** Whether a diagnostic already speaks of it or of something in it. */
export function isBroken(value: Value): boolean {
  if (value.kind === "sequence") return value.items.some((item) => item.value.kind === "broken");
  if (value.kind === "dict") return [...value.entries.values()].some((item) => item.value.kind === "broken");
  return value.kind === "broken";
}

/** For messages: "a number", "a tuple". */
export function describe(value: Value): string {
  switch (value.kind) {
    case "tensor":
      return "a tensor";
    case "number":
      return `the number ${value.value}`;
    case "bool":
      return value.value ? "True" : "False";
    case "string":
      return `the text "${value.value}"`;
    case "none":
      return "None";
    case "dtype":
      return `the type ${value.dtype}`;
    case "sequence":
      return `${value.items.length === 0 ? "an empty" : "a"} ${value.list ? "list" : "tuple"}`;
    case "dict":
      return "a dictionary";
    case "op":
      return `the op ${value.op.name}`;
    case "def":
      return `the function ${value.def.name.text}`;
    case "transform":
      return `a function made by ${value.name}`;
    case "custom":
      return `the function ${value.custom.name}`;
    case "pullback":
      return "a pullback";
    case "partial":
      return `${describe(value.of)} with some arguments`;
    case "class":
      return `the class ${value.of.name}`;
    case "object":
      return `a ${value.object.of.name}`;
    case "module-method":
      return `the method ${value.name}`;
    case "super":
      return "super()";
    case "layer-class":
      return `the class ${value.name}`;
    case "layer":
      return `the layer ${value.layer.type}`;
    case "weight":
      return "a weight";
    case "slice":
      return "a slice";
    case "module":
      return `the prefix ${value.name}`;
    case "key":
      return "a key of random numbers";
    case "self":
      return "self";
    case "selection":
      return "what a mask picks, whose size depends on data: write where(mask, x, 0) or masked_fill";
    case "hole":
      return "`...`";
    case "broken":
      return "something with an error";
  }
}

/** Whether `value` can be an operand. */
export const isOperand = (value: Value): boolean =>
  value.kind === "tensor" || value.kind === "number" || value.kind === "bool" || value.kind === "hole";

export type SymbolKind = "input" | "value" | "constant" | "def" | "parameter" | "loop";

/** One definition of a name: a rebinding is another symbol. What several calls or iterations bind at one statement is one symbol. */
export class SymbolRecord {
  node: NodeId | null = null;
  /** Nodes it stood for, one for each call or iteration. */
  readonly nodes: NodeId[] = [];
  value: Value = { kind: "broken" };
  /** What binds it is read where it stands, too. */
  isRead = false;
  private readonly spans: Span[] = [];
  /** Offsets of `spans`, once there are many. */
  private seen: Set<number> | null = null;

  readonly name: string;
  readonly kind: SymbolKind;
  readonly definition: Span;
  readonly statement: Statement;
  /** Name of the def it is local to; empty at the top. */
  readonly owner: string;

  constructor(name: string, kind: SymbolKind, definition: Span, statement: Statement, owner: string) {
    this.name = name;
    this.kind = kind;
    this.definition = definition;
    this.statement = statement;
    this.owner = owner;
  }

  get uses(): readonly Span[] {
    return this.spans;
  }

  addUse(span: Span): void {
    const known = this.seen ? this.seen.has(span.from) : this.spans.some(({ from }) => from === span.from);
    if (known) return;
    this.spans.push(span);
    if (this.seen) this.seen.add(span.from);
    else if (this.spans.length > 16) this.seen = new Set(this.spans.map(({ from }) => from));
  }

  /** It stands for none of `gone`: they are not in the graph. */
  forget(gone: ReadonlySet<NodeId>): void {
    if (this.value.kind === "tensor" && gone.has(this.value.node)) this.value = { kind: "broken" };
    if (!this.nodes.some((id) => gone.has(id))) return;
    this.nodes.splice(0, this.nodes.length, ...this.nodes.filter((id) => !gone.has(id)));
    this.node = this.nodes[0] ?? null;
  }

  addValue(value: Value): void {
    this.value = value;
    if (value.kind !== "tensor") return;
    this.node ??= value.node;
    this.nodes.push(value.node);
  }
}

export interface Binding {
  readonly step: number;
  readonly value: Value;
  readonly symbol: SymbolRecord;
}

/** The names of the program or of one call of a def. */
export class Scope {
  readonly names = new Map<string, Binding[]>();

  /** Names that `global` and `nonlocal` say are those of a scope around it. */
  private readonly outer = new Map<string, Scope>();

  readonly parent: Scope | null;
  readonly owner: string;
  /** Its names are fields of a class, which objects have too. */
  readonly ofClass: boolean;

  constructor(parent: Scope | null, owner: string, ofClass = false) {
    this.parent = parent;
    this.owner = owner;
    this.ofClass = ofClass;
  }

  /** `nonlocal name`, or `global name`: it is bound and found around here, or at the top. */
  declare(name: string, isGlobal: boolean): void {
    let scope = this.parent;
    while (scope?.parent && (isGlobal || scope.ofClass || !scope.names.has(name))) scope = scope.parent;
    if (scope) this.outer.set(name, scope);
  }

  /** The scope around this one that a name is of; null where it is of this one. */
  outerOf(name: string): Scope | null {
    return this.outer.get(name) ?? null;
  }

  /** The first `count` bindings of a name stay. */
  keepFirst(name: string, count: number): void {
    const history = this.names.get(name);
    if (history && history.length > count) history.length = count;
    if (history?.length === 0) this.names.delete(name);
  }

  bind(name: string, binding: Binding): void {
    const outer = this.outer.get(name);
    if (outer) return outer.bind(name, binding);
    const history = this.names.get(name);
    if (history) history.push(binding);
    else this.names.set(name, [binding]);
  }

  /** How often each name was bound here. */
  mark(): ReadonlyMap<string, number> {
    return new Map([...this.names].map(([name, history]) => [name, history.length]));
  }

  /** Names that were bound after `mark`. */
  boundSince(mark: ReadonlyMap<string, number>): readonly string[] {
    return [...this.names].flatMap(([name, { length }]) => (length > (mark.get(name) ?? 0) ? [name] : []));
  }

  /** Forgets what was bound after `mark`. */
  backTo(mark: ReadonlyMap<string, number>): void {
    for (const [name, history] of this.names) {
      history.length = mark.get(name) ?? 0;
      if (history.length === 0) this.names.delete(name);
    }
  }

  /** The newest binding of `name` here or outside. */
  find(name: string): Binding | null {
    return this.names.get(name)?.at(-1) ?? (this.outer.get(name) ?? this.parent)?.find(name) ?? null;
  }

  /** What `name` stood for just before `step`. */
  findAt(name: string, step: number): Binding | null {
    const history = this.names.get(name);
    return history?.findLast((binding) => binding.step < step) ?? this.parent?.findAt(name, step) ?? null;
  }

  /** All names that can be seen from here. */
  *visible(): Generator<string> {
    yield* this.names.keys();
    if (this.parent) yield* this.parent.visible();
  }
}

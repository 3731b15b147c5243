/** @file The state of reading one program: nodes made so far, where each was written, and how a value becomes a node. */
import type { Attrs, DType, GroupRef, NodeId, Span, TensorType, TextEdit } from "../ir";
import { nodeId, promote, localName } from "../ir";
import type { CompositeDef, OpDef } from "../ops";
import type { Entry, OwnRule } from "../autodiff";
import type { Diagnostics } from "./reading/diagnostics";
import type {
  GivenArgument,
  Hook,
  HookedCall,
  Binding,
  Making,
  Memory,
  Method,
  Named,
  ObjectInfo,
  Operand,
  Scope,
  SymbolRecord,
  Value,
} from "./values/values";
import type { NotedNodes } from "./still";
import type { Variables } from "./layers/variables";
import type { CallExpr, ClassStatement, DefStatement, Expr, ParamDecl, Statement } from "./reading/syntax";

/** How much had been done at one moment. */
export interface Marks {
  readonly nodes: number;
  readonly later: number;
  readonly grown: number;
  readonly fields: number;
  readonly names: number;
  readonly weights: number;
  readonly replaced: ReadonlyMap<NodeId, NodeId>;
  readonly first: ReadonlyMap<NodeId, NodeId>;
}

/** A value that is returned where a condition on data holds. */
export interface EarlyReturn {
  readonly test: NodeId;
  readonly value: Value;
  /** The condition as written. */
  readonly expr: Expr;
  /** What is done after this is done where it did not return. */
  readonly marks: Marks;
}

/** Where an iteration is left if a condition on data holds. */
export interface Left {
  readonly node: NodeId;
  /** The condition as written. */
  readonly expr: Expr;
  /** What names stood for there. */
  readonly values: ReadonlyMap<string, Binding>;
  /** What had been done and returned before. */
  readonly marks: Marks;
  readonly early: readonly EarlyReturn[];
}

/** An entry that a dictionary got. */
export interface MadeEntry {
  readonly of: Value;
  readonly key: Operand;
  readonly word: string;
  readonly value: Value;
}

/** A context whose block is open. */
export interface OpenContext {
  readonly expr: Expr;
  value: Value;
  /** Of a def that yields: what is done behind its `yield`, and where. */
  rest?: { readonly statements: readonly Statement[]; readonly frame: Frame; readonly off: boolean };
  /** Whether derivatives were off around the block. */
  readonly off: boolean;
}

/** The program, one call of a def, or one iteration of a loop. */
export interface Frame {
  readonly scope: Scope;
  /** `h1/block#0/`, or empty at the top. */
  readonly prefix: string;
  readonly groups: readonly GroupRef[];
  /** Nodes made under each binding name, for `y@2`. */
  readonly versions: Map<string, number>;
  readonly defs: readonly DefStatement[];
  /** Whose method is running. */
  readonly method?: Method;
  /** What is being made while these statements run. */
  readonly making?: Making;
  /** How many comprehensions are open around it. */
  readonly nested?: number;
  /** What an iteration ended with before its end, and where it may have. */
  readonly jump?: {
    word: "break" | "continue" | null;
    readonly loop: Statement;
    readonly breaks: Left[];
    readonly continues: Left[];
  };
  /** What blocks of `with` are open, the outermost first. */
  contexts?: OpenContext[];
  /** The one that is being entered. */
  opening?: OpenContext;
  /** Its statements are the program's own sequence: the text itself, or a def that is called as a statement of it. */
  readonly sequence?: true;
  /** Of a generator: what it has handed out. */
  readonly yields?: { readonly items: Operand[]; isEndless: boolean };
  /** Values of `return`, once there is one. */
  readonly result: {
    values: readonly Operand[] | null;
    /** One expression's value, which may be a tuple of any length; null: the values are a tuple, or the only one. */
    value?: Value;
    /** The value of the program's last line, where that is an expression: a notebook shows it. */
    shown?: Value;
    /** What it returned before where a condition on data holds, in order: the first that holds is the result. */
    early?: readonly EarlyReturn[];
  };
}

/** One run of one statement. */
export interface StatementRun {
  readonly frame: Frame;
  readonly statement: Statement;
  readonly step: number;
  /** Identity of what the statement binds; call instances hang on it. */
  readonly root: string;
}

export interface OperandSource {
  /** The node read; null for an optional operand that is not given. */
  readonly node: NodeId | null;
  /** null: written by the operator alone, as `y` in `y += x`. */
  readonly expr: Expr | null;
}

/** Where a node was written. */
export interface Site {
  readonly node: NodeId;
  /** The call, operator, literal or type annotation. */
  readonly expr: Expr;
  readonly run: StatementRun;
  /** The parameter of a lone def that this input is. */
  readonly param: ParamDecl | null;
  readonly op: OpDef | CompositeDef | null;
  /** Of the call as written, defaults included. */
  readonly attrs: Attrs;
  /** In the order of the op's tensor parameters; a list of tensors counts one by one. */
  readonly operands: readonly OperandSource[];
}

/** A composite, a def's call or a loop's iteration. */
export interface CallInstance extends GroupRef {
  readonly span: Span;
  readonly result: NodeId | null;
  /** The call, where there is one, and the statement it stands in. */
  readonly expr: Expr | null;
  readonly run: StatementRun;
}

/** What the text says that the plan must be. */
export type CountedKind = "kernels" | "bytes" | "peak";

export type Assertion =
  | { readonly kind: "fused"; readonly nodes: readonly NodeId[]; readonly span: Span }
  /** Exactly so many kernels; at most so many bytes moved, or alive at once. */
  | { readonly kind: CountedKind; readonly count: number; readonly span: Span };

/** A loop of which one iteration is a step of training. */
export interface RepeatedStep {
  readonly statement: Statement;
  /** How often it goes round; null where only its condition knows. */
  readonly iterations: number | null;
  /** What names and fields held before it and after it. */
  readonly before: Moment;
  readonly after: Moment;
}

/** What names and fields hold at one moment. */
export interface Moment {
  /** By the scopes that have the names. */
  readonly names: readonly (readonly [Scope, ReadonlyMap<string, Binding>])[];
  /** How often fields had been set. */
  readonly fields: number;
  /** How often weights had been replaced. */
  readonly weights: number;
  /** Tensors, lists and dictionaries that objects with a name, and those in them, held in their fields. */
  readonly held: readonly { readonly object: ObjectInfo; readonly name: string; readonly value: Value }[];
  /** What replaced inputs. */
  readonly moved: ReadonlyMap<NodeId, NodeId>;
}

export interface Optimizing {
  /** Where `step()` was called. */
  readonly steps: Span[];
  /** Losses whose gradients were asked for. */
  readonly losses: NodeId[];
  /** The last line that calls `.backward()`. */
  backwardAt: Span | null;
  /** How many steps of training were read, by optimizers and by loops that carry on what they learn. */
  turns: number;
  /** The last loop of several iterations of which one is a step. */
  repeated: RepeatedStep | null;
  /** Loops that are written out, since their iterations differ. */
  readonly writtenOut: Set<Statement>;
  /** Inputs that count iterations, and what only conditions read of them. */
  readonly counts: Set<NodeId>;
  readonly tests: Set<NodeId>;
  /** What the inputs that loops replace are called. */
  readonly labels: Map<NodeId, string>;
  /** How often gradients were asked for: by `.backward()`, `grad` and their like. */
  asked: number;
  /** A `.backward()` of something with an error: what finds no gradients stays silent. */
  unclear: boolean;
  /** How often gradients were set to zero. */
  zeroed: number;
  /** One of them was since the last `.backward()`. */
  stale: boolean;
  /** Inputs, and the values that replace them in the next step. */
  readonly replaced: Map<NodeId, NodeId>;
  /** How many loops are being read that may be the training. */
  open: number;
  /** Values that were written over parameters and are not computed from a derivative, and what they were written over. */
  readonly written: Map<NodeId, NodeId>;
  /** The inputs that values of parameters and states began as. */
  readonly first: Map<NodeId, NodeId>;
}

/** A row of a tensor, and the index at which an iteration writes it. */
export interface WrittenRow {
  readonly axis: number;
  readonly index: NodeId;
  readonly row: NodeId;
}

/** The iteration that is read for all of a loop's. */
export interface AnyIteration {
  /** What a whole number is in each iteration; null where it hangs on more than which one it is. */
  readonly numbersOf: (id: NodeId) => readonly number[] | null;
  /** Stand-ins of tensors of which it may write a row, with what it has written; null for what is no row. */
  readonly written: ReadonlyMap<NodeId, (WrittenRow | null)[]>;
  /** So many iterations, from the first, find all conditions as the first one does. */
  alike: number;
}

export interface Interpreter {
  readonly text: string;
  readonly statements: readonly Statement[];
  /** Whether something was printed, and whether what is printed is the result. */
  readonly printing: { met: boolean; readonly shown: boolean };
  /** Edits that give all inputs of a lone def types that fit, found when they are first asked for. */
  readonly inputsFix: () => readonly TextEdit[] | null;
  readonly diagnostics: Diagnostics;
  /** Reading ends after so many steps. */
  readonly maxSteps: number;
  readonly nodes: NotedNodes;
  /** Nodes whose type hangs on a hole and is a guess. */
  readonly unknown: Set<NodeId>;
  readonly sites: Map<NodeId, Site>;
  /** Result of the call that a composite's part belongs to. */
  readonly partOf: Map<NodeId, NodeId>;
  readonly symbols: Map<string, SymbolRecord>;
  readonly calls: CallInstance[];
  /** What `.backward()` was called on. */
  readonly losses: NodeId[];
  /** Tensors that share memory; null where none is written in place. */
  readonly memory: Memory | null;
  /** What optimizers have done. */
  readonly optimizing: Optimizing;
  /** What has been written of derivatives: asked for again, it is there. */
  readonly derived: Map<string, Entry>;
  /** Derivatives that the program writes itself, by the results of the calls that have them. */
  readonly ownRules: Map<NodeId, OwnRule>;
  /** Whole cotangents of the losses, by what they are cotangents of. */
  readonly cotangents: Map<NodeId, NodeId>;
  /** `assert_fused(a, b)` and `assert_kernels(n)`, in order of execution. */
  readonly assertions: Assertion[];
  /** Every run of every statement, in order. */
  readonly runs: StatementRun[];
  /** Where names are first defined, for "only later". */
  readonly firstDefinition: ReadonlyMap<string, Span>;
  /** `train()` or `eval()` was called; null: the ops' own defaults. */
  training: boolean | null;
  /** Modules whose own `train()` or `eval()` was called, or that of one around them. */
  readonly modes: Map<Named, boolean>;
  /** Names that were read before they are defined: not unused. */
  readonly readEarly: Set<string>;
  /** Calls of each def under each root, for `h1/block#0`. */
  readonly defCalls: Map<string, number>;
  /** Fields of objects as they were before each assignment, in order. */
  readonly fieldWrites: { readonly object: ObjectInfo; readonly name: string; readonly before: Value | undefined }[];
  /** Names of scopes around a def that it bound, `nonlocal n`, and how often they were bound before, in order. */
  readonly outerWrites: { readonly scope: Scope; readonly name: string; readonly count: number }[];
  /** Lists and dictionaries that were changed, and what stands instead of each, in order. */
  readonly grown: Map<Value, Value>;
  /** Entries that dictionaries did not have before, in order. */
  readonly madeEntries: MadeEntry[];
  /** Defaults that calls may change: lists and dictionaries, one for each time that a def was read. */
  readonly defaults: Map<
    ParamDecl,
    readonly { readonly scope: Scope; readonly step: number | undefined; readonly value: Value }[]
  >;
  /** What has weights that were asked for before they have a name. */
  readonly early: { readonly named: Named; readonly key: string; readonly node: NodeId }[];
  /** Hooks of modules and tensors, in the order of their calls; calls of modules whose backward pass has one. */
  readonly hooks: Hook[];
  readonly hooked: HookedCall[];
  /** Weights that were replaced by others, in order. */
  readonly weightWrites: { readonly named: Named; readonly key: string; readonly before: NodeId | undefined }[];
  /** Made while classes and objects were: in the graph where something reads them, and no results by themselves. */
  readonly spare: Set<NodeId>;
  /** What went wrong while classes and objects were made. */
  readonly makings: Making[];
  /** Calls so far that draw and name no seed. */
  draws: number;
  /** Tensors that nothing trains, `x.requires_grad_(False)`, by the inputs that they began as. */
  readonly frozen: Set<NodeId>;
  /** Inputs that calls draw, `randn(4, 8)`: they have no name of their own. */
  readonly drawn: Set<NodeId>;
  /** How inputs begin where they are trained, by what their layers or the program say; null: as they are fed otherwise. */
  readonly begins: Map<NodeId, () => Attrs | null>;
  /** Whether what is written into a weight is its value from there on: nothing trains it. */
  readonly keepsWeights: boolean;
  /** Whose weight an input is. */
  readonly weightOf: Map<
    NodeId,
    {
      readonly named: Named;
      readonly key: string;
      /** Nothing trains it. */
      readonly buffer?: boolean;
    }
  >;
  /** The weights of a model that is called with those of the program; null: models hold theirs. */
  readonly applied: { variables: Variables | null };
  /** Types that layers want of inputs whose own types are not known yet. */
  readonly wanted: Map<NodeId, string>;
  /** The same by what they meet element by element. */
  readonly alike: Map<NodeId, string>;
  /** Fields that settings were asked for and do not have. */
  readonly missing: Set<string>;
  /** The iteration that is read for all of a loop's; null outside of such a reading. */
  anyIteration: AnyIteration | null;
  step: number;
  stopped: boolean;
  /** Runs the statements of a def or a loop. Set by run.ts, which sees everything that this file must not. */
  runBody(statements: readonly Statement[], frame: Frame): void;
  /** What a def did after it may have returned is done where it did not; as `runBody`. */
  settleReturns(frame: Frame, statement: Statement): void;
  /** What a call of `callee` answers; as `runBody`, for what call.ts itself calls. */
  call(run: StatementRun, at: CallAt, callee: Value, args: readonly GivenArgument[]): Value;
  /** What the decorators of a def make of it; as `runBody`, for classes. */
  decorate(run: StatementRun, statement: DefStatement | ClassStatement, def: Value): Value;
  /** What an expression stands for; as `runBody`, for what evaluate.ts itself calls. */
  valueOf(run: StatementRun, root: Expr, path: string): Value;
}

/** The expression that a call stands for, and the identity of what it answers. */
export interface CallAt {
  readonly expr: CallExpr;
  readonly path: string;
  /** The name that the op is called by, where that says more than the op's own. */
  readonly called?: string;
  /** Steps of a chain that ends here, which are numbered under this path: those of the chain that is its last go on. */
  readonly steps?: number;
}

/** Whether a module trains, by its own `train()` or `eval()`, that of the module around it, or that of the program; null: nothing says it. */
export function modeOf({ modes, training }: Interpreter, named: Named): boolean | null {
  for (let at: Named | null = named; at; at = at.holder?.object ?? null) {
    const mode = modes.get(at);
    if (mode !== undefined) return mode;
  }
  return training;
}

/** More nodes than any plan is wanted for: calls that call calls can ask for 2^50. */
export const MAX_NODES = 200_000;
/** So many steps a program may take that is read while it is typed: a count, so that every machine reads the same. */
export const MAX_STEPS = 60_000;
/** So many times as much where nobody types meanwhile: any text that a person means ends within it. */
export const PATIENCE = 4;

/** Whether reading goes on; says once why not. */
export function mayGoOn(interpreter: Interpreter, span: Span): boolean {
  if (interpreter.stopped) return false;
  const full = interpreter.nodes.size > MAX_NODES;
  if (!full && interpreter.step < interpreter.maxSteps) return true;
  interpreter.stopped = true;
  const text = full
    ? `The program unrolls to more than ${MAX_NODES} ops here. The rest was not read.`
    : "Reading stopped here because the program takes too many steps. The rest was not read.";
  interpreter.diagnostics.add("too-long", span, text);
  return false;
}

export interface NewNode {
  readonly id: string;
  readonly op: string;
  readonly inputs: readonly NodeId[];
  readonly attrs: Attrs;
  readonly type: TensorType;
  readonly label: string;
  readonly groups: readonly GroupRef[];
  readonly span: Span;
}

export function addNode(interpreter: Interpreter, made: NewNode): NodeId {
  // Written out: a spread here costs a third of the time of reading a long program.
  const { op, inputs, attrs, type, label, groups, span } = made;
  const id = nodeId(made.id);
  interpreter.nodes.set(id, { id, op, inputs, attrs, type, label, origins: [id], groups, span });
  return id;
}

/** Last piece of an identity that names a binding: `t` of `h1/block#0/t@2`; null when it is a path inside an expression. */
export function bindingName({ root, frame }: StatementRun, path: string): string | null {
  if (path !== root) return null;
  const name = localName(root, frame.prefix);
  return name === "_" || name.startsWith("return") ? null : name;
}

export const typeOf = (interpreter: Interpreter, id: NodeId): TensorType => interpreter.nodes.get(id)!.type;

/** A literal takes the dtype of what it meets: `x * 2` keeps f16; 2.5 makes i32 f32. */
export function literalType(value: Value, partners: readonly DType[]): DType {
  if (value.kind === "number" && value.dtype) return value.dtype;
  const met = partners.length > 0 ? partners.reduce(promote) : null;
  if (value.kind === "bool") return met ?? "bool";
  if (value.kind === "number" && value.whole) return met === null || met === "bool" ? "i32" : met;
  return met === "f16" ? "f16" : "f32";
}

/** Whole numbers that i32 can't hold, not even as bits. */
export function warnTooLarge({ diagnostics }: Interpreter, span: Span, numbers: readonly number[]): void {
  const large = numbers.find((number) => number < -(2 ** 31) || number >= 2 ** 32);
  if (large === undefined) return;
  const text = `${large} is more than i32 holds, and whole numbers are i32 here: with a point it is f32.`;
  diagnostics.add("bad-number", span, text, { severity: "warning" });
}

/** The node of an operand; literals and holes become nodes at their own path. */
export function toNode(
  interpreter: Interpreter,
  run: StatementRun,
  operand: Operand,
  partners: readonly DType[],
): NodeId {
  const { value, path } = operand;
  if (value.kind === "tensor") return value.node;
  const span = operand.expr?.span ?? run.statement.span;
  const made = { id: path, inputs: [], groups: run.frame.groups, span };
  const hole = value.kind === "hole";
  const number = value.kind === "number" ? value.value : value.kind === "bool" ? Number(value.value) : 0;
  if (value.kind === "number" && literalType(value, partners) === "i32") warnTooLarge(interpreter, span, [number]);
  const id = hole
    ? addNode(interpreter, {
        ...made,
        op: "hole",
        attrs: {},
        type: { dtype: "f32", shape: [] },
        label: bindingName(run, path) ?? "...",
      })
    : addNode(interpreter, {
        ...made,
        op: "const",
        attrs: { value: number },
        type: { dtype: literalType(value, partners), shape: [] },
        label: value.kind === "bool" ? (value.value ? "True" : "False") : `${number}`,
      });
  if (hole) interpreter.unknown.add(id);
  if (operand.expr)
    interpreter.sites.set(id, { node: id, expr: operand.expr, run, param: null, op: null, attrs: {}, operands: [] });
  return id;
}

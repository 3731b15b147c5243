/** @file The state of reading one program: nodes made so far, where each was written, and how a value becomes a node. */
import type { Attrs, DType, GroupRef, Node, NodeId, Span, TensorType, TextEdit } from "../ir";
import { nodeId, promote } from "../ir";
import type { CompositeDef, OpDef } from "../ops";
import type { ModuleFix } from "./modules/module-fix";
import type { Entry } from "../autodiff";
import type { Deadline } from "./parse";
import type { Problems } from "./problems";
import type { Scope, SymbolRecord } from "./scope";
import type { DefStatement, Expr, ParamDecl, Statement } from "./syntax";
import type { Slot, Value } from "./values";

/** The program, one call of a def, or one turn of a loop. */
export interface Turn {
  readonly scope: Scope;
  /** `h1/block#0/`, or empty at the top. */
  readonly prefix: string;
  readonly groups: readonly GroupRef[];
  /** Nodes made under each binding name, for `y@2`. */
  readonly versions: Map<string, number>;
  readonly defs: readonly DefStatement[];
  /** How many comprehensions are open around it. */
  readonly nested?: number;
  /** What a loop's turn ended with before its end. */
  readonly jump?: { word: "break" | "continue" | null };
  /** Values of `return`, once there is one. */
  readonly result: { values: readonly Slot[] | null };
}

/** One run of one statement. */
export interface Place {
  readonly turn: Turn;
  readonly statement: Statement;
  readonly moment: number;
  /** Identity of what the statement binds; call instances hang on it. */
  readonly root: string;
}

export interface Operand {
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
  readonly place: Place;
  /** The parameter of a lone def that this input is. */
  readonly param: ParamDecl | null;
  readonly op: OpDef | CompositeDef | null;
  /** Of the call as written, defaults included. */
  readonly attrs: Attrs;
  /** In the order of the op's tensor parameters; a list of tensors counts one by one. */
  readonly operands: readonly Operand[];
}

/** A composite, a def's call or a loop's turn. */
export interface CallInstance extends GroupRef {
  readonly span: Span;
  readonly result: NodeId | null;
  /** The call, where there is one, and the statement it stands in. */
  readonly expr: Expr | null;
  readonly place: Place;
}

/** What the text says that the plan must be. */
export type CountedKind = "kernels" | "bytes" | "peak";

export type Assertion =
  | { readonly kind: "fused"; readonly nodes: readonly NodeId[]; readonly span: Span }
  /** Exactly so many kernels; at most so many bytes moved, or alive at once. */
  | { readonly kind: CountedKind; readonly count: number; readonly span: Span };

export interface Machine {
  readonly text: string;
  readonly statements: readonly Statement[];
  /** What would write the program's classes out, found when it is first asked for. */
  readonly moduleFix: () => ModuleFix | null;
  /** Edits that give all inputs of a lone def types that fit, found when they are first asked for. */
  readonly inputsFix: () => readonly TextEdit[] | null;
  readonly problems: Problems;
  readonly deadline: Deadline;
  readonly nodes: Map<NodeId, Node>;
  /** Nodes whose type hangs on a hole and is a guess. */
  readonly unknown: Set<NodeId>;
  readonly sites: Map<NodeId, Site>;
  /** Result of the call that a composite's part belongs to. */
  readonly partOf: Map<NodeId, NodeId>;
  readonly symbols: Map<string, SymbolRecord>;
  readonly calls: CallInstance[];
  /** What `.backward()` was called on. */
  readonly losses: NodeId[];
  /** What has been written of derivatives: asked for again, it is there. */
  readonly derived: Map<string, Entry>;
  /** Whole cotangents of the losses, by what they are cotangents of. */
  readonly cotangents: Map<NodeId, NodeId>;
  /** `assert_fused(a, b)` and `assert_kernels(n)`, in order of execution. */
  readonly assertions: Assertion[];
  /** Every run of every statement, in order. */
  readonly places: Place[];
  /** Where names are first defined, for "only later". */
  readonly firstDefinition: ReadonlyMap<string, Span>;
  /** `train()` or `eval()` was said; null: the ops' own defaults. */
  training: boolean | null;
  /** Names that were read before they are defined: not unused, misplaced. */
  readonly misplaced: Set<string>;
  /** Calls of each def under each root, for `h1/block#0`. */
  readonly defCalls: Map<string, number>;
  moment: number;
  stopped: boolean;
  /** Runs the statements of a def or a loop. Set by run.ts, which sees everything that this file must not. */
  runBody(statements: readonly Statement[], turn: Turn): void;
  /** What an expression stands for; as `runBody`, for what evaluate.ts itself calls. */
  valueOf(place: Place, root: Expr, path: string): Value;
}

/** More nodes than any plan is wanted for: calls that call calls can ask for 2^50. */
const MOST_NODES = 200_000;
/** So much always runs, whatever the clock says. */
const FREE_MOMENTS = 4096;

/** Whether reading goes on; says once why not. */
export function mayGoOn(machine: Machine, span: Span): boolean {
  if (machine.stopped) return false;
  const full = machine.nodes.size > MOST_NODES;
  const early = machine.moment < FREE_MOMENTS || machine.moment % 64 !== 0;
  if (!full && (early || !machine.deadline.passed())) return true;
  machine.stopped = true;
  const text = full
    ? `The program unrolls to more than ${MOST_NODES} ops here. The rest was not read.`
    : "Reading stopped here: this text takes too long to understand. What comes after was not read.";
  machine.problems.add("too-long", span, text);
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

export function addNode(machine: Machine, made: NewNode): NodeId {
  // Written out: a spread here costs a third of the time of reading a long program.
  const { op, inputs, attrs, type, label, groups, span } = made;
  const id = nodeId(made.id);
  machine.nodes.set(id, { id, op, inputs, attrs, type, label, origins: [id], groups, span });
  return id;
}

/** Last piece of an identity that names a binding: `t` of `h1/block#0/t@2`; null when it is a path inside an expression. */
export function bindingName({ root, turn }: Place, path: string): string | null {
  if (path !== root) return null;
  const own = root.slice(turn.prefix.length);
  const at = own.indexOf("@");
  const name = at < 0 ? own : own.slice(0, at);
  return name === "_" || name.startsWith("return") ? null : name;
}

export const typeOf = (machine: Machine, id: NodeId): TensorType => machine.nodes.get(id)!.type;

/** A literal takes the dtype of what it meets: `x * 2` keeps f16; 2.5 turns i32 into f32. */
export function literalType(value: Value, partners: readonly DType[]): DType {
  if (value.kind === "number" && value.dtype) return value.dtype;
  const met = partners.length > 0 ? partners.reduce(promote) : null;
  if (value.kind === "bool") return met ?? "bool";
  if (value.kind === "number" && value.whole) return met === null || met === "bool" ? "i32" : met;
  return met === "f16" ? "f16" : "f32";
}

/** The node of an operand; literals and holes become nodes at their own path. */
export function toNode(machine: Machine, place: Place, slot: Slot, partners: readonly DType[]): NodeId {
  const { value, path } = slot;
  if (value.kind === "tensor") return value.node;
  const span = slot.expr?.span ?? place.statement.span;
  const made = { id: path, inputs: [], groups: place.turn.groups, span };
  const hole = value.kind === "hole";
  const number = value.kind === "number" ? value.value : value.kind === "bool" ? Number(value.value) : 0;
  const id = hole
    ? addNode(machine, {
        ...made,
        op: "hole",
        attrs: {},
        type: { dtype: "f32", shape: [] },
        label: bindingName(place, path) ?? "...",
      })
    : addNode(machine, {
        ...made,
        op: "const",
        attrs: { value: number },
        type: { dtype: literalType(value, partners), shape: [] },
        label: value.kind === "bool" ? (value.value ? "True" : "False") : `${number}`,
      });
  if (hole) machine.unknown.add(id);
  if (slot.expr)
    machine.sites.set(id, { node: id, expr: slot.expr, place, param: null, op: null, attrs: {}, operands: [] });
  return id;
}

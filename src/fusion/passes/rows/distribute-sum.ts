/**
 * @file Sums over a row whose terms hold values of the whole row: Σ c·(x − r) = Σ c·x − r·Σ c. Once r has left the sum, nothing in it
 * waits for the row to be complete, and a kernel that sees the row tile by tile can take it. The coefficients c may be anything
 * that needs no fold: weights, a mask, or the comparison that picks one column.
 * @about where: each of its branches is a term of its own.
 */
import {
  broadcastShapes,
  type Graph,
  isLiteral,
  node,
  type Node,
  nodeId,
  type NodeId,
  sameShape,
  type Shape,
  sizeOf,
  madeFor,
  standingOf,
  type Standing,
} from "../../ir";
import { algebraOf, countsAlong, isLinearFold, isSubtraction, opDef, withDefaults } from "../../ops";
import { isFreeView } from "../../kernel";
import type { Planner } from "../driver/planner";
import type { NodeChange, Rewriter } from "../driver/rewriter";
import { hereOf, maskedGatherOf, type MaskedGather } from "./gather-by-mask";

/**
 * `full`: an element of the product's row before any fold. `shifted`: such an element minus a value of the row. `weight`: a multiple
 * of exp(shifted), which can fade. `row`: one value a row. `late`: an element that needs a fold of its row first.
 */
type Kind = "full" | "shifted" | "weight" | "row" | "late";

/** More terms than this are no simpler than the sum they come from. */
const MAX_TERMS = 24;

/** A sum over rows, or a gather that takes one element of each: what it folds, and under which coefficients. */
interface Sum {
  readonly fold: Node;
  readonly operand: NodeId;
  readonly gathered: MaskedGather | null;
}

export interface DistributedSum {
  readonly change: NodeChange;
  /** The sums that were rewritten. */
  readonly sums: readonly NodeId[];
  /** Row values that left them. */
  readonly rows: readonly NodeId[];
}

/**
 * Rewrites every sum among `nodes` whose terms need a fold of the same row, where they need it linearly.
 * @param nodes what depends on `product`, in text order
 * @returns null when there is nothing to do, or when a term is not linear in the row's values
 */
export function distributeSum(
  planner: Planner,
  rewriter: Rewriter,
  product: NodeId,
  nodes: readonly NodeId[],
): DistributedSum | null {
  const { graph } = planner;
  const kinds = kindsOf(graph, product, nodes);
  const isLate = (id: NodeId): boolean => kinds.get(id) === "late" || kinds.get(id) === "shifted";
  const sums = nodes.flatMap((id): Sum[] => {
    const fold = node(graph, id);
    const gathered = opDef(fold.op).kind === "gather" ? maskedGatherOf(planner, fold) : null;
    if (gathered) return [{ fold, operand: gathered.rows.id, gathered }];
    const folds = isLinearFold(fold.op) && isLate(fold.inputs[0]!);
    return folds ? [{ fold, operand: fold.inputs[0]!, gathered: null }] : [];
  });
  const parts = sums.map((sum) => new Terms(graph, kinds, sum));
  if (parts.length === 0 || !parts.every((part) => part.expand())) return null;
  const after = parts.flatMap(({ added }) => added);
  const inserted = parts.flatMap(({ added, sum }) =>
    added.flatMap((n) => (n.id === sum.fold.id || isLiteral(n) ? [] : [[n.id, sum.fold.id] as const])),
  );
  return {
    change: { ...rewriter.replaced([], after), inserted },
    sums: sums.map(({ fold }) => fold.id),
    rows: [...new Set(parts.flatMap(({ rows }) => [...rows]))],
  };
}

function kindsOf(graph: Graph, product: NodeId, nodes: readonly NodeId[]): Map<NodeId, Kind> {
  const kinds = new Map<NodeId, Kind>([[product, "full"]]);
  for (const id of nodes) {
    const n = node(graph, id);
    const { kind } = opDef(n.op);
    const bound = n.inputs.flatMap((input) => kinds.get(input) ?? []);
    if (kind === "reduce" || kind === "gather") kinds.set(id, "row");
    else if (isFreeView(n)) kinds.set(id, bound[0]!);
    else kinds.set(id, kindOf(n, bound, sizeOf(node(graph, product).type.shape)));
  }
  return kinds;
}

function kindOf(n: Node, bound: readonly Kind[], full: number): Kind {
  if (bound.includes("late")) return "late";
  if (bound.includes("shifted")) return algebraOf(n.op).exponential ? "weight" : "late";
  if (!bound.includes("row")) return bound.includes("weight") ? "weight" : "full";
  if (bound.every((kind) => kind === "row") && sizeOf(n.type.shape) < full) return "row";
  return isSubtraction(algebraOf(n.op)) && !bound.includes("weight") ? "shifted" : "late";
}

/** What is still to be written: Σ path(value) as `at`. */
interface Open {
  readonly at: Standing;
  readonly value: NodeId;
  /** Ops between the sum and the value that are linear in it, the outermost first. */
  readonly path: readonly Step[];
  /** The value has the rows of the sum under another shape. */
  readonly viewed: boolean;
}

/** A linear op around the value: its other operands need no fold. */
interface Step {
  readonly around: Node;
  /** Which operand the value is. */
  readonly at: number;
}

class Terms {
  readonly added: Node[] = [];
  readonly rows = new Set<NodeId>();
  readonly #open: Open[] = [];
  readonly #counts = new Map<string, { readonly id: NodeId; readonly path: readonly Step[] }>();
  readonly #literals = new Map<number, NodeId>();
  readonly #full: Shape;

  readonly graph: Graph;
  readonly kinds: ReadonlyMap<NodeId, Kind>;
  readonly sum: Sum;

  constructor(graph: Graph, kinds: ReadonlyMap<NodeId, Kind>, sum: Sum) {
    this.graph = graph;
    this.kinds = kinds;
    this.sum = sum;
    this.#full = node(graph, sum.operand).type.shape;
  }

  /** Writes all terms; false when one of them is not linear. */
  expand(): boolean {
    const { fold, operand, gathered } = this.sum;
    const around =
      gathered && this.#made({ id: COMPARISON }, "where", [COMPARISON, operand, this.#const(0)], this.#full);
    this.#open.push({
      at: standingOf(this.graph, fold),
      value: operand,
      path: around ? [{ around, at: 1 }] : [],
      viewed: false,
    });
    for (let next = this.#open.pop(); next; next = this.#open.pop()) {
      if (this.added.length > MAX_TERMS * 4 || !this.#write(next)) return false;
    }
    this.#nameFirst(gathered);
    return true;
  }

  /** What several terms share stands last: before everything that reads it. */
  #nameFirst(gathered: MaskedGather | null): void {
    const names = new Map<NodeId, NodeId>();
    const deepest = (): Standing => this.added.reduce((a, b) => (roomOf(b) < roomOf(a) ? b : a));
    for (const { id, path } of this.#counts.values()) {
      const shared = madeFor(deepest(), "shared");
      names.set(id, shared.id);
      this.#writeShared(shared, path);
    }
    const first = deepest();
    const here = gathered ? hereOf(gathered, madeFor(first, "is_index")) : [];
    if (gathered) names.set(COMPARISON, here.at(-1)!.id);
    const literals = [...this.#literals].map(([value, id]): Node => {
      const standing = madeFor(first, String(value));
      names.set(id, standing.id);
      return { ...this.#made(standing, "const", [], [], { value }), label: String(value) };
    });
    this.added.forEach((n, i) => {
      this.added[i] = { ...n, inputs: n.inputs.map((input) => names.get(input) ?? input) };
    });
    this.added.unshift(...literals, ...here);
  }

  #write({ at, value, path, viewed }: Open): boolean {
    const kind = this.kinds.get(value);
    if (kind === "row") return false;
    const n = node(this.graph, value);
    if (kind !== "late" && kind !== "shifted")
      return viewed ? this.#seen(at, n, path) : this.#leaf(at, value, n.type.shape, path);
    if (isFreeView(n) && this.#keepsRows(n)) {
      this.#open.push({ at, value: n.inputs[0]!, path, viewed: true });
      return true;
    }
    // A coefficient in another shape is no coefficient of these rows.
    const { terms, powers } = algebraOf(n.op);
    if (viewed && !terms) return false;
    const isRow = (operand: number): boolean => this.kinds.get(n.inputs[operand]!) === "row";
    const waits = (operand: number): boolean =>
      ["row", "late", "shifted"].includes(this.kinds.get(n.inputs[operand]!) ?? "");
    if (terms) {
      const parts = terms.map((_, operand) => this.#ask(at, n, operand, path, viewed));
      return this.#join(at, n.op, parts);
    }
    if (powers?.length === 2) {
      const row = [1, 0].find((operand) => isRow(operand) && powers[1 - operand] === 1);
      if (row !== undefined)
        return this.#join(at, n.op, [this.#ask(at, n, 1 - row, path), this.#row(n.inputs[row]!, at)]);
      const [only, ...others] = [0, 1].filter(waits);
      return only !== undefined && others.length === 0 && powers[only] === 1 && this.#through(at, n, only, path);
    }
    return n.op === "where" && !waits(0) && this.#choice(at, n, path);
  }

  /** Each branch counts where it is taken. */
  #choice(at: Standing, n: Node, path: readonly Step[]): boolean {
    const isZero = (operand: number): boolean => node(this.graph, n.inputs[operand]!).attrs["value"] === 0;
    const taken = [1, 2].filter((operand) => !isZero(operand));
    if (taken.length === 1) return this.#through(at, n, taken[0]!, path);
    const zero = this.#const(0);
    const parts = taken.map((operand): NodeId => {
      const around = { ...n, inputs: n.inputs.map((input, i) => (i === 3 - operand ? zero : input)) };
      return this.#term(madeFor(at, String(operand)), n.inputs[operand]!, [...path, { around, at: operand }]);
    });
    return this.#join(at, "add", parts);
  }

  /** The op around the value becomes part of its coefficient. */
  #through(made: Standing, around: Node, at: number, path: readonly Step[]): boolean {
    this.#term(made, around.inputs[at]!, [...path, { around, at }]);
    return true;
  }

  #ask(at: Standing, n: Node, operand: number, path: readonly Step[], viewed = false): NodeId {
    return this.#term(madeFor(at, String(operand)), n.inputs[operand]!, path, viewed);
  }

  /** Does the sum fold the rows that lie behind this view of them? */
  #keepsRows({ inputs }: Node): boolean {
    const { fold, gathered } = this.sum;
    const last = this.#full.length - 1;
    const folds = gathered === null && opDef(fold.op).reduce!.axes(fold.attrs, this.#full).join() === String(last);
    return folds && node(this.graph, inputs[0]!).type.shape.at(-1) === this.#full[last];
  }

  /** An element of the row under the shape of the sum; false where it is not of the whole row. */
  #seen(at: Standing, { id: value, type }: Node, path: readonly Step[]): boolean {
    if (sizeOf(type.shape) !== sizeOf(this.#full)) return false;
    const view = deeper(at, path.length + 1);
    this.added.push(this.#made(view, "reshape", [value], this.#full, { shape: this.#full }));
    return this.#leaf(at, view.id, this.#full, path);
  }

  /** Σ path(value), written now or later; usually as `at`. */
  #term(at: Standing, value: NodeId, path: readonly Step[], viewed = false): NodeId {
    if (this.kinds.get(value) === "row") return this.#rowTerm(at, value, path);
    this.#open.push({ at, value, path, viewed });
    return at.id;
  }

  /** A value of the row times the sum of its coefficients. */
  #rowTerm(at: Standing, value: NodeId, path: readonly Step[]): NodeId {
    const { fold } = this.sum;
    const row = this.#row(value, at);
    const terms = sizeOf(this.#full) / sizeOf(fold.type.shape);
    const whole = opDef(fold.op).reduce?.finish?.js(terms, terms) ?? terms;
    if (path.length === 0 && whole === 1) return row;
    const [only] = path;
    const picks = only && path.length === 1 ? this.#picks(only) : false;
    if (picks === "one") return row;
    const made = picks
      ? this.#made(at, "where", [this.#shared(path), row, this.#const(0)], fold.type.shape)
      : this.#made(at, "mul", [row, path.length > 0 ? this.#shared(path) : this.#const(whole)], fold.type.shape);
    this.added.push(made);
    return at.id;
  }

  /** Does the step leave one element of each row, or none where its label is no index of the row? */
  #picks({ around, at }: Step): "one" | "one or none" | false {
    if (around.id === COMPARISON) return "one";
    return at === 1 && around.op === "where" && this.#labelOf(around) !== null ? "one or none" : false;
  }

  /** `label` of `where(label == index, x, 0)`; null for any other choice. */
  #labelOf({ inputs }: Node): NodeId | null {
    const { graph } = this;
    const axis = opDef(this.sum.fold.op).reduce!.axes(this.sum.fold.attrs, this.#full)[0]!;
    const here = node(graph, inputs[0]!);
    if (here.op !== "eq" || node(graph, inputs[2]!).attrs["value"] !== 0) return null;
    const isIota = (id: NodeId): boolean => countsAlong((each) => node(graph, each), id, axis, this.#full[axis]!, 1);
    const [a, b] = here.inputs as [NodeId, NodeId];
    const label = isIota(b) ? a : isIota(a) ? b : null;
    const { dtype, shape } = node(graph, label ?? a).type;
    const oneARow =
      shape.length === this.#full.length && shape.every((extent, i) => extent === (i === axis ? 1 : this.#full[i]));
    return label !== null && dtype === "i32" && oneARow ? label : null;
  }

  /** What the row values of these coefficients are multiplied by, or chosen by: once for all of them. */
  #shared(path: readonly Step[]): NodeId {
    const key = path.map(({ around, at }) => `${around.id}:${at}`).join(" ");
    const known = this.#counts.get(key) ?? { id: nodeId(`~count ${this.#counts.size}`), path };
    this.#counts.set(key, known);
    return known.id;
  }

  /** The sum of the coefficients; of a choice by label, whether the label is an index of the row at all. */
  #writeShared(at: Standing, path: readonly Step[]): void {
    const picks = this.#picks(path[0]!) && path.length === 1;
    if (!picks) return void this.#leaf(at, this.#const(1), [], path, "count");
    const { shape } = this.sum.fold.type;
    const axis = opDef(this.sum.fold.op).reduce!.axes(this.sum.fold.attrs, this.#full)[0]!;
    const held = madeFor(at, "clamped");
    const named = this.#labelOf(path[0]!.around)!;
    const reshaped = sameShape(node(this.graph, named).type.shape, shape) ? null : madeFor(held, "label");
    const label = reshaped?.id ?? named;
    const of = (n: Node, dtype: Node["type"]["dtype"], says: string): Node => ({
      ...n,
      label: says,
      type: { dtype, shape },
    });
    if (reshaped) this.added.push(of(this.#made(reshaped, "reshape", [named], shape, { shape }), "i32", "label"));
    this.added.push(
      of(this.#made(held, "clamp", [label], shape, { min: 0, max: this.#full[axis]! - 1 }), "i32", "clamped"),
    );
    this.added.push(of(this.#made(at, "eq", [label, held.id], shape), "bool", "is_in_range"));
  }

  /** A value of the row in the shape of the sum. */
  #row(value: NodeId, beside: Standing): NodeId {
    this.rows.add(value);
    const { shape } = this.sum.fold.type;
    if (sameShape(node(this.graph, value).type.shape, shape)) return value;
    const standing = madeFor(beside, "row");
    this.added.push({ ...this.#made(standing, "reshape", [value], shape, { shape }), label: "row" });
    return standing.id;
  }

  #join(at: Standing, op: string, inputs: readonly NodeId[]): boolean {
    this.added.push(this.#made(at, op, inputs, this.sum.fold.type.shape));
    return true;
  }

  /** Σ path(value), where nothing waits for a fold. */
  #leaf(standing: Standing, value: NodeId, own: Shape, path: readonly Step[], label = "sum"): boolean {
    const { fold, gathered } = this.sum;
    const shapes = [own];
    for (const { around, at } of path.toReversed()) {
      const others = around.inputs.filter((input, i) => i !== at && this.graph.nodes.has(input));
      const of = (input: NodeId): Shape => node(this.graph, input).type.shape;
      const first = around.id === COMPARISON ? this.#full : shapes.at(-1)!;
      shapes.push(others.reduce((shape, input) => broadcastShapes(shape, of(input))!, first));
    }
    const spread = !sameShape(shapes.at(-1)!, this.#full);
    const made = path.map((_, i) => deeper(standing, i + 1));
    let inner = value;
    if (spread) {
      const wide = deeper(standing, path.length + 1);
      inner = wide.id;
      this.added.push({
        ...this.#made(wide, "expand", [value], this.#full, { shape: this.#full }),
        label: "expand",
      });
    }
    for (const [i, { around, at }] of [...path.entries()].toReversed()) {
      const shape = spread ? this.#full : shapes[path.length - i]!;
      const inputs = around.inputs.map((input, operand) => (operand === at ? inner : input));
      this.added.push({ ...around, ...made[i]!, inputs, type: { ...around.type, shape } });
      inner = made[i]!.id;
    }
    const attrs = gathered ? { axes: [gathered.axis], keepdims: true } : fold.attrs;
    const sum = this.#made(standing, gathered ? "sum" : fold.op, [inner], fold.type.shape, attrs);
    this.added.push(standing.id === fold.id ? sum : { ...sum, label });
    return true;
  }

  #const(value: number): NodeId {
    const known = this.#literals.get(value) ?? nodeId(`~${value}`);
    this.#literals.set(value, known);
    return known;
  }

  #made({ id, order }: Standing, op: string, inputs: readonly NodeId[], shape: Shape, attrs: Node["attrs"] = {}): Node {
    const { fold } = this.sum;
    const label = id === fold.id ? fold.label : op;
    return {
      ...fold,
      id,
      ...(id !== fold.id && { order }),
      op,
      inputs,
      label,
      type: { dtype: fold.type.dtype, shape },
      attrs: withDefaults(opDef(op), attrs),
    };
  }
}

/** As far before `at` as if it had been made for what was made for it, so many times. */
const deeper = (at: Standing, times: number): Standing => (times === 0 ? at : madeFor(deeper(at, times - 1), "x"));

/** The less room, the further before the sum it stands. */
const roomOf = ({ order }: Standing): number => order?.room ?? 1;

/** Stands for the comparison until its name is known. */
const COMPARISON = nodeId("~");

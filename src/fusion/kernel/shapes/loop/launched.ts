/**
 * @file A loop as a program without a compiler runs it: each iteration launches a kernel for every call of its body, and what the iteration
 * leaves behind is read by the next one from memory.
 */
import {
  bug,
  node,
  nodeId,
  sameShape,
  type Graph,
  type Node,
  type NodeId,
  type Region,
  type Shape,
  type Target,
  type TensorType,
} from "../../../ir";
import {
  givenRow,
  opDef,
  pruned,
  rankAround,
  resultAt,
  rowAt,
  rowLoopOf,
  withDefaults,
  type BodyArg,
  type LoopBody,
  type Result,
  type RowLoop,
  type Walk,
} from "../../../ops";
import { loopKey, resultsOf } from "./map-loops";
import { isFreeView, isInlined, resolveView } from "../../indices/views";

/** Whether the iterations of this loop are launches of their own. */
export function isLaunched(n: Node): boolean {
  const { loop } = opDef(n.op);
  return loop !== undefined && loop.launched(n.attrs);
}

/**
 * Where a value of an iteration lies: outside of the loop, in a row of what lies there, or where an earlier iteration, or this one, put
 * value `at` of the body.
 */
export type Home =
  | { readonly kind: "outside"; readonly node: Node }
  | {
      readonly kind: "row";
      readonly node: Node;
      readonly type: TensorType;
      /** The axis that rows are counted along. */
      readonly axis: number;
      readonly walk: Walk;
      readonly iteration: number;
    }
  | { readonly kind: "literal"; readonly node: Node }
  | { readonly kind: "made"; readonly at: number; readonly iteration: number; readonly type: TensorType };

/** One kernel of an iteration, as a region of the iteration's own graph. */
export interface Launch {
  readonly region: Region;
  /** Values of the body that it stores, by node. */
  readonly stores: ReadonlyMap<NodeId, number>;
}

/** The kernels of an iteration whose values lie so. Iterations of equal types have equal kernels. */
export interface IterationKernels {
  readonly graph: Graph;
  readonly launches: readonly Launch[];
  /** The parameter, value or number that a node of the graph stands for. */
  readonly argOf: ReadonlyMap<NodeId, BodyArg>;
  readonly typeOf: (at: number) => TensorType;
}

/** A loop whose results are the outputs of a region, iteration by iteration. */
export class LaunchedLoop {
  readonly iterations: number;
  /** What each output is. */
  readonly results: readonly Result[];
  /** The rows that iterations go along; null where there are none. */
  readonly rows: RowLoop | null;
  readonly outputs: readonly NodeId[];
  /** Shapes of the outputs. */
  readonly shapes: readonly Shape[];
  readonly body: LoopBody;
  readonly first: readonly Home[];
  readonly #kernels = new Map<string, IterationKernels>();
  readonly #usesIteration: boolean;

  constructor(graph: Graph, outputs: readonly NodeId[]) {
    const nodes = outputs.map((id) => node(graph, id));
    const { attrs, op, inputs } = nodes[0]!;
    const loop = opDef(op).loop!;
    const left = pruned(loop.bodyOf(attrs), resultsOf(nodes));
    this.iterations = loop.iterations(attrs);
    this.outputs = outputs;
    this.shapes = nodes.map(({ type }) => type.shape);
    this.results = nodes.map((n) => resultAt(left.body, left.results.get(loop.result(n.attrs))!));
    this.rows = rowLoopOf(nodes[0]!);
    this.body = left.body;
    this.first = left.params.map((at, param): Home => {
      const shown = node(graph, inputs[at]!);
      if (isInlined(shown)) return { kind: "literal", node: shown };
      const stored = node(graph, resolveView(graph, shown.id));
      return isInlined(stored)
        ? { kind: "literal", node: { ...stored, type: shown.type } }
        : this.#inRows(param, { ...shown, id: stored.id });
    });
    this.#usesIteration =
      this.body.params.some(({ walk }) => walk) ||
      [...this.body.values.flatMap(({ args }) => args), ...this.body.next].some(({ kind }) => kind === "iteration");
  }

  /** An operand from outside: all of it, or the row of the first iteration. */
  #inRows(param: number, outside: Node): Home {
    const said = this.body.params[param]!;
    const { walk } = said;
    if (!walk) return { kind: "outside", node: outside };
    const { dtype, shape } = outside.type;
    const axis = rankAround(shape, said) + this.rows!.axis;
    return { kind: "row", node: outside, type: { dtype, shape: shape.toSpliced(axis, 1) }, axis, walk, iteration: 0 };
  }

  /** The outputs of which each iteration writes a row: the value that it is, and the row. */
  given(homes: readonly Home[], iteration: number, kernels: IterationKernels): readonly GivenRow[] {
    return this.results.flatMap(({ kind, at }, i): GivenRow[] => {
      if (kind === "last") return [];
      const from = kind === "before" ? homes[at]! : this.#homeOf(this.body.rows[at]!, homes, iteration, kernels);
      return [{ output: this.outputs[i]!, from, row: rowAt(givenRow(this.rows!), iteration) }];
    });
  }

  /** The kernels of iteration `iteration`, whose parameters lie at `homes`. */
  kernels(homes: readonly Home[], iteration: number): IterationKernels {
    const key = [...homes.map(saidOf), this.#usesIteration ? iteration : ""].join(" ");
    const known = this.#kernels.get(key);
    if (known) return known;
    const made = this.#kernelsOf(homes, iteration);
    this.#kernels.set(key, made);
    return made;
  }

  /** Where the parameters lie in the iteration after `iteration`. */
  after(homes: readonly Home[], iteration: number, kernels: IterationKernels): readonly Home[] {
    return homes.map((home, at) => {
      if (at < this.body.next.length) return this.#homeOf(this.body.next[at]!, homes, iteration, kernels);
      return home.kind === "row" ? { ...home, iteration: iteration + 1 } : home;
    });
  }

  #homeOf(arg: BodyArg, homes: readonly Home[], iteration: number, kernels: IterationKernels): Home {
    if (arg.kind === "param") return homes[arg.at]!;
    if (arg.kind === "value") return { kind: "made", at: arg.at, iteration, type: kernels.typeOf(arg.at) };
    const constant = arg.kind === "iteration" ? { value: iteration, dtype: "i32" as const } : arg;
    return { kind: "literal", node: constNode(nodeId(`${this.outputs[0]!}~literal`), constant) };
  }

  #kernelsOf(homes: readonly Home[], iteration: number): IterationKernels {
    const { params, values, next, rows } = this.body;
    const nodes = new Map<NodeId, Node>();
    const argOf = new Map<NodeId, BodyArg>();
    const own = (name: string): NodeId => nodeId(`${this.outputs[0]!}~${name}`);
    const views = new Map<NodeId, readonly NodeId[]>();
    const idOf = (arg: BodyArg): NodeId => {
      if (arg.kind === "value") return own(values[arg.at]!.name);
      if (arg.kind === "param") {
        const id = own(params[arg.at]!.name);
        const home = homes[arg.at]!;
        if (nodes.has(id)) return id;
        if (home.kind === "row") {
          const [whole, ...row] = rowNodes(id, params[arg.at]!.name, home);
          for (const n of [whole!, ...row]) nodes.set(n.id, n);
          views.set(
            id,
            row.map((n) => n.id),
          );
          argOf.set(whole!.id, arg);
        } else {
          nodes.set(id, paramNode(id, params[arg.at]!.name, home));
          argOf.set(id, arg);
        }
        return id;
      }
      const constant = arg.kind === "iteration" ? { value: iteration, dtype: "i32" as const } : arg;
      const id = own(`${constant.value}:${constant.dtype}`);
      if (!nodes.has(id)) nodes.set(id, constNode(id, constant));
      return id;
    };
    values.forEach(({ name, op, args, attrs }, at) => {
      const inputs = args.map(idOf);
      const def = opDef(op);
      const type = def.infer(
        inputs.map((id) => nodes.get(id)!.type),
        withDefaults(def, attrs),
      );
      if (!type.ok) throw bug(`${name}: ${type.text}`);
      const id = own(name);
      const made: Node = { id, op, inputs, attrs, type: type.value, label: name, origins: [id], groups: [] };
      nodes.set(id, made);
      if (isFreeView(made)) views.set(id, [...(views.get(inputs[0]!) ?? []), id]);
      argOf.set(id, { kind: "value", at });
    });
    const graph: Graph = {
      nodes,
      outputs: [...new Set([...next, ...rows])].flatMap((arg) => (arg.kind === "value" ? [idOf(arg)] : [])),
    };
    return {
      graph,
      argOf,
      typeOf: (at) => nodes.get(own(values[at]!.name))!.type,
      launches: launchesOf(graph, this.body, own, views),
    };
  }
}

/** One kernel for each call as written; what others read, or the next iteration, is stored. */
function launchesOf(
  graph: Graph,
  { values }: LoopBody,
  own: (name: string) => NodeId,
  views: ReadonlyMap<NodeId, readonly NodeId[]>,
): Launch[] {
  const calls = new Map<string, number[]>();
  values.forEach(({ name, call }, at) => {
    // The same memory, read in another shape: whoever reads it does that.
    if (views.has(own(name))) return;
    const key = call === undefined ? `value ${at}` : `call ${call}`;
    calls.set(key, [...(calls.get(key) ?? []), at]);
  });
  const wanted = new Set(graph.outputs);
  const viewsOf = (id: NodeId): readonly NodeId[] => views.get(id) ?? [];
  // A call stands where its last value does, when all that it reads is there.
  const inOrder = [...calls.values()].toSorted((a, b) => a.at(-1)! - b.at(-1)!);
  return inOrder.map((call) => {
    const ids = new Map(call.map((at) => [own(values[at]!.name), at]));
    const isRead = (id: NodeId): boolean =>
      [...graph.nodes.values()].some((n) => n.inputs.includes(id) && (views.has(n.id) ? isRead(n.id) : !ids.has(n.id)));
    const stores = new Map([...ids].filter(([id]) => wanted.has(id) || isRead(id)));
    const region = {
      id: `k:${[...ids.keys()].at(-1)!}` as Region["id"],
      members: [...new Set([...ids.keys()].flatMap((id) => [...node(graph, id).inputs.flatMap(viewsOf), id]))],
      outputs: [...stores.keys()],
    };
    return { region, stores };
  });
}

/** The row of the tensor in which a home is one. */
const rowNumber = ({ walk, iteration }: Extract<Home, { kind: "row" }>): number => rowAt(walk, iteration);

/** What a kernel sees of a home. */
export const saidOf = (home: Home): string => {
  const { dtype, shape } = home.kind === "made" ? home.type : home.node.type;
  const more =
    home.kind === "literal"
      ? `=${String(home.node.attrs["value"])}`
      : home.kind === "row"
        ? ` row ${rowNumber(home)}`
        : "";
  return `${dtype}[${shape.join()}]${more}`;
};

/** A row as nodes: the whole tensor, the piece of it, and that without the axis. */
function rowNodes(id: NodeId, label: string, home: Extract<Home, { kind: "row" }>): Node[] {
  const { type, node: outside, axis: own } = home;
  const all = nodeId(`${id}~all`);
  const piece = nodeId(`${id}~row`);
  const row = rowNumber(home);
  const common = { label, groups: [] };
  const whole = isInlined(outside) ? { op: outside.op, attrs: outside.attrs } : { op: "input", attrs: {} };
  return [
    { ...common, ...whole, id: all, inputs: [], type: outside.type, origins: [id] },
    {
      ...common,
      id: piece,
      op: "slice",
      inputs: [all],
      attrs: { start: [row], stop: [row + 1], step: null, axes: [own] },
      type: { ...type, shape: outside.type.shape.with(own, 1) },
      origins: [id],
    },
    { ...common, id, op: "reshape", inputs: [piece], attrs: { shape: type.shape }, type, origins: [id] },
  ];
}

function paramNode(id: NodeId, label: string, home: Exclude<Home, { kind: "row" }>): Node {
  if (home.kind === "literal") return { ...home.node, id, label };
  const { type } = home.kind === "made" ? home : home.node;
  return { id, op: "input", inputs: [], attrs: {}, type, label, origins: [id], groups: [] };
}

const constNode = (
  id: NodeId,
  { value, dtype }: { readonly value: number; readonly dtype: TensorType["dtype"] },
): Node => ({
  id,
  op: "const",
  inputs: [],
  attrs: { value },
  type: { dtype, shape: [] },
  label: `${value}`,
  origins: [id],
  groups: [],
});

/** A row of an output, and where the value lies that is written there. */
export interface GivenRow {
  readonly output: NodeId;
  readonly from: Home;
  readonly row: number;
}

/** A result that no kernel of the last iteration writes under its own name is copied to it. */
export interface Ending {
  /** Where each result lies after the last iteration; null: its rows are there. */
  readonly homes: readonly (Home | null)[];
  /** Results that are copied: their home is nobody's alone. */
  readonly copied: readonly boolean[];
}

/** Where the results lie when the parameters lie at `homes` after the last iteration. */
export function endingOf(loop: LaunchedLoop, homes: readonly Home[]): Ending {
  const found = loop.results.map(({ kind, at }) => (kind === "last" ? homes[at]! : null));
  const taken = new Set<string>();
  const copied = found.map((home, i) => {
    if (home === null) return false;
    if (home.kind !== "made") return true;
    const key = `${home.at} ${home.iteration}`;
    const again = taken.has(key);
    taken.add(key);
    return again || (loop.rows !== null && !sameShape(home.type.shape, loop.shapes[i]!));
  });
  return { homes: found, copied };
}

const targets = new WeakMap<Target, Target>();

/** The target of an iteration's kernels: each launch is one of them. */
export function uncutOf(target: Target): Target {
  const known = targets.get(target) ?? { ...target, uncut: true };
  targets.set(target, known);
  return known;
}

/** The key of the one loop that all of these are results of and that launches its iterations; null of anything else. */
export function launchedKey(graph: Graph, members: readonly NodeId[]): string | null {
  const [first] = members;
  if (first === undefined || !isLaunched(node(graph, first))) return null;
  const key = loopKey(node(graph, first));
  return members.every((id) => loopKey(node(graph, id)) === key) ? key : null;
}

/**
 * @file Runs of a loop's body that the threads of a workgroup share: the body as nodes of a graph, and the steps of an iteration. A step
 * computes all numbers of a value, each in the thread that owns it; between steps threads meet, and read in workgroup memory what others own.
 */
import {
  node,
  nodeId,
  sameShape,
  sizeOf,
  type DType,
  type Graph,
  type Node,
  type NodeId,
  type Shape,
} from "../../../ir";
import {
  isOwnedRun,
  neededFor,
  opDef,
  ownShape,
  rankAround,
  resultAt,
  rowLoopOf,
  withDefaults,
  type BodyArg,
  type LoopBody,
  type RowLoop,
} from "../../../ops";
import { resultsOf } from "./map-loops";

/** Whether the rows that this loop carries are too long for one thread. */
export function sharesRuns({ op, attrs }: Pick<Node, "op" | "attrs">): boolean {
  const loop = opDef(op).loop!;
  const body = loop.bodyOf(attrs);
  return !loop.isPlain(body) && !isOwnedRun(body, loop.typesOf(body));
}

/** One value, all of whose numbers are computed. `fold`: one number that all threads join; `own`: each by the thread that owns it. */
export interface RunStep {
  readonly kind: "product" | "fold" | "own";
  readonly id: NodeId;
}

/** What the threads of a workgroup do without meeting: they join one fold, or each computes the numbers that it owns of values of one shape. */
export interface RunPhase {
  readonly shape: Shape;
  readonly steps: readonly RunStep[];
  /** Results of which an iteration gives these numbers, as values of the body. */
  readonly given: readonly NodeId[];
  /** What is carried on. */
  readonly ends: readonly RunEnd[];
}

/** A stretch of workgroup memory, for values that are not needed at the same time. */
export interface Slot {
  readonly name: string;
  readonly dtype: DType;
  readonly length: number;
}

/** What a carried value is after an iteration. */
export interface RunEnd {
  /** Which parameter. */
  readonly at: number;
  readonly id: NodeId;
}

export interface RunSteps {
  readonly loop: RowLoop;
  readonly body: LoopBody;
  /** The body, with an axis in front for runs beside one another where the loop has several. */
  readonly graph: Graph;
  /** Numbers of a run that its value has. */
  readonly own: (id: NodeId) => Shape;
  readonly idOf: (arg: BodyArg) => NodeId;
  readonly params: ReadonlyMap<NodeId, number>;
  readonly iteration: NodeId;
  /** In order. The last of them carry on what is computed. */
  readonly phases: readonly RunPhase[];
  readonly ends: readonly RunEnd[];
  readonly slots: readonly Slot[];
  /** Where a value waits in workgroup memory. */
  readonly slotOf: ReadonlyMap<NodeId, number>;
  /** Products that only one value reads, each number of them where that one is computed: they are no steps of their own. */
  readonly inside: readonly NodeId[];
}

const sources = (id: NodeId, dtype: DType, shape: Shape, label: string): Node => ({
  id,
  op: "input",
  inputs: [],
  attrs: {},
  type: { dtype, shape },
  label,
  origins: [id],
  groups: [],
});

/**
 * The steps of a loop's iteration.
 * @param beside runs that a workgroup has
 */
export function runSteps(outer: Graph, results: readonly Node[], beside: number): RunSteps {
  const [first] = results as [Node];
  const loop = rowLoopOf(first)!;
  const { body } = loop;
  const types = opDef(first.op).loop!.typesOf(body);
  const numbers = resultsOf(results);
  const needed = neededFor(body, numbers);
  const nodes = new Map<NodeId, Node>();
  const params = new Map<NodeId, number>();
  const ownSizes = new Map<NodeId, Shape>();
  const named = (name: string): NodeId => nodeId(`${first.id}~${name}`);
  const inFront = loop.outer.length > 0 ? [beside] : [];
  const iteration = named(body.iteration);
  nodes.set(iteration, sources(iteration, "i32", [], body.iteration));
  ownSizes.set(iteration, []);
  const idOf = (arg: BodyArg): NodeId => {
    if (arg.kind === "value") return named(body.values[arg.at]!.name);
    if (arg.kind === "param") return named(body.params[arg.at]!.name);
    if (arg.kind === "iteration") return iteration;
    const id = named(`${arg.value}:${arg.dtype}`);
    nodes.set(id, { ...sources(id, arg.dtype, [], `${arg.value}`), op: "const", attrs: { value: arg.value } });
    ownSizes.set(id, []);
    return id;
  };
  body.params.forEach((param, at) => {
    const id = named(param.name);
    const { shape } = node(outer, first.inputs[at]!).type;
    const around = shape.slice(0, rankAround(shape, param));
    const rest = param.walk ? around.toSpliced(around.length + loop.axis, 1) : around;
    const isApart = at < body.next.length || sizeOf(rest) > 1;
    nodes.set(id, sources(id, param.dtype, [...(isApart ? inFront : []), ...ownShape(param)], param.name));
    ownSizes.set(id, ownShape(param));
    params.set(id, at);
  });
  const order = [...needed.values].toSorted((a, b) => a - b);
  for (const at of order) {
    const { name, op, args, attrs: given } = body.values[at]!;
    const inputs = args.map(idOf);
    const attrs = withDefaults(opDef(op), given);
    const type = opDef(op).infer(
      inputs.map((input) => nodes.get(input)!.type),
      attrs,
    );
    if (!type.ok) throw new TypeError(`${name}: ${type.text}`);
    nodes.set(named(name), { ...sources(named(name), "f32", [], name), op, inputs, attrs, type: type.value });
    ownSizes.set(named(name), types[at]!.shape);
  }
  const graph: Graph = { nodes, outputs: [] };
  const own = (id: NodeId): Shape => ownSizes.get(id)!;
  const ends = needed.carried.map((at): RunEnd => ({ at, id: idOf(body.next[at]!) }));
  const isCarried = (id: NodeId): boolean => (params.get(id) ?? Infinity) < body.next.length;
  // Rows of what is carried are those before the iteration.
  const shown = [
    ...needed.rows.map((at) => idOf(body.rows[at]!)),
    ...numbers.flatMap((number) => {
      const { kind, at } = resultAt(body, number);
      return kind === "before" ? [idOf({ kind: "param", at })] : [];
    }),
  ];
  const all = stepsOf();
  const inside = insideOthers();
  const steps = all.filter(({ id }) => !inside.includes(id));
  const isStep = new Set(steps.map(({ id }) => id));
  const phases = phasesOf();
  const { slots, slotOf } = storage();
  return { loop, body, graph, own, idOf, params, iteration, phases, ends, slots, slotOf, inside };

  /** What is read of values that have steps, and of what is carried, to compute `ids`: numbers that a thread owns, and those of others. */
  function readFor(ids: readonly NodeId[]): {
    readonly owned: ReadonlySet<NodeId>;
    readonly others: ReadonlySet<NodeId>;
  } {
    const [owned, others] = [new Set<NodeId>(), new Set<NodeId>()];
    const open = ids.map((id) => ({ id, isOwn: true }));
    const seen = new Set<string>();
    for (let next = open.pop(); next; next = open.pop()) {
      const { id, isOwn } = next;
      const key = `${isOwn} ${id}`;
      if (seen.has(key)) continue;
      seen.add(key);
      if (isStep.has(id) || isCarried(id)) {
        (isOwn ? owned : others).add(id);
        continue;
      }
      const { kind } = opDef(node(graph, id).op);
      for (const input of node(graph, id).inputs)
        open.push({ id: input, isOwn: isOwn && kind === "elementwise" && sameShape(own(input), own(id)) });
    }
    return { owned, others };
  }

  /** What a step reads. */
  function readBy({ kind, id }: RunStep): ReturnType<typeof readFor> {
    const { inputs } = node(graph, id);
    const found = readFor(inputs);
    const isOwn = opDef(node(graph, id).op).kind === "elementwise" || kind === "fold";
    const all = new Set([...found.owned, ...found.others]);
    if (!isOwn) return { owned: new Set(), others: all };
    const apart = kind === "fold" ? [] : inputs.filter((input) => !sameShape(own(input), own(id)));
    return { owned: found.owned, others: new Set([...found.others, ...readFor(apart).owned]) };
  }

  /** Steps of one shape between which threads need not meet are one phase, and what is carried on joins the last. */
  function phasesOf(): readonly RunPhase[] {
    const found: { shape: Shape; steps: RunStep[]; given: NodeId[]; ends: RunEnd[] }[] = [];
    let [written, read] = [new Set<NodeId>(), new Set<NodeId>()];
    const add = (
      shape: Shape,
      isFold: boolean,
      { others, writes }: { readonly others: ReadonlySet<NodeId>; readonly writes: readonly NodeId[] },
    ): (typeof found)[number] => {
      const meets = [...others].some((id) => written.has(id)) || writes.some((id) => read.has(id));
      if (meets || isFold) [written, read] = [new Set(), new Set()];
      for (const id of others) read.add(id);
      for (const id of writes) written.add(id);
      const last = found.at(-1);
      const joins = last && !meets && !isFold && last.steps[0]?.kind !== "fold" && sameShape(last.shape, shape);
      if (joins) return last;
      const phase = { shape, steps: [], given: [], ends: [] };
      found.push(phase);
      return phase;
    };
    for (const step of steps) {
      const { others } = readBy(step);
      const isFold = step.kind === "fold";
      const shape = own(isFold ? node(graph, step.id).inputs[0]! : step.id);
      add(shape, isFold, { others, writes: isFold ? [] : [step.id] }).steps.push(step);
    }
    for (const id of new Set(shown)) add(own(id), false, { others: readFor([id]).others, writes: [] }).given.push(id);
    for (const end of ends) {
      const carried = named(body.params[end.at]!.name);
      if (end.id === carried) continue;
      const before = found.find((phase) => phase.ends.length > 0 && sameShape(phase.shape, own(carried)));
      const phase = before ?? add(own(carried), false, { others: new Set(), writes: endsOf(own(carried)) });
      phase.ends.push(end);
    }
    return found;
  }

  /** Carried values of a shape that change. */
  function endsOf(shape: Shape): readonly NodeId[] {
    return ends.flatMap(({ at, id }) => {
      const carried = named(body.params[at]!.name);
      return id !== carried && sameShape(own(carried), shape) ? [carried] : [];
    });
  }

  /** Products that are read by one value of their shape, which works element by element, and that again, up to a step. */
  function insideOthers(): readonly NodeId[] {
    const readers = new Map<NodeId, NodeId[]>();
    for (const at of order) {
      const id = named(body.values[at]!.name);
      for (const input of node(graph, id).inputs) readers.set(input, [...(readers.get(input) ?? []), id]);
    }
    const results = new Set([...ends.map(({ id }) => id), ...shown]);
    return all.flatMap(({ kind, id: product }) => {
      if (kind !== "product") return [];
      let id = product;
      do {
        const [reader, ...others] = readers.get(id) ?? [];
        if (reader === undefined || others.length > 0 || results.has(id)) return [];
        if (opDef(node(graph, reader).op).kind !== "elementwise" || !sameShape(own(reader), own(product))) return [];
        id = reader;
      } while (!all.some((step) => step.id === id));
      return [product];
    });
  }

  /** Products and folds, and what others than the thread that owns a number read of it, or the next iteration does. */
  function stepsOf(): RunStep[] {
    const isComputed = (id: NodeId): boolean => opDef(node(graph, id).op).kind === "elementwise" && !params.has(id);
    const isWalked = (id: NodeId): boolean => body.params[params.get(id) ?? -1]?.walk !== undefined;
    const varies = (id: NodeId): boolean => {
      const at = params.get(id);
      return at === undefined || isCarried(id) || body.params[at]!.walk !== undefined;
    };
    const isMoved = (id: NodeId): boolean => opDef(node(graph, id).op).kind === "movement";
    const elsewhere = new Set(ends.map(({ id }) => id).filter((id) => isComputed(id) || isMoved(id)));
    for (const at of order) {
      const id = named(body.values[at]!.name);
      const { op, inputs } = node(graph, id);
      if (opDef(op).kind === "contraction") for (const input of inputs) if (varies(input)) elsewhere.add(input);
      // Of a row that is moved, all of it is read, whatever part of it is asked for.
      if (isMoved(id)) for (const input of inputs) if (isComputed(input) || isWalked(input)) elsewhere.add(input);
    }
    const kindOf = (id: NodeId): RunStep["kind"] | null => {
      const { kind } = opDef(node(graph, id).op);
      if (kind === "contraction") return "product";
      if (kind === "reduce") return sizeOf(own(id)) === 1 ? "fold" : "own";
      return elsewhere.has(id) && !isCarried(id) ? "own" : null;
    };
    return [...params.keys(), ...order.map((at) => named(body.values[at]!.name))].flatMap((id): RunStep[] => {
      const kind = kindOf(id);
      return kind === null ? [] : [{ kind, id }];
    });
  }

  /**
   * Values that are read in a later phase, or by other threads, wait. Carried values have a slot of their own; others take over
   * that of a value that nobody reads any more.
   */
  function storage(): { readonly slots: readonly Slot[]; readonly slotOf: ReadonlyMap<NodeId, number> } {
    const slots: Slot[] = [];
    const slotOf = new Map<NodeId, number>();
    const first = new Map(phases.flatMap((phase, i) => phase.steps.map(({ id }) => [id, i] as const)));
    const last = new Map<NodeId, number>();
    phases.forEach(({ steps: here, given, ends: carriedOn }, i) => {
      const after = readFor([...given, ...carriedOn.map(({ id }) => id)]);
      for (const { owned, others } of [...here.map(readBy), after]) {
        for (const id of owned) if (first.get(id) !== i) last.set(id, i);
        for (const id of others) last.set(id, i);
      }
    });
    const open = (id: NodeId): number => {
      const n = node(graph, id);
      return slots.push({ name: n.label, dtype: n.type.dtype, length: sizeOf(own(id)) }) - 1;
    };
    for (const { at } of ends) {
      const id = named(body.params[at]!.name);
      slotOf.set(id, open(id));
    }
    const free: number[] = [];
    phases.forEach(({ steps: here }, i) => {
      for (const { id, kind } of here) {
        if (kind === "fold" || !last.has(id)) continue;
        const { dtype } = node(graph, id).type;
        const isApart = (of: NodeId): boolean => node(graph, of).type.shape.length > own(of).length;
        const at = free.findIndex((slot) => {
          const [taken] = [...slotOf].filter(([, each]) => each === slot).map(([of]) => of);
          return (
            slots[slot]!.dtype === dtype && slots[slot]!.length === sizeOf(own(id)) && isApart(taken!) === isApart(id)
          );
        });
        slotOf.set(id, at >= 0 ? free.splice(at, 1)[0]! : open(id));
      }
      for (const [value, end] of last)
        if (end === i && isStep.has(value) && slotOf.has(value)) free.push(slotOf.get(value)!);
    });
    return { slots, slotOf };
  }
}

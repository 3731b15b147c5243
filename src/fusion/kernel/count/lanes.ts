/**
 * @file How often a thread computes each value for one of the neighbours that it takes, where shifted views ask for it at several
 * positions: for all of them together at each position, and one by one behind an edge that runs between them. Symbolic, as the kernel
 * is written (emit/lowering.ts).
 */
import { node, sizeOf, type Graph, type Node, type NodeId, type Shape } from "../../ir";
import { opDef, type AxisCase } from "../../ops";
import { dependsOnLane, IndexSpace, INDEX_DEPTH, type Cond, type Index, type Tuple } from "../emit/index-space";
import { endsPass } from "../shapes/fold/rows/row-ops";
import { extentOf, type Loop } from "../nest/nest";
import type { RegionForm, RegionSchedule } from "../types";
import { readThroughSeveralViews } from "./positions";
import { shapesOf } from "./reads";

/** Positions that are told apart: with more, a kernel is too long to be built. */
const MAX_POSITIONS = 4096;

/** A value at some index: of every neighbour, or of one of them. */
interface Demand {
  readonly at: Tuple;
  readonly one: boolean;
  /** The branch in which it is asked for: each part of what is joined is computed in one of its own. 0: in none. */
  readonly branch: number;
}

const keyOf = ({ id }: Tuple, branch: number): string => `${id} ${branch}`;

type Body = { readonly members: readonly NodeId[]; readonly outputs: readonly NodeId[] };

/** What a thread takes at once, and what of it is written out. */
export type Neighbours = Pick<RegionSchedule, "width" | "lane" | "fold"> & { readonly run: number };

/**
 * Evaluations for each element of the results, of the values that more than one position is asked of.
 * @param members in topological order
 */
export function evaluationsPerElement(
  graph: Graph,
  { members, outputs }: Body,
  form: RegionForm | null,
  neighbours: Neighbours,
): ReadonlyMap<NodeId, number> {
  if (!readThroughSeveralViews(graph, members)) return new Map();
  return new Walk(graph, members, form, neighbours).from(outputs);
}

class Walk {
  readonly #graph: Graph;
  readonly #members: readonly NodeId[];
  readonly #form: RegionForm | null;
  readonly #neighbours: Neighbours;
  readonly #width: number;
  /** Elements that one thread's statements compute of each result. */
  readonly #elements: number;
  readonly #space = new IndexSpace();
  readonly #asked = new Map<NodeId, Map<string, Demand>>();
  readonly #branches = new Map<string, number>();
  readonly #units = new Map<string, Index>();
  #found = 0;

  constructor(graph: Graph, members: readonly NodeId[], form: RegionForm | null, neighbours: Neighbours) {
    this.#graph = graph;
    this.#members = members;
    this.#form = form;
    const { lane = "none", width, fold, run } = neighbours;
    this.#neighbours = neighbours;
    this.#width = lane === "none" ? width : 4;
    const turns = fold ? extentOf(fold.outer, "unrolled") * extentOf(fold.folded, "unrolled") : run;
    // Rows of no elements have no turn.
    this.#elements = this.#width * Math.max(1, turns);
  }

  from(outputs: readonly NodeId[]): ReadonlyMap<NodeId, number> {
    for (const id of outputs) this.#begin(id);
    for (let at = this.#members.length - 1; at >= 0; at--) {
      const n = node(this.#graph, this.#members[at]!);
      const demands = this.#asked.get(n.id);
      // What is taken apart on the way is asked for anew, behind the others.
      for (const [key, demand] of demands ?? []) if (this.#isSplit(n, demand)) demands!.delete(key);
    }
    const times = [...this.#asked].map(([id, demands]) => {
      // What is computed before a branch is known in it.
      const computed = [...demands.values()].filter(({ at, branch }) => branch === 0 || !demands.has(keyOf(at, 0)));
      const neighbours = computed.reduce((sum, { one }) => sum + (one ? 1 : this.#width), 0);
      return [id, neighbours / this.#elements] as const;
    });
    return new Map(times.filter(([, each]) => each > 1));
  }

  /** Where a loop begins to ask. */
  #begin(id: NodeId): void {
    for (const demand of this.#starts(node(this.#graph, id).type.shape)) this.#ask(id, demand);
  }

  #variable(name: string, extent: number): Index {
    const key = `${name} ${extent}`;
    const known = this.#units.get(key) ?? this.#space.of(this.#space.variable(name, Math.max(0, extent - 1), 0));
    this.#units.set(key, known);
    return known;
  }

  /** The elements of a loop that one thread's statements are about, one after the other: of four neighbours all at once. */
  #along(name: string, { factors }: Loop): readonly Index[] {
    const space = this.#space;
    return factors.reduce<readonly Index[]>(
      (outer, { part, extent }, depth) => {
        const inner =
          part === "vector"
            ? [space.of(space.lane)]
            : part === "unrolled"
              ? Array.from({ length: extent }, (_, turn) => space.int(turn))
              : [this.#variable(`${name}${depth}`, extent)];
        return outer.flatMap((each) => inner.map((own) => space.add(space.mul(each, extent), own)));
      },
      [space.int(0)],
    );
  }

  #starts(shape: Shape): readonly Demand[] {
    const space = this.#space;
    const form = this.#form;
    const { fold, run } = this.#neighbours;
    if (fold && form && shape.length === form.space.length) {
      const side = (name: string, loop: Loop, reduced: boolean): (readonly Index[])[] => {
        const extents = form.space.map((extent, axis) => (form.reducedAxes.includes(axis) === reduced ? extent : 1));
        return this.#along(name, loop).map((index) => space.unravel(index, extents));
      };
      const columns = side("column", fold.folded, true);
      return side("row", fold.outer, false).flatMap((row) =>
        columns.map((column): Demand => {
          const inside = (axis: number): Index => (form.reducedAxes.includes(axis) ? column : row)[axis]!;
          const at = space.tuple(shape.map((extent, axis) => (extent === 1 ? space.int(0) : inside(axis))));
          return { at, one: false, branch: 0 };
        }),
      );
    }
    if (fold)
      return [{ at: space.tuple(space.unravel(this.#variable("row", sizeOf(shape)), shape)), one: false, branch: 0 }];
    const width = this.#width;
    const thread = this.#variable("unit", Math.ceil(sizeOf(shape) / (width * run)));
    return Array.from({ length: run }, (_, at) => space.add(space.mul(thread, run), space.int(at))).flatMap((unit) => {
      const first = space.mul(unit, width);
      const linear =
        width === 4
          ? [space.add(first, space.of(space.lane))]
          : Array.from({ length: width }, (_, at) => space.clamp(space.add(first, space.int(at)), sizeOf(shape) - 1));
      return linear.map((index) => ({ at: space.tuple(space.unravel(index, shape)), one: width === 2, branch: 0 }));
    });
  }

  #ask(id: NodeId, demand: Demand): void {
    let known = this.#asked.get(id);
    if (!known) this.#asked.set(id, (known = new Map()));
    const key = keyOf(demand.at, demand.branch);
    if (this.#found >= MAX_POSITIONS || known.has(key)) return;
    known.set(key, demand);
    this.#found++;
  }

  /** The branch of a part of what is joined here. */
  #branchOf({ id }: Node, { at, branch }: Demand, operand: number): number {
    const key = `${id} ${at.id} ${branch} ${operand}`;
    const known = this.#branches.get(key) ?? this.#branches.size + 1;
    this.#branches.set(key, known);
    return known;
  }

  /** Asks for what a value is made of; true where its neighbours are asked for one by one instead. */
  #isSplit(n: Node, demand: Demand): boolean {
    const { at } = demand;
    const space = this.#space;
    const inputs = shapesOf(this.#graph, n);
    const def = opDef(n.op);
    if (def.kind === "elementwise" && !endsPass(n)) {
      n.inputs.forEach((id, i) => this.#ask(id, { ...demand, at: this.#broadcast(at, inputs[i]!) }));
      return false;
    }
    if (def.gather) return this.#gathered(n, demand);
    if (def.kind !== "movement") {
      for (const id of n.inputs) this.#begin(id);
      return false;
    }
    const cases = def.movement!.source<Index, Cond>(at.at, { inputs, output: n.type.shape, attrs: n.attrs }, space);
    const open = cases.filter(({ when }) => when?.kind !== "never");
    const isPlain = open[0]?.when === null || open[0]?.when.kind === "always";
    const taken = isPlain ? open.slice(0, 1) : open;
    const along = isPlain ? null : def.movement!.alongAxes?.<Index, Cond>(at.at, { inputs, attrs: n.attrs }, space);
    const splits = isPlain
      ? taken[0]!.index.some((part) => part.lane && part.depth > INDEX_DEPTH)
      : taken.some(({ when }) => when && dependsOnLane(when));
    if (splits) for (const lane of [0, 1, 2, 3]) this.#ask(n.id, this.#laneOf(demand, lane));
    else if (along)
      this.#ask(n.inputs[0]!, {
        ...demand,
        at: space.tuple(along.map((each, axis) => this.#picked(n, each, at.at[axis]!))),
      });
    else
      for (const { operand, index } of taken) {
        const branch = n.inputs.length > 1 && taken.length > 1 ? this.#branchOf(n, demand, operand) : demand.branch;
        this.#ask(n.inputs[operand]!, { ...demand, at: space.tuple(index), branch });
      }
    return splits;
  }

  /** The same for one of four neighbours. */
  #laneOf(demand: Demand, lane: number): Demand {
    const space = this.#space;
    return { ...demand, at: space.substituteAll(demand.at, space.lane, space.int(lane)), one: true };
  }

  /** Where it is chosen, an index is another one wherever the result's is. */
  #picked({ id }: Node, cases: readonly AxisCase<Index, Cond>[], at: Index): Index {
    return cases.length === 1
      ? cases[0]!.index
      : this.#variable(`${id} ${at.id}`, Math.max(...cases.map(({ index }) => index.max)) + 1);
  }

  /** The element that an index names is another one wherever the index is another one: of each neighbour by itself. */
  #gathered({ id, op, attrs, inputs }: Node, demand: Demand): boolean {
    const { at } = demand;
    const space = this.#space;
    const [data, index] = inputs.map((input) => node(this.#graph, input)) as [Node, Node];
    const axis = opDef(op).gather!.axis(attrs, data.type.shape);
    const end = axis + index.type.shape.length;
    const asked = space.tuple(at.at.slice(axis, end));
    const splits = asked.lane;
    if (splits) for (const lane of [0, 1, 2, 3]) this.#ask(id, this.#laneOf(demand, lane));
    else {
      const named = this.#variable(`${index.id} ${asked.id}`, data.type.shape[axis]!);
      this.#ask(index.id, { ...demand, at: asked });
      this.#ask(data.id, { ...demand, at: space.tuple([...at.at.slice(0, axis), named, ...at.at.slice(end)]) });
    }
    return splits;
  }

  #broadcast({ at }: Tuple, shape: Shape): Tuple {
    const skip = at.length - shape.length;
    return this.#space.tuple(shape.map((extent, axis) => (extent === 1 ? this.#space.int(0) : at[skip + axis]!)));
  }
}

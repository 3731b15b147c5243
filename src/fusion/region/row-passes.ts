/** @file How often a streaming row kernel walks over each stored value: once a pass that loads it at a place of its own per column. */
import { node, type Graph, type NodeId, type Region } from "../ir";
import { opDef, type IndexAlgebra } from "../ops";
import { touchedElements } from "./reads";
import { movesAlong, type Turn } from "./turns";
import type { RegionForm } from "./types";
import { isFreeView, isInlined } from "./views";

/** Indices as one question: does it change from column to column? */
const changes: IndexAlgebra<boolean, boolean> = {
  int: () => false,
  add: (a, b) => a || b,
  mul: (a, by) => a && by !== 0,
  div: (a) => a,
  mod: (a, by) => a && by !== 1,
  less: (a) => a,
  atLeast: (a) => a,
  and: (a, b) => a || b,
};

/** What a pass over the rows asks for, and how it lies in the space. */
export interface PassRoot {
  readonly id: NodeId;
  readonly stage: number;
  readonly turns: readonly Turn[];
}

/** Stored values that a pass loads at places that change along the folded axes (or in some columns only), and those it loads once a row. */
interface Loads {
  readonly changing: ReadonlySet<NodeId>;
  readonly still: ReadonlySet<NodeId>;
}

function loadsOf(
  graph: Graph,
  members: readonly NodeId[],
  { id: root, turns }: PassRoot,
  form: RegionForm,
  oneTurn: boolean,
): Loads {
  const inside = new Set(members);
  const asked = new Map<NodeId, { moving: boolean[]; still: boolean }>();
  const [changing, still] = [new Set<NodeId>(), new Set<NodeId>()];
  const arrive = (id: NodeId, loads: Set<NodeId>): void => {
    let current = node(graph, id);
    while (isFreeView(current)) current = node(graph, current.inputs[0]!);
    if (!isInlined(current)) loads.add(current.id);
  };
  const ask = (id: NodeId, at: readonly boolean[], conditional = false): void => {
    const always = conditional && !oneTurn;
    const { shape } = node(graph, id).type;
    const moving = shape.map((extent, axis) => extent > 1 && (at[axis]! || always));
    const moves = always || moving.includes(true);
    if (!inside.has(id)) {
      arrive(id, moves ? changing : still);
      return;
    }
    const known = asked.get(id) ?? { moving, still: false };
    asked.set(id, {
      moving: known.moving.map((was, axis) => was || moving[axis]!),
      still: known.still || !moves,
    });
  };
  ask(root, movesAlong(turns, form.space, form.reducedAxes));
  for (const id of members.toReversed()) {
    const ways = asked.get(id);
    if (!ways || opDef(node(graph, id).op).kind === "reduce") continue;
    if (ways.moving.includes(true)) askOperands(graph, id, ways.moving, ask);
    if (ways.still || !ways.moving.includes(true)) askOperands(graph, id, ways.moving.map(() => false), ask); // prettier-ignore
  }
  return { changing, still };
}

/** What one member asks of its operands when it is asked for at an index that changes along these axes. */
function askOperands(
  graph: Graph,
  id: NodeId,
  at: readonly boolean[],
  ask: (id: NodeId, at: readonly boolean[], conditional?: boolean) => void,
): void {
  const n = node(graph, id);
  const { kind, movement, gather } = opDef(n.op);
  if (kind === "gather") {
    const axis = gather!.axis(n.attrs, node(graph, n.inputs[0]!).type.shape);
    const places = at.slice(axis, axis + node(graph, n.inputs[1]!).type.shape.length);
    ask(n.inputs[1]!, places);
    ask(n.inputs[0]!, [...at.slice(0, axis), places.includes(true), ...at.slice(axis + places.length)]);
    return;
  }
  if (kind !== "movement") {
    n.inputs.forEach((input) => {
      const { shape } = node(graph, input).type;
      ask(input, shape.map((_, axis) => at[at.length - shape.length + axis]!)); // prettier-ignore
    });
    return;
  }
  const inputs = n.inputs.map((input) => node(graph, input).type.shape);
  const context = { inputs, output: n.type.shape, attrs: n.attrs };
  // The last case is what is left of the others.
  let conditional = false;
  for (const { when, operand, index } of movement!.source(at, context, changes)) {
    conditional ||= when === true;
    ask(n.inputs[operand]!, index, conditional);
  }
}

/**
 * Passes in which each stored value is loaded column by column.
 * @param roots what each pass asks for
 * @param byRow outputs with one value a row; where they read all that is touched, that is one more pass, unless a pass before had it for its row
 * @param touched distinct elements of each stored value
 * @param oneTurn a row is done in one turn of the loop, so that nothing is loaded in some turns only
 */
export function passesPerRead(
  graph: Graph,
  region: Pick<Region, "members">,
  form: RegionForm,
  roots: readonly PassRoot[],
  byRow: readonly NodeId[],
  touched: ReadonlyMap<NodeId, number>,
  oneTurn: boolean,
): Map<NodeId, number> {
  const passes = new Map<NodeId, Set<number>>();
  const known = new Set<NodeId>();
  for (const root of roots) {
    const { changing, still } = loadsOf(graph, region.members, root, form, oneTurn);
    for (const value of still) known.add(value);
    for (const value of changing) passes.set(value, (passes.get(value) ?? new Set()).add(root.stage));
  }
  const around = region.members.filter((id) => opDef(node(graph, id).op).kind !== "reduce");
  for (const [value, elements] of byRow.length > 0 ? touchedElements(graph, around, byRow) : []) {
    if (elements === touched.get(value) && !known.has(value)) passes.get(value)?.add(-1);
  }
  // Without a loop there is one walk over the row, whatever asks for it.
  return new Map([...passes].map(([value, set]) => [value, oneTurn ? 1 : set.size]));
}

/** @file How often a streaming row kernel walks over each stored value: once a pass that loads it at a place of its own per column. */
import { node, sizeOf, type Graph, type NodeId, type Region } from "../ir";
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

/** Stored values that `root` loads at places that change along the folded axes. */
function changingLoads(
  graph: Graph,
  members: readonly NodeId[],
  { id: root, turns }: PassRoot,
  form: RegionForm,
): Set<NodeId> {
  const inside = new Set(members);
  const asked = new Map<NodeId, boolean[]>();
  const loads = new Set<NodeId>();
  const arrive = (id: NodeId): void => {
    let current = node(graph, id);
    while (isFreeView(current)) current = node(graph, current.inputs[0]!);
    if (!isInlined(current)) loads.add(current.id);
  };
  const ask = (id: NodeId, at: readonly boolean[], always = false): void => {
    const { shape } = node(graph, id).type;
    const moving = shape.map((extent, axis) => extent > 1 && at[axis]!);
    if (!inside.has(id)) {
      if (always || moving.includes(true)) arrive(id);
      return;
    }
    const known = asked.get(id) ?? moving;
    asked.set(id, known.map((was, axis) => was || moving[axis]! || (always && shape[axis]! > 1))); // prettier-ignore
  };
  ask(root, movesAlong(turns, form.space, form.reducedAxes));
  for (const id of members.toReversed()) {
    const at = asked.get(id);
    const n = node(graph, id);
    const { kind, movement } = opDef(n.op);
    if (!at || kind === "reduce") continue;
    if (kind === "gather") {
      const data = node(graph, n.inputs[0]!).type.shape;
      const axis = opDef(n.op).gather!.axis(n.attrs, data);
      const asked = at.slice(axis, axis + node(graph, n.inputs[1]!).type.shape.length);
      ask(n.inputs[1]!, asked);
      ask(n.inputs[0]!, [...at.slice(0, axis), asked.includes(true), ...at.slice(axis + asked.length)]);
      continue;
    }
    if (kind !== "movement") {
      n.inputs.forEach((input) => {
        const { shape } = node(graph, input).type;
        ask(input, shape.map((_, axis) => at[at.length - shape.length + axis]!)); // prettier-ignore
      });
      continue;
    }
    const inputs = n.inputs.map((input) => node(graph, input).type.shape);
    for (const { when, operand, index } of movement!.source(
      at,
      { inputs, output: n.type.shape, attrs: n.attrs },
      changes,
    ))
      ask(n.inputs[operand]!, index, when === true);
  }
  return loads;
}

/**
 * Passes in which each stored value is loaded column by column.
 * @param roots what each pass asks for
 * @param byRow outputs with one value a row that need no reduction; what they read in full is one more pass
 */
export function passesPerRead(
  graph: Graph,
  region: Pick<Region, "members">,
  form: RegionForm,
  roots: readonly PassRoot[],
  byRow: readonly NodeId[],
): Map<NodeId, number> {
  const passes = new Map<NodeId, Set<number>>();
  for (const root of roots) {
    for (const value of changingLoads(graph, region.members, root, form)) {
      passes.set(value, (passes.get(value) ?? new Set()).add(root.stage));
    }
  }
  for (const [value, elements] of byRow.length > 0 ? touchedElements(graph, region.members, byRow) : []) {
    if (elements === sizeOf(node(graph, value).type.shape)) passes.get(value)?.add(-1);
  }
  return new Map([...passes].map(([value, set]) => [value, set.size]));
}

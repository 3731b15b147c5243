/**
 * @file A fold of everything beside a kernel that walks rows of the same values: each row is folded where it passes by, and what is
 * left is one value a row.
 */
import {
  madeFor,
  node,
  sameShape,
  type Node,
  type NodeId,
  type Patch,
  type Region,
  type RegionId,
  sizeOf,
  standingOf,
} from "../../ir";
import { opDef, withDefaults } from "../../ops";
import { lineOf, neededBy } from "../../kernel";
import type { Answer, Candidate } from "../driver/define";
import { hasContraction, neededOutside, unionOf } from "../driver/merge";
import type { Planner } from "../driver/planner";
import { nameOf, yes } from "../driver/sentences";

export const SUM_OF_ROWS = "sum-of-rows";

/** Candidates for every fold of all axes, where rows of what it folds are walked anyway. Such sums are taken in another order. Returns the kernels that took one in. */
export function* sumsOfRows(planner: Planner): Generator<Candidate, RegionId[], Answer> {
  const walkers: RegionId[] = [];
  if (planner.options.strict) return walkers;
  for (const id of planner.inOrder()) {
    const region = planner.regions.get(id);
    const fold = region && foldOfAll(planner, region);
    if (!region || !fold) continue;
    for (const walker of walkersBeside(planner, region, fold)) {
      const candidate = foldedInRows(planner, walker, region, fold);
      if (!candidate || !(yield candidate).accepted) continue;
      planner.reorder();
      walkers.push(walker.id);
      break;
    }
  }
  return walkers;
}

/** A fold of parts that are folded first gives the same as one of everything. */
function foldsItsParts({ op }: Node): boolean {
  const { reduce } = opDef(op);
  if (!reduce || reduce.arg) return false;
  const folded = (values: readonly number[]): number => {
    const mapped = values.map((value) => (reduce.map ? reduce.map.js(value) : value));
    const all = mapped.reduce((a, b) => reduce.combine.js(a, b), reduce.identity("f32"));
    return reduce.finish ? reduce.finish.js(all, values.length) : all;
  };
  const parts = [
    [1, -2],
    [3, 0.5],
  ];
  return Math.abs(folded(parts.map(folded)) - folded(parts.flat())) < 1e-12;
}

/** The only fold of a region, over all axes of values of several. */
function foldOfAll({ graph }: Planner, { members }: Region): Node | null {
  const folds = members.map((id) => node(graph, id)).filter(({ op }) => opDef(op).kind === "reduce");
  const [fold] = folds;
  if (!fold || folds.length > 1 || !foldsItsParts(fold)) return null;
  const { shape } = node(graph, fold.inputs[0]!).type;
  const axes = opDef(fold.op).reduce!.axes(fold.attrs, shape);
  return shape.filter((extent) => extent > 1).length > 1 && axes.length === shape.length ? fold : null;
}

/** Kernels that walk rows of the fold's space and have what it reads. */
function walkersBeside(planner: Planner, region: Region, fold: Node): Region[] {
  const { shape } = node(planner.graph, fold.inputs[0]!).type;
  const near = new Set([
    ...planner.producersOf(region.id),
    ...planner.inputsOf(region).flatMap((value) => [...planner.regionsReading(value)]),
  ]);
  near.delete(region.id);
  const late = new Set(planner.readersOf(region.id));
  return [...near]
    .filter((id) => !late.has(id) && !planner.order.returns([id, region.id]).found)
    .map((id) => planner.region(id))
    .filter((other) => {
      if (planner.isView(other) || hasContraction(planner, other)) return false;
      const { form } = planner.factsOf(other);
      if (form === null || form.reductions.length === 0 || form.rows < 2) return false;
      // Rows of neighbours are the same elements in whatever shape.
      return sameShape(form.space, shape) || (lineOf(form) === "row" && sizeOf(form.space) === sizeOf(shape));
    })
    .toSorted((a, b) => planner.order.at(b.id) - planner.order.at(a.id));
}

/** Everything before the fold goes to the walker, which stores a value for each row; the fold takes those. */
function foldedInRows(planner: Planner, walker: Region, region: Region, fold: Node): Candidate | null {
  const { graph } = planner;
  const { reducedAxes, space } = planner.factsOf(walker).form!;
  const x = node(graph, fold.inputs[0]!);
  const isSeen = sameShape(x.type.shape, space);
  if (!isSeen && fold.type.shape.length > 0) return null;
  const shape = space.map((extent, axis) => (reducedAxes.includes(axis) ? 1 : extent));
  const attrs = (axes: readonly number[], keepdims: boolean): Node["attrs"] =>
    withDefaults(opDef(fold.op), { axes: [...axes], keepdims });
  const seen: Node = {
    ...fold,
    ...madeFor(standingOf(graph, fold), "seen"),
    op: "reshape",
    type: { ...x.type, shape: space },
    attrs: withDefaults(opDef("reshape"), { shape: [...space] }),
    label: "reshape",
  };
  const rows: Node = {
    ...fold,
    ...madeFor(standingOf(graph, fold), "rows"),
    inputs: [isSeen ? x.id : seen.id],
    type: { ...fold.type, shape },
    attrs: attrs(reducedAxes, true),
    label: fold.op,
  };
  if (graph.nodes.has(rows.id)) return null;
  const total: Node = isSeen
    ? { ...fold, inputs: [rows.id] }
    : { ...fold, inputs: [rows.id], attrs: attrs([...space.keys()], false) };
  const made = new Map((isSeen ? [rows] : [seen, rows]).map((each) => [each.id, each]));
  const after = (id: NodeId): Node => made.get(id) ?? (id === total.id ? total : node(graph, id));
  const at = (id: NodeId): number => planner.position(id, made);
  const waits = (id: NodeId): boolean => neededBy(after, region.members, [id]).includes(total.id);
  const [late, early] = [region.outputs.filter(waits), region.outputs.filter((id) => !waits(id))];
  const wanted = [...early, ...(region.members.includes(x.id) ? [x.id] : [])];
  const head = neededBy(after, region.members, wanted);
  const tail = { ...region, members: neededBy(after, region.members, late), outputs: late };
  const group = new Set([walker.id, region.id]);
  const stored = walker.outputs.filter(
    (id) =>
      neededOutside(planner, id, group) ||
      tail.members.some((member) => after(member).inputs.includes(id) && !tail.members.includes(id)),
  );
  const members = head.length > 0 ? unionOf(planner, [walker, { ...region, members: head }]) : walker.members;
  const whole: Region = {
    id: walker.id,
    members: [...members, ...made.keys()].toSorted((a, b) => at(a) - at(b)),
    outputs: [...stored, ...early, rows.id],
  };
  const patch: Patch = {
    removedNodes: [fold],
    addedNodes: [...made.values(), total],
    removedRegions: [walker, region],
    addedRegions: [whole, tail],
    outputs: null,
  };
  const text = `${nameOf(graph, fold.id)} folds all of ${nameOf(graph, x.id)}: each row of it is folded while it passes by, and the ${shape.reduce((a, b) => a * b, 1)} results afterwards. The sums are taken in another order, which may change their last bits.`;
  return {
    rule: SUM_OF_ROWS,
    kind: "graph",
    edges: [],
    nodes: [walker.outputs[0]!, fold.id],
    remove: patch.removedRegions,
    add: patch.addedRegions,
    into: walker.id,
    merged: [],
    rewrite: { patch, verdict: yes("A_PATTERN", [fold.id], text) },
  };
}

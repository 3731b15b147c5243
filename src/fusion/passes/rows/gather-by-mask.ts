/**
 * @file One element of each row, at an index that is data, is found by comparing indices while the row goes by: the row need not
 * be stored for it.
 */
import { bytesOf, node, type Node, type NodeId, type Patch, madeFor, type Standing, standingOf } from "../../ir";
import { indexAlong, opDef, withDefaults } from "../../ops";
import { isFreeView } from "../../kernel";
import type { Answer, Candidate, FusionPass } from "../driver/define";
import { edgesOf, joiningRewrite, patchOf } from "../driver/merge";
import { regionsOf } from "../profitability/online-profitability";
import type { Planner } from "../driver/planner";
import { openRewriter, type NodeChange, type Rewriter } from "../driver/rewriter";
import { joinedBy, mergedRegion } from "../driver/merged-rewrite";
import { nameOf, showBytes, yes } from "../driver/sentences";
import { judge } from "../profitability/profitability";
import { titled } from "../catalogue";
import { SEARCH_LIMIT } from "../driver/use-def";

export const gatherByMask: FusionPass = {
  ...titled("row-picks"),
  *match(planner) {
    const rewriter = openRewriter(planner);
    const gathers = [...planner.graph.nodes.values()].filter(({ op }) => opDef(op).kind === "gather");
    for (const { id } of gathers.toSorted((a, b) => planner.position(a.id) - planner.position(b.id))) {
      const pick = maskedGatherOf(planner, node(planner.graph, id));
      const besides = pick ? readersBesides(planner, rewriter, pick) : null;
      if (pick && besides) yield* inOneKernel(planner, rewriter, pick, besides);
    }
  },
  ...joiningRewrite,
  profitability: (planner, candidate, delta) =>
    planner.supposing(patchOf(candidate), () => {
      const [rows, pick] = candidate.nodes.map((id) => nameOf(planner.graph, id));
      return judge(planner, candidate, delta, `Finding ${pick} while the rows of ${rows} go by`);
    }),
};

/** `gather` takes, of each row of `rows` along `axis`, the element at `index`. */
export interface MaskedGather {
  readonly gather: Node;
  readonly rows: Node;
  readonly axis: number;
  /** Inside the row; one per row, `rows` with `axis` as 1. */
  readonly index: NodeId;
}

/**
 * Who else reads the rows, all of them ops that go along the same rows; null where another reader needs the rows in memory, or where
 * no kernel computes them row by row.
 */
function readersBesides(planner: Planner, rewriter: Rewriter, pick: MaskedGather): readonly NodeId[] | null {
  const { gather, rows, axis } = pick;
  if (!foldsItsRows(planner, rows, axis)) return null;
  const path = new Set([gather.id, ...viewsBetween(planner, pick), rows.id]);
  const found: NodeId[] = [];
  for (const id of path) {
    if (id === gather.id) continue;
    if (planner.isOutput(id)) return null;
    for (const reader of rewriter.readersOf(id)) {
      if (path.has(reader)) continue;
      if (id !== rows.id || !goesAlong(node(planner.graph, reader), rows, axis)) return null;
      found.push(reader);
    }
  }
  return found;
}

/** Computes element by element on the rows' own shape, or folds each of them. */
const goesAlong = ({ op, attrs, type }: Node, rows: Node, axis: number): boolean => {
  const { kind, reduce } = opDef(op);
  const { shape } = rows.type;
  if (kind === "reduce") return reduce!.axes(attrs, shape).join() === String(axis);
  return kind === "elementwise" && type.shape.join() === shape.join();
};

/** The one element of each row that a gather takes; null where it takes others. */
export function maskedGatherOf(planner: Planner, gather: Node): MaskedGather | null {
  const { graph } = planner;
  const [data, indices] = gather.inputs.map((id) => node(graph, id));
  if (data!.type.shape.length !== 1 || data!.type.dtype === "bool") return null;
  let rows = data!;
  while (isFreeView(rows)) rows = node(graph, rows.inputs[0]!);
  const { shape } = rows.type;
  const rowShape = indices!.type.shape;
  const axis = shape.findIndex((extent, i) => extent > 1 && rowShape[i] === 1);
  if (axis < 0 || rowShape.join() !== shape.map((extent, i) => (i === axis ? 1 : extent)).join()) return null;
  const index = indexAlong((id) => node(graph, id), indices!.id, shape, axis);
  return index === null ? null : { gather, rows, axis, index };
}

/** Whether `rows` follow element by element from a fold over `axis`: then a kernel walks them. */
function foldsItsRows({ graph }: Planner, rows: Node, axis: number): boolean {
  const seen = new Set([rows.id]);
  for (const id of seen) {
    const n = node(graph, id);
    const { kind, reduce } = opDef(n.op);
    if (kind === "reduce") {
      const { shape } = node(graph, n.inputs[0]!).type;
      if (shape.join() === rows.type.shape.join() && reduce!.axes(n.attrs, shape).join() === String(axis)) return true;
    }
    if (seen.size > SEARCH_LIMIT || (kind !== "elementwise" && !isFreeView(n))) continue;
    for (const input of n.inputs) seen.add(input);
  }
  return false;
}

function* inOneKernel(
  planner: Planner,
  rewriter: Rewriter,
  pick: MaskedGather,
  besides: readonly NodeId[],
): Generator<Candidate, void, Answer> {
  const { gather, rows } = pick;
  const group = regionsOf(planner, rewriter, [rows.id, gather.id, ...besides]);
  const id = rewriter.regionsOf(rows.id)[0];
  if (group.length < 2 || id === undefined) return;
  const rewritten = rewriter.patchOf(comparing(planner, rewriter, pick));
  const whole = planner.supposing(rewritten, () => mergedRegion(planner, rewriter, group, rewritten, id));
  const joined = joinedBy(planner, rewriter, rewritten, group, whole);
  const patch: Patch = { ...rewritten, removedRegions: joined.remove, addedRegions: joined.add };
  const nodes = [rows.id, gather.id];
  const { accepted } = yield {
    rule: "compare-places",
    kind: "graph",
    edges: edgesOf(planner, [rows.id, ...viewsBetween(planner, pick), gather.id]),
    nodes,
    ...joined,
    rewrite: { patch, verdict: yes("A_PATTERN", nodes, explain(planner, pick)) },
  };
  if (!accepted) return;
  rewriter.applied(patch);
  planner.reorder();
}

function viewsBetween({ graph }: Planner, { gather, rows }: MaskedGather): NodeId[] {
  const views: NodeId[] = [];
  for (let id = gather.inputs[0]!; id !== rows.id; id = node(graph, id).inputs[0]!) views.unshift(id);
  return views;
}

function explain({ graph }: Planner, { gather, rows, axis }: MaskedGather): string {
  const [pick, from] = [nameOf(graph, gather.id), nameOf(graph, rows.id)];
  return `${pick} takes one of the ${rows.type.shape[axis]} values of each row of ${from}. Comparing each position with the index finds it while the row is in registers, and ${from} (${showBytes(bytesOf(rows.type))}) need not be stored.`;
}

/** A node that a pass makes for `like`. */
const called = (
  like: Node,
  standing: Standing,
  op: string,
  inputs: readonly NodeId[],
  type: Node["type"],
  attrs: Node["attrs"] = {},
): Node => ({ ...like, ...standing, op, inputs, type, attrs: withDefaults(opDef(op), attrs), label: op });

/** Is this the element that the index names? The answer, which comes last, is `here`. */
export function hereOf({ gather, rows, axis, index }: MaskedGather, here: Standing): Node[] {
  const { shape } = rows.type;
  const extent = shape[axis]!;
  const standing = shape.map((_, i) => (i === axis ? extent : 1));
  const aligned = madeFor(here, "along");
  const numbers = called(
    gather,
    madeFor(aligned, "places"),
    "iota",
    [],
    { dtype: "i32", shape: [extent] },
    { start: 0, stop: extent, step: 1, dtype: "i32" },
  );
  const along = called(
    gather,
    aligned,
    "reshape",
    [numbers.id],
    { dtype: "i32", shape: standing },
    { shape: standing },
  );
  return [numbers, along, called(gather, here, "eq", [index, along.id], { dtype: "bool", shape })];
}

/** Σ where(number = index, rows, 0) under the gather's own name. */
function comparing({ graph }: Planner, rewriter: Rewriter, pick: MaskedGather): NodeChange {
  const { gather, rows, axis } = pick;
  const { dtype } = rows.type;
  const standing = madeFor(standingOf(graph, gather), "chosen");
  const zero = {
    ...called(gather, madeFor(standing, "zero"), "const", [], { dtype, shape: [] }, { value: 0 }),
    label: "0",
  };
  const made = hereOf(pick, madeFor(standing, "is_index"));
  const chosen = called(gather, standing, "where", [made.at(-1)!.id, rows.id, zero.id], rows.type);
  const sum: Node = {
    ...gather,
    op: "sum",
    inputs: [chosen.id],
    attrs: withDefaults(opDef("sum"), { axes: [axis], keepdims: true }),
  };
  const inserted = [...made, chosen].map(({ id }) => [id, gather.id] as const);
  return { ...rewriter.replaced([], [zero, ...made, chosen, sum]), inserted };
}

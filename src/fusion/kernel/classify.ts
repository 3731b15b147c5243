/** @file Can ONE kernel compute these members? The single answer that legality, cost and the written kernel share. */
import { MAX_BINDINGS, bytesOf, node, sizeOf, type Graph, type NodeId, type Node, nodeName } from "../ir";
import { opDef } from "../ops";
import { followersOf } from "./indices/alignment";
import { classifyOnline, mayBeOnline } from "./shapes/attention/classify-online";
import { MAX_PRODUCTS, neverShare, sharedOperandRefusal } from "./shapes/matmul/shared-operand";
import { mayBeOwned, offendingRows } from "./shapes/matmul/owned-rows";
import { refuseBefore, refuseFollower } from "./shapes/matmul/refused-follower";
import { classifyGroups } from "./shapes/groups/classify";
import { onlineParts } from "./shapes/attention/online";
import { isLaunched, launchedKey } from "./shapes/loop/launched";
import { classifyRowLoop, goesAlongRows } from "./shapes/loop/row-region";
import { refuse, storedRemedy } from "./refusal";
import { analyseRows, classifyRows } from "./shapes/fold/classify-rows";
import { walksRows } from "./shapes/fold/rows/row-ops";
import { elementwise, type Classified, type RegionForm } from "./types";
import { isFreeView, isInlined, resolveView } from "./indices/views";

/**
 * The form of a region, or why one kernel can't compute it.
 * @param members in topological order
 * @param outputs those members that reach memory
 */
export function classify(graph: Graph, members: readonly NodeId[], outputs: readonly NodeId[]): Classified {
  const plain = classifyPlain(graph, members, outputs);
  if (plain.ok || !mayBeOnline(graph, members)) return plain;
  const derived = classifyOnline(graph, members, outputs);
  return derived.ok ? derived : plain;
}

/** The same without forms that need algebra: what a call as written may be, whatever its name. */
export function classifyPlain(graph: Graph, members: readonly NodeId[], outputs: readonly NodeId[]): Classified {
  const kinds = members.map((id) => opDef(node(graph, id).op).kind);
  const of = (kind: string): NodeId[] => members.filter((_, i) => kinds[i] === kind);
  const opaque = of("opaque")[0];
  if (opaque !== undefined && members.length > 1) {
    const { code, text } = opDef(node(graph, opaque).op).boundary!;
    return refuse(code, [opaque], `\`${nodeName(node(graph, opaque))}\` is a boundary: ${text}.`);
  }
  const launched = members.find((id) => isLaunched(node(graph, id)));
  if (launched !== undefined && launchedKey(graph, members) === null)
    return refuse(
      "L_OPAQUE",
      [launched],
      `\`${nodeName(node(graph, launched))}\` is a loop whose iterations are launched one by one: what it carries goes through memory between them.`,
      "The pass that runs loops inside kernels.",
    );
  if (goesAlongRows(graph, members)) return classifyRowLoop(graph, members, outputs);
  const groups = of("groups");
  if (groups.length > 0) return classifyGroups(graph, members, outputs, groups);
  const contractions = of("contraction");
  const rowOps = members.filter((id) => walksRows(node(graph, id)));
  if (contractions.length > 1) {
    const refused = sharedOperandRefusal(graph, members, outputs, contractions);
    return refused ? { ok: false, verdict: refused } : matmulForm(graph, contractions[0]!);
  }
  if (contractions.length === 1) return classifyContraction(graph, members, outputs, contractions[0]!, rowOps);
  if (rowOps.length > 0) return classifyRows(graph, members, outputs, rowOps);
  return classifyPointwise(graph, outputs);
}

/**
 * At most so many of `members`, from the first on, are one kernel of the naive plan, so that a search looks no further: a longer run
 * reads more buffers than every machine binds, or has two members that are refused above, whatever joins them.
 * @param members in topological order
 */
export function longestRun(graph: Graph, members: readonly NodeId[]): number {
  const inside = new Set<NodeId>();
  const stored = new Set<NodeId>();
  const products: Node[] = [];
  let [computed, opaque, launched] = [0, false, false];
  for (const [at, id] of members.entries()) {
    const n = node(graph, id);
    inside.add(id);
    // Others may see a view that the kernel itself does not need: what it shows is read where it is computed on.
    if (isFreeView(n)) continue;
    const { kind } = opDef(n.op);
    computed++;
    opaque ||= kind === "opaque";
    launched ||= isLaunched(n);
    if (opaque && computed > 1) return at;
    if (kind === "contraction") {
      if (products.length === MAX_PRODUCTS || (products[0] && neverShare(products[0], n))) return at;
      products.push(n);
    }
    for (const input of n.inputs) {
      const shown = resolveView(graph, input);
      if (!inside.has(shown) && !isInlined(node(graph, shown))) stored.add(shown);
    }
    // Each launch of a loop binds its own few.
    if (!launched && stored.size >= MAX_BINDINGS) return at;
  }
  return members.length;
}

/** Elementwise results of any sizes: each size walks a part of the grid, and computes what it needs. */
function classifyPointwise(graph: Graph, outputs: readonly NodeId[]): Classified {
  const shapes = outputs.map((id) => node(graph, id).type.shape);
  const space = shapes.reduce((most, shape) => (sizeOf(shape) > sizeOf(most) ? shape : most), shapes[0] ?? []);
  return { ok: true, form: elementwise("pointwise", space) };
}

function classifyContraction(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  contraction: NodeId,
  rowOps: readonly NodeId[],
): Classified {
  const core = node(graph, contraction);
  const { followers, refused } = followersOf(graph, members, contraction);
  if (refused) {
    const owned = mayBeOwned(graph, contraction, rowOps) ? ownedForm(graph, members, outputs, contraction) : null;
    if (owned?.ok) return owned;
    const last = walksRows(node(graph, refused.id)) ? refusedAtLast(graph, members, contraction, rowOps) : null;
    return last ?? { ok: false, verdict: refuseFollower(graph, contraction, refused, owned?.verdict) };
  }
  if (rowOps.length > 0) return { ok: false, verdict: refuseBefore(graph, rowOps[0]!, contraction) };
  const offending = outputs.find((id) => !followers.has(id));
  if (offending !== undefined) {
    return refuse(
      "L_ROOT",
      [offending, contraction],
      core.inputs.includes(offending)
        ? `\`${nodeName(node(graph, offending))}\` is needed in memory, and \`${nodeName(core)}\` reads it more than once: each tile would store it again.`
        : `\`${nodeName(node(graph, offending))}\` is needed in memory and not computed from the result of \`${nodeName(core)}\`: each tile would store it again.`,
      storedRemedy(graph, members, offending, contraction),
      { bytes: bytesOf(node(graph, offending).type) },
    );
  }
  return matmulForm(graph, contraction);
}

/**
 * The refusal of the first member along rows that no kernel has together with all that it follows from: those before it may well be
 * in one already. Null where each of them has a kernel, or none has.
 */
function refusedAtLast(
  graph: Graph,
  members: readonly NodeId[],
  contraction: NodeId,
  rowOps: readonly NodeId[],
): Classified | null {
  const read = new Set(neededFor(graph, members, contraction));
  const before = rowOps.find((id) => read.has(id));
  if (before !== undefined) return { ok: false, verdict: refuseBefore(graph, before, contraction) };
  for (const [at, id] of rowOps.entries()) {
    const needed = neededFor(graph, members, id);
    if (needed.length === members.length)
      return at > 0
        ? { ok: false, verdict: refuseFollower(graph, contraction, { id, operand: node(graph, id).inputs[0]! }) }
        : null;
    const alone = classify(graph, needed, [id]);
    if (!alone.ok) return at > 0 ? alone : null;
  }
  return null;
}

/** The members that `wanted` follows from, and itself. */
function neededFor(graph: Graph, members: readonly NodeId[], wanted: NodeId): NodeId[] {
  const needed = new Set<NodeId>([wanted]);
  for (const id of members.toReversed())
    if (needed.has(id)) for (const input of node(graph, id).inputs) needed.add(input);
  return members.filter((id) => needed.has(id));
}

/** A product and folds of its rows, where a workgroup owns whole rows. Results with one value a row are left to the forms that fold as they go. */
function ownedForm(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  contraction: NodeId,
): Classified | null {
  const analysis = analyseRows(graph, members);
  if ("ok" in analysis) return { ok: false, verdict: analysis };
  const { shape } = node(graph, contraction).type;
  const { domain, roles } = analysis;
  const wholeRows =
    sizeOf(domain.space) === sizeOf(shape) &&
    domain.space.at(-1) === shape.at(-1) &&
    domain.axes.join() === String(domain.space.length - 1);
  if (!wholeRows) return null;
  const offending = offendingRows(graph, members, outputs, contraction, roles);
  if (offending) return { ok: false, verdict: offending };
  if (outputs.every((id) => roles.get(id)!.role === "row") && onlineParts(graph, members, outputs).ok) return null;
  const folds = members.filter((id) => opDef(node(graph, id).op).kind === "reduce");
  const reductions = folds.map((id) => ({ node: id, stage: roles.get(id)!.stage - 1 }));
  const columns = shape.at(-1)!;
  return {
    ok: true,
    form: {
      ...productForm(graph, contraction),
      space: shape,
      reducedAxes: [shape.length - 1],
      rows: sizeOf(shape) / columns,
      columns,
      reductions,
    },
  };
}

const matmulForm = (graph: Graph, contraction: NodeId): Classified => ({
  ok: true,
  form: productForm(graph, contraction),
});

function productForm(graph: Graph, contraction: NodeId): RegionForm {
  const { shape } = node(graph, contraction).type;
  return {
    template: "matmul",
    space: shape,
    reducedAxes: [],
    rows: sizeOf(shape),
    columns: 1,
    reductions: [],
    scans: [],
    columnFolds: [],
    orders: [],
    contraction,
  };
}

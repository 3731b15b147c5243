/** @file Rows that one kernel walks: what each member is along them, and why others can't be walked together. */
import {
  node,
  showBytes,
  showShape,
  sizeOf,
  type Graph,
  type Node,
  type NodeId,
  type TemplateName,
  type Verdict,
  nodeName,
} from "../../../ir";
import { opDef } from "../../../ops";
import { layoutOf, type Layout } from "../../indices/row-layout";
import { isFreeView } from "../../indices/views";
import { refuse } from "../../refusal";
import { classifyMerged, needsMerging } from "../sort/merge-sort";
import type { Classified, RegionForm } from "../../types";
import { domainOf, isRowShape, isTrailing, isVerdict, roleOfMember } from "./rows/roles";
import { directionOf, isOrder, isScan, walkedAxes, walksRows } from "./rows/row-ops";
import type { RowDomain, RowRole } from "./rows/row-role";

/** Everything that writing a kernel needs to know about a row group, beyond its form. */
export interface RowAnalysis {
  readonly domain: RowDomain;
  readonly roles: ReadonlyMap<NodeId, RowRole>;
  /** What the reductions fold, and the values behind it that hold the same elements in the same order. */
  readonly inOrder: ReadonlySet<NodeId>;
}

/** How an output is stored by walking whole rows: each element as its row passes. Null when it is one value a row, or nothing of the kind. */
export function wholeOutput(graph: Graph, { domain, roles, inOrder }: RowAnalysis, id: NodeId): Layout | null {
  const { role, lie } = roles.get(id)!;
  const { shape } = node(graph, id).type;
  if (role !== "free") return lie ?? null;
  const inSpace = shape.join() === domain.space.join() || inOrder.has(id);
  return inSpace ? layoutOf(domain.space, shape, domain.samples) : null;
}

/** Backwards from the folded value through free views and elementwise work of its shape. */
function inOrderOf(graph: Graph, members: readonly NodeId[], folded: NodeId): ReadonlySet<NodeId> {
  const found = new Set([folded]);
  for (const id of members.toReversed()) {
    const n = node(graph, id);
    if (!found.has(id)) continue;
    if (isFreeView(n)) found.add(n.inputs[0]!);
    if (opDef(n.op).kind !== "elementwise") continue;
    for (const input of n.inputs) if (node(graph, input).type.shape.join() === n.type.shape.join()) found.add(input);
  }
  return found;
}

/** Roles and stages of the members of a region with reductions; a verdict when they don't share one kind of row. */
export function analyseRows(graph: Graph, members: readonly NodeId[]): RowAnalysis | Verdict {
  const lead = leadOf(graph, members);
  const space = node(graph, lead.inputs[0]!).type.shape;
  const domain = domainOf(space, walkedAxes(graph, lead)!);
  const roles = new Map<NodeId, RowRole>();
  for (const id of members) {
    const role = roleOfMember(graph, id, roles, domain);
    if (isVerdict(role)) return role;
    roles.set(id, role);
  }
  return { domain, roles, inOrder: inOrderOf(graph, members, lead.inputs[0]!) };
}

/** The op whose rows the kernel walks: where some fold rows and some columns, one whose rows lie contiguously. */
function leadOf(graph: Graph, members: readonly NodeId[]): Node {
  const ops = members.map((id) => node(graph, id)).filter(walksRows);
  const contiguous = ops.find((n) => isTrailing(node(graph, n.inputs[0]!).type.shape, walkedAxes(graph, n)!));
  return contiguous ?? ops[0]!;
}

/** What the columns' folds may take of the registers of a workgroup: 64 of each of its 256 threads. */
const COLUMN_BYTES = 65_536;

/** Why these folds of columns can't be made while the rows go by; null when they can. */
function refuseColumns(
  graph: Graph,
  folds: readonly NodeId[],
  rowwise: readonly NodeId[],
  columns: number,
): Classified | null {
  const [fold] = folds;
  if (fold === undefined) return null;
  const label = `\`${nodeName(node(graph, fold))}\``;
  if (rowwise.length > 0)
    return refuse(
      "L_REDUCE_REDUCE",
      [fold, rowwise[0]!],
      `${label} reduces columns and \`${nodeName(node(graph, rowwise[0]!))}\` needs a workgroup for each row.`,
      "Nothing here: a second kernel has to reduce the columns.",
    );
  const bytes = 4 * columns * folds.length;
  if (bytes <= COLUMN_BYTES) return null;
  return refuse(
    "L_WGMEM",
    folds,
    `${label} needs a value for each of ${columns} columns while the rows are read: ${showBytes(bytes)} for all such reductions, and a workgroup has ${showBytes(COLUMN_BYTES)}.`,
    "Fewer columns.",
    { bytes, limit: COLUMN_BYTES },
  );
}

/** The form of a region whose members walk rows, or why one kernel can't compute it. */
export function classifyRows(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  rowOps: readonly NodeId[],
): Classified {
  const scans = rowOps.filter((id) => isScan(node(graph, id)));
  const orders = rowOps.filter((id) => isOrder(node(graph, id)));
  if (needsMerging(graph, orders)) return classifyMerged(graph, members, outputs, rowOps);
  if (!directionOf(graph, scans)) return refuseBothDirections(graph, scans);
  const analysis = analyseRows(graph, members);
  if ("ok" in analysis) return { ok: false, verdict: analysis };
  const { domain, roles } = analysis;
  for (const id of outputs) {
    const n = node(graph, id);
    const fits =
      ["row", "column", "first"].includes(roles.get(id)!.role) ||
      wholeOutput(graph, analysis, id) !== null ||
      (roles.get(id)!.role !== "part" && isRowShape(n.type.shape, domain));
    if (!fits) {
      return refuse(
        "L_SHAPE",
        [id, rowOps[0]!],
        `\`${nodeName(n)}\` is ${showShape(n.type.shape)}; the rows of this kernel are those of ${showShape(domain.space)}, and a kernel stores what its loop computes.`,
        "The same shape for both.",
        { elements: sizeOf(n.type.shape), otherElements: sizeOf(domain.space) },
      );
    }
  }
  const columns = sizeOf(domain.axes.map((axis) => domain.space[axis]!));
  const columnFolds = rowOps.filter((id) => roles.get(id)!.role === "column");
  const refused = refuseColumns(graph, columnFolds, [...scans, ...orders], columns);
  if (refused) return refused;
  const staged = (ids: readonly NodeId[]): RegionForm["orders"] =>
    ids.map((id) => ({ node: id, stage: roles.get(id)!.stage - 1 }));
  const others = new Set([...scans, ...orders, ...columnFolds]);
  const form: RegionForm = {
    template: rowTemplate(domain),
    space: domain.space,
    reducedAxes: domain.axes,
    rows: sizeOf(domain.rowShape),
    columns,
    reductions: staged(rowOps.filter((id) => !others.has(id))),
    scans,
    columnFolds,
    orders: staged(orders),
    contraction: null,
  };
  last = { form, analysis };
  return { ok: true, form };
}

/** The rows that were classified last: what is classified is scheduled next. */
let last: { readonly form: RegionForm; readonly analysis: RowAnalysis } | null = null;

/** The analysis of rows that `classify` gave this form. */
export const analysisOf = (graph: Graph, members: readonly NodeId[], form: RegionForm): RowAnalysis =>
  last?.form === form ? last.analysis : (analyseRows(graph, members) as RowAnalysis);

function refuseBothDirections(graph: Graph, scans: readonly NodeId[]): Classified {
  const way = (id: NodeId): boolean => opDef(node(graph, id).op).scan!.reverse(node(graph, id).attrs);
  const [from, to] = [scans.find((id) => !way(id))!, scans.find(way)!];
  return refuse(
    "L_INDEX",
    [from, to],
    `\`${nodeName(node(graph, from))}\` runs along each row from its start and \`${nodeName(node(graph, to))}\` from its end: one loop goes one way.`,
    "Two scans in the same direction.",
  );
}

/** Rows that lie contiguously in memory get a workgroup each; others walk with one thread per row. */
function rowTemplate({ space, axes }: RowDomain): TemplateName {
  return isTrailing(space, axes) ? "row-reduce" : "general-reduce";
}

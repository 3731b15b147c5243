/** @file Strict mode keeps the order in which things are added up: a kernel that would group a fold differently is refused. */
import { node, type Graph, type NodeId, type Region, type Target, type Verdict } from "../../ir";
import { chosenFor, targetOf } from "../../cost";
import { opDef } from "../../ops";
import { summationOrder, scheduleRegion, type SummationOrder } from "../../kernel";
import type { Planner } from "./planner";
import { countOf, nameOf, no, pairOf, STRICT_OFF } from "./sentences";

/** A sum, a product or the like of numbers that are rounded. */
export function rounds(graph: Graph, id: NodeId): boolean {
  const { op, type } = node(graph, id);
  const def = opDef(op);
  const { kind } = def;
  if (kind !== "reduce" && kind !== "scan" && kind !== "contraction") return false;
  return (
    (type.dtype === "f32" || type.dtype === "f16") &&
    (kind === "contraction" || (def.scan?.fold ?? def).tolerance.rtol > 0)
  );
}

/** How kernels add up each of their folds, on a GPU and on a CPU that stands in for one. */
export type Orders = readonly {
  readonly target: Target;
  readonly of: ReadonlyMap<NodeId, readonly SummationOrder[]>;
}[];

/** Nodes that a rewrite has just taken out of the graph are passed over. */
export function ordersOf(planner: Planner, regions: readonly Region[]): Orders {
  const gpu = targetOf(planner.profile);
  return ([gpu, { ...gpu, schedule: "cpu" }] satisfies Target[]).map((machine) => {
    // As kernels are written: a person's choice of threads is a choice of order, too.
    const target = chosenFor(planner.options, machine);
    const of = new Map<NodeId, SummationOrder[]>();
    for (const region of regions)
      for (const [id, order] of ordersIn(planner, region, target)) of.set(id, [...(of.get(id) ?? []), order]);
    return { target, of };
  });
}

type OrdersIn = readonly (readonly [NodeId, SummationOrder])[];

/** Orders of a region hold as long as the nodes of its members stay as they are, as its counts do. */
const known = new WeakMap<Planner, WeakMap<Region, Map<Target["schedule"], OrdersIn>>>();

function ordersIn(planner: Planner, region: Region, target: Target): OrdersIn {
  if (region.members.some((id) => !planner.graph.nodes.has(id))) return ordersNow(planner, region, target);
  const all = known.get(planner) ?? new WeakMap<Region, Map<Target["schedule"], OrdersIn>>();
  const own = all.get(region) ?? new Map<Target["schedule"], OrdersIn>();
  const orders = own.get(target.schedule) ?? ordersNow(planner, region, target);
  known.set(planner, all.set(region, own.set(target.schedule, orders)));
  return orders;
}

function ordersNow(planner: Planner, region: Region, target: Target): OrdersIn {
  const { graph } = planner;
  const present = region.members.filter((id) => graph.nodes.has(id));
  const folds = present.filter((id) => rounds(graph, id));
  const facts = folds.length > 0 ? planner.kernelOf(region) : null;
  const form = facts?.form;
  if (!facts || !form) return [];
  const isOwn = target.schedule === "gpu" && !target.knobs;
  if (!isOwn && present.length < region.members.length) return [];
  const schedule = isOwn ? facts.schedule : scheduleRegion(graph, region, form, target);
  return folds.flatMap((id) => {
    const order = summationOrder(graph, present, form, schedule, id);
    return order ? [[id, order] as const] : [];
  });
}

/** What the kernel is that adds a fold up now, and what becomes of it. */
interface Told {
  readonly before: string;
  readonly after: string;
}
const MERGED: Told = { before: "In a kernel of its own", after: "merged" };
const REWRITTEN: Told = { before: "In its kernel as it is", after: "rewritten" };

/** Null where every fold of the regions is added up as in the kernels before. */
function inOrdersOf(planner: Planner, regions: readonly Region[], before: () => Orders, told: Told): Verdict | null {
  const folds = regions.some(({ members }) => members.some((id) => rounds(planner.graph, id)));
  if (!planner.options.strict || !folds) return null;
  const then = ordersOf(planner, regions);
  for (const [i, { target, of }] of before().entries())
    for (const [id, orders] of then[i]!.of) {
      const own = of.get(id) ?? [];
      const after = orders.find(({ key }) => own.length > 0 && !own.some((each) => each.key === key));
      if (after) return refused(planner, id, own[0]!, after, target, told);
    }
  return null;
}

/** Null where every fold of the region is added up as by the kernel that it comes from. */
export const inOtherOrder = (planner: Planner, region: Region, before: readonly Region[]): Verdict | null =>
  inOrdersOf(planner, [region], () => ordersOf(planner, before), MERGED);

/** The same of kernels that a rewrite has changed. @param before how they added up then; null outside of strict mode */
export const rewrittenInOtherOrder = (
  planner: Planner,
  regions: readonly Region[],
  before: Orders | null,
): Verdict | null => (before ? inOrdersOf(planner, regions, () => before, REWRITTEN) : null);

/** Null where folds that compute the same are added up alike, so that one of each pair can stand for both. */
export function addedApart(
  planner: Planner,
  pairs: readonly (readonly [NodeId, NodeId])[],
  regionsOf: (id: NodeId) => readonly Region[],
): Verdict | null {
  for (const pair of pairs) {
    const [a, b] = pair.map((id) => ordersOf(planner, regionsOf(id))) as [Orders, Orders];
    for (const [i, { target, of }] of a.entries()) {
      const [own, others] = [of.get(pair[0]) ?? [], b[i]!.of.get(pair[1]) ?? []];
      const other = others.find(({ key }) => own.length > 0 && !own.some((each) => each.key === key));
      if (other) return refusedPair(planner, pair, [own[0]!, other], target);
    }
  }
  return null;
}

const FORBIDDEN = "Another order may change the last bits, and strict mode forbids that.";
const onCpu = ({ schedule }: Target): string => (schedule === "cpu" ? ", where a CPU stands in for the GPU" : "");

function said({ how, chunks, threads }: SummationOrder): string {
  if (how === "bands") return `column by column in ${countOf(chunks, "band")} of rows`;
  if (how === "tile") return "in the order of a matmul's tile";
  if (how === "shared") return "by threads that share each sum of products";
  if (how === "whole") return "one product after the other";
  if (chunks > 1) return `in ${countOf(chunks, "part")} of each row, joined at the end`;
  return threads > 1 ? `by ${threads} threads that share each row` : "one after the other";
}

const refusal = (nodes: readonly NodeId[], text: string, before: SummationOrder, after: SummationOrder): Verdict =>
  no("L_STRICT", nodes, `${text} ${FORBIDDEN}`, {
    numbers: {
      chunks: after.chunks,
      chunksBefore: before.chunks,
      threads: after.threads,
      threadsBefore: before.threads,
    },
    ...STRICT_OFF,
  });

function refusedPair(
  { graph }: Planner,
  pair: readonly [NodeId, NodeId],
  [own, other]: readonly [SummationOrder, SummationOrder],
  target: Target,
): Verdict {
  const [a, b] = pairOf(graph, ...pair);
  const text =
    said(own) === said(other)
      ? `${a} and ${b} add the same values in other groups${onCpu(target)}.`
      : `${a} adds its values ${said(own)}, ${b} the same values ${said(other)}${onCpu(target)}.`;
  return refusal(pair, text, own, other);
}

function refused(
  { graph }: Planner,
  id: NodeId,
  before: SummationOrder,
  after: SummationOrder,
  target: Target,
  told: Told,
): Verdict {
  const [own, other] = [said(before), said(after)];
  const then = own === other ? "group them differently" : `add them ${other}`;
  const text = `${told.before}, ${nameOf(graph, id)} adds its values ${own}${onCpu(target)}; ${told.after}, it would ${then}.`;
  return refusal([id], text, before, after);
}

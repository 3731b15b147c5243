/** @file Strict mode keeps the order in which things are added up: a kernel that would group a fold differently is refused. */
import { node, type Graph, type NodeId, type Region, type Target, type Verdict } from "../../ir";
import { chosenFor, targetOf } from "../../cost";
import { opDef } from "../../ops";
import { summationOrder, scheduleRegion, type SummationOrder } from "../../kernel";
import type { Planner } from "./planner";
import { countOf, nameOf, no, STRICT_OFF } from "./sentences";

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

/** Null where every fold of the region is added up as by the kernel that it comes from, on a GPU and on a CPU that stands in for one. */
export function inOtherOrder(planner: Planner, region: Region, before: readonly Region[]): Verdict | null {
  const { graph } = planner;
  if (!planner.options.strict) return null;
  const folds = region.members.filter((id) => rounds(graph, id));
  if (folds.length === 0) return null;
  const gpu = targetOf(planner.profile);
  for (const machine of [gpu, { ...gpu, schedule: "cpu" }] satisfies Target[]) {
    // As kernels are written: a person's choice of threads is a choice of order, too.
    const target = chosenFor(planner.options, machine);
    for (const id of folds) {
      const after = groupingIn(planner, region, id, target);
      const own = before.map((part) => groupingIn(planner, part, id, target)).filter((each) => each !== null);
      if (after === null || own.length === 0 || own.some(({ key }) => key === after.key)) continue;
      return refused(planner, id, own[0]!, after, target);
    }
  }
  return null;
}

/** Of a region that computes `id`; nodes that a rewrite has just taken out of the graph are passed over. */
function groupingIn(planner: Planner, region: Region, id: NodeId, target: Target): SummationOrder | null {
  const { graph } = planner;
  const facts = region.members.includes(id) ? planner.kernelOf(region) : null;
  if (facts === null || facts.form === null) return null;
  const present = region.members.filter((member) => graph.nodes.has(member));
  if (target.schedule === "gpu" && !target.knobs) return summationOrder(graph, present, facts.form, facts.schedule, id);
  if (present.length < region.members.length) return null;
  return summationOrder(graph, present, facts.form, scheduleRegion(graph, region, facts.form, target), id);
}

function refused(
  { graph }: Planner,
  id: NodeId,
  before: SummationOrder,
  after: SummationOrder,
  { schedule }: Target,
): Verdict {
  const said = ({ how, chunks, threads }: SummationOrder): string => {
    if (how === "bands") return `column by column in ${countOf(chunks, "band")} of rows`;
    if (how === "tile") return "in the order of a matmul's tile";
    if (how === "shared") return "by threads that share each sum of products";
    if (how === "whole") return "one product after the other";
    if (chunks > 1) return `in ${countOf(chunks, "part")} of each row, joined at the end`;
    return threads > 1 ? `by ${threads} threads that share each row` : "one after the other";
  };
  const [own, merged] = [said(before), said(after)];
  const then = own === merged ? "group them differently" : `add them ${merged}`;
  const where = schedule === "cpu" ? ", where a CPU stands in for the GPU" : "";
  return no(
    "L_STRICT",
    [id],
    `In a kernel of its own, ${nameOf(graph, id)} adds its values ${own}${where}; merged, it would ${then}. Another order may change the last bits, and strict mode forbids that.`,
    {
      numbers: {
        chunks: after.chunks,
        chunksBefore: before.chunks,
        threads: after.threads,
        threadsBefore: before.threads,
      },
      ...STRICT_OFF,
    },
  );
}

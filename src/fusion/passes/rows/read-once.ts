/**
 * @file A kernel that reads long rows again only to add up elements less a value of the row, Σ c·(x − r), reads them once when that value
 * leaves the sum: Σ c·x − r·Σ c. So the loss of a classifier takes one walk over the scores: peak, sum of exponentials and target together.
 */
import { node, type NodeId, type Region } from "../../ir";
import { isRefusal, type RegionFacts } from "../../cost";
import type { Answer, Candidate, FusionPass } from "../driver/define";
import { titled } from "../catalogue";
import { distributeSum, type DistributedSum } from "./distribute-sum";
import type { Planner } from "../driver/planner";
import { openRewriter } from "../driver/rewriter";
import { propose, rewritingPass } from "../driver/rewriting";
import { nameOf, namesOf, yes } from "../driver/sentences";

export const readOnce: FusionPass = rewritingPass({
  ...titled("read-once"),
  *match(planner): Generator<Candidate, void, Answer> {
    const rewriter = openRewriter(planner);
    for (const id of planner.inOrder()) {
      const region = planner.regions.get(id);
      if (!region) continue;
      for (const value of readAgain(planner, region)) {
        const apart = distributeSum(planner, rewriter, value, dependents(planner, region, value));
        if (!apart) continue;
        const patch = rewriter.patchOf(apart.change);
        const bytes = (of: RegionFacts): number => of.traffic.bytesRead;
        const whole = patch.addedRegions.find((each) => each.id === id);
        if (!whole) continue;
        const after = planner.supposing(patch, () => planner.facts(whole));
        if (isRefusal(after) || bytes(after) >= bytes(planner.factsOf(region))) continue;
        const nodes = [value, ...apart.sums];
        const verdict = yes("A_PATTERN", nodes, leaving(planner, value, apart));
        if (yield* propose(planner, rewriter, { rule: "row-value-leaves", change: apart.change, verdict, nodes }))
          break;
      }
    }
  },
});

/** Stored values of whole rows that a kernel reads more than once, where all that it stores is one value a row. */
function readAgain(planner: Planner, region: Region): NodeId[] {
  const { form, schedule } = planner.factsOf(region);
  if (!form || form.reductions.length === 0 || form.contraction !== null) return [];
  const size = form.rows * form.columns;
  const sizeOfValue = (id: NodeId): number => node(planner.graph, id).type.shape.reduce((a, b) => a * b, 1);
  if (region.outputs.some((id) => sizeOfValue(id) >= size && form.columns > 1)) return [];
  return schedule.reads.flatMap(({ value, rereads }) => (rereads > 0 && sizeOfValue(value) === size ? [value] : []));
}

/** Members that follow from the value, in text order. */
function dependents({ graph }: Planner, { members }: Region, value: NodeId): NodeId[] {
  const known = new Set<NodeId>([value]);
  for (const id of members) if (node(graph, id).inputs.some((input) => known.has(input))) known.add(id);
  known.delete(value);
  return [...known];
}

function leaving({ graph }: Planner, value: NodeId, { sums, rows }: DistributedSum): string {
  const [are, they, them] = rows.length === 1 ? ["is", "it", "it"] : ["are", "they", "them"];
  return `${namesOf(graph, rows)} ${are} the same for a whole row, so ${they} may leave the sum: Σ c·(x − r) = Σ c·x − r·Σ c. Then nothing in ${namesOf(graph, sums)} waits for ${them}, and each row of ${nameOf(graph, value)} is read once.`;
}

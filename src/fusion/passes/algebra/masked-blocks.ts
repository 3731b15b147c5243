/**
 * @file Where a mask by position makes an operand of a product 0, its tiles walk only the rest: what is known of the whole graph is noted at
 * the product, whose kernel may read the operand from memory.
 */
import { node, type Graph, type Node } from "../../ir";
import { numbersOf, opDef } from "../../ops";
import { bandsOfOperands, OPERAND_BANDS } from "../../kernel";
import { propose, rewritingPass } from "../driver/rewriting";
import { openRewriter, type NodeChange } from "../driver/rewriter";
import { rule, type Site } from "../driver/rule";
import { nameOf } from "../driver/sentences";
import { NO_MICROS, workOf } from "../profitability/weigh";
import { titled } from "../catalogue";

/** a @ b, of which one operand is 0 outside a band. */
const zerosLeftOut = rule({
  name: "zeros-left-out",
  match(site) {
    const { graph, n } = site;
    if (OPERAND_BANDS.some((name) => numbersOf(n.attrs[name]).length > 0)) return null;
    const found = bandsOfOperands(graph, n);
    const pays = found.length > 0 && isFaster(site, noting(site, found));
    return pays ? { found, nodes: [n.inputs[found[0]!.operand]!, n.id] } : null;
  },
  replace: (site, { found }) => noting(site, found),
  because: ({ graph, n }, { found }) => said(graph, n, found[0]!),
  numbers: (_site, { found }) => ({ share: found[0]!.share }),
});

type Bands = ReturnType<typeof bandsOfOperands>;

/** The product with what is known of its operands. */
function noting({ rewriter, n }: Site, found: Bands): NodeChange {
  const noted = found.map(({ operand, low, high }) => [OPERAND_BANDS[operand], [low, high]] as const);
  return rewriter.become({ ...n, attrs: { ...n.attrs, ...Object.fromEntries(noted) } });
}

/** Does its kernel, as it is now, leave anything out for that? One that finds the mask in its own ops needs no note. */
function isFaster({ planner, rewriter }: Site, change: NodeChange): boolean {
  const patch = rewriter.patchOf(change);
  const before = workOf(planner, patch.removedRegions);
  return planner.supposing(patch, () => workOf(planner, patch.addedRegions)).micros < before.micros - NO_MICROS;
}

function said(graph: Graph, n: Node, { operand, share }: Bands[number]): string {
  const masked = nameOf(graph, node(graph, n.inputs[operand]!).id);
  return `A mask by position makes ${masked} 0 outside a diagonal band. Blocks of ${nameOf(graph, n.id)} that are all 0 add nothing and are left out: ${Math.round(100 * share)} % of the multiplications are left.`;
}

export const maskedBlocks = rewritingPass({
  ...titled("masked-blocks"),
  *match(planner) {
    const products = [...planner.graph.nodes.values()].filter(({ op }) => opDef(op).kind === "contraction");
    if (products.length === 0) return;
    const rewriter = openRewriter(planner);
    for (const n of products) {
      const proposal = zerosLeftOut({ planner, rewriter, graph: planner.graph, n });
      if (proposal) yield* propose(planner, rewriter, proposal);
    }
  },
});

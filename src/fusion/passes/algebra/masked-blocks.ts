/**
 * @file Where a mask by position makes an operand of a product 0, its tiles walk only the rest: what is known of the whole graph is noted at
 * the product, whose kernel may read the operand from memory.
 */
import { node, type Graph, type Node } from "../../ir";
import { numbersOf, opDef } from "../../ops";
import { bandsOfOperands, OPERAND_BANDS } from "../../kernel";
import { rulesPass } from "../driver/rewriting";
import { rule } from "../driver/rule";
import { nameOf } from "../driver/sentences";
import { titled } from "../catalogue";

/** a @ b, of which one operand is 0 outside a band. */
const zerosLeftOut = rule({
  name: "zeros-left-out",
  code: "A_VIEW",
  match({ graph, n }) {
    if (opDef(n.op).kind !== "contraction" || OPERAND_BANDS.some((name) => numbersOf(n.attrs[name]).length > 0))
      return null;
    const found = bandsOfOperands(graph, n);
    return found.length > 0 ? { found, nodes: [n.inputs[found[0]!.operand]!, n.id] } : null;
  },
  replace({ rewriter, n }, { found }) {
    const noted = found.map(({ operand, low, high }) => [OPERAND_BANDS[operand], [low, high]] as const);
    return rewriter.become({ ...n, attrs: { ...n.attrs, ...Object.fromEntries(noted) } });
  },
  because: ({ graph, n }, { found }) => said(graph, n, found[0]!),
  numbers: (_site, { found }) => ({ share: found[0]!.share }),
});

function said(graph: Graph, n: Node, { operand, share }: ReturnType<typeof bandsOfOperands>[number]): string {
  const masked = nameOf(graph, node(graph, n.inputs[operand]!).id);
  return `A mask by position makes ${masked} 0 outside a diagonal band. Blocks of ${nameOf(graph, n.id)} that are all 0 add nothing and are left out: ${Math.round(100 * share)} % of the multiplications are left.`;
}

export const maskedBlocks = rulesPass(titled("masked-blocks"), [zerosLeftOut]);

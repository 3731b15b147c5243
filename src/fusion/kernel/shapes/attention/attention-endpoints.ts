/** @file Where rows between products begin and end: which contractions make their elements, and which one multiplies them. */
import { node, type Graph, type NodeId, type Verdict, nodeName } from "../../../ir";
import { opDef } from "../../../ops";
import { refusal } from "../../refusal";

/** Products whose elements make one row: more tiles than these don't pass through a workgroup beside the one that multiplies it. */
const MAX_SCORES = 2;

export interface AttentionEndpoints {
  /** Contractions whose elements make the rows; none where the rows are read from memory. */
  readonly scores: readonly NodeId[];
  /** The contraction over the rows; null where only folds of them are wanted. */
  readonly values: NodeId | null;
}

/** Which contractions make the rows and which one multiplies them. */
export function endpointsOf(graph: Graph, members: readonly NodeId[]): AttentionEndpoints | Verdict {
  const found = members.filter((id) => opDef(node(graph, id).op).kind === "contraction");
  const two = (ids: readonly NodeId[], text: string): Verdict => refusal("L_TWO_CONTRACT", ids, text);
  if (found.length === 0 || found.length > MAX_SCORES + 1)
    return two(
      found,
      `${found.length} matmuls in one kernel: a workgroup holds the tiles of ${MAX_SCORES + 1} at most.`,
    );
  const last = found.at(-1)!;
  if (found.length === 1)
    return folds(graph, members, last) ? { scores: found, values: null } : { scores: [], values: last };
  const left = node(graph, last).inputs[0]!;
  const before = behind(graph, members, left);
  const scores = found.slice(0, -1);
  const apart = scores.find((id) => !before.has(id));
  if (apart === undefined) return { scores, values: last };
  const [a, b] = [node(graph, apart), node(graph, last)];
  return two(
    [a.id, b.id],
    `\`${nodeName(a)}\` is not the left operand of \`${nodeName(b)}\`: they share no row that could stay in registers.`,
  );
}

/** Members that `from` is computed of, itself included. */
function behind(graph: Graph, members: readonly NodeId[], from: NodeId): ReadonlySet<NodeId> {
  const found = new Set([from]);
  for (const id of members.toReversed())
    if (found.has(id)) for (const input of node(graph, id).inputs) found.add(input);
  return found;
}

/** Is something folded that is computed of the product? */
function folds(graph: Graph, members: readonly NodeId[], product: NodeId): boolean {
  const after = new Set([product]);
  for (const id of members) {
    const n = node(graph, id);
    if (!n.inputs.some((input) => after.has(input))) continue;
    if (opDef(n.op).kind === "reduce") return true;
    after.add(id);
  }
  return false;
}

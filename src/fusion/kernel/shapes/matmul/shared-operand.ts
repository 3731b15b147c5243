/** @file Products of one left operand in one kernel: a gate and what it gates, or q, k and v, share the tile that they multiply. */
import {
  bytesOf,
  node,
  sameShape,
  showShape,
  type Graph,
  type Node,
  type NodeId,
  type Verdict,
  nodeName,
} from "../../../ir";
import { opDef } from "../../../ops";
import { followersOf, type Follower } from "../../indices/alignment";
import { refusal, storedRemedy } from "../../refusal";
import { walksRows } from "../fold/rows/row-ops";

/** The contractions among the members, in order. */
export const productsOf = (graph: Graph, members: readonly NodeId[]): NodeId[] =>
  members.filter((id) => opDef(node(graph, id).op).kind === "contraction");

/** Products whose accumulators a thread can hold. */
export const MAX_PRODUCTS = 4;

/** No kernel has accumulators for both of these products, whatever else it computes. */
export const neverShare = (a: Node, b: Node): boolean =>
  a.type.shape.length < 2 || b.inputs[0] !== a.inputs[0] || isOdd(a, b);

/** One loop computes one shape. */
const isOdd = (a: Node, { type }: Node): boolean => !sameShape(type.shape, a.type.shape) || type.dtype !== a.type.dtype;

const ORDINALS = ["first", "second", "third", "fourth", "fifth"] as const;

/** Why several products can't share a kernel; null when they can. */
export function sharedOperandRefusal(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  products: readonly NodeId[],
): Verdict | null {
  const [a, ...others] = products.map((id) => node(graph, id)) as [Node, ...Node[]];
  const labels = [a, ...others].map((n) => `\`${nodeName(n)}\``);
  // Products of one label go by their order.
  const told = labels.map((label, i) => {
    const alike = labels.flatMap((other, at) => (other === label ? [at] : []));
    return alike.length > 1 ? `the ${ORDINALS[alike.indexOf(i)] ?? "last"} ${label}` : label;
  });
  const list = `${told.slice(0, -1).join(", ")} and ${told.at(-1)}`;
  const named = list.charAt(0).toUpperCase() + list.slice(1);
  const two = (text: string): Verdict =>
    refusal(
      "L_TWO_CONTRACT",
      products,
      text,
      "Only matmuls of one left operand with results of one shape share a kernel here.",
    );
  const apart = two(
    `One kernel would compute ${list}: matmuls with tiles of their own. A kernel has accumulators for one matmul, for several of one left operand, or for the two of an attention.`,
  );
  if (products.length > MAX_PRODUCTS)
    return two(`${named} are ${products.length} matmuls; a thread has room for the accumulators of ${MAX_PRODUCTS}.`);
  if (a.type.shape.length < 2 || others.some(({ inputs }) => inputs[0] !== a.inputs[0])) return apart;
  const odd = others.find((other) => isOdd(a, other));
  if (odd)
    return two(
      `${named} multiply the same matrix, but their results are ${showShape(a.type.shape)} and ${showShape(odd.type.shape)}: one loop computes one shape.`,
    );
  if (members.some((id) => walksRows(node(graph, id)))) return apart;
  const follow = products.map((id) => followersOf(graph, members, id));
  const refused = follow.find((each) => each.refused)?.refused;
  if (refused)
    return refusal(
      "L_INDEX",
      [refused.operand, refused.id],
      `\`${nodeName(node(graph, refused.id))}\` does not follow \`${nodeName(node(graph, refused.operand))}\` element by element.`,
      "An op that is computed element by element from both matmuls.",
    );
  const found = (id: NodeId): Follower | undefined =>
    follow.find(({ followers }) => followers.has(id))?.followers.get(id);
  for (const id of members) {
    const bound = node(graph, id).inputs.flatMap((input) => found(input) ?? []);
    if (bound.some((follower) => follower.indices.some((at, i) => at !== bound[0]!.indices[i]))) return apart;
  }
  const offending = outputs.find((id) => !found(id));
  if (offending === undefined) return null;
  return refusal(
    "L_ROOT",
    [offending, a.id],
    `\`${nodeName(node(graph, offending))}\` is needed in memory, and every tile would store it again.`,
    products.map((id) => storedRemedy(graph, members, offending, id)).toSorted()[0]!,
    { bytes: bytesOf(node(graph, offending).type) },
  );
}

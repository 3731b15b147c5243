/** @file Two products of one left operand in one kernel: a gate and what it gates share the tile that both multiply. */
import { bytesOf, node, sameShape, showShape, type Graph, type NodeId, type Verdict } from "../ir";
import { opDef } from "../ops";
import { followersOf, type Follower } from "./alignment";
import { refusal } from "./refusal";

/** The contractions among the members, in order. */
export const productsOf = (graph: Graph, members: readonly NodeId[]): NodeId[] =>
  members.filter((id) => opDef(node(graph, id).op).kind === "contraction");

/** Why two products can't share a kernel; null when they can. */
export function dualRefusal(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  products: readonly NodeId[],
): Verdict | null {
  const [a, b] = products.map((id) => node(graph, id));
  const two = (why: string): Verdict =>
    refusal("L_TWO_CONTRACT", products, `\`${a!.label}\` and \`${b!.label}\` both tile their own two matrices${why}`, "Store one of the two products."); // prettier-ignore
  const apart = two("; one kernel holds the accumulators of one.");
  if (!a || !b || products.length > 2 || a.inputs[0] !== b.inputs[0]) return apart;
  if (!sameShape(a.type.shape, b.type.shape) || a.type.dtype !== b.type.dtype || a.type.shape.length < 2)
    return two(`: ${showShape(a.type.shape)} and ${showShape(b.type.shape)} are not walked by the same loop.`);
  if (members.some((id) => opDef(node(graph, id).op).kind === "reduce")) return apart;
  const [first, second] = [followersOf(graph, members, a.id), followersOf(graph, members, b.id)];
  const refused = first.refused ?? second.refused;
  if (refused)
    return refusal("L_INDEX", [refused.operand, refused.id], `\`${node(graph, refused.id).label}\` does not follow \`${node(graph, refused.operand).label}\` element by element.`, "Store the products first."); // prettier-ignore
  const places = (id: NodeId): Follower | undefined => first.followers.get(id) ?? second.followers.get(id);
  for (const id of members) {
    const bound = node(graph, id).inputs.flatMap((input) => places(input) ?? []);
    if (bound.some((follower) => follower.places.some((at, i) => at !== bound[0]!.places[i]))) return apart;
  }
  const stray = outputs.find((id) => !places(id));
  if (stray === undefined) return null;
  return refusal("L_ROOT", [stray, a.id], `\`${node(graph, stray).label}\` is needed in memory, and every tile would store it again.`, "Keep it in a kernel of its own.", { bytes: bytesOf(node(graph, stray).type) }); // prettier-ignore
}

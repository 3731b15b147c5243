/** @file Which outputs of a kernel around a product are stored one by one. */
import { node, type Graph, type NodeId } from "../../../ir";
import { followersPastFolds, isStoredTransposed, samplesOf } from "../../indices/alignment";
import type { Body } from "../../schedule/schedule-parts";
import { productsOf } from "./shared-operand";

/**
 * Outputs in which neighbouring columns of the product lie further apart than one element, or whose rows are no whole vectors, so that
 * each element is stored by itself.
 * @param transposes the kernel transposes blocks whose rows lie side by side
 */
export function stridedOutputs(graph: Graph, { members, outputs }: Body, transposes: boolean): NodeId[] {
  return productsOf(graph, members).flatMap((product) => {
    const { shape } = node(graph, product).type;
    const next = samplesOf(shape).indexOf(1);
    const { followers } = followersPastFolds(graph, members, product);
    if (next < 0 || shape.at(-1) === 1) return [];
    return outputs.filter((id) => {
      const follower = followers.get(id);
      if (!follower || (transposes && isStoredTransposed(graph, product, follower))) return false;
      return follower.indices[next] !== 1 || shape.at(-1)! % 4 !== 0;
    });
  });
}

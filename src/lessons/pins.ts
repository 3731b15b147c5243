/** @file Boundaries and forced edges of examples, by the names of their ends. */
import { edgeId, nodeId, type EdgeId } from "../fusion";

/** `t>y:0`: the edge from `t` to operand 0 of `y`. */
export const pin = (producer: string, consumer: string, operand: number): EdgeId =>
  edgeId(nodeId(producer), nodeId(consumer), operand);

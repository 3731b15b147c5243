/** @file The interpreter that every kernel must agree with: the unfused graph, one op after the other, in f64. */
import {
  bug,
  type Graph,
  isInput,
  isLiteral,
  type Node,
  node as nodeOf,
  type NodeId,
  type TensorType,
  topological,
} from "../ir";
import { opDef } from "../ops";
import { inputData } from "./data";
import { evaluateElementwise } from "./elementwise";
import { evaluateGather, evaluateGroups, evaluateRanges, evaluateSearch } from "./gather";
import { evaluateMatmul } from "./matmul";
import { evaluateMovement } from "./movement";
import { evaluateOrder } from "./order";
import { evaluateReduce } from "./reduce";
import { roundingOf, type Precision } from "./rounding";
import { evaluateRowLoop } from "./row-loop";
import { evaluateScan } from "./scan";

export interface ReferenceValue {
  readonly type: TensorType;
  /** Row-major; bool is 0 or 1. */
  readonly data: Float64Array;
}

export interface ReferenceOptions {
  /** `f64` unless stated. */
  readonly precision?: Precision;
  /** Values to return besides the outputs; others are dropped once their last reader has run. */
  readonly keep?: "all" | ReadonlySet<NodeId>;
}

/**
 * Runs `graph` op by op.
 * @param inputs data of `input` nodes, row-major; those left out get `inputData`
 * @returns the outputs and the values named by `keep`
 */
export function runReference(
  graph: Graph,
  inputs: ReadonlyMap<NodeId, ArrayLike<number>>,
  { precision = "f64", keep = new Set() }: ReferenceOptions = {},
): Map<NodeId, ReferenceValue> {
  const wanted = new Set(keep === "all" ? graph.nodes.keys() : [...keep, ...graph.outputs]);
  const needed = ancestorsOf(graph, wanted);
  const order = topological(graph).filter((id) => needed.has(id));
  const uses = new Map<NodeId, number>();
  for (const id of order) for (const input of nodeOf(graph, id).inputs) uses.set(input, (uses.get(input) ?? 0) + 1);
  const live = new Map<NodeId, Float64Array>();
  const values = new Map<NodeId, ReferenceValue>();
  for (const id of order) {
    const node = nodeOf(graph, id);
    const operands = node.inputs.map((input) => live.get(input) ?? values.get(input)!.data);
    const types = node.inputs.map((input) => nodeOf(graph, input).type);
    const data = evaluate(node, operands, types, precision, inputs);
    if (wanted.has(id)) values.set(id, { type: node.type, data });
    else if (uses.has(id)) live.set(id, data);
    for (const input of node.inputs) {
      const left = uses.get(input)! - 1;
      uses.set(input, left);
      if (left === 0) live.delete(input);
    }
  }
  return values;
}

/** The nodes that `ids` depend on, themselves included. */
export function ancestorsOf(graph: Graph, ids: Iterable<NodeId>): Set<NodeId> {
  const found = new Set(ids);
  for (const id of found) for (const input of nodeOf(graph, id).inputs) found.add(input);
  return found;
}

/** Values of one node from its operands'; what is rounded wherever it is read is so here. */
export function evaluate(
  node: Node,
  operands: readonly Float64Array[],
  types: readonly TensorType[],
  precision: Precision,
  inputs: ReadonlyMap<NodeId, ArrayLike<number>>,
): Float64Array {
  const data = evaluated(node, operands, types, precision, inputs);
  return node.rounded ? data.map(roundingOf(node.type.dtype, "f32")) : data;
}

function evaluated(
  node: Node,
  operands: readonly Float64Array[],
  types: readonly TensorType[],
  precision: Precision,
  inputs: ReadonlyMap<NodeId, ArrayLike<number>>,
): Float64Array {
  const round = roundingOf(node.type.dtype, precision);
  const { kind } = opDef(node.op);
  switch (kind) {
    case "elementwise":
    case "random":
    case "opaque":
      return evaluateElementwise(node, operands, types, precision);
    case "reduce":
      return evaluateReduce(node, operands[0]!, types[0]!, round);
    case "scan":
      return evaluateScan(node, operands[0]!, types[0]!, round);
    case "loop":
      return evaluateRowLoop(node, operands, types, precision, (of, args, own) =>
        evaluate(of, args, own, precision, inputs),
      );
    case "order":
      return evaluateOrder(node, operands[0]!, types[0]!);
    case "movement":
      return evaluateMovement(node, operands, types);
    case "gather":
      return evaluateGather(node, operands, types);
    case "search":
      return evaluateSearch(node, operands);
    case "ranges":
      return evaluateRanges(node, operands, types[0]!, round);
    case "groups":
      return evaluateGroups(node, operands);
    case "contraction":
      return evaluateMatmul(operands[0]!, operands[1]!, [types[0]!, types[1]!], round);
    case "source":
      return sourceValues(node, inputs, round);
  }
}

function sourceValues(
  node: Node,
  inputs: ReadonlyMap<NodeId, ArrayLike<number>>,
  round: (value: number) => number,
): Float64Array {
  if (isLiteral(node)) return Float64Array.of(round(Number(node.attrs["value"])));
  if (!isInput(node)) throw bug(`${node.id} is not connected, so there is nothing to run`);
  const given = inputs.get(node.id);
  if (!given && node.recipe) return foldedValues(node, inputs);
  return Float64Array.from(given ?? inputData(node));
}

/** A folded constant from the data that it was folded of, in f64. */
function foldedValues({ recipe }: Node, inputs: ReadonlyMap<NodeId, ArrayLike<number>>): Float64Array {
  const value = recipe!.at(-1)!.id;
  const graph: Graph = { nodes: new Map(recipe!.map((each) => [each.id, each])), outputs: [value] };
  return runReference(graph, inputs).get(value)!.data;
}

/**
 * Data of the constants that passes folded in `graph`, row-major, in f64.
 * @param inputs data of the inputs they were folded of; those left out get `inputData`
 */
export function foldedData(
  graph: Graph,
  inputs: ReadonlyMap<NodeId, ArrayLike<number>> = new Map(),
): Map<NodeId, Float64Array> {
  const folded = [...graph.nodes.values()].filter(({ recipe }) => recipe !== undefined);
  return new Map(folded.map((each) => [each.id, foldedValues(each, inputs)]));
}

/** @file Reverse mode: cotangents flow from results to operands, each op applies its own rule. */
import type { Node, NodeId } from "../ir";
import type { Slope, DerivativeContext } from "../ops";
import { opDef, sumTo } from "../ops";
import { pushForward } from "./forward";
import { loopDerivative } from "./loops";
import { rowLoopRule } from "./row-loops";
import {
  dependents,
  isSmooth,
  ruleOf,
  tensorOf,
  written,
  zeros,
  type DerivativeBuilder,
  type NoRule,
} from "./derivative-builder";

/** `cotangent` times a slope, in the operand's shape and dtype; null: nothing. */
function pullbackOfOperand(
  builder: DerivativeBuilder,
  context: DerivativeContext,
  cotangent: NodeId,
  slope: Slope,
  operand: NodeId,
): NodeId | null {
  if (slope === null || slope === 0) return null;
  const product =
    slope === 1 ? cotangent : slope === -1 ? context.of("neg", [cotangent]) : times(context, cotangent, slope);
  const { dtype, shape } = builder.typeOf(operand);
  const summed = sumTo(context, product, shape);
  return builder.typeOf(summed).dtype === dtype ? summed : context.of("cast", [summed], { dtype });
}

function times(context: DerivativeContext, cotangent: NodeId, slope: NodeId | number): NodeId {
  const same =
    typeof slope !== "number" && context.typeOf(slope).shape.length === context.typeOf(cotangent).shape.length;
  return same && context.literal(cotangent) === 1 ? slope : context.of("mul", [cotangent, slope]);
}

/** The cotangent of each operand of `node`; null where it is zero. */
function operandCotangents(
  builder: DerivativeBuilder,
  node: Node,
  cotangent: NodeId,
  changes: ReadonlySet<NodeId>,
): readonly (NodeId | null)[] | null {
  const wanted = node.inputs.flatMap((input, i) => (changes.has(input) && isSmooth(builder.typeOf(input)) ? [i] : []));
  const { loop, kind } = opDef(node.op);
  const rule =
    kind === "loop" ? rowLoopRule(node, pullBack, wanted) : loop ? loopDerivative(node, pushForward) : ruleOf(node);
  if (!rule) return null;
  const context = builder.contextOf(node);
  const slopes = rule.partials?.(context);
  return node.inputs.map((input, i) => {
    if (!wanted.includes(i)) return null;
    if (slopes) return pullbackOfOperand(builder, context, cotangent, slopes[i] ?? null, input);
    const own = rule.vjp?.(context, cotangent, i) ?? null;
    return own === null ? null : pullbackOfOperand(builder, context, own, 1, input);
  });
}

/**
 * Cotangents of `wrt`, given those of some results; zeros where nothing depends on one.
 * @param seeds cotangent by result, in the result's shape
 * @param known whole cotangents of the same seeds that are there already: no rule is applied for them again
 * @param found where those that are computed are put
 * @returns one node for each of `wrt`, in its shape; or the first op in between that has no rule
 */
export function pullBack(
  builder: DerivativeBuilder,
  seeds: ReadonlyMap<NodeId, NodeId>,
  wrt: readonly NodeId[],
  name: (node: Node, cotangent: NodeId) => void,
  known: ReadonlyMap<NodeId, NodeId> = new Map(),
  found: Map<NodeId, NodeId> = new Map(),
): readonly NodeId[] | NoRule {
  const order = dependents(builder, new Set(wrt), [...seeds.keys()]);
  const changes = new Set(order.map(({ id }) => id));
  const gives = (id: NodeId, value: NodeId): void => {
    const before = found.get(id);
    const { dtype } = builder.typeOf(id);
    found.set(id, before === undefined ? value : builder.call(dtype, "add", [before, value]));
  };
  for (const [result, cotangent] of seeds) gives(result, cotangent);
  const cotangentOf = (id: NodeId): NodeId | null => known.get(id) ?? found.get(id) ?? null;
  /** A rule of the program takes the cotangents of all results: where the first of them stands, those of the others are known. */
  const isReached = ({ id }: Node): boolean => {
    const outputs = builder.ownRule(id)?.outputs;
    if (!outputs) return cotangentOf(id) !== null;
    return order.find((node) => outputs.includes(node.id))!.id === id && outputs.some((each) => cotangentOf(each));
  };
  const each = (node: Node): readonly (NodeId | null)[] | null => {
    const rule = builder.ownRule(node.id);
    if (!rule) return operandCotangents(builder, node, cotangentOf(node.id)!, changes);
    const template = rule.vjp();
    return template && written(builder, template, rule.outputs.map(cotangentOf));
  };
  for (const node of order.toReversed()) {
    const cotangent = cotangentOf(node.id);
    if (cotangent !== null) name(node, cotangent);
    if (!isReached(node)) continue;
    const operands = builder.operandsOf(node);
    if (!operands.some((input) => changes.has(input) && !known.has(input))) continue;
    const cotangents = each(node);
    if (!cotangents) return { node };
    operands.forEach((input, i) => {
      const given = cotangents[i];
      if (given && changes.has(input) && !known.has(input)) gives(input, given);
    });
  }
  return wrt.map((id) => tensorOf(builder, cotangentOf(id) ?? zeros(builder, builder.typeOf(id))));
}

/** @file Forward mode: tangents flow from operands to results. */
import type { Node, NodeId, TensorType } from "../ir";
import { opDef, operandTypes, type Slope, type DerivativeContext } from "../ops";
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
import { loopDerivative } from "./loops";
import type { OwnRule } from "./own-rules";

/** Σ slope · tangent. */
function summed(
  context: DerivativeContext,
  slopes: readonly Slope[],
  tangents: readonly (NodeId | null)[],
): NodeId | null {
  let sum: NodeId | null = null;
  for (const [i, slope] of slopes.entries()) {
    const tangent = tangents[i] ?? null;
    if (tangent === null || slope === null || slope === 0) continue;
    const term =
      slope === 1 ? tangent : slope === -1 ? context.of("neg", [tangent]) : context.of("mul", [tangent, slope]);
    sum = sum === null ? term : context.of("add", [sum, term]);
  }
  return sum;
}

function tangentOf(
  builder: DerivativeBuilder,
  node: Node,
  tangents: ReadonlyMap<NodeId, NodeId>,
): NodeId | null | NoRule {
  const rule = opDef(node.op).loop ? loopDerivative(node, pushForward) : ruleOf(node);
  if (!rule) return { node };
  const context = builder.contextOf(node);
  const own = node.inputs.map((input) => tangents.get(input) ?? null);
  if (rule.partials) {
    const sum = summed(context, rule.partials(context), own);
    if (sum === null) return null;
    const { shape, dtype } = node.type;
    const full =
      builder.typeOf(sum).shape.length === shape.length &&
      builder.typeOf(sum).shape.every((extent, i) => extent === shape[i]);
    const spread = full ? sum : context.of("expand", [sum], { shape });
    return builder.typeOf(spread).dtype === dtype ? spread : context.of("cast", [spread], { dtype });
  }
  if (rule.jvp) return rule.jvp(context, own);
  if (!rule.vjp) return null;
  const types = node.inputs.map((input) => builder.typeOf(input));
  // A condition or an index stays what it is, also one written as a number.
  const read = operandTypes(
    opDef(node.op),
    types.map(({ dtype }) => dtype),
    node.attrs,
  );
  // A literal stays one: what is chosen instead of an update is known to be nothing.
  const unchanging = (type: TensorType): NodeId =>
    type.shape.length === 0 ? builder.scalar(0, type.dtype) : zeros(builder, type);
  const moved = node.inputs.map(
    (input, i) => own[i] ?? (isSmooth({ ...types[i]!, dtype: read[i]! }) ? unchanging(types[i]!) : input),
  );
  return context.of(node.op, moved, node.attrs);
}

/** The tangent that a rule of the program gives a node. */
function ofRule(
  builder: DerivativeBuilder,
  node: Node,
  { jvp, operands, outputs }: OwnRule,
  tangents: ReadonlyMap<NodeId, NodeId>,
): NodeId | null | NoRule {
  const template = jvp();
  if (!template) return { node };
  const given = operands.map((id) => tangents.get(id) ?? null);
  return written(builder, template, given)[outputs.indexOf(node.id)] ?? null;
}

/**
 * Tangents of `results`, given those of some values; zeros where nothing depends on one.
 * @returns one node for each result, in its shape; or the first op on the way that has no rule
 */
export function pushForward(
  builder: DerivativeBuilder,
  tangents: ReadonlyMap<NodeId, NodeId>,
  results: readonly NodeId[],
  name: (node: Node, tangent: NodeId) => void,
): readonly NodeId[] | NoRule {
  const found = new Map(tangents);
  for (const node of dependents(builder, new Set(tangents.keys()), results)) {
    if (found.has(node.id)) continue;
    const rule = builder.ownRule(node.id);
    const tangent = rule ? ofRule(builder, node, rule, found) : tangentOf(builder, node, found);
    if (tangent !== null && typeof tangent === "object") return tangent;
    if (tangent === null) continue;
    found.set(node.id, tangent);
    name(node, tangent);
  }
  return results.map((id) => tensorOf(builder, found.get(id) ?? zeros(builder, builder.typeOf(id))));
}

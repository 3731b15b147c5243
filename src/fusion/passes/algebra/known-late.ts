/** @file What is said when a scale behind a product could be part of its weights, were it known before the run. */
import { isInput, node, type Node, type NodeId, sizeOf } from "../../ir";
import { algebraOf, isSubtraction, isSum, opDef } from "../../ops";
import type { Proposal } from "../rule";
import type { Planner } from "../planner";
import { nameOf, namesOf, no } from "../sentences";
import type { Around, Link } from "./affine";
import { isChannelwise, type Channels } from "./channels";

/** Only a scale that differs from channel to channel is worth a word about what is missing. */
export const namedScale = ({ graph }: Around, product: Node, work: readonly Link[]): boolean =>
  work.some(
    ({ id, kind }) => kind === "scale" && node(graph, id).inputs.some((input) => isVector(node(graph, input), product)),
  );
const isVector = ({ type }: Node, product: Node): boolean =>
  sizeOf(type.shape) > 1 && sizeOf(type.shape) < sizeOf(product.type.shape);

/** Weights or scales that a run brings, or that the run itself computes. */
export function tooLate(
  planner: Planner,
  product: Node,
  { reader, operand }: { reader: NodeId; operand: NodeId },
): Proposal | null {
  const { graph } = planner;
  const n = node(graph, operand);
  if (sizeOf(n.type.shape) === 1) return null;
  const inputs = lateInputs(planner, operand);
  const own = inputs === null;
  if (!own && inputs.length === 0) return null;
  const text = own
    ? `${nameOf(graph, reader)} scales by numbers that come from ${nameOf(graph, product.id)} itself, as a batch norm in training does: they are not known before the run.`
    : `${nameOf(graph, reader)} could be part of the weights of ${nameOf(graph, product.id)}, but ${namesOf(graph, inputs)} ${inputs.length === 1 ? "is an input" : "are inputs"} of each run, not known before.`;
  const remedy = own
    ? "Inference mode, with fixed statistics."
    : `Declaring what does not change as a weight: \`= param()\`.`;
  const nodes = [product.id, reader];
  return { rule: "into-weight", change: null, verdict: no("L_NOT_CONST", nodes, text, { remedy }), nodes };
}

/** Far enough back to see from a batch norm's scale to the product that it normalises. */
const LOOK_BACK = 64;

/** Inputs of a run that `id` is computed of; null when a product is among them. */
function lateInputs({ graph }: Planner, id: NodeId): NodeId[] | null {
  const seen = new Set([id]);
  const late: NodeId[] = [];
  for (const each of seen) {
    const n = node(graph, each);
    if (opDef(n.op).kind === "contraction" || seen.size > LOOK_BACK) return null;
    if (isInput(n) && n.attrs["role"] === "input") late.push(each);
    for (const input of n.inputs) seen.add(input);
  }
  return late;
}

/** Several readers of a product (through views): a normalisation over its own values folds nowhere. */
export function tangled(planner: Planner, { readersOf }: Around, product: Node, channels: Channels): Proposal | null {
  const { graph } = planner;
  let value = product;
  for (let readers = [...readersOf(value.id)]; readers.length === 1; readers = [...readersOf(value.id)]) {
    const next = node(graph, readers[0]!);
    if (opDef(next.op).movement?.free !== true && !isSum(algebraOf(next.op))) break;
    value = next;
  }
  const readers = [...readersOf(value.id)].map((id) => node(graph, id));
  const fold = readers.find((n) => opDef(n.op).kind === "reduce");
  const centred = readers.find((n) => isSubtraction(algebraOf(n.op)) && n.inputs.some((input) => input === fold?.id));
  if (!fold || !centred || !isChannelwise(channels, fold.type.shape, value.type.shape)) return null;
  return tooLate(planner, product, { reader: centred.id, operand: fold.id });
}

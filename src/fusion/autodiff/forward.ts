/** @file Forward mode: tangents flow from operands to results. */
import type { Node, NodeId } from "../ir";
import { opDef, operandTypes, type Slope, type Tape } from "../ops";
import { mistaken } from "./mutations";
import { dependents, isSmooth, ruleOf, tensorOf, zeros, type Book } from "./book";
import type { NoRule } from "./reverse";

/** Σ slope · tangent. */
function summed(tape: Tape, slopes: readonly Slope[], tangents: readonly (NodeId | null)[]): NodeId | null {
  let sum: NodeId | null = null;
  for (const [i, slope] of slopes.entries()) {
    const tangent = tangents[i] ?? null;
    if (tangent === null || slope === null || slope === 0) continue;
    const term = slope === 1 ? tangent : slope === -1 ? tape.of("neg", [tangent]) : tape.of("mul", [tangent, slope]);
    sum = sum === null || mistaken("lost-tangent") ? term : tape.of("add", [sum, term]);
  }
  return sum;
}

function tangentOf(book: Book, node: Node, tangents: ReadonlyMap<NodeId, NodeId>): NodeId | null | NoRule {
  const rule = ruleOf(node);
  if (!rule) return { node };
  const tape = book.tapeOf(node);
  const own = node.inputs.map((input) => tangents.get(input) ?? null);
  if (rule.partials) {
    const sum = summed(tape, rule.partials(tape), own);
    if (sum === null) return null;
    const { shape, dtype } = node.type;
    const full =
      book.typeOf(sum).shape.length === shape.length &&
      book.typeOf(sum).shape.every((extent, i) => extent === shape[i]);
    const spread = full ? sum : tape.of("expand", [sum], { shape });
    return book.typeOf(spread).dtype === dtype ? spread : tape.of("cast", [spread], { dtype });
  }
  if (rule.jvp) return rule.jvp(tape, own);
  if (!rule.vjp) return null;
  const types = node.inputs.map((input) => book.typeOf(input));
  // A condition or an index stays what it is, also one written as a number.
  const read = operandTypes(
    opDef(node.op),
    types.map(({ dtype }) => dtype),
    node.attrs,
  );
  const moved = node.inputs.map(
    (input, i) => own[i] ?? (isSmooth({ ...types[i]!, dtype: read[i]! }) ? zeros(book, types[i]!) : input),
  );
  return tape.of(node.op, moved, node.attrs);
}

/**
 * Tangents of `results`, given those of some values; zeros where nothing depends on one.
 * @returns one node for each result, in its shape; or the first op on the way that has no rule
 */
export function pushForward(
  book: Book,
  tangents: ReadonlyMap<NodeId, NodeId>,
  results: readonly NodeId[],
  name: (node: Node, tangent: NodeId) => void,
): readonly NodeId[] | NoRule {
  const found = new Map(tangents);
  for (const node of dependents(book, new Set(tangents.keys()), results)) {
    if (found.has(node.id)) continue;
    const tangent = tangentOf(book, node, found);
    if (tangent !== null && typeof tangent === "object") return tangent;
    if (tangent === null) continue;
    found.set(node.id, tangent);
    name(node, tangent);
  }
  return results.map((id) => tensorOf(book, found.get(id) ?? zeros(book, book.typeOf(id))));
}

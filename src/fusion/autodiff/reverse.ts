/** @file Reverse mode: cotangents flow from results to operands, each op adding what its own rule says. */
import type { Node, NodeId } from "../ir";
import type { Slope, Tape } from "../ops";
import { sumTo } from "../ops";
import { mistaken } from "./mutations";
import { dependents, isSmooth, ruleOf, tensorOf, zeros, type Book } from "./book";

/** What stands in the way: an op without a rule. */
export interface NoRule {
  readonly node: Node;
}

/** `cotangent` times a slope, in the operand's shape and dtype; null: nothing. */
function worth(book: Book, tape: Tape, cotangent: NodeId, slope: Slope, operand: NodeId): NodeId | null {
  if (slope === null || slope === 0) return null;
  const product = slope === 1 ? cotangent : slope === -1 ? tape.of("neg", [cotangent]) : times(tape, cotangent, slope);
  const { dtype, shape } = book.typeOf(operand);
  const summed = sumTo(tape, product, shape);
  return book.typeOf(summed).dtype === dtype ? summed : tape.of("cast", [summed], { dtype });
}

function times(tape: Tape, cotangent: NodeId, slope: NodeId | number): NodeId {
  const same = typeof slope !== "number" && tape.typeOf(slope).shape.length === tape.typeOf(cotangent).shape.length;
  return same && tape.literal(cotangent) === 1 ? slope : tape.of("mul", [cotangent, slope]);
}

/** What each operand of `node` gets of its cotangent; null where nothing. */
function shares(
  book: Book,
  node: Node,
  cotangent: NodeId,
  changes: ReadonlySet<NodeId>,
): readonly (NodeId | null)[] | null {
  const rule = ruleOf(node);
  if (!rule) return null;
  const tape = book.tapeOf(node);
  const slopes = rule.partials?.(tape);
  return node.inputs.map((input, i) => {
    if (!changes.has(input) || !isSmooth(book.typeOf(input))) return null;
    if (slopes) return worth(book, tape, cotangent, slopes[mistaken("one-slope") ? 0 : i] ?? null, input);
    const own = rule.vjp?.(tape, cotangent, i) ?? null;
    return own === null ? null : worth(book, tape, own, 1, input);
  });
}

/**
 * Cotangents of `wrt`, given those of some results; zeros where nothing depends on one.
 * @param seeds cotangent by result, in the result's shape
 * @param known whole cotangents of the same seeds that are there already: walks over them cost no rules
 * @param found where those of this walk are put
 * @returns one node for each of `wrt`, in its shape; or the first op on the way that has no rule
 */
export function pullBack(
  book: Book,
  seeds: ReadonlyMap<NodeId, NodeId>,
  wrt: readonly NodeId[],
  name: (node: Node, cotangent: NodeId) => void,
  known: ReadonlyMap<NodeId, NodeId> = new Map(),
  found: Map<NodeId, NodeId> = new Map(),
): readonly NodeId[] | NoRule {
  const order = dependents(book, new Set(wrt), [...seeds.keys()]);
  const changes = new Set(order.map(({ id }) => id));
  const gives = (id: NodeId, value: NodeId): void => {
    const before = found.get(id);
    const { dtype } = book.typeOf(id);
    found.set(
      id,
      before === undefined || mistaken("last-cotangent") ? value : book.call(dtype, "add", [before, value]),
    );
  };
  for (const [result, cotangent] of seeds) gives(result, cotangent);
  for (const node of order.toReversed()) {
    const cotangent = known.get(node.id) ?? found.get(node.id);
    if (cotangent === undefined) continue;
    name(node, cotangent);
    if (!node.inputs.some((input) => changes.has(input) && !known.has(input))) continue;
    const each = shares(book, node, cotangent, changes);
    if (!each) return { node };
    node.inputs.forEach((input, i) => each[i] && !known.has(input) && gives(input, each[i]));
  }
  return wrt.map((id) => tensorOf(book, known.get(id) ?? found.get(id) ?? zeros(book, book.typeOf(id))));
}

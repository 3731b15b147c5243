/** @file Which values the backward pass keeps: by policy, by the cheapest cut, within a budget; choices of single values go before. */
import {
  bug,
  isSavedBy,
  type Graph,
  isSource,
  node,
  type NodeId,
  type SavedChoice,
  type SavedPolicy,
  type SavedValues,
  usesOf,
} from "../../ir";
import { isFreeView } from "../../kernel";
import { weightedFlopsOf } from "../../ops";
import { savedByCut, type SavedValue } from "../profitability/min-cut";
import { isLate, type SavedSet, type Partition } from "./partition";
import { recomputeFlops, isExpensive, isOpaque, savedBytes } from "./recompute-cost";
import { fromOneCopy, type OneCopy } from "./same-copy";

/** A value nearer to the backward pass costs more to save: it is needed sooner, and what follows from it is shorter. */
const RECENCY_FACTOR = 1.1;
/** Expensive values that a budget frees, at most: each asks for another cut. */
const MAX_FREED = 64;

/** What is asked for, in terms of the graph as it is. */
export interface Wanted extends Pick<SavedValues, "budgetBytes"> {
  readonly policy: SavedPolicy;
  readonly choices: ReadonlyMap<NodeId, SavedChoice>;
  /** Values that follow from later ones, and how. */
  readonly inverted: ReadonlyMap<NodeId, Inverted>;
  /** Values inside a checkpoint: recomputed from what goes in. */
  readonly inside: ReadonlySet<NodeId>;
}

/** `op` of saved values. */
export interface Inverted {
  readonly op: string;
  readonly inputs: readonly NodeId[];
  /** The result that it is inverted from. */
  readonly result: NodeId;
}

const inputsOf = (graph: Graph, { inverted }: Wanted, id: NodeId): readonly NodeId[] =>
  inverted.get(id)?.inputs ?? node(graph, id).inputs;
/** Values that others are inverted from, those aside that are inverted themselves. */
const resultsSaved = ({ inverted }: Wanted): ReadonlySet<NodeId> =>
  new Set([...inverted.values()].map(({ result }) => result).filter((id) => !inverted.has(id)));

/** What is saved, so that no test holds a saved value against a copy of what it follows from. */
export const savedOf = (graph: Graph, sides: Partition, wanted: Wanted): OneCopy =>
  fromOneCopy(graph, sides, chosen(graph, sides, wanted));

function chosen(graph: Graph, sides: Partition, wanted: Wanted): SavedSet {
  const { policy, choices, inverted, inside } = wanted;
  if (policy === "cut") return cutWithin(graph, sides, wanted);
  const ends = policy === "segments" ? segmentEnds(graph, sides) : null;
  const isSaved = (id: NodeId): boolean => {
    const choice = choices.get(id);
    if (inverted.has(id)) return false;
    if (choice !== undefined || isLate(node(graph, id))) return isSavedBy(choice);
    if (inside.has(id)) return false;
    return isOpaque(graph, id) || policy === "stored" || ends?.has(id) === true;
  };
  const ids = readFrom(graph, sides, wanted, isSaved);
  return { ids, early: new Set([...ids].filter((id) => isLate(node(graph, id)))) };
}

/** Of what passes `isSaved`, that which backward nodes read, or what is recomputed for them. */
function readFrom(graph: Graph, { asked }: Partition, wanted: Wanted, isSaved: (id: NodeId) => boolean): Set<NodeId> {
  const results = resultsSaved(wanted);
  const ids = new Set<NodeId>();
  const reached = new Set(asked);
  for (const id of reached) {
    const n = node(graph, id);
    if (isSource(n)) continue;
    if (results.has(id) || (isSaved(id) && !isFreeView(n))) ids.add(id);
    else for (const input of inputsOf(graph, wanted, id)) reached.add(input);
  }
  return ids;
}

/** The cheapest cut, and then ever more expensive values recomputed until the budget is saved. */
function cutWithin(graph: Graph, sides: Partition, wanted: Wanted): SavedSet {
  const { budgetBytes = Infinity } = wanted;
  const freed = new Set<NodeId>();
  for (let trial = 0; ; trial++) {
    const found = cut(graph, sides, wanted, freed);
    const own = [...found.ids].filter((id) => !isSource(node(graph, id)));
    const bytes = own.reduce((sum, id) => sum + savedBytes(node(graph, id), wanted.choices.get(id)), 0);
    if (bytes <= budgetBytes || trial === MAX_FREED) return found;
    const expensive = nearestExpensive(graph, own, freed).filter(
      (id) => !isOpaque(graph, id) && !wanted.choices.has(id),
    );
    if (expensive.length === 0) return found;
    const gain = (id: NodeId): number =>
      savedBytes(node(graph, id)) / Math.max(1, recomputeFlops(graph, id, weightedFlopsOf));
    freed.add(expensive.reduce((best, id) => (gain(id) > gain(best) ? id : best)));
  }
}

/** Saved values that are expensive to compute and not `freed` yet, and those that the others are made of. */
function nearestExpensive(graph: Graph, ids: readonly NodeId[], freed: ReadonlySet<NodeId>): NodeId[] {
  const isNear = (id: NodeId): boolean => isExpensive(graph, id) && !freed.has(id);
  const reached = new Set(ids);
  for (const id of reached) if (!isNear(id)) for (const input of node(graph, id).inputs) reached.add(input);
  return [...reached].filter(isNear);
}

function cut(graph: Graph, { primals, asked }: Partition, wanted: Wanted, freed: ReadonlySet<NodeId>): SavedSet {
  const positions = new Map(primals.map((id, at) => [id, at]));
  const near = distances(graph, primals, asked);
  const outputs = new Set(graph.outputs);
  const results = resultsSaved(wanted);
  const { inside } = wanted;
  const uses = usesOf({ nodes: new Map(graph.nodes), outputs: graph.outputs });
  const values = primals.map((id): SavedValue => {
    const n = node(graph, id);
    const choice = wanted.choices.get(id);
    const held = isSavedBy(choice) || results.has(id);
    // Stored in any case: a result, or an operand of a product. Keeping it costs only the reading.
    const stored =
      !isLate(n) &&
      (outputs.has(id) ||
        uses.get(id)!.some(({ consumer }) => !isLate(node(graph, consumer)) && isExpensive(graph, consumer)));
    // Where both are as large, the value itself is saved and not what its derivative makes of it.
    const own = isLate(n) ? RECENCY_FACTOR : 1;
    const price = own * savedBytes(n) * (stored ? 1 : 2) * RECENCY_FACTOR ** Math.min(near.get(id) ?? 0, 100);
    const isInside = inside.has(id) && choice === undefined;
    // Not computed from its operands, whatever that would cost.
    const inverted = wanted.inverted.has(id);
    const never = isFreeView(n) || isInside || choice === "recompute" || inverted;
    return {
      needs: inputsOf(graph, wanted, id).flatMap((input) => positions.get(input) ?? []),
      cost: held ? 0 : never ? Infinity : price,
      expensive:
        held ||
        (!inverted &&
          (isOpaque(graph, id) || (isExpensive(graph, id) && choice === undefined && !isInside && !freed.has(id)))),
      wanted: asked.has(id),
    };
  });
  const found = savedByCut(values);
  if (!found) throw bug("no cut between the passes");
  const idsOf = (at: ReadonlySet<number>): NodeId[] => [...at].map((index) => primals[index]!);
  // Values that others are inverted from may be none that a derivative needs.
  const ids = new Set([...idsOf(found.saved), ...results]);
  const early = idsOf(found.early).filter((id) => isLate(node(graph, id)));
  return { ids, early: new Set([...early, ...[...ids].filter((id) => isLate(node(graph, id)))]) };
}

/** Ops of the forward pass between each value and the backward pass. */
function distances(graph: Graph, primals: readonly NodeId[], asked: ReadonlySet<NodeId>): ReadonlyMap<NodeId, number> {
  const far = new Map<NodeId, number>([...asked].map((id) => [id, 0]));
  for (const id of primals.toReversed()) {
    const own = far.get(id);
    if (own === undefined) continue;
    const step = isLate(node(graph, id)) ? 0 : 1;
    for (const input of node(graph, id).inputs) far.set(input, Math.min(far.get(input) ?? Infinity, own + step));
  }
  return far;
}

/** Ends of about √n stretches of the n products of the forward pass (of its values where there are none): what is alive there. */
function segmentEnds(graph: Graph, { primals }: Partition): ReadonlySet<NodeId> {
  const forward = primals.filter((id) => !isLate(node(graph, id)));
  const products = forward.filter((id) => isExpensive(graph, id));
  const marks = products.length > 1 ? products : forward;
  const stretch = Math.max(1, Math.round(Math.sqrt(marks.length)));
  const ends = new Set(marks.filter((_, i) => (i + 1) % stretch === 0 && i + 1 < marks.length));
  const positions = new Map(forward.map((id, at) => [id, at]));
  const lastUse = new Map<NodeId, number>();
  for (const id of forward) for (const input of node(graph, id).inputs) lastUse.set(input, positions.get(id)!);
  const cuts = [...ends].map((id) => positions.get(id)!);
  const isAlive = (id: NodeId, cutAt: number): boolean =>
    positions.get(id)! <= cutAt && (lastUse.get(id) ?? -1) > cutAt;
  return new Set(forward.filter((id) => cuts.some((at) => isAlive(id, at))));
}

/** @file What a person asked to save, in terms of the graph as it is; and what of it can't be done, with the reason. */
import {
  type Graph,
  isSource,
  node,
  type Node,
  type NodeId,
  ownEntry,
  sameShape,
  type SavedChoice,
  savedChoices,
  type SavedValues,
  type Use,
  usesOf,
  type Verdict,
} from "../../ir";
import { opDef } from "../../ops";
import { isFreeView } from "../../kernel";
import { nameOf, no, STRICT_OFF } from "../driver/sentences";
import type { Inverted, Wanted } from "./choose";
import { isLate, partitionOf, type Partition } from "./partition";
import { isOpaque } from "./recompute-cost";
import { heldAgainst } from "./same-copy";

interface Refused {
  readonly value: NodeId;
  readonly verdict: Verdict;
}

export function wantedOf(
  graph: Graph,
  sides: Partition,
  asked: SavedValues,
  strict: boolean,
): { readonly wanted: Wanted; readonly refused: Refused[] } {
  const choices = new Map<NodeId, SavedChoice>();
  const inverted = new Map<NodeId, Inverted>();
  const refused: Refused[] = [];
  const uses = usesOf({ nodes: new Map(graph.nodes), outputs: graph.outputs });
  for (const id of sides.primals) {
    const n = node(graph, id);
    const choice =
      ownEntry(asked.choices, id) ??
      n.origins.map((origin) => ownEntry(asked.choices, origin)).find((each) => each !== undefined);
    if (choice === undefined || isSource(n)) continue;
    const readers = uses.get(id)!.map(({ consumer }) => node(graph, consumer));
    if (choice === "bits") {
      const tests = n.type.dtype === "bool" ? [n] : readers.filter(isLate);
      const other = tests.find(({ type }) => type.dtype !== "bool");
      if (other) refused.push({ value: id, verdict: needsMore(graph, n, other) });
      else for (const test of tests) choices.set(test.id, "bits");
    } else if (choice === "f16") {
      if (n.type.dtype !== "f32") refused.push({ value: id, verdict: notWider(graph, n) });
      else if (strict) refused.push({ value: id, verdict: rounds(graph, n) });
      else {
        const other = heldAgainst(graph, id, uses);
        if (other === null) choices.set(id, "f16");
        else refused.push({ value: id, verdict: notRounded(graph, n, other) });
      }
    } else if (choice === "invert") {
      const back = isLate(n) ? null : takenBack(graph, n, readers);
      if (back && strict) refused.push({ value: id, verdict: notExact(graph, n, back) });
      else if (back) inverted.set(id, back);
      else refused.push({ value: id, verdict: notBack(graph, n) });
    } else if (choice === "recompute" && isOpaque(graph, id)) refused.push({ value: id, verdict: notAgain(graph, n) });
    else choices.set(id, choice);
  }
  const { policy = "stored", budgetBytes } = asked;
  const inside = new Set(sides.primals.filter((id) => isInside(graph, id, uses)));
  return {
    wanted: { policy, choices, inverted, inside, ...(budgetBytes === undefined ? {} : { budgetBytes }) },
    refused,
  };
}

/** Inside a checkpoint, read by nobody behind it, and nothing that can't be done twice. */
function isInside(graph: Graph, id: NodeId, uses: ReadonlyMap<NodeId, readonly Use[]>): boolean {
  const { segment, ...n } = node(graph, id);
  if (segment === undefined || isLate(n) || isOpaque(graph, id) || graph.outputs.includes(id)) return false;
  return uses
    .get(id)!
    .map(({ consumer }) => node(graph, consumer))
    .every((reader) => isLate(reader) || reader.segment === segment);
}

/** The first result of the forward pass that gives the value back, with what else that takes at hand. */
function takenBack(graph: Graph, { id, type }: Node, readers: readonly Node[]): Inverted | null {
  for (const reader of readers) {
    if (isLate(reader) || reader.type.dtype !== type.dtype || !sameShape(reader.type.shape, type.shape)) continue;
    const operand = reader.inputs.indexOf(id);
    const back = reader.inputs.lastIndexOf(id) === operand ? opDef(reader.op).inverse?.(operand) : null;
    if (!back) continue;
    const inputs = back.of.map((each) => (each === "result" ? reader.id : reader.inputs[each]!));
    if (inputs.every((input) => input === reader.id || isSource(node(graph, input))))
      return { op: back.op, inputs, result: reader.id };
  }
  return null;
}

const needsMore = (graph: Graph, n: Node, reader: Node): Verdict =>
  no(
    "L_DTYPE",
    [n.id, reader.id],
    `${nameOf(graph, reader.id)} needs the numbers of ${nameOf(graph, n.id)}, not only whether it is true: one bit is too little.`,
    { remedy: "Saving or recomputing it." },
  );
const notWider = (graph: Graph, n: Node): Verdict =>
  no("L_DTYPE", [n.id], `${nameOf(graph, n.id)} is ${n.type.dtype}; only f32 takes fewer bytes as f16.`, {
    remedy: "Saving or recomputing it.",
  });
const rounds = (graph: Graph, n: Node): Verdict =>
  no(
    "L_STRICT",
    [n.id],
    `${nameOf(graph, n.id)} saved as f16 is rounded to 11 bits, and strict mode forbids that.`,
    STRICT_OFF,
  );
const notRounded = (graph: Graph, n: Node, other: NodeId): Verdict =>
  no(
    "L_DTYPE",
    [n.id, other],
    `The backward pass tests ${nameOf(graph, n.id)} against ${nameOf(graph, other)}: once one of them is rounded, they are never equal.`,
    { remedy: "Saving or recomputing it." },
  );
const notBack = (graph: Graph, n: Node): Verdict =>
  no(
    "L_ROOT",
    [n.id],
    `No op that reads ${nameOf(graph, n.id)} in the forward pass can be inverted with the values that are saved.`,
    { remedy: "Saving or recomputing it." },
  );
const notExact = (graph: Graph, n: Node, { result, op }: Inverted): Verdict =>
  no(
    "L_STRICT",
    [n.id, result],
    `${nameOf(graph, n.id)} computed back from ${nameOf(graph, result)} by \`${op}\` differs in its last digits, and strict mode forbids that.`,
    STRICT_OFF,
  );
const notAgain = (graph: Graph, n: Node): Verdict =>
  no("L_OPAQUE", [n.id], `${nameOf(graph, n.id)} is opaque, so it is not computed twice.`, {
    remedy: "Saving it.",
  });

/** A value of the forward pass that backward nodes read, and what can be done about it. */
export interface SavedOffer {
  readonly value: NodeId;
  readonly readers: readonly NodeId[];
  readonly choices: readonly SavedChoice[];
}

/** Values of the forward pass that backward nodes read, the first `most` of them in graph order. */
export function savedOffers(graph: Graph, most: number): readonly SavedOffer[] {
  const sides = partitionOf(graph);
  if (!sides) return [];
  const uses = usesOf(graph);
  const late = (id: NodeId): NodeId[] =>
    uses
      .get(id)!
      .map(({ consumer }) => consumer)
      .filter((each) => isLate(node(graph, each)));
  const read = sides.primals.filter(
    (id) => !isLate(node(graph, id)) && !isFreeView(node(graph, id)) && late(id).length > 0,
  );
  return read.slice(0, most).map((value) => {
    const own = { ...sides, primals: [value] };
    const isOffered = (choice: SavedChoice): boolean =>
      wantedOf(graph, own, { apart: true, choices: { [value]: choice } }, false).refused.length === 0;
    return { value, readers: late(value), choices: savedChoices.filter(isOffered) };
  });
}

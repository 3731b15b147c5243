/** @file Which columns a row between two products may see at all, where a mask says so by position alone: the tiles beyond need not be computed. */
import { type Graph, isLiteral, node, type NodeId } from "../../../ir";
import { EVERYWHERE, isMatrix, meetsAll, nonzeroOf, notHidden, type Band, type Sight } from "../../indices/bands";

/** Rows between two products, as far as they have been read. */
interface ReadRows {
  readonly scores: readonly NodeId[];
  readonly values: NodeId;
  /** What each member is; see `online.ts`. */
  readonly parts: ReadonlyMap<NodeId, string>;
  readonly peak: NodeId | null;
  readonly folds: readonly unknown[];
}

/**
 * Which columns a row sees: elsewhere scores are hidden, or weights 0. All of them where some row would see nothing or some column were
 * seen by nobody, and where scores meet data from memory: hidden tiles of it would stay unread.
 */
export function seenBy(graph: Graph, { scores, values, parts, peak, folds }: ReadRows): Band {
  const sight: Sight = { graph, sees: (id) => parts.has(id) };
  const partOf = (id: NodeId): string => parts.get(id) ?? "free";
  const onRow = [...parts].filter(
    ([id, part]) => !scores.includes(id) && ["score", "shifted", "weight"].includes(part),
  );
  const open = onRow.flatMap(([id]) => node(graph, id).inputs.filter((input) => partOf(input) === "free"));
  const met = new Set<NodeId>();
  while (open.length > 0) {
    const id = open.pop()!;
    if (met.has(id)) continue;
    met.add(id);
    const n = node(graph, id);
    if (!parts.has(id) && !isLiteral(n) && (peak !== null || isMatrix(n.type.shape))) return EVERYWHERE;
    if (parts.has(id)) open.push(...n.inputs);
  }
  if (peak === null && folds.length > 0) return EVERYWHERE;
  const rows = node(graph, node(graph, peak ?? values).inputs[0]!);
  const band = peak === null ? nonzeroOf(sight, rows.id) : notHidden(sight, rows.id);
  return meetsAll(band, rows.type.shape.at(-2)!, rows.type.shape.at(-1)!) ? band : EVERYWHERE;
}

/** @file Words between the words: shapes behind names, bytes behind large inputs. Pure. */
import { bytesOf, findNode, inlayHints, showBytes, shapeLabel, showType, type Parsed, type Span } from "../../fusion";

export interface TypeHint {
  readonly offset: number;
  readonly label: string;
  readonly tooltip: string;
}

/** An input is large from this share of the largest tensor on. */
const LARGE = 1 / 4;

/** Hints inside `shown`: first those of values, then those of inputs. */
export function typeHints(parsed: Parsed, shown: Span): TypeHint[] {
  const { graph } = parsed;
  const isShown = (offset: number): boolean => shown.from <= offset && offset <= shown.to;
  const types = [...graph.nodes.values()].filter(({ op }) => op !== "hole").map(({ type }) => bytesOf(type));
  const largest = types.reduce((most, bytes) => Math.max(most, bytes), 1);
  const values = inlayHints(parsed).flatMap(({ offset, node }) => {
    const found = findNode(graph, node);
    if (!found || !isShown(offset) || found.op === "input" || found.op === "const") return [];
    return [
      {
        offset,
        label: shapeLabel(found.type.shape),
        tooltip: `${showType(found.type)}, ${showBytes(bytesOf(found.type))}`,
      },
    ];
  });
  const inputs = [...graph.nodes.values()].flatMap(({ op, span, type }) => {
    if (op !== "input" || !span || !isShown(span.to)) return [];
    const bytes = bytesOf(type);
    if (bytes < LARGE * largest) return [];
    return [{ offset: span.to, label: showBytes(bytes), tooltip: showType(type) }];
  });
  return [...values, ...inputs];
}

/** Columns that a hint takes: its label and the padding before it. */
const columnsOf = ({ label }: TypeHint): number => label.length + 1;

/** Only on lines that end within `columns` with their hints: a hint must not push the code itself out of sight. */
export function fittingHints(hints: readonly TypeHint[], text: string, columns: number): TypeHint[] {
  const startOf = ({ offset }: TypeHint): number => text.lastIndexOf("\n", offset - 1) + 1;
  const taken = new Map<number, number>();
  for (const hint of hints) {
    const from = startOf(hint);
    const end = text.indexOf("\n", from);
    const written = (end < 0 ? text.length : end) - from;
    taken.set(from, (taken.get(from) ?? written) + columnsOf(hint));
  }
  return hints.filter((hint) => taken.get(startOf(hint))! <= columns);
}

/** @file Numbers and names as a teacher says them: a unit, small counts in words, the user's own labels. */
import { node, showBytes, showMicros, type Graph, type NodeId, type Verdict } from "../ir";

export { showBytes, showMicros };

const SMALL = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
/** Small numbers as words: `two`, `17`. */
export const inWords = (count: number): string => SMALL[count] ?? String(count);
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${inWords(count)} ${count === 1 ? one : many}`;

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A node by its label, in backticks. */
export const nameOf = (graph: Graph, id: NodeId): string => `\`${node(graph, id).label}\``;

/** `a`, `b` and `c`; a long list is cut: `a`, `b` and 5 others. */
export function namesOf(graph: Graph, ids: readonly NodeId[]): string {
  const names = [...new Set(ids.map((id) => nameOf(graph, id)))];
  if (names.length > 4) return `${names.slice(0, 3).join(", ")} and ${names.length - 3} others`;
  return names.length < 2 ? (names[0] ?? "nothing") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)!}`;
}

interface VerdictExtra {
  readonly numbers?: Verdict["numbers"];
  readonly remedy?: string;
}
export const yes = (
  code: Verdict["code"],
  nodes: readonly NodeId[],
  text: string,
  extra: VerdictExtra = {},
): Verdict => ({
  ok: true,
  code,
  text,
  nodes,
  ...extra,
});
export const no = (
  code: Verdict["code"],
  nodes: readonly NodeId[],
  text: string,
  extra: VerdictExtra = {},
): Verdict => ({
  ok: false,
  code,
  text,
  nodes,
  ...extra,
});

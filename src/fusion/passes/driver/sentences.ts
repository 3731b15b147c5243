/** @file Numbers and names as a teacher says them: a unit, small counts in words, the user's own labels. */
import {
  node,
  plural,
  showBytes,
  showCount,
  showFlops,
  showMicros,
  type Graph,
  type NodeId,
  type Verdict,
  nodeName,
} from "../../ir";
import type { Opinion } from "./define";

export { plural, showBytes, showCount, showFlops, showMicros };

const SMALL = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
/** Small numbers as words: `two`, `17`. */
export const inWords = (count: number): string => SMALL[count] ?? String(count);
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${inWords(count)} ${count === 1 ? one : many}`;

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A node by its label, in backticks. */
export const nameOf = (graph: Graph, id: NodeId): string => `\`${nodeName(node(graph, id))}\``;

/** `a`, `a and b`, `a, b and c`. */
export const listOf = (items: readonly string[]): string =>
  items.length < 2 ? (items[0] ?? "") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)!}`;

/** Names in a list that is written out; longer ones are cut. */
const MAX_NAMES = 4;

/** How many of the ops have each label. */
function labelCounts(graph: Graph, ids: readonly NodeId[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of new Set(ids)) {
    const name = nameOf(graph, id);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Two ops, told apart where they have one label: the first `matmul`, the second `matmul`. */
export function pairOf(graph: Graph, first: NodeId, second: NodeId): readonly [string, string] {
  const [one, other] = [nameOf(graph, first), nameOf(graph, second)];
  return one === other && first !== second ? [`the first ${one}`, `the second ${other}`] : [one, other];
}

/** `a`, `b` and `c`; ops that share a label are counted, after the others: `b` and two `a`; a long list is cut: `a`, `b`, `c` and five others. */
export function namesOf(graph: Graph, ids: readonly NodeId[]): string {
  const all = [...labelCounts(graph, ids)];
  const counts = new Map([...all.filter(([, count]) => count === 1), ...all.filter(([, count]) => count > 1)]);
  const names = [...counts].map(([name, count]) => (count > 1 ? `${inWords(count)} ${name}` : name));
  if (names.length <= MAX_NAMES) return listOf(names);
  const others = [...counts.values()].slice(3).reduce((sum, count) => sum + count, 0);
  return `${names.slice(0, 3).join(", ")} and ${inWords(others)} others`;
}

/** The names as a subject with its verb: `a` reads, `a` and `b` read. */
export const subjectOf = (graph: Graph, ids: readonly NodeId[], one: string, many: string): string =>
  `${namesOf(graph, ids)} ${new Set(ids).size === 1 ? one : many}`;

/** `each`, where there is one; `both`, where there are two; `all`. */
export const bothOf = (count: number): string => (count === 2 ? "both" : "all");

type Extra = Omit<Opinion, "ok" | "code" | "nodes" | "text">;
export const yes = (code: Verdict["code"], nodes: readonly NodeId[], text: string, extra: Extra = {}): Opinion => ({
  ok: true,
  code,
  text,
  nodes,
  ...extra,
});
export const no = (code: Verdict["code"], nodes: readonly NodeId[], text: string, extra: Extra = {}): Opinion => ({
  ok: false,
  code,
  text,
  nodes,
  ...extra,
});

/** The way out of every refusal by strict mode. */
export const STRICT_OFF = { remedy: "Options: switch strict mode off.", remedyOptions: { strict: false } } as const;

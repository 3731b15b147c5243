/** @file Numbers and names as a teacher says them: three significant figures, a unit, the user's own labels. */
import { node, type Graph, type NodeId, type Verdict } from "../ir";

const significant = (value: number): string => {
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return digits > 6 ? value.toPrecision(3) : value.toFixed(Math.min(digits, 6));
};

/** `64.0 MiB`, `4.00 KiB`, `12 B`. */
export function showBytes(bytes: number): string {
  const size = Math.abs(bytes);
  if (size < 1024) return `${bytes} B`;
  const step = Math.min(4, Math.floor(Math.log2(size) / 10));
  return `${significant(bytes / 1024 ** step)} ${["B", "KiB", "MiB", "GiB", "TiB"][step]!}`;
}

/** `67.1 µs`, `1.20 ms`. */
export const showMicros = (micros: number): string =>
  Math.abs(micros) >= 999.5 ? `${significant(micros / 1000)} ms` : `${significant(micros)} µs`;

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

interface Said {
  readonly numbers?: Verdict["numbers"];
  readonly wayOut?: string;
}
export const yes = (code: Verdict["code"], nodes: readonly NodeId[], text: string, said: Said = {}): Verdict => ({
  ok: true,
  code,
  text,
  nodes,
  ...said,
});
export const no = (code: Verdict["code"], nodes: readonly NodeId[], text: string, said: Said = {}): Verdict => ({
  ok: false,
  code,
  text,
  nodes,
  ...said,
});

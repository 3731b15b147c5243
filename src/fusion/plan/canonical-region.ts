/**
 * @file A region without its names: nodes by number, words by their first part. Regions that differ in names alone have the same
 * key. What anything is called on the way here begins with `Q`, a letter no generated name starts with.
 */
import { type Attrs, type Graph, isLiteral, node, type Node, type NodeId, type Region, numberedId } from "../ir";
import { opDef } from "../ops";
import { isFreeView, mayBeUniform, replacementOf } from "../kernel";
import { wordFor, isTaken, stemOf } from "../kernel/code";

export interface CanonicalRegion {
  readonly key: string;
  /** The region's nodes and what it reads, views on the way included, in the order of their numbers. */
  readonly ids: readonly NodeId[];
  /** First parts of the words, in the order in which they stand for them. */
  readonly stems: readonly string[];
  /** The smallest number in a stem; infinite where none has one. */
  readonly leastNumber: number;
  /** The same nodes under their numbers; groups are forgotten. */
  readonly graph: () => Graph;
  readonly region: Region;
}

/** Longer words are cut where something is appended to them, and a stand-in would be cut elsewhere. */
const MAX_WORD = 24;
/** As many as two letters can tell apart. */
const MAX_STEMS = 26 * 26;

const standIn = (index: number): string =>
  `Q${String.fromCharCode(97 + Math.floor(index / 26))}${String.fromCharCode(97 + (index % 26))}`;
const STAND_IN = /\b(Q[a-z]{2})(?![A-Za-z0-9])/;

/** A text with stand-ins, taken apart for filling in: what stands as it is, and between each two the number of a stem. */
export interface Form {
  readonly fixed: readonly string[];
  readonly stems: readonly number[];
}

export function formOf(text: string): Form {
  const parts = text.split(STAND_IN);
  return {
    fixed: parts.filter((_, i) => i % 2 === 0),
    stems: parts.filter((_, i) => i % 2 === 1).map((name) => 26 * (name.charCodeAt(1) - 97) + name.charCodeAt(2) - 97),
  };
}

/** The text with the words that `stems` begin. */
export function filled({ fixed, stems: order }: Form, stems: readonly string[]): string {
  const parts = [fixed[0]!];
  for (let i = 0; i < order.length; i++) parts.push(stems[order[i]!]!, fixed[i + 1]!);
  return parts.join("");
}

/**
 * Null where a word is too long or looks like one of ours.
 * @param numbered whether `h_113` is a name like any other; else its number stays as it is
 */
export function canonicalRegion(graph: Graph, region: Region, numbered = true): CanonicalRegion | null {
  const numbers = new Map<NodeId, number>();
  const parts: (string | number)[] = [];
  for (const id of region.members) numbers.set(id, numbers.size);
  /** What is read from memory, through views to what they show. */
  const outside = (id: NodeId): void => {
    let n = node(graph, id);
    numbers.set(id, numbers.size);
    while (isFreeView(n)) {
      const source = n.inputs[0]!;
      parts.push(said(n));
      const seen = numbers.get(source);
      if (seen !== undefined) {
        parts.push(seen);
        return;
      }
      numbers.set(source, numbers.size);
      n = node(graph, source);
    }
    parts.push(isMemory(n) ? memorySaid(n) : said(n));
    const next = replacementOf(graph, n);
    if (next !== null && numbers.has(next)) parts.push(`>${numbers.get(next)!}`);
  };
  for (const id of region.members) {
    const n = node(graph, id);
    for (const input of n.inputs) if (!numbers.has(input)) outside(input);
    parts.push("=");
    for (const input of n.inputs) parts.push(numbers.get(input)!);
    parts.push(said(n));
  }
  parts.push(">");
  for (const id of region.outputs) parts.push(numbers.get(id)!);
  const ids = [...numbers.keys()];
  const words = wordsWithout(graph, ids, numbered);
  if (!words) return null;
  for (const label of words.labels) parts.push(label);
  const named = (id: NodeId): NodeId => numberedId(numbers.get(id)!);
  return {
    key: parts.join(" "),
    ids,
    stems: words.stems,
    leastNumber: words.leastNumber,
    graph: () => miniature(graph, numbers, region, words.labels),
    region: { id: region.id, members: region.members.map(named), outputs: region.outputs.map(named) },
  };
}

/** Read as it lies; literals and generated values are part of the text. */
const isMemory = (n: Node): boolean => !isLiteral(n) && opDef(n.op).generate === undefined;
const typeSaid = ({ type }: Node): string => `${type.dtype}[${type.shape.join()}]`;
/** What may be a uniform is not bound as a computed value is. */
const memorySaid = (n: Node): string => `${typeSaid(n)}${mayBeUniform(n) ? "u" : ""}`;
const said = (n: Node): string => `${n.op}(${attrsText(n.attrs)})${typeSaid(n)}${n.rounded ? "~" : ""}`;

function attrsText(attrs: Attrs): string {
  let text = "";
  for (const name in attrs) text += `${name}:${String(attrs[name])} `;
  return text;
}

interface Words {
  readonly labels: string[];
  readonly stems: string[];
  readonly leastNumber: number;
}

/**
 * Each node's word with a stand-in for its first part: `h7` and `h7_mean` meet as `Qaa` and `Qaa_mean` do, whatever `h7` is.
 * A part that is WGSL's or ours stays as it is.
 */
function wordsWithout(graph: Graph, ids: readonly NodeId[], numbered: boolean): Words | null {
  const words = ids.map((id) => (isLiteral(node(graph, id)) ? "const" : wordFor(node(graph, id))));
  if (words.some((word) => word.length > MAX_WORD || word.startsWith("Q"))) return null;
  let leastNumber = Infinity;
  const first = (word: string): string => {
    const { stem, number } = stemOf(word);
    if (number === null) return stem;
    if (!numbered) return word.split("_", 1)[0]!;
    leastNumber = Math.min(leastNumber, number);
    return stem;
  };
  const firsts = words.map(first);
  const fixed = new Set<string>();
  words.forEach((word, i) => {
    if (isTaken(word) || isTaken(firsts[i]!)) fixed.add(firsts[i]!);
  });
  const numbers = new Map<string, number>();
  const labels = words.map((word, i) => {
    const stem = firsts[i]!;
    if (fixed.has(stem)) return word;
    if (!numbers.has(stem)) numbers.set(stem, numbers.size);
    return standIn(numbers.get(stem)!) + word.slice(stem.length);
  });
  return numbers.size > MAX_STEMS ? null : { labels, stems: [...numbers.keys()], leastNumber };
}

function miniature(
  graph: Graph,
  numbers: ReadonlyMap<NodeId, number>,
  { members, outputs }: Region,
  labels: readonly string[],
): Graph {
  const named = (id: NodeId): NodeId => numberedId(numbers.get(id)!);
  const nodes = new Map<NodeId, Node>();
  for (const [id, at] of numbers) {
    const n = node(graph, id);
    const whole = at < members.length || isFreeView(n) || !isMemory(n);
    const inputs = whole ? n.inputs.map(named) : [];
    const own = numberedId(at);
    const next = outputs.indexOf(replacementOf(graph, n)!);
    const attrs = n.attrs["next"] === undefined ? n.attrs : { ...n.attrs, next: next < 0 ? null : next };
    const op = whole ? n.op : "input";
    nodes.set(own, { ...n, id: own, op, attrs, inputs, label: labels[at]!, origins: [], groups: [] });
  }
  return { nodes, outputs: outputs.map(named) };
}

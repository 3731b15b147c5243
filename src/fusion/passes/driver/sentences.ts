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
  type Region,
  titledOps,
  type Verdict,
  nodeName,
} from "../../ir";
import { opDef } from "../../ops";
import type { Candidate, Opinion } from "./define";
import type { Planner } from "./planner";

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

/** Ops of one name, in their order. */
export const ORDINALS = ["first", "second", "third", "fourth", "fifth", "last"] as const;

/** Ops by their labels, those of one label in their order: the first `matmul`, `relu`, the second `matmul`. */
export function toldApart(graph: Graph, ids: readonly NodeId[]): readonly string[] {
  const names = ids.map((id) => nameOf(graph, id));
  return names.map((name, i) => {
    const alike = [...new Set(ids.filter((_, at) => names[at] === name))];
    return alike.length > 1 ? `the ${ORDINALS[alike.indexOf(ids[i]!)] ?? "last"} ${name}` : name;
  });
}

/** The same of two. */
export const pairOf = (graph: Graph, first: NodeId, second: NodeId): readonly [string, string] => {
  const [one, other] = toldApart(graph, [first, second]);
  return [one!, other!];
};

/** `a`, `b` and `c`; ops that share a label are counted, after the others: `b` and two `a` ops; a long list is cut: `a`, `b`, `c` and five others. */
export function namesOf(graph: Graph, ids: readonly NodeId[]): string {
  const all = [...labelCounts(graph, ids)];
  const counts = new Map([...all.filter(([, count]) => count === 1), ...all.filter(([, count]) => count > 1)]);
  const names = [...counts].map(([name, count]) => (count > 1 ? `${inWords(count)} ${name} ops` : name));
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

/** An op in the words of a sentence: `the first \`matmul\`` */
interface Mention {
  readonly words: string;
  readonly id: NodeId;
  readonly home: Region;
}

const MENTION = new RegExp(`(?:the (${ORDINALS.join("|")}) )?\`([^\`]+)\``, "gi");
/** What stands before ops whose part the sentence itself tells: members of a kernel, what a path runs through, what else is read. */
const TOLD = /(?:kernels? (?:of|for) (?:(?:[a-z]+ )*`[^`]+`(?: ops)?(?:, | and ))*(?:[a-z]+ )*|runs through )$/;

/** What stands behind such ops: what a tile reads, and whose kernel they leave. */
const TOLD_BEHIND =
  /^(?: while the tile of `[^`]+`, which it reads as |(?: ops)?(?:(?:,| and)(?: [a-z]+)* `[^`]+`(?: ops)?)* leaves? the kernel of )/;

/** Ops of the kernels in question that a sentence names; those of one name that it doesn't tell apart are left out. */
function mentionsIn({ graph }: Planner, { remove, nodes }: Candidate, { text, nodes: about }: Verdict): Mention[] {
  const mentions = [...text.matchAll(MENTION)].filter(
    ({ index, 0: words }) => !TOLD.test(text.slice(0, index)) && !TOLD_BEHIND.test(text.slice(index + words.length)),
  );
  return mentions.flatMap(([words, ordinal, name]) => {
    const isCalled = (id: NodeId): boolean => graph.nodes.has(id) && nodeName(node(graph, id)) === name;
    const at = ordinal ? ORDINALS.findIndex((word) => word === ordinal.toLowerCase()) : 0;
    const fits = (ids: readonly NodeId[]): boolean => (ordinal ? ids.length > at : ids.length === 1);
    const told = [about, nodes].map((ids) => [...new Set(ids)].filter(isCalled)).find(fits)?.[at];
    const homes = remove.filter(({ members }) => (told ? members.includes(told) : members.some(isCalled)));
    const [home] = homes;
    const id = told ?? home?.members.find(isCalled);
    if (!home || id === undefined || (!told && homes.length > 1)) return [];
    return [{ words: words.charAt(0).toLowerCase() + words.slice(1), id, home }];
  });
}

/** Of a candidate about a view, the one op of its kernels that reads the view and that the sentence tells of. */
export function readerTold({ graph }: Planner, candidate: Candidate, { text }: Verdict): NodeId | undefined {
  const view = graph.nodes.get(titledOps(candidate).at(-1)!);
  if (candidate.kind === "graph" || !view || opDef(view.op).kind !== "movement") return undefined;
  const named = new Set(
    candidate.remove
      .flatMap(({ members }) => members)
      .filter((id) => node(graph, id).inputs.includes(view.id) && text.includes(nameOf(graph, id))),
  );
  return named.size === 1 ? [...named][0] : undefined;
}

/** The sentence, and behind it in whose kernels those ops are that it names instead of its title's. */
export function withKernels<V extends Verdict>(planner: Planner, candidate: Candidate, verdict: V): V {
  const { graph } = planner;
  const titled = titledOps(candidate).filter((id) => graph.nodes.has(id));
  // A title that counts the rest of its ops tells of them too.
  const counted = candidate.edges.length === 1 ? titled : candidate.nodes;
  const mentions = mentionsIn(planner, candidate, verdict);
  const isSaid = (id: NodeId): boolean => mentions.some((mention) => mention.id === id);
  const kernels = candidate.remove.flatMap((region) => {
    const inside = mentions.filter(({ id, home }) => home === region && !counted.includes(id));
    // What two of the kernels compute is the name of neither.
    const isItsOwn = (id: NodeId): boolean =>
      region.members.includes(id) && candidate.remove.every((other) => other === region || !other.members.includes(id));
    const own = titled.filter(isItsOwn);
    const unsaidOutputs = region.outputs.filter((id) => !isSaid(id));
    const anchor = own.find((id) => !isSaid(id)) ?? own[0] ?? [...counted, ...unsaidOutputs].find(isItsOwn);
    return anchor === undefined || inside.length === 0
      ? []
      : [{ anchor, inside: new Set(inside.map(({ words }) => words)) }];
  });
  const order = ({ anchor }: { readonly anchor: NodeId }): number => [...counted, anchor].indexOf(anchor);
  kernels.sort((one, other) => order(one) - order(other));
  const names = toldApart(
    graph,
    kernels.map(({ anchor }) => anchor),
  );
  const sentences = kernels.map(({ anchor, inside }, i) => {
    const name = mentions.find(({ id }) => id === anchor)?.words ?? names[i]!;
    return `${capital(listOf([...inside]))} ${inside.size === 1 ? "is" : "are"} in the kernel of ${name}.`;
  });
  return sentences.length === 0 ? verdict : { ...verdict, text: [verdict.text, ...sentences].join(" ") };
}

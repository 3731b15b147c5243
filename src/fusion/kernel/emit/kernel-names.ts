/** @file What a kernel is called, and the line that says what it computes: after its ops, those that say most. */
import { isLiteral, node, sizeOf, type Graph, type Node, type NodeId, type Region } from "../../ir";
import { opDef } from "../../ops";
import { isFreeView, resolveView, storedInputs } from "../indices/views";
import { wordFor } from "./emitter";
import { identifier } from "./names";

const groupSizes = new WeakMap<Graph, ReadonlyMap<string, number>>();

/** How many nodes each composite's instance has, free views aside: those are in no kernel. */
function groupSizesOf(graph: Graph): ReadonlyMap<string, number> {
  const known = groupSizes.get(graph);
  if (known) return known;
  const sizes = new Map<string, number>();
  for (const n of graph.nodes.values()) {
    const group = isLiteral(n) || isFreeView(n) ? undefined : compositeOf(n);
    if (group) sizes.set(group.id, (sizes.get(group.id) ?? 0) + 1);
  }
  groupSizes.set(graph, sizes);
  return sizes;
}

const compositeOf = (n: Node): Node["groups"][number] | undefined => n.groups.find(({ kind }) => kind === "composite");

/** Says where elements come from, not what becomes of them. */
function onlyMoves({ op, inputs }: Node): boolean {
  const { movement } = opDef(op);
  return movement !== undefined && movement.fill === undefined && inputs.length === 1;
}

/** An op of a kernel, or a composite that it has whole. */
interface Word {
  readonly text: string;
  readonly weight: number;
}

/** More ops than this are not all named. */
const MAX_WORDS = 4;

const COSTS = 2;
const COMPOSITE = 5;
/** How much an op says of a kernel: a whole composite; a contraction; what goes over many elements; what costs; the rest; what only prepares others. */
function weightOf({ op, inputs, type: { dtype } }: Node): number {
  const { kind, expensive } = opDef(op);
  if (kind === "contraction") return 4;
  if (kind === "movement") return 0;
  if (kind !== "elementwise") return 3;
  // Indices, conditions and numbers that are made of nothing.
  if (inputs.length === 0 || dtype === "i32" || dtype === "bool") return 0;
  return expensive ? COSTS : 1;
}

/** What an op of a call is called on its box: the last one as the call, whose value it is; null of what was written. */
function partName(n: Node, group: Node["groups"][number] | undefined): string | null {
  if (!group || group.recognised) return null;
  if (n.id === group.id) return group.label;
  return n.id === `${group.id}.${n.label}` ? n.label : null;
}

/** What the members are called: composites that are here as a whole by their own name, copies and casts only where nothing is computed. */
function wordsOf(graph: Graph, members: readonly NodeId[]): Word[] {
  const here = new Map<string, number>();
  for (const id of members) {
    const n = node(graph, id);
    const group = isFreeView(n) ? undefined : compositeOf(n);
    if (group) here.set(group.id, (here.get(group.id) ?? 0) + 1);
  }
  const whole = (group: string): boolean => here.get(group) === groupSizesOf(graph).get(group);
  const words: Word[] = [];
  const spare: Word[] = [];
  const named = new Set<string>();
  for (const id of members) {
    const n = node(graph, id);
    if (isFreeView(n)) continue;
    const group = compositeOf(n);
    const together = group && whole(group.id);
    if (!together)
      (onlyMoves(n) || n.op === "cast" ? spare : words).push({
        text: partName(n, group) ?? n.op,
        weight: weightOf(n),
      });
    else if (!named.has(group.id)) words.push({ text: group.label, weight: COMPOSITE });
    if (group) named.add(group.id);
  }
  return words.length > 0 ? words : spare.length > 0 ? spare : [{ text: "view", weight: 0 }];
}

/** Of many words those that say most, each once and in their order; light ones only where hardly anything costs. */
function tellingOf(words: readonly Word[]): Word[] {
  const heaviest = new Map<string, Word>();
  for (const word of words) if ((heaviest.get(word.text)?.weight ?? -1) < word.weight) heaviest.set(word.text, word);
  const distinct = [...heaviest.values()];
  const has = (weight: number, count: number): boolean =>
    distinct.filter((word) => word.weight >= weight).length >= count;
  const least = has(COSTS, 2) ? COSTS : has(1, 1) ? 1 : 0;
  const chosen = new Set<Word>();
  let room = MAX_WORDS;
  for (const word of distinct.toSorted((a, b) => b.weight - a.weight)) {
    // `layer_norm` takes as much room as two.
    const takes = word.text.split("_").length;
    if (word.weight < least || (chosen.size > 0 && takes > room)) continue;
    chosen.add(word);
    room -= takes;
  }
  return distinct.filter((word) => chosen.has(word));
}

/** `add_relu_log`, `softmax`, `matmul_exp_sum` of many ops, `tanh_9_times`; of a backward pass also which value's: `matmul_d_w`. */
export function kernelName(graph: Graph, { members, outputs }: Pick<Region, "members" | "outputs">): string {
  const words = wordsOf(graph, members).map((word) => ({ ...word, text: identifier(word.text, "op") }));
  const first = words[0]!.text;
  const shown =
    words.length <= MAX_WORDS
      ? words.map(({ text }) => text)
      : words.every(({ text }) => text === first)
        ? [first, `${words.length}_times`]
        : tellingOf(words).map(({ text }) => text);
  const ops = shown.join("_");
  const late = outputs.map((id) => node(graph, id)).findLast((n) => n.phase === "backward" && n.label !== n.op);
  return late ? `${ops}_${wordFor(late)}` : ops;
}

const TITLE_LENGTH = 70;

/** What a kernel reads, in the order in which a call names its arguments. */
function argumentsOf(graph: Graph, { members, outputs }: Pick<Region, "members" | "outputs">): NodeId[] {
  const inside = new Set(members);
  const stored = new Set(storedInputs(graph, members));
  const found = new Set<NodeId>();
  const seen = new Set<NodeId>();
  const ahead = outputs.toReversed();
  for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    if (inside.has(id)) ahead.push(...node(graph, id).inputs.toReversed());
    else if (stored.has(resolveView(graph, id))) found.add(resolveView(graph, id));
  }
  return [...found];
}

/** `y = log(relu(x + b))` when that is short, `y = softmax(x)` for a composite, else the list of ops. */
export function titleOf(graph: Graph, region: Pick<Region, "members" | "outputs">): string {
  const { members, outputs } = region;
  const inside = new Set(members);
  const words = wordsOf(graph, members).map(({ text }) => text);
  const named = outputs.map((id) => wordFor(node(graph, id))).join(", ");
  const composite = members.some((id) => words.includes(compositeOf(node(graph, id))?.label ?? ""));
  if (composite && words.length === 1) {
    const inputs = argumentsOf(graph, region).map((id) => wordFor(node(graph, id)));
    return `${named} = ${words[0]}(${inputs.join(", ")})`;
  }
  if (!composite && members.length <= 6 && outputs.length === 1) {
    const text = `${named} = ${callText(graph, inside, node(graph, outputs[0]!), true)}`;
    if (text.length <= TITLE_LENGTH) return text;
  }
  const shown = words.length <= 8 ? words : [...words.slice(0, 3), `… ${words.length - 4} more …`, words.at(-1)!];
  return `${named}: ${shown.join(", ")}`;
}

const INFIX: ReadonlyMap<string, string> = new Map([
  ["add", "+"],
  ["sub", "-"],
  ["mul", "*"],
  ["div", "/"],
  ["matmul", "@"],
]);

/** Only for a handful of members: it may recurse. Views and copies of one element are said by what they show. */
function callText(graph: Graph, inside: ReadonlySet<NodeId>, n: Node, root = false): string {
  const source = onlyMoves(n) && !root ? node(graph, n.inputs[0]!) : null;
  if (source && (isFreeView(n) || sizeOf(source.type.shape) === 1)) return callText(graph, inside, source);
  if (isLiteral(n)) return String(n.attrs["value"]);
  if (!inside.has(n.id) && !root) return wordFor(n);
  const sign = n.inputs.length === 2 ? INFIX.get(n.op) : undefined;
  const args = n.inputs.map((input) => {
    const arg = node(graph, input);
    const text = callText(graph, inside, arg);
    return sign && inside.has(input) && INFIX.has(arg.op) ? `(${text})` : text;
  });
  return sign ? args.join(` ${sign} `) : `${n.op}(${args.join(", ")})`;
}

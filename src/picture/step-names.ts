/** @file What a step is about in the names of its ops: an arrow only where a value goes, or where one op becomes another. */
import { findNode, innerName, timesCalled, nodeName, parseEdgeId, titledOps } from "../fusion";
import type { Compilation, Graph, Node, NodeId, Step } from "../fusion";
import { pillTarget } from "../document";

/** What steps are about: a program as it was before any of them, and what each of them changed. */
export type Told = Pick<Compilation, "naive" | "naivePlan" | "steps">;

/** What a step is about, or a question that none has asked yet. */
export type Asked = Pick<Step, "seq" | "kind" | "nodes" | "edges" | "reader">;

/** The nodes that steps made, each with the step, in order. */
type Made = ReadonlyMap<NodeId, readonly (readonly [seq: number, made: Node])[]>;
const madeBy = new WeakMap<readonly Step[], Made>();

function madeIn(steps: readonly Step[]): Made {
  const known = madeBy.get(steps);
  if (known) return known;
  const made = new Map<NodeId, [number, Node][]>();
  for (const { seq, patch } of steps)
    for (const node of patch?.addedNodes ?? []) {
      const versions = made.get(node.id);
      if (versions) versions.push([seq, node]);
      else made.set(node.id, [[seq, node]]);
    }
  madeBy.set(steps, made);
  return made;
}

/** A step's node as the step found it, whichever step the page shows; what it made itself, as it is after it. */
function nodeOf({ naive, steps }: Told, { seq }: Pick<Asked, "seq">, id: NodeId): Node | null {
  const versions = madeIn(steps).get(id) ?? [];
  const found = versions.findLast(([at]) => at < seq)?.[1] ?? (naive && findNode(naive.graph, id));
  return found ?? versions[0]?.[1] ?? null;
}

/** `mean → centre`; `x → mean, square`; `lt, sort and where` of ops that do not feed each other; at most three, then how many more. */
function opsOf(told: Told, step: Asked): string {
  const titled = titledOps(step);
  const ids = step.reader ? [...titled, step.reader] : titled;
  const own = ids.map((id) => {
    const node = nodeOf(told, step, pillTarget(id) ?? id);
    return node ? nodeName(node) : id;
  });
  // Ops that are called alike are not one op.
  const names = own.map((name, i) => (own.indexOf(name) < i ? `another ${name}` : name));
  const feeds = new Set(step.edges.map(endsOf));
  const isFed = (from: number, to: number): boolean => to >= titled.length || feeds.has(`${ids[from]} ${ids[to]}`);
  const others = names.slice(1);
  const more = step.edges.length === 1 ? 0 : step.nodes.length - titled.length;
  const rest = more > 0 ? ` and ${more} more` : "";
  if (others.every((_, i) => isFed(i, i + 1))) return names.join(" → ") + rest;
  if (step.kind === "graph" || others.every((_, i) => isFed(0, i + 1)))
    return `${names[0]} → ${others.join(", ")}${rest}`;
  return more > 0 ? names.join(", ") + rest : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

const endsOf = (edge: Step["edges"][number]): string => {
  const ends = parseEdgeId(edge);
  return ends ? `${ends.producer} ${ends.consumer}` : "";
};

/** What tells steps apart that are about ops of one name: ` (for h)`; `again` where the same ops were asked about before. */
const apart = new WeakMap<Told["steps"], ReadonlyMap<number, string>>();

function suffixesOf(told: Told): ReadonlyMap<number, string> {
  const known = apart.get(told.steps);
  if (known) return known;
  const suffixes = new Map<number, string>();
  for (const alike of grouped(told.steps, (step) => opsOf(told, step))) {
    if (alike.length === 1) continue;
    const places = grouped(alike, (step) => titledOps(step).join(" "));
    const words = placesInWords(
      told,
      places.map(([first]) => first!),
    );
    places.forEach((steps, place) =>
      steps.forEach(({ seq }, times) => {
        const said = [words[place], AGAIN[times] ?? `time ${times + 1}`].filter((word) => word !== "");
        if (said.length > 0) suffixes.set(seq, ` (${said.join(", ")})`);
      }),
    );
  }
  apart.set(told.steps, suffixes);
  return suffixes;
}

function grouped(steps: readonly Step[], by: (step: Step) => string): readonly (readonly Step[])[] {
  const groups = new Map<string, Step[]>();
  for (const step of steps) {
    const key = by(step);
    const group = groups.get(key);
    if (group) group.push(step);
    else groups.set(key, [step]);
  }
  return [...groups.values()];
}

const AGAIN = ["", "again", "a third time", "a fourth time"];

/** What is different of ops that have one name: the value that they are computed for, that they begin with, the call that they are in, or their order. */
function placesInWords(told: Told, steps: readonly Step[]): readonly string[] {
  if (steps.length === 1) return [""];
  const ends = steps.map((step) => {
    const ids = titledOps(step);
    const calls = callsOf(told, step, ids.at(-1)!);
    return { from: innerName(ids[0]!), to: innerName(ids.at(-1)!), call: calls.at(-1) ?? "", calls: calls.join(", ") };
  });
  const ways = [
    ends.map(({ to }) => `for ${to}`),
    ends.map(({ from }) => `of ${from}`),
    ends.map(({ from, to }) => `from ${from} to ${to}`),
    ends.map(({ call }) => call),
    ends.map(({ calls }) => calls),
    ends.map(({ to, calls }) => `for ${to}, ${calls}`),
  ];
  const distinct = ways.find((words) => new Set(words).size === words.length && !words.includes(""));
  return distinct ?? steps.map((_, i) => `${i + 1} of ${steps.length}`);
}

/** The calls and iterations that an op is in, outermost first: `in block 2`, `at i = 3`. */
function callsOf(told: Told, step: Asked, id: NodeId): readonly string[] {
  const groups = nodeOf(told, step, id)?.groups.filter(({ kind }) => kind !== "composite") ?? [];
  return groups.map(({ kind, id: call, label }) =>
    kind === "loop" ? label.replace(/^for /, "at ") : `in ${label} ${timesCalled(call)}`,
  );
}

/** What a step is about, so that no two steps of a program that are about something else have one title. */
export const stepNames = (told: Told, step: Asked): string => opsOf(told, step) + suffixOf(told, step);

/** Of a step of the program; a question that none has asked has its names alone. */
function suffixOf(told: Told, { seq, nodes }: Asked): string {
  const own = told.steps[seq - 1]?.nodes.join(" ") === nodes.join(" ");
  return own ? (suffixesOf(told).get(seq) ?? "") : "";
}

/** The title of a card: what a step is about, what raised it, and what tells it from others. */
export const cardTitle = (told: Told, step: Asked): string =>
  opsOf(told, step) + raisedBy(told, step) + suffixOf(told, step);

/** Whether two steps are about the same ops. */
export const isAlike = (one: Asked, other: Asked): boolean => titledOps(one).join(" ") === titledOps(other).join(" ");

/** What raised ops that the text does not name: ` in layer_norm`; nothing where the text, or the title itself, names it. */
function raisedBy(told: Told, step: Asked): string {
  const named = titledOps(step).flatMap((id) => nodeOf(told, step, id) ?? []);
  const calls = named.flatMap(({ groups }) => {
    const call = groups.find(({ kind }) => kind === "composite");
    return call && named.every((each) => each.id !== call.id) ? [call.label] : [];
  });
  return calls.length > 0 ? ` in ${[...new Set(calls)].join(" and ")}` : "";
}

/** What a node is called in a sentence. */
export function nameIn(graph: Graph, id: NodeId): string {
  const real = pillTarget(id) ?? id;
  const node = findNode(graph, real);
  return node ? nodeName(node) : real;
}

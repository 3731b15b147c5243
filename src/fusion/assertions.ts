/** @file What the text says that the plan must be, held against the plan: each miss is a diagnostic with the decision that led to it. */
import { liveBytes } from "./plan";
import type { Goal } from "./compilation";
import { usesOf, type Diagnostic, type Fusion, type NodeId, type Plan, type Region, type Span, type Step } from "./ir";
import { inWords, plural, showBytes } from "./passes";
import { lineAndColumn, type Assertion, type CountedKind } from "./text";

interface Outcome {
  readonly naive: Fusion;
  readonly final: Fusion;
  readonly steps: readonly Step[];
  readonly plan: Plan;
}

/** What the text asks of the plan, and diagnostics of what does not hold, both in the order of the assertions. */
export function heldAgainst(
  text: string,
  assertions: readonly Assertion[],
  outcome: Outcome,
): { readonly goals: readonly Goal[]; readonly faults: readonly Diagnostic[] } {
  const goals = new Map<number, Goal>();
  const faults: Diagnostic[] = [];
  for (const assertion of assertions) {
    const missed =
      assertion.kind === "fused"
        ? fusedFault(text, assertion.nodes, assertion.span, outcome)
        : countFault(text, assertion, outcome);
    faults.push(...missed);
    const { from } = assertion.span;
    const isMet = missed.length === 0;
    const known = goals.get(from);
    // In a loop or a called function an assertion is held against the plan each time: it holds when it does always.
    if (!known || (known.isMet && !isMet))
      goals.set(from, { ...goalOf(assertion, outcome), isMet, span: assertion.span });
  }
  return { goals: [...goals.values()], faults };
}

function goalOf(assertion: Assertion, { naive, plan }: Outcome): Pick<Goal, "wants" | "has"> {
  if (assertion.kind === "fused") {
    const names = assertion.nodes.map((id) => naive.graph.nodes.get(id)?.label ?? id);
    return { wants: `${names.join(", ")} in one kernel`, has: null };
  }
  const { kind, count } = assertion;
  const made = measured[kind](plan);
  if (kind === "kernels") return { wants: plural(count, "kernel"), has: plural(made, "kernel") };
  return { wants: `≤ ${showBytes(count)} ${kind === "bytes" ? "moved" : "alive"}`, has: showBytes(made) };
}

/** What is counted of a plan, by the kind of the assertion. */
const measured: Readonly<Record<CountedKind, (plan: Plan) => number>> = {
  kernels: ({ kernels }) => kernels.length,
  bytes: ({ totals }) => totals.bytes,
  peak: ({ totals }) => totals.peakBytes,
};

/** The first kernel with which most is alive. */
const fullest = (plan: Plan): string =>
  plan.kernels[liveBytes(plan.buffers, plan.kernels.length).indexOf(measured.peak(plan))]?.id ?? "";

const faultAt = (source: string, span: Span, code: string, text: string, nodes: readonly NodeId[]): Diagnostic => ({
  code,
  severity: "error",
  span,
  ...lineAndColumn(source, span.from),
  text,
  nodes,
});

const countOf = (kernels: number): string => `${inWords(kernels)} ${kernels === 1 ? "kernel" : "kernels"}`;

function countFault(
  source: string,
  { kind, count, span }: Extract<Assertion, { count: number }>,
  outcome: Outcome,
): Diagnostic[] {
  const { final, plan, steps } = outcome;
  const made = measured[kind](plan);
  if (kind === "kernels" ? made === count : made <= count) return [];
  const between = made > count && kind !== "peak" ? lastRefusal(steps, crossing(final)) : null;
  const why = between ? ` The last fusion that was refused: ${verdictOf(between).text}` : "";
  const over = `${showBytes(made)}, ${showBytes(made - count)} more than the ${showBytes(count)} asked for`;
  const said = {
    kernels: `The plan has ${countOf(made)}, not ${inWords(count)}.`,
    bytes: `The plan moves ${over}.`,
    peak: `At its peak, with ${fullest(plan)}, the plan holds ${over}.`,
  }[kind];
  return [faultAt(source, span, `assert-${kind}`, `${said}${why}`, between?.nodes ?? [])];
}

function fusedFault(source: string, nodes: readonly NodeId[], span: Span, outcome: Outcome): Diagnostic[] {
  const { naive, final, steps } = outcome;
  const label = (id: NodeId): string => `\`${naive.graph.nodes.get(id)?.label ?? id}\``;
  const input = nodes.find((id) => naive.graph.nodes.get(id)?.op === "input");
  const said = (text: string, about: readonly NodeId[] = nodes): Diagnostic[] => [
    faultAt(source, span, "assert-fused", text, about),
  ];
  if (input !== undefined) return said(`${label(input)} is an input: name values that the program computes.`, [input]);
  // A value that no kernel computes any more is apart from nothing.
  const made = nodes.map((id) => ({ id, home: homesOf(final, id) })).filter(({ home }) => home.length > 0);
  const [first, ...rest] = made;
  if (!first || first.home.some((region) => rest.every(({ home }) => home.includes(region)))) return [];
  const other = rest.find(({ home }) => !home.some((region) => first.home.includes(region))) ?? rest.at(-1)!;
  const refusal = lastRefusal(steps, pathBetween(final, first.home, other.home));
  const why = refusal ? verdictOf(refusal).text : "No value of one is read by the other.";
  return said(
    `${label(first.id)} and ${label(other.id)} are in different kernels. ${why}`,
    refusal?.nodes ?? [first.id, other.id],
  );
}

const verdictOf = ({ legal, profitable }: Step): Step["legal"] => profitable ?? legal;

/** Regions of the final plan that compute `id`, or what it became. */
function homesOf({ graph, regions }: Fusion, id: NodeId): Region[] {
  const now = graph.nodes.has(id)
    ? new Set([id])
    : new Set([...graph.nodes.values()].filter(({ origins }) => origins.includes(id)).map((n) => n.id));
  return [...regions.values()].filter(({ members }) => members.some((member) => now.has(member)));
}

/** Edges between two regions, written as steps write them. */
function crossing({ graph, regions }: Fusion): Set<string> {
  const edges = new Set<string>();
  for (const { members } of regions.values()) {
    const inside = new Set(members);
    for (const id of members)
      graph.nodes.get(id)!.inputs.forEach((input, operand) => {
        if (!inside.has(input)) edges.add(`${input}>${id}:${operand}`);
      });
  }
  return edges;
}

/** Crossing edges on ways from one of `from`'s values to one of `to`'s, in either direction. */
function pathBetween(fusion: Fusion, from: readonly Region[], to: readonly Region[]): Set<string> {
  const [a, b] = [from, to].map((list) => new Set(list.flatMap(({ members }) => members)));
  const one = crossingWay(fusion, a!, b!);
  return one.size > 0 ? one : crossingWay(fusion, b!, a!);
}

function crossingWay(fusion: Fusion, from: ReadonlySet<NodeId>, to: ReadonlySet<NodeId>): Set<string> {
  const { graph } = fusion;
  const after = new Set(from);
  const uses = usesOf(graph);
  for (const id of after) for (const { consumer } of uses.get(id) ?? []) after.add(consumer);
  const before = new Set(to);
  for (const id of before) for (const input of graph.nodes.get(id)?.inputs ?? []) before.add(input);
  const onWay = (id: string): boolean => after.has(id as NodeId) && before.has(id as NodeId);
  return new Set(
    [...crossing(fusion)].filter((edge) => {
      const [producer, rest] = [edge.slice(0, edge.indexOf(">")), edge.slice(edge.indexOf(">") + 1)];
      return onWay(producer) && onWay(rest.slice(0, rest.lastIndexOf(":")));
    }),
  );
}

const lastRefusal = (steps: readonly Step[], edges: ReadonlySet<string>): Step | null =>
  steps.findLast(({ accepted, edges: about }) => !accepted && about.some((edge) => edges.has(edge))) ?? null;

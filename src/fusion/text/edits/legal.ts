/** @file Which connections are allowed, and why not: checked while a line is being dragged. */
import { isHole, isLiteral, type NodeId, type TensorType } from "../../ir";
import { findNode } from "../../ir";
import type { Parsed } from "../program";
import type { OperandSite } from "./locate";
import { ancestors, locked, nameAt, operandSite, say, valueSite } from "./locate";

export interface ConnectTarget {
  readonly consumer: NodeId;
  readonly operand: number;
  readonly ok: boolean;
  /** Why not; empty when it is allowed. */
  readonly reason: string;
  /** The call of the text and the argument that this is: ops inside a call share its arguments. Null where no text is behind it. */
  readonly argument: { readonly call: NodeId; readonly index: number } | null;
}

/** What is wrong with `producer` as that operand, by shape and dtype; null when nothing is or nothing can be known yet. */
export function typeProblem(parsed: Parsed, producer: NodeId, { site, index }: OperandSite): string | null {
  const { op, operands } = site;
  const made = findNode(parsed.graph, site.node);
  const type = findNode(parsed.graph, producer)?.type;
  if (!op || !type || !made || parsed.unknown.has(producer)) return null;
  const others = operands.map(({ node }, i) => (i === index ? producer : node));
  if (others.some((id) => id !== null && parsed.unknown.has(id))) return null;
  const types: (TensorType | null)[] = others.map((id) =>
    id === null ? null : (findNode(parsed.graph, id)?.type ?? null),
  );
  const names = others.map((id) => (id === null ? "nothing" : (findNode(parsed.graph, id)?.label ?? id)));
  const attrs = attrsOf(parsed, site.node);
  if (!attrs) return null;
  const inferred =
    op.kind === "composite"
      ? op.infer(types, attrs, names)
      : op.infer(
          types.filter((known) => known !== null),
          attrs,
          names,
        );
  return inferred.ok ? null : inferred.text;
}

const attrsOf = (parsed: Parsed, call: NodeId) => parsed.sites.get(call)?.attrs ?? null;

/** Why no name of the text can carry `producer` to `run`'s statement, or null. */
function scopeProblem(parsed: Parsed, producer: NodeId, at: OperandSite): string | null {
  const { run } = at.site;
  if (nameAt(parsed, producer, run) !== null || valueSite(parsed, producer, run)) return null;
  const from = parsed.sites.get(producer)?.run.frame;
  const group = from?.groups.findLast(({ kind }) => kind !== "composite");
  if (group?.kind === "loop") return `${say(parsed, producer)} belongs to another iteration of the loop.`;
  if (group && from !== run.frame)
    return `${say(parsed, producer)} lives inside ${group.label}: return it from there first.`;
  return `${say(parsed, producer)} is outside ${run.frame.scope.owner}: give that a parameter for it.`;
}

/** Why `producer` can't feed that operand; null when it can. */
export function connectProblem(
  parsed: Parsed,
  producer: NodeId,
  at: OperandSite,
  before: ReadonlySet<NodeId>,
): string | null {
  const { node } = at.site;
  if (node === producer) return "A node can't read itself.";
  if (before.has(node))
    return `${say(parsed, producer)} is computed from ${say(parsed, node)}: that would create a cycle.`;
  return scopeProblem(parsed, producer, at) ?? typeProblem(parsed, producer, at);
}

/** What `producer` could feed at all; null with the reason when nothing. */
export function producerProblem(parsed: Parsed, producer: NodeId): string | null {
  const node = findNode(parsed.graph, producer);
  if (!node) return `There is no node ${producer}.`;
  if (parsed.partOf.has(producer)) return locked(parsed, producer);
  return isHole(node) ? "This operand is not connected yet: connect something to it first." : null;
}

/** Every operand in the graph with a yes or a reason, for `producer` being connected to it. */
export function legalTargets(parsed: Parsed, producer: NodeId): readonly ConnectTarget[] {
  const nothing = producerProblem(parsed, producer);
  const before = ancestors(parsed, producer);
  const targets: ConnectTarget[] = [];
  for (const node of parsed.graph.nodes.values()) {
    node.inputs.forEach((input, operand) => {
      const at = operandSite(parsed, node.id, operand);
      const already = input === producer ? `${say(parsed, node.id)} reads ${say(parsed, producer)} already.` : null;
      const reason = nothing ?? already ?? (at.ok ? connectProblem(parsed, producer, at.value, before) : at.text);
      const argument = at.ok ? { call: at.value.site.node, index: at.value.index } : null;
      targets.push({ consumer: node.id, operand, ok: reason === null, reason: reason ?? "", argument });
    });
  }
  return targets;
}

export interface ConnectSource {
  readonly producer: NodeId;
  readonly consumer: NodeId;
  readonly operand: number;
  /** Index among the arguments of the call. */
  readonly argument: number;
}

type EmptyOperand = Omit<ConnectSource, "producer"> & { readonly at: OperandSite };

/** The empty operands of the call that `op` is of, each argument once. */
function emptyOperands(parsed: Parsed, op: NodeId): readonly EmptyOperand[] {
  const call = parsed.partOf.get(op) ?? op;
  const empty = new Map<number, EmptyOperand>();
  for (const { id: consumer, inputs } of parsed.graph.nodes.values()) {
    if ((parsed.partOf.get(consumer) ?? consumer) !== call) continue;
    inputs.forEach((input, operand) => {
      const fed = findNode(parsed.graph, input);
      const at = operandSite(parsed, consumer, operand);
      if (!at.ok || (fed && !isHole(fed)) || empty.has(at.value.index)) return;
      empty.set(at.value.index, { consumer, operand, argument: at.value.index, at: at.value });
    });
  }
  return [...empty.values()].toSorted((a, b) => a.argument - b.argument);
}

/** Every node that is computed from `op`, itself included. */
function dependents({ graph }: Parsed, op: NodeId): ReadonlySet<NodeId> {
  const found = new Set([op]);
  for (const { id, inputs } of graph.nodes.values()) if (inputs.some((input) => found.has(input))) found.add(id);
  return found;
}

const NOTHING: ReadonlySet<NodeId> = new Set();

/**
 * What fits the empty operands of `op`, operand by operand: values that nothing reads yet before those that are read
 * and those whose shape is not known, and of each the last computed first.
 */
export function legalSources(parsed: Parsed, op: NodeId): readonly ConnectSource[] {
  const { graph, unknown } = parsed;
  const empty = emptyOperands(parsed, op);
  if (empty.length === 0) return [];
  const nodes = [...graph.nodes.values()];
  const read = new Set(nodes.flatMap(({ inputs }) => inputs));
  const after = new Set(empty.flatMap(({ consumer }) => [...dependents(parsed, consumer)]));
  const rank = (id: NodeId): number => (unknown.has(id) ? 2 : read.has(id) ? 1 : 0);
  const values = nodes
    .filter((node) => !isLiteral(node) && !after.has(node.id) && producerProblem(parsed, node.id) === null)
    .map(({ id }) => id)
    .toReversed()
    .toSorted((a, b) => rank(a) - rank(b));
  return empty.flatMap(({ at, ...operand }) =>
    values
      .filter((producer) => connectProblem(parsed, producer, at, NOTHING) === null)
      .map((producer) => ({ producer, ...operand })),
  );
}

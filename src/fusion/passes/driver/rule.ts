/**
 * @file A law of single ops as an entry: what fits, what stands there afterwards, and why. One matcher goes through a list of them.
 * Exact laws are in `identities.ts`, those that may change rounding in `algebra/`.
 */
import { node, type Graph, type Node, type NodeId, type Verdict } from "../../ir";
import type { Opinion } from "./define";
import type { Planner } from "./planner";
import type { NodeChange, Rewriter } from "./rewriter";
import { yes } from "./sentences";

/** What the driver decides on. */
export interface Proposal {
  readonly rule: string;
  /** Null: refused before anything is tried. */
  readonly change: NodeChange | null;
  readonly verdict: Verdict;
  readonly nodes: readonly NodeId[];
  /** See `Rewrite`. */
  readonly alike?: boolean;
  readonly timed?: boolean;
}

/** A node that a law is asked about, and the state that it stands in. */
export interface Site {
  readonly planner: Planner;
  readonly rewriter: Rewriter;
  readonly graph: Graph;
  readonly n: Node;
}

/** What a match found: at least the nodes that the decision is about, the first ones first. */
export interface Found {
  readonly nodes: readonly NodeId[];
}

export interface Rule<F extends Found> {
  /** What decisions call it; documents keep it. */
  readonly name: string;
  /** `A_PATTERN` if absent; `A_VIEW` where no value is computed differently. */
  readonly code?: Verdict["code"];
  /** What fits at `n`; null where nothing does. Changes nothing. */
  readonly match: (site: Site) => F | null;
  /** Why it is refused all the same, before anything is tried; null where it may be done. */
  readonly refuse?: (site: Site, found: F) => Opinion | null;
  /** The nodes as they will be; null where names or the order of the text forbid it. */
  readonly replace: (site: Site, found: F) => NodeChange | null;
  /** The sentence of the decision. */
  readonly because: (site: Site, found: F) => string;
  /** See `Rewrite`. */
  readonly alike?: (found: F) => boolean;
  readonly timed?: boolean;
  /** Numbers of the sentence, for tests and tables. */
  readonly numbers?: (site: Site, found: F) => Readonly<Record<string, number>>;
}

/** Whether a refusal is about what it costs, not about whether it may be done. */
export const isCost = ({ ok, code }: Verdict): boolean => !ok && code.startsWith("C_");

/** A rule in a list, whatever its match finds. */
export type AnyRule = (site: Site) => Proposal | null;

export const rule =
  <F extends Found>({
    name,
    code = "A_PATTERN",
    match,
    refuse,
    replace,
    alike,
    timed,
    because,
    numbers,
  }: Rule<F>): AnyRule =>
  (site) => {
    const found = match(site);
    if (!found) return null;
    const { nodes } = found;
    const refusal = refuse?.(site, found);
    // What only costs more can be done all the same.
    const change = refusal && !isCost(refusal) ? null : replace(site, found);
    if (refusal) return { rule: name, change, verdict: refusal, nodes };
    if (!change) return null;
    const extra = numbers ? { numbers: numbers(site, found) } : {};
    const verdict = yes(code, nodes, because(site, found), extra);
    return { rule: name, change, verdict, nodes, alike: alike?.(found) === true, timed: timed === true };
  };

/** What the first rule that fits proposes, or null. */
export function firstFitting(rules: readonly AnyRule[], site: Site): Proposal | null {
  for (const each of rules) {
    const proposal = each(site);
    if (proposal) return proposal;
  }
  return null;
}

/** Operand `at` of the node. */
export const operandOf = ({ graph, n }: Site, at = 0): Node => node(graph, n.inputs[at]!);

/** Whether `by` alone reads it, and it is no result: then it goes when `by` reads something else. */
export const readOnce = ({ planner, rewriter }: Site, { id }: Node): boolean =>
  rewriter.readersOf(id).size === 1 && !planner.isOutput(id);

/** The value `to` instead of the node; a result keeps its name. */
export const replacedBy = ({ planner, rewriter, n }: Site, to: NodeId): NodeChange | null =>
  planner.isOutput(n.id) ? rewriter.rename(n.id, to) : rewriter.redirect(n.id, to);

/** @file Drawing and cutting edges: one argument changes; nested values get names first, later ones move up, shadowed ones are renamed. */
import { type EdgeId, isHole, isLiteral, type NodeId } from "../../ir";
import { findNode, parseEdgeId } from "../../ir";
import type { StatementRun } from "../interpreter";
import { freshName } from "../calls/names";
import type { Parsed } from "../program";
import { parseProgram } from "../program";
import { bare } from "../reading/syntax";
import type { Edited } from "./draft";
import { Draft, refused } from "./draft";
import { extract, isNested, moveUp, replaceOperand } from "./extract";
import { connectProblem, producerProblem } from "./legal";
import type { OperandSite } from "./locate";
import { ancestors, nameAt, namesIn, noteFor, operandSite, say, valueSite } from "./locate";
import { changedIds, matchGraphs } from "./match";
import { renameVersion } from "./rename";

/** Ids seen through the steps of one draft. */
class Follower {
  ids: ReadonlyMap<NodeId, NodeId> = new Map();
  private readonly draft: Draft;

  constructor(draft: Draft) {
    this.draft = draft;
  }

  /** Runs a step that keeps the graph's meaning; false when it did not. */
  step(change: () => void): boolean {
    const before = this.draft.parsed.graph;
    change();
    const match = matchGraphs(before, this.draft.parsed.graph);
    this.ids =
      this.ids.size === 0 ? match.ids : new Map([...this.ids].map(([old, id]) => [old, match.ids.get(id) ?? id]));
    return match.complete;
  }

  now(id: NodeId): NodeId {
    return this.ids.get(id) ?? id;
  }

  changed(): ReadonlyMap<NodeId, NodeId> {
    return changedIds({ ids: this.ids, complete: true });
  }
}

/** The operand's value gets a name of its own where it is nested: cutting the edge must not delete it. */
function nameOldValue(draft: Draft, follow: Follower, at: OperandSite): boolean {
  const { expr, node } = at.operand;
  if (!expr || node === null || bare(expr).kind === "name") return true;
  const value = findNode(draft.parsed.graph, node);
  if (!value || isLiteral(value) || isHole(value)) return true;
  return follow.step(() => void extract(draft, { expr, run: at.site.run }));
}

/** One step towards a name for `producer` at `run`; false when there is none to take. */
function approach(draft: Draft, follow: Follower, producer: NodeId, run: StatementRun): boolean {
  const { parsed } = draft;
  const value = valueSite(parsed, producer, run);
  if (value && isNested(value)) return follow.step(() => void extract(draft, value));
  const hidden = [...run.frame.scope.names.values()]
    .flat()
    .find(({ step, value: bound }) => step < run.step && bound.kind === "tensor" && bound.node === producer);
  if (hidden) {
    const name = freshName(hidden.symbol.name, namesIn(parsed.text));
    return follow.step(() => renameVersion(draft, hidden.symbol, name));
  }
  if (!value || value.run.frame !== run.frame) return false;
  let moved = false;
  const same = follow.step(() => void (moved = moveUp(draft, run, value.run)));
  return same && moved;
}

const siteOf = (parsed: Parsed, consumer: NodeId, operand: number): OperandSite | null => {
  const at = operandSite(parsed, consumer, operand);
  return at.ok ? at.value : null;
};

/**
 * Makes `producer` the operand number `operand` of `consumer`.
 * A composite's part stands for the argument of its call. Nodes whose identity changes are in `ids`.
 */
export function connect(
  text: string,
  producer: NodeId,
  consumer: NodeId,
  operand: number,
  parsed: Parsed = parseProgram(text),
): Edited {
  const at = operandSite(parsed, consumer, operand);
  const problem =
    producerProblem(parsed, producer) ??
    (at.ok ? connectProblem(parsed, producer, at.value, ancestors(parsed, producer)) : at.text);
  if (problem !== null || !at.ok) return refused(problem ?? "");
  if (at.value.operand.node === producer)
    return refused(`${say(parsed, consumer)} reads ${say(parsed, producer)} already.`);
  const draft = new Draft(parsed);
  const follow = new Follower(draft);
  const cant = refused("This edit needs more than a small change of the text: edit the text directly.");
  if (!nameOldValue(draft, follow, at.value)) return cant;
  for (let steps = 0; ; steps++) {
    const now = siteOf(draft.parsed, follow.now(consumer), operand);
    if (!now) return cant;
    const name =
      literalAt(draft.parsed, follow.now(producer)) ?? nameAt(draft.parsed, follow.now(producer), now.site.run);
    if (name !== null) {
      draft.edit(replaceOperand(draft.text, now, name));
      return {
        ok: true,
        edits: draft.edits(),
        ids: follow.changed(),
        note: noteFor(parsed, at.value.site.run),
        node: follow.now(consumer),
      };
    }
    if (steps > 4 || !approach(draft, follow, follow.now(producer), now.site.run)) return cant;
  }
}

/** A number is written again where it is needed. */
function literalAt(parsed: Parsed, id: NodeId): string | null {
  const site = parsed.sites.get(id);
  if (findNode(parsed.graph, id)?.op !== "const" || !site) return null;
  return parsed.text.slice(site.expr.span.from, site.expr.span.to);
}

/** Cuts an edge: `...` stands where the operand was, and a nested value that it read keeps a line of its own. */
export function disconnect(text: string, edge: EdgeId, parsed: Parsed = parseProgram(text)): Edited {
  const ends = parseEdgeId(edge);
  if (!ends) return refused(`${edge} is not an edge.`);
  const at = operandSite(parsed, ends.consumer, ends.operand);
  if (!at.ok) return refused(at.text);
  const old = at.value.operand.node;
  if (old === null || findNode(parsed.graph, old)?.op === "hole") return refused("Nothing is connected there.");
  const draft = new Draft(parsed);
  const follow = new Follower(draft);
  const named = nameOldValue(draft, follow, at.value);
  const now = siteOf(draft.parsed, follow.now(ends.consumer), ends.operand);
  if (!named || !now) return refused("This edit needs more than a small change of the text: edit the text directly.");
  draft.edit(replaceOperand(draft.text, now, "..."));
  return {
    ok: true,
    edits: draft.edits(),
    ids: follow.changed(),
    note: noteFor(parsed, at.value.site.run),
    node: follow.now(ends.consumer),
  };
}

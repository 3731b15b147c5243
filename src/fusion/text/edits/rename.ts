/** @file New names: for one version of a value, or for a constant, def or parameter; every use that means it, and no other. */
import { isLiteral, type NodeId, type TextEdit } from "../../ir";
import { findNode } from "../../ir";
import { DTYPES, isIdentifier, KEYWORDS } from "../calls/names";
import type { Parsed } from "../program";
import { parseProgram } from "../program";
import type { SymbolRecord } from "../values/values";
import type { Draft, Edited } from "./draft";
import { applyTextEdits } from "./apply";
import { Draft as NewDraft, refused } from "./draft";
import { isNested, extractAs, spelledOut } from "./extract";
import { locked, noteFor, say } from "./locate";
import { changedIds, matchGraphs } from "./match";

const key = (span: { from: number }): number => span.from;

/** `symbol` with those that one spot of the text can mean instead of it: what a loop carries around. */
function family(parsed: Parsed, symbol: SymbolRecord): readonly SymbolRecord[] {
  const same = parsed.symbols.filter(({ name, owner }) => name === symbol.name && owner === symbol.owner);
  const found = new Set<SymbolRecord>([symbol]);
  const left = [symbol];
  for (let next = left.pop(); next; next = left.pop()) {
    const spots = new Set([key(next.definition), ...next.uses.map(key)]);
    for (const other of same) {
      if (found.has(other) || ![other.definition, ...other.uses].some((span) => spots.has(key(span)))) continue;
      found.add(other);
      left.push(other);
    }
  }
  return [...found];
}

/** Edits that give `symbol` another name. */
function spans(symbols: readonly SymbolRecord[], name: string): readonly TextEdit[] {
  const spans = new Map(
    symbols.flatMap(({ definition, uses }) => [definition, ...uses]).map((span) => [key(span), span]),
  );
  return [...spans.values()].sort((a, b) => a.from - b.from).map((span) => ({ span, insert: name }));
}

/** Renames every spot that means `symbol`. */
export const symbolEdits = (parsed: Parsed, symbol: SymbolRecord, name: string): readonly TextEdit[] =>
  spans(family(parsed, symbol), name);

/** Renames this version only; `y += e` that reads it becomes `y = name + e`. */
export function renameVersion(draft: Draft, symbol: SymbolRecord, name: string): void {
  const { parsed } = draft;
  const edits: TextEdit[] = [{ span: symbol.definition, insert: name }];
  for (const span of symbol.uses) {
    const update = parsed.runs.find(
      ({ statement }) => statement.kind === "update" && statement.target.span.from === span.from,
    )?.statement;
    if (update?.kind === "update") edits.push(...spelledOut(update, name));
    else edits.push({ span, insert: name });
  }
  draft.edit(edits);
}

/** Why `name` can't be used beside what `parsed` holds, or null. */
export function nameProblem(parsed: Parsed, name: string, owner: string): string | null {
  if (KEYWORDS.has(name)) return `\`${name}\` is a Python keyword.`;
  if (!isIdentifier(name))
    return `\`${name}\` is not a valid name: use letters, digits and _, and don't start with a digit.`;
  if (DTYPES.has(name)) return `\`${name}\` is a type.`;
  const taken = parsed.symbols.some(
    (symbol) => symbol.name === name && (symbol.owner === owner || symbol.owner === "" || owner === ""),
  );
  return taken ? `\`${name}\` is already used.` : null;
}

function finish(parsed: Parsed, edits: readonly TextEdit[], id: NodeId | null, note: string | null): Edited {
  const after = parseProgram(applyTextEdits(parsed.text, edits));
  const match = matchGraphs(parsed.graph, after.graph);
  if (!match.complete) return refused("This name would change what another line means. Choose another one.");
  return { ok: true, edits, ids: changedIds(match), note, node: id && (match.ids.get(id) ?? id) };
}

/** Renames the value that `id` is; a nested value gets a line of its own. The answer's `ids` says where positions and pins go. */
export function renameNode(text: string, id: NodeId, name: string, parsed: Parsed = parseProgram(text)): Edited {
  const node = findNode(parsed.graph, id);
  const site = parsed.sites.get(id);
  if (!node) return refused(`There is no node ${id}.`);
  if (parsed.partOf.has(id)) return refused(locked(parsed, id));
  if (!site || isLiteral(node)) return refused(`${say(parsed, id)} is a number and has no name.`);
  const symbol = parsed.symbols.find((candidate) => candidate.nodes.includes(id));
  const problem = nameProblem(parsed, name, symbol?.owner ?? site.run.frame.scope.owner);
  if (problem) return symbol?.name === name ? refused(`It is called ${name} already.`) : refused(problem);
  if (symbol) return finish(parsed, symbolEdits(parsed, symbol, name), id, noteFor(parsed, site.run));
  if (!isNested(site)) return refused(`${say(parsed, id)} has no name in the text.`);
  const draft = new NewDraft(parsed);
  extractAs(draft, site, name);
  return finish(parsed, draft.edits(), id, noteFor(parsed, site.run));
}

/** Renames `symbol` everywhere, for the editor. */
export function renameSymbol(parsed: Parsed, symbol: SymbolRecord, name: string): Edited {
  const problem = nameProblem(parsed, name, symbol.owner);
  return problem ? refused(problem) : finish(parsed, symbolEdits(parsed, symbol, name), symbol.node, null);
}

/** @file Writing a composite out: its call becomes one line for each of its parts, and the program means what it meant. */
import type { NodeId } from "../../ir";
import { findNode } from "../../ir";
import { indentAt } from "../reading/lines";
import type { Site } from "../interpreter";
import { partLines } from "../print";
import type { Parsed } from "../program";
import { parseProgram } from "../program";
import { Draft, refused, type Edited } from "./draft";
import { extract, isNested, lineBefore } from "./extract";
import { bare } from "../reading/syntax";
import { nameAt, namesIn, noteFor, say, valueSite } from "./locate";
import { changedIds, matchGraphs } from "./match";

/** The call that `id` is a part or the result of, and all its parts; null for an op of its own. */
function callOf(parsed: Parsed, id: NodeId): { readonly site: Site; readonly parts: readonly NodeId[] } | null {
  const result = parsed.partOf.get(id) ?? id;
  const site = parsed.sites.get(result);
  if (site?.op?.kind !== "composite") return null;
  const parts = [...parsed.graph.nodes.keys()].filter((part) => part === result || parsed.partOf.get(part) === result);
  return { site, parts: [...parts.filter((part) => part !== result), result] };
}

/** What the parts read and did not make, literals left out. */
function operandsOf(parsed: Parsed, parts: readonly NodeId[]): NodeId[] {
  const own = new Set(parts);
  const read = parts.flatMap((part) => findNode(parsed.graph, part)?.inputs ?? []);
  return [...new Set(read)].filter((id) => !own.has(id) && findNode(parsed.graph, id)?.op !== "const");
}

/** The name by which a call reads `operand`: as it is written there, else any that stands for it there. */
function nameFor(parsed: Parsed, site: Site, operand: NodeId): string | null {
  for (const { node, expr } of site.operands) {
    const word = expr && bare(expr);
    if (node === operand && word?.kind === "name") return word.name;
  }
  return nameAt(parsed, operand, site.run);
}

/** Names one more nested value that the call needs by name; false when all of them have one, null when that fails. */
function nameNext(draft: Draft, id: NodeId): boolean | null {
  const { parsed } = draft;
  const call = callOf(parsed, id);
  if (!call) return null;
  const { site, parts } = call;
  const unnamed = operandsOf(parsed, parts).find((operand) => nameFor(parsed, site, operand) === null);
  const value = unnamed === undefined ? null : valueSite(parsed, unnamed, site.run);
  if (unnamed === undefined) return false;
  if (!value) return null;
  const before = draft.text;
  extract(draft, value);
  return draft.text === before ? null : true;
}

/**
 * Replaces the call that makes `id` by its parts, a line each; nested calls and operands get a name first. Refused where
 * the result would not be the same program: a call with several results, or with parts that the language can't write.
 */
export function expandCall(text: string, id: NodeId): Edited {
  const given = parseProgram(text);
  const first = callOf(given, id);
  if (!first) return refused(`${say(given, id)} is one op: it has no parts to expand.`);
  const title = first.site.op!.name;
  const cannot = refused(`${title} can't be expanded here. Copy its parts instead.`);
  const draft = new Draft(given);
  let result = first.site.node;
  if (isNested(first.site)) {
    const name = extract(draft, first.site);
    result =
      [...draft.parsed.graph.nodes.keys()].find((node) => node === `${first.site.run.frame.prefix}${name}`) ?? result;
  }
  for (let named: boolean | null = true; named !== false;) {
    named = nameNext(draft, result);
    if (named === null) return cannot;
  }
  const { parsed } = draft;
  const { site, parts } = callOf(parsed, result)!;
  const names = new Map(operandsOf(parsed, parts).map((operand) => [operand, nameFor(parsed, site, operand)!]));
  const written = { names, taken: namesIn(parsed.text), prefix: site.run.frame.prefix };
  const lines = partLines(parsed.graph, parts, written);
  const indent = indentAt(parsed.text, site.run.statement.span.from);
  const above = lineBefore(parsed.text, site.run.statement, lines.before.join(`\n${indent}`));
  draft.edit([...(lines.before.length > 0 ? [above] : []), { span: site.expr.span, insert: lines.last }]);
  const match = matchGraphs(given.graph, draft.parsed.graph);
  if (!match.complete || draft.parsed.diagnostics.length > given.diagnostics.length) return cannot;
  return {
    ok: true,
    edits: draft.edits(),
    ids: changedIds(match),
    note: noteFor(given, first.site.run),
    node: match.ids.get(first.site.node) ?? null,
  };
}

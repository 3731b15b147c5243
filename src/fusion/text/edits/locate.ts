/** @file Where in the text a node, an operand or a name is, and what may be edited there. */
import { isInput, type NodeId } from "../../ir";
import { findNode } from "../../ir";
import type { OperandSource, StatementRun, Site } from "../interpreter";
import type { Parsed } from "../program";
import type { Expr, Statement } from "../reading/syntax";
import { bare } from "../reading/syntax";

export type Found<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly text: string };
const no = (text: string): { ok: false; text: string } => ({ ok: false, text });

/** How to speak of a node: `relu y`, `x`. */
export function say(parsed: Parsed, id: NodeId): string {
  const node = findNode(parsed.graph, id);
  if (!node) return id;
  return isInput(node) ? node.label : node.label === node.op ? node.op : `${node.op} ${node.label}`;
}

/** Why a composite's part can't be edited. */
export function locked(parsed: Parsed, part: NodeId): string {
  const call = parsed.partOf.get(part) ?? part;
  const group = findNode(parsed.graph, part)?.groups.findLast(({ kind }) => kind === "composite");
  const name = group?.label ?? "a composite";
  return `${say(parsed, part)} is a part of ${name} ${call}, and parts are locked. Write the parts out in the text to change them.`;
}

export interface OperandSite {
  readonly site: Site;
  /** Index into the site's operands. */
  readonly index: number;
  readonly operand: OperandSource;
}

/** The operand of a call that input `operand` of `consumer` comes from. A composite's parts lead to the argument of the call. */
export function operandSite(parsed: Parsed, consumer: NodeId, operand: number): Found<OperandSite> {
  const node = findNode(parsed.graph, consumer);
  const input = node?.inputs[operand];
  if (!node || input === undefined) return no(`${say(parsed, consumer)} has no operand ${operand + 1}.`);
  const call = parsed.partOf.get(consumer) ?? consumer;
  const site = parsed.sites.get(call);
  if (!site) return no(`${say(parsed, consumer)} reads nothing that could be changed.`);
  const plain = call === consumer && site.op !== null && site.op.kind !== "composite";
  const given = site.operands.flatMap(({ node: id }, index) => (id === null ? [] : [index]));
  const index = plain ? given[operand] : site.operands.findIndex(({ node: id }) => id === input);
  if (index === undefined || index < 0) return no(locked(parsed, consumer));
  return { ok: true, value: { site, index, operand: site.operands[index]! } };
}

const namesCache = new WeakMap<Parsed, ReadonlyMap<NodeId, readonly string[]>>();

/** Names that ever stood for each node. */
function namesOfNodes(parsed: Parsed): ReadonlyMap<NodeId, readonly string[]> {
  const cached = namesCache.get(parsed);
  if (cached) return cached;
  const names = new Map<NodeId, string[]>();
  for (const symbol of parsed.symbols) {
    for (const id of symbol.nodes) {
      const list = names.get(id);
      if (!list) names.set(id, [symbol.name]);
      else if (!list.includes(symbol.name)) list.push(symbol.name);
    }
  }
  namesCache.set(parsed, names);
  return names;
}

/** A name that stands for `producer` just before the statement of `run`, or null. */
export function nameAt(parsed: Parsed, producer: NodeId, { frame, step }: StatementRun): string | null {
  if (parsed.partOf.has(producer)) return null;
  for (const name of namesOfNodes(parsed).get(producer) ?? []) {
    const bound = frame.scope.findAt(name, step);
    if (bound?.value.kind === "tensor" && bound.value.node === producer) return name;
  }
  return null;
}

export interface ValueSite {
  readonly expr: Expr;
  readonly run: StatementRun;
}

/** Where `producer` is written as seen from `run`'s scope: its own expression, or the call of a def that returns it. */
export function valueSite(parsed: Parsed, producer: NodeId, { frame }: StatementRun): ValueSite | null {
  const site = parsed.sites.get(producer);
  if (site?.run.frame === frame) return site;
  for (const { expr, result, run } of parsed.calls) {
    if (expr && result === producer && run.frame === frame) return { expr, run };
  }
  return site && site.run.frame.scope === frame.scope && site.run.frame.prefix === "" ? site : null;
}

/** The expression that `statement` binds to one name, or null: anything else in it is nested. */
export function boundExpr(statement: Statement): Expr | null {
  if (statement.kind !== "assign" || !statement.value || statement.annotation) return null;
  return statement.targets.length >= 1 && bare(statement.targets[0]!).kind === "name" ? bare(statement.value) : null;
}

/** How many times the statement of `run` runs, as a note: an edit there changes them all. */
export function noteFor(parsed: Parsed, { statement, frame }: StatementRun): string | null {
  const runs = parsed.runs.filter((run) => run.statement === statement).length;
  if (runs <= 1) return null;
  const group = frame.groups.findLast(({ kind }) => kind !== "composite");
  if (group?.kind === "loop") return `Changes all ${runs} iterations of the loop.`;
  return group ? `Changes all ${runs} calls of ${group.label}.` : null;
}

/** Every node that `id` is computed from, itself included. */
export function ancestors(parsed: Parsed, id: NodeId): ReadonlySet<NodeId> {
  const found = new Set<NodeId>([id]);
  const left: NodeId[] = [id];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const input of findNode(parsed.graph, next)?.inputs ?? []) {
      if (!found.has(input)) {
        found.add(input);
        left.push(input);
      }
    }
  }
  return found;
}

/** Words of the text that look like names. */
export const namesIn = (text: string): ReadonlySet<string> => new Set(text.match(/[A-Za-z_]\w*/g));

/** @file What to say about the word under the cursor, the call around it, and the shapes beside the lines. */
import { isHole, isInput, type Node, type NodeId, type Span } from "../../ir";
import { bytesOf, findNode, sameShape, showBytes, showType } from "../../ir";
import type { CompositeDef, OpDef } from "../../ops";
import { findOp } from "../../ops";
import { findAssertion } from "../statements/assert";
import { MODULES } from "../calls/names";
import type { Parsed } from "../program";
import type { SymbolRecord } from "../values/values";
import { bare } from "../reading/syntax";
import { signatureOf } from "./complete";
import { defNamed, isMethod, isQuiet, openCallAt, opOf, wordAt } from "./context";
import { symbolAt } from "./symbols";

export interface Hover {
  readonly span: Span;
  /** Markdown; the page adds what only it knows, such as the node's kernel. */
  readonly markdown: string;
  readonly node: NodeId | null;
}

function showNode(parsed: Parsed, n: Node): string {
  const { id, type } = n;
  if (isHole(n)) return "`...` — nothing is connected here yet";
  if (parsed.unknown.has(id)) return "Its shape is not known until it is connected.";
  return `\`${showType(type)}\` · ${showBytes(bytesOf(type))}`;
}

const showOp = (op: OpDef | CompositeDef): string =>
  `\`${signatureOf(op).label}\`\n\n${op.doc.formula}\n\n${op.doc.teaches}`;

function symbolHover(parsed: Parsed, symbol: SymbolRecord, span: Span): Hover {
  const node = symbol.node === null ? null : findNode(parsed.graph, symbol.node);
  const { value, name } = symbol;
  if (node) {
    const call = parsed.sites.get(node.id)?.op ?? findOp(node.op);
    const what = isInput(node)
      ? `${String(node.attrs["role"])} fed by ${String(node.attrs["source"])}`
      : (call?.doc.formula ?? node.op);
    const times =
      symbol.nodes.length > 1 ? `\n\nStands for ${symbol.nodes.length} nodes, one for each call or iteration.` : "";
    return { span, node: node.id, markdown: `**${name}** ${showNode(parsed, node)}\n\n${what}${times}` };
  }
  const known =
    value.kind === "number" ? ` = ${value.value}` : value.kind === "def" ? " — a function, inlined at each call" : "";
  return { span, node: null, markdown: `**${name}**${known}` };
}

/** The node of the smallest expression around `offset`. */
function nodeAround(parsed: Parsed, offset: number): { readonly id: NodeId; readonly span: Span } | null {
  let best: { id: NodeId; span: Span } | null = null;
  for (const { node, expr } of parsed.sites.values()) {
    const { span } = expr;
    if (offset < span.from || offset > span.to) continue;
    if (!best || span.to - span.from < best.span.to - best.span.from) best = { id: node, span };
  }
  return best;
}

/** What is at `offset`; null where there is nothing to say. */
export function hoverAt(parsed: Parsed, offset: number): Hover | null {
  if (isQuiet(parsed.text, offset)) return null;
  const named = symbolAt(parsed, offset);
  const { word, from, to } = wordAt(parsed.text, offset);
  const around = nodeAround(parsed, offset);
  const called = around ? bare(parsed.sites.get(around.id)!.expr) : null;
  const isCallee = called?.kind === "call" && called.callee.span.to === to;
  if (named && !(isCallee && named.symbol.kind !== "def")) return symbolHover(parsed, named.symbol, named.span);
  const node = around && findNode(parsed.graph, around.id);
  const assertion = findAssertion(word);
  if (assertion) {
    const { label } = assertionSignature(assertion);
    return { span: { from, to }, node: null, markdown: `\`${label}\`\n\n${assertion.formula}\n\n${assertion.teaches}` };
  }
  const op = findOp(word);
  if (op && op.kind !== "source" && word !== "") {
    const value = isCallee && node ? `${showNode(parsed, node)}\n\n` : "";
    return { span: { from, to }, node: isCallee && around ? around.id : null, markdown: value + showOp(op) };
  }
  if (!around || !node) return null;
  const own = parsed.sites.get(around.id)?.op;
  return {
    span: around.span,
    node: around.id,
    markdown: `${own ? `**${own.name}** ` : ""}${showNode(parsed, node)}${own ? `\n\n${own.doc.formula}` : ""}`,
  };
}

/** `assert_fused(a, b, ...)` with the spans of its parameters. */
function assertionSignature({ name, params }: NonNullable<ReturnType<typeof findAssertion>>): {
  readonly label: string;
  readonly params: readonly { readonly from: number; readonly to: number; readonly doc: string }[];
} {
  let at = name.length + 1;
  const labels = params.map((param) => {
    const from = at;
    at += param.length + ", ".length;
    return { from, to: from + param.length, doc: "" };
  });
  return { label: `${name}(${params.join(", ")})`, params: labels };
}

export interface SignatureHelp {
  readonly label: string;
  readonly doc: string;
  readonly params: readonly { readonly from: number; readonly to: number; readonly doc: string }[];
  /** Index into `params` of the argument under the cursor; −1 when there is none. */
  readonly active: number;
}

/** The signature of the call that is open at `offset`, with the argument under the cursor; null outside calls. */
export function signatureAt(parsed: Parsed, offset: number): SignatureHelp | null {
  if (isQuiet(parsed.text, offset)) return null;
  const call = openCallAt(parsed.text, offset);
  if (!call) return null;
  const def = defNamed(parsed, call.name);
  if (def) {
    const start = parsed.text.slice(def.paramsSpan.from, def.paramsSpan.to);
    const shift = call.name.length - def.paramsSpan.from;
    const params = def.params.map(({ span }) => ({ from: span.from + shift, to: span.to + shift, doc: "" }));
    const active =
      call.keyword === null ? call.index : def.params.findIndex((param) => param.name.text === call.keyword);
    return { label: call.name + start, doc: "", params, active: active < params.length ? active : -1 };
  }
  const assertion = findAssertion(call.name);
  if (assertion) {
    const { label, params } = assertionSignature(assertion);
    const doc = `${assertion.formula}\n\n${assertion.teaches}`;
    return { label, doc, params, active: Math.min(call.index, params.length - 1) };
  }
  const op = opOf(call);
  if (!op) return null;
  const { label, params } = signatureOf(op);
  const position = call.index + (isMethod(call, MODULES) ? 1 : 0);
  const active = call.keyword === null ? position : op.params.findIndex(({ names }) => names.includes(call.keyword!));
  return {
    label,
    doc: `${op.doc.formula}\n\n${op.doc.teaches}`,
    params: params.map((param, i) => ({ ...param, doc: op.params[i]!.doc })),
    active: active < params.length ? active : -1,
  };
}

export interface InlayHint {
  readonly offset: number;
  readonly text: string;
  readonly node: NodeId;
}

/** Inferred types behind the names that are bound; nothing where calls or iterations differ. */
export function inlayHints(parsed: Parsed): readonly InlayHint[] {
  return parsed.symbols.flatMap((symbol) => {
    if (symbol.kind !== "value" || symbol.node === null || symbol.statement.kind === "def") return [];
    const nodes = symbol.nodes.flatMap((id) => findNode(parsed.graph, id) ?? []);
    const [first] = nodes;
    if (!first || isHole(first) || nodes.some((node) => parsed.unknown.has(node.id))) return [];
    if (nodes.some(({ type }) => type.dtype !== first.type.dtype || !sameShape(type.shape, first.type.shape)))
      return [];
    return [{ offset: symbol.definition.to, text: `: ${showType(first.type)}`, node: first.id }];
  });
}

/** @file Completion: ops with their operands as fields, names, arguments, members, types. */
import type { Span } from "../../ir";
import { findNode, showType } from "../../ir";
import type { CompositeDef, OpDef, Param } from "../../ops";
import { calledOps } from "../../ops";
import { assertionDocs } from "../statements/assert";
import { DTYPES, KEYWORDS, MODULES, SOURCES } from "../calls/names";
import type { Parsed } from "../program";
import type { SymbolRecord } from "../values/values";
import { defNamed, isMethod, isQuiet, openCallAt, opOf, ownerAt, wordBefore } from "./context";

export interface Completion {
  readonly label: string;
  readonly kind:
    "op" | "composite" | "value" | "constant" | "def" | "argument" | "member" | "keyword" | "type" | "source";
  /** What is put in; with `snippet`, `${1:x}` are fields and `$0` is where the cursor ends. */
  readonly insert: string;
  readonly snippet: boolean;
  /** One short phrase beside the label. */
  readonly detail: string;
  readonly doc: string;
  /** The characters it replaces. */
  readonly span: Span;
}

type Draft = Omit<Completion, "span">;
const plain = (label: string, kind: Completion["kind"], detail: string, doc = ""): Draft => ({
  label,
  kind,
  insert: label,
  snippet: false,
  detail,
  doc,
});

const isTensor = ({ kind }: Param): boolean => kind === "tensor" || kind === "tensors";

/** `layer_norm(x, weight=None, bias=None, eps=1e-5)` */
export function signatureOf(op: OpDef | CompositeDef): {
  readonly label: string;
  readonly params: readonly { readonly from: number; readonly to: number }[];
} {
  let label = `${op.name}(`;
  const params = op.params.map((param, i) => {
    if (i > 0) label += ", ";
    const from = label.length;
    const value = param.default;
    label +=
      param.names[0]! +
      (value === undefined
        ? ""
        : `=${value === null ? "None" : typeof value === "boolean" ? (value ? "True" : "False") : typeof value === "string" ? `"${value}"` : String(value)}`);
    return { from, to: label.length };
  });
  return { label: `${label})`, params };
}

function opItem(op: OpDef | CompositeDef, name: string, method: boolean): Draft {
  const required = op.params.slice(method ? 1 : 0).filter((param) => param.default === undefined);
  const fields = required.map((param, i) =>
    isTensor(param) ? `\${${i + 1}:${param.names[0]}}` : `${param.names[0]}=\${${i + 1}}`,
  );
  return {
    label: name,
    kind: op.kind === "composite" ? "composite" : "op",
    insert: `${name}(${fields.join(", ")})$0`,
    snippet: true,
    detail: op.doc.formula,
    doc: op.doc.teaches,
  };
}

function opItems(method: boolean): Draft[] {
  return calledOps
    .filter((op) => !method || (op.params[0] && isTensor(op.params[0])))
    .flatMap((op) =>
      [op.name, ...(op.aliases ?? [])].filter((name) => !KEYWORDS.has(name)).map((name) => opItem(op, name, method)),
    );
}

function members(): Draft[] {
  return [
    plain("T", "member", "all axes reversed"),
    plain("mT", "member", "last two axes swapped"),
    plain("shape", "member", "sizes, known before the graph runs"),
    plain("ndim", "member", "number of axes"),
    plain("dtype", "member", "f32, f16, i32 or bool"),
  ];
}

function symbolDetail(parsed: Parsed, symbol: SymbolRecord): string {
  const node = symbol.node === null ? null : findNode(parsed.graph, symbol.node);
  if (node) return parsed.unknown.has(node.id) ? "not connected yet" : showType(node.type);
  const { value } = symbol;
  return value.kind === "number" ? `${value.value}` : value.kind === "def" ? "def" : "";
}

function nameItems(parsed: Parsed, offset: number): Draft[] {
  const owner = ownerAt(parsed, offset);
  const newest = new Map<string, SymbolRecord>();
  for (const symbol of parsed.symbols) {
    const inSight = symbol.owner === owner || symbol.owner === "";
    if (inSight && (symbol.definition.to < offset || symbol.kind === "def")) newest.set(symbol.name, symbol);
  }
  return [...newest.values()].map((symbol) => {
    const kind = symbol.kind === "def" ? "def" : symbol.value.kind === "number" ? "constant" : "value";
    return plain(symbol.name, kind, symbolDetail(parsed, symbol));
  });
}

function argumentItems(parsed: Parsed, offset: number): Draft[] {
  const call = openCallAt(parsed.text, offset);
  if (!call || call.keyword !== null) return [];
  const def = defNamed(parsed, call.name);
  if (def) return def.params.map((param) => ({ ...plain(`${param.name.text}=`, "argument", `of ${def.name.text}`) }));
  const op = opOf(call);
  const first = isMethod(call, MODULES) ? 1 : 0;
  const given = (word: string): boolean => new RegExp(`(?:^|,)\\s*${word}\\s*=(?!=)`).test(call.inside);
  return (op?.params ?? []).slice(first).flatMap((param) => {
    if (param.names.some(given)) return [];
    return param.names.map((name) =>
      plain(`${name}=`, "argument", param.default === undefined ? "required" : "optional", param.doc),
    );
  });
}

const KEYWORD_ITEMS: readonly Draft[] = [
  {
    label: "def",
    kind: "keyword",
    insert: "def ${1:block}(${2:x}):\n    return ${3:x}$0",
    snippet: true,
    detail: "a function, inlined at each call",
    doc: "",
  },
  {
    label: "for",
    kind: "keyword",
    insert: "for ${1:i} in range(${2:3}):\n    $0",
    snippet: true,
    detail: "a loop over numbers or items",
    doc: "",
  },
  { label: "return", kind: "keyword", insert: "return ", snippet: false, detail: "names the results", doc: "" },
];

const DIMENSIONS = "[${1:1024}, ${2:1024}]$0";

function typeItems(): Draft[] {
  return [...DTYPES]
    .filter(([name, dtype]) => name === dtype)
    .map(([name]) => ({
      label: name,
      kind: "type",
      insert: `${name}${DIMENSIONS}`,
      snippet: true,
      detail: "type of an input",
      doc: "",
    }));
}

const sourceItems = (): Draft[] =>
  [...SOURCES].map((name) => ({
    label: name,
    kind: "source",
    insert: `${name}($1)$0`,
    snippet: true,
    detail: "what data a run feeds",
    doc: "",
  }));

const assertionItems = (): Draft[] =>
  assertionDocs.map(({ name, snippet, formula, teaches }) => ({
    label: name,
    kind: "keyword",
    insert: snippet,
    snippet: true,
    detail: formula,
    doc: teaches,
  }));

function itemsAt(parsed: Parsed, offset: number, start: number): readonly Draft[] {
  const { text } = parsed;
  const line = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  if (/\.\s*$/.test(line) && !/\d\.$/.test(line)) {
    const receiver = /([A-Za-z_]\w*)\s*\.\s*$/.exec(line)?.[1];
    const prefix = receiver !== undefined && MODULES.has(receiver) && !parsed.scope.find(receiver);
    return prefix ? opItems(false) : [...members(), ...opItems(true)];
  }
  if (/^\s*[A-Za-z_]\w*\s*:\s*$/.test(line)) return typeItems();
  if (/^\s*[A-Za-z_]\w*\s*:\s*\w+\s*(?:\[[^\]]*\])?\s*=\s*$/.test(line)) return sourceItems();
  const statement = line.trim() === "" ? [...KEYWORD_ITEMS, ...assertionItems()] : [];
  return [...argumentItems(parsed, offset), ...nameItems(parsed, offset), ...opItems(false), ...statement];
}

/** What can be typed at `offset`, best kinds first; the editor filters by the word. Empty in comments and quotes. */
export function completionsAt(parsed: Parsed, offset: number): readonly Completion[] {
  if (isQuiet(parsed.text, offset)) return [];
  const start = offset - wordBefore(parsed.text, offset).length;
  const span = { from: start, to: offset };
  const seen = new Set<string>();
  return itemsAt(parsed, offset, start).flatMap((item) => {
    if (seen.has(item.label)) return [];
    seen.add(item.label);
    return [{ ...item, span }];
  });
}

/** @file Changing what is written: an attribute of a call, the type of an input, the value of a constant. */
import { isInput, isLiteral, type NodeId, type TextEdit } from "../../ir";
import { findNode } from "../../ir";
import type { Parsed } from "../program";
import { parseProgram } from "../program";
import type { Argument, CallExpr } from "../reading/syntax";
import { bare } from "../reading/syntax";
import { showAttr, showSource } from "../print";
import type { Site } from "../interpreter";
import type { Param } from "../../ops";
import type { Edited } from "./draft";
import { applyTextEdits } from "./apply";
import { refused } from "./draft";
import { locked, noteFor, say } from "./locate";
import { changedIds, matchGraphs } from "./match";

/** Accepts `edits` unless they bring an error that was not there. */
function checked(parsed: Parsed, edits: readonly TextEdit[], node: NodeId | null, note: string | null): Edited {
  const after = parseProgram(applyTextEdits(parsed.text, edits));
  const old = new Set(parsed.diagnostics.map(({ code, text }) => `${code} ${text}`));
  const fresh = after.diagnostics.find(
    ({ severity, code, text }) => severity === "error" && !old.has(`${code} ${text}`),
  );
  if (fresh) return refused(fresh.text);
  return { ok: true, edits, ids: changedIds(matchGraphs(parsed.graph, after.graph)), note, node };
}

/** The argument of `call` that names `param`, by whichever of its names. */
const namedArgument = (call: CallExpr, param: Param): Argument | undefined =>
  call.args.find(({ name }) => name !== null && param.names.includes(name.text));

export interface WrittenAttr {
  /** What the call names the attribute: torch's `dim` where it is written so, else the op's own name for it. */
  readonly name: string;
  /** The value's own words; null where the call leaves it out. */
  readonly value: string | null;
}

/** Attribute `attr` of `id` as its call writes it; null where it stands in no call: an operator, a part of a composite. */
export function writtenAttr(parsed: Parsed, id: NodeId, attr: string): WrittenAttr | null {
  const site = parsed.sites.get(id);
  const param = site?.op?.params.find(({ names }) => names.includes(attr));
  const expr = site && bare(site.expr);
  if (!site?.op || !param || expr?.kind !== "call") return null;
  const named = namedArgument(expr, param);
  const span = named?.value.span ?? givenBy(site, expr, site.op.params.indexOf(param));
  return { name: named?.name?.text ?? attr, value: span ? parsed.text.slice(span.from, span.to) : null };
}

/** Position of the argument that gives `attr`, or where a new one goes. */
function argumentEdit(site: Site, call: CallExpr, attr: string, value: string): TextEdit | null {
  const param = site.op?.params.find(({ names }) => names.includes(attr));
  if (!param || !site.op) return null;
  const named = namedArgument(call, param);
  if (named) return { span: named.value.span, insert: value };
  const given = givenBy(site, call, site.op.params.indexOf(param));
  if (given) return { span: given, insert: value };
  const last = call.args.at(-1);
  const at = last?.span.to ?? call.open + 1;
  return { span: { from: at, to: at }, insert: `${last ? ", " : ""}${param.names[0]}=${value}` };
}

/** The positional argument of parameter number `index`, when positions and parameters go one by one up to there. */
function givenBy(site: Site, call: CallExpr, index: number): { from: number; to: number } | null {
  const receiver = bare(call.callee).kind === "member" && site.operands[0]?.expr !== call.args[0]?.value ? 1 : 0;
  const positional = call.args.filter((arg) => !arg.name);
  const param = site.op!.params[index]!;
  if (param.variadic) {
    const rest = positional.slice(index - receiver);
    return rest.length === 0 ? null : { from: rest[0]!.span.from, to: rest.at(-1)!.span.to };
  }
  // A tuple as the second argument is a norm's shape and shifts what follows.
  const shifted = positional.findIndex(
    ({ value }, i) =>
      i + receiver === 1 &&
      site.op!.params[1]?.kind === "tensor" &&
      ["tuple", "number", "list"].includes(bare(value).kind),
  );
  if (shifted >= 0) {
    if (param.names.includes("normalized_shape")) return positional[shifted]!.span;
    positional.splice(shifted, 1);
  }
  return positional[index - receiver]?.span ?? null;
}

/** Writes `value` (as the language writes it) for attribute `attr` of the call that made `id`; of an input, its role and source. */
export function setAttr(
  text: string,
  id: NodeId,
  attr: string,
  value: string,
  parsed: Parsed = parseProgram(text),
): Edited {
  const node = findNode(parsed.graph, id);
  const site = parsed.sites.get(id);
  if (!node) return refused(`There is no node ${id}.`);
  if (parsed.partOf.has(id)) return refused(locked(parsed, id));
  if (!site) return refused(`${say(parsed, id)} has no attributes.`);
  const note = noteFor(parsed, site.run);
  if (isLiteral(node)) return checked(parsed, [{ span: site.expr.span, insert: value }], id, note);
  if (isInput(node)) return setSource(parsed, site, attr, value);
  const expr = bare(site.expr);
  if (expr.kind !== "call")
    return refused(`${say(parsed, id)} is written without brackets, so it has no room for \`${attr}\`.`);
  const edit = argumentEdit(site, expr, attr, value);
  return edit
    ? checked(parsed, [edit], id, note)
    : refused(`${site.op?.name ?? node.op} has no attribute \`${attr}\`.`);
}

/** Rewrites what follows the type of an input. */
function setSource(parsed: Parsed, site: Site, attr: string, value: string): Edited {
  if (attr === "type") return setInputType(parsed.text, site.node, value, parsed);
  const known = ["role", "source", "seed", "lo", "hi", "mean", "std", "values"];
  if (!known.includes(attr)) return refused(`An input has ${known.join(", ")}; \`${attr}\` is none of them.`);
  const numbers = value
    .split(/[\s,[\]()]+/)
    .filter((word) => word !== "")
    .map(Number);
  const word = value.replaceAll(/["']/g, "");
  const read =
    attr === "role" || attr === "source" ? word : attr === "values" ? numbers : value === "None" ? null : Number(value);
  if (typeof read === "number" ? Number.isNaN(read) : Array.isArray(read) && read.some(Number.isNaN))
    return refused(`\`${value}\` is not a number.`);
  const source = showSource({
    ...site.attrs,
    [attr]: read,
    ...(attr === "values" ? { source: "values", role: "const" } : {}),
  });
  const { statement } = site.run;
  const old = site.param ? site.param.value : statement.kind === "assign" ? statement.value : null;
  const from = site.expr.span.to;
  const edit = { span: { from, to: old?.span.to ?? from }, insert: source === "" ? "" : ` = ${source}` };
  return checked(parsed, [edit], site.node, null);
}

/** Gives an input another type, such as `f32[2048, 768]`. */
export function setInputType(text: string, id: NodeId, type: string, parsed: Parsed = parseProgram(text)): Edited {
  const site = parsed.sites.get(id);
  if (!site || findNode(parsed.graph, id)?.op !== "input")
    return refused(`${say(parsed, id)} is not an input: its type follows from what it computes.`);
  return checked(parsed, [{ span: site.expr.span, insert: type.trim() }], id, null);
}

/** Gives the constant `name` another value: `N = 2048`. */
export function setConstant(text: string, name: string, value: number, parsed: Parsed = parseProgram(text)): Edited {
  for (const statement of parsed.statements) {
    if (statement.kind !== "assign" || !statement.value) continue;
    const [target] = statement.targets;
    if (target?.kind !== "name" || target.name !== name || statement.targets.length > 1) continue;
    return checked(parsed, [{ span: statement.value.span, insert: showAttr(value, "int") }], null, null);
  }
  return refused(`No constant is called \`${name}\`.`);
}

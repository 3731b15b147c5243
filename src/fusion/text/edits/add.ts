/** @file Adding: an op with open operands, or an input. */
import type { TextEdit } from "../../ir";
import { nodeId } from "../../ir";
import type { CompositeDef, OpDef, Param } from "../../ops";
import { findOp } from "../../ops";
import { indentAt, wholeLines } from "../reading/lines";
import { freshName, spellingOf } from "../calls/names";
import type { Parsed } from "../program";
import { parseProgram } from "../program";
import type { Edited } from "./draft";
import { refused } from "./draft";
import { namesIn } from "./locate";

/** Something valid to stand for a required attribute until the user says better. */
const STAND_INS: Readonly<Record<Param["kind"], string>> = {
  tensor: "...",
  tensors: "[..., ...]",
  int: "1",
  axis: "0",
  float: "1.0",
  bool: "True",
  string: '""',
  axes: "0",
  shape: "(-1,)",
  ints: "(0,)",
  dtype: "f16",
};

/** Where the kind alone would give something that fits no tensor, or one of several attributes is wanted. */
const BY_NAME: ReadonlyMap<string, string> = new Map([
  ["iota.start", "4"],
  ["pad.pads", "(1, 1)"],
  ["permute.dims", "(1, 0)"],
  ["slice.stop", "(1,)"],
  ["expand.shape", "(-1, -1)"],
  ["zeros.shape", "(4, 4)"],
  ["ones.shape", "(4, 4)"],
  ["full.shape", "(4, 4)"],
  ["new_zeros.shape", "(4, 4)"],
  ["new_ones.shape", "(4, 4)"],
  ["new_full.shape", "(4, 4)"],
  ["adaptive_avg_pool.output_size", "(1,)"],
  ["adaptive_max_pool.output_size", "(1,)"],
]);

function callOf(op: OpDef | CompositeDef): string {
  const args: string[] = [];
  for (const param of op.params) {
    const name = param.names[0]!;
    const known = BY_NAME.get(`${op.name}.${name}`);
    if (param.default !== undefined && known === undefined) continue;
    const stand = known ?? STAND_INS[param.kind];
    // Behind a keyword, everything has one.
    const bare = (param.kind === "tensor" || param.kind === "tensors") && args.every((arg) => !arg.includes("="));
    args.push(bare ? stand : `${name}=${stand}`);
  }
  return `${spellingOf(op)}(${args.join(", ")})`;
}

/** An edit that adds `line` at the end of the program: before its `return`, inside the def that is the whole program. */
export function appended(parsed: Parsed, line: string): TextEdit {
  const { text, main } = parsed;
  const body = main ? main.body : parsed.statements;
  const last = body.at(-1);
  if (last?.kind === "return") {
    const from = wholeLines(text, last.span).from;
    return { span: { from, to: from }, insert: `${indentAt(text, last.span.from)}${line}\n` };
  }
  if (main && last) {
    const at = wholeLines(text, last.span).to;
    const gap = text[at - 1] === "\n" ? "" : "\n";
    return { span: { from: at, to: at }, insert: `${gap}${indentAt(text, last.span.from)}${line}\n` };
  }
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  return { span: { from: text.length, to: text.length }, insert: `${gap}${line}\n` };
}

/** Adds a call of `opName` with every operand open; `node` says what it is called. */
export function addOp(text: string, opName: string, parsed: Parsed = parseProgram(text)): Edited {
  const op = findOp(opName);
  if (!op || op.kind === "source") return refused(`No op is called \`${opName}\`.`);
  const name = freshName(op.name, namesIn(text));
  const edit = appended(parsed, `${name} = ${callOf(op)}`);
  return { ok: true, edits: [edit], ids: new Map(), note: null, node: nodeId(name) };
}

const DEFAULT_TYPE = "f32[1024, 1024]";

/** Adds an input after the last one, of the same type, or at the top. */
export function addInput(text: string, type: string | null = null, parsed: Parsed = parseProgram(text)): Edited {
  const taken = namesIn(text);
  const name = taken.has("x") ? freshName("x", taken).replace("_", "") : "x";
  const free = taken.has(name) ? freshName("x", taken) : name;
  const inputs = [...parsed.sites.values()].filter((site) => parsed.graph.nodes.get(site.node)?.op === "input");
  const last = inputs.at(-1);
  const kind = type ?? (last ? text.slice(last.expr.span.from, last.expr.span.to) : DEFAULT_TYPE);
  const done = (edit: TextEdit): Edited => ({
    ok: true,
    edits: [edit],
    ids: new Map(),
    note: null,
    node: nodeId(free),
  });
  if (parsed.main) {
    const { params, paramsSpan } = parsed.main;
    const at = params.at(-1)?.span.to ?? paramsSpan.from + 1;
    return done({ span: { from: at, to: at }, insert: `${params.length > 0 ? ", " : ""}${free}: ${kind}` });
  }
  if (last) {
    const { to } = wholeLines(text, last.run.statement.span);
    return done({ span: { from: to, to }, insert: `${text[to - 1] === "\n" ? "" : "\n"}${free}: ${kind}\n` });
  }
  // Sizes may be named by constants; comments and a docstring stay on top.
  const first = parsed.statements.find(
    ({ kind: what, span }) =>
      what !== "assign" ||
      text.slice(span.from, span.to).includes("(") ||
      text.slice(span.from, span.to).includes("..."),
  );
  const docstring = first?.kind === "expression" && first.value.kind === "string";
  const at = first && !docstring ? wholeLines(text, first.span).from : text.length;
  const gap = at > 0 && text[at - 1] !== "\n" ? "\n" : "";
  return done({ span: { from: at, to: at }, insert: `${gap}${free}: ${kind}\n` });
}

/**
 * @file Softmax that is written out without its maximum overflows: exp(89) is no f32, and ∞ / ∞ is NaN.
 * @about div, exp, sum, max, sub, neg, pow, mul, clamp, stop_gradient, input: the formula is written with these.
 */
import type { Node, NodeId, Span } from "../ir";
import { algebraOf, axesOf, opDef } from "../ops";
import type { Interpreter } from "./interpreter";

/** Whether a node hands on what it is given: in another shape or dtype, or without its derivative. */
const passes = ({ op, inputs }: Node): boolean =>
  inputs.length === 1 && (opDef(op).kind === "movement" || algebraOf(op).sameValue === true || op === "stop_gradient");

/** Warns of every such softmax and offers the stable one. */
export function warnOverflow(interpreter: Interpreter): void {
  const { nodes, diagnostics, text } = interpreter;
  const behind = (id: NodeId): Node => {
    let n = nodes.get(id)!;
    while (passes(n)) n = nodes.get(n.inputs[0]!)!;
    return n;
  };
  const told = new Set<NodeId>();
  for (const n of nodes.values()) {
    if (n.op !== "div") continue;
    const [exp, sum] = [behind(n.inputs[0]!), behind(n.inputs[1]!)];
    if (exp.op !== "exp" || sum.op !== "sum" || !isSame(behind(sum.inputs[0]!), exp, nodes) || told.has(exp.id))
      continue;
    if (isBounded(behind(exp.inputs[0]!), behind)) continue;
    told.add(exp.id);
    const rank = nodes.get(sum.inputs[0]!)!.type.shape.length;
    const axes = axesOf(sum.attrs["axes"], rank);
    const fix = exp.span && stabilised(text, exp.span, axes);
    diagnostics.add(
      "overflow",
      exp.span ?? { from: 0, to: 0 },
      "exp is infinite above 88.7 (f16: above 11.1), and the quotient is then NaN. A softmax that subtracts the maximum first gives the same numbers and can't overflow.",
      { severity: "warning", nodes: [exp.id], ...(fix ? { fixes: [fix] } : {}) },
    );
  }
}

/** Whether two nodes compute the same, as far as their formulas say. */
const isSame = (a: Node, b: Node, nodes: ReadonlyMap<NodeId, Node>): boolean =>
  a === b ||
  (a.op === b.op &&
    a.op !== "input" &&
    JSON.stringify(a.attrs) === JSON.stringify(b.attrs) &&
    a.inputs.length === b.inputs.length &&
    a.inputs.every((input, i) => isSame(nodes.get(input)!, nodes.get(b.inputs[i]!)!, nodes)));

/** Never far above 0: less a maximum, or the opposite of what is never negative, or cut off from above. */
function isBounded(x: Node, behind: (id: NodeId) => Node): boolean {
  if (x.op === "sub") return behind(x.inputs[1]!).op === "max";
  if (x.op === "clamp") return typeof x.attrs["max"] === "number";
  if (x.op !== "neg") return false;
  const of = behind(x.inputs[0]!);
  const exponent = of.op === "pow" ? Number(behind(of.inputs[1]!).attrs["value"]) : 1;
  return (
    algebraOf(of.op).range !== undefined || exponent % 2 === 0 || (of.op === "mul" && of.inputs[0] === of.inputs[1])
  );
}

/** Where the one call of exp in `line` stands, and what it is taken of. */
function onlyExp(
  line: string,
): { readonly from: number; readonly to: number; readonly x: string; readonly name: string | null } | null {
  const found = [...line.matchAll(/\bexp\(/g)];
  const [only] = found;
  if (!only || found.length > 1) return null;
  const open = only.index + only[0].length;
  let depth = 1;
  let close = open;
  for (; close < line.length && depth > 0; close++) depth += line[close] === "(" ? 1 : line[close] === ")" ? -1 : 0;
  const inside = line.slice(open, close - 1).trim();
  const before = /([\w.]*)\.$/.exec(line.slice(0, only.index))?.[1] ?? "";
  if (inside === "")
    return before === "" ? null : { from: only.index - 1 - before.length, to: close, x: before, name: null };
  const from = before === "" ? only.index : only.index - 1 - before.length;
  return { from, to: close, x: inside, name: line.slice(from, open - 1) };
}

/** `exp(s)` as `exp(s - s.max(dim=-1, keepdim=True))`. */
function stabilised(
  text: string,
  span: Span,
  axes: readonly number[],
): { title: string; edits: { span: Span; insert: string }[] } | null {
  // A node may stand for its name alone: the call is on the same line.
  const start = text.lastIndexOf("\n", span.from - 1) + 1;
  const end = text.indexOf("\n", span.to);
  const call = onlyExp(text.slice(start, end < 0 ? undefined : end));
  if (!call) return null;
  const { x, name } = call;
  const whole = /^[\w.]+$/.test(x) || /^\([^()]*\)$/.test(x) ? x : `(${x})`;
  const axis = axes.length === 1 ? String(axes[0]) : `(${axes.join(", ")})`;
  const isJax = /\bjnp\b|\bjax\b/.test(text);
  const spelled = isJax ? `axis=${axis}, keepdims=True` : `dim=${axis}, keepdim=True`;
  const shifted = `${whole} - ${whole}.${axes.length > 1 && !isJax ? "amax" : "max"}(${spelled})`;
  const insert = name === null ? `(${shifted}).exp()` : `${name}(${shifted})`;
  return {
    title: "Subtract the maximum first",
    edits: [{ span: { from: start + call.from, to: start + call.to }, insert }],
  };
}

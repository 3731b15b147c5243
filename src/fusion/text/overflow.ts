/** @file Warns of a softmax that overflows, and offers the one that can't. */
import type { Span } from "../ir";
import { unstableSoftmaxes } from "../ops";
import type { Interpreter } from "./interpreter";

/** Warns of every such softmax and offers the stable one. */
export function warnOverflow({ nodes, diagnostics, text }: Interpreter): void {
  for (const { exp, axes } of unstableSoftmaxes(nodes)) {
    const { span } = nodes.get(exp)!;
    const fix = span && stabilised(text, span, axes);
    diagnostics.add(
      "overflow",
      span ?? { from: 0, to: 0 },
      "exp is infinite above 88.7 (f16: above 11.1), and the quotient is then NaN. A softmax that subtracts the maximum first gives the same numbers and can't overflow.",
      { severity: "warning", nodes: [exp], ...(fix ? { fixes: [fix] } : {}) },
    );
  }
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

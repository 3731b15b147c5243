/** @file `assert_fused(a, b)` and `assert_kernels(n)`: what the text says that the plan must be. They make no node. */
import type { Span } from "../ir";
import { evaluate } from "./evaluate";
import type { Machine, Place, Turn } from "./machine";
import type { CallExpr, ExpressionStatement } from "./syntax";
import { bare } from "./syntax";
import { isBroken } from "./values";

interface AssertionDoc {
  readonly name: string;
  readonly params: readonly string[];
  /** What is put in by completion, with fields. */
  readonly snippet: string;
  readonly formula: string;
  readonly teaches: string;
}

/** What the editor says about them. */
export const assertionDocs: readonly AssertionDoc[] = [
  {
    name: "assert_fused",
    params: ["a", "b", "..."],
    snippet: "assert_fused(${1:a}, ${2:b})$0",
    formula: "one kernel computes all of these values",
    teaches: "Where it does not hold, the line is underlined and says which decision keeps them apart.",
  },
  {
    name: "assert_kernels",
    params: ["n"],
    snippet: "assert_kernels(${1:1})$0",
    formula: "the final plan has exactly n kernels",
    teaches: "Where it has more, the line is underlined and names the last fusion that was refused.",
  },
];

export const findAssertion = (name: string): AssertionDoc | null =>
  assertionDocs.find((each) => each.name === name) ?? null;

/** Reads the statement if it is an assertion; answers whether it is one. */
export function runAssertion(machine: Machine, statement: ExpressionStatement, turn: Turn): boolean {
  const call = bare(statement.value);
  if (call.kind !== "call") return false;
  const callee = bare(call.callee);
  if (callee.kind !== "name" || !findAssertion(callee.name)) return false;
  const place: Place = { turn, statement, moment: ++machine.moment, root: `${turn.prefix}_` };
  const read = callee.name === "assert_fused" ? readFused : readKernels;
  machine.problems.inClaim(() => read(machine, place, call, statement.span));
  return true;
}

function readFused(machine: Machine, place: Place, call: CallExpr, span: Span): void {
  const nodes = call.args.flatMap((arg) => {
    const expr = bare(arg.value);
    const value = expr.kind === "name" ? evaluate(machine, place, expr, place.root) : null;
    if (value?.kind === "tensor" && !arg.name) return [value.node];
    if (!value || !isBroken(value))
      machine.problems.add("bad-argument", arg.span, "assert_fused takes names of values: assert_fused(a, b).");
    return [];
  });
  if (nodes.length < 2 && nodes.length === call.args.length)
    machine.problems.add("missing-argument", span, "assert_fused takes two values or more: assert_fused(a, b).");
  if (nodes.length > 1 && nodes.length === call.args.length) machine.assertions.push({ kind: "fused", nodes, span });
}

function readKernels(machine: Machine, place: Place, call: CallExpr, span: Span): void {
  const [only, ...others] = call.args;
  const value = only && others.length === 0 ? evaluate(machine, place, only.value, place.root) : null;
  if (value?.kind === "number" && Number.isInteger(value.value) && value.value >= 0) {
    machine.assertions.push({ kind: "kernels", count: value.value, span });
  } else if (!value || !isBroken(value)) {
    machine.problems.add("bad-argument", span, "assert_kernels takes one whole number: assert_kernels(1).");
  }
}

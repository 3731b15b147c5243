/** @file `assert_fused(a, b)`, `assert_kernels(n)`, `assert_bytes(n)` and `assert_peak(n)`: what the text says that the plan must be. They make no node. */
import type { Span } from "../../ir";
import { evaluate } from "../evaluate";
import type { CountedKind, Interpreter, StatementRun, Frame } from "../interpreter";
import type { CallExpr, ExpressionStatement } from "../reading/syntax";
import { bare } from "../reading/syntax";
import { isBroken } from "../values/values";

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
    teaches: "If it fails, the line is underlined and names the decision that keeps them apart.",
  },
  {
    name: "assert_kernels",
    params: ["n"],
    snippet: "assert_kernels(${1:1})$0",
    formula: "the final plan has exactly n kernels",
    teaches: "If there are more, the line is underlined and names the last fusion that was refused.",
  },
  {
    name: "assert_bytes",
    params: ["n"],
    snippet: "assert_bytes(${1:4 * N * N})$0",
    formula: "the kernels of the final plan read and write at most n bytes",
    teaches: "The score row shows the memory traffic that counts for this goal.",
  },
  {
    name: "assert_peak",
    params: ["n"],
    snippet: "assert_peak(${1:4 * N * N})$0",
    formula: "no more than n bytes are alive at any kernel of the final plan",
    teaches: "The Memory tab shows which tensors are alive at each kernel, and where the peak is.",
  },
];

export const findAssertion = (name: string): AssertionDoc | null =>
  assertionDocs.find((each) => each.name === name) ?? null;

/** Reads the statement if it is an assertion; answers whether it is one. */
export function runAssertion(interpreter: Interpreter, statement: ExpressionStatement, frame: Frame): boolean {
  const call = bare(statement.value);
  if (call.kind !== "call") return false;
  const callee = bare(call.callee);
  if (callee.kind !== "name" || !findAssertion(callee.name)) return false;
  const run: StatementRun = { frame, statement, step: ++interpreter.step, root: `${frame.prefix}_` };
  const { span } = statement;
  interpreter.diagnostics.inClaim(() =>
    callee.name === "assert_fused"
      ? readFused(interpreter, run, call, span)
      : readCounted(interpreter, run, call, { kind: counted[callee.name]!, span }),
  );
  return true;
}

function readFused(interpreter: Interpreter, run: StatementRun, call: CallExpr, span: Span): void {
  const nodes = call.args.flatMap((arg) => {
    const expr = bare(arg.value);
    const value = expr.kind === "name" ? evaluate(interpreter, run, expr, run.root) : null;
    if (value?.kind === "tensor" && !arg.name) return [value.node];
    if (!value || !isBroken(value))
      interpreter.diagnostics.add("bad-argument", arg.span, "assert_fused takes names of values: assert_fused(a, b).");
    return [];
  });
  if (nodes.length < 2 && nodes.length === call.args.length)
    interpreter.diagnostics.add("missing-argument", span, "assert_fused takes two values or more: assert_fused(a, b).");
  if (nodes.length > 1 && nodes.length === call.args.length)
    interpreter.assertions.push({ kind: "fused", nodes, span });
}

const counted: Readonly<Record<string, CountedKind>> = {
  assert_kernels: "kernels",
  assert_bytes: "bytes",
  assert_peak: "peak",
};

function readCounted(
  interpreter: Interpreter,
  run: StatementRun,
  call: CallExpr,
  assertion: { readonly kind: CountedKind; readonly span: Span },
): void {
  const [only, ...others] = call.args;
  const value = only && others.length === 0 ? evaluate(interpreter, run, only.value, run.root) : null;
  if (value?.kind === "number" && Number.isInteger(value.value) && value.value >= 0) {
    interpreter.assertions.push({ ...assertion, count: value.value });
  } else if (!value || !isBroken(value)) {
    const name = `assert_${assertion.kind}`;
    interpreter.diagnostics.add("bad-argument", assertion.span, `${name} takes one whole number: ${name}(1).`);
  }
}

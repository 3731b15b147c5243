/** @file Statements that check or tell something and compute nothing: prints, remarks, assertions of Python, refusals. */
import type { Span } from "../../ir";
import { findOp } from "../../ops";
import { prefixOf } from "../calls/member";
import { evaluate } from "../evaluate";
import type { Frame, Interpreter } from "../interpreter";
import { bare } from "../reading/syntax";
import type {
  AssertStatement,
  AssignStatement,
  Expr,
  ExpressionStatement,
  NameExpr,
  RaiseStatement,
} from "../reading/syntax";
import { truthOf } from "../values/constants";
import { isHostFunction } from "../values/host-functions";
import { BROKEN } from "../values/values";
import { noteUses } from "./static-condition";
import { underName } from "./targets";

/** What hands its tensors to the host while the program runs, by the end of its path: `jax.debug.print("{}", h)`, `io_callback(f, None, h)`. */
const HOST = /(^|\.)(debug\.print|debug\.callback|io_callback)$/;

function pathOf(expr: Expr): string {
  const callee = bare(expr);
  if (callee.kind === "name") return callee.name;
  return callee.kind === "member" ? `${pathOf(callee.object)}.${callee.name.text}` : "";
}

/** Such a statement as what it does to each tensor it names: `h = debug_print(h)`. Empty where it is none, or names no tensor. */
export function hostReads(
  { value, span }: ExpressionStatement,
  isTensor: (name: string) => boolean,
): AssignStatement[] {
  const call = bare(value);
  if (call.kind !== "call" || !HOST.test(pathOf(call.callee))) return [];
  const names = call.args.flatMap(({ value: arg }): NameExpr[] => {
    const name = bare(arg);
    return name.kind === "name" && isTensor(name.name) ? [name] : [];
  });
  return names.map((name) => ({
    kind: "assign",
    targets: [name],
    annotation: null,
    value: {
      ...call,
      callee: { kind: "name", name: "debug_print", span: call.callee.span },
      args: [{ name: null, value: name, span: name.span }],
    },
    span,
  }));
}

/** `print(x)`: reads what it names and does nothing; where nothing else is computed, what is printed is the result. */
export function isPrinted(interpreter: Interpreter, { value, span }: ExpressionStatement, frame: Frame): boolean {
  const call = bare(value);
  const callee = call.kind === "call" ? bare(call.callee) : null;
  if (callee?.kind !== "name" || callee.name !== "print" || frame.scope.find("print")) return false;
  const { printing, diagnostics } = interpreter;
  if (call.kind === "call" && printing.shown) {
    const mark = diagnostics.mark();
    for (const { value: arg } of call.args)
      underName(interpreter, frame, { kind: "expression", value: arg, span }, "_", (run) =>
        evaluate(interpreter, run, arg, run.root),
      );
    diagnostics.takeErrors(mark);
    return true;
  }
  printing.met = true;
  ignored(
    interpreter,
    frame,
    value,
    span,
    "Printing has no effect here. Hover over a name to see its shape. This line is ignored.",
  );
  return true;
}

/** What only checks or tells: `utils.check_rank(x, 2)`, `logger.warning(…)`, `warnings.warn(…)`. */
const REMARK =
  /^_*(assert|check|warn|log|debug|info|error|validate|deprecat|register_|set_|seed|manual_seed|record|synchronize|mark_)/;

/** A call of something that is not here and whose answer nobody takes: it can change no value. */
export function isRemark(interpreter: Interpreter, { value, span }: ExpressionStatement, frame: Frame): boolean {
  const call = bare(value);
  const callee = call.kind === "call" ? bare(call.callee) : null;
  if (callee?.kind !== "name" && callee?.kind !== "member") return false;
  let root: Expr = callee;
  while (root.kind === "member") root = root.object;
  const name = callee.kind === "name" ? callee.name : callee.name.text;
  const bound = root.kind === "name" ? frame.scope.find(root.name) : null;
  if (root.kind !== "name" || findOp(name) || isHostFunction(name)) return false;
  const prefix = prefixOf(frame.scope, root.name);
  if (bound && prefix === null && bound.value.kind !== "none") return false;
  const elsewhere = root !== callee && prefix === null;
  if (!elsewhere && !REMARK.test(name)) return false;
  ignored(
    interpreter,
    frame,
    value,
    span,
    "This line calls an unknown function and its result isn't used: it is ignored.",
  );
  return true;
}

function ignored(interpreter: Interpreter, frame: Frame, value: Expr, span: Span, text: string): void {
  noteUses({ frame, statement: { kind: "expression", value, span }, step: interpreter.step, root: frame.prefix }, [
    value,
  ]);
  interpreter.diagnostics.add("no-effect", span, text, { severity: "info" });
}

/** The text says of itself that what leads here is wrong; what comes after is not read. */
export function runRaise(interpreter: Interpreter, { span }: RaiseStatement, frame: Frame): void {
  const source = interpreter.text.slice(span.from, span.to).replaceAll(/\s+/g, " ");
  const raised = /^raise\s+([\w.]+)/.exec(source)?.[1]?.split(".").at(-1);
  interpreter.diagnostics.add("raise", span, `The program itself rejects these sizes or arguments: ${source}`, {
    ...(raised !== undefined && { raises: [raised] }),
  });
  frame.result.values = [{ value: BROKEN, path: frame.prefix, expr: null }];
  frame.result.value = BROKEN;
}

/** `assert x.ndim == 2`: told where it does not hold; the program is read on as if it did. */
export function runAssert(interpreter: Interpreter, statement: AssertStatement, frame: Frame): void {
  const { diagnostics, nodes, sites, partOf, calls } = interpreter;
  const [mark, made, called] = [diagnostics.mark(), nodes.size, calls.length];
  const { test, span } = statement;
  const holds = underName(interpreter, frame, statement, "_", (run) =>
    truthOf(evaluate(interpreter, run, test, run.root)),
  );
  diagnostics.takeErrors(mark);
  for (const id of [...nodes.keys()].slice(made)) for (const each of [nodes, sites, partOf]) each.delete(id);
  calls.splice(called);
  if (holds === true) return;
  const text = holds === false ? "This does not hold here" : "Only the running program would know whether this holds";
  const raises = holds === false ? { raises: ["AssertionError"] } : {};
  diagnostics.add("no-effect", span, `${text}. This line is ignored.`, { severity: "warning", ...raises });
}

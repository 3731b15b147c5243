/** @file Statements that hand tensors to the host while the program runs: `jax.debug.print("{}", h)`, `io_callback(f, None, h)`. */
import type { AssignStatement, Expr, ExpressionStatement, NameExpr } from "./syntax";
import { bare } from "./syntax";

/** What hands its tensors to the host, by the end of its path. */
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

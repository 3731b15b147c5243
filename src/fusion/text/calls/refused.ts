/** @file What PyTorch refuses of operands and other libraries take: the pair of values and indices for a tensor, a product of floats and whole numbers, other sizes in place. */
import { showShape, type NodeId } from "../../ir";
import type { CompositeDef, OpDef } from "../../ops";
import { type Interpreter, typeOf } from "../interpreter";
import { isInLibrary } from "../library/library";
import { bare, type Expr } from "../reading/syntax";
import { isScalarTensor, type Operand, type Value } from "../values/values";
import { dialectOf, isNumpyIn, isTorchIn, oncePerText } from "./dialect";
import { isPair } from "./pairs";

/** Whether functions of other libraries are called. */
const callsOthers = oncePerText((text) => /\b(np|numpy|jnp|jax)\./.test(text));

/** Whether PyTorch reads an expression: not what another library's function is called with, and no method or operator where there may be arrays of another. */
export function isTorchAt(interpreter: Interpreter, expr: Expr): boolean {
  if (!isTorchIn(interpreter) || isInLibrary(interpreter)) return false;
  let root = expr.kind === "call" ? bare(expr.callee) : expr;
  while (root.kind === "member") root = bare(root.object);
  const dialect = root.kind === "name" ? dialectOf(root.name) : null;
  return dialect === "torch" || (dialect === null && !callsOthers(interpreter));
}

/** Whether a call is one of PyTorch's own functions: methods are called on tensors of this language as well, which answers values alone. */
function isOfTorch({ callee }: Extract<Expr, { kind: "call" }>): boolean {
  const called = bare(callee);
  if (called.kind !== "member") return false;
  const root = bare(called.object);
  return root.kind === "name" && dialectOf(root.name) === "torch";
}

/** Whether an operand is PyTorch's pair of values and indices where a tensor belongs. */
function isWholePair(interpreter: Interpreter, { value, expr }: Operand): boolean {
  if (value.kind !== "tensor") return false;
  const call = expr && bare(expr);
  const site = interpreter.sites.get(value.node);
  if (!site || site.expr.kind !== "call" || !isOfTorch(site.expr) || !isTorchAt(interpreter, site.expr)) return false;
  if (call?.kind === "call")
    return site.expr === call && call.callee.kind === "member" && isPair(interpreter, value.node);
  return value.isPair === "called";
}

/** Why PyTorch refuses these operands of an op, in words; null where it takes them. */
function problemOf(
  interpreter: Interpreter,
  op: OpDef | CompositeDef,
  tensors: readonly (Operand | null)[],
): { readonly text: string; readonly nodes: readonly NodeId[] } | null {
  const given = tensors.filter((each) => each !== null);
  const pair = given.find((each) => isWholePair(interpreter, each));
  if (pair?.value.kind === "tensor")
    return {
      text: "PyTorch answers a pair here, values and indices, and computes with neither: write .values behind it, or `values, indices = …`.",
      nodes: [pair.value.node],
    };
  if (!op.oneDtypeInTorch) return null;
  const nodes = given.flatMap(({ value }) =>
    value.kind === "tensor" && !interpreter.unknown.has(value.node) ? [value.node] : [],
  );
  const isFloat = (node: NodeId): boolean => typeOf(interpreter, node).dtype.startsWith("f");
  const whole = nodes.find((node) => !isFloat(node));
  if (whole === undefined || !nodes.some(isFloat)) return null;
  const { dtype } = typeOf(interpreter, whole);
  const at = given.find(({ value }) => value.kind === "tensor" && value.node === whole)?.expr ?? null;
  const name = at?.kind === "name" ? `\`${at.name}\`` : "one of these";
  return {
    text: `PyTorch multiplies tensors of one dtype, and ${name} is ${dtype} beside floats: convert it first, .float().`,
    nodes: [whole],
  };
}

/** Whether PyTorch refuses the operands of an op, which is then said. */
export function refusesOperands(
  interpreter: Interpreter,
  op: OpDef | CompositeDef,
  expr: Expr,
  tensors: readonly (Operand | null)[],
): boolean {
  const found = isTorchAt(interpreter, expr) ? problemOf(interpreter, op, tensors) : null;
  if (!found) return false;
  interpreter.diagnostics.add("bad-operand", expr.span, found.text, {
    nodes: found.nodes,
    raises: ["RuntimeError", "TypeError"],
  });
  return true;
}

/** Whether what is computed in place has other sizes than the tensor that it is stored in, which is then said. */
export function refusesInPlace(interpreter: Interpreter, expr: Expr, was: Value, now: Value): boolean {
  if (!interpreter.memory || now.kind !== "tensor" || isInLibrary(interpreter)) return false;
  if (was.kind !== "tensor" && !isScalarTensor(was)) return false;
  const nodes = was.kind === "tensor" ? [was.node, now.node] : [now.node];
  if (nodes.some((node) => interpreter.unknown.has(node))) return false;
  const [own, made] = [
    was.kind === "tensor" ? typeOf(interpreter, was.node).shape : [],
    typeOf(interpreter, now.node).shape,
  ];
  // A sum of all elements is a number to NumPy, and what is added to it makes another.
  const isKept = isTorchAt(interpreter, expr) || (own.length > 0 && isNumpyIn(interpreter));
  if (!isKept || own.join() === made.join()) return false;
  const text = `A tensor that is written into keeps its sizes: this one is ${showShape(own)}, and what is computed is ${showShape(made)}. Give the result a name: y = ….`;
  interpreter.diagnostics.add("shape-mismatch", expr.span, text, {
    nodes: nodes.slice(0, -1),
    raises: ["RuntimeError", "ValueError"],
  });
  return true;
}

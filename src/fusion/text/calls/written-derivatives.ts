/** @file Derivatives as nodes of the graph: written by rules, named after what they are derivatives of, and what stands in their way in words. */
import { callKey, DerivativeBuilder, type NoRule, type OwnRule, pullBack } from "../../autodiff";
import type { Node, NodeId, Span } from "../../ir";
import { findOp } from "../../ops";
import { applyOp } from "./apply";
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import type { Expr } from "../reading/syntax";
import { BROKEN, type Operand, type Value } from "../values/values";
import { Expansion } from "./expand";

/** Says why there is no derivative. */
export function refuse(interpreter: Interpreter, span: Span, text: string, nodes: readonly NodeId[] = []): Value {
  interpreter.diagnostics.add("no-derivative", span, text, { nodes });
  return BROKEN;
}

/** Writes derivatives as nodes of a group of their own, named after what they are derivatives of. */
export function written(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, label, found }: { readonly expr: Expr; readonly label: string; readonly found?: ReadonlyMap<NodeId, NodeId> },
  write: (builder: DerivativeBuilder, name: (node: Node, derivative: NodeId) => void) => readonly NodeId[] | NoRule,
): readonly NodeId[] | null {
  const calls = `${run.root}/${label}`;
  const number = interpreter.defCalls.get(calls) ?? 0;
  interpreter.defCalls.set(calls, number + 1);
  const id = `${calls}#${number}`;
  const call = {
    id,
    label: null,
    groups: run.frame.groups,
    span: expr.span,
    ...(label === "grad" && { phase: "backward" as const }),
  };
  const writer = new Expansion(interpreter, call, label, "def");
  /** Of values without a name: their derivatives are called after the op, unless they are also that of a named one. */
  const unnamed: (readonly [derivative: NodeId, name: string])[] = [];
  const name = ({ id: of, label: own, op }: Node, derivative: NodeId): void => {
    if (own === op) unnamed.push([derivative, `d_${own}`]);
    else writer.rename(derivative, `d_${own}`);
    if (label === "grad") writer.cotangent(derivative, of);
  };
  const builder = new DerivativeBuilder(writer, interpreter.derived, {
    rules: interpreter.ownRules,
    still: interpreter.nodes.still,
  });
  const made = write(builder, name);
  if ("node" in made) {
    const { id: at, op, label: own } = made.node;
    const rule = interpreter.ownRules.get(at);
    // What is wrong in its rule was told there.
    if (rule && !interpreter.diagnostics.hasErrors) refuse(interpreter, expr.span, withoutRule(rule, label), [at]);
    else if (!rule)
      refuse(
        interpreter,
        expr.span,
        `\`${op}\` (${own}) has no derivative here: write stop_gradient around it if it should count as constant.`,
        [made.node.id],
      );
    return null;
  }
  for (const [derivative, called] of unnamed) writer.rename(derivative, called);
  const before = new Set<NodeId>(interpreter.nodes.keys());
  const landed = writer.land(made);
  // What no derivative that was asked for reads is no result of the program.
  for (const id of interpreter.nodes.keys()) if (!before.has(id) && !landed.includes(id)) interpreter.spare.add(id);
  const landedOne = (id: NodeId): NodeId => writer.landedAs([id])[0]!;
  for (const entry of builder.entries()) {
    const own = { ...entry, inputs: writer.landedAs(entry.inputs), made: landedOne(entry.made) };
    interpreter.derived.set(callKey(own), own);
  }
  for (const [of, cotangent] of found ?? []) interpreter.cotangents.set(of, landedOne(cotangent));
  interpreter.calls.push({ kind: "def", id, label, span: expr.span, result: landed.at(-1) ?? null, expr: null, run });
  return landed;
}

/** Says that a function of the program has no derivative of this kind. */
function withoutRule({ label, ofBatch }: OwnRule, kind: string): string {
  if (ofBatch)
    return `\`${label}\` has a derivative of its own, which is that of one example: take the gradient inside of the batch, vmap(grad(f)).`;
  return kind === "jvp"
    ? `\`${label}\` says how cotangents are pulled back through it, not how tangents are pushed forward: take its derivative with grad or vjp, or give it its rule with custom_jvp.`
    : `\`${label}\` says no derivative: write its backward (defvjp, defjvp in JAX), or write it as a plain def, whose derivative follows from what it computes.`;
}

/** Cotangents of `wrt`. */
export function gradients(
  interpreter: Interpreter,
  run: StatementRun,
  expr: Expr,
  seeds: (builder: DerivativeBuilder) => ReadonlyMap<NodeId, NodeId>,
  wrt: readonly NodeId[],
): readonly NodeId[] | null {
  interpreter.optimizing.asked++;
  return written(interpreter, run, { expr, label: "grad" }, (builder, name) =>
    pullBack(builder, seeds(builder), wrt, name),
  );
}

/** PyTorch takes the one element of a tensor for a number where it asks for gradients of it. */
export function asScalar(
  interpreter: Interpreter,
  run: StatementRun,
  { path, expr }: { readonly path: string; readonly expr: Expr },
  of: Operand,
): Operand {
  const { value } = of;
  if (value.kind !== "tensor" || interpreter.unknown.has(value.node)) return of;
  const { shape } = typeOf(interpreter, value.node);
  if (shape.length === 0 || shape.some((extent) => extent !== 1)) return of;
  const op = findOp("reshape")!;
  const one = applyOp(interpreter, run, { op, path: `${path}/one`, expr }, { tensors: [of], attrs: { shape: [] } });
  if (one.kind === "tensor") interpreter.spare.add(one.node);
  return { ...of, value: one };
}

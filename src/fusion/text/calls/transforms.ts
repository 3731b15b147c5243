/** @file `grad`, `value_and_grad`, `vjp`, `jvp`, `.backward()`: derivatives become nodes of the graph, which passes fuse like any other. */
import { type DerivativeBuilder, pullBack, pushForward } from "../../autodiff";
import { isLiteral, type NodeId, type TensorType } from "../../ir";
import { sameShape, showType } from "../../ir";
import { argumentsApart } from "./arguments-apart";
import { axesGiven, vmapCall } from "./vmap";
import { asScalar, gradients, refuse, written } from "./written-derivatives";
import type { Interpreter, StatementRun } from "../interpreter";
import { toNode, typeOf } from "../interpreter";
import type { CallExpr, Expr } from "../reading/syntax";
import { leavesOf, mapLeaves } from "../values/trees";
import {
  BROKEN,
  describe,
  type GivenArgument,
  isBroken,
  type Operand,
  tensorValue,
  type Value,
} from "../values/values";

const NAMES: ReadonlySet<string> = new Set(["grad", "value_and_grad", "vjp", "jvp", "checkpoint", "remat", "vmap"]);
export const isTransform = (name: string): boolean => NAMES.has(name);

/** Keywords of each; those of PyTorch's that change no value are taken and say nothing. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  grad: [
    "argnums",
    "argnum",
    "wrt",
    "has_aux",
    "holomorphic",
    "allow_int",
    "create_graph",
    "retain_graph",
    "allow_unused",
    "materialize_grads",
    "outputs",
    "inputs",
    "grad_outputs",
    "only_inputs",
  ],
  value_and_grad: ["argnums", "argnum", "wrt", "has_aux", "holomorphic", "allow_int"],
  vjp: [],
  jvp: [],
  vmap: ["in_axes", "in_dims", "out_axes", "out_dims"],
  checkpoint: ["use_reentrant", "preserve_rng_state", "policy", "prevent_cse"],
  remat: ["policy", "prevent_cse"],
};

interface Call {
  readonly expr: CallExpr;
  readonly path: string;
}
/** What can be differentiated and batched. */
const FUNCTIONS: ReadonlySet<Value["kind"]> = new Set([
  "def",
  "op",
  "transform",
  "pullback",
  "custom",
  "partial",
  "layer",
  "object",
  "sequence",
]);
type Caller<C extends Call> = (
  interpreter: Interpreter,
  run: StatementRun,
  call: C,
  operands: readonly Operand[],
) => Value;
type Transformed = Extract<Value, { kind: "transform" }>;

const loose = (value: Value): Operand => ({ value, path: "", expr: null });
const ones =
  (results: readonly NodeId[]) =>
  (builder: DerivativeBuilder): ReadonlyMap<NodeId, NodeId> =>
    new Map(results.map((id) => [id, builder.scalar(1, builder.typeOf(id).dtype)]));

/** What keeps `node` from being the scalar that gradients are taken of. */
function lossProblem(interpreter: Interpreter, value: Value): string | null {
  if (value.kind !== "tensor") return `A gradient is taken of one number; this is ${describe(value)}.`;
  const type = typeOf(interpreter, value.node);
  const fits = type.shape.length === 0 && (type.dtype === "f32" || type.dtype === "f16");
  return fits ? null : `A gradient is taken of one number; this is ${showType(type)}. Sum it first, or use vjp.`;
}

const nodesOf = (interpreter: Interpreter, run: StatementRun, operands: readonly Operand[]): NodeId[] =>
  operands.map((operand) => toNode(interpreter, run, operand, ["f32"]));
const itemsOf = (value: Value): readonly Operand[] => (value.kind === "sequence" ? value.items : [loose(value)]);
const tensorsOf = (value: Value): readonly NodeId[] =>
  leavesOf(loose(value)).flatMap(({ value: item }) => (item.kind === "tensor" ? [item.node] : []));
const isOpen = (interpreter: Interpreter, operands: readonly Operand[]): boolean =>
  operands
    .flatMap(leavesOf)
    .some(
      ({ value }) =>
        isBroken(value) || value.kind === "hole" || (value.kind === "tensor" && interpreter.unknown.has(value.node)),
    );

/** `grad(f)`, `vjp(f, x)`, `jvp(f, (x,), (dx,))`, and PyTorch's `grad(loss, (w, b))`. */
export function transform<C extends Call>(
  interpreter: Interpreter,
  run: StatementRun,
  call: C,
  name: string,
  args: readonly GivenArgument[],
  caller: Caller<C>,
): Value {
  const [f, ...rest] = args.filter((arg) => arg.name === null).map(({ operand }) => operand);
  const { span } = call.expr;
  const odd = args.find((arg) => arg.name !== null && !KEYWORDS[name]!.includes(arg.name.text));
  if (odd)
    return refuse(
      interpreter,
      odd.name!.span,
      `${name} has no argument \`${odd.name!.text}\`${KEYWORDS[name]!.length === 0 ? "." : `; it has ${KEYWORDS[name]!.join(", ")}.`}`,
    );
  const given = (at: number, ...names: string[]): Operand | undefined =>
    args.find((arg) => names.includes(arg.name?.text ?? ""))?.operand ?? [f, ...rest][at];
  const outputs = name === "grad" ? given(0, "outputs") : undefined;
  if (outputs && isTensors(outputs.value))
    return torchGrad(interpreter, run, call, outputs, given(1, "inputs"), given(2, "grad_outputs"));
  if (!f) return refuse(interpreter, span, `${name} takes a def.`);
  if (isBroken(f.value)) return BROKEN;
  if (!FUNCTIONS.has(f.value.kind))
    return refuse(interpreter, span, `${name} takes a def; this is ${describe(f.value)}.`);
  if (name === "vjp") return vjpOf(interpreter, run, call, f, rest, caller);
  if (name === "jvp") return jvpOf(interpreter, run, call, f, rest, caller);
  if (name === "vmap") {
    const axes = axesGiven(given(1, "in_axes", "in_dims"), given(2, "out_axes", "out_dims"));
    return { kind: "transform", name, of: f.value, argnums: 0, axes };
  }
  if (name === "checkpoint" || name === "remat")
    return rest.length === 0
      ? { kind: "transform", name: "checkpoint", of: f.value, argnums: 0 }
      : segment(interpreter, run, withoutArguments(call), f, rest, caller);
  const by = given(1, "argnums", "argnum", "wrt");
  const numbers = by ? itemsOf(by.value).flatMap(({ value }) => argumentIndex(value, f.value)) : [0];
  const argnums = by?.value.kind === "sequence" ? numbers : (numbers[0] ?? 0);
  const aux = args.find((arg) => arg.name?.text === "has_aux")?.operand.value;
  return { kind: "transform", name, of: f.value, argnums, ...(aux?.kind === "bool" && aux.value && { aux: true }) };
}

/** An argument by its index, or by its name. */
function argumentIndex(given: Value, of: Value): number[] {
  if (given.kind === "number") return [given.value];
  if (given.kind !== "string" || of.kind !== "def") return [];
  const index = of.def.params.findIndex(({ name }) => name.text === given.value);
  return index < 0 ? [] : [index];
}

/** The value and the gradients of `grad(f)` at its arguments. */
export function callTransform<C extends Call>(
  interpreter: Interpreter,
  run: StatementRun,
  call: C,
  { name, of, argnums, axes, aux }: Transformed,
  operands: readonly Operand[],
  caller: Caller<C>,
): Value {
  if (isOpen(interpreter, operands)) return BROKEN;
  if (name === "checkpoint") return segment(interpreter, run, call, loose(of), operands, caller);
  if (axes)
    return vmapCall(interpreter, call, axes, operands, (operands) =>
      caller(interpreter, run, call, [loose(of), ...operands]),
    );
  const wanted = typeof argnums === "number" ? [argnums] : argnums;
  const missing = wanted.find((at) => operands.at(at) === undefined);
  if (missing !== undefined)
    return refuse(
      interpreter,
      call.expr.span,
      `${name} is asked for argument ${missing}; there are ${operands.length}.`,
    );
  const isWanted = wanted.map((at) => (at < 0 ? at + operands.length : at));
  const whole = wanted
    .map((at) => operands.at(at)!)
    .find(({ value }) => value.kind === "object" || value.kind === "layer");
  if (whole)
    return refuse(
      interpreter,
      call.expr.span,
      `A derivative is taken by tensors; this is ${describe(whole.value)}. Give the function its weights as arguments, in a list or a dictionary, or call loss.backward() and read model.fc.weight.grad.`,
    );
  const given = operands.map((operand, at) => (isWanted.includes(at) ? withNodes(interpreter, run, operand) : operand));
  const fixed = argumentsApart(interpreter, run, call, of, given, (operand) =>
    isWanted.includes(given.indexOf(operand)),
  );
  const answer = caller(interpreter, run, call, [loose(of), ...fixed]);
  if (isBroken(answer)) return BROKEN;
  const [first, beside] = aux && answer.kind === "sequence" ? answer.items : [loose(answer)];
  const { value } = first ?? loose(answer);
  const problem = lossProblem(interpreter, value);
  if (problem) return refuse(interpreter, call.expr.span, problem);
  const loss = (value as { readonly node: NodeId }).node;
  interpreter.optimizing.losses.push(loss);
  const leaves = wanted.map((at) => tensorsOf(fixed.at(at)!.value));
  const found = gradients(interpreter, run, call.expr, ones([loss]), leaves.flat());
  if (!found) return BROKEN;
  let next = 0;
  const each = wanted.map((at) =>
    mapLeaves(fixed.at(at)!, (leaf) => (leaf.value.kind === "tensor" ? loose(tensorValue(found[next++]!)) : leaf)),
  );
  const grads = typeof argnums === "number" ? each[0]!.value : ({ kind: "sequence", items: each } as const);
  if (name === "value_and_grad") return { kind: "sequence", items: [loose(answer), loose(grads)] };
  return beside ? { kind: "sequence", items: [loose(grads), beside] } : grads;
}

/** The tree with its numbers as nodes. */
const withNodes = (interpreter: Interpreter, run: StatementRun, operand: Operand): Operand =>
  mapLeaves(operand, (leaf, at) =>
    leaf.value.kind === "number"
      ? {
          ...leaf,
          value: tensorValue(
            toNode(interpreter, run, leaf.path === "" ? { ...leaf, path: `${operand.path}/leaf${at}` } : leaf, ["f32"]),
          ),
        }
      : leaf,
  );

/** `checkpoint(f)(x)`: what is computed inside belongs to a segment. */
function segment<C extends Call>(
  interpreter: Interpreter,
  run: StatementRun,
  call: C,
  f: Operand,
  operands: readonly Operand[],
  caller: Caller<C>,
): Value {
  const before = new Set(interpreter.nodes.keys());
  const value = caller(interpreter, run, call, [f, ...operands]);
  for (const [id, n] of interpreter.nodes)
    if (!before.has(id) && !isLiteral(n)) interpreter.nodes.set(id, { ...n, segment: call.path });
  return value;
}

/** Tensors that PyTorch's grad is given, one or a list; modules in a row are a function. */
const isTensors = (value: Value): boolean =>
  value.kind === "tensor" ||
  (value.kind === "sequence" &&
    !value.chain &&
    value.items.length > 0 &&
    value.items.every((item) => isTensors(item.value)));

/** `torch.autograd.grad(loss, (w, b))`, `torch.autograd.grad(outputs=u, inputs=x, grad_outputs=torch.ones_like(u))`. */
function torchGrad(
  interpreter: Interpreter,
  run: StatementRun,
  call: Call,
  outputs: Operand,
  wrt: Operand | undefined,
  cotangents: Operand | undefined,
): Value {
  const { span } = call.expr;
  if (isOpen(interpreter, [outputs, ...(wrt ? [wrt] : [])])) return BROKEN;
  const losses = tensorsOf(outputs.value).map((node, i) => {
    const at = { path: `${call.path}/loss${i}`, expr: call.expr };
    const { value } = asScalar(interpreter, run, at, loose(tensorValue(node)));
    return cotangents === undefined && value.kind === "tensor" ? value.node : node;
  });
  const given = cotangents ? itemsOf(cotangents.value).map(({ value }) => value) : [];
  const seeds = new Map<NodeId, NodeId>();
  for (const [i, loss] of losses.entries()) {
    const cotangent = given[i];
    if (cotangent?.kind === "tensor") {
      const [want, got] = [loss, cotangent.node].map((id) => typeOf(interpreter, id)) as [TensorType, TensorType];
      if (!sameShape(want.shape, got.shape))
        return refuse(
          interpreter,
          span,
          `grad_outputs has the shape of its output: ${showType(want)}, not ${showType(got)}.`,
        );
      seeds.set(loss, cotangent.node);
      continue;
    }
    const problem = lossProblem(interpreter, tensorValue(loss));
    if (problem)
      return refuse(
        interpreter,
        span,
        wrt ? problem.replace("or use vjp", "or say grad_outputs=torch.ones_like(…)") : problem,
      );
  }
  if (!wrt) return refuse(interpreter, span, "grad takes a loss and what to differentiate by.");
  if (interpreter.hooks.some(({ kind }) => kind === "gradient"))
    return refuse(interpreter, span, "Hooks of gradients are called by backward() here: call that, and read x.grad.");
  const all = (builder: DerivativeBuilder): ReadonlyMap<NodeId, NodeId> =>
    new Map(losses.map((id) => [id, seeds.get(id) ?? ones([id])(builder).get(id)!]));
  const found = gradients(interpreter, run, call.expr, all, tensorsOf(wrt.value));
  return found ? { kind: "sequence", items: found.map((id) => loose(tensorValue(id))) } : BROKEN;
}

/** The function's arguments are not those that the call is written with. */
const withoutArguments = <C extends Call>(call: C): C => ({ ...call, expr: { ...call.expr, args: [] } });

/** `out, pullback = vjp(f, x)`. */
function vjpOf<C extends Call>(
  interpreter: Interpreter,
  run: StatementRun,
  call: C,
  f: Operand,
  primals: readonly Operand[],
  caller: Caller<C>,
): Value {
  if (isOpen(interpreter, primals)) return BROKEN;
  const given = primals.map((operand) => withNodes(interpreter, run, operand));
  const points = argumentsApart(interpreter, run, call, f.value, given, () => true);
  const value = caller(interpreter, run, withoutArguments(call), [f, ...points]);
  if (isBroken(value)) return BROKEN;
  return { kind: "sequence", items: [loose(value), loose({ kind: "pullback", results: tensorsOf(value), points })] };
}

/** `pullback(g)`: the cotangents of the arguments. */
export function callPullback(
  interpreter: Interpreter,
  run: StatementRun,
  { expr }: Call,
  { results, points }: Extract<Value, { kind: "pullback" }>,
  operands: readonly Operand[],
): Value {
  const given = operands.flatMap(leavesOf);
  if (isOpen(interpreter, given)) return BROKEN;
  const cotangents = nodesOf(interpreter, run, given);
  const odd = results.findIndex(
    (id, i) =>
      cotangents[i] === undefined ||
      !sameShape(typeOf(interpreter, id).shape, typeOf(interpreter, cotangents[i]).shape),
  );
  if (odd >= 0 || cotangents.length !== results.length) {
    const wanted = results.map((id) => showType(typeOf(interpreter, id))).join(", ");
    return refuse(interpreter, expr.span, `A pullback takes a cotangent in the shape of each result: ${wanted}.`);
  }
  const seeds = new Map(results.map((id, i) => [id, cotangents[i]!]));
  const wrt = points.flatMap(({ value }) => tensorsOf(value));
  const found = gradients(interpreter, run, expr, () => seeds, wrt);
  if (!found) return BROKEN;
  let next = 0;
  const items = points.map((point) =>
    mapLeaves(point, (leaf) => (leaf.value.kind === "tensor" ? loose(tensorValue(found[next++]!)) : leaf)),
  );
  return { kind: "sequence", items };
}

/** `out, dout = jvp(f, (x,), (dx,))`. */
function jvpOf<C extends Call>(
  interpreter: Interpreter,
  run: StatementRun,
  call: C,
  f: Operand,
  [at, along]: readonly Operand[],
  caller: Caller<C>,
): Value {
  const [primals, tangents] = [at, along].map((operand) => (operand ? itemsOf(operand.value) : [])) as [
    readonly Operand[],
    readonly Operand[],
  ];
  if (isOpen(interpreter, [...primals, ...tangents])) return BROKEN;
  if (primals.length === 0 || primals.length !== tangents.length)
    return refuse(
      interpreter,
      call.expr.span,
      "jvp takes a def, its arguments and a tangent for each: jvp(f, (x,), (dx,)).",
    );
  const given = primals.map((operand) => withNodes(interpreter, run, operand));
  const trees = argumentsApart(interpreter, run, call, f.value, given, () => true);
  const points = trees.flatMap(({ value }) => tensorsOf(value));
  const changes = nodesOf(interpreter, run, tangents.flatMap(leavesOf));
  if (points.length !== changes.length)
    return refuse(interpreter, call.expr.span, "jvp takes tangents with the same structure as their arguments.");
  const odd = points.findIndex(
    (id, i) => !sameShape(typeOf(interpreter, id).shape, typeOf(interpreter, changes[i]!).shape),
  );
  if (odd >= 0)
    return refuse(
      interpreter,
      call.expr.span,
      `Tangent ${odd + 1} is ${showType(typeOf(interpreter, changes[odd]!))}; its argument is ${showType(typeOf(interpreter, points[odd]!))}.`,
    );
  const value = caller(interpreter, run, withoutArguments(call), [f, ...trees]);
  if (isBroken(value)) return BROKEN;
  const seeds = new Map(points.map((id, i) => [id, changes[i]!]));
  const made = written(interpreter, run, { expr: call.expr, label: "jvp" }, (builder, name) =>
    pushForward(builder, seeds, tensorsOf(value), name),
  );
  if (!made) return BROKEN;
  let next = 0;
  const tangent = mapLeaves(loose(value), (leaf) =>
    leaf.value.kind === "tensor" ? loose(tensorValue(made[next++]!)) : leaf,
  );
  return { kind: "sequence", items: [loose(value), tangent] };
}

/** What a parameter was when the losses were computed: it may have been written over since, and its gradient is still that. */
function parameterAt({ losses, nodes, optimizing }: Interpreter, asked: NodeId): NodeId {
  const seen = new Set(losses);
  for (const id of seen) for (const input of nodes.get(id)?.inputs ?? []) seen.add(input);
  const { first, written: over } = optimizing;
  const held = over.get(asked) ?? asked;
  const began = first.get(held) ?? held;
  const ever = new Set([asked, held, began, ...[...first].flatMap(([now, was]) => (was === began ? [now] : []))]);
  const read = [...ever].filter((id) => seen.has(id));
  if (read.length < 2) return read[0] ?? asked;
  // Of several the last: what was computed before it is no part of its gradient.
  const order = [...nodes.keys()];
  return read.toSorted((a, b) => order.indexOf(b) - order.indexOf(a))[0]!;
}

/** `w.grad` after `loss.backward()`: of the sum of all losses so far. What one such gradient passed through is not asked for by the next. */
export function gradOf(interpreter: Interpreter, run: StatementRun, expr: Expr, asked: NodeId): Value {
  const { losses, cotangents } = interpreter;
  const wrt = cotangents.has(asked) ? asked : parameterAt(interpreter, asked);
  const set = cotangents.get(wrt);
  if (losses.length === 0 && set !== undefined) return tensorValue(set);
  if (losses.length === 0)
    return refuse(interpreter, expr.span, "`.grad` is known after `.backward()` of a loss.", [wrt]);
  const problem = losses.map((node) => lossProblem(interpreter, tensorValue(node))).find((each) => each !== null);
  if (problem) return refuse(interpreter, expr.span, problem, losses);
  const found = new Map<NodeId, NodeId>();
  const made = written(interpreter, run, { expr, label: "grad", found }, (builder, name) =>
    pullBack(builder, ones(losses)(builder), [wrt], name, interpreter.cotangents, found),
  );
  return made ? tensorValue(made[0]!) : BROKEN;
}

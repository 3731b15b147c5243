/** @file `grad`, `value_and_grad`, `vjp`, `jvp`, `.backward()`: derivatives become nodes of the graph, which passes fuse like any other. */
import { Book, keyOf, pullBack, pushForward, type NoRule } from "../autodiff";
import type { Node, NodeId, Span } from "../ir";
import { sameShape, showType } from "../ir";
import { axesSaid, batchedCall } from "./batches";
import type { GivenArgument } from "./bind";
import { Expansion } from "./expand";
import type { Machine, Place } from "./machine";
import { toNode, typeOf } from "./machine";
import type { CallExpr, Expr } from "./syntax";
import { leavesOf, mapLeaves } from "./trees";
import type { Slot, Value } from "./values";
import { BROKEN, describe, isBroken, tensorValue } from "./values";

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
type Caller<C extends Call> = (machine: Machine, place: Place, call: C, operands: readonly Slot[]) => Value;
type Transformed = Extract<Value, { kind: "transform" }>;

const loose = (value: Value): Slot => ({ value, path: "", expr: null });
function refuse(machine: Machine, span: Span, text: string, nodes: readonly NodeId[] = []): Value {
  machine.problems.add("no-derivative", span, text, { nodes });
  return BROKEN;
}

/** Writes derivatives as nodes of a group of their own, named after what they are derivatives of. */
function written(
  machine: Machine,
  place: Place,
  { expr, label, found }: { readonly expr: Expr; readonly label: string; readonly found?: ReadonlyMap<NodeId, NodeId> },
  write: (book: Book, name: (node: Node, derivative: NodeId) => void) => readonly NodeId[] | NoRule,
): readonly NodeId[] | null {
  const calls = `${place.root}/${label}`;
  const number = machine.defCalls.get(calls) ?? 0;
  machine.defCalls.set(calls, number + 1);
  const id = `${calls}#${number}`;
  const call = {
    id,
    label: null,
    groups: place.turn.groups,
    span: expr.span,
    ...(label === "grad" && { phase: "backward" as const }),
  };
  const writer = new Expansion(machine, call, label, "def");
  /** Of values without a name: their derivatives are called after the op, unless they are also that of a named one. */
  const unnamed: (readonly [derivative: NodeId, name: string])[] = [];
  const name = ({ id: of, label: own, op }: Node, derivative: NodeId): void => {
    if (own === op) unnamed.push([derivative, `d_${own}`]);
    else writer.rename(derivative, `d_${own}`);
    if (label === "grad") writer.cotangent(derivative, of);
  };
  const book = new Book(writer, machine.derived);
  const made = write(book, name);
  if ("node" in made) {
    const { op, label: own } = made.node;
    refuse(
      machine,
      expr.span,
      `\`${op}\` (${own}) has no derivative here: write stop_gradient around it if it should count as constant.`,
      [made.node.id],
    );
    return null;
  }
  for (const [derivative, called] of unnamed) writer.rename(derivative, called);
  const landed = writer.land(made);
  const landedOne = (id: NodeId): NodeId => writer.landedAs([id])[0]!;
  for (const entry of book.entries()) {
    const own = { ...entry, inputs: writer.landedAs(entry.inputs), made: landedOne(entry.made) };
    machine.derived.set(keyOf(own), own);
  }
  for (const [of, cotangent] of found ?? []) machine.cotangents.set(of, landedOne(cotangent));
  machine.calls.push({ kind: "def", id, label, span: expr.span, result: landed.at(-1) ?? null, expr: null, place });
  return landed;
}

/** Cotangents of `wrt`. */
function gradients(
  machine: Machine,
  place: Place,
  expr: Expr,
  seeds: (book: Book) => ReadonlyMap<NodeId, NodeId>,
  wrt: readonly NodeId[],
): readonly NodeId[] | null {
  return written(machine, place, { expr, label: "grad" }, (book, name) => pullBack(book, seeds(book), wrt, name));
}

const ones =
  (results: readonly NodeId[]) =>
  (book: Book): ReadonlyMap<NodeId, NodeId> =>
    new Map(results.map((id) => [id, book.scalar(1, book.typeOf(id).dtype)]));

/** What keeps `node` from being the scalar that gradients are taken of. */
function lossProblem(machine: Machine, value: Value): string | null {
  if (value.kind !== "tensor") return `A gradient is taken of one number; this is ${describe(value)}.`;
  const type = typeOf(machine, value.node);
  const fits = type.shape.length === 0 && (type.dtype === "f32" || type.dtype === "f16");
  return fits ? null : `A gradient is taken of one number; this is ${showType(type)}. Sum it first, or use vjp.`;
}

const nodesOf = (machine: Machine, place: Place, slots: readonly Slot[]): NodeId[] =>
  slots.map((slot) => toNode(machine, place, slot, ["f32"]));
const itemsOf = (value: Value): readonly Slot[] => (value.kind === "sequence" ? value.items : [loose(value)]);
const tensorsOf = (value: Value): readonly NodeId[] =>
  leavesOf(loose(value)).flatMap(({ value: item }) => (item.kind === "tensor" ? [item.node] : []));
const isOpen = (machine: Machine, slots: readonly Slot[]): boolean =>
  slots
    .flatMap(leavesOf)
    .some(
      ({ value }) =>
        isBroken(value) || value.kind === "hole" || (value.kind === "tensor" && machine.unknown.has(value.node)),
    );

/** `grad(f)`, `vjp(f, x)`, `jvp(f, (x,), (dx,))`, and PyTorch's `grad(loss, (w, b))`. */
export function transform<C extends Call>(
  machine: Machine,
  place: Place,
  call: C,
  name: string,
  args: readonly GivenArgument[],
  caller: Caller<C>,
): Value {
  const [f, ...rest] = args.filter((arg) => arg.name === null).map(({ slot }) => slot);
  const { span } = call.expr;
  const odd = args.find((arg) => arg.name !== null && !KEYWORDS[name]!.includes(arg.name.text));
  if (odd)
    return refuse(
      machine,
      odd.name!.span,
      `${name} has no argument \`${odd.name!.text}\`${KEYWORDS[name]!.length === 0 ? "." : `; it has ${KEYWORDS[name]!.join(", ")}.`}`,
    );
  if (!f) return refuse(machine, span, `${name} takes a def.`);
  if (isBroken(f.value)) return BROKEN;
  if (name === "grad" && f.value.kind === "tensor") return torchGrad(machine, place, call, f.value, rest);
  if (f.value.kind !== "def" && f.value.kind !== "op" && f.value.kind !== "transform")
    return refuse(machine, span, `${name} takes a def; this is ${describe(f.value)}.`);
  if (name === "vjp") return vjpOf(machine, place, call, f, rest, caller);
  if (name === "jvp") return jvpOf(machine, place, call, f, rest, caller);
  if (name === "vmap") {
    const said = (...names: string[]): Slot | undefined =>
      args.find((arg) => names.includes(arg.name?.text ?? ""))?.slot;
    const axes = axesSaid(said("in_axes", "in_dims") ?? rest[0], said("out_axes", "out_dims") ?? rest[1]);
    return { kind: "transform", name, of: f.value, places: 0, axes };
  }
  if (name === "checkpoint" || name === "remat")
    return rest.length === 0
      ? { kind: "transform", name: "checkpoint", of: f.value, places: 0 }
      : segment(machine, place, withoutArguments(call), f, rest, caller);
  const said = args.find((arg) => ["argnums", "argnum", "wrt"].includes(arg.name?.text ?? ""))?.slot ?? rest[0];
  const numbers = said ? itemsOf(said.value).flatMap(({ value }) => placeSaid(value, f.value)) : [0];
  const places = said?.value.kind === "sequence" ? numbers : (numbers[0] ?? 0);
  const aux = args.find((arg) => arg.name?.text === "has_aux")?.slot.value;
  return { kind: "transform", name, of: f.value, places, ...(aux?.kind === "bool" && aux.value && { aux: true }) };
}

/** An argument by its place, or by its name. */
function placeSaid(said: Value, of: Value): number[] {
  if (said.kind === "number") return [said.value];
  if (said.kind !== "string" || of.kind !== "def") return [];
  const place = of.def.params.findIndex(({ name }) => name.text === said.value);
  return place < 0 ? [] : [place];
}

/** The value and the gradients of `grad(f)` at its arguments. */
export function callTransform<C extends Call>(
  machine: Machine,
  place: Place,
  call: C,
  { name, of, places, axes, aux }: Transformed,
  operands: readonly Slot[],
  caller: Caller<C>,
): Value {
  if (isOpen(machine, operands)) return BROKEN;
  if (name === "checkpoint") return segment(machine, place, call, loose(of), operands, caller);
  if (axes)
    return batchedCall(machine, call, axes, operands, (slots) => caller(machine, place, call, [loose(of), ...slots]));
  const wanted = typeof places === "number" ? [places] : places;
  const missing = wanted.find((at) => operands.at(at) === undefined);
  if (missing !== undefined)
    return refuse(machine, call.expr.span, `${name} is asked for argument ${missing}; there are ${operands.length}.`);
  const fixed = operands.map((slot) =>
    wanted.some((at) => operands.at(at) === slot) ? withNodes(machine, place, slot) : slot,
  );
  const answer = caller(machine, place, call, [loose(of), ...fixed]);
  if (isBroken(answer)) return BROKEN;
  const [first, beside] = aux && answer.kind === "sequence" ? answer.items : [loose(answer)];
  const { value } = first ?? loose(answer);
  const problem = lossProblem(machine, value);
  if (problem) return refuse(machine, call.expr.span, problem);
  const loss = (value as { readonly node: NodeId }).node;
  const leaves = wanted.map((at) => tensorsOf(fixed.at(at)!.value));
  const found = gradients(machine, place, call.expr, ones([loss]), leaves.flat());
  if (!found) return BROKEN;
  let next = 0;
  const each = wanted.map((at) =>
    mapLeaves(fixed.at(at)!, (leaf) => (leaf.value.kind === "tensor" ? loose(tensorValue(found[next++]!)) : leaf)),
  );
  const grads = typeof places === "number" ? each[0]!.value : ({ kind: "sequence", items: each } as const);
  if (name === "value_and_grad") return { kind: "sequence", items: [loose(answer), loose(grads)] };
  return beside ? { kind: "sequence", items: [loose(grads), beside] } : grads;
}

/** The tree with its numbers as nodes. */
const withNodes = (machine: Machine, place: Place, slot: Slot): Slot =>
  mapLeaves(slot, (leaf, at) =>
    leaf.value.kind === "number"
      ? {
          ...leaf,
          value: tensorValue(
            toNode(machine, place, leaf.path === "" ? { ...leaf, path: `${slot.path}/leaf${at}` } : leaf, ["f32"]),
          ),
        }
      : leaf,
  );

/** `checkpoint(f)(x)`: what is computed inside belongs to a segment. */
function segment<C extends Call>(
  machine: Machine,
  place: Place,
  call: C,
  f: Slot,
  operands: readonly Slot[],
  caller: Caller<C>,
): Value {
  const before = new Set(machine.nodes.keys());
  const value = caller(machine, place, call, [f, ...operands]);
  for (const [id, n] of machine.nodes)
    if (!before.has(id) && n.op !== "const") machine.nodes.set(id, { ...n, segment: call.path });
  return value;
}

/** `torch.autograd.grad(loss, (w, b))`. */
function torchGrad(machine: Machine, place: Place, call: Call, loss: Value, [wrt]: readonly Slot[]): Value {
  const problem = lossProblem(machine, loss);
  if (problem || !wrt)
    return refuse(machine, call.expr.span, problem ?? "grad takes a loss and what to differentiate by.");
  if (isOpen(machine, [loose(loss), wrt])) return BROKEN;
  const found = gradients(machine, place, call.expr, ones(tensorsOf(loss)), tensorsOf(wrt.value));
  return found ? { kind: "sequence", items: found.map((id) => loose(tensorValue(id))) } : BROKEN;
}

/** The function's arguments are not those that the call is written with. */
const withoutArguments = <C extends Call>(call: C): C => ({ ...call, expr: { ...call.expr, args: [] } });

/** `out, pullback = vjp(f, x)`. */
function vjpOf<C extends Call>(
  machine: Machine,
  place: Place,
  call: C,
  f: Slot,
  primals: readonly Slot[],
  caller: Caller<C>,
): Value {
  if (isOpen(machine, primals)) return BROKEN;
  const points = primals.map((slot) => withNodes(machine, place, slot));
  const value = caller(machine, place, withoutArguments(call), [f, ...points]);
  if (isBroken(value)) return BROKEN;
  return { kind: "sequence", items: [loose(value), loose({ kind: "pullback", results: tensorsOf(value), points })] };
}

/** `pullback(g)`: the cotangents of the arguments. */
export function callPullback(
  machine: Machine,
  place: Place,
  { expr }: Call,
  { results, points }: Extract<Value, { kind: "pullback" }>,
  operands: readonly Slot[],
): Value {
  const given = operands.flatMap(leavesOf);
  if (isOpen(machine, given)) return BROKEN;
  const cotangents = nodesOf(machine, place, given);
  const odd = results.findIndex(
    (id, i) =>
      cotangents[i] === undefined || !sameShape(typeOf(machine, id).shape, typeOf(machine, cotangents[i]).shape),
  );
  if (odd >= 0 || cotangents.length !== results.length) {
    const wanted = results.map((id) => showType(typeOf(machine, id))).join(", ");
    return refuse(machine, expr.span, `A pullback takes a cotangent in the shape of each result: ${wanted}.`);
  }
  const seeds = new Map(results.map((id, i) => [id, cotangents[i]!]));
  const wrt = points.flatMap(({ value }) => tensorsOf(value));
  const found = gradients(machine, place, expr, () => seeds, wrt);
  if (!found) return BROKEN;
  let next = 0;
  const items = points.map((point) =>
    mapLeaves(point, (leaf) => (leaf.value.kind === "tensor" ? loose(tensorValue(found[next++]!)) : leaf)),
  );
  return { kind: "sequence", items };
}

/** `out, dout = jvp(f, (x,), (dx,))`. */
function jvpOf<C extends Call>(
  machine: Machine,
  place: Place,
  call: C,
  f: Slot,
  [at, along]: readonly Slot[],
  caller: Caller<C>,
): Value {
  const [primals, tangents] = [at, along].map((slot) => (slot ? itemsOf(slot.value) : [])) as [
    readonly Slot[],
    readonly Slot[],
  ];
  if (isOpen(machine, [...primals, ...tangents])) return BROKEN;
  if (primals.length === 0 || primals.length !== tangents.length)
    return refuse(
      machine,
      call.expr.span,
      "jvp takes a def, its arguments and a tangent for each: jvp(f, (x,), (dx,)).",
    );
  const trees = primals.map((slot) => withNodes(machine, place, slot));
  const points = trees.flatMap(({ value }) => tensorsOf(value));
  const changes = nodesOf(machine, place, tangents.flatMap(leavesOf));
  if (points.length !== changes.length)
    return refuse(machine, call.expr.span, "jvp takes tangents that branch like the arguments they belong to.");
  const odd = points.findIndex((id, i) => !sameShape(typeOf(machine, id).shape, typeOf(machine, changes[i]!).shape));
  if (odd >= 0)
    return refuse(
      machine,
      call.expr.span,
      `Tangent ${odd + 1} is ${showType(typeOf(machine, changes[odd]!))}; its argument is ${showType(typeOf(machine, points[odd]!))}.`,
    );
  const value = caller(machine, place, withoutArguments(call), [f, ...trees]);
  if (isBroken(value)) return BROKEN;
  const seeds = new Map(points.map((id, i) => [id, changes[i]!]));
  const made = written(machine, place, { expr: call.expr, label: "jvp" }, (book, name) =>
    pushForward(book, seeds, tensorsOf(value), name),
  );
  if (!made) return BROKEN;
  let next = 0;
  const tangent = mapLeaves(loose(value), (leaf) =>
    leaf.value.kind === "tensor" ? loose(tensorValue(made[next++]!)) : leaf,
  );
  return { kind: "sequence", items: [loose(value), tangent] };
}

/** `w.grad` after `loss.backward()`: of the sum of all losses so far. What one such gradient passed through is not asked for by the next. */
export function gradOf(machine: Machine, place: Place, expr: Expr, wrt: NodeId): Value {
  const { losses } = machine;
  if (losses.length === 0) return refuse(machine, expr.span, "`.grad` is known after `.backward()` of a loss.", [wrt]);
  const problem = losses.map((node) => lossProblem(machine, tensorValue(node))).find((each) => each !== null);
  if (problem) return refuse(machine, expr.span, problem, losses);
  const found = new Map<NodeId, NodeId>();
  const made = written(machine, place, { expr, label: "grad", found }, (book, name) =>
    pullBack(book, ones(losses)(book), [wrt], name, machine.cotangents, found),
  );
  return made ? tensorValue(made[0]!) : BROKEN;
}

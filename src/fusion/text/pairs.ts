/** @file PyTorch's answers of two: `values, indices = x.topk(k)`, `x.max(dim=-1).indices`, `torch.sort(x)[0]`; and rows of a tensor that several names take. */
import { findOp } from "../ops";
import { applyOp, applyParts } from "./apply";
import type { Machine, Place } from "./machine";
import { typeOf } from "./machine";
import type { Expr } from "./syntax";
import { bare } from "./syntax";
import type { NodeId } from "../ir";
import type { Slot, Value } from "./values";
import { isBroken, tensorValue } from "./values";

/** The op that answers the places of what this one answers. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ["topk", "topk_indices"],
  ["sort", "argsort"],
  ["max", "argmax"],
  ["min", "argmin"],
]);

/** Whether `node` was written as a call that answers values and places. */
function isPair({ sites, nodes }: Machine, node: NodeId): boolean {
  const site = sites.get(node);
  if (!site?.op || !PLACES.has(site.op.name) || nodes.get(node)?.id !== node) return false;
  return (site.op.name !== "max" && site.op.name !== "min") || (site.attrs["axes"] ?? null) !== null;
}

/** The places beside the values `node`; null where its call answers values alone. */
export function placesBeside(machine: Machine, place: Place, node: NodeId, path: string): Value | null {
  if (!isPair(machine, node)) return null;
  const { op, attrs, operands, expr } = machine.sites.get(node)!;
  const tensors = operands.map((operand): Slot => ({
    value: tensorValue(operand.node!),
    path: "",
    expr: operand.expr,
  }));
  return applyOp(machine, place, { op: findOp(PLACES.get(op!.name)!)!, path, expr }, { tensors, attrs });
}

const NUMPY = /^(jnp|np|numpy|jax)\b/;

/** `x.max(dim=1)[0]`: one of the two, not a row; null where the brackets mean a row. */
export function halfOf(machine: Machine, place: Place, object: Slot, index: number, path: string): Value | null {
  const call = object.expr && bare(object.expr);
  if (call?.kind !== "call" || object.value.kind !== "tensor" || (index !== 0 && index !== 1)) return null;
  const source = machine.text.slice(call.callee.span.from, call.callee.span.to);
  const single = NUMPY.test(source) && !/top_?k$/.test(source);
  if (single || !isPair(machine, object.value.node)) return null;
  return index === 0 ? object.value : placesBeside(machine, place, object.value.node, path);
}

/** What `count` names take of a tensor: values and places, or its rows; null where it has another number of rows. */
export function sharesOf(
  machine: Machine,
  place: Place,
  value: Value,
  count: number,
  expr: Expr,
): readonly Slot[] | null {
  if (value.kind !== "tensor" || machine.unknown.has(value.node)) return null;
  const path = `${place.root}#1`;
  const places = count === 2 ? placesBeside(machine, place, value.node, path) : null;
  if (places && !isBroken(places))
    return [
      { value, path: place.root, expr },
      { value: places, path, expr },
    ];
  return typeOf(machine, value.node).shape[0] === count
    ? rowsOf(machine, place, { value, path: place.root, expr }, place.root)
    : null;
}

/** A tensor one row after the other, along its first axis. */
export function rowsOf(machine: Machine, place: Place, slot: Slot, root: string): readonly Slot[] {
  const { shape } = typeOf(machine, (slot.value as { readonly node: NodeId }).node);
  const expr = slot.expr ?? { kind: "bad", span: place.statement.span };
  return Array.from({ length: shape[0] ?? 0 }, (_, i) => {
    const path = `${root}#${i}`;
    const value = applyParts(machine, place, { path, expr, label: "row" }, [slot], (b, [x]) => {
      const row = b.op("slice", "slice", [x!], { start: [i], stop: [i + 1], step: [1], axes: [0] });
      return b.op("squeeze", "squeeze", [row], { axes: [0] });
    });
    return { value, path, expr };
  });
}

/** @file What stands after a dot without brackets: `.T`, `.shape`, `torch.pi`; and the methods that answer sizes. */
import type { DType, TensorType } from "../ir";
import { findOp, opDef, withDefaults } from "../ops";
import { applyOp } from "./apply";
import { gradOf } from "./transforms";
import type { Machine, Place } from "./machine";
import { toNode, typeOf } from "./machine";
import { DTYPES, MODULES, OTHER_DTYPES, PREFIXED_NUMBERS } from "./names";
import { placesBeside } from "./pairs";
import { nearest } from "./suggest";
import type { Expr, Identifier, MemberExpr } from "./syntax";
import type { Slot, Value } from "./values";
import { BROKEN, isBroken, numberValue, tensorValue } from "./values";

interface At {
  readonly path: string;
  readonly expr: Expr;
}

const sizes = (type: TensorType): Value => ({
  kind: "sequence",
  items: type.shape.map((extent) => ({ value: numberValue(extent, true), path: "", expr: null })),
});

/** `x.size()`, `x.size(-1)`, `x.dim()`, `x.numel()`: constants. Null when `name` is none of them. */
export function sizeMethod(
  machine: Machine,
  name: Identifier,
  type: TensorType,
  args: readonly Slot[],
  unknown: boolean,
): Value | null {
  if (name.text !== "size" && name.text !== "dim" && name.text !== "numel" && name.text !== "ndimension") return null;
  if (unknown) return BROKEN;
  if (name.text === "numel")
    return numberValue(
      type.shape.reduce((product, extent) => product * extent, 1),
      true,
    );
  if (name.text !== "size") return numberValue(type.shape.length, true);
  const [axis] = args;
  if (!axis) return sizes(type);
  if (axis.value.kind !== "number") return BROKEN;
  const extent = type.shape.at(axis.value.value);
  if (extent !== undefined) return numberValue(extent, true);
  machine.problems.add(
    "bad-axis",
    axis.expr?.span ?? name.span,
    `There is no axis ${axis.value.value}: the tensor has ${type.shape.length}.`,
  );
  return BROKEN;
}

/** A cast node. */
export function castTo(machine: Machine, place: Place, { path, expr }: At, x: Slot, dtype: DType): Value {
  const op = opDef("cast");
  return applyOp(machine, place, { op, path, expr }, { tensors: [x], attrs: withDefaults(op, { dtype }) });
}

function transposed(machine: Machine, place: Place, { path, expr }: At, x: Slot, perm: readonly number[]): Value {
  const op = opDef("transpose");
  return applyOp(machine, place, { op, path, expr }, { tensors: [x], attrs: withDefaults(op, { perm }) });
}

/** `x.T`: all axes reversed. */
export function transposeAll(machine: Machine, place: Place, at: At, x: Slot): Value {
  if (x.value.kind !== "tensor") return { kind: "hole" };
  const rank = typeOf(machine, x.value.node).shape.length;
  if (machine.unknown.has(x.value.node) || rank < 2)
    return rank < 2 && !machine.unknown.has(x.value.node) ? x.value : transposed(machine, place, at, x, [1, 0]);
  return transposed(
    machine,
    place,
    at,
    x,
    Array.from({ length: rank }, (_, i) => rank - 1 - i),
  );
}

function lastTwoSwapped(machine: Machine, place: Place, at: At, x: Slot, type: TensorType): Value {
  const rank = type.shape.length;
  if (rank < 2) {
    machine.problems.add("bad-rank", at.expr.span, "`.mT` swaps the last two axes; this tensor has fewer than two.");
    return BROKEN;
  }
  const perm = Array.from({ length: rank }, (_, i) => (i === rank - 1 ? rank - 2 : i === rank - 2 ? rank - 1 : i));
  return transposed(machine, place, at, x, perm);
}

/** The name after an unbound prefix. */
function prefixed(machine: Machine, { name, span }: MemberExpr): Value {
  const number = PREFIXED_NUMBERS.get(name.text);
  if (number !== undefined) return numberValue(number, false);
  const dtype = DTYPES.get(name.text);
  if (dtype) return { kind: "dtype", dtype };
  if (OTHER_DTYPES.test(name.text)) return { kind: "string", value: name.text };
  if (MODULES.has(name.text)) return { kind: "module", name: name.text };
  const op = findOp(name.text);
  if (op && op.kind !== "source") return { kind: "op", op };
  machine.problems.add("unknown-name", span, `Nothing is called \`${name.text}\` here.`);
  return BROKEN;
}

/** An open place that is asked for a member is a node of its own. */
export const filled = (machine: Machine, place: Place, slot: Slot): Slot =>
  slot.value.kind === "hole" ? { ...slot, value: tensorValue(toNode(machine, place, slot, [])) } : slot;

/** The value of `object.name`; `object` is null when the whole is a prefixed name. */
export function memberValue(
  machine: Machine,
  place: Place,
  expr: MemberExpr,
  receiver: Slot | null,
  path: string,
): Value {
  const { name } = expr;
  if (!receiver) return prefixed(machine, expr);
  const object = filled(machine, place, receiver);
  if (isBroken(object.value)) return BROKEN;
  if (object.value.kind === "self") return selfMember(machine, place, expr);
  if (object.value.kind === "dict") return entryOf(machine, name, object.value.entries);
  // `x.device.type`
  if (object.value.kind === "string" && name.text === "type") return object.value;
  if (object.value.kind !== "tensor") {
    machine.problems.add("bad-member", name.span, `\`.${name.text}\` stands after something that is not a tensor.`);
    return BROKEN;
  }
  const type = typeOf(machine, object.value.node);
  const unknown = machine.unknown.has(object.value.node);
  const at = { path, expr };
  switch (name.text) {
    case "T":
    case "H":
      return transposeAll(machine, place, at, object);
    case "mT":
    case "mH":
      return lastTwoSwapped(machine, place, at, object, type);
    case "shape":
      return unknown ? BROKEN : sizes(type);
    case "ndim":
      return unknown ? BROKEN : numberValue(type.shape.length, true);
    case "dtype":
      return { kind: "dtype", dtype: type.dtype };
    case "grad":
      return gradOf(machine, place, expr, object.value.node);
    case "values":
    case "indices": {
      const places = placesBeside(machine, place, object.value.node, path);
      if (places) return name.text === "values" ? object.value : places;
      unknownMember(machine, name);
      return BROKEN;
    }
    case "data":
    case "real":
      return object.value;
    case "device":
      return { kind: "string", value: "device" };
    case "is_cuda":
    case "requires_grad":
      return { kind: "bool", value: false };
    case "itemsize":
      return numberValue(type.dtype === "f16" ? 2 : 4, true);
    default:
      unknownMember(machine, name);
      return BROKEN;
  }
}

/** `options.eps`: an entry by its name. */
function entryOf(machine: Machine, { text, span }: Identifier, entries: ReadonlyMap<string, Slot>): Value {
  const found = entries.get(text);
  if (found) return found.value;
  machine.problems.add(
    "unknown-member",
    span,
    `It has ${[...entries.keys()].map((key) => `.${key}`).join(", ") || "no entries"}, not .${text}.`,
  );
  return BROKEN;
}

function unknownMember(machine: Machine, name: Identifier): void {
  const op = findOp(name.text);
  const near = nearest(name.text, ["T", "mT", "shape", "ndim", "dtype"]);
  const advice = op
    ? `It is called with brackets: .${name.text}().`
    : near
      ? `Did you mean \`.${near}\`?`
      : "It has .T, .mT, .shape, .ndim and .dtype.";
  const fixes = op
    ? [{ title: "Add ()", edits: [{ span: { from: name.span.to, to: name.span.to }, insert: "()" }] }]
    : near
      ? [{ title: `Change to ${near}`, edits: [{ span: name.span, insert: near }] }]
      : [];
  machine.problems.add("unknown-member", name.span, `A tensor has no \`.${name.text}\`. ${advice}`, { fixes });
}

/** `self.w`: the weight becomes a parameter of the pasted method. */
function selfMember(machine: Machine, place: Place, { name, span }: MemberExpr): Value {
  const def = place.turn.defs.at(-1);
  const last = def?.params.at(-1);
  const have = def?.params.some((param) => param.name.text === name.text) === true;
  const replace = { span, insert: name.text };
  const declare =
    last && !have
      ? [{ span: { from: last.span.to, to: last.span.to }, insert: `, ${name.text}: f32[1024, 1024]` }]
      : [];
  machine.problems.add(
    "self",
    span,
    `\`self.${name.text}\` is not here: make it a parameter, \`${name.text}: f32[…]\`.`,
    {
      fixes: [{ title: `Make ${name.text} a parameter`, edits: [...declare, replace] }],
    },
  );
  return BROKEN;
}

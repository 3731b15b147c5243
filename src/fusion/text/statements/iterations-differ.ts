/** @file Whether the next iteration of a training computes what this one does, and what tells them apart where it does not. */
import { isInput, type NodeId, sameShape } from "../../ir";
import type { Frame, Interpreter } from "../interpreter";
import { openTrial } from "../trial";
import { bare, type Expr } from "../reading/syntax";
import { describe, isBroken, type ObjectInfo, type Value } from "../values/values";
import { type Changed, scopesOf } from "./carried";
import { canBegin } from "./starting-values";

type Alike = (a: Value, b: Value) => boolean;

function alikeIn(a: Value, b: Value, alike: Alike): boolean {
  if (a === b || isBroken(a) || isBroken(b)) return true;
  if (a.kind === "sequence")
    return (
      b.kind === "sequence" &&
      a.items.length === b.items.length &&
      a.items.every((item, i) => alike(item.value, b.items[i]!.value))
    );
  if (a.kind === "dict")
    return (
      b.kind === "dict" &&
      a.entries.size === b.entries.size &&
      [...a.entries].every(([key, { value }]) => b.entries.has(key) && alike(value, b.entries.get(key)!.value))
    );
  if (a.kind === "object")
    return b.kind === "object" && (a.object === b.object || fieldsAlike(a.object, b.object, alike));
  if (a.kind === "def") return b.kind === "def" && a.def === b.def;
  if (a.kind === "number" || a.kind === "bool" || a.kind === "string") return b.kind === a.kind && a.value === b.value;
  if (a.kind === "op") return b.kind === "op" && a.op === b.op;
  return a.kind === b.kind;
}

const fieldsAlike = (a: ObjectInfo, b: ObjectInfo, alike: Alike): boolean =>
  a.of === b.of &&
  [...a.fields].every(([key, field]) => {
    const other = b.fields.get(key);
    return other !== undefined && alike(field, other);
  });

/** Whether the next iteration finds `to` as this one found `from`: the same, or a tensor that goes on as a state. */
function goesOn(interpreter: Interpreter, from: Value, to: Value): boolean {
  if (from.kind !== "tensor" || to.kind !== "tensor") return alikeIn(from, to, (a, b) => goesOn(interpreter, a, b));
  if (from.node === to.node) return true;
  const { nodes, optimizing } = interpreter;
  const [was, is] = [nodes.get(from.node), nodes.get(to.node)];
  if (!was || !is || !sameShape(was.type.shape, is.type.shape)) return false;
  return canBegin(interpreter, optimizing.first.get(from.node) ?? from.node);
}

/** Whether two items of a loop are the same while it is read. */
function isSame(a: Value, b: Value): boolean {
  return a.kind === "tensor" && b.kind === "tensor" ? a.node === b.node : alikeIn(a, b, isSame);
}

/** Names of a loop's target whose values differ from iteration to iteration. */
export function differingNames(target: Expr, [first, ...more]: readonly Value[]): readonly string[] {
  const expr = bare(target);
  if (!first || more.every((each) => isSame(first, each))) return [];
  if (expr.kind === "name") return [expr.name];
  if (expr.kind !== "tuple" && expr.kind !== "list") return [];
  return expr.items.flatMap((item, at) => {
    const parts = [first, ...more].flatMap((each) =>
      each.kind === "sequence" && each.items[at] ? [each.items[at].value] : [],
    );
    return differingNames(item, parts);
  });
}

/** What the next iteration reads and finds changed by this one, in words; null where there is nothing. */
export function difference(interpreter: Interpreter, changed: readonly Changed[]): string | null {
  const found = changed.find(({ home, from, to }) => !goesOn(interpreter, from, to) && home.isRead());
  return found
    ? `\`${found.home.name}\` is ${said(found.from)} before this iteration and ${said(found.to)} after it`
    : null;
}

const said = (value: Value): string =>
  value.kind === "sequence" ? `${describe(value)} of ${value.items.length}` : describe(value);

/** What inputs have become so far, and the inputs that they were. */
const nowOf = ({ optimizing }: Interpreter): ReadonlyMap<NodeId, NodeId> =>
  new Map([...optimizing.replaced].map(([input, value]) => [value, input]));

/** Whether each of `pairs` is computed alike: the second of what `began` says as the first is of the inputs that those were. */
function areComputedAlike(
  { nodes }: Interpreter,
  pairs: readonly (readonly [NodeId, NodeId])[],
  began: ReadonlyMap<NodeId, NodeId>,
): boolean {
  const left = [...pairs];
  const seen = new Map<NodeId, NodeId>();
  for (let pair = left.pop(); pair; pair = left.pop()) {
    const [a, b] = pair;
    if (seen.get(a) === b || began.get(b) === a || (a === b && !began.has(b))) continue;
    seen.set(a, b);
    const [was, is] = [nodes.get(a)!, nodes.get(b)!];
    if (isInput(was) || began.has(b) || was.op !== is.op || was.inputs.length !== is.inputs.length) return false;
    if (JSON.stringify(was.attrs) !== JSON.stringify(is.attrs)) return false;
    was.inputs.forEach((input, at) => left.push([input, is.inputs[at]!]));
  }
  return true;
}

/**
 * Whether a block of iterations repeats.
 * @param another runs the block after it, which leaves nothing behind
 */
export function repeatsItself(interpreter: Interpreter, frame: Frame, another: () => void): boolean {
  const { optimizing } = interpreter;
  const began = nowOf(interpreter);
  const marks = [...scopesOf(frame)].map((scope) => [scope, scope.mark()] as const);
  const trial = openTrial(interpreter);
  another();
  const pairs = [...began].map(([value, input]) => [value, optimizing.replaced.get(input)!] as const);
  const isSame =
    !trial.hasErrors() && optimizing.replaced.size === began.size && areComputedAlike(interpreter, pairs, began);
  trial.undo();
  for (const [scope, mark] of marks) scope.backTo(mark);
  return isSame;
}

/** @file What a statement binds: identities of new versions, names and tuples of names. */
import type { NodeId } from "../ir";
import type { Machine, Place, Turn } from "./machine";
import type { SymbolKind } from "./scope";
import { bindName } from "./symbols";
import { findOp } from "../ops";
import { sharesOf } from "./pairs";
import { setItem } from "./set-item";
import type { Expr, NameExpr, Statement, SubscriptExpr } from "./syntax";
import { bare, indexParts } from "./syntax";
import type { Slot, Value } from "./values";
import { BROKEN, describe, isBroken } from "./values";

/** `y`, or `y@2` when `y` names a node already. */
export function versioned(turn: Turn, name: string): string {
  const used = turn.versions.get(name) ?? 0;
  return used === 0 ? turn.prefix + name : `${turn.prefix}${name}@${used + 1}`;
}

/** Runs `work` with the identity that `name` gets in `statement`; the version is used up if a node was made. */
export function underName<T>(
  machine: Machine,
  turn: Turn,
  statement: Statement,
  name: string,
  work: (place: Place) => T,
): T {
  const before = machine.nodes.size;
  const place: Place = { turn, statement, moment: ++machine.moment, root: versioned(turn, name) };
  machine.places.push(place);
  const result = work(place);
  if (machine.nodes.size > before) turn.versions.set(name, (turn.versions.get(name) ?? 0) + 1);
  return result;
}

/** The name whose value gets other elements in `x[1:] = v`, `x.mul_(2).add_(y)`; null of anything else. */
export function writtenName(target: Expr): NameExpr | null {
  let expr = bare(target);
  for (;;) {
    if (expr.kind === "subscript") expr = bare(expr.object);
    else if (expr.kind === "call" && expr.callee.kind === "member" && writesInPlace(expr.callee.name.text))
      expr = bare(expr.callee.object);
    else return expr.kind === "name" && expr !== bare(target) ? expr : null;
  }
}

/** `add_`: PyTorch's mark of what changes its tensor. */
export const writesInPlace = (method: string): boolean =>
  /[a-z\d]_$/.test(method) && findOp(method.slice(0, -1)) !== null;

export const namesIn = (target: Expr): readonly NameExpr[] => {
  const expr = bare(target);
  const written = expr.kind === "subscript" ? writtenName(expr) : null;
  if (written) return [written];
  if (expr.kind === "name") return [expr];
  return expr.kind === "tuple" || expr.kind === "list" ? expr.items.flatMap(namesIn) : [];
};

/** A piece of a tuple is called as the name it is bound to. */
function nameLoose(machine: Machine, { root }: Place, id: NodeId, label: string): void {
  const node = machine.nodes.get(id)!;
  if (id.startsWith(`${root}#`) && node.label === node.op) machine.nodes.set(id, { ...node, label });
}

/** `x[…] = v`, `items[0] = v`, `d["w"] = v`: the name stands for what has it there. */
export function writeItem(machine: Machine, place: Place, expr: SubscriptExpr, value: Slot): void {
  const object = bare(expr.object);
  if (object.kind !== "name") {
    if (!isBroken(value.value))
      machine.problems.add(
        "bad-target",
        expr.span,
        "Only a name's own places can be written to: give the part a name, write to it, and put it back.",
      );
    return;
  }
  const held = machine.valueOf(place, object, `${place.root}/object`);
  const parts = expr.indices.flatMap(indexParts).map((part, i) => ({
    value: machine.valueOf(place, part, `${place.root}/at/${i}`),
    path: `${place.root}/at/${i}`,
    expr: part,
  }));
  const now =
    withItem(held, parts, value) ??
    setItem(machine, place, {
      expr,
      path: place.root,
      object: { value: held, path: `${place.root}/object`, expr: object },
      parts,
      value,
      reduction: "none",
    });
  bindName(machine, place, object, now);
}

/** A list or a dictionary with another entry; null of anything else. */
function withItem(held: Value, [at]: readonly Slot[], value: Slot): Value | null {
  const key = at?.value.kind === "string" ? at.value.value : at?.value.kind === "number" ? at.value.value : null;
  if (held.kind === "dict" && key !== null)
    return { kind: "dict", entries: new Map([...held.entries, [`${key}`, value]]) };
  if (held.kind !== "sequence" || typeof key !== "number" || held.items.at(key) === undefined) return null;
  return { kind: "sequence", items: held.items.with(key, value) };
}

/** Binds a name or a tuple of names; says what else can't be assigned to. */
export function bindTargets(machine: Machine, place: Place, target: Expr, value: Value, kind?: SymbolKind): void {
  const expr = bare(target);
  if (expr.kind === "name") {
    if (value.kind === "tensor") nameLoose(machine, place, value.node, expr.name);
    return bindName(machine, place, expr, value, kind);
  }
  if (expr.kind === "subscript")
    return writeItem(machine, place, expr, { value, path: `${place.root}/value`, expr: null });
  if (expr.kind !== "tuple" && expr.kind !== "list") {
    if (expr.kind !== "bad" && !isBroken(value))
      machine.problems.add(
        "bad-target",
        expr.span,
        "Only names and places of a tensor can be assigned to: values never change, a new one gets a name.",
      );
    return;
  }
  const items = value.kind === "sequence" ? value.items : sharesOf(machine, place, value, expr.items.length, expr);
  const fits = items?.length === expr.items.length;
  if (!fits && !isBroken(value)) {
    machine.problems.add(
      "bad-unpacking",
      expr.span,
      items
        ? `There are ${expr.items.length} names and ${items.length} values.`
        : `${expr.items.length} names can't be bound to ${describe(value)}.`,
    );
  }
  expr.items.forEach((item, i) => bindTargets(machine, place, item, fits ? items[i]!.value : BROKEN, kind));
}

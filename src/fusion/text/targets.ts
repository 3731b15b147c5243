/** @file What a statement binds: identities of new versions, names and tuples of names. */
import type { NodeId } from "../ir";
import type { Machine, Place, Turn } from "./machine";
import type { SymbolKind } from "./scope";
import { bindName } from "./symbols";
import type { Expr, NameExpr, Statement } from "./syntax";
import { bare } from "./syntax";
import type { Value } from "./values";
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

export const namesIn = (target: Expr): readonly NameExpr[] => {
  const expr = bare(target);
  if (expr.kind === "name") return [expr];
  return expr.kind === "tuple" || expr.kind === "list" ? expr.items.flatMap(namesIn) : [];
};

/** A piece of a tuple is called as the name it is bound to. */
function nameLoose(machine: Machine, { root }: Place, id: NodeId, label: string): void {
  const node = machine.nodes.get(id)!;
  if (id.startsWith(`${root}#`) && node.label === node.op) machine.nodes.set(id, { ...node, label });
}

/** Binds a name or a tuple of names; says what else can't be assigned to. */
export function bindTargets(machine: Machine, place: Place, target: Expr, value: Value, kind?: SymbolKind): void {
  const expr = bare(target);
  if (expr.kind === "name") {
    if (value.kind === "tensor") nameLoose(machine, place, value.node, expr.name);
    return bindName(machine, place, expr, value, kind);
  }
  if (expr.kind !== "tuple" && expr.kind !== "list") {
    if (expr.kind !== "bad" && !isBroken(value))
      machine.problems.add(
        "bad-target",
        expr.span,
        "Only names can be assigned to: values never change, a new one gets a name.",
      );
    return;
  }
  const items = value.kind === "sequence" ? value.items : null;
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

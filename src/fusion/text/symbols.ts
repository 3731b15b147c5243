/** @file Binding a name: the newest value, and the symbol that rename and go-to-definition see. */
import type { Machine, Place } from "./machine";
import type { SymbolKind } from "./scope";
import { SymbolRecord } from "./scope";
import type { NameExpr } from "./syntax";
import type { Value } from "./values";

/** Binds `target` to `value` in the scope of `place`. What several calls or turns bind at one spot is one symbol. */
export function bindName(machine: Machine, place: Place, target: NameExpr, value: Value, kind?: SymbolKind): void {
  const key = `${target.span.from} ${target.name}`;
  let symbol = machine.symbols.get(key);
  if (!symbol) {
    const is =
      kind ?? (value.kind === "tensor" || value.kind === "broken" || value.kind === "hole" ? "value" : "constant");
    symbol = new SymbolRecord(target.name, is, target.span, place.statement, place.turn.scope.owner);
    machine.symbols.set(key, symbol);
  }
  symbol.addValue(value);
  place.turn.scope.bind(target.name, { moment: ++machine.moment, value, symbol });
}

/** @file Binding a name: the newest value, and the symbol that rename and go-to-definition see. */
import type { Interpreter, StatementRun } from "./interpreter";
import { type SymbolKind, SymbolRecord, type Value } from "./values/values";
import type { Expr, NameExpr } from "./reading/syntax";

const keyOf = ({ span, name }: NameExpr): string => `${span.from} ${name}`;

/** The symbol that was bound where `target` stands. */
export const boundAt = (interpreter: Interpreter, target: NameExpr): SymbolRecord | undefined =>
  interpreter.symbols.get(keyOf(target));

/** What a def changes where it is, and did not make, is there for whoever has it outside. */
export function noteChanged(interpreter: Interpreter, { frame }: StatementRun, target: Expr): void {
  if (target.kind !== "name" || !frame.scope.parent?.find(target.name)) return;
  const symbol = boundAt(interpreter, target);
  if (symbol) symbol.isRead = true;
}

/** Binds `target` to `value` in the scope of `run`. What several calls or iterations bind at one statement is one symbol. */
export function bindName(
  interpreter: Interpreter,
  run: StatementRun,
  target: NameExpr,
  value: Value,
  kind?: SymbolKind,
): void {
  const key = keyOf(target);
  let symbol = interpreter.symbols.get(key);
  if (!symbol) {
    const is =
      kind ??
      (run.frame.scope.ofClass
        ? "parameter"
        : value.kind === "tensor" || value.kind === "broken" || value.kind === "hole"
          ? "value"
          : "constant");
    symbol = new SymbolRecord(target.name, is, target.span, run.statement, run.frame.scope.owner);
    interpreter.symbols.set(key, symbol);
  }
  symbol.addValue(value);
  const outer = run.frame.scope.outerOf(target.name);
  if (outer)
    interpreter.outerWrites.push({ scope: outer, name: target.name, count: outer.names.get(target.name)?.length ?? 0 });
  run.frame.scope.bind(target.name, { step: ++interpreter.step, value, symbol });
}

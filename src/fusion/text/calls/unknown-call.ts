/** @file A call of a name that nothing here has: what it may have meant, and what to do. */
import { opNames } from "../../ops";
import type { Interpreter, StatementRun } from "../interpreter";
import { layerNames } from "../layers/layer";
import { libraryNames } from "../library/library";
import { usualTypes } from "../../datasets";
import { showType } from "../../ir";
import { throughSelf } from "../objects/inheritance";
import { ADVICE, NOT_YET, SOURCES } from "./names";
import { nearest } from "../suggest";
import type { CallExpr, Identifier } from "../reading/syntax";
import { bare } from "../reading/syntax";
import { isBroken, type Operand } from "../values/values";

/** Layers are called as classes, ops as functions: one is no slip of the other. */
const isClass = (name: string): boolean => /^[A-Z]/.test(name);

const letters = (word: string): string => word.toLowerCase().split("").sort().join("");

/** Names of three letters have neighbours that mean something else: only swapped or missing letters are slips there. */
const mayBeMeant = (written: string, name: string): boolean =>
  isClass(written) === isClass(name) &&
  (written.length > 3 || written.length !== name.length || letters(written) === letters(name));

/** Says what is wrong with a call of `name`. */
export function unknownCall(
  interpreter: Interpreter,
  run: StatementRun,
  expr: CallExpr,
  name: Identifier,
  operands: readonly Operand[],
): void {
  const { text, span } = name;
  const { diagnostics } = interpreter;
  const later = NOT_YET.get(text);
  if (later !== undefined) {
    diagnostics.add("not-yet", span, `\`${text}\` is not supported yet. ${later}`);
    return;
  }
  if (SOURCES.has(text)) {
    const sizes = operands.flatMap(({ value }) =>
      value.kind === "sequence" ? value.items.map((item) => item.value) : [value],
    );
    const numbers = sizes.flatMap((value) => (value.kind === "number" ? [value.value] : []));
    const [set, part] = operands.flatMap(({ value }) => (value.kind === "string" ? [value.value] : []));
    const [usual] = usualTypes(set, part);
    const type = usual ? showType(usual) : `f32[${numbers.length > 0 ? numbers.join(", ") : "1024, 1024"}]`;
    const source = usual ? interpreter.text.slice(expr.span.from, expr.span.to) : `${text}()`;
    const { statement } = run;
    const target = statement.kind === "assign" && statement.targets.length === 1 ? bare(statement.targets[0]!) : null;
    const alone = statement.kind === "assign" && statement.value !== null && bare(statement.value) === expr;
    const declared = target?.kind === "name" && alone ? `${target.name}: ${type} = ${source}` : null;
    diagnostics.add(
      "source-without-type",
      span,
      `\`${text}\` feeds an input, and an input is declared with its type: ${declared ?? `x: ${type} = ${source}`}.`,
      declared
        ? { fixes: [{ title: `Declare ${declared}`, edits: [{ span: statement.span, insert: declared }] }] }
        : {},
    );
    return;
  }
  const bound = run.frame.scope.find(text);
  if (bound) {
    if (bound.value.kind !== "broken")
      diagnostics.add("not-callable", span, `\`${text}\` is a value, not an op: it can't be called.`);
    return;
  }
  if (operands.some((operand) => isBroken(operand.value)) && interpreter.firstDefinition.has(text)) return;
  const defs = [...run.frame.scope.visible()].filter((visible) => run.frame.scope.find(visible)?.value.kind === "def");
  const advice = ADVICE.get(text);
  const own = advice === undefined ? throughSelf(run.frame.method, text) : null;
  const near =
    advice === undefined && own === null
      ? nearest(
          text,
          [...defs, ...opNames, ...libraryNames(), ...layerNames].filter((each) => mayBeMeant(text, each)),
        )
      : own;
  diagnostics.add(
    "unknown-op",
    span,
    `No op is called \`${text}\`. ${advice ?? (near ? `Did you mean \`${near}\`?` : "If your code defines it, paste its def above. The palette lists all ops.")}`,
    {
      fixes: near ? [{ title: `Change to ${near}`, edits: [{ span, insert: near }] }] : [],
    },
  );
}

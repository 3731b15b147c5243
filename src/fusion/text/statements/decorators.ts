/** @file What stands above a def: transformations, decorators of the program, and what compiles or caches and changes no value. */
import { transformed } from "../calls/call";
import { customFunction, isCustom, isRule, setRules } from "../objects/custom-functions";
import { isTransform } from "../calls/transforms";
import type { Interpreter, StatementRun } from "../interpreter";
import { bare, type CallExpr, type ClassStatement, type DefStatement, type Expr, lastNameOf } from "../reading/syntax";
import { GRADIENT_MODES } from "../reading/read-statement";
import { isOn } from "./modes";
import { ADVICE } from "../calls/names";
import { BROKEN, type CustomFunction, type Scope, type Value } from "../values/values";

/** Whether the program has what a decorator names: a def, a class or an object. */
function isOwn(scope: Scope, decorator: Expr): boolean {
  let root = bare(decorator);
  while (root.kind === "member" || root.kind === "call")
    root = bare(root.kind === "member" ? root.object : root.callee);
  const kind = root.kind === "name" ? scope.find(root.name)?.value.kind : undefined;
  return kind === "def" || kind === "class" || kind === "object" || kind === "partial";
}

/** Decorators that make another function, which is not read here. */
const UNREAD: ReadonlySet<string> = new Set(["filter_grad", "filter_value_and_grad"]);

/** The function whose derivative `@f.defjvp` says. */
function ruledBy(scope: Scope, decorator: Expr): { readonly custom: CustomFunction; readonly name: string } | null {
  const at = bare(decorator);
  const object = at.kind === "member" && isRule(at.name.text) ? bare(at.object) : null;
  const found = object?.kind === "name" ? scope.find(object.name) : null;
  if (found?.value.kind !== "custom" || at.kind !== "member") return null;
  found.symbol.addUse(at.object.span);
  return { custom: found.value.custom, name: at.name.text };
}

/** `@jax.vmap` or `@twice` above a def: the name stands for what that makes of the def. */
export function decorated(
  interpreter: Interpreter,
  run: StatementRun,
  { decorators }: DefStatement | ClassStatement,
  def: Value,
): Value {
  return (decorators ?? []).toReversed().reduce<Value>((of, decorator, i) => {
    const { span } = decorator;
    const operand = { value: of, path: run.root, expr: decorator };
    const expr: CallExpr = { kind: "call", span, callee: decorator, args: [], open: span.to, close: span.to };
    const ruled = ruledBy(run.frame.scope, decorator);
    if (ruled) return setRules(ruled.custom, ruled.name, [{ name: null, operand, span }]);
    if (isOwn(run.frame.scope, decorator)) {
      const path = `${run.root}/decorator${i}`;
      const value = interpreter.valueOf(run, decorator, path);
      return interpreter.call(run, { expr, path }, value, [{ name: null, operand, span }]);
    }
    // What a library makes of a class, `@dataclass`, is read in the class.
    if (of.kind === "class") return of;
    const call = decorator.kind === "call" ? decorator : null;
    const [wrapped, ...rest] = call && lastNameOf(call) === "partial" ? call.args : [];
    const word = lastNameOf(wrapped?.value ?? decorator);
    if (GRADIENT_MODES.has(word) && of.kind === "def") return { ...of, derivatives: isOn(interpreter, run, decorator) };
    if (UNREAD.has(word)) {
      interpreter.diagnostics.add("unknown-op", decorator.span, ADVICE.get(word)!);
      return BROKEN;
    }
    if (!isTransform(word) && !isCustom(word)) return of;
    const args = (wrapped ? rest : (call?.args ?? [])).map(({ name, value, span: at }) => ({
      name,
      operand: { value: interpreter.valueOf(run, value, `${run.root}/${word}`), path: run.root, expr: value },
      span: at,
    }));
    const all = [{ name: null, operand, span }, ...args];
    if (isCustom(word)) return customFunction(interpreter, word, all);
    return transformed(interpreter, run, { expr, path: run.root }, word, all);
  }, def);
}

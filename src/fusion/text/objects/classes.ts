/** @file Classes of the program: what a class statement binds, and what a class has of those that it inherits from. */
import type { Frame, Interpreter } from "../interpreter";
import { isLayer } from "../layers/layer";
import { libraryClass } from "../library/library";
import { type ClassInfo, type Making, type Operand, Scope, type Value } from "../values/values";
import { nearest } from "../suggest";
import { bindName } from "../symbols";
import type { CallExpr, ClassStatement, Expr, Identifier, Statement } from "../reading/syntax";
import { bare, lastNameOf } from "../reading/syntax";
import { attributeKey, inherited, isDecorated, lineOf, type Found } from "./inheritance";
import { underName, versioned } from "../statements/targets";
import { CONTAINERS, isContainerClass } from "./containers";

const loose = (value: Value): Operand => ({ value, path: "", expr: null });
export const newMaking = (interpreter: Interpreter): Making => {
  const making: Making = { late: [] };
  interpreter.makings.push(making);
  return making;
};

/** Binds the class that `statement` says. */
export function runClass(interpreter: Interpreter, statement: ClassStatement, frame: Frame): void {
  const { name } = statement;
  const above = statement.bases.map((base): ClassInfo | string => {
    const word = lastNameOf(base);
    const value = base.kind === "name" || base.kind === "member" ? frame.scope.find(word)?.value : undefined;
    if (base.kind === "name" && value) frame.scope.find(word)!.symbol.addUse(base.span);
    return value?.kind === "class" ? value.of : (libraryClass(word) ?? word);
  });
  const of: ClassInfo = {
    name: name.text,
    statement,
    scope: frame.scope,
    bases: above.filter((base) => typeof base !== "string"),
    layer:
      above.find((base): base is string => typeof base === "string" && (isLayer(base) || isContainerClass(base))) ??
      null,
    attributes: new Map(),
    fields: new Map(),
    making: newMaking(interpreter),
  };
  underName(interpreter, frame, statement, name.text, (run) => {
    const target = { kind: "name", name: name.text, span: name.span } as const;
    bindName(interpreter, run, target, { kind: "class", of }, "def");
  });
  const scope = new Scope(frame.scope, name.text, true);
  const prefix = `${versioned(frame, name.text)}.`;
  const inner: Frame = { ...frame, scope, prefix, versions: new Map(), making: of.making };
  const before = new Set(interpreter.nodes.keys());
  for (const each of statement.body) {
    if (isField(each)) defineField(interpreter, inner, of, each);
    else if (each.kind === "def") {
      const value = { kind: "def", def: each, scope: frame.scope, made: interpreter.step + 1 } as const;
      const all = underName(interpreter, inner, each, each.name.text, (run) => interpreter.decorate(run, each, value));
      of.attributes.set(attributeKey(each), loose(all));
    } else interpreter.runBody([each], inner);
    for (const [key] of scope.names) of.attributes.set(key, loose(scope.find(key)!.value));
  }
  if (statement.decorators?.length)
    underName(interpreter, frame, statement, name.text, (run) => {
      const value = interpreter.decorate(run, statement, { kind: "class", of });
      if (value.kind !== "class" || value.of !== of)
        bindName(interpreter, run, { kind: "name", name: name.text, span: name.span }, value, "def");
    });
  setAside(interpreter, before);
}

type Field = Extract<Statement, { kind: "assign" }>;
const isField = (statement: Statement): statement is Field =>
  statement.kind === "assign" && statement.annotation !== null && bare(statement.targets[0]!).kind === "name";

/** `dim: int = 8` of a class: a call may give it another value. */
function defineField(interpreter: Interpreter, frame: Frame, of: ClassInfo, statement: Field): void {
  const target = bare(statement.targets[0]!) as Extract<Expr, { kind: "name" }>;
  if (!statement.value) {
    of.fields.set(target.name, null);
    return;
  }
  underName(interpreter, frame, statement, target.name, (run) => {
    const value = interpreter.valueOf(run, statement.value!, run.root);
    of.fields.set(target.name, { value, path: run.root, expr: statement.value });
    bindName(interpreter, run, target, value);
  });
}

/** Nodes made since `before` are no results by themselves. */
export function setAside({ nodes, spare }: Interpreter, before: ReadonlySet<string>): void {
  for (const id of nodes.keys()) if (!before.has(id)) spare.add(id);
}

/** Whether it is a method whose first parameter is the object. */
export const takesObject = ({ operand: { value } }: Found): boolean =>
  value.kind === "def" && !isDecorated(value.def, "staticmethod") && !isDecorated(value.def, "classmethod");

export const layerAbove = (of: ClassInfo): string | null => lineOf(of).find(({ layer }) => layer)?.layer ?? null;

/** What a module does when it is called: JAX libraries' name, else PyTorch's. */
export const callOf = (of: ClassInfo): Found | null => inherited(of, "__call__") ?? inherited(of, "forward");
export const isCallable = (of: ClassInfo): boolean => callOf(of) !== null || layerAbove(of) !== null;

/** Says that `of` has no attribute `name`. */
export function unknownAttribute(
  interpreter: Interpreter,
  of: ClassInfo,
  fields: Iterable<string>,
  { text, span }: Identifier,
): void {
  const names = [...fields, ...lineOf(of).flatMap(({ attributes }) => [...attributes.keys()])];
  const near = nearest(text, names);
  const foreign = lineOf(of)
    .flatMap(({ statement }) => statement.bases.map(lastNameOf))
    .find((base) => !KNOWN_BASES.has(base) && !isLayer(base) && !lineOf(of).some((each) => each.name === base));
  const advice = near
    ? ` Did you mean \`${near}\`?`
    : foreign
      ? ` It may come from ${foreign}: paste that class above.`
      : "";
  interpreter.diagnostics.add("unknown-member", span, `${of.name} has no \`${text}\`.${advice}`, {
    fixes: near ? [{ title: `Change to ${near}`, edits: [{ span, insert: near }] }] : [],
    raises: ["AttributeError"],
  });
}

const KNOWN_BASES: ReadonlySet<string> = new Set([
  "Module",
  "object",
  "ABC",
  "Enum",
  "NamedTuple",
  "Generic",
  ...CONTAINERS,
]);

const CHECKS = /^(check|assert|warn|log|info|debug|validate)/;

/** `nn.init.xavier_uniform_(self.w)`, `self.w.data.fill_(0)`, `warnings.warn(…)`. */
const isIdleCall = ({ callee }: CallExpr): boolean => {
  const called = bare(callee);
  const name = lastNameOf(called);
  if (called.kind !== "member") return CHECKS.test(name);
  const object = lastNameOf(called.object);
  return name.endsWith("_") && !name.startsWith("_") ? true : /^(logger|warnings|logging|init)$/.test(object);
};

/** `self.fc.weight.data`; a field of the object's own may be called so, too. */
const isWeight = (target: Expr): boolean =>
  target.kind === "member" && target.name.text === "data" && bare(target.object).kind === "member";

/** Whether `statement` may be left out: nothing that forward() computes hangs on it. */
export function isIdle(statement: Statement): boolean {
  switch (statement.kind) {
    case "import":
    case "pass":
      return true;
    case "expression": {
      const call = bare(statement.value);
      return call.kind === "string" || (call.kind === "call" && isIdleCall(call));
    }
    case "assign":
      return statement.targets.every((target) => isWeight(bare(target)));
    case "if":
      return [...statement.branches.flatMap(({ body }) => body), ...statement.otherwise].every(isIdle);
    case "for":
    case "while":
      return statement.body.every(isIdle);
    case "raise":
    case "assert":
    case "update":
    case "return":
    case "yield":
    case "def":
    case "class":
    case "break":
    case "continue":
    case "bad":
      return false;
  }
}

/** @file A text that is one uncalled def is that def's body, its parameters being the inputs: a pasted forward() works. */
import type { Machine, Place, Turn } from "./machine";
import { toNode } from "./machine";
import { declareInput, sourceCall } from "./declare";
import { evaluate } from "./evaluate";
import { usualOf } from "./modules/layers";
import { holdsSeveral } from "./modules/inputs-fix";
import { heldBy, type Held } from "./python-types";
import { bindName } from "./symbols";
import type { DefStatement, ParamDecl, Statement } from "./syntax";
import { bare, bodiesOf, everyStatement, expressionsOf, walk } from "./syntax";
import type { Value } from "./values";
import { BROKEN, tensorValue } from "./values";

function calledNames(statements: readonly Statement[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const expr of expressionsOf(statements)) {
    const callee = expr.kind === "call" ? bare(expr.callee) : null;
    if (callee?.kind === "name") names.add(callee.name);
  }
  return names;
}

/** Whether a top-level statement leaves the program to a def: it binds a constant or says nothing. */
function isPreamble(statement: Statement): boolean {
  if (statement.kind === "if") return [...everyStatement(bodiesOf(statement).flat())].every(isPreamble);
  if (statement.kind === "def" || statement.kind === "pass") return true;
  if (statement.kind === "expression") return bare(statement.value).kind === "string";
  if (statement.kind !== "assign" || statement.annotation || !statement.value) return false;
  return [...walk(statement.value)].every(({ kind }) => kind !== "call" && kind !== "hole" && kind !== "bad");
}

/** The def that is the whole program, or null. */
export function loneDef(statements: readonly Statement[]): DefStatement | null {
  if (!statements.some((statement) => statement.kind === "def") || !statements.every(isPreamble)) return null;
  const called = calledNames(statements);
  const uncalled = statements
    .filter((statement) => statement.kind === "def")
    .filter((def) => !called.has(def.name.text));
  return uncalled.length === 1 ? uncalled[0]! : null;
}

/** A parameter without a shape is drawn as an open place; one that holds several tensors can't be drawn. */
function withoutShape(machine: Machine, place: Place, def: DefStatement, param: ParamDecl): Value {
  const { name } = param;
  if (holdsSeveral(def, param)) {
    const fixes = [{ title: "Make inputs of them, with types that fit", edits: machine.inputsFix() ?? [] }];
    machine.problems.add(
      "missing-shape",
      name.span,
      `\`${name.text}\` holds several tensors: each becomes an input of its own.`,
      { fixes },
    );
    return BROKEN;
  }
  const insert = param.annotation ? param.annotation.span : { from: name.span.to, to: name.span.to };
  const type = "f32[1024, 1024]";
  const every = machine.inputsFix();
  const all = every ? [{ title: "Give every input a type that fits", edits: every }] : [];
  const one = { title: `Make it ${type}`, edits: [{ span: insert, insert: param.annotation ? type : `: ${type}` }] };
  machine.problems.add("missing-shape", name.span, `\`${name.text}\` has no shape: write ${name.text}: ${type}.`, {
    fixes: [...all, one],
  });
  const path = place.root;
  return tensorValue(
    toNode(machine, place, { value: { kind: "hole" }, path, expr: { kind: "hole", span: param.span } }, []),
  );
}

/** What a parameter that is not a tensor needs: a value that is known before the graph runs. */
function withoutValue(machine: Machine, { name, annotation, span }: ParamDecl, held: Held): Value {
  const value = usualOf(name.text, held);
  const written = annotation ? machine.text.slice(span.from, span.to) : name.text;
  const every = machine.inputsFix();
  const all = every ? [{ title: "Give every input a type that fits", edits: every }] : [];
  const one = { title: `Make it ${value}`, edits: [{ span, insert: `${written} = ${value}` }] };
  machine.problems.add(
    "missing-shape",
    name.span,
    `\`${name.text}\` is known before the graph runs: give it a value, such as ${name.text}=${value}.`,
    { fixes: [...all, one] },
  );
  return BROKEN;
}

/** What a default or a star says a parameter is; null where a run feeds it. */
function valueOfParam(machine: Machine, place: Place, { value, starred }: ParamDecl): Value | null {
  if (starred) return starred === "items" ? { kind: "sequence", items: [] } : { kind: "dict", entries: new Map() };
  if (!value || sourceCall(value)) return null;
  return evaluate(machine, place, value, place.root);
}

function bindParam(machine: Machine, turn: Turn, def: DefStatement, param: ParamDecl): void {
  const { name, annotation } = param;
  const place: Place = { turn, statement: def, moment: ++machine.moment, root: name.text };
  const target = { kind: "name", name: name.text, span: name.span } as const;
  if (name.text === "self") return bindName(machine, place, target, { kind: "self" }, "parameter");
  const before = machine.nodes.size;
  const known = valueOfParam(machine, place, param);
  const held = annotation && heldBy(annotation);
  const value =
    known ??
    (held && held !== "tensor" && held !== "number" && !holdsSeveral(def, param)
      ? withoutValue(machine, param, held)
      : annotation && !held
        ? declareInput(machine, place, {
            name: name.text,
            path: name.text,
            annotation,
            source: param.value,
            span: param.span,
            param,
          })
        : withoutShape(machine, place, def, param));
  if (machine.nodes.size > before) turn.versions.set(name.text, 1);
  bindName(machine, place, target, value, known ? "parameter" : "input");
}

/** Runs the preamble, then `main` with its parameters as inputs. */
export function runLoneDef(machine: Machine, statements: readonly Statement[], main: DefStatement, turn: Turn): void {
  machine.runBody(statements, turn);
  if (turn.result.values) return;
  for (const param of main.params) bindParam(machine, turn, main, param);
  const inner: Turn = { ...turn, defs: [main] };
  machine.runBody(main.body, inner);
}

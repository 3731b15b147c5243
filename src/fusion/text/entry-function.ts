/** @file A text that is one uncalled def is that def's body, its parameters being the inputs: a pasted forward() works. */
import type { Interpreter, StatementRun, Frame } from "./interpreter";
import { toNode } from "./interpreter";
import { declareInput, sourceCall } from "./statements/declare";
import { evaluate } from "./evaluate";
import { usualOf } from "./guesses/usual";
import { holdsSeveral } from "./guesses/def-inputs";
import { annotatedKind, type AnnotatedKind } from "./reading/python-types";
import { bindName } from "./symbols";
import type { ClassStatement, DefStatement, ParamDecl, Statement } from "./reading/syntax";
import { WRAPPERS } from "./values/host-functions";
import { bare, bodiesOf, everyStatement, expressionsOf, lastNameOf, walk } from "./reading/syntax";
import { BROKEN, tensorValue, type Value } from "./values/values";

/** Names that `statements` read. */
const namesIn = (statements: readonly Statement[]): ReadonlySet<string> =>
  new Set(expressionsOf(statements).flatMap((expr) => (expr.kind === "name" ? [expr.name] : [])));

/** `step = jax.jit(step)`: the same function under the same name. */
function isWrapping(statement: Statement): boolean {
  const [target, call] =
    statement.kind === "assign" && statement.value ? [bare(statement.targets[0]!), bare(statement.value)] : [];
  if (target?.kind !== "name" || call?.kind !== "call" || !WRAPPERS.has(lastNameOf(call.callee))) return false;
  const of = call.args[0] && bare(call.args[0].value);
  return of?.kind === "name" && of.name === target.name;
}

/** Whether a top-level statement leaves the program to a def: it binds a constant or says nothing. */
function isPreamble(statement: Statement): boolean {
  if (statement.kind === "if") return [...everyStatement(bodiesOf(statement).flat())].every(isPreamble);
  if (statement.kind === "def" || statement.kind === "class") return true;
  if (statement.kind === "pass" || statement.kind === "import") return true;
  if (statement.kind === "expression") return bare(statement.value).kind === "string";
  if (isWrapping(statement)) return true;
  if (statement.kind !== "assign" || statement.annotation || !statement.value) return false;
  return [...walk(statement.value)].every(({ kind }) => kind !== "call" && kind !== "hole" && kind !== "bad");
}

/** The def that is the whole program, the last one where nothing calls several; or null. */
export function loneDef(statements: readonly Statement[]): DefStatement | null {
  if (!statements.some((statement) => statement.kind === "def") || !statements.every(isPreamble)) return null;
  // Defs beside a module serve it.
  if (statements.some((statement) => statement.kind === "class" && isModule(statement))) return null;
  const defs = statements.filter((statement) => statement.kind === "def");
  const others = (def: DefStatement): readonly Statement[] =>
    statements.filter((each) => each !== def && !isWrapping(each));
  return defs.findLast((def) => !namesIn(others(def)).has(def.name.text)) ?? null;
}

const isModule = ({ body }: ClassStatement): boolean =>
  body.some((each) => each.kind === "def" && (each.name.text === "forward" || each.name.text === "__call__"));

/** What to write for a parameter, in words and as fixes: what filling in all of them writes for it, `otherwise` where that leaves it out. */
function fillingOf(interpreter: Interpreter, { span }: ParamDecl, otherwise: string) {
  const every = interpreter.inputsFix();
  const said = every?.find((edit) => edit.span === span)?.insert ?? otherwise;
  const all = every ? [{ title: "Fill in example shapes", edits: every }] : [];
  return { said, fixes: [...all, { title: `Write ${said}`, edits: [{ span, insert: said }] }] };
}

/** A parameter without a shape is drawn as a hole; one that holds several tensors can't be drawn. */
function withoutShape(interpreter: Interpreter, run: StatementRun, def: DefStatement, param: ParamDecl): Value {
  const { name } = param;
  if (holdsSeveral(def, param, interpreter.statements)) {
    const fixes = [{ title: "Turn them into inputs and fill in example shapes", edits: interpreter.inputsFix() ?? [] }];
    interpreter.diagnostics.add(
      "missing-shape",
      name.span,
      `\`${name.text}\` holds several tensors: each becomes an input of its own.`,
      { fixes },
    );
    return BROKEN;
  }
  const { said, fixes } = fillingOf(interpreter, param, `${name.text}: f32[1024, 1024]`);
  interpreter.diagnostics.add("missing-shape", name.span, `\`${name.text}\` has no shape: write ${said}.`, { fixes });
  const path = run.root;
  return tensorValue(
    toNode(interpreter, run, { value: { kind: "hole" }, path, expr: { kind: "hole", span: param.span } }, []),
  );
}

/** What a parameter that is not a tensor needs: a value that is known before the graph runs. */
function withoutValue(interpreter: Interpreter, param: ParamDecl, annotated: AnnotatedKind): Value {
  const { name, annotation, span } = param;
  const written = annotation ? interpreter.text.slice(span.from, span.to) : name.text;
  const { said, fixes } = fillingOf(interpreter, param, `${written} = ${usualOf(name.text, annotated)}`);
  interpreter.diagnostics.add(
    "missing-shape",
    name.span,
    `\`${name.text}\` is known before the graph runs: give it a value, such as ${said}.`,
    { fixes },
  );
  return BROKEN;
}

/** What a default or a star says a parameter is; null where a run feeds it. */
function valueOfParam(interpreter: Interpreter, run: StatementRun, { value, starred }: ParamDecl): Value | null {
  if (starred) return starred === "items" ? { kind: "sequence", items: [] } : { kind: "dict", entries: new Map() };
  if (!value || sourceCall(value)) return null;
  return evaluate(interpreter, run, value, run.root);
}

function bindParam(interpreter: Interpreter, frame: Frame, def: DefStatement, param: ParamDecl): void {
  const { name, annotation } = param;
  const run: StatementRun = { frame, statement: def, step: ++interpreter.step, root: name.text };
  const target = { kind: "name", name: name.text, span: name.span } as const;
  if (name.text === "self") return bindName(interpreter, run, target, { kind: "self" }, "parameter");
  const before = interpreter.nodes.size;
  const known = valueOfParam(interpreter, run, param);
  const annotated = annotation && annotatedKind(annotation);
  const value =
    known ??
    (annotated && annotated !== "tensor" && annotated !== "number" && !holdsSeveral(def, param, interpreter.statements)
      ? withoutValue(interpreter, param, annotated)
      : annotation && !annotated
        ? declareInput(interpreter, run, {
            name: name.text,
            path: name.text,
            annotation,
            source: param.value,
            span: param.span,
            param,
          })
        : withoutShape(interpreter, run, def, param));
  if (interpreter.nodes.size > before) frame.versions.set(name.text, 1);
  bindName(interpreter, run, target, value, known ? "parameter" : "input");
}

/** Runs the preamble, then `main` with its parameters as inputs. */
export function runEntryFunction(
  interpreter: Interpreter,
  statements: readonly Statement[],
  main: DefStatement,
  frame: Frame,
): void {
  interpreter.runBody(statements, frame);
  if (frame.result.values) return;
  for (const param of main.params) bindParam(interpreter, frame, main, param);
  const inner: Frame = { ...frame, defs: [main] };
  interpreter.runBody(main.body, inner);
}

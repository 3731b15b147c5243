/** @file A whole program differentiated or batched: its ops become the body of a def, and one line below takes its derivative. */
import { isInput, node, type NodeId, type TextEdit } from "../../ir";
import { freshName } from "../calls/names";
import { wholeLines } from "../reading/lines";
import { parseProgram, type Parsed } from "../program";
import { bare, type Expr, type Statement } from "../reading/syntax";
import { applyTextEdits } from "./apply";
import { Draft, refused, type Edited } from "./draft";
import { namesIn } from "./locate";
import { changedIds, matchGraphs } from "./match";

export const transformNames = ["grad", "value_and_grad", "vjp", "jvp", "vmap"] as const;
export type TransformName = (typeof transformNames)[number];

/** An input, where it is declared, and whether the program computes with other numbers of it than a person gives. */
interface Declared {
  readonly id: NodeId;
  readonly name: string;
  readonly statement: Statement;
  /** `f32[N, 64]`, as it is written. */
  readonly type: Expr;
  readonly isParam: boolean;
  readonly isFloat: boolean;
}

function declaredIn({ graph, sites, text }: Parsed): readonly Declared[] {
  return [...graph.nodes.values()].flatMap((n): Declared[] => {
    const statement = sites.get(n.id)?.run.statement;
    if (!isInput(n) || statement?.kind !== "assign" || !statement.annotation) return [];
    const { value, annotation } = statement;
    const written = value ? text.slice(value.span.from, value.span.to) : "";
    return [
      {
        id: n.id,
        name: n.label,
        statement,
        type: annotation,
        isParam: /^(?:param|const|state)\b/.test(written),
        isFloat: n.type.dtype === "f32" || n.type.dtype === "f16",
      },
    ];
  });
}

/** A statement that makes no value of the graph: it may stay above the def. */
function isSetting(statement: Statement, { runs, sites }: Parsed, inputs: ReadonlySet<Statement>): boolean {
  if (inputs.has(statement) || statement.kind === "def") return true;
  if (statement.kind !== "assign" || statement.annotation) return false;
  const own = runs.filter((run) => run.statement === statement);
  const makes = [...sites.values()].some(({ run }) => own.includes(run));
  return !makes && statement.value !== null && bare(statement.value).kind === "number";
}

const list = (names: readonly string[]): string => names.join(", ");
const tuple = (names: readonly string[]): string => (names.length === 1 ? `(${names[0]},)` : `(${list(names)})`);
const indices = (at: readonly number[]): string =>
  at.length === 1 ? (at[0] === 0 ? "" : `, argnums=${at[0]}`) : `, argnums=(${at.join(", ")})`;

interface Written {
  /** Above the def: what the transform needs besides the program's inputs. */
  readonly above: readonly string[];
  /** What the def returns; null: what the program returned. */
  readonly returns: string | null;
  readonly below: readonly string[];
  readonly note: string | null;
}

interface Body {
  readonly parsed: Parsed;
  readonly inputs: readonly Declared[];
  /** What the program returns, as it is written. */
  readonly results: readonly string[];
  readonly outputs: readonly NodeId[];
  readonly called: string;
  /** A name that nothing has yet. */
  readonly fresh: (wish: string) => string;
}

const typeOf = ({ parsed: { text } }: Body, { type }: Declared): string => text.slice(type.span.from, type.span.to);

/** What derivatives are taken by: parameters where there are some, else every input of numbers with a fraction. */
function variables({ inputs }: Body): readonly number[] {
  const floats = inputs.flatMap(({ isFloat }, at) => (isFloat ? [at] : []));
  const params = floats.filter((at) => inputs[at]!.isParam);
  return params.length > 0 ? params : floats;
}

function differentiated(body: Body, withValue: boolean): Written | string {
  const { inputs, results, outputs, parsed, called, fresh } = body;
  if (results.length !== 1 || outputs.length !== 1)
    return "A gradient is taken of one number. This program returns several values: return one of them.";
  const { type } = node(parsed.graph, outputs[0]!);
  if (type.dtype !== "f32" && type.dtype !== "f16")
    return `${results[0]} has no gradient: its elements are ${type.dtype}.`;
  const by = variables(body);
  if (by.length === 0) return "There is no input to differentiate by: none holds f32 or f16 numbers.";
  const grads = by.map((at) => fresh(`d${inputs[at]!.name}`));
  const call = `(${called}${indices(by)})(${list(inputs.map(({ name }) => name))})`;
  const isNumber = type.shape.length === 0;
  const value = withValue ? fresh("value") : null;
  const found = grads.length === 1 ? grads[0]! : `(${list(grads)})`;
  return {
    above: [],
    returns: isNumber ? null : `sum(${results[0]})`,
    below: value
      ? [`${value}, ${found} = value_and_grad${call}`, `return ${list([value, ...grads])}`]
      : [`${list(grads)} = grad${call}`, `return ${list(grads)}`],
    note: isNumber ? null : `A gradient is taken of one number, so it is that of sum(${results[0]}).`,
  };
}

/** A type for a value of the program, in its own words where an input has the same. */
function typeWritten(body: Body, id: NodeId): string {
  const { type } = node(body.parsed.graph, id);
  const same = body.inputs.find((input) => {
    const own = node(body.parsed.graph, input.id).type;
    return own.dtype === type.dtype && own.shape.join() === type.shape.join();
  });
  return same ? typeOf(body, same) : `${type.dtype}[${type.shape.join(", ")}]`;
}

function pulledBack(body: Body): Written | string {
  const { inputs, results, outputs, called, fresh } = body;
  if (results.length !== outputs.length) return "What the program returns can't be told apart: return names.";
  const values = results.map((_, at) => fresh(results.length === 1 ? "value" : `value${at}`));
  const given = results.map((_, at) => fresh(results.length === 1 ? "cotangent" : `cotangent${at}`));
  const pull = fresh("pull");
  const found = inputs.map(({ name }) => fresh(`d${name}`));
  const value = values.length === 1 ? values[0]! : `(${list(values)})`;
  return {
    above: given.map((name, at) => `${name}: ${typeWritten(body, outputs[at]!)}`),
    returns: null,
    below: [
      `${value}, ${pull} = vjp(${list([called, ...inputs.map(({ name }) => name)])})`,
      `${found.length === 1 ? `${found[0]},` : list(found)} = ${pull}(${given.length === 1 ? given[0] : tuple(given)})`,
      `return ${list([...values, ...found])}`,
    ],
    note: null,
  };
}

function pushedForward(body: Body): Written | string {
  const { inputs, results, called, fresh } = body;
  if (inputs.some(({ isFloat }) => !isFloat))
    return "jvp takes a change of every input, and one of them holds no f32 or f16 numbers.";
  const tangents = inputs.map(({ name }) => fresh(`d${name}`));
  const values = results.map((_, at) => fresh(results.length === 1 ? "value" : `value${at}`));
  const changes = results.map((_, at) => fresh(results.length === 1 ? "change" : `change${at}`));
  const side = (names: readonly string[]): string => (names.length === 1 ? names[0]! : `(${list(names)})`);
  return {
    above: inputs.map((input, at) => `${tangents[at]}: ${typeOf(body, input)}`),
    returns: null,
    below: [
      `${side(values)}, ${side(changes)} = jvp(${called}, ${tuple(inputs.map(({ name }) => name))}, ${tuple(tangents)})`,
      `return ${list([...values, ...changes])}`,
    ],
    note: null,
  };
}

/** Examples in a batch that a person did not ask for in number. */
export const BATCH = 8;

/** Inputs that get an axis: those that are not parameters; all, where there are only parameters. */
function batchedInputs({ inputs }: Body): readonly Declared[] {
  const own = inputs.filter(({ isParam }) => !isParam);
  return own.length > 0 ? own : inputs;
}

function inBatches(body: Body, size: string): Written {
  const { inputs, called, results, fresh } = body;
  const batched = new Set(batchedInputs(body));
  const values = results.map((_, at) => fresh(results.length === 1 ? "batch" : `batch${at}`));
  const axes = inputs.every((input) => batched.has(input))
    ? ""
    : `, in_axes=${tuple(inputs.map((input) => (batched.has(input) ? "0" : "None")))}`;
  return {
    above: [],
    returns: null,
    below: [
      `${list(values)} = vmap(${called}${axes})(${list(inputs.map(({ name }) => name))})`,
      `return ${list(values)}`,
    ],
    note: `Every input that is no parameter has ${size} examples now.`,
  };
}

/** Names of what the program returns: of its `return`, or of values that nothing reads. */
function resultsOf({ text, statements, graph }: Parsed, outputs: readonly NodeId[]): readonly string[] | null {
  const last = statements.at(-1);
  if (last?.kind === "return") return last.values.map(({ span }) => text.slice(span.from, span.to));
  const names = outputs.map((id) => node(graph, id).label);
  return names.every((name) => /^[A-Za-z_]\w*$/.test(name)) ? names : null;
}

/**
 * The program as a def with `name` of it below. The def has the program's ops as they are written, indented; inputs and numbers
 * stay above it. A gradient is that of the returned number, or of the sum of what is returned; `vmap` gives every input that is
 * no parameter an axis of 8 examples in front. Refused where the result would be no program.
 */
export function transformProgram(text: string, name: TransformName): Edited {
  const parsed = parseProgram(text);
  if (!parsed.complete)
    return refused("The program has a mistake or an operand that is not connected: fix that first.");
  if (parsed.main)
    return refused("The program is one def: write its inputs above it and call it below, and it can be transformed.");
  const isLate = [...parsed.graph.nodes.values()].some(({ phase }) => phase === "backward");
  if (isLate && name !== "vmap") return refused("The program has a backward pass already.");
  if (parsed.updates.length > 0) return refused("The program trains: its updates can't be taken into a def.");
  const inputs = declaredIn(parsed);
  const others = [...parsed.graph.nodes.values()].filter(isInput).length - inputs.length;
  if (inputs.length === 0 || others > 0)
    return refused("Transforms need every input on a line of its own, as in `x: f32[1024]`.");
  const results = resultsOf(parsed, parsed.outputs);
  if (!results) return refused("What the program returns has no name: end it with `return`.");
  const taken = new Set(namesIn(text));
  const fresh = (wish: string): string => {
    const found = taken.has(wish) ? freshName(wish, taken) : wish;
    taken.add(found);
    return found;
  };
  const size = name === "vmap" ? fresh("B") : "";
  const body: Body = { parsed, inputs, results, outputs: parsed.outputs, called: fresh("program"), fresh };
  const written =
    name === "vjp"
      ? pulledBack(body)
      : name === "jvp"
        ? pushedForward(body)
        : name === "vmap"
          ? inBatches(body, size)
          : differentiated(body, name === "value_and_grad");
  if (typeof written === "string") return refused(written);
  const draft = new Draft(parsed);
  wrap(draft, body, written, size);
  return finished(parsed, draft, written.note);
}

/** The axis of examples in front of an input's shape. */
function axisOf({ parsed: { text, graph } }: Body, { id, type }: Declared, size: string): TextEdit {
  const at = text.indexOf("[", type.span.from) + 1;
  return { span: { from: at, to: at }, insert: node(graph, id).type.shape.length > 0 ? `${size}, ` : size };
}

/** Indents the ops under a def, and writes what comes above and below. */
function wrap(draft: Draft, body: Body, { above, returns, below }: Written, size: string): void {
  const { parsed, inputs, results, called } = body;
  const { text, statements } = parsed;
  const own = new Set(inputs.map(({ statement }) => statement));
  const first = statements.findIndex((statement) => !isSetting(statement, parsed, own));
  const inside = statements.slice(first);
  const late = inside.filter((statement) => own.has(statement));
  const start = wholeLines(text, inside[0]!.span).from;
  const end = wholeLines(text, inside.at(-1)!.span).to;
  const skipped = late.map(({ span }) => wholeLines(text, span));
  const line = (at: number): number => text.indexOf("\n", at) + 1 || text.length;
  const edits: TextEdit[] = [];
  for (let at = start; at < end; at = line(at)) {
    const empty = text.slice(at, line(at)).trim() === "";
    const moves = skipped.some(({ from, to }) => at >= from && at < to);
    if (!empty && !moves) edits.push({ span: { from: at, to: at }, insert: "  " });
  }
  for (const { from, to } of skipped) edits.push({ span: { from, to }, insert: "" });
  // What moves is written anew above the def, an axis of examples with it.
  const axes = size === "" ? [] : batchedInputs(body).map((input) => axisOf(body, input, size));
  const isMoved = ({ span }: TextEdit): boolean => skipped.some(({ from, to }) => span.from >= from && span.from < to);
  const moved = skipped.map(({ from, to }) => {
    const own = axes.filter(({ span }) => span.from >= from && span.from < to);
    return applyTextEdits(
      text.slice(from, to).trimEnd(),
      own.map(({ span, insert }) => ({ span: { from: span.from - from, to: span.to - from }, insert })),
    );
  });
  const gapAbove = moved.length + above.length === 0 && /(?:^|\n\n)$/.test(text.slice(0, start)) ? [] : [""];
  const head = [...moved, ...above, ...gapAbove, `def ${called}(${list(inputs.map(({ name }) => name))}):`];
  edits.unshift({ span: { from: start, to: start }, insert: `${head.join("\n")}\n` });
  const last = statements.at(-1)!;
  const given = returns ?? list(results);
  if (last.kind === "return") {
    const [from, to] = [last.values[0]?.span.from ?? last.span.to, last.values.at(-1)?.span.to ?? last.span.to];
    if (returns !== null) edits.push({ span: { from, to }, insert: returns });
  }
  const gap = text.slice(start, end).endsWith("\n") ? "" : "\n";
  const closing = last.kind === "return" ? [] : [`  return ${given}`];
  edits.push({ span: { from: end, to: end }, insert: `${gap}${[...closing, "", ...below].join("\n")}\n` });
  if (size !== "") {
    const top = wholeLines(text, statements[0]!.span).from;
    edits.push(...axes.filter((edit) => !isMoved(edit)), {
      span: { from: top, to: top },
      insert: `${size} = ${BATCH}\n`,
    });
  }
  draft.edit(edits);
}

function finished(before: Parsed, draft: Draft, note: string | null): Edited {
  const given = draft.parsed;
  const wrong = given.diagnostics.find(({ severity }) => severity === "error");
  if (wrong) return refused(`That would be no program any more: ${wrong.text}`);
  return {
    ok: true,
    edits: draft.edits(),
    ids: changedIds(matchGraphs(before.graph, given.graph)),
    note,
    node: given.outputs[0] ?? null,
  };
}

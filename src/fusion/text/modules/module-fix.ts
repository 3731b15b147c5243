/**
 * @file A pasted class becomes a program: its sizes are constants, its weights inputs, its methods defs. Text in, text out;
 * what is not understood stays as a comment, so that nothing is lost in silence.
 */
import type { Span, TextEdit } from "../../ir";
import { findOp } from "../../ops";
import { wholeLines } from "../lines";
import type { ClassStatement, DefStatement, Expr, ParamDecl, Statement } from "../syntax";
import { annotatedKind, type AnnotatedKind } from "../python-types";
import { usualOf } from "./layers";
import { bare, expressionsOf } from "../syntax";
import type { Deadline } from "../parse";
import { fittingTypes, misfit } from "./inputs";
import { applied, lastName } from "./members";
import { forwardOf } from "./methods";
import { unpackedNames } from "./inputs";
import { translate } from "./module-translator";

/** `BasicBlock` as a def is called. */
const snake = (name: string): string =>
  name
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase();

/** Without constants that nothing reads or that a declaration replaces. */
function used(lines: readonly string[], readers: readonly string[]): readonly string[] {
  const words = new Map<string, number>();
  for (const line of [...lines, ...readers].filter((each) => !each.startsWith("#"))) {
    for (const [word] of line.matchAll(/[A-Za-z_]\w*/g)) words.set(word, (words.get(word) ?? 0) + 1);
  }
  const declared = new Set(lines.flatMap((line) => /^(\w+): /.exec(line)?.[1] ?? []));
  return lines.filter((line) => {
    const name = /^([A-Za-z_]\w*) = /.exec(line)?.[1];
    return name === undefined || (words.get(name)! > 1 && !declared.has(name));
  });
}

/** `@dataclass` belongs to the class under it. */
function withDecorators(text: string, { from, to }: Span): Span {
  let start = from;
  for (;;) {
    const line = text.lastIndexOf("\n", start - 2) + 1;
    if (start === 0 || !/^\s*@/.test(text.slice(line, start))) return { from: start, to };
    start = line;
  }
}

/** With the empty lines after it. */
const withSpace = (text: string, { from, to }: Span): Span => ({
  from,
  to: to + /^(\s*\n)*/.exec(text.slice(to))![0].length,
});

const makes = (statements: readonly Statement[], name: string): boolean =>
  expressionsOf(statements).some((expr) => expr.kind === "call" && lastName(bare(expr.callee)) === name);

/** `model = Block(256)` beside the class. */
function instanceOf(
  statements: readonly Statement[],
  name: string,
): { statement: Statement; name: string; call: Extract<Expr, { kind: "call" }> } | null {
  for (const statement of statements) {
    if (statement.kind !== "assign" || !statement.value) continue;
    const [target, call] = [bare(statement.targets[0]!), bare(statement.value)];
    if (target.kind === "name" && call.kind === "call" && lastName(bare(call.callee)) === name)
      return { statement, name: target.name, call };
  }
  return null;
}

/** Longer texts are not rewritten on every pause. */
const LONGEST = 60_000;

export interface ModuleFix {
  /** The outermost class. */
  readonly name: string;
  readonly edits: readonly TextEdit[];
}

/** What reading a program says of it: its constants by name, and how many mistakes it has. */
export type Reading = (text: string) => {
  readonly constants: ReadonlyMap<string, number>;
  readonly mistakes: number;
  /** How many nodes it has: what is broken makes none. */
  readonly nodes: number;
  /** Whether the program gives `name` a value without a mistake. */
  readonly clear: (name: string) => boolean;
};

export interface Program {
  readonly text: string;
  readonly statements: readonly Statement[];
  readonly read: Reading;
  /** Once it has passed, the types of inputs are those found so far. */
  readonly deadline: Deadline;
}

/** What replaces the classes of a program by what the outermost one computes; null when none has a forward(). */
export function moduleFix(program: Program): ModuleFix | null {
  if (program.text.length > LONGEST) return null;
  for (const made of program.statements) {
    const edits = made.kind === "class" ? writtenOut(program, made) : null;
    if (made.kind === "class" && edits) return { name: made.name.text, edits };
  }
  return null;
}

const DEEPEST = 8;

/** A class with the methods and fields that it inherits from classes of the text; each __init__ stays, its own first. */
function withBases(made: ClassStatement, all: readonly ClassStatement[]): ClassStatement {
  const line: ClassStatement[] = [made];
  const above = ({ bases }: ClassStatement): ClassStatement | undefined =>
    all.find((other) => bases.some((base) => lastName(bare(base)) === other.name.text) && !line.includes(other));
  for (let next = above(made); next && line.length < DEEPEST; next = above(next)) line.push(next);
  const own = new Set<string>();
  const body = line.flatMap(({ body: each }) => {
    const here = each.filter(
      (statement) => !(statement.kind === "def" && statement.name.text !== "__init__" && own.has(statement.name.text)),
    );
    for (const statement of each) if (statement.kind === "def") own.add(statement.name.text);
    return here;
  });
  return line.length === 1 ? made : { ...made, body, bases: line.at(-1)!.bases };
}

/** Defs that answer one expression: `conv3x3(a, b)` makes a layer. */
const factories = (statements: readonly Statement[]): ReadonlyMap<string, DefStatement> =>
  new Map(
    statements.flatMap((each) =>
      each.kind === "def" && each.body.at(-1)?.kind === "return" ? [[each.name.text, each] as const] : [],
    ),
  );

/** Names that the program gives a value at its top. */
const namesOf = (statements: readonly Statement[]): ReadonlySet<string> =>
  new Set(
    statements.flatMap((each) =>
      each.kind === "assign" ? each.targets.flatMap((target) => lastName(bare(target))) : [],
    ),
  );

/** Exactly one empty line around a def, and never two. */
function spaced(lines: readonly string[]): readonly string[] {
  const all: string[] = [];
  for (const line of lines) {
    const before = all.at(-1) ?? "";
    const leaves = before.startsWith(" ") && line !== "" && !line.startsWith(" ");
    if (before !== "" && (line.startsWith("def ") || leaves)) all.push("");
    if (line !== "" || before !== "") all.push(line);
  }
  return all;
}

/** `cos, sin = rotary`: inputs for what forward() takes apart at once; null for a tensor. */
function partsOf(forward: DefStatement, name: string): readonly string[] | null {
  const names = unpackedNames(forward, name);
  return names.length === 0 ? null : names.map((_, i) => `${name}_${i}`);
}

/** What a parameter of forward() is that is no tensor, by its annotation or by its name. */
function knownParam({ name, annotation, value }: ParamDecl): AnnotatedKind | null {
  const annotated = annotation && annotatedKind(annotation);
  if (value) return null;
  if (annotated === "whole" || annotated === "flag" || annotated === "text" || annotated === "sizes") return annotated;
  return !annotated && /^(output_|return_|use_|is_|need_)/.test(name.text) ? "flag" : null;
}

/** Null for a class without forward(), and for one that another class uses. */
function writtenOut(program: Program, own: ClassStatement): readonly TextEdit[] | null {
  const { text, statements, read, deadline } = program;
  const list = statements.filter((each) => each.kind === "class").map((each, _, all) => withBases(each, all));
  const made = list.find(({ span }) => span === own.span)!;
  const defs = new Set(statements.flatMap((each) => (each.kind === "def" ? [each.name.text] : [])));
  const forward = forwardOf(made);
  if (
    !forward ||
    forward.body.length === 0 ||
    list.some((other) => other !== made && makes(other.body, made.name.text))
  )
    return null;
  const instance = instanceOf(statements, made.name.text);
  const snaked = snake(made.name.text);
  const taken = new RegExp(`\\bself\\.${snaked}\\b`).test(text.slice(made.span.from, made.span.to));
  // The name of an op or of a def that forward() may call is not the program's to take.
  const name = instance?.name ?? (taken || defs.has(snaked) || findOp(snaked) ? `${snaked}_forward` : snaked);
  const args =
    instance?.call.args.map(
      (arg) => [arg.name?.text ?? null, text.slice(arg.value.span.from, arg.value.span.to)] as const,
    ) ?? [];
  const shared = new Map<string, string>();
  const top = statements
    .filter(({ kind }) => kind === "def" || kind === "assign")
    .map(({ span }) => `${text.slice(span.from, span.to)}\n`)
    .join("");
  const constantLines: string[] = [];
  const known = (source: string): string =>
    `${top}${constantLines.map((line) => `${line}\n`).join("")}known__ = ${source}\n`;
  const number = (source: string): number | null => read(known(source)).constants.get("known__") ?? null;
  const readable = (source: string): boolean => read(known(source)).clear("known__");
  const classes = new Map(list.map((each) => [each.name.text, each]));
  const written = translate(
    { text, classes, defs: factories(statements), shared, constantLines, number, readable },
    { made, name, prefix: "", args, depth: 0 },
  );
  const called = statements.some((each) => each !== made && each.kind !== "class" && makes([each], name));
  const inputs = forward.params
    .filter(
      (param) => param.name.text !== "self" && !param.starred && (!param.value || partsOf(forward, param.name.text)),
    )
    .map((param) => param.name.text);
  const there = namesOf(statements);
  const settled = new Map(
    forward.params.flatMap((param) => {
      const annotated = knownParam(param);
      return annotated ? [[param.name.text, usualOf(param.name.text, annotated)] as const] : [];
    }),
  );
  const open = called ? [] : inputs.filter((input) => !there.has(input) && !settled.has(input));
  const gone = [
    ...list.filter((other) => other !== made).map(({ span }) => span),
    ...(instance ? [instance.statement.span] : []),
  ];
  const span = withDecorators(text, wholeLines(text, made.span));
  const parts = open.flatMap((input) => partsOf(forward, input) ?? [input]);
  const given = inputs.map((input) =>
    open.includes(input) && partsOf(forward, input)
      ? `(${partsOf(forward, input)!.join(", ")})`
      : (settled.get(input) ?? input),
  );
  const drops = written.lines.some((line) => /\bdropout\d?d?\(/.test(line)) && !/^(train|eval)\(\)/m.test(text);
  const edits = (types: readonly string[]): readonly TextEdit[] => {
    const call = called
      ? []
      : ["", ...parts.map((input, i) => `${input}: ${types[i]!}`), `y = ${name}(${given.join(", ")})`];
    // Inputs that the program declares itself come after the class: so does the call.
    const late = !called && open.length < inputs.length;
    const lines = [
      "# Sizes are guesses where nothing says them: change them here.",
      ...(drops ? ["# As after model.eval(): write train() for dropout.", "eval()"] : []),
      ...used(written.lines, [...call, ...open]),
      ...(late ? [] : call),
    ];
    const end = { from: text.length, to: text.length };
    return [
      ...gone.map((span) => ({ span: withSpace(text, withDecorators(text, wholeLines(text, span))), insert: "" })),
      { span: span, insert: `${spaced(lines).join("\n")}\n` },
      ...(late ? [{ span: end, insert: `${text.endsWith("\n") ? "" : "\n"}${call.slice(1).join("\n")}\n` }] : []),
    ];
  };
  const first = open[0] === inputs[0] ? written.input : null;
  const sizes = written.lines.flatMap((line) => {
    const name = /^([A-Za-z]\w*) = /.exec(line)?.[1];
    const size = name === undefined ? null : number(name);
    return name !== undefined && size !== null && Number.isInteger(size) && size > 1 ? [name] : [];
  });
  const types = fittingTypes(parts, first, sizes, (tried) =>
    deadline.passed() ? Infinity : misfit(read(applied(text, 0, edits(tried)))),
  );
  return edits(types);
}

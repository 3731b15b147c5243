/**
 * @file A pasted class becomes a program: its sizes are constants, its weights inputs, its methods defs. Text in, text out;
 * what is not understood stays as a comment, so that nothing is lost in silence.
 */
import type { Span, TextEdit } from "../../ir";
import { wholeLines } from "../lines";
import type { ClassStatement, Expr, Statement } from "../syntax";
import { bare, everyStatement, rootsOf, walk } from "../syntax";
import { lastName, methodOf, take } from "./taker";

/** `BasicBlock` as a def is called. */
const snake = (name: string): string => name.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase();

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

/** What an input's last axis is called, where no layer says. */
function widthOf(lines: readonly string[]): string {
  const names = lines.flatMap((line) => /^(\w+) = /.exec(line)?.[1] ?? []);
  return names.find((name) => /^(n_embd|d_model|dim|hidden\w*|embed\w*|n_state|width)$/.test(name)) ?? "256";
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
  [...everyStatement(statements)].flatMap(rootsOf).some((root) => [...walk(root)].some((expr) => expr.kind === "call" && lastName(bare(expr.callee)) === name)); // prettier-ignore

/** `model = Block(256)` beside the class. */
function instanceOf(
  statements: readonly Statement[],
  name: string,
): { statement: Statement; name: string; call: Extract<Expr, { kind: "call" }> } | null {
  // prettier-ignore
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

/** What replaces the classes of a program by what the outermost one computes; null when none has a forward(). */
export function moduleFix(text: string, statements: readonly Statement[]): ModuleFix | null {
  if (text.length > LONGEST) return null;
  for (const made of statements) {
    const edits = made.kind === "class" ? writtenOut(text, statements, made) : null;
    if (made.kind === "class" && edits) return { name: made.name.text, edits };
  }
  return null;
}

/** Null for a class without forward(), and for one that another class uses. */
function writtenOut(text: string, statements: readonly Statement[], made: ClassStatement): readonly TextEdit[] | null {
  // prettier-ignore
  const list = statements.filter((each) => each.kind === "class");
  const classes = new Map(list.map((each) => [each.name.text, each]));
  const forward = methodOf(made, "forward");
  if (!forward || forward.body.length === 0 || list.some((other) => other !== made && makes(other.body, made.name.text))) return null; // prettier-ignore
  const instance = instanceOf(statements, made.name.text);
  const name = instance?.name ?? snake(made.name.text);
  const args = instance?.call.args.map((arg) => [arg.name?.text ?? null, text.slice(arg.value.span.from, arg.value.span.to)] as const) ?? []; // prettier-ignore
  const taken = take({ text, classes, shared: new Map() }, { made, name, prefix: "", args, depth: 0 });
  const called = statements.some((each) => each !== made && each.kind !== "class" && makes([each], name));
  const inputs = forward.params
    .filter((param) => param.name.text !== "self" && !param.value)
    .map((param) => param.name.text);
  const call = called
    ? []
    : ["", ...inputs.map((input, i) => `${input}: ${(i === 0 ? taken.input : null) ?? `f32[8, 64, ${widthOf(taken.lines)}]`}`), `y = ${name}(${inputs.join(", ")})`]; // prettier-ignore
  const lines = [...used(taken.lines, call), ...call];
  const program = ["# Sizes are guesses where nothing says them: change them here.", ...lines]; // prettier-ignore
  const gone = [...list.filter((other) => other !== made).map(({ span }) => span), ...(instance ? [instance.statement.span] : [])]; // prettier-ignore
  const end = withDecorators(text, wholeLines(text, made.span));
  return [
    ...gone.map((span) => ({ span: withSpace(text, withDecorators(text, wholeLines(text, span))), insert: "" })),
    { span: end, insert: `${program.join("\n")}\n` },
  ];
}

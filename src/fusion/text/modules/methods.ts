/** @file The methods of a class as defs of the program: without self, layers called with their weights. */
import type { TextEdit } from "../../ir";
import type { CallExpr, ClassStatement, DefStatement, Expr } from "../syntax";
import { bodiesOf, everyStatement, rootsOf, walk } from "../syntax";
import { applied, calleeOf, inputOf, isSelf, type Member } from "./members";

export const methodOf = ({ body }: ClassStatement, name: string): DefStatement | null =>
  (body.find((each) => each.kind === "def" && each.name.text === name) as DefStatement | null) ?? null;
/** What a module does when it is called: PyTorch's name, else JAX libraries'. */
export const forwardOf = (made: ClassStatement): DefStatement | null =>
  methodOf(made, "forward") ?? methodOf(made, "__call__");

/** A class whose __init__ has been read. */
export interface Methods {
  readonly text: string;
  readonly made: ClassStatement;
  readonly members: ReadonlyMap<string, Member>;
  /** A name of the class as the program's. */
  readonly own: (name: string) => string;
  readonly renames: (roots: readonly Expr[]) => TextEdit[];
}

/** forward() and what it calls, forward() last and under `name`. */
export function writtenMethods(methods: Methods, name: string): readonly string[] {
  const forward = forwardOf(methods.made);
  const defs = methods.made.body.filter(
    (each) => each.kind === "def" && each.name.text !== "__init__",
  ) as DefStatement[];
  const order = reached(forward, defs).toSorted((a, b) => Number(a === forward) - Number(b === forward));
  return order.flatMap((def) => [
    "",
    ...written(methods, def, def === forward ? name : methods.own(def.name.text), defs),
  ]);
}

/** forward() and the methods that it asks for, and those that they ask for. */
function reached(forward: DefStatement | null, defs: readonly DefStatement[]): readonly DefStatement[] {
  const found = new Set<DefStatement>(forward ? [forward] : []);
  for (const def of found) {
    const words = new Set(
      [...everyStatement(def.body)]
        .flatMap(rootsOf)
        .flatMap((root) => [...walk(root)])
        .flatMap((expr) => (expr.kind === "member" ? [expr.name.text] : [])),
    );
    for (const other of defs) if (words.has(other.name.text)) found.add(other);
  }
  return defs.filter((def) => found.has(def));
}

type SelfCall = CallExpr & { readonly callee: Extract<Expr, { kind: "member" }> };
const selfCalls = (roots: readonly Expr[]): SelfCall[] =>
  roots
    .flatMap((root) => [...walk(root)])
    .filter(
      (expr): expr is SelfCall => expr.kind === "call" && expr.callee.kind === "member" && isSelf(expr.callee.object),
    );

function written(methods: Methods, def: DefStatement, name: string, all: readonly DefStatement[]): readonly string[] {
  const { text, members, own } = methods;
  const roots = [...everyStatement(def.body)].flatMap(rootsOf);
  const callees = new Set<number>();
  const edits: TextEdit[] = [];
  for (const { callee, close } of selfCalls(roots)) {
    const called = callee.name.text;
    const member = members.get(called);
    if (called === "param" && !member) edits.push({ span: callee.span, insert: "get_parameter" });
    if (!member && !all.some((each) => each.name.text === called)) continue;
    callees.add(callee.span.from);
    const [insert, rest] = member ? calleeOf({ name: own(called), member }) : [own(called), ""];
    edits.push({ span: callee.span, insert });
    if (rest !== "") edits.push({ span: { from: close, to: close }, insert: rest });
  }
  // A method as a value, `chunked(self.feed, x)`.
  const called = new Set(selfCalls(roots).map(({ callee }) => callee.span.from));
  for (const expr of roots.flatMap((root) => [...walk(root)])) {
    if (expr.kind !== "member" || !isSelf(expr.object) || called.has(expr.span.from)) continue;
    if (!members.has(expr.name.text) && all.some((each) => each.name.text === expr.name.text))
      edits.push({ span: expr.span, insert: own(expr.name.text) });
  }
  const shadowed = new Set(def.params.map((param) => param.name.text).filter((param) => param !== "self"));
  const renames = methods
    .renames(roots)
    .filter(({ span }) => !callees.has(span.from) && !shadowed.has(text.slice(span.from, span.to)));
  const params = def.params
    .filter((param) => param.name.text !== "self")
    .map((param) =>
      param.value
        ? `${param.name.text}=${text.slice(param.value.span.from, param.value.span.to)}`
        : `${param.starred ? (param.starred === "items" ? "*" : "**") : ""}${param.name.text}`,
    );
  const start = text.indexOf("\n", def.paramsSpan.to) + 1;
  const from = start > 0 && start <= def.body[0]!.span.from ? start : def.body[0]!.span.from;
  const body = applied(text.slice(from, def.span.to), from, [...edits, ...renames]).split("\n");
  const depth = Math.min(...body.filter((line) => line.trim() !== "").map((line) => /^\s*/.exec(line)![0].length));
  return [
    `def ${name}(${params.join(", ")}):`,
    ...body.map((line) => (line.trim() === "" ? "" : `    ${line.slice(depth)}`)),
  ];
}

/** Type of the first input of forward(): what the first layer that reads it takes; null where none says. */
export function firstInput({ made, members }: Methods): string | null {
  const forward = forwardOf(made);
  const first = forward?.params.find((param) => param.name.text !== "self")?.name.text;
  if (!forward || first === undefined) return null;
  const bodies = [forward, ...[...everyStatement(forward.body)].filter((each) => bodiesOf(each).length > 0)];
  const roots = bodies.flatMap((each) => bodiesOf(each).flat()).flatMap(rootsOf);
  for (const { callee, args } of selfCalls(roots)) {
    const member = members.get(callee.name.text);
    const reads = args.some((arg) => arg.value.kind === "name" && arg.value.name === first);
    const found = member && reads ? inputOf(member) : null;
    if (found) return found;
  }
  return null;
}

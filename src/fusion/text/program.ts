/** @file The front end's door: a text becomes a graph, and everything that can be said about it. */
import { withPhases } from "../autodiff";
import { type Diagnostic, type Graph, isHole, type NodeId, type Span, type Update } from "../ir";
import { leavingHalves, withRounded } from "../ops";
import type { Deadline } from "./parse";
import { deadlineIn, never, parseBudget } from "./parse";
import type { Assertion, CallInstance, Interpreter, StatementRun, Site, Frame } from "./interpreter";
import { evaluate } from "./evaluate";
import { inputsFix } from "./modules/inputs-fix";
import { moduleFix, type Reading } from "./modules/module-fix";
import { Diagnostics } from "./diagnostics";
import { readProgram } from "./read";
import { runBody } from "./run";
import { runEntryFunction, loneDef } from "./entry-function";
import type { SymbolRecord } from "./scope";
import { pastedKernel } from "./kernel-languages";
import { Scope } from "./scope";
import type { DefStatement, Statement } from "./syntax";
import { bare, bodiesOf, everyStatement } from "./syntax";
import { isBroken } from "./values";
import { outputsOf, warnUnused } from "./unused";
import { updatesOf, withUpdates } from "./updates";

/** What the text says, errors or not. The graph holds everything understood; holes are nodes of op `hole`. */
export interface Parsed {
  readonly text: string;
  readonly graph: Graph;
  readonly diagnostics: readonly Diagnostic[];
  /** Every definition of every name, in text order. */
  readonly symbols: readonly SymbolRecord[];
  readonly outputs: readonly NodeId[];
  /** What a step of training replaces; none in a program that does not train. */
  readonly updates: readonly Update[];
  /** Numbers with a name at the top: `N = 1024`. */
  readonly constants: ReadonlyMap<string, number>;
  /** No errors and no holes: it can be planned. */
  readonly complete: boolean;
  /** Nodes whose type hangs on a hole and is a guess. */
  readonly unknown: ReadonlySet<NodeId>;
  /** Composites, calls of defs and iterations of loops, in order of execution. */
  readonly calls: readonly CallInstance[];
  /** What the text says that the plan must be. */
  readonly assertions: readonly Assertion[];
  /** Every run of every statement, in order. */
  readonly runs: readonly StatementRun[];
  /** Where each node was written; a composite's parts are found through `partOf`. */
  readonly sites: ReadonlyMap<NodeId, Site>;
  readonly partOf: ReadonlyMap<NodeId, NodeId>;
  readonly statements: readonly Statement[];
  /** The def that is the whole program, or null. */
  readonly main: DefStatement | null;
  readonly scope: Scope;
}

export interface ParseOptions {
  /** A clock in milliseconds; without one there is no time limit. */
  readonly now?: () => number;
  /** Milliseconds for reading; by the text's length when left out. */
  readonly budget?: number;
}

function* definitions(statements: readonly Statement[]): Generator<{ name: string; span: Span }> {
  for (const statement of statements) {
    if (statement.kind === "assign") {
      for (const target of statement.targets) {
        const expr = bare(target);
        const names = expr.kind === "tuple" ? expr.items : [expr];
        for (const name of names) if (name.kind === "name") yield { name: name.name, span: name.span };
      }
    } else if (statement.kind === "def") yield { name: statement.name.text, span: statement.name.span };
    else if (statement.kind === "if")
      yield* definitions([...everyStatement(bodiesOf(statement).flat())].filter(({ kind }) => kind !== "if"));
  }
}

function firstDefinitions(statements: readonly Statement[]): ReadonlyMap<string, Span> {
  const first = new Map<string, Span>();
  for (const { name, span } of definitions(statements)) if (!first.has(name)) first.set(name, span);
  return first;
}

/** `work`, done at the first call. */
function once<T>(work: () => T): () => T {
  let done: { readonly value: T } | null = null;
  return () => (done ??= { value: work() }).value;
}

const newFrame = (scope: Scope): Frame => ({
  scope,
  prefix: "",
  groups: [],
  versions: new Map(),
  defs: [],
  result: { values: null },
});

/** What a rewriting of the text would say. */
const reading: Reading = (text) => {
  const { constants, diagnostics, scope, graph } = parseProgram(text);
  const wrong = diagnostics.filter(({ severity }) => severity === "error");
  const clear = (name: string): boolean => {
    const value = scope.find(name)?.value;
    return value !== undefined && !isBroken(value);
  };
  return { constants, mistakes: wrong.length, nodes: graph.nodes.size, clear };
};

function newInterpreter(
  text: string,
  statements: readonly Statement[],
  main: DefStatement | null,
  diagnostics: Diagnostics,
  deadline: Deadline,
): Interpreter {
  const interpreter: Interpreter = {
    text,
    statements,
    moduleFix: once(() => moduleFix({ text, statements, read: reading, deadline })),
    inputsFix: once(() => inputsFix({ text, statements, read: reading, deadline }, main)),
    diagnostics,
    deadline,
    nodes: new Map(),
    unknown: new Set(),
    sites: new Map(),
    partOf: new Map(),
    symbols: new Map(),
    calls: [],
    losses: [],
    derived: new Map(),
    cotangents: new Map(),
    assertions: [],
    runs: [],
    firstDefinition: firstDefinitions(statements),
    training: null,
    misplaced: new Set(),
    defCalls: new Map(),
    step: 0,
    stopped: false,
    // By `this`: an interpreter that reads the library's text is made from this one.
    runBody(body, frame) {
      runBody(this, body, frame);
    },
    valueOf(run, root, path) {
      return evaluate(this, run, root, path);
    },
  };
  return interpreter;
}

/**
 * Reads `text`. Never throws on any text; all mistakes are in `diagnostics` at once, and statements that they do not touch still make nodes.
 * With a clock, reading ends in time with a diagnostic that says where.
 */
export function parseProgram(text: string, { now, budget }: ParseOptions = {}): Parsed {
  const limit = budget ?? parseBudget(text.length);
  const diagnostics = new Diagnostics();
  const { statements, readTo } = readProgram(text, diagnostics, now ? deadlineIn(now, limit) : never);
  // What was cut short will be read again anyway: drawing its beginning is a courtesy.
  const rest = readTo < text.length ? limit / 3 : limit;
  const main = loneDef(statements);
  const interpreter = newInterpreter(text, statements, main, diagnostics, now ? deadlineIn(now, rest) : never);
  const frame = newFrame(new Scope(null, ""));
  if (main) runEntryFunction(interpreter, statements, main, frame);
  else interpreter.runBody(statements, frame);
  const kernel = diagnostics.hasErrors ? pastedKernel(text) : null;
  if (kernel) diagnostics.only("pasted-kernel", kernel.span, kernel.text);
  const returned = outputsOf(interpreter, frame);
  const phased = withPhases({ nodes: interpreter.nodes, outputs: returned });
  const { updates, names } = updatesOf(interpreter, phased, frame);
  const read = withUpdates(phased, updates);
  const { outputs } = read;
  if (!interpreter.stopped) warnUnused(interpreter, { outputs, names }, frame.result.values !== null, main);
  const graph = withRounded(read, leavingHalves(read));
  const holes = [...interpreter.nodes.values()].some((node) => isHole(node));
  return {
    text,
    graph,
    diagnostics: diagnostics.list(text),
    symbols: [...interpreter.symbols.values()].sort((a, b) => a.definition.from - b.definition.from),
    outputs,
    updates,
    constants: constantsOf(frame.scope),
    complete: !diagnostics.hasErrors && !holes,
    unknown: interpreter.unknown,
    calls: interpreter.calls,
    assertions: interpreter.assertions,
    runs: interpreter.runs,
    sites: interpreter.sites,
    partOf: interpreter.partOf,
    statements,
    main,
    scope: frame.scope,
  };
}

function constantsOf(scope: Scope): ReadonlyMap<string, number> {
  const constants = new Map<string, number>();
  for (const [name, bindings] of scope.names) {
    const { value, symbol } = bindings.at(-1)!;
    if (value.kind === "number" && symbol.kind === "constant") constants.set(name, value.value);
  }
  return constants;
}

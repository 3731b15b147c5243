/** @file The front end's door: a text becomes a graph, and everything that can be said about it. */
import { withPhases } from "../autodiff";
import { type Diagnostic, type Graph, isHole, isSource, type NodeId, type Span, type Update } from "../ir";
import { leavingHalves, opDef, withDefaults, withRounded, unstableSoftmaxes } from "../ops";
import { movesFor } from "./reading/parse";
import {
  type Assertion,
  type CallInstance,
  type Frame,
  type Interpreter,
  MAX_STEPS,
  type Site,
  type StatementRun,
} from "./interpreter";
import { callValue } from "./calls/call";
import { memoryOf } from "./calls/memory";
import { evaluate } from "./evaluate";
import { inputsFix } from "./guesses/def-inputs";
import type { Reading } from "./guesses/fitting";
import { offerData } from "./guesses/loader";
import { hasOwnDerivative, moduleCall } from "./guesses/module-call";
import { Diagnostics } from "./reading/diagnostics";
import { readProgram } from "./reading/read";
import { decorated } from "./statements/decorators";
import { runBody } from "./statements/run";
import { NotedNodes } from "./still";
import { differentiates } from "./statements/training-loop";
import { runEntryFunction, loneDef } from "./entry-function";
import { numberValue, Scope, type SymbolRecord, type Value } from "./values/values";
import { type DefStatement, type Statement, bare, bodiesOf, everyStatement } from "./reading/syntax";
import { settleReturns } from "./statements/both-ways";
import { outputsOf, warnUnread, warnUnreadGradients, warnUnused, withoutSpares } from "./statements/unused";
import { beginAsInputs } from "./statements/starting-values";
import { computedStarts, updatesOf, withDraws, withUpdates } from "./statements/updates";

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
  /** Reading ends after a number of steps: 1 is what an editor grants a text that is being typed, 10 is ten times that; without it there is no end. */
  readonly patience?: number;
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
  sequence: true,
  result: { values: null },
});

/** What a text with guesses in it says. */
function reading(text: string): Reading {
  const { interpreter, frame } = interpreted(text, { patience: 1, shown: false, isGuess: true });
  const wanted = [...interpreter.alike, ...interpreter.wanted].map(
    ([node, type]) => [interpreter.nodes.get(node)!.label, type] as const,
  );
  const sizesOf = (name: string): ReadonlyMap<string, number> => wholeNumbers(frame.scope.find(name)?.value);
  const mistakes = interpreter.diagnostics.errorCount;
  const nodes = [...interpreter.nodes.values()].filter((node) => !isSource(node)).length;
  return { mistakes, nodes, missing: interpreter.missing, wanted: new Map(wanted), sizesOf };
}

/** Whole numbers that an object, its parts and its settings keep: fields, sizes of layers and weights. */
function wholeNumbers(value: Value | undefined): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const note = (name: string, field: Value, depth: number): void => {
    const width = field.kind === "weight" ? field.weight.shape.at(-1) : undefined;
    if (field.kind === "number" && field.whole && !found.has(name)) found.set(name, field.value);
    if (width !== undefined) note("width", numberValue(width, true), depth);
    if (depth > MAX_PART_DEPTH) return;
    if (field.kind === "layer")
      for (const [i, arg] of field.layer.args.entries())
        note(arg.name?.text ?? `${name}.${i}`, arg.operand.value, depth + 1);
    if (field.kind === "sequence") for (const item of field.items) note(`${name}.`, item.value, depth + 1);
    if (field.kind === "dict") for (const [key, item] of field.entries) note(key, item.value, depth + 1);
    if (field.kind === "object") for (const [key, item] of field.object.fields) note(key, item, depth + 1);
  };
  if (value) note("", value, 0);
  return found;
}
const MAX_PART_DEPTH = 3;

function newInterpreter(
  text: string,
  statements: readonly Statement[],
  main: DefStatement | null,
  diagnostics: Diagnostics,
  { patience, shown, isGuess }: How,
): Interpreter {
  const interpreter: Interpreter = {
    text,
    statements,
    printing: { met: false, shown },
    inputsFix: once(() => (isGuess ? null : inputsFix({ text, statements, read: reading }, main))),
    diagnostics,
    maxSteps: MAX_STEPS * patience,
    nodes: new NotedNodes(),
    unknown: new Set(),
    sites: new Map(),
    partOf: new Map(),
    symbols: new Map(),
    calls: [],
    losses: [],
    memory: memoryOf(text),
    optimizing: {
      steps: [],
      losses: [],
      backwardAt: null,
      turns: 0,
      repeated: null,
      writtenOut: new Set(),
      counts: new Set(),
      tests: new Set(),
      labels: new Map(),
      asked: 0,
      unclear: false,
      zeroed: 0,
      stale: false,
      replaced: new Map(),
      open: 0,
      written: new Map(),
      first: new Map(),
    },
    derived: new Map(),
    cotangents: new Map(),
    ownRules: new Map(),
    assertions: [],
    runs: [],
    firstDefinition: firstDefinitions(statements),
    training: null,
    modes: new Map(),
    readEarly: new Set(),
    defCalls: new Map(),
    fieldWrites: [],
    outerWrites: [],
    grown: new Map(),
    madeEntries: [],
    defaults: new Map(),
    early: [],
    weightWrites: [],
    hooks: [],
    hooked: [],
    spare: new Set(),
    draws: 0,
    frozen: new Set(),
    drawn: new Set(),
    begins: new Map(),
    keepsWeights: !differentiates({ statements }),
    weightOf: new Map(),
    applied: { variables: null },
    makings: [],
    wanted: new Map(),
    alike: new Map(),
    missing: new Set(),
    anyIteration: null,
    step: 0,
    stopped: false,
    // By `this`: an interpreter that reads the library's text is made from this one.
    runBody(body, frame) {
      runBody(this, body, frame);
    },
    settleReturns(frame, statement) {
      settleReturns(this, frame, statement);
    },
    call(run, at, callee, args) {
      return callValue(this, run, at, callee, args);
    },
    decorate(run, statement, def) {
      return decorated(this, run, statement, def);
    },
    valueOf(run, root, path) {
      return evaluate(this, run, root, path);
    },
  };
  return interpreter;
}

interface Interpreted {
  readonly interpreter: Interpreter;
  readonly frame: Frame;
  readonly main: DefStatement | null;
}

/** How a text is read. */
interface How {
  readonly patience: number;
  /** What it prints is its result. */
  readonly shown: boolean;
  /** It is read to see whether types fit: nothing is offered. */
  readonly isGuess: boolean;
}

/** `text` read and run, before anything is said about the whole of it. */
function interpreted(text: string, how: How): Interpreted {
  const { patience, shown } = how;
  const diagnostics = new Diagnostics();
  const { statements } = readProgram(text, diagnostics, movesFor(text.length) * patience);
  const main = loneDef(statements);
  const interpreter = newInterpreter(text, statements, main, diagnostics, how);
  const frame = newFrame(new Scope(null, ""));
  if (main) runEntryFunction(interpreter, statements, main, frame);
  else interpreter.runBody(statements, frame);
  const { printing, nodes } = interpreter;
  // A script that keeps nothing was written for what it prints.
  const isSilent = printing.met && !shown && !frame.result.values && !diagnostics.hasErrors;
  if (isSilent && [...nodes.values()].every(isSource)) return interpreted(text, { ...how, shown: true });
  return { interpreter, frame, main };
}

/** Whether a statement is one of a call of an object: what comes of it is known, or its mistakes say why not. */
const isOfForward = ({ frame: { method, making, defs } }: StatementRun): boolean =>
  method !== undefined && !making && /^(forward|__call__)$/.test(defs.at(-1)?.name.text ?? "");

/** A program of classes that computes nothing yet: the outermost one is given example inputs. */
function callModule({ text, statements, diagnostics, stopped, runs }: Interpreter): void {
  const last = statements.findLast((each) => each.kind === "class");
  if (!last || stopped || runs.some(isOfForward)) return;
  const found = moduleCall({ text, statements, read: reading });
  if (found === "called") return;
  const of = statements.findLast((each) => each.kind === "class" && each.name.text === found?.name) ?? last;
  if (of.kind !== "class") return;
  const own = !found && hasOwnDerivative(of);
  const line = text.indexOf("\n", of.span.from);
  const what = own
    ? `Nothing calls ${of.name.text} yet: give it an input, x: f32[8, 64], and call it, y = ${of.name.text}.apply(x).`
    : found
      ? `Nothing calls ${found.name} yet: make an object of it and call that with inputs.`
      : "Nothing here can be computed: a class needs a forward() or a __call__().";
  diagnostics.add("class", { from: of.span.from, to: line < 0 ? of.span.to : line }, what, {
    fixes: found ? [{ title: `Call ${found.name} with example inputs`, edits: found.edits }] : [],
  });
}

/**
 * Reads `text`. Never throws on any text; all mistakes are in `diagnostics` at once, and statements that they do not touch still make nodes.
 * With less than endless patience, reading ends after a number of steps with a diagnostic that says where.
 */
export function parseProgram(text: string, { patience = Infinity }: ParseOptions = {}): Parsed {
  const { interpreter, frame, main } = interpreted(text, { patience, shown: false, isGuess: false });
  const { diagnostics, statements } = interpreter;
  const kernel = diagnostics.hasErrors ? pastedKernel(text) : null;
  if (kernel) diagnostics.only("pasted-kernel", kernel.span, kernel.text);
  offerData(interpreter, reading);
  const returned = outputsOf(interpreter, frame);
  withoutSpares(interpreter, returned);
  if (returned.length === 0 && !frame.result.values) callModule(interpreter);
  feedAsSet(interpreter);
  warnUnread(interpreter);
  warnUnreadGradients(interpreter);
  if (!diagnostics.hasErrors) warnOverflow(interpreter);
  let phased = withPhases({ nodes: new Map(interpreter.nodes), outputs: returned });
  const computed = computedStarts(interpreter, phased, frame);
  if (computed.size > 0) {
    beginAsInputs(interpreter, computed);
    phased = withPhases({ nodes: new Map(interpreter.nodes), outputs: returned });
  }
  const { updates: written, names } = updatesOf(interpreter, phased, frame);
  const { graph: drawing, updates } = withDraws(phased, written);
  const read = withUpdates(drawing, updates, (id) => interpreter.begins.get(id)?.() ?? null);
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

/** Weights that the program sets to one number hold it, where nothing trains them. */
function feedAsSet({ nodes, weightOf, keepsWeights }: Interpreter): void {
  if (!keepsWeights) return;
  for (const [id, { named, key }] of weightOf) {
    const node = nodes.get(id);
    const begin = named.begins.get(key);
    if (node?.op !== "input" || !begin || begin["source"] === "randn" || begin["source"] === "uniform") continue;
    nodes.set(id, { ...node, attrs: withDefaults(opDef("input"), { ...begin, role: "param" }) });
  }
}

function constantsOf(scope: Scope): ReadonlyMap<string, number> {
  const constants = new Map<string, number>();
  for (const [name, bindings] of scope.names) {
    const { value, symbol } = bindings.at(-1)!;
    if (value.kind === "number" && symbol.kind === "constant") constants.set(name, value.value);
  }
  return constants;
}

/** Warns of every such softmax and offers the stable one. */
function warnOverflow({ nodes, diagnostics, text }: Interpreter): void {
  for (const { exp, axes } of unstableSoftmaxes(nodes)) {
    const { span } = nodes.get(exp)!;
    const fix = span && stabilised(text, span, axes);
    diagnostics.add(
      "overflow",
      span ?? { from: 0, to: 0 },
      "exp is infinite above 88.7 (f16: above 11.1), and the quotient is then NaN. A softmax that subtracts the maximum first gives the same numbers and can't overflow.",
      { severity: "warning", nodes: [exp], ...(fix ? { fixes: [fix] } : {}) },
    );
  }
}

/** Where the one call of exp in `line` stands, and what it is taken of. */
function onlyExp(
  line: string,
): { readonly from: number; readonly to: number; readonly x: string; readonly name: string | null } | null {
  const found = [...line.matchAll(/\bexp\(/g)];
  const [only] = found;
  if (!only || found.length > 1) return null;
  const open = only.index + only[0].length;
  let depth = 1;
  let close = open;
  for (; close < line.length && depth > 0; close++) depth += line[close] === "(" ? 1 : line[close] === ")" ? -1 : 0;
  const inside = line.slice(open, close - 1).trim();
  const before = /([\w.]*)\.$/.exec(line.slice(0, only.index))?.[1] ?? "";
  if (inside === "")
    return before === "" ? null : { from: only.index - 1 - before.length, to: close, x: before, name: null };
  const from = before === "" ? only.index : only.index - 1 - before.length;
  return { from, to: close, x: inside, name: line.slice(from, open - 1) };
}

/** `exp(s)` as `exp(s - s.max(dim=-1, keepdim=True))`. */
function stabilised(
  text: string,
  span: Span,
  axes: readonly number[],
): { title: string; edits: { span: Span; insert: string }[] } | null {
  // A node may stand for its name alone: the call is on the same line.
  const start = text.lastIndexOf("\n", span.from - 1) + 1;
  const end = text.indexOf("\n", span.to);
  const call = onlyExp(text.slice(start, end < 0 ? undefined : end));
  if (!call) return null;
  const { x, name } = call;
  const whole = /^[\w.]+$/.test(x) || /^\([^()]*\)$/.test(x) ? x : `(${x})`;
  const axis = axes.length === 1 ? String(axes[0]) : `(${axes.join(", ")})`;
  const isJax = /\bjnp\b|\bjax\b/.test(text);
  const spelled = isJax ? `axis=${axis}, keepdims=True` : `dim=${axis}, keepdim=True`;
  const shifted = `${whole} - ${whole}.${axes.length > 1 && !isJax ? "amax" : "max"}(${spelled})`;
  const insert = name === null ? `(${shifted}).exp()` : `${name}(${shifted})`;
  return {
    title: "Subtract the maximum first",
    edits: [{ span: { from: start + call.from, to: start + call.to }, insert }],
  };
}

/** Pasted kernels: Triton, CUDA and shaders say how one thread computes; a program here says what is computed. */
interface Language {
  readonly name: string;
  /** What only this language has. */
  readonly signs: RegExp;
}

const LANGUAGES: readonly Language[] = [
  { name: "a Triton kernel", signs: /@triton\.jit|\btl\.(?:program_id|load|store)\s*\(/ },
  { name: "a CUDA kernel", signs: /\b__global__\b|\b(?:threadIdx|blockIdx)\.[xyz]\b/ },
  { name: "a WGSL shader", signs: /@compute\b|@group\(\d+\)\s*@binding/ },
  { name: "a Metal kernel", signs: /\[\[\s*thread_position_in_grid\s*\]\]/ },
];

/** The kernel that `text` is, where it begins, and what to write instead; null of a program. */
function pastedKernel(text: string): { readonly span: Span; readonly text: string } | null {
  for (const { name, signs } of LANGUAGES) {
    const found = signs.exec(text);
    if (!found) continue;
    return {
      span: { from: found.index, to: found.index + found[0].length },
      text: `This is ${name}, not a tensor program. Write what it computes with tensors, such as y = softmax(x); the playground generates the kernels.`,
    };
  }
  return null;
}

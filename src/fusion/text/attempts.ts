/** @file `try`: its statements are read one after the other, and where one fails as Python would, what handles that is read instead. */
import type { Frame, Interpreter } from "./interpreter";
import type { Handler, Statement } from "./reading/syntax";
import { openTrial } from "./trial";
import { leaveBlocks } from "./statements/contexts";

/** A `try` whose statements are being read. */
interface Attempt {
  readonly block: object;
  readonly handlers: readonly Handler[];
  /** Where its statements begin in their list. */
  readonly from: number;
  /** Whether derivatives were off there, and how many blocks without them were open. */
  readonly off: boolean;
  readonly depth: number;
}

/** What else an exception is, from Python's own classes. */
const BASES: ReadonlyMap<string, readonly string[]> = new Map([
  ["KeyError", ["LookupError"]],
  ["IndexError", ["LookupError"]],
  ["NotImplementedError", ["RuntimeError"]],
  ["ZeroDivisionError", ["ArithmeticError"]],
]);

/** What a text shows that is read. */
const SHOWN: ReadonlySet<string> = new Set([
  "AssertionError",
  "AttributeError",
  "IndexError",
  "KeyError",
  "LookupError",
  "NotImplementedError",
  "StopIteration",
  "TypeError",
  "ValueError",
]);

/** Whether a handler catches what only data would show, a matrix that is singular or memory that runs out. */
const mayCatchMore = ({ names }: Handler): boolean => names.length === 0 || names.some((name) => !SHOWN.has(name));

const ALL: ReadonlySet<string> = new Set(["Exception", "BaseException"]);

/** Whether `except names:` catches one of what may have been raised. */
const catches = ({ names }: Handler, raised: readonly string[]): boolean =>
  names.length === 0 ||
  names.some((name) => ALL.has(name) || raised.some((each) => each === name || BASES.get(each)?.includes(name)));

/**
 * Reads a statement inside of `attempts`, the innermost last. What Python would raise there, and one of them catches, has not happened.
 * @returns who catches it, and in which attempt; null where nothing is raised, or nobody catches it
 */
function attempted(
  interpreter: Interpreter,
  frame: Frame,
  attempts: readonly Attempt[],
  read: () => void,
): { readonly attempt: Attempt; readonly handler: Handler } | null {
  const trial = openTrial(interpreter);
  const { diagnostics } = interpreter;
  const mark = diagnostics.mark();
  const names = frame.scope.mark();
  const { values, value } = frame.result;
  const word = frame.jump?.word;
  read();
  const raised = diagnostics.raisedSince(mark);
  if (!raised) return null;
  for (const attempt of attempts.toReversed()) {
    const handler = attempt.handlers.find((each) => catches(each, raised));
    if (!handler) continue;
    trial.undo();
    frame.scope.backTo(names);
    Object.assign(frame.result, { values, value });
    if (frame.jump) frame.jump.word = word!;
    return { attempt, handler };
  }
  return null;
}

/** Where the statements of a `try` end, what stands behind its `else` included. */
const endOf = (statements: readonly Statement[], block: object): number =>
  statements.findIndex((each) => each.kind === "pass" && each.attempt?.at === "end" && each.attempt.block === block);

/** Nothing that the text shows is raised; what only data shows is not known here. */
function tellUnraised(interpreter: Interpreter, { span }: Statement, attempt: Attempt | undefined): void {
  if (!attempt?.handlers.some(mayCatchMore)) return;
  const end = interpreter.text.indexOf("\n", span.from);
  const line = { from: span.from, to: end < 0 ? span.to : Math.min(end, span.to) };
  const text = "No exception is raised here: the `except` part is ignored.";
  interpreter.diagnostics.add("no-effect", line, text, { severity: "warning" });
}

/** The `try` blocks among statements that are read in order. */
export class Attempts {
  private readonly open: Attempt[] = [];
  /** What is not read behind an exception: up to the end of this block. */
  private left: object | null = null;
  private readonly interpreter: Interpreter;
  private readonly statements: readonly Statement[];
  private readonly frame: Frame;
  private readonly before: boolean[];
  private readonly runAll: (interpreter: Interpreter, statements: readonly Statement[], frame: Frame) => void;

  /** @param before whether derivatives were off before each open block without them */
  constructor(
    interpreter: Interpreter,
    statements: readonly Statement[],
    frame: Frame,
    before: boolean[],
    runAll: Attempts["runAll"],
  ) {
    this.interpreter = interpreter;
    this.statements = statements;
    this.frame = frame;
    this.before = before;
    this.runAll = runAll;
  }

  /** Whether the statement at `i` stands behind an exception; begins and ends the blocks that it marks. */
  passesOver(i: number, statement: Statement): boolean {
    const mark = statement.kind === "pass" ? statement.attempt : undefined;
    if (this.left) {
      if (mark?.at === "end" && mark.block === this.left) this.left = null;
      return true;
    }
    if (mark?.at === "begin")
      this.open.push({ ...mark, from: i, off: this.interpreter.nodes.off, depth: this.before.length });
    if (mark?.at === "else") tellUnraised(this.interpreter, statement, this.open.pop());
    return false;
  }

  /** Reads the statement at `i`, and what handles what it raises. */
  read(i: number, read: () => void): void {
    const { interpreter, statements, frame, runAll } = this;
    const caught = this.open.length === 0 ? read() : attempted(interpreter, frame, this.open, read);
    if (!caught) return;
    const { block, from, off, depth } = caught.attempt;
    this.open.length = this.open.indexOf(caught.attempt);
    this.left = block;
    const rest = statements.slice(from, endOf(statements, block));
    leaveBlocks(rest, i + 1 - from, frame, (each) => runAll(interpreter, each, frame));
    interpreter.nodes.off = off;
    this.before.length = depth;
    this.read(i, () => runAll(interpreter, caught.handler.body, frame));
  }
}

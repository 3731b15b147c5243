/** @file The score row's one status line: which message, if any, replaces the numbers. */
import type { Diagnostic } from "../../fusion";
import type { Derived, Notice, RunState } from "../../state";
import { count, plural } from "./units";

export type StatusAction = "go-to-error" | "cancel-run" | "cancel-compile" | "run-again" | "notice" | "open-example";

export interface Status {
  readonly tone: "accent" | "yes" | "no" | "warn";
  readonly title: string;
  readonly text: string;
  /** 0 to 1; null without a bar; NaN when nobody knows how far it is. */
  readonly progress: number | null;
  readonly action: { readonly label: string; readonly kind: StatusAction } | null;
  /** Other ways on. */
  readonly others?: readonly { readonly label: string; readonly kind: StatusAction }[];
}

export interface StatusFacts {
  readonly notice: Notice | null;
  readonly derived: Derived["status"];
  /** Compiling has lasted longer than 150 ms. */
  readonly slow: boolean;
  /** Ops of the last text that was read; null before the first. */
  readonly ops: number | null;
  /** There is a graph of an earlier text. */
  readonly drawn: boolean;
  /** The newest text has no statement at all. */
  readonly empty: boolean;
  readonly firstError: Diagnostic | null;
  /** Ops whose operands are missing: there is no plan until they are there. */
  readonly unconnected: readonly string[];
  /** Inputs of a program that is nothing else yet. */
  readonly loneInputs: readonly string[];
  readonly run: RunState;
}

const colours = { info: "accent", warn: "warn", no: "no", yes: "yes" } as const;

function ofNotice({ tone, text, action, others }: Notice): Status {
  const [title = "", ...rest] = text.split(/(?<=[.:…])\s+/);
  return {
    tone: colours[tone],
    title,
    text: rest.join(" "),
    progress: null,
    action: { label: action?.label ?? "Dismiss", kind: "notice" },
    ...(others ? { others: others.map(({ label }) => ({ label, kind: "notice" as const })) } : {}),
  };
}

function ofRun(run: RunState): Status | null {
  if (run.status !== "running") return null;
  const { fraction, text, secondsLeft } = run.progress;
  const [title = text, ...rest] = text.split(", ");
  const left = secondsLeft !== null && secondsLeft >= 1 ? [`about ${count(Math.round(secondsLeft))} s left`] : [];
  return {
    tone: "accent",
    title,
    text: [...rest, ...left].join(", "),
    progress: fraction,
    action: { label: "Cancel", kind: "cancel-run" },
  };
}

function ofGaps(unconnected: readonly string[]): Status {
  const [first = "", second] = unconnected;
  const named =
    unconnected.length === 1
      ? first
      : unconnected.length === 2 && first !== second
        ? `${first} and ${second}`
        : `${first} and ${plural(unconnected.length - 1, "other op")}`;
  return {
    tone: "accent",
    title: "No plan yet.",
    text: `${named} ${unconnected.length === 1 ? "needs" : "need"} an input: connect ${unconnected.length === 1 ? "it" : "them"}.`,
    progress: null,
    action: null,
  };
}

/** Nothing is computed yet: what to do with the first input. */
const ofInputs = ([first]: readonly string[]): Status => ({
  tone: "accent",
  title: "No plan yet.",
  text: `Add an op and connect ${first} to it.`,
  progress: null,
  action: null,
});

/** Null: the numbers are shown. What cannot wait comes first. */
export function statusOf(facts: StatusFacts): Status | null {
  if (facts.notice) return ofNotice(facts.notice);
  const running = ofRun(facts.run);
  if (running) return running;
  if (facts.empty) {
    return {
      tone: "accent",
      title: "Nothing here yet.",
      text: "Type a program, add an op, or open an example.",
      progress: null,
      action: { label: "Open an example", kind: "open-example" },
    };
  }
  if (facts.derived === "broken") {
    const error = facts.firstError;
    const action = error ? ({ label: `Go to line ${error.line}`, kind: "go-to-error" } as const) : null;
    // Nothing is wrong with a module that waits for its call: it is offered.
    if (error?.code === "class" && error.fixes?.length)
      return {
        tone: "accent",
        title: "No plan yet.",
        text: facts.drawn ? `${error.text} Showing the last good graph.` : error.text,
        progress: null,
        action,
      };
    return {
      tone: "no",
      title: error ? `Line ${error.line} does not compile.` : "The program is not complete.",
      text: facts.drawn ? "Showing the last good graph." : "There is no graph yet.",
      progress: null,
      action,
    };
  }
  if (facts.unconnected.length > 0) return ofGaps(facts.unconnected);
  if (facts.loneInputs.length > 0) return ofInputs(facts.loneInputs);
  if (facts.derived === "compiling" && facts.slow) {
    return {
      tone: "accent",
      title: "Planning…",
      text: facts.ops === null ? "" : plural(facts.ops, "op"),
      progress: Number.NaN,
      action: { label: "Cancel", kind: "cancel-compile" },
    };
  }
  return null;
}

/** @file Predict first: a question that is answered before the numbers are uncovered, and what the answer was worth. */
import { useEffect, useRef, useState } from "react";
import { inUnit, numberSaid, rightNumber, type Answer, type Ask, type Judgement, type Scope } from "../../course";
import { parseEdgeId, showCount, type Compilation, isInsideOf } from "../../fusion";
import { playground, usePlayground, type PlaygroundState } from "../../state";
import { significant } from "../model/units";
import { LessonProse } from "./LessonProse";

const answer = (said: Answer): void => void playground.getState().actions.answer(said);

interface Props<A extends Ask> {
  readonly ask: A;
  /** null while the program is planned: the numbers of the words, and the end of the scale, are still to come. */
  readonly scope: Scope | null;
}
type Kind<K extends Ask["kind"]> = Extract<Ask, { kind: K }>;

const CannotTell = () => (
  <button type="button" className="lesson-quiet" onClick={() => answer({ kind: "pass" })}>
    I cannot tell
  </button>
);

function ChoiceAsk({ ask, scope }: Props<Kind<"choice">>) {
  const [chosen, setChosen] = useState<number | null>(null);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== null) answer({ kind: "choice", index: chosen });
      }}
    >
      <div role="radiogroup" aria-label="Answers" className="lesson-choices">
        {ask.choices.map(({ text }, i) => (
          <label key={text}>
            <input type="radio" name="answer" checked={chosen === i} onChange={() => setChosen(i)} />
            <span>
              <LessonProse text={text} scope={scope} />
            </span>
          </label>
        ))}
      </div>
      <LockIn said={chosen} />
    </form>
  );
}

/** `said`: what would be locked in, null while there is no answer. Each new answer brings the button into sight. */
function LockIn({ said, what = "Lock in" }: { readonly said: string | number | null; readonly what?: string }) {
  const buttons = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (said !== null) buttons.current?.scrollIntoView({ block: "nearest" });
  }, [said]);
  return (
    <div className="lesson-buttons" ref={buttons}>
      <button type="submit" className="lesson-go" disabled={said === null}>
        {what}
      </button>
      <CannotTell />
    </div>
  );
}

/** The right end of the scale: a round number some way above the answer, so that the scale does not give it away. */
function scaleEnd(truth: number): number {
  const far = truth * 2.6;
  const magnitude = 10 ** Math.floor(Math.log10(far));
  return [1, 2, 4, 5, 8, 10].map((step) => step * magnitude).find((end) => end >= far) ?? 10 * magnitude;
}

function NumberAsk({ ask, scope }: Props<Kind<"number">>) {
  const [said, setSaid] = useState("");
  const end = scope && scaleEnd(rightNumber(ask, scope));
  const mark = (part: number): string => (end === null ? "…" : significant(end * part));
  const value = numberSaid(said);
  const ready = Number.isFinite(value) && value >= 0;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) answer({ kind: "number", value });
      }}
    >
      <p className="lesson-number">
        <input
          inputMode="decimal"
          aria-label={`Your answer in ${ask.unit}`}
          value={said}
          onChange={(event) => setSaid(event.target.value)}
        />
        <span>{ask.unit}</span>
      </p>
      <input
        type="range"
        aria-label={`Your answer on a scale, in ${ask.unit}`}
        disabled={end === null}
        min={0}
        max={end ?? 1}
        step={ask.within === 0 ? 1 : (end ?? 1) / 200}
        value={ready ? Math.min(value, end ?? 0) : 0}
        onChange={(event) => setSaid(significant(Number(event.target.value)).replaceAll(",", ""))}
      />
      <p className="lesson-scale" aria-hidden="true">
        <span>0</span>
        <span>{mark(0.5)}</span>
        <span>{mark(1)}</span>
      </p>
      <LockIn
        said={ready ? value : null}
        what={ready ? `Lock in ${inUnit(value, ask.unit, showCount(value))}` : "Lock in"}
      />
    </form>
  );
}

/** The name of a value of the program, by the node that was clicked. */
function nameOf({ symbols }: Compilation, node: string): string | null {
  return (
    symbols.find((symbol) => symbol.node !== null && (symbol.node === node || isInsideOf(node, symbol.node)))?.name ??
    null
  );
}

/** What was clicked in the graph, as the question's answers name it. */
function clicked({ selection, derived, lesson }: PlaygroundState, target: Kind<"click">["target"]): string | null {
  const { compilation } = derived;
  // The graph may still be that of the program before.
  if (!compilation || !lesson?.compilation) return null;
  if (target !== "edge") return selection.kind === "node" ? nameOf(compilation, selection.id) : null;
  const edge = selection.kind === "edge" ? parseEdgeId(selection.id) : null;
  const [from, to] = edge ? [nameOf(compilation, edge.producer), nameOf(compilation, edge.consumer)] : [null, null];
  return from !== null && to !== null ? `${from} -> ${to}` : null;
}

const CLICK: Readonly<Record<Kind<"click">["target"], string>> = {
  value: "Click a value in the graph.",
  edge: "Click an edge in the graph.",
  line: "Click a line of the program.",
};

/** What was clicked as it is shown: an edge with an arrow, a line as it is written. */
function shownName(name: string, target: Kind<"click">["target"], text: string): string {
  const line = target === "line" ? text.split("\n").findLast((each) => each.trimStart().startsWith(`${name} =`)) : null;
  return line?.trim() ?? name.replaceAll("->", "→");
}

function ClickAsk({ ask }: { readonly ask: Kind<"click"> }) {
  const name = usePlayground((state) => clicked(state, ask.target));
  const text = usePlayground((state) => state.document.text);
  // Where one pane is shown at a time, what is to be clicked is not in sight.
  const pane = ask.target === "line" ? "text" : "graph";
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name !== null) answer({ kind: "click", name });
      }}
    >
      <p aria-live="polite">
        {name === null ? (
          CLICK[ask.target]
        ) : (
          <>
            You chose <code>{shownName(name, ask.target, text)}</code>.
          </>
        )}
      </p>
      <p className="lesson-elsewhere">
        <button type="button" className="lesson-quiet" onClick={() => playground.getState().actions.showPane(pane)}>
          {pane === "text" ? "To the program" : "To the graph"}
        </button>
      </p>
      <LockIn said={name} />
    </form>
  );
}

function QuestionForm({ ask, scope }: Props<Ask>) {
  switch (ask.kind) {
    case "choice":
      return <ChoiceAsk ask={ask} scope={scope} />;
    case "number":
      return <NumberAsk ask={ask} scope={scope} />;
    case "click":
      return <ClickAsk ask={ask} />;
  }
}

interface Answered {
  readonly answer: Answer;
  readonly judgement: Judgement;
}

/** What the person said; null who can't tell. */
function saidWords(ask: Ask, said: Answer): string | null {
  if (said.kind === "number") return showCount(said.value);
  if (said.kind === "click") return said.name.replace("->", "→");
  return said.kind === "choice" && ask.kind === "choice" ? `“${ask.choices[said.index]!.text}”` : null;
}

/** `64 MiB; you said 96`. */
function truthWords(ask: Ask, { answer: said, judgement }: Answered): string {
  const yours = saidWords(ask, said);
  const truth =
    ask.kind === "number"
      ? inUnit(Number(judgement.truth), ask.unit)
      : ask.kind === "choice"
        ? ask.choices[Number(judgement.truth)]!.text
        : String(judgement.truth).replaceAll("->", "→");
  if (judgement.right) return truth;
  return yours === null ? truth : `${truth}; you said ${yours}`;
}

/** The guess as a hollow ring, the truth as a dot, and how far they are apart. What is off the scale stands at its end. */
function GuessScale({
  ask,
  answered: { answer: said, judgement },
}: {
  readonly ask: Kind<"number">;
  readonly answered: Answered;
}) {
  if (said.kind !== "number") return null;
  const truth = Number(judgement.truth);
  const end = Math.max(scaleEnd(truth), truth);
  const part = (value: number): number => (end > 0 ? Math.min(1, value / end) * 100 : 0);
  const [guess, right] = [part(said.value), part(truth)];
  return (
    <div
      className="lesson-guess"
      role="img"
      aria-label={`On a scale from 0 to ${significant(end)} ${ask.unit}: you said ${showCount(said.value)}, it is ${significant(truth)}`}
    >
      <i
        className="lesson-apart"
        style={{ left: `${Math.min(guess, right)}%`, width: `${Math.abs(guess - right)}%` }}
      />
      <i className="lesson-right" style={{ left: `${right}%` }} />
      <i className="lesson-ring" style={{ left: `${guess}%` }} />
    </div>
  );
}

function Revealed({ ask, scope, answered }: Props<Ask> & { readonly answered: Answered }) {
  const { judgement, answer: said } = answered;
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that had the focus is gone: Tab goes on to the next step from here.
    if (document.activeElement === document.body) shown.current?.focus({ preventScroll: true });
    // The reason is read to its end.
    shown.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const verdict = judgement.right ? "Right" : said.kind === "pass" ? "The answer" : "Not quite";
  return (
    <div ref={shown} tabIndex={-1} role="status" className="lesson-revealed" data-right={judgement.right}>
      <p className="lesson-truth">
        <b>{verdict}:</b> <LessonProse text={truthWords(ask, answered)} scope={scope} />
      </p>
      {ask.kind === "number" && <GuessScale ask={ask} answered={answered} />}
      <p className="lesson-because">
        <LessonProse text={judgement.because} scope={scope} />
      </p>
    </div>
  );
}

/** An answer that came before the plan that it is judged by. */
function Locked({ ask, scope, said }: Props<Ask> & { readonly said: Answer }) {
  const yours = saidWords(ask, said);
  return (
    <p role="status" className="lesson-status">
      {yours !== null && (
        <>
          You said <LessonProse text={yours} scope={scope} />.{" "}
        </>
      )}
      Planning…
    </p>
  );
}

type Given = NonNullable<ReturnType<NonNullable<PlaygroundState["lesson"]>["answers"]["get"]>>;

function QuestionBody({ ask, scope, given }: Props<Ask> & { readonly given: Given | null }) {
  if (!given) return <QuestionForm key={ask.question} ask={ask} scope={scope} />;
  const { answer: said, judgement } = given;
  if (!judgement) return <Locked ask={ask} scope={scope} said={said} />;
  return <Revealed ask={ask} scope={scope} answered={{ answer: said, judgement }} />;
}

export function Question({ ask, scope, given }: Props<Ask> & { readonly given: Given | null }) {
  return (
    <section className="lesson-card" aria-label="Predict first">
      <p className="lesson-kicker">{given ? "Your prediction" : "Predict first"}</p>
      <h3>
        <LessonProse text={ask.question} scope={scope} />
      </h3>
      <QuestionBody ask={ask} scope={scope} given={given} />
    </section>
  );
}

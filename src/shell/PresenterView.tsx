/** @file The view for a projector: a large graph, one count, one sentence, two bars. */
import { Fragment, useEffect, useState } from "react";
import { GraphCanvas } from "../editor";
import {
  Covered,
  Figure,
  InlineCode,
  KernelInspector,
  MeasuredPanel,
  outcomeOf,
  stepNames,
  PredictStrip,
  tallyOf,
} from "../panels";
import {
  selectCovered,
  selectTitle,
  selectPlanned,
  selectKnown,
  selectScore,
  selectStep,
  usePlayground,
} from "../state";
import { barsOf, questionOf, remedyQuestionOf, settled } from "../fusion";
import type { Step } from "../fusion";
import "./presenter.css";

/** The pointer hides after this long without a move. */
const POINTER_MILLIS = 2000;

function Bars({ step }: { readonly step: Step }) {
  const [group] = barsOf(step);
  if (!group) return null;
  return (
    <div className="presenter-bars" role="group" aria-label={group.title}>
      <h3>{group.title}</h3>
      {group.bars.map(({ what, part, text, chosen }) => (
        <Fragment key={what}>
          {what} <span style={{ width: `${100 * part}%`, background: chosen ? "var(--accent)" : "var(--pipe)" }} />
          <b>{text}</b>
        </Fragment>
      ))}
    </div>
  );
}

function Reason({ step }: { readonly step: Step }) {
  const verdict = settled(step);
  return (
    <>
      <h2>{questionOf(step)}</h2>
      <p>
        <InlineCode text={verdict.text} />
      </p>
      <Bars step={step} />
      {!step.accepted && verdict.remedy && (
        <p>
          <b>{remedyQuestionOf(step)}</b> <InlineCode text={verdict.remedy} />
        </p>
      )}
    </>
  );
}

function Sentence() {
  const score = usePlayground(selectScore);
  const step = usePlayground(selectStep);
  const covered = usePlayground(selectCovered);
  const known = usePlayground(selectKnown);
  const predict = usePlayground((state) => state.predict && state.lesson === null);
  const tally = score && tallyOf(score.naive);
  if (!score || !tally) return <div className="presenter-text">No plan yet.</div>;
  return (
    <div className="presenter-text">
      <div className="presenter-count">
        <span>{covered === "all" ? <Covered /> : tally.text(score.naive)} →</span>{" "}
        {covered === "all" ? <Covered /> : tally.text(score.now)}{" "}
        <span>→ {covered === "nothing" ? tally.text(score.end) : <Covered />}</span>
      </div>
      <div className="presenter-caption">{tally.noun}</div>
      {predict && <PredictStrip />}
      {step && !predict && step.seq <= known && <Reason step={step} />}
    </div>
  );
}

/** What stands beside the graph. */
function Side() {
  const side = usePlayground((state) => state.presenterSide);
  const idle = usePlayground((state) => state.run.status === "idle");
  switch (side) {
    case "words":
      return <Sentence />;
    case "wgsl":
    case "traffic":
      return (
        <div className="presenter-panel">
          <KernelInspector />
        </div>
      );
    case "roofline":
      return (
        <div className="presenter-panel presenter-roofs">{idle ? <Figure name="rooflines" /> : <MeasuredPanel />}</div>
      );
    case "time":
      return (
        <div className="presenter-panel">
          <MeasuredPanel />
        </div>
      );
  }
}

function usePointerHidden(): boolean {
  const [hidden, setHidden] = useState(false);
  useEffect(() => {
    let timer = setTimeout(() => setHidden(true), POINTER_MILLIS);
    const moved = (): void => {
      clearTimeout(timer);
      setHidden(false);
      timer = setTimeout(() => setHidden(true), POINTER_MILLIS);
    };
    window.addEventListener("pointermove", moved);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("pointermove", moved);
    };
  }, []);
  return hidden;
}

function Foot() {
  const cursor = usePlayground((state) => state.cursor);
  const planned = usePlayground(selectPlanned);
  const total = planned?.steps.length ?? 0;
  const step = usePlayground(selectStep);
  const title = usePlayground((state) => state.lesson?.content.title ?? selectTitle(state) ?? "Own program");
  return (
    <footer className="presenter-foot">
      <b className="presenter-title">{title}</b>
      <b>
        Step {cursor} of {total}
      </b>
      <div className="presenter-track">
        <i style={{ width: `${total > 0 ? (100 * cursor) / total : 0}%` }} />
      </div>
      <span>{planned && step ? `${stepNames(planned, step)} ${outcomeOf(step)}` : "naive plan"}</span>
      <kbd>←</kbd>
      <kbd>→</kbd>
    </footer>
  );
}

export function PresenterView() {
  const blanked = usePlayground((state) => state.blanked);
  const hidden = usePointerHidden();
  return (
    <main className={`presenter${hidden ? " presenter-quiet" : ""}`} aria-label="Presenter view">
      <h1 className="offscreen">Fusion Playground, presenter view</h1>
      <div className="presenter-graph">
        <div className="presenter-room">
          <GraphCanvas />
        </div>
      </div>
      <Side />
      <Foot />
      {blanked && <div className="presenter-blank" />}
    </main>
  );
}

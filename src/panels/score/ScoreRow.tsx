/** @file naive → now → end: the three numbers of the lesson. News stands below them, or in their place where there are none. */
import { loadPart, playground, selectHandKernels, selectOpenExample, selectScore, usePlayground } from "../../state";
import { Icon } from "../../icons";
import { lazy, Suspense, useMemo } from "react";
import { changedOptions } from "../../lessons";
import { scoreWords, type ScoreWords } from "../model/plan/score";
import { Metric } from "./Metric";
import { useStatus } from "./use-status";
import "./score.css";
import type { Status, StatusAction } from "../model/status";

// Before a run nothing was measured.
const MeasuredMetric = lazy(async () => ({
  default: (await loadPart(() => import("./MeasuredMetric"))).MeasuredMetric,
}));
const HandScore = lazy(async () => ({ default: (await loadPart(() => import("../by-hand"))).HandScore }));

interface NumbersProps {
  readonly score: ScoreWords;
  /** Of the shown plan with kernels by hand; null where it has none. */
  readonly byHand?: number | null;
}

function Numbers({ score, byHand }: NumbersProps) {
  const profile = usePlayground(({ document }) => document.options.profile.name);
  const run = usePlayground((state) => state.run);
  const hand = usePlayground(selectHandKernels).length;
  const predicts = `Predicted for ${profile}: ${score.micros.values.join(" → ")} ${score.micros.unit}.`;
  const predicted = (
    <Metric
      name={`Predicted, ${profile}`}
      values={score.micros.values}
      unit={score.micros.unit}
      rank="third"
      meaning={`Time by the cost model, on the device profile ${profile}.${byHand === undefined ? "" : " It can't predict kernels edited by hand: a run times them."}`}
    />
  );
  return (
    <>
      <div className="score-metric key" aria-hidden="true">
        <span className="score-name">How to read</span>
        <span className="score-values">
          naive<i>→</i>
          <b>now</b>
          <i>→</i>end
        </span>
      </div>
      <Metric
        name="Kernels"
        values={score.kernels}
        {...(hand > 0 ? { unit: `(${hand} by hand)` } : {})}
        rank="always"
        meaning="GPU programs launched one after the other."
      />
      <Metric
        name={score.transfers.tally.title}
        values={score.transfers.values}
        rank="always"
        meaning={score.transfers.tally.meaning}
      />
      <Metric
        name="Memory traffic"
        values={score.bytes.values}
        unit={score.bytes.unit}
        rank="second"
        meaning="Bytes that all kernels read from and write to GPU memory."
      />
      {run.status === "done" ? (
        <Suspense fallback={predicted}>
          <MeasuredMetric {...{ byHand, predicts }} instead={predicted} />
        </Suspense>
      ) : (
        predicted
      )}
    </>
  );
}

/** Options that were changed before, perhaps for another program, or that an example left to the text that replaced it: said where their plan is seen, and set back by a click. */
function Changed() {
  const options = usePlayground(({ document }) => document.options);
  const example = usePlayground(selectOpenExample);
  const changed = useMemo(() => changedOptions(options, example), [options, example]);
  if (!changed) return null;
  const { words, usual } = changed;
  const says = `Planned with changed options: ${words.join(", ")}`;
  return (
    <button
      type="button"
      className="score-changed"
      title={`${says}. A click sets them back.`}
      aria-label={`${says}. Set them back`}
      onClick={() => playground.getState().actions.setOptions(usual)}
    >
      {words.length === 1 ? words[0] : `${words.length} options`}
      <Icon name="cross" size={12} />
    </button>
  );
}

type News = ReturnType<typeof useStatus>;

/** What happened, said politely, and the way back to the numbers. */
function NewsOf({ news: [status, follow, dismiss] }: { readonly news: News }) {
  return (
    <>
      <div aria-live="polite" className="score-announce">
        {status && <StatusLine status={status} onFollow={follow} />}
      </div>
      {status && dismiss && (
        <button type="button" className="score-close" aria-label="Close this news" onClick={dismiss}>
          <Icon name="cross" />
        </button>
      )}
    </>
  );
}

export function ScoreRow() {
  const totals = usePlayground(selectScore);
  const hand = usePlayground(selectHandKernels).length > 0;
  const news = useStatus();
  const [status] = news;
  const planning = usePlayground(({ derived }) => derived.status === "compiling");
  // What happened beside a plan that is ready takes nothing from its numbers.
  const isBeside = usePlayground(({ notice, derived }) => notice !== null && derived.status === "ready");
  const alone = status !== null && !(isBeside && totals);
  return (
    <>
      {!alone && (
        <div className="score-row">
          {totals && <Changed />}
          {totals && hand && (
            <Suspense>
              <HandScore score={totals}>
                {(score, median) => <Numbers score={scoreWords(score)} byHand={median} />}
              </HandScore>
            </Suspense>
          )}
          {totals && !hand && <Numbers score={scoreWords(totals)} />}
          {!totals && !planning && <p className="score-empty">No plan yet.</p>}
        </div>
      )}
      <div className="score-row news-row" data-status={status?.tone} data-alone={alone}>
        <NewsOf news={news} />
      </div>
    </>
  );
}

/** The same line over a pane that has no score row: there is nothing of it without news. */
export function NewsRow() {
  const news = useStatus();
  const [status] = news;
  return (
    <div className="score-row news-row" data-status={status?.tone}>
      <NewsOf news={news} />
    </div>
  );
}

interface Props {
  readonly status: Status;
  readonly onFollow: (kind: StatusAction, which: number) => void;
}

function Bar({ progress }: { readonly progress: number }) {
  const known = !Number.isNaN(progress);
  return (
    <progress
      className="score-progress"
      aria-label="Progress"
      max={100}
      {...(known ? { value: Math.round(progress * 100) } : {})}
    />
  );
}

/** One status: what happened in bold, what it means, and the way on. */
function StatusLine({ status, onFollow }: Props) {
  return (
    <div className="score-status" data-tone={status.tone}>
      <p>
        {/* Aloud, what goes up all the time is the bar's. */}
        <b>{status.title}</b> <span aria-hidden={status.progress !== null}>{status.text}</span>
      </p>
      {status.progress !== null && <Bar progress={status.progress} />}
      {[status.action, ...(status.others ?? [])].map(
        (action, which) =>
          action && (
            <button
              key={action.label}
              type="button"
              className="score-action"
              onClick={() => onFollow(action.kind, which)}
            >
              {action.label}
            </button>
          ),
      )}
    </div>
  );
}

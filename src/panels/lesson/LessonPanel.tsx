/** @file The open lesson, one step at a time, where the left column begins; the program stays below it. */
import { useEffect, useMemo, useRef } from "react";
import { lessonAfter, scopeOf, type MeasuredTimes, type Scope } from "../../course";
import { playground, selectLessonAsks, tally, usePlayground, type FinishedRun, type OpenLesson } from "../../state";
import { Icon } from "../../icons";
import { timingOf } from "../model/run/timings";
import { LessonProse } from "./LessonProse";
import { Question } from "./Question";
import { TaskCard } from "./TaskCard";
import "./lesson.css";

/** Facts of the program that the step gives; null while it is planned. */
function useScope(lesson: OpenLesson | null): Scope | null {
  const run = usePlayground((state) => (state.run.status === "done" ? state.run.run : null));
  const { compilation, beside } = lesson ?? { compilation: null, beside: null };
  return useMemo(
    () =>
      compilation &&
      scopeOf(compilation, run?.text === compilation.text ? measuredTimes(run.result) : null, null, beside),
    [compilation, beside, run],
  );
}

type Result = FinishedRun["result"];

/** Medians of the visitor's own run, in microseconds; null where it has none. */
function measuredTimes(result: Result): MeasuredTimes | null {
  const [naive, fused] = [timingOf(result, "naive", null), timingOf(result, "fused", null)];
  return naive && fused && { naive: naive.median, fused: fused.median };
}

function Head({ lesson: { content, step } }: { readonly lesson: OpenLesson }) {
  const progress = usePlayground((state) => state.courseProgress.get(content.id));
  const { right, all } = tally(progress ?? { furthest: 0, answers: {}, done: [], best: null });
  const { actions } = playground.getState();
  return (
    <header className="lesson-head">
      <p className="lesson-position">
        <span>
          {content.kind === "puzzle" ? "Puzzle" : "Lesson"} · {content.minutes} min
        </span>
        {all > 0 && (
          <span>
            predictions {right} of {all} right
          </span>
        )}
        <button
          type="button"
          className="lesson-close"
          aria-label="Close the lesson"
          onClick={() => actions.closeLesson()}
        >
          <Icon name="cross" size={16} />
        </button>
      </p>
      <h2>{content.title}</h2>
      {content.steps.length > 1 && (
        <ol className="lesson-dots" aria-label={`Step ${step + 1} of ${content.steps.length}`}>
          {content.steps.map(({ title }, i) => (
            <li key={title + String(i)}>
              <button
                type="button"
                aria-label={`Step ${i + 1}: ${title}`}
                aria-current={i === step ? "step" : undefined}
                data-read={i < step}
                onClick={() => void actions.goToStep(i)}
              />
            </li>
          ))}
        </ol>
      )}
    </header>
  );
}

function Foot({ lesson }: { readonly lesson: OpenLesson }) {
  const { content, step } = lesson;
  const { actions } = playground.getState();
  const waits = selectLessonAsks({ lesson });
  const last = step === content.steps.length - 1;
  const following = lessonAfter(content.id);
  return (
    <nav className="lesson-foot" aria-label="Steps of the lesson">
      <button
        type="button"
        className="lesson-quiet"
        disabled={step === 0}
        onClick={() => void actions.goToStep(step - 1)}
      >
        Back
      </button>
      {waits && <span>answer to go on</span>}
      {last && following && (
        <button type="button" className="lesson-quiet" onClick={() => actions.openDialog("course")}>
          All lessons
        </button>
      )}
      <button
        type="button"
        className="lesson-go"
        disabled={waits}
        onClick={() => {
          if (!last) void actions.goToStep(step + 1);
          else if (following) void actions.openLesson(following.id);
          else actions.openDialog("course");
        }}
        title={last && following ? following.title : undefined}
      >
        {!last ? "Next" : !following ? "All lessons" : content.kind === "lesson" ? "Next lesson" : "Next puzzle"}
      </button>
    </nav>
  );
}

export function LessonPanel() {
  const lesson = usePlayground((state) => state.lesson);
  const scope = useScope(lesson);
  const body = useRef<HTMLDivElement>(null);
  const step = lesson?.step;
  useEffect(() => {
    body.current?.scrollTo({ top: 0 });
    // Who went on by keys reads on from here, and Tab leads to the question.
    if (body.current?.closest("article")?.contains(document.activeElement)) body.current.focus();
  }, [step, lesson?.content]);
  if (!lesson) return null;
  const shown = lesson.content.steps[lesson.step]!;
  return (
    <article className="lesson" aria-label={`${lesson.content.title}, step ${lesson.step + 1}`}>
      <Head lesson={lesson} />
      <div className="lesson-body" ref={body} tabIndex={-1}>
        {shown.title !== lesson.content.title && <h3 className="lesson-step-title">{shown.title}</h3>}
        {shown.paragraphs.map((text) => (
          <p key={text}>
            <LessonProse text={text} scope={scope} />
          </p>
        ))}
        {shown.ask && <Question ask={shown.ask} scope={scope} given={lesson.answers.get(lesson.step) ?? null} />}
        {shown.task && <TaskCard task={shown.task} lesson={lesson} scope={scope} />}
      </div>
      <Foot lesson={lesson} />
    </article>
  );
}

/** @file Something to change until a check holds: checked after every plan, with hints and a solution that is asked for twice. */
import { useEffect, useRef } from "react";
import { goalsIn, type Scope, type Task } from "../../course";
import { playground, usePlayground, type OpenLesson } from "../../state";
import { Icon } from "../../icons";
import { showBytes, showMicros, significant } from "../model/units";
import { LessonProse } from "./LessonProse";

const SHOWN_SCORE: Readonly<Record<string, (value: number) => string>> = {
  bytes: showBytes,
  "hand.bytes": showBytes,
  peak: showBytes,
  micros: showMicros,
};

const showScore = (task: Task, value: number): string => (SHOWN_SCORE[task.score ?? ""] ?? significant)(value);

function Hints({ task, shown, scope }: { readonly task: Task; readonly shown: number; readonly scope: Scope | null }) {
  return (
    <ol className="lesson-hints" aria-label="Hints">
      {task.hints.slice(0, shown).map((hint, i) => (
        <li key={hint}>
          <Icon name="hint" size={14} />
          <span>
            <b>
              Hint {i + 1} of {task.hints.length}.
            </b>{" "}
            <LessonProse text={hint} scope={scope} />
          </span>
        </li>
      ))}
    </ol>
  );
}

function put({ kernel: wgsl, solution, solutionOptions }: Task): void {
  const { actions, derived } = playground.getState();
  const [kernel] = derived.compilation?.fusedPlan?.kernels ?? [];
  if (wgsl !== undefined && kernel) actions.writeKernel(kernel, wgsl);
  if (wgsl !== undefined) return;
  actions.typeText(solution);
  if (solutionOptions) actions.setOptions(solutionOptions);
}

const putWords = ({ kernel, solutionText }: Task): string => {
  if (solutionText !== undefined) return "Choose it";
  return kernel === undefined ? "Put it into the program" : "Put it into the kernel";
};

function Solution({ task, state }: { readonly task: Task; readonly state: OpenLesson["solution"] }) {
  const { actions } = playground.getState();
  if (state !== "shown")
    return (
      <button type="button" className="lesson-quiet" onClick={() => actions.askSolution()}>
        {state === "hidden" ? "Show a solution" : "Really show it?"}
      </button>
    );
  return (
    <div className="lesson-solution">
      {task.solutionText === undefined ? <pre>{task.kernel ?? task.solution}</pre> : <p>{task.solutionText}</p>}
      <button type="button" className="lesson-quiet" onClick={() => put(task)}>
        {putWords(task)}
      </button>
    </div>
  );
}

/** How far it is: done, or what still misses. `ran` where a kernel of the task ran. */
function TaskStatus({ lesson: { task: state }, ran }: { readonly lesson: OpenLesson; readonly ran: boolean }) {
  const shown = useRef<HTMLParagraphElement>(null);
  const told = state !== null && (state.done || ran) ? state.text : null;
  useEffect(() => {
    // What was pressed may be far below, and a run is looked at elsewhere.
    if (told !== null) shown.current?.scrollIntoView({ block: "nearest" });
  }, [told]);
  if (!state) return <p className="lesson-status">Checking…</p>;
  return (
    <p ref={shown} className="lesson-status" data-done={state.done}>
      {state.done ? (
        <>
          <Icon name="check" size={16} /> <b>Done.</b>
        </>
      ) : (
        <LessonProse text={state.text} scope={null} />
      )}
    </p>
  );
}

/** Of a task with a score: what this program has, the best on this machine, and the best known. */
function Scores({ task, lesson }: { readonly task: Task; readonly lesson: OpenLesson }) {
  const own = usePlayground((state) => state.courseProgress.get(lesson.content.id)?.best ?? null);
  if (task.score === undefined) return null;
  const show = (value: number | null | undefined): string => (value == null ? "…" : showScore(task, value));
  return (
    <dl className="lesson-scores">
      <div>
        <dt>Now</dt>
        <dd>{show(lesson.task?.score)}</dd>
      </div>
      {own !== null && (
        <div>
          <dt>Your best</dt>
          <dd>{show(own)}</dd>
        </div>
      )}
      <div>
        <dt>Best known</dt>
        <dd>{show(lesson.best)}</dd>
      </div>
    </dl>
  );
}

export function TaskCard({
  task,
  lesson,
  scope,
}: {
  readonly task: Task;
  readonly lesson: OpenLesson;
  readonly scope: Scope | null;
}) {
  const latest = usePlayground((state) => state.derived.latest);
  const { actions } = playground.getState();
  // A task about a kernel is done by its text and by a run of it.
  const text = usePlayground((state) => task.kernel && state.document.byHand);
  const checks = usePlayground((state) => task.kernel && state.handChecks);
  const run = usePlayground((state) => task.kernel && state.run.status === "done" && state.run.run);
  useEffect(() => void actions.checkTask(), [actions, latest, task, text, checks, run]);
  return (
    <section className="lesson-card" aria-label="Your turn">
      <p className="lesson-kicker">Your turn</p>
      <p>
        <LessonProse text={task.text} scope={scope && goalsIn(task, scope)} />
      </p>
      <div aria-live="polite">
        <TaskStatus lesson={lesson} ran={Boolean(run)} />
      </div>
      <Scores task={task} lesson={lesson} />
      <Hints task={task} shown={lesson.hints} scope={scope} />
      <div className="lesson-buttons">
        {lesson.hints < task.hints.length && (
          <button type="button" className="lesson-quiet" onClick={() => actions.showHint()}>
            {lesson.hints === 0 ? "Give me a hint" : "Another hint"}
          </button>
        )}
        <Solution task={task} state={lesson.solution} />
      </div>
    </section>
  );
}

/** @file A lesson on paper: for the class with room to write, or for the teacher with answers, usual mistakes and solutions. */
import { useEffect, useState } from "react";
import {
  besideOf,
  filled,
  goalsIn,
  inUnit,
  loadLesson,
  pictureOf,
  rightChoice,
  rightNumber,
  runsOf,
  scopeOf,
  usualMistakes,
  type Ask,
  type Lesson,
  type LessonStep,
  type Scope,
} from "../../course";
import { defaultOptions } from "../../fusion";
import { findExample, optionsFor } from "../../lessons";
import { playground } from "../../state";

interface Loaded {
  readonly lesson: Lesson;
  /** Facts of each step's program; null where it has no plan. */
  readonly scopes: readonly (Scope | null)[];
}

async function scopesOf(lesson: Lesson): Promise<Loaded["scopes"]> {
  const scopes: (Scope | null)[] = [];
  for (const i of lesson.steps.keys()) {
    const picture = pictureOf(lesson, i);
    const example = findExample(picture.example);
    const text = picture.program ?? example?.text ?? "";
    const base = example ? optionsFor(example, defaultOptions, null, defaultOptions) : defaultOptions;
    const shown = { text, options: { ...base, ...picture.options } };
    const { actions } = playground.getState();
    const other = besideOf(lesson, i, shown);
    const compilation = await actions.planOf(shown.text, shown.options);
    const beside = other && (await actions.planOf(other.text, other.options));
    scopes.push(compilation && scopeOf(compilation, null, null, beside));
  }
  return scopes;
}

/** The lesson with the numbers of its programs; null while they are computed. */
export function useSheet(id: string): Loaded | null {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  useEffect(() => {
    let open = true;
    void loadLesson(id).then(async (lesson) => {
      const next = lesson && { lesson, scopes: await scopesOf(lesson) };
      if (open) setLoaded(next);
    });
    return () => {
      open = false;
    };
  }, [id]);
  return loaded?.lesson.id === id ? loaded : null;
}

function Text({ text, scope }: { readonly text: string; readonly scope: Scope | null }) {
  const shown = scope ? filled(text, scope) : text.replace(/\{[^{}]+\}/g, "…");
  return runsOf(shown).map((run, i) => {
    if (run.kind === "code") return <code key={i}>{run.text}</code>;
    return run.kind === "strong" ? <b key={i}>{run.text}</b> : run.text;
  });
}

/** The right answer and its reason, then what is usually said instead and what to say to it. */
function Answers({ ask, scope }: { readonly ask: Ask; readonly scope: Scope }) {
  if (ask.kind === "choice") {
    const right = rightChoice(ask, scope);
    return (
      <ul>
        {ask.choices.map(({ text, because, but }, i) => (
          <li key={text} data-right={i === right}>
            <b>{i === right ? "Right: " : "Usual mistake: "}</b>
            <Text text={text} scope={scope} />. <Text text={because ?? but ?? ""} scope={scope} />
          </li>
        ))}
      </ul>
    );
  }
  const mistakes = mistakesOf(ask, scope);
  const answer =
    ask.kind === "number" ? inUnit(rightNumber(ask, scope), ask.unit) : ask.answers.join(" or ").replaceAll("->", "→");
  return (
    <>
      <p data-right="true">
        <b>Right: {answer}.</b> <Text text={ask.because} scope={scope} />
      </p>
      {mistakes.length > 0 && (
        <ul>
          {mistakes.map(({ said, but }) => (
            <li key={said} data-right="false">
              <b>Usual mistake: {said}.</b> <Text text={but} scope={scope} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function mistakesOf(
  ask: Exclude<Ask, { kind: "choice" }>,
  scope: Scope,
): { readonly said: string; readonly but: string }[] {
  if (ask.kind === "number")
    return usualMistakes(ask, scope).map(({ value, but }) => ({ said: inUnit(value, ask.unit), but }));
  return Object.entries(ask.buts ?? {}).map(([name, but]) => ({ said: name.replaceAll("->", "→"), but }));
}

interface StepProps {
  readonly step: LessonStep;
  readonly number: number;
  readonly scope: Scope | null;
  readonly answers: boolean;
}

function AskPart({ ask, scope, answers }: Omit<StepProps, "step" | "number"> & { readonly ask: Ask }) {
  return (
    <div className="sheet-ask">
      <p>
        <b>{answers ? "Ask before you go on: " : "Predict: "}</b>
        <Text text={ask.question} scope={scope} />
      </p>
      {!answers && ask.kind === "choice" && (
        <ul>
          {ask.choices.map(({ text }) => (
            <li key={text}>
              ☐ <Text text={text} scope={scope} />
            </li>
          ))}
        </ul>
      )}
      {!answers && <p className="sheet-line">My answer and why:</p>}
      {answers && scope && <Answers ask={ask} scope={scope} />}
    </div>
  );
}

function Step({ step, number, scope, answers }: StepProps) {
  const { title, paragraphs, show, ask, task } = step;
  return (
    <section className="sheet-step">
      <h3>
        {number}. {title}
      </h3>
      {show?.program && <pre>{show.program.trim()}</pre>}
      {paragraphs.map((text) => (
        <p key={text}>
          <Text text={text} scope={scope} />
        </p>
      ))}
      {ask && <AskPart {...{ ask, scope, answers }} />}
      {task && (
        <div className="sheet-ask">
          <p>
            <b>Task: </b>
            <Text text={task.text} scope={scope && goalsIn(task, scope)} />
          </p>
          {!answers && <p className="sheet-line">My program:</p>}
          {answers && (
            <>
              <ol>
                {task.hints.map((hint) => (
                  <li key={hint}>
                    Hint: <Text text={hint} scope={scope} />
                  </li>
                ))}
              </ol>
              <p>
                <b>A solution: </b>
                {task.solutionText}
              </p>
              {task.solutionText === undefined && <pre>{(task.kernel ?? task.solution).trim()}</pre>}
            </>
          )}
        </div>
      )}
    </section>
  );
}

export function Sheet({ loaded: { lesson, scopes }, answers }: { readonly loaded: Loaded; readonly answers: boolean }) {
  return (
    <article className="sheet" aria-label={`${lesson.title}, ${answers ? "with answers" : "for the class"}`}>
      <h2>{lesson.title}</h2>
      <p>
        {lesson.summary} {lesson.minutes} minutes.
      </p>
      {!answers && <p className="sheet-line">Name:</p>}
      {lesson.steps.map((step, i) => (
        <Step key={step.title} step={step} number={i + 1} scope={scopes[i] ?? null} answers={answers} />
      ))}
    </article>
  );
}

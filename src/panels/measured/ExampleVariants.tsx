/** @file The example that is open: what it shows, its variants, its task and its notes. Gone once the program is another. */
import { useEffect, useState } from "react";
import { examples, findExample, isAsOpened, presetOf, variantId, type Example, type Task } from "../../lessons";
import { afterFirstPaint, playground, selectIsEdited, selectPlanned, usePlayground } from "../../state";
import { showBytes } from "../model/units";
import { useNoteButtons } from "../notes/note-buttons";
import "./chapter-notes.css";
import "./measured.css";
import { InlineCode } from "../InlineCode";

function Variants({ preset, shown }: { readonly preset: Example; readonly shown: string | null }) {
  const choices = [
    { id: preset.id, title: "Original" },
    ...(preset.variants ?? []).map((variant) => ({ id: variantId(preset, variant), title: variant.title })),
  ];
  // With other options it is another plan, whoever chose them.
  const isAsIs = usePlayground(({ document }) => isAsOpened(document.options, findExample(shown)));
  // The solutions of a challenge are shown to who asks.
  const hides = preset.chapter === "challenges" && shown === preset.id;
  if (hides)
    return (
      <div className="chapter-variants">
        {choices.slice(1).map(({ id }) => (
          <button key={id} type="button" onClick={() => playground.getState().actions.openExample(id)}>
            Show a solution
          </button>
        ))}
      </div>
    );
  if (choices.length === 1) return null;
  return (
    <div className="chapter-variants" role="group" aria-label={`Variants of ${preset.title}`}>
      {choices.map(({ id, title }) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === shown && isAsIs}
          onClick={() => playground.getState().actions.openExample(id)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

/** The optimisation level of the passes that fuse the example. */
function UsedLevel({ example }: { readonly example: string }) {
  const level = usePlayground((state) => state.lessonTotals.get(example)?.level);
  useEffect(() => void afterFirstPaint().then(() => playground.getState().actions.countLessons([example])), [example]);
  return (
    level !== undefined && (
      <span title="The highest optimisation level among the passes that fused it (Options)">level {level}</span>
    )
  );
}

/** The challenge after this one; the first after the last. */
function nextChallenge(id: string): Example {
  const all = examples.filter(({ chapter }) => chapter === "challenges");
  return all[(all.findIndex((each) => each.id === id) + 1) % all.length]!;
}

/** All goals of a challenge are met by a program of one's own: what that saves, and what comes next. */
function Solved({ preset }: { readonly preset: Example }) {
  const before = usePlayground((state) => state.lessonTotals.get(preset.id)?.fused.bytes);
  const now = usePlayground((state) => selectPlanned(state)?.fusedPlan?.totals.bytes);
  useEffect(() => void playground.getState().actions.countLessons([preset.id]), [preset.id]);
  const next = nextChallenge(preset.id);
  return (
    <div className="measured-block challenge-solved">
      <h3>{preset.title}: solved</h3>
      {before !== undefined && now !== undefined && now < before && (
        <p className="measured-note">
          Your program moves {showBytes(now)}; the original moved {showBytes(before)}. The link under Share keeps your
          solution.
        </p>
      )}
      <div className="chapter-variants">
        <button type="button" onClick={() => playground.getState().actions.openExample(next.id)}>
          Next: {next.title}
        </button>
      </div>
    </div>
  );
}

export function ExampleVariants() {
  const shown = usePlayground((state) => state.document.example);
  const edited = usePlayground(selectIsEdited);
  const notes = useNoteButtons();
  const preset = presetOf(shown);
  const example = findExample(shown);
  const won = usePlayground(({ derived }) => {
    const goals = derived.latest?.goals ?? [];
    return goals.length > 0 && goals.every(({ isMet }) => isMet);
  });
  if (preset?.chapter === "challenges" && edited && won) return <Solved preset={preset} />;
  if (!preset || !example || edited) return null;
  const { task } = example;
  const solved = task && `${preset.id}/${task.solved}`;
  return (
    <div className="measured-block">
      <h3>
        {preset.title} <UsedLevel example={example.id} />
      </h3>
      <Variants preset={preset} shown={shown} />
      <p className="measured-note">{example.sentence}</p>
      {task && solved !== shown && (
        <ExampleTask
          key={shown}
          task={task}
          onSolved={() => solved && playground.getState().actions.openExample(solved)}
        />
      )}
      {notes && <notes.ExampleNotes example={example.id} />}
    </div>
  );
}

interface Props {
  readonly task: Task;
  /** Opens the variant that shows what comes after the answer. */
  readonly onSolved: () => void;
}

/** Something to find in the example's program: its lines to choose from, and what each choice is answered with. */
function ExampleTask({ task, onSolved }: Props) {
  const [at, setAt] = useState<number | null>(null);
  const chosen = at === null ? null : task.lines[at]!;
  return (
    <fieldset className="task">
      <legend>{task.question}</legend>
      {task.lines.map(({ code }, i) => (
        <label key={code} className="task-line">
          <input type="radio" name="task" checked={i === at} onChange={() => setAt(i)} />
          <code>{code}</code>
        </label>
      ))}
      <div role="status">
        {chosen && (
          <p className="task-answer" data-right={chosen.right}>
            <b>{chosen.right ? "Yes. " : "Not this one. "}</b>
            <InlineCode text={chosen.says} />{" "}
            {chosen.right && (
              <button type="button" className="measured-link" onClick={onSolved}>
                See the fix
              </button>
            )}
          </p>
        )}
      </div>
    </fieldset>
  );
}

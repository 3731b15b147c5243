/** @file Something to find in the example's program: its lines to choose from, and what each choice is answered with. */
import { useState } from "react";
import type { Task } from "../../lessons";
import { InlineCode } from "../InlineCode";

interface Props {
  readonly task: Task;
  /** Opens the variant that shows what comes after the answer. */
  readonly onSolved: () => void;
}

export function ExampleTask({ task, onSolved }: Props) {
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

/** @file A lesson's sentences: numbers computed, code set as code, terms explained where they stand. */
import { useId } from "react";
import { terms } from "../../glossary";
import { filled, runsOf, type Run, type Scope } from "../../course";

const meanings = new Map(terms.map(({ name, meaning }) => [name.toLowerCase().replaceAll(" ", "-"), meaning]));

/** A word of the glossary: its meaning opens beside it. */
function Term({ run }: { readonly run: Run }) {
  const id = useId();
  return (
    <>
      <button type="button" className="lesson-term" popoverTarget={id}>
        {run.text}
      </button>
      <span popover="auto" id={id} className="lesson-meaning">
        <b>{run.text}.</b> {meanings.get(run.term ?? "")}
      </span>
    </>
  );
}

function RunText({ run }: { readonly run: Run }) {
  switch (run.kind) {
    case "plain":
      return run.text;
    case "code":
      return <code>{run.text}</code>;
    case "strong":
      return <strong>{run.text}</strong>;
    case "term":
      return <Term run={run} />;
  }
}

/** One paragraph or sentence; `scope` null while the program is planned: then its numbers are still to come. */
export function LessonProse({ text, scope }: { readonly text: string; readonly scope: Scope | null }) {
  const shown = scope ? filled(text, scope) : text.replace(/\{[^{}]+\}/g, "…");
  return runsOf(shown).map((run, i) => <RunText key={i} run={run} />);
}

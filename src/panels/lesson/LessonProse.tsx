/** @file A lesson's sentences: numbers computed, code set as code, terms explained where they stand. */
import { meaningOf, TermWord } from "../../terms";
import { filled, runsOf, type Run, type Scope } from "../../course";

function RunText({ run }: { readonly run: Run }) {
  switch (run.kind) {
    case "plain":
      return run.text;
    case "code":
      return <code>{run.text}</code>;
    case "strong":
      return <strong>{run.text}</strong>;
    case "term":
      return <TermWord meaning={meaningOf(run.term ?? "") ?? ""}>{run.text}</TermWord>;
  }
}

/** One paragraph or sentence; `scope` null while the program is planned: then its numbers are still to come. */
export function LessonProse({ text, scope }: { readonly text: string; readonly scope: Scope | null }) {
  const shown = scope ? filled(text, scope) : text.replace(/\{[^{}]+\}/g, "…");
  return runsOf(shown).map((run, i) => <RunText key={i} run={run} />);
}

/** @file Under the text: the first mistake or warning, in words, with its fix one click away. */
import type { Diagnostic } from "../../fusion";
import { playground, usePlayground } from "../../state";

const RANK = { error: 0, warning: 1, info: 2 } as const;

/** Errors first, then warnings, each in text order. */
export const byWeight = (diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  diagnostics.toSorted((a, b) => RANK[a.severity] - RANK[b.severity] || a.span.from - b.span.from);

/** Names in backticks are set in bold. */
function Words({ text }: { readonly text: string }) {
  return text.split(/`([^`]*)`/).map((part, i) => (i % 2 === 1 ? <b key={i}>{part}</b> : part));
}

function Sign({ severity }: { readonly severity: Diagnostic["severity"] }) {
  const path = severity === "error" ? "M6 6l10 10M16 6 6 16" : "M11 4.5 18 17H4zM11 9v4M11 15v.1";
  return (
    <svg width="16" height="16" viewBox="0 0 22 22" aria-hidden="true">
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

function Message({ diagnostic, others }: { readonly diagnostic: Diagnostic; readonly others: number }) {
  const { actions } = playground.getState();
  const [fix] = diagnostic.fixes ?? [];
  return (
    <p className="program-strip" data-severity={diagnostic.severity} aria-live="polite">
      <Sign severity={diagnostic.severity} />
      <span>
        {diagnostic.severity === "error" && (
          <button type="button" onClick={() => actions.revealSpan(diagnostic.span)}>
            Line {diagnostic.line}
          </button>
        )}
        {diagnostic.severity === "error" && ": "}
        <Words text={diagnostic.text} />{" "}
        {fix && (
          <button type="button" onClick={() => actions.applyEdits(fix.edits, "text")}>
            {fix.title}
          </button>
        )}
        {others > 0 && <small> {others} more</small>}
      </span>
    </p>
  );
}

export function DiagnosticStrip() {
  const diagnostics = usePlayground((state) => state.derived.latest?.diagnostics);
  const [first, ...others] = byWeight(diagnostics ?? []);
  return first ? <Message diagnostic={first} others={others.length} /> : null;
}

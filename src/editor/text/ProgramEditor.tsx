/** @file The program: the text that everything follows from, with its costs, its mistakes and their fixes. */
import { useCallback, useState, useSyncExternalStore, type KeyboardEvent, type ReactNode, type Ref } from "react";
import type { Diagnostic, Goal } from "../../fusion";
import { afterIntro, lazyModule, opCount, usePlayground, playground } from "../../state";
import "./program.css";

/** px of a line in the editor. */
const LINE_HEIGHT = 22;

/** Until then the plain field is there: reading Monaco takes the time of a whole first plan, and of many frames. */
const useMonacoModule = lazyModule(async () => {
  await afterIntro();
  return import("./MonacoProgram");
});

function CodeProgram() {
  const monaco = useMonacoModule();
  const [plain, setPlain] = useState<HTMLTextAreaElement | null>(null);
  const [ready, setReady] = useState(false);
  const onReady = useCallback(() => setReady(true), []);
  return (
    <>
      {monaco && <monaco.MonacoProgram plain={plain} onReady={onReady} />}
      {!ready && <WaitingProgram field={setPlain} />}
    </>
  );
}

/** Monaco has no touch support: a plain field serves fingers better. */
const TOUCH = "(pointer: coarse), (max-width: 600px)";
function followTouch(changed: () => void): () => void {
  const query = matchMedia(TOUCH);
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}

const savedWords = {
  saved: "saved",
  saving: "saving",
  copied: "saved as a copy: another tab saves the draft",
  "no-room": "not saved: no room beside your earlier work",
  blocked: "not saved: the browser's storage is full or blocked",
} as const;
function Header() {
  const saved = usePlayground((state) => state.saved);
  const broken = usePlayground((state) => state.derived.status === "broken");
  const ops = usePlayground((state) => (state.derived.latest ? opCount(state.derived.latest.drawn) : null));
  return (
    <header className="program-head">
      <h2>Program</h2>
      <span data-saved={saved}>
        {savedWords[saved]}
        {broken && ", with an error"}
        {!broken && ops !== null && `, ${ops.toLocaleString("en-US")} ${ops === 1 ? "op" : "ops"} before fusion`}
      </span>
    </header>
  );
}

export function ProgramEditor() {
  const plain = useSyncExternalStore(followTouch, () => matchMedia(TOUCH).matches);
  return (
    <div className="program">
      <Header />
      {plain ? <PlainProgram /> : <CodeProgram />}
      <GoalLine />
      <DiagnosticStrip />
    </div>
  );
}

const RANK = { error: 0, warning: 1, info: 2 } as const;

/** Errors first, then warnings, each in text order. */
const byWeight = (diagnostics: readonly Diagnostic[]): Diagnostic[] =>
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

interface MessageProps {
  readonly diagnostic: Diagnostic;
  /** Where the line is said, too, of what is no error. */
  readonly withLine: boolean;
  readonly children?: ReactNode;
}

function Message({ diagnostic, withLine, children }: MessageProps) {
  const { actions } = playground.getState();
  const { severity, span, line, text } = diagnostic;
  const [fix] = diagnostic.fixes ?? [];
  return (
    <div className="program-strip" data-severity={severity}>
      <Sign severity={severity} />
      <span>
        {(withLine || severity === "error") && (
          <>
            <button type="button" onClick={() => actions.revealSpan(span)}>
              Line {line}
            </button>
            {": "}
          </>
        )}
        <Words text={text} />{" "}
        {fix && (
          <button type="button" onClick={() => actions.applyEdits(fix.edits, "text")}>
            {fix.title}
          </button>
        )}
        {children}
      </span>
    </div>
  );
}

/** Under the text: the first mistake or warning, in words, with its fix one click away, and the others on demand. */
function DiagnosticStrip() {
  const diagnostics = usePlayground((state) => state.derived.latest?.diagnostics);
  const [asked, setAsked] = useState(false);
  const [first, ...others] = byWeight(diagnostics ?? []);
  if (!first) return null;
  const open = asked && others.length > 0;
  return (
    <>
      <div aria-live="polite">
        <Message diagnostic={first} withLine={open}>
          {others.length > 0 && (
            <button type="button" className="program-more" aria-expanded={open} onClick={() => setAsked(!open)}>
              {open ? "Show only this" : `${others.length} more`}
            </button>
          )}
        </Message>
      </div>
      {open && (
        <ul className="program-messages" aria-label="Other messages of the program">
          {others.map((each) => (
            <li key={`${each.code} ${each.span.from} ${each.span.to}`}>
              <Message diagnostic={each} withLine />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Goals that are shown; more are in the text. */
const MAX_GOALS = 3;

const sayGoal = ({ wants, has, isMet }: Goal): string =>
  isMet ? `✓ ${wants}` : `✕ ${wants}${has === null ? "" : `, now ${has}`}`;

/** Only where the text asks for something: `assert_bytes(n)` and its like. */
function GoalLine() {
  const goals = usePlayground((state) => state.derived.latest?.goals);
  if (!goals || goals.length === 0) return null;
  const { actions } = playground.getState();
  return (
    <p className="program-goals" aria-live="polite">
      <b>{goals.every(({ isMet }) => isMet) ? "Goal reached" : "Goal"}</b>
      {goals.slice(0, MAX_GOALS).map((goal) => (
        <button
          key={goal.span.from}
          type="button"
          data-met={goal.isMet}
          title="Show the line that asks for it"
          onClick={() => actions.revealSpan(goal.span)}
        >
          {sayGoal(goal)}
        </button>
      ))}
      {goals.length > MAX_GOALS && <span>{goals.length - MAX_GOALS} more</span>}
    </p>
  );
}

/** One history for text and graph: the field's own must not answer. */
function undoKeys(event: KeyboardEvent): void {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  const { actions } = playground.getState();
  if (key === "y" || (key === "z" && event.shiftKey)) actions.redo();
  else if (key === "z") actions.undo();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** The plain field with its lines where they stand once Monaco is there. */
function WaitingProgram({ field }: { readonly field: Ref<HTMLTextAreaElement> }) {
  const lines = usePlayground((state) => state.document.text.split("\n").length);
  return (
    <>
      <div className="cost-head" aria-hidden="true">
        <span>FLOP</span>
        <span>bytes</span>
      </div>
      <div className="program-waiting" style={{ height: lines * LINE_HEIGHT }}>
        <pre aria-hidden="true">{Array.from({ length: lines }, (_, i) => i + 1).join("\n")}</pre>
        <PlainProgram field={field} />
      </div>
    </>
  );
}

function PlainProgram({ field }: { readonly field?: Ref<HTMLTextAreaElement> }) {
  const text = usePlayground((state) => state.document.text);
  return (
    <textarea
      ref={field}
      className="program-plain"
      aria-label="Program text"
      spellCheck={false}
      autoCapitalize="off"
      autoCorrect="off"
      rows={Math.min(24, text.split("\n").length + 1)}
      value={text}
      onChange={(event) => playground.getState().actions.typeText(event.target.value)}
      onKeyDown={undoKeys}
    />
  );
}

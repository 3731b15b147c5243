/** @file The program: the text that everything follows from, with its costs, its mistakes and their fixes. */
import { useCallback, useState, useSyncExternalStore } from "react";
import type { Graph } from "../../fusion";
import { afterFirstPaint, lazyModule, usePlayground } from "../../state";
import { DiagnosticStrip } from "./DiagnosticStrip";
import { GoalLine } from "./GoalLine";
import { PlainProgram } from "./PlainProgram";
import "./program.css";

/** Until then the plain field is there: reading Monaco takes the time of a whole first plan. */
const useMonacoModule = lazyModule(async () => {
  await afterFirstPaint();
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
      {!ready && <PlainProgram field={setPlain} />}
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
const notOps = new Set(["input", "const", "hole"]);

function opCount(graph: Graph): number {
  let ops = 0;
  for (const { op } of graph.nodes.values()) if (!notOps.has(op)) ops++;
  return ops;
}

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
        {!broken && ops !== null && `, ${ops.toLocaleString("en-US")} ${ops === 1 ? "op" : "ops"}`}
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

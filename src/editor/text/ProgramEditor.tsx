/** @file The program: the text that everything follows from, with its costs, its mistakes and their fixes. */
import { lazy, Suspense, useSyncExternalStore } from "react";
import type { Graph } from "../../fusion";
import { usePlayground } from "../../state";
import { DiagnosticStrip } from "./DiagnosticStrip";
import { PlainProgram } from "./PlainProgram";
import "./program.css";

const MonacoProgram = lazy(() => import("./MonacoProgram").then((loaded) => ({ default: loaded.MonacoProgram })));

/** Monaco has no touch support: a plain field serves fingers better. */
const TOUCH = "(pointer: coarse), (max-width: 600px)";
function followTouch(changed: () => void): () => void {
  const query = matchMedia(TOUCH);
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}

const savedWords = { saved: "saved", saving: "saving", blocked: "not saved: this browser keeps nothing" } as const;
const notOps = new Set(["input", "const", "hole"]);

function opCount(graph: Graph): number {
  let ops = 0;
  for (const { op } of graph.nodes.values()) if (!notOps.has(op)) ops++;
  return ops;
}

function Header() {
  const saved = usePlayground((state) => state.saved);
  const ops = usePlayground((state) => (state.derived.latest ? opCount(state.derived.latest.drawn) : 0));
  return (
    <header className="program-head">
      <h2>Program</h2>
      <span data-saved={saved}>
        {savedWords[saved]}, {ops.toLocaleString("en-US")} {ops === 1 ? "op" : "ops"}
      </span>
    </header>
  );
}

export function ProgramEditor() {
  const plain = useSyncExternalStore(followTouch, () => matchMedia(TOUCH).matches);
  return (
    <div className="program">
      <Header />
      {plain ? (
        <PlainProgram />
      ) : (
        <Suspense fallback={<PlainProgram />}>
          <MonacoProgram />
        </Suspense>
      )}
      <DiagnosticStrip />
    </div>
  );
}

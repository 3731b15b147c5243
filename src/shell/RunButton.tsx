/** @file Runs both plans; while they run, cancels and says how far they are. */
import type { MouseEvent } from "react";
import { playground, usePlayground } from "../state";
import { RunIcon } from "./Icon";

const percent = (fraction: number): string => `${Math.round(Math.min(Math.max(fraction, 0), 1) * 100)} %`;

export function RunButton({ short }: { readonly short: boolean }) {
  const run = usePlayground((state) => state.run);
  const running = run.status === "running";
  const press = (event: MouseEvent): void => {
    const { actions } = playground.getState();
    // The second click of a double click takes nothing back.
    if (running && event.detail > 1) return;
    if (running) actions.cancelRun();
    else void actions.runBoth();
  };
  return (
    <button type="button" className="run" onClick={press} aria-keyshortcuts="Control+Enter">
      <RunIcon stop={running} />
      {running ? `Cancel ${percent(run.progress.fraction)}` : short ? "Run" : "Run both"}
      {!short && !running && <kbd>Ctrl ↵</kbd>}
    </button>
  );
}

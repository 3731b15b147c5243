/** @file Runs both plans; while they run, cancels and says how far they are. */
import type { MouseEvent } from "react";
import { playground, selectHasHoles, selectIsEmpty, usePlayground, type PlaygroundState } from "../state";
import { Icon } from "../icons";

const percent = (fraction: number): string => `${Math.round(Math.min(Math.max(fraction, 0), 1) * 100)} %`;

/** Why there is nothing to run; null when there is, or while that is not known yet. */
function runRefusal(state: PlaygroundState): string | null {
  const { status, latest } = state.derived;
  if (status === "broken") {
    const error = latest?.diagnostics.find(({ severity }) => severity === "error");
    return error ? `Line ${error.line} has an error: there is no plan to run.` : "There is no plan to run.";
  }
  if (selectIsEmpty(state)) return "The program is empty: there is nothing to run.";
  return selectHasHoles(state) ? "An op has no operand yet: there is no plan to run." : null;
}

export function RunButton({ short }: { readonly short: boolean }) {
  const run = usePlayground((state) => state.run);
  const running = run.status === "running";
  const refusal = usePlayground(runRefusal);
  const press = (event: MouseEvent): void => {
    const { actions } = playground.getState();
    // The second click of a double click takes nothing back.
    if (running && event.detail > 1) return;
    if (running) actions.cancelRun();
    else if (refusal === null) void actions.runBoth();
  };
  return (
    <button
      type="button"
      className="run"
      aria-disabled={!running && refusal !== null}
      title={running ? "Cancel (Ctrl Enter)" : (refusal ?? "Run the naive and the fused plan (Ctrl Enter)")}
      onClick={press}
      aria-keyshortcuts="Control+Enter"
    >
      <Icon name={running ? "stop" : "play"} />
      {running ? `Cancel ${percent(run.progress.fraction)}` : short ? "Run" : "Run both"}
      {!short && !running && <kbd>Ctrl ↵</kbd>}
    </button>
  );
}

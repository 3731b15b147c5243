/** @file Runs both plans; while they run, cancels and says how far they are. */
import { playground, usePlayground } from "../state";
import { RunIcon } from "./Icon";

const percent = (fraction: number): string => `${Math.round(Math.min(Math.max(fraction, 0), 1) * 100)} %`;

export function RunButton({ short }: { readonly short: boolean }) {
  const run = usePlayground((state) => state.run);
  const running = run.status === "running";
  const press = (): void => {
    const { actions } = playground.getState();
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

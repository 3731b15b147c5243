/** @file The first visit: one line that says what the page is, while its example plays once from naive to fused. */
import { useEffect } from "react";
import { playground, restingStep, selectSteps, usePlayground } from "../../state";
import { Icon } from "../../icons";
import "./welcome.css";

const LESS_MOTION = "(prefers-reduced-motion: reduce)";

/** Begins to play when the first graph is drawn. */
function usePlay(): void {
  const ready = usePlayground(({ intro, derived }) => intro === "waiting" && derived.layout !== null);
  const planned = usePlayground(({ derived }) => derived.compilation !== null);
  useEffect(() => {
    if (!ready || !planned) return;
    // The graph is seen as it stands before anything moves.
    const frame = requestAnimationFrame(() => {
      playground.getState().actions.playIntro(matchMedia(LESS_MOTION).matches);
    });
    return () => cancelAnimationFrame(frame);
  }, [ready, planned]);
}

export function Welcome() {
  const intro = usePlayground((state) => state.intro);
  // The play went to the end, and came back to this one.
  const isBest = usePlayground((state) => {
    const steps = selectSteps(state);
    return state.cursor < steps.length && state.cursor === restingStep(steps);
  });
  usePlay();
  if (intro === null) return null;
  const { actions } = playground.getState();
  return (
    <aside className="welcome" aria-label="Welcome">
      <p>
        <b>See why a compiler merges GPU kernels, and what it saves.</b>{" "}
        <span>A thick line is a transfer through memory. Fusion makes it thin.</span>
      </p>
      {intro === "resting" ? (
        <>
          <button type="button" className="welcome-link" onClick={() => actions.showTour(0)}>
            Take the tour
          </button>
          <span className="welcome-or">
            {isBest ? "This is the step that saves the most time:" : "or press"} <kbd>→</kbd>{" "}
            {isBest ? "goes on" : "for the next step"}
          </span>
        </>
      ) : (
        <button type="button" className="welcome-link" onClick={() => actions.skipIntro()}>
          Skip
        </button>
      )}
      <button type="button" className="icon-button" aria-label="Close this line" onClick={() => actions.closeIntro()}>
        <Icon name="cross" size={18} />
      </button>
    </aside>
  );
}

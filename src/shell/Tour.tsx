/** @file Forty seconds through the page: one card, one outlined part at a time. Goes on by itself unless people ask for less motion. */
import { useEffect, useState } from "react";
import { InlineCode } from "../panels";
import { playground, usePlayground } from "../state";
import { STOP_MILLIS, stops } from "./tour";
import "./tour.css";

const LESS_MOTION = "(prefers-reduced-motion: reduce)";

function leave(): void {
  const { actions } = playground.getState();
  actions.showTour(null);
  actions.showTab("wgsl");
  actions.showPane("graph");
  actions.hover(null);
}

const goTo = (stop: number): void => (stop < stops.length ? playground.getState().actions.showTour(stop) : leave());

/** Does what a stop is about, and outlines its part of the page. */
function useStop(at: number): void {
  useEffect(() => {
    const { part, pane, enter } = stops[at]!;
    const state = playground.getState();
    state.actions.showPane(pane);
    enter(state);
    const partOf = (name: string) => document.querySelector<HTMLElement>(`[data-pane="${name}"]`);
    // Where Measured has no place of its own it is a tab beside the kernels.
    const outlined = partOf(part) ?? partOf("kernels");
    if (outlined) outlined.dataset["toured"] = "";
    return () => {
      if (outlined) delete outlined.dataset["toured"];
    };
  }, [at]);
}

function Stop({ at }: { readonly at: number }) {
  const words = usePlayground(stops[at]!.words);
  const [waits, setWaits] = useState(() => matchMedia(LESS_MOTION).matches);
  useStop(at);
  useEffect(() => {
    if (waits) return;
    const timer = setTimeout(() => goTo(at + 1), STOP_MILLIS);
    return () => clearTimeout(timer);
  }, [at, waits]);
  return (
    <aside className="tour" role="dialog" aria-label="Tour" onPointerEnter={() => setWaits(true)}>
      <p className="tour-place">
        {at + 1} of {stops.length}
      </p>
      <p role="status">
        <InlineCode text={words} />
      </p>
      <div className="tour-actions">
        <button type="button" className="plain" onClick={leave}>
          {at + 1 < stops.length ? "Skip" : "Done"}
        </button>
        {at > 0 && (
          <button type="button" className="plain" onClick={() => goTo(at - 1)}>
            Back
          </button>
        )}
        {at + 1 < stops.length && (
          <button type="button" className="action" onClick={() => goTo(at + 1)}>
            Next
          </button>
        )}
      </div>
      {!waits && <i key={at} className="tour-time" style={{ animationDuration: `${STOP_MILLIS}ms` }} />}
    </aside>
  );
}

export function Tour() {
  const at = usePlayground((state) => state.tour);
  return at === null ? null : <Stop at={at} />;
}

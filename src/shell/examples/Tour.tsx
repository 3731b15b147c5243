/** @file A walk through the page: one card beside the part that it is about, at the reader's own pace. */
import { useLayoutEffect, useRef, useState } from "react";
import { InlineCode } from "../../panels";
import { playground, usePlayground, type PlaygroundState } from "../../state";
import { besidePart, stops } from "./tour";
import "./tour.css";

function leave(): void {
  const { actions } = playground.getState();
  actions.showTour(null);
  actions.showTab("wgsl");
  actions.showPane("graph");
  actions.hover(null);
}

const goTo = (stop: number): void => (stop < stops.length ? playground.getState().actions.showTour(stop) : leave());

type Place = ReturnType<typeof besidePart>;

type At = NonNullable<PlaygroundState["tour"]>;

/** Does what a stop is about, outlines its part of the page, and answers where the card stands beside it. */
function useStop(at: At): readonly [(card: HTMLElement | null) => void, Place | null] {
  const card = useRef<HTMLElement | null>(null);
  const [place, setPlace] = useState<Place | null>(null);
  useLayoutEffect(() => {
    const { part, pane } = stops[at.stop]!;
    playground.getState().actions.showPane(pane);
    let outlined: HTMLElement | null = null;
    const look = (): void => {
      const partOf = (name: string) => document.querySelector<HTMLElement>(`[data-pane="${name}"]`);
      // Where Measured has no place of its own it is a tab beside the kernels.
      const found = partOf(part) ?? partOf("kernels");
      if (found !== outlined) {
        if (outlined) delete outlined.dataset["toured"];
        if (found) found.dataset["toured"] = "";
        outlined = found;
      }
      if (!found || !card.current) return;
      const { offsetWidth: width, offsetHeight: height } = card.current;
      setPlace(
        besidePart(found.getBoundingClientRect(), { width, height }, { width: innerWidth, height: innerHeight }),
      );
    };
    // The part may open with this stop, and grow while it does.
    const observer = new ResizeObserver(look);
    observer.observe(document.body);
    if (card.current) observer.observe(card.current);
    const frame = requestAnimationFrame(look);
    const later = setTimeout(look, 300);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      clearTimeout(later);
      if (outlined) delete outlined.dataset["toured"];
    };
  }, [at]);
  // What is said is said of a state of the program: of another program it is that one's.
  const of = usePlayground(({ derived }) => derived.compilation);
  useLayoutEffect(() => stops[at.stop]!.enter(playground.getState()), [at, of]);
  return [(element) => void (card.current = element), place];
}

function Stop({ at }: { readonly at: At }) {
  const { stop } = at;
  const words = usePlayground(stops[stop]!.words);
  const [ref, place] = useStop(at);
  const last = stop + 1 === stops.length;
  return (
    <aside
      ref={ref}
      className="tour"
      role="dialog"
      aria-label="Tour"
      data-side={place?.side}
      style={place ? { left: place.left, top: place.top } : { visibility: "hidden" }}
    >
      <p className="tour-position">
        {stop + 1} of {stops.length}
      </p>
      <p role="status">
        <InlineCode text={words} />
      </p>
      <div className="tour-actions">
        {!last && (
          <button type="button" className="plain" onClick={leave}>
            Skip
          </button>
        )}
        <span className="grow" />
        {stop > 0 && (
          <button type="button" className="plain" onClick={() => goTo(stop - 1)}>
            Back
          </button>
        )}
        <button type="button" className="action" onClick={() => goTo(stop + 1)}>
          {last ? "Done" : "Next"}
        </button>
      </div>
    </aside>
  );
}

export function Tour() {
  const at = usePlayground((state) => state.tour);
  return at === null ? null : <Stop at={at} />;
}

/** @file When the first paint is done, and when the first visit has played: what is large waits until then. */
import type { PlaygroundStore } from "./slices/slice-context";
import type { PlaygroundState } from "./types";

/** A program that takes longer than this to plan does not keep the editor waiting. */
export const PATIENCE_MILLIS = 1_500;
/** After it, a page that never rests starts anyway. */
const LATEST_MILLIS = 500;

/** The text is broken, or nothing could be planned. */
const hasNoPicture = ({ derived: { status, latest } }: PlaygroundState): boolean =>
  status === "broken" || (status === "ready" && latest === null);

/** The graph has its places, or there is none to come. */
const stands = (state: PlaygroundState): boolean => state.derived.layout !== null || hasNoPicture(state);

const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve(), { timeout: LATEST_MILLIS });
    else resolve();
  });

/** Resolves once the page has done its first paint and has nothing more urgent to do. */
export function firstPaint(store: PlaygroundStore): Promise<void> {
  return new Promise((resolve) => {
    const rest = (): void => {
      stop();
      clearTimeout(timer);
      void idle().then(resolve);
    };
    const timer = setTimeout(rest, PATIENCE_MILLIS);
    const stop = store.subscribe((state) => {
      if (stands(state)) rest();
    });
    if (stands(store.getState())) rest();
  });
}

const plays = (state: PlaygroundState): boolean =>
  (state.intro === "waiting" || state.intro === "playing") && !hasNoPicture(state);

/**
 * Resolves once the first visit has played, was skipped or was interrupted; at once on any other visit. A task of half a
 * second, such as reading the editor, would stop the picture while it moves.
 */
export function introPlayed(store: PlaygroundStore): Promise<void> {
  if (!plays(store.getState())) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = store.subscribe((state) => {
      if (plays(state)) return;
      stop();
      void idle().then(resolve);
    });
  });
}

/** @file When the first paint is done: what is large and not part of it waits until then. */
import type { PlaygroundStore } from "./slices/slice-context";
import type { PlaygroundState } from "./types";

/** A program that takes longer than this to plan does not keep the editor waiting. */
export const PATIENCE_MILLIS = 1_500;
/** After it, a page that never rests starts anyway. */
const LATEST_MILLIS = 500;

/** The graph has its places, or there is none to come: the text is broken, or nothing could be planned. */
const stands = ({ derived: { status, layout, latest } }: PlaygroundState): boolean =>
  layout !== null || status === "broken" || (status === "ready" && latest === null);

/** Resolves once the page has done its first paint and has nothing more urgent to do. */
export function firstPaint(store: PlaygroundStore): Promise<void> {
  return new Promise((resolve) => {
    const rest = (): void => {
      stop();
      clearTimeout(timer);
      if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve(), { timeout: LATEST_MILLIS });
      else resolve();
    };
    const timer = setTimeout(rest, PATIENCE_MILLIS);
    const stop = store.subscribe((state) => {
      if (stands(state)) rest();
    });
    if (stands(store.getState())) rest();
  });
}

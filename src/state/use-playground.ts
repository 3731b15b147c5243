/** @file The page's one store, and the hook that reads it. */
import { useStore } from "zustand";
import { browserWorld } from "./browser";
import { firstPaint, introPlayed } from "./first-paint";
import { createPlayground } from "./playground";
import type { PlaygroundState } from "./types";

const embed = "location" in globalThis && new URLSearchParams(globalThis.location.search).has("embed");

/** Made on import, started by the page's entry: until then it holds an empty program. */
export const playground = createPlayground(browserWorld(!embed), embed);

/** What `selector` picks; pass a module constant or a selector of `selectors.ts`, so that equal states give equal values. */
export const usePlayground = <T>(selector: (state: PlaygroundState) => T): T => useStore(playground, selector);

let drawn: Promise<void> | null = null;

/** Resolves once the first paint is done. Wait for it before loading what is large and not needed for it. */
export const afterFirstPaint = (): Promise<void> => (drawn ??= firstPaint(playground));

/** The same, and the first visit plays no longer. Wait for it before a task that takes longer than a frame. */
export const afterIntro = (): Promise<void> => afterFirstPaint().then(() => introPlayed(playground));

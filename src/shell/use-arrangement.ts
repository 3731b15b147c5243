/** @file Which of the three arrangements fits, by width alone. */
import { useSyncExternalStore } from "react";

export type Arrangement = "wide" | "middle" | "narrow";

const wide = "(min-width: 1420px)";
const narrow = "(max-width: 1000px)";

const current = (): Arrangement =>
  matchMedia(wide).matches ? "wide" : matchMedia(narrow).matches ? "narrow" : "middle";

function subscribe(changed: () => void): () => void {
  const queries = [matchMedia(wide), matchMedia(narrow)];
  for (const query of queries) query.addEventListener("change", changed);
  return () => {
    for (const query of queries) query.removeEventListener("change", changed);
  };
}

export const useArrangement = (): Arrangement => useSyncExternalStore(subscribe, current);

/** @file Which of the three page layouts fits, by width alone. */
import { useSyncExternalStore } from "react";

export type PageLayout = "wide" | "middle" | "narrow";

const wide = "(min-width: 1420px)";
const narrow = "(max-width: 1000px)";

const current = (): PageLayout =>
  matchMedia(wide).matches ? "wide" : matchMedia(narrow).matches ? "narrow" : "middle";

function subscribe(changed: () => void): () => void {
  const queries = [matchMedia(wide), matchMedia(narrow)];
  for (const query of queries) query.addEventListener("change", changed);
  return () => {
    for (const query of queries) query.removeEventListener("change", changed);
  };
}

export const usePageLayout = (): PageLayout => useSyncExternalStore(subscribe, current);

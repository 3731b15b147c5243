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

const roomy = "(min-width: 1600px)";

/** The page has room for an inspector whose code does not wrap. */
export const useIsRoomy = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      const query = matchMedia(roomy);
      query.addEventListener("change", changed);
      return () => query.removeEventListener("change", changed);
    },
    () => matchMedia(roomy).matches,
  );

export const usePageLayout = (): PageLayout => useSyncExternalStore(subscribe, current);

/** @file Asks once, when the first graph stands and nothing else is going on, whose times a run would show. */
import { useEffect } from "react";
import { usePlayground } from "../state";

/** A page that has just drawn its graph is still busy with the editor. */
const SETTLED_MILLIS = 1500;

export function useDevice(): void {
  const drawn = usePlayground((state) => state.derived.compilation !== null);
  const actions = usePlayground((state) => state.actions);
  useEffect(() => {
    if (!drawn) return;
    const timer = setTimeout(() => void actions.describeDevice(), SETTLED_MILLIS);
    return () => clearTimeout(timer);
  }, [drawn, actions]);
}

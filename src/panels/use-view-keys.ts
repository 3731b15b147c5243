/** @file Keys of a view that stands instead of the page: they come before those of the page behind it. */
import { useEffect, useRef } from "react";
import { playground } from "../state";

/** By key, with `Shift ` before it where that is held. Nothing happens in fields, menus and dialogs. */
export function useViewKeys(moves: Readonly<Record<string, () => void>>): void {
  const latest = useRef(moves);
  useEffect(() => {
    latest.current = moves;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { target, key, shiftKey } = event;
      const typing =
        target instanceof Element &&
        target.closest("input:not([type=range]), select, textarea, dialog, [role=menu]") !== null;
      if (typing || event.ctrlKey || event.metaKey || event.altKey || playground.getState().dialog !== "none") return;
      const move = latest.current[shiftKey ? `Shift ${key}` : key];
      if (!move) return;
      event.preventDefault();
      event.stopPropagation();
      move();
    };
    window.addEventListener("keydown", press, { capture: true });
    return () => window.removeEventListener("keydown", press, { capture: true });
  }, []);
}

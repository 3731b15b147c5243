/** @file Gestures on the list of passes: dragging a row, and Alt with an arrow key on anything in it. */
import { useEffect, useEffectEvent, useState, type RefObject } from "react";

const rowOf = (event: Event): HTMLElement | null =>
  event.target instanceof Element ? event.target.closest<HTMLElement>("[data-pass]") : null;

/** Where a dragged pass would land: before the row at this index, counted from 0. */
export type Landing = number | null;

/**
 * @param onMove the pass is to stand before the one that is now at `index`
 * @param onShift the pass is to be swapped with its neighbour
 */
export function usePassMoves(
  list: RefObject<HTMLElement | null>,
  onMove: (name: string, index: number) => void,
  onShift: (name: string, by: 1 | -1) => void,
): Landing {
  const [landing, setLanding] = useState<Landing>(null);
  const moved = useEffectEvent(onMove);
  const shifted = useEffectEvent(onShift);
  useEffect(() => {
    const root = list.current;
    if (!root) return;
    let dragged: string | null = null;
    let index: Landing = null;
    const land = (next: Landing): void => {
      index = next;
      setLanding(next);
    };
    const start = (event: DragEvent): void => {
      dragged = rowOf(event)?.dataset["pass"] ?? null;
      if (dragged === null || !event.dataTransfer) return;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", dragged);
    };
    const over = (event: DragEvent): void => {
      const row = rowOf(event);
      if (dragged === null || !row) return;
      event.preventDefault();
      const { top, height } = row.getBoundingClientRect();
      land(Number(row.dataset["index"]) + (event.clientY > top + height / 2 ? 1 : 0));
    };
    const end = (): void => {
      dragged = null;
      land(null);
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      if (dragged !== null && index !== null) moved(dragged, index);
      end();
    };
    const key = (event: KeyboardEvent): void => {
      const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : null;
      const name = rowOf(event)?.dataset["pass"];
      if (!event.altKey || by === null || name === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      shifted(name, by);
    };
    const listening = new AbortController();
    const { signal } = listening;
    root.addEventListener("dragstart", start, { signal });
    root.addEventListener("dragover", over, { signal });
    root.addEventListener("drop", drop, { signal });
    root.addEventListener("dragend", end, { signal });
    root.addEventListener("keydown", key, { signal });
    return () => listening.abort();
  }, [list]);
  return landing;
}

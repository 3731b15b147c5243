/** @file Moves the view aside when the candidate would lie under its card: to the left of a card, above a sheet. */
import { useReactFlow } from "@xyflow/react";
import { useEffect, type RefObject } from "react";
import type { CardPlace } from "./canvas-store";
import type { Point } from "../../picture";

const CLEARANCE = 40;
const MILLIS = 250;

/** `held`: a person chose the view; otherwise it follows the steps beside the card by itself. */
export function useClearView(at: Point | null, card: CardPlace | null, held: RefObject<boolean>): void {
  const { getViewport, setViewport } = useReactFlow();
  const [x, y] = [at?.x ?? null, at?.y ?? null];
  useEffect(() => {
    if (x === null || y === null || !card) return;
    const view = getViewport();
    const screen = { x: x * view.zoom + view.x, y: y * view.zoom + view.y };
    const duration = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : MILLIS;
    if (card.left === 0) {
      // Above a sheet, in the middle of what it leaves of the canvas.
      if (screen.y > card.top - CLEARANCE)
        void setViewport({ ...view, y: view.y - (screen.y - card.top / 2) }, { duration });
      return;
    }
    if (!held.current) return;
    const hidden =
      screen.x > card.left - CLEARANCE && screen.y > card.top - CLEARANCE && screen.y < card.bottom + CLEARANCE;
    if (!hidden) return;
    void setViewport({ ...view, x: view.x - (screen.x - card.left + CLEARANCE) }, { duration });
  }, [x, y, card, held, getViewport, setViewport]);
}

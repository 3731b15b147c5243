/** @file The violet line from the candidate's disc to its card; under the ops, so that it hides nothing. */
import { ViewportPortal, useStore } from "@xyflow/react";
import type { Point } from "../../picture";
import type { CardPlace } from "./canvas-store";

const DISC = 13;

export function CardLeader({ from, card }: { readonly from: Point; readonly card: CardPlace }) {
  const [x, y, zoom] = useStore((s) => s.transform);
  const edge = { x: (card.left - x) / zoom, top: (card.top + 20 - y) / zoom, bottom: (card.bottom - 20 - y) / zoom };
  if (edge.x <= from.x + DISC) return null;
  const at = Math.min(Math.max(from.y, edge.top), edge.bottom);
  const bend = edge.x - 14 / zoom;
  const path =
    at === from.y ? `M${from.x + DISC} ${from.y}H${edge.x}` : `M${from.x + DISC} ${from.y}H${bend}V${at}H${edge.x}`;
  return (
    <ViewportPortal>
      <svg className="card-leader" width="1" height="1" aria-hidden="true">
        <path d={path} />
      </svg>
    </ViewportPortal>
  );
}

/** @file The card at the right with its leader: a decision, or the inspector of an op. */
import { useOnViewportChange, useReactFlow, ViewportPortal, useStore } from "@xyflow/react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";
import { useCanvas, type CardPlace } from "./canvas-store";
import { DecisionCard } from "./DecisionCard";
import { NodeCard } from "./nodes/NodeCard";
import { closeCard, type OpenCard } from "./use-card";
import { remove } from "./moves/use-graph-keys";
import { selectStep, usePlayground } from "../../state";
import {
  cardTop,
  leaderPath,
  tagRect,
  markPoint,
  LEGIBLE,
  type Box,
  type Picture,
  type Point,
  type Rect,
} from "../../picture";

interface CanvasCardProps {
  readonly open: OpenCard;
  readonly picture: Picture;
  readonly editable: boolean;
  /** A person chose the view. */
  readonly held: RefObject<boolean>;
}

export function CanvasCard({ open, picture, editable, held }: CanvasCardProps) {
  const { boxes, hulls } = picture;
  const names = useMemo(() => hulls.map(({ tag }) => tagRect(tag)), [hulls]);
  const { getViewport } = useReactFlow();
  const holder = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<CardPlace | null>(null);
  // A view that follows the step comes to rest after the card has opened.
  const [settled, setSettled] = useState(0);
  useOnViewportChange({
    onEnd() {
      if (!held.current) setSettled((times) => times + 1);
    },
  });
  useLayoutEffect(() => {
    const element = holder.current;
    if (!element) return undefined;
    const measure = (): void => {
      const canvas = element.parentElement;
      if (!canvas) return;
      const [width, height] = [element.offsetWidth, element.offsetHeight];
      const isSheet = element.offsetLeft === 0;
      const size = { width: canvas.clientWidth, height: canvas.clientHeight };
      const top = isSheet ? element.offsetTop : cardTop(boxes.values(), names, getViewport(), size, { width, height });
      setPlace({ left: element.offsetLeft, top, bottom: top + height });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (element.parentElement) observer.observe(element.parentElement);
    measure();
    return () => observer.disconnect();
  }, [open, boxes, names, getViewport, settled]);
  useEffect(() => {
    useCanvas.setState({ card: open.kind === "none" ? null : place });
    return () => useCanvas.setState({ card: null });
  }, [open.kind, place]);
  const edge = open.kind === "decision" ? open.card.edge : null;
  const line = edge && picture.lines.find(({ edge: { id, also } }) => id === edge || also.includes(edge));
  const at = line ? markPoint(line.points) : null;
  const about = usePlayground(selectStep)?.nodes ?? [];
  const first = about.map((id) => picture.boxes.get(id)).find((box) => box !== undefined);
  useClearView(at ?? (first ? middleOf(first) : null), place, held);
  if (open.kind === "none") return null;
  return (
    <div ref={holder} className="card-holder" style={place && place.left > 0 ? { top: place.top } : undefined}>
      {open.kind === "decision" ? (
        <DecisionCard card={open.card} onClose={closeCard} />
      ) : (
        <NodeCard
          key={open.node.id}
          node={open.node}
          facts={open.facts}
          editable={editable}
          onClose={closeCard}
          onRemove={remove}
        />
      )}
      {at && place && <CardLeader from={at} card={place} names={names} />}
    </div>
  );
}

const DISC = 13;

/** The violet line from the candidate's disc to its card; under the ops, so that it hides nothing. */
interface LeaderProps {
  readonly from: Point;
  readonly card: CardPlace;
  /** Names of kernels, which it goes round. */
  readonly names: readonly Rect[];
}

function CardLeader({ from, card, names }: LeaderProps) {
  const [x, y, zoom] = useStore((s) => s.transform);
  const edge = { x: (card.left - x) / zoom, top: (card.top + 20 - y) / zoom, bottom: (card.bottom - 20 - y) / zoom };
  if (edge.x <= from.x + DISC) return null;
  const path = leaderPath({ x: from.x + DISC, y: from.y }, edge, 14 / zoom, names);
  return (
    <ViewportPortal>
      <svg className="card-leader" width="1" height="1" aria-hidden="true">
        <path d={path} />
      </svg>
    </ViewportPortal>
  );
}

const middleOf = ({ x, y, width, height }: Box): Point => ({ x: x + width / 2, y: y + height / 2 });

const CLEARANCE = 40;
const MILLIS = 250;

/** `held`: a person chose the view; otherwise it follows the steps beside the card by itself. */
function useClearView(at: Point | null, card: CardPlace | null, held: RefObject<boolean>): void {
  const { getViewport, setViewport } = useReactFlow();
  const width = useStore((s) => s.width);
  const [x, y] = [at?.x ?? null, at?.y ?? null];
  useEffect(() => {
    if (x === null || y === null || !card) return;
    const view = getViewport();
    const screen = { x: x * view.zoom + view.x, y: y * view.zoom + view.y };
    const duration = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : MILLIS;
    if (card.left === 0) {
      // Above a sheet, in the middle of what it leaves of the canvas, and with names.
      const zoom = held.current ? view.zoom : Math.max(view.zoom, LEGIBLE);
      const between = (px: number, room: number): boolean => px >= CLEARANCE && px <= room - CLEARANCE;
      const fits = { x: zoom === view.zoom && between(screen.x, width), y: between(screen.y, card.top) };
      if (fits.x && fits.y) return;
      const next = { x: fits.x ? view.x : width / 2 - x * zoom, y: card.top / 2 - y * zoom, zoom };
      void setViewport(next, { duration });
      return;
    }
    if (!held.current) return;
    const hidden =
      screen.x > card.left - CLEARANCE && screen.y > card.top - CLEARANCE && screen.y < card.bottom + CLEARANCE;
    if (!hidden) return;
    void setViewport({ ...view, x: view.x - (screen.x - card.left + CLEARANCE) }, { duration });
  }, [x, y, card, held, width, getViewport, setViewport]);
}

/** @file The card at the right with its leader: a decision, or the inspector of an op. */
import { useOnViewportChange, useReactFlow } from "@xyflow/react";
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { CardLeader } from "./CardLeader";
import { useCanvas, type CardPlace } from "./canvas-store";
import { useClearView } from "./use-clear-view";
import { DecisionCard } from "./DecisionCard";
import { NodeCard } from "./NodeCard";
import { closeCard } from "./use-card";
import type { OpenCard } from "./use-card";
import { remove } from "./use-graph-keys";
import { cardTop, tagRect, markPoint, type Picture } from "../../picture";

interface CanvasCardProps {
  readonly open: OpenCard;
  readonly picture: Picture;
  readonly editable: boolean;
  /** A person chose the view. */
  readonly held: RefObject<boolean>;
}

export function CanvasCard({ open, picture, editable, held }: CanvasCardProps) {
  const { boxes, hulls } = picture;
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
      const top = isSheet
        ? element.offsetTop
        : cardTop(
            boxes.values(),
            hulls.map(({ tag }) => tagRect(tag)),
            getViewport(),
            size,
            { width, height },
          );
      setPlace({ left: element.offsetLeft, top, bottom: top + height });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (element.parentElement) observer.observe(element.parentElement);
    measure();
    return () => observer.disconnect();
  }, [open, boxes, hulls, getViewport, settled]);
  useEffect(() => {
    useCanvas.setState({ card: open.kind === "none" ? null : place });
    return () => useCanvas.setState({ card: null });
  }, [open.kind, place]);
  const edge = open.kind === "decision" ? open.card.edge : null;
  const line = edge && picture.lines.find(({ edge: { id, also } }) => id === edge || also.includes(edge));
  const at = line ? markPoint(line.points) : null;
  useClearView(at, place, held);
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
      {at && place && <CardLeader from={at} card={place} />}
    </div>
  );
}

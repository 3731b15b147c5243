/** @file The card at the right with its leader: a decision, or the inspector of an op. */
import { useLayoutEffect, useRef, useState } from "react";
import type { EdgeId } from "../../fusion";
import { CardLeader } from "./CardLeader";
import { DecisionCard } from "./DecisionCard";
import { NodeCard } from "./NodeCard";
import { markPoint } from "./model/marks";
import type { Picture } from "./model/picture";
import { closeCard } from "./use-card";
import type { OpenCard } from "./use-card";
import { remove } from "./use-graph-keys";

interface CanvasCardProps {
  readonly open: OpenCard;
  readonly picture: Picture;
  readonly candidate: EdgeId | null;
  readonly editable: boolean;
}

export function CanvasCard({ open, picture, candidate, editable }: CanvasCardProps) {
  const holder = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ left: number; top: number; bottom: number } | null>(null);
  useLayoutEffect(() => {
    const element = holder.current;
    if (!element) return undefined;
    const measure = (): void => {
      const { offsetLeft: left, offsetTop: top, offsetHeight } = element;
      setPlace({ left, top, bottom: top + offsetHeight });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (element.parentElement) observer.observe(element.parentElement);
    measure();
    return () => observer.disconnect();
  }, [open.kind]);
  if (open.kind === "none") return null;
  const edge = open.kind === "decision" ? open.card.edge : null;
  const line = edge && picture.lines.find(({ edge: { id, also } }) => id === edge || also.includes(edge));
  return (
    <div ref={holder} className="card-holder">
      {open.kind === "decision" ? (
        <DecisionCard card={open.card} onClose={closeCard} />
      ) : (
        <NodeCard key={open.node.id} node={open.node} editable={editable} onClose={closeCard} onRemove={remove} />
      )}
      {line && place && edge === candidate && <CardLeader from={markPoint(line.points)} card={place} />}
    </div>
  );
}

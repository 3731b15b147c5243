/** @file The card at the right with its leader: a decision, or the inspector of an op. */
import { useOnViewportChange, useReactFlow, ViewportPortal, useStore } from "@xyflow/react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";
import { useCanvas, type CardPlace } from "./canvas-store";
import { DecisionCard } from "./DecisionCard";
import { NodeCard } from "./nodes/NodeCard";
import { closeCard, type OpenCard } from "./use-card";
import { remove } from "./moves/use-graph-keys";
import { parseEdgeId, type NodeId } from "../../fusion";
import { selectStep, usePlayground } from "../../state";
import {
  boxesAbout,
  cardSpot,
  roomBelow,
  leaderPath,
  tagRect,
  markPoint,
  LEGIBLE,
  type Box,
  type Picture,
  type Point,
  type Rect,
} from "../../picture";

interface Formed {
  /** `too tall`: below the graph it would hide some of it as well. */
  readonly form: "usual" | "wide" | "too tall";
  /** For which card, over which ops and after how many moves of the view that was found. */
  readonly of: readonly [OpenCard, Picture["boxes"], number];
}

/** px of a card in two columns, and of the least height that is worth one. */
const WIDE = 560;
const LEAST_BELOW = 180;

interface CanvasCardProps {
  readonly open: OpenCard;
  readonly picture: Picture;
  readonly editable: boolean;
  /** A person chose the view. */
  readonly held: RefObject<boolean>;
}

export function CanvasCard({ open, picture, editable, held }: CanvasCardProps) {
  const { boxes, hulls, scene } = picture;
  const names = useMemo(() => hulls.map(({ tag }) => tagRect(tag)), [hulls]);
  const { getViewport } = useReactFlow();
  const edge = open.kind === "decision" ? open.card.edge : null;
  const step = usePlayground(selectStep);
  const isOfStep = usePlayground((s) => s.selection.kind === "none");
  // What the card tells of: the step's ops, or the ends of the edge or the op that was chosen; with what that may be connected to.
  const toldOf = useMemo((): readonly NodeId[] => {
    if (open.kind === "node") {
      const waits = scene.nodes.some(({ id, holes }) => id === open.node.id && holes.length > 0);
      const values = scene.nodes.filter(({ kind }) => waits && kind !== "output");
      return [open.node.id, ...values.map(({ id }) => id)];
    }
    const ends = edge && parseEdgeId(edge);
    return isOfStep ? (step?.nodes ?? []) : ends ? [ends.producer, ends.consumer] : [];
  }, [open, edge, step, isOfStep, scene]);
  const holder = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<CardPlace | null>(null);
  // A view that follows the step comes to rest after the card has opened.
  const [settled, setSettled] = useState(0);
  // Where it hides ops and there is room below the graph, its parts stand in two columns there.
  const [{ form, of }, setFormed] = useState<Formed>({ form: "usual", of: [open, boxes, settled] });
  if (of[0] !== open || of[1] !== boxes || of[2] !== settled) setFormed({ form: "usual", of: [open, boxes, settled] });
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
      const size = { width: canvas.clientWidth, height: canvas.clientHeight };
      if (element.offsetLeft === 0) {
        const top = element.offsetTop;
        setPlace({ left: 0, right: width, top, bottom: top + height });
        return;
      }
      const about = [...boxesAbout({ boxes, scene }, toldOf)].map(([, box]) => box);
      const spot = cardSpot({ boxes: boxes.values(), about, tags: names }, getViewport(), size, { width, height });
      const below = roomBelow(boxes.values(), getViewport(), size);
      const isWide = open.kind === "decision" && size.width >= WIDE + 2 * BESIDE && below >= LEAST_BELOW;
      if (form === "usual" && spot.hidden > 0 && isWide) return setFormed({ form: "wide", of: [open, boxes, settled] });
      if (form === "wide" && spot.hidden > 0) return setFormed({ form: "too tall", of: [open, boxes, settled] });
      const left = spot.side === "left" ? BESIDE : size.width - BESIDE - width;
      setPlace({ left, right: left + width, top: spot.top, bottom: spot.top + height });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (element.parentElement) observer.observe(element.parentElement);
    measure();
    return () => observer.disconnect();
  }, [open, boxes, scene, toldOf, names, getViewport, settled, form]);
  useEffect(() => {
    useCanvas.setState({ card: open.kind === "none" ? null : place });
    return () => useCanvas.setState({ card: null });
  }, [open.kind, place]);
  const line = edge && picture.lines.find(({ edge: { id, also } }) => id === edge || also.includes(edge));
  const at = line ? markPoint(line.points) : null;
  // An op is chosen where it is: the view must not move under the mouse. A sheet would cover it.
  const told = open.kind === "decision" || place?.left === 0 ? toldOf : [];
  const first = told.map((id) => picture.boxes.get(id)).find((box) => box !== undefined);
  useClearView(at ?? (first ? middleOf(first) : null), place, held, isOfStep);
  if (open.kind === "none") return null;
  return (
    <div
      ref={holder}
      className="card-holder"
      data-wide={form === "wide"}
      style={place && place.left > 0 ? { top: place.top, left: place.left, right: "auto" } : undefined}
    >
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

/** px between the card and the canvas's edge. */
const BESIDE = 14;
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
  // To a card at the left the same way, mirrored.
  const turn = (card.right - x) / zoom < from.x ? -1 : 1;
  const beginsAt = turn * (((turn < 0 ? card.right : card.left) - x) / zoom);
  const edge = { x: beginsAt, top: (card.top + 20 - y) / zoom, bottom: (card.bottom - 20 - y) / zoom };
  const begin = { x: turn * from.x + DISC, y: from.y };
  if (edge.x <= begin.x) return null;
  const around = turn > 0 ? names : names.map(({ x0, x1, ...rest }) => ({ ...rest, x0: -x1, x1: -x0 }));
  const path = leaderPath(begin, edge, 14 / zoom, around);
  return (
    <ViewportPortal>
      <svg className="card-leader" width="1" height="1" aria-hidden="true">
        <path d={path} transform={turn < 0 ? "scale(-1 1)" : undefined} />
      </svg>
    </ViewportPortal>
  );
}

const middleOf = ({ x, y, width, height }: Box): Point => ({ x: x + width / 2, y: y + height / 2 });

const CLEARANCE = 40;
const MILLIS = 250;

/** `held`: a person chose the view; otherwise it follows the steps (`isOfStep`) beside the card by itself. */
function useClearView(at: Point | null, card: CardPlace | null, held: RefObject<boolean>, isOfStep: boolean): void {
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
    if (!held.current && isOfStep) return;
    const near = { left: card.left - CLEARANCE, right: card.right + CLEARANCE };
    const within = screen.x > near.left && screen.x < near.right;
    if (!within || screen.y <= card.top - CLEARANCE || screen.y >= card.bottom + CLEARANCE) return;
    const isLeft = near.left < 0;
    void setViewport({ ...view, x: view.x + (isLeft ? near.right : near.left) - screen.x }, { duration });
  }, [x, y, card, held, isOfStep, width, getViewport, setViewport]);
}

/** @file A picture that is looked at: fitted to its place, never so small that its words can't be read; what does not fit is scrolled. */
import { createElement, useEffect, useMemo, useState, type ReactNode } from "react";
import type { EdgeId, NodeId } from "../../fusion";
import "./still.css";
import {
  drawingOf,
  zoomToFit,
  LEGIBLE,
  SMALL,
  markPoint,
  stillOf,
  propsOf,
  written,
  type Picture,
  type Point,
  type Shape,
  type StillRequest,
} from "../../picture";

/** What a mark is about: the first of these lines that is drawn, else the first of these ops. */
interface About {
  readonly edges: readonly EdgeId[];
  readonly nodes: readonly NodeId[];
}

/** Where its mark sits, in px of the graph; null where neither a line nor an op of it is drawn. */
function placeOf({ lines, boxes, scene }: Picture, { edges, nodes }: About): Point | null {
  const wanted = new Set<EdgeId>(edges);
  const line = lines.find(({ edge }) => edge.also.some((id) => wanted.has(id)));
  if (line) return markPoint(line.points);
  for (const id of nodes) {
    const home = boxes.has(id) ? id : scene.nodes.find(({ inside }) => inside.includes(id))?.id;
    const box = home && boxes.get(home);
    if (box) return { x: box.x + box.width, y: box.y };
  }
  return null;
}

const ink = (token: string): string => `var(--${token})`;

/** Shapes as the page draws them. They come in a fixed order, so that their index is their key. */
function drawn(shape: Shape | string, key: number): ReactNode {
  if (typeof shape === "string") return shape;
  return createElement(shape.name, { key, ...propsOf(shape) }, ...shape.inside.map(drawn));
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function useRoom(): readonly [(element: HTMLElement | null) => void, Size | null] {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [room, setRoom] = useState<Size | null>(null);
  useEffect(() => {
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      // Without the scroll bars that come and go with the picture itself.
      const { width, height } = element.getBoundingClientRect();
      setRoom({ width: Math.floor(width), height: Math.floor(height) });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, room];
}

/** A mark over the picture that can be pressed. */
export interface StillMark extends About {
  readonly key: string;
  /** What it says to who can't see it. */
  readonly title: string;
  readonly sign: string;
  readonly pressed: boolean;
}

export interface StillProps extends Omit<StillRequest, "folds"> {
  /** Kernels are one box each; `crowded`: where the whole could not be read otherwise. */
  readonly folds: boolean | "crowded";
  readonly label: string;
  readonly marks?: readonly StillMark[];
  readonly onMark?: (key: string) => void;
  /** More to draw over it, in px of the graph. */
  readonly over?: (picture: Picture) => ReactNode;
}

export function StillPicture({ label, marks = [], onMark, over, ...request }: StillProps) {
  const [ref, room] = useRoom();
  const { compilation, cursor, plan, layout, moved, folds } = request;
  const asked = useMemo(
    () => stillOf({ compilation, cursor, plan, layout, moved, folds: folds === true }),
    [compilation, cursor, plan, layout, moved, folds],
  );
  const folded = folds === "crowded" && room !== null && zoomToFit(asked, room) < SMALL;
  const closed = useMemo(
    () => (folded ? stillOf({ compilation, cursor, plan, layout, moved, folds: true }) : null),
    [compilation, cursor, plan, layout, moved, folded],
  );
  const picture = closed ?? asked;
  const fits = room ? zoomToFit(picture, room) : 1;
  const zoom = fits >= SMALL ? fits : LEGIBLE;
  const { shapes, area } = useMemo(() => drawingOf(picture, { ink, zoom }), [picture, zoom]);
  const { x, y, width, height } = area;
  return (
    // What does not fit is scrolled with the arrow keys, too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={ref} className="still" role="group" aria-label={label} tabIndex={0}>
      {room && (
        <div className="still-sheet" style={{ width: width * zoom, height: height * zoom }}>
          <svg
            width={width * zoom}
            height={height * zoom}
            viewBox={[x, y, width, height].map(written).join(" ")}
            aria-hidden="true"
          >
            {shapes.map(drawn)}
            {over?.(picture)}
          </svg>
          {marks.map((mark) => {
            const at = placeOf(picture, mark);
            return (
              at && (
                <button
                  key={mark.key}
                  type="button"
                  className="still-mark"
                  aria-label={mark.title}
                  aria-pressed={mark.pressed}
                  title={mark.title}
                  style={{ left: (at.x - x) * zoom, top: (at.y - y) * zoom }}
                  onClick={() => onMark?.(mark.key)}
                >
                  <span>{mark.sign}</span>
                </button>
              )
            );
          })}
        </div>
      )}
    </div>
  );
}

/** @file Under the ops: hulls of kernels, their tags, and the brackets of the program's lines. */
import { ViewportPortal, useStore } from "@xyflow/react";
import { useLayoutEffect, useRef, type RefObject } from "react";
import { playground, selectPlanByHand, usePlayground, type PlanByHand } from "../../state";
import { bytesOfKernel, type RegionId } from "../../fusion";
import { colourStyle } from "./nodes/OpNode";
import { useCanvas } from "./canvas-store";
import {
  around,
  type Bracket,
  type Heading,
  type Hull as HullShape,
  plural,
  showBytes,
  textWidth,
} from "../../picture";

const MARGIN = 6;

const extentOf = ({ rects }: HullShape): Extent => {
  const { x0, y0, x1, y1 } = around(rects);
  return { left: x0 - MARGIN, top: y0 - MARGIN, right: x1 + MARGIN, bottom: y1 + MARGIN };
};

/** The hull that this one was before: of the same region, or of one that went into it. */
function formerOf(hull: HullShape, former: readonly HullShape[]): HullShape | null {
  const { region, members } = hull.kernel;
  const all = new Set(members);
  const same = former.find(({ kernel }) => kernel.region === region);
  return same ?? former.find(({ kernel }) => kernel.members.every((id) => all.has(id))) ?? null;
}

interface HullProps {
  readonly hull: HullShape;
  /** The hulls of the picture before. */
  readonly formerRef: RefObject<readonly HullShape[]>;
}

function Hull({ hull, formerRef }: HullProps) {
  const { region, tone, hatched } = hull.kernel;
  const area = around(hull.rects);
  const [left, top] = [area.x0 - MARGIN, area.y0 - MARGIN];
  const element = useRef<SVGSVGElement>(null);
  const selected = usePlayground((s) => s.selection.kind === "region" && s.selection.id === region);
  useLayoutEffect(() => {
    if (!element.current) return;
    const former = formerOf(hull, formerRef.current);
    if (former?.path === hull.path) element.current.removeAttribute("data-changed");
    else growFrom(element.current, former && extentOf(former), extentOf(hull));
  }, [hull, formerRef]);
  const [width, height] = [area.x1 - area.x0 + 2 * MARGIN, area.y1 - area.y0 + 2 * MARGIN];
  return (
    <svg
      ref={element}
      className="hull"
      data-region={region}
      data-selected={selected}
      style={{ ...colourStyle(tone), left, top }}
      width={width}
      height={height}
      viewBox={`${left} ${top} ${width} ${height}`}
      aria-hidden="true"
      onClick={() => playground.getState().actions.select({ kind: "region", id: region })}
      onDoubleClick={() => playground.getState().actions.setFold(region, "closed")}
    >
      <path className="hull-body" d={hull.path} />
      {hatched && <path className="hull-hatch" d={hull.path} fill="url(#kernel-hatch)" />}
    </svg>
  );
}

/** A title is cut before a box, a line, the card or the edge of the canvas; where less than this is left on the screen, only the kernel's number is shown. */
const LEAST_TITLE = 64;
const GAP = 8;

/** px of the graph that a title has before what is drawn, the card or the canvas's edge, on the side that it runs to; 0 where it is too little. */
function useRoom({ tag }: HullShape): number {
  const card = useCanvas((s) => s.card);
  return useStore(({ width, transform: [x, y, zoom] }) => {
    const clear = tag.clear * zoom;
    if (tag.align === "end") return shown(Math.min(clear, x + tag.x * zoom - GAP), zoom);
    const [top, bottom] = [tag.y * zoom + y, (tag.y + tag.height) * zoom + y];
    const begins = tag.x * zoom + x;
    const beside = card && card.left > begins && bottom >= card.top && top <= card.bottom;
    return shown(Math.min(clear, (beside ? card.left : width) - GAP - begins), zoom);
  });
}

const shown = (room: number, zoom: number): number => (room < LEAST_TITLE ? 0 : Math.floor(room / zoom));

function HullTag({ hull }: { readonly hull: HullShape }) {
  const { kernel, tag } = hull;
  const room = useRoom(hull);
  const short = room === 0;
  const { actions } = playground.getState();
  const own = usePlayground(selectPlanByHand);
  const bytes = kernel.bytes === null ? null : movedWords(kernel.region, kernel.bytes, own);
  const isPlanned = kernel.bytes !== null && bytes === showBytes(kernel.bytes);
  const moved = isPlanned && kernel.again ? `${bytes}, ${kernel.again}` : null;
  return (
    <button
      type="button"
      className="hull-tag"
      data-align={tag.align}
      data-inside={tag.inside === true}
      style={{ ...colourStyle(kernel.tone), left: tag.x, top: tag.y }}
      aria-label={`Kernel ${kernel.name} ${kernel.title}, ${plural(kernel.members.length, "op")}${bytes ? `, ${moved ?? bytes}` : ""}. Space folds it.`}
      onClick={() => actions.select({ kind: "region", id: kernel.region })}
      onKeyDown={(event) => {
        if (event.key !== " ") return;
        event.preventDefault();
        actions.setFold(kernel.region, "closed");
      }}
    >
      <b data-tall={tag.tall === true} style={short ? undefined : { maxWidth: room }}>
        {short ? kernel.name : `${kernel.name} ${kernel.title}`}
      </b>
      <span className="tag-ops">{plural(kernel.members.length, "op")}</span>
      {bytes && room > 0 && <span className="tag-bytes">{moved && textWidth(moved, 13) <= room ? moved : bytes}</span>}
    </button>
  );
}

/** `48 MiB`; of kernels by hand what these move: `64 MiB by hand`, as far as that was counted. */
function movedWords(region: RegionId, bytes: number, own: PlanByHand | null): string {
  const kernels = own?.plan.kernels.filter((kernel) => kernel.region === region) ?? [];
  const texts = kernels.flatMap(({ id }) => own?.counted.get(id) ?? []);
  if (texts.length === 0) return showBytes(bytes);
  const moved = kernels.reduce((sum, kernel) => sum + bytesOfKernel(kernel), 0);
  return texts.every(Boolean) ? `${showBytes(moved)} by hand` : "by hand";
}

/** px on the screen of a name beside its bracket, at most, and between the two. */
const MAX_NAME = 120;
const BESIDE = 6;

function SourceBracket({ bracket: { name, x, top, bottom, lane } }: { readonly bracket: Bracket }) {
  const most = useStore(({ transform: [left, , zoom] }) => {
    const room = left + (x - BESIDE) * zoom - 2;
    return Math.max(0, Math.floor(Math.min(MAX_NAME * Math.max(1, zoom), room) / zoom));
  });
  return (
    <div className="bracket" data-lane={lane} style={{ left: x, top, height: bottom - top }} aria-hidden="true">
      <code style={{ maxWidth: most }}>{name}</code>
    </div>
  );
}

function ColumnHeading({ heading: { text, x, y, quiet } }: { readonly heading: Heading }) {
  return (
    <p className="column-heading" data-quiet={quiet} style={{ left: x, top: y }}>
      {text}
    </p>
  );
}

export function HullLayer({
  hulls,
  brackets,
  headings,
}: {
  readonly hulls: readonly HullShape[];
  readonly brackets: readonly Bracket[];
  readonly headings: readonly Heading[];
}) {
  const formerRef = useRef<readonly HullShape[]>([]);
  // After the hulls' own effects, which compare with the picture before.
  useLayoutEffect(() => {
    formerRef.current = hulls;
  }, [hulls]);
  return (
    <ViewportPortal>
      <div className="hull-layer">
        <svg width="0" height="0" aria-hidden="true">
          <pattern id="kernel-hatch" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path className="hatch-line" d="M0 0v8" />
          </pattern>
        </svg>
        {hulls.map((hull) => (
          <Hull key={hull.kernel.region} hull={hull} formerRef={formerRef} />
        ))}
        {headings.map((heading) => (
          <ColumnHeading key={heading.x} heading={heading} />
        ))}
        {brackets.map((bracket) => (
          <SourceBracket key={bracket.name} bracket={bracket} />
        ))}
      </div>
      {hulls.map((hull) => (
        <HullTag key={hull.kernel.region} hull={hull} />
      ))}
    </ViewportPortal>
  );
}

interface Extent {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The one animation: a hull grows from what it was to what it is. 250 ms, none where people ask for less motion. */
const MILLIS = 250;
const EASING = "cubic-bezier(.2, .7, .2, 1)";

const lessMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Reveals `element`, whose box is `now`, starting from the part that `before` covered. */
function growFrom(element: Element, before: Extent | null, now: Extent): void {
  element.setAttribute("data-changed", "true");
  if (lessMotion() || typeof element.animate !== "function") return;
  if (!before) {
    element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: MILLIS, easing: EASING });
    return;
  }
  const inset = [
    Math.max(0, before.top - now.top),
    Math.max(0, now.right - before.right),
    Math.max(0, now.bottom - before.bottom),
    Math.max(0, before.left - now.left),
  ];
  const from = `inset(${inset.map((px) => `${px}px`).join(" ")} round 14px)`;
  element.animate([{ clipPath: from }, { clipPath: "inset(0px 0px 0px 0px round 14px)" }], {
    duration: MILLIS,
    easing: EASING,
  });
}

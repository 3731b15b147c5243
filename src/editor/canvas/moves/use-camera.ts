/** @file Where the canvas looks: fits a new program once, leaves the view alone afterwards, moves the focus and follows it. */
import { useOnViewportChange, useReactFlow } from "@xyflow/react";
import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject } from "react";
import { boxSizes, isDocked, pillTarget, type Area } from "../../../document";
import type { NodeId } from "../../../fusion";
import { playground, selectExample, selectIsEdited, selectStep, usePlayground } from "../../../state";
import {
  rectOf,
  tagRect,
  type Box,
  type Point,
  type Part,
  type Rect,
  type Picture,
  textWidth,
  LEGIBLE,
  SMALL,
  WHOLE,
  areaSeen,
  boxesAbout,
  clearedOfCard,
  around,
  firstViewport,
  fitViewport,
  neededOf,
  followViewport,
  viewportOf,
  type Room,
  type Viewport,
} from "../../../picture";
import { seek, useCanvas } from "../canvas-store";
import { useIsOpened } from "../use-card";
import type { FocusTarget } from "./walk";

/** px of a long name beside its bracket that have to be in sight. */
const MAX_BRACKET = 72;
/** px left of the first column that a bracket with a short name takes. */
const BRACKET_ROOM = 44;
/** px of the card and what is clear around it, on a canvas wide enough for the large one. */
const CARD_ROOM = 278;
const LARGE_CARD_ROOM = 332;
const TAKES_LARGE = 900;
const HULL_ROOM = 12;
/** px of a heading over a column. */
const HEADING = 20;
const FOLLOW_MILLIS = 250;
/** px that a press moves before it pulls something. */
const PULLED = 3;
/** What adds an op where it happens. */
const ADDS = ["drop", "dblclick", "contextmenu"];
/** The page whose card is a sheet below the graph. */
const NARROW = "(max-width: 1000px)";

/** px that the graph grows to the left when a kernel becomes one box in its first column, and its brackets give way. */
function overhang(boxes: readonly Box[]): number {
  const left = Math.min(...boxes.map(({ x }) => x));
  const folded = boxes.some(({ x, width }) => x === left && width >= boxSizes.folded.width);
  return folded ? 0 : (boxSizes.folded.width - boxSizes.op.width) / 2;
}

function contentOf({ boxes, hulls, brackets, headings }: Picture, folds: boolean): Part[] {
  const all = [...boxes.values()].map((box) => ({ ...rectOf(box), docked: isDocked(box) }));
  const room = folds ? overhang([...boxes.values()]) : 0;
  return [
    ...all,
    // One box for everything has no brackets; the steps before it have.
    ...(folds ? all.map((rect) => ({ ...rect, x0: rect.x0 - room - BRACKET_ROOM, yields: true })) : []),
    ...hulls.flatMap(({ rects }) => rects),
    ...headings.map(({ text, x, y }) => {
      const half = textWidth(text, 14) / 2;
      return { x0: x - half, x1: x + half, y0: y - HEADING, y1: y };
    }),
    ...brackets.map(({ name, x, top, bottom }) => ({
      x0: x - room - 10 - Math.min(MAX_BRACKET, textWidth(name, 13, true)),
      x1: x,
      y0: top,
      y1: bottom,
      yields: true,
    })),
  ];
}

/** Where the graph begins. */
const leadOf = ({ boxes }: Picture): Rect | null =>
  [...boxes.values()].reduce<Rect | null>((top, box) => {
    const rect = rectOf(box);
    return !top || rect.y0 < top.y0 ? rect : top;
  }, null);

/** Below this share of nodes that stay, the program is another one. */
const SAME = 0.3;
const stays = (before: Picture["boxes"], { boxes }: Picture): boolean =>
  before.size > 0 &&
  [...boxes.keys()].filter((id) => before.has(id)).length >= Math.min(before.size, boxes.size) * SAME;

/** A box that was not there before and lies outside the view: an op that was just added must be seen. */
function addsUnseen(before: Picture["boxes"], { boxes }: Picture, root: HTMLElement, view: Viewport): boolean {
  const [x0, y0] = [-view.x / view.zoom, -view.y / view.zoom];
  const seen = { x0, y0, x1: x0 + root.clientWidth / view.zoom, y1: y0 + root.clientHeight / view.zoom };
  const inside = (box: Box): boolean =>
    box.x >= seen.x0 && box.y >= seen.y0 && box.x + box.width <= seen.x1 && box.y + box.height <= seen.y1;
  const added = [...boxes].filter(([id]) => !before.has(id) && pillTarget(id) === null).map(([, box]) => box);
  return added.length > 0 && !added.every(inside);
}

/** Whether every box stands where it stood, and none came or went. */
const isDrawnAs = (before: Picture["boxes"], { boxes }: Picture): boolean =>
  before.size === boxes.size &&
  [...boxes].every(([id, { x, y }]) => before.get(id)?.x === x && before.get(id)?.y === y);

/** What a step is about, with room for a hull around it; null where nothing of it is drawn. */
function aboutOf(picture: Picture, nodes: readonly NodeId[]): Rect | null {
  const rects = [...boxesAbout(picture, nodes).values()].map((box) => rectOf(box, HULL_ROOM));
  return rects.length > 0 ? around(rects) : null;
}

const sizeOf = ({ clientWidth: width, clientHeight: height }: HTMLElement) => ({ width, height });

/** What stands over the lower edge of the canvas, in px of it. */
function overOf(root: HTMLElement): Rect[] {
  const { left, top } = root.getBoundingClientRect();
  return [...root.querySelectorAll(".zoom-bar, .react-flow__attribution")].flatMap((each) => {
    const { x, y, width, height } = each.getBoundingClientRect();
    return width > 0 ? [{ x0: x - left, x1: x - left + width, y0: y - top, y1: y - top + height }] : [];
  });
}

/** What the room for a graph depends on. */
interface Wants {
  readonly cards: boolean;
  readonly waits: boolean;
  readonly enlarges: boolean;
}

const roomOf = (root: HTMLElement, { cards, waits, enlarges }: Wants): Room => {
  const { clientWidth: width, clientHeight: height } = root;
  const card = !cards || matchMedia(NARROW).matches ? 0 : width < TAKES_LARGE ? CARD_ROOM : LARGE_CARD_ROOM;
  return { width, height, card, waits, over: overOf(root), enlarges };
};

/** The view beside the card that is open; null where that hides nothing of what the step is about, or can't be helped. */
function besideCard(root: HTMLElement, picture: Picture, nodes: readonly NodeId[], view: Viewport): Viewport | null {
  const card = root.querySelector<HTMLElement>(".card-holder");
  // A wide one stands below the graph.
  if (!card || card.dataset["wide"] === "true" || nodes.length === 0) return null;
  const about = [...boxesAbout(picture, nodes).values()];
  const tags = picture.hulls.map(({ tag }) => tagRect(tag));
  const size = { width: card.offsetWidth, height: card.offsetHeight };
  return clearedOfCard({ boxes: [...picture.boxes.values()], about, tags }, view, sizeOf(root), size);
}

const lessMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

export interface Camera {
  readonly fit: () => void;
  /** A person chose the view: it follows no step. */
  readonly held: RefObject<boolean>;
  readonly hold: () => void;
  /** Moves the focus, and the view when it is out of sight. */
  readonly focus: (target: FocusTarget) => void;
  readonly jump: (id: NodeId) => void;
  readonly flowPoint: (at: { clientX: number; clientY: number }) => Point;
}

/** `folds`: kernels become one box each, and the view leaves room for that; `hasCards`: cards stand over the graph. */
export function useCamera(
  rootRef: RefObject<HTMLElement | null>,
  picture: Picture | null,
  folds: boolean,
  hasCards: boolean,
): Camera {
  const { setViewport, getViewport, screenToFlowPosition } = useReactFlow();
  const latest = useRef(picture);
  useLayoutEffect(() => {
    latest.current = picture;
  }, [picture]);
  const touched = useRef(false);

  // Where there is no card the view follows a step however narrow it is. The presenter's stands beside the canvas.
  const cards = usePlayground((s) => !s.embed && !s.presenter) && hasCards;
  // What is drawn must not grow or shrink under the mouse.
  const enlarges = usePlayground((s) => selectExample(s) !== null && !selectIsEdited(s));
  // The view is not fitted again because a card comes: a step moves it where it must, also one that is the last as before.
  const isOpened = useIsOpened();
  const waits = useRef(isOpened);
  useLayoutEffect(() => {
    waits.current = isOpened;
  }, [isOpened]);
  const least = usePlayground((s) => (s.fitsWhole ? WHOLE : LEGIBLE));
  const show = useCallback(
    (zoom: number) => {
      const element = rootRef.current;
      if (!element || !latest.current) return;
      const room = roomOf(element, { cards, waits: waits.current, enlarges });
      const content = neededOf(contentOf(latest.current, folds), room);
      void setViewport(fitViewport(content, room, zoom, leadOf(latest.current)));
    },
    [rootRef, setViewport, folds, cards, enlarges],
  );
  const hold = useCallback(() => void (touched.current = true), []);
  const fit = useCallback(() => {
    show(WHOLE);
    // What is whole at a size that a step would choose as well needs no holding.
    touched.current = getViewport().zoom < SMALL;
  }, [show, getViewport]);

  const layout = usePlayground((s) => s.derived.layout);
  const known = useRef<Picture["boxes"]>(new Map());
  const fitted = useRef<{ readonly programs: number; readonly show: typeof show } | null>(null);
  useEffect(() => {
    if (!layout) return;
    const { programs } = playground.getState();
    const isAnother = fitted.current?.programs !== programs;
    const isSameRoom = fitted.current?.show === show;
    fitted.current = { programs, show };
    if (isAnother) touched.current = false;
    if (latest.current) {
      const root = rootRef.current;
      const before = new Map(known.current);
      // An op that an edit put elsewhere is looked for like one that it added.
      const { sought } = useCanvas.getState();
      if (sought) before.delete(sought);
      seek(null);
      const unseen = root !== null && addsUnseen(before, latest.current, root, getViewport());
      if (unseen || !stays(before, latest.current)) touched.current = false;
      known.current = latest.current.boxes;
      // Another plan of what is drawn already: only a step moves the view.
      if (!isAnother && isSameRoom && isDrawnAs(before, latest.current)) return;
    }
    if (!touched.current) show(least);
  }, [layout, least, show, rootRef, getViewport]);

  useEffect(() => {
    const element = rootRef.current;
    if (!element) return undefined;
    // The toolbar and the cards over the canvas do not move the view.
    const touch = ({ target }: Event): void => {
      if (target instanceof Element && target.closest(".react-flow")) touched.current = true;
    };
    // A press holds nothing, what is pulled does: the view, a box, a line.
    let pressed: Point | null = null;
    const press = ({ clientX: x, clientY: y }: PointerEvent): void => void (pressed = { x, y });
    const pull = (event: PointerEvent): void => {
      const { clientX, clientY, buttons } = event;
      if (buttons === 0) pressed = null;
      if (pressed && Math.hypot(clientX - pressed.x, clientY - pressed.y) >= PULLED) touch(event);
    };
    const observer = new ResizeObserver(() => {
      if (!touched.current) show(least);
    });
    observer.observe(element);
    element.addEventListener("wheel", touch, { passive: true });
    element.addEventListener("pointerdown", press);
    element.addEventListener("pointermove", pull);
    for (const name of ADDS) element.addEventListener(name, touch);
    return () => {
      observer.disconnect();
      element.removeEventListener("wheel", touch);
      element.removeEventListener("pointerdown", press);
      element.removeEventListener("pointermove", pull);
      for (const name of ADDS) element.removeEventListener(name, touch);
    };
  }, [rootRef, show, least]);

  const step = usePlayground(selectStep);
  useEffect(() => {
    const root = rootRef.current;
    // Where the card is a sheet, the view makes way for it instead.
    if (!root || !picture || touched.current || (cards && matchMedia(NARROW).matches)) return;
    // No step has led to a program that was opened at its end: its graph is shown, not what the last step is about.
    const about = waits.current ? null : aboutOf(picture, step?.nodes ?? []);
    const room = roomOf(root, { cards, waits: waits.current, enlarges });
    const content = neededOf(contentOf(picture, false), room);
    const followed = step
      ? followViewport(getViewport(), content, about, room, least)
      : // The naive plan is read from its beginning.
        firstViewport(getViewport(), content, room, least, leadOf(picture));
    const view = (cards && besideCard(root, picture, step?.nodes ?? [], followed ?? getViewport())) || followed;
    if (view) void setViewport(view, { duration: lessMotion() ? 0 : FOLLOW_MILLIS });
  }, [picture, step, isOpened, cards, enlarges, least, rootRef, getViewport, setViewport]);

  // The view that a person chose stays with the page, for links; one that comes with a link is shown.
  const own = useRef<Area | null>(null);
  const wanted = usePlayground((s) => s.camera);
  const drawn = picture !== null;
  const began = useRef<Viewport | null>(null);
  useOnViewportChange({
    onStart(view) {
      began.current = view;
    },
    onEnd(view) {
      // A press that moves nothing chooses no view: what else shows the graph fits it.
      const { x, y, zoom } = began.current ?? {};
      if (view.x === x && view.y === y && view.zoom === zoom) return;
      if (!touched.current || !rootRef.current) return;
      own.current = areaSeen(view, sizeOf(rootRef.current));
      playground.getState().actions.lookAt(own.current);
    },
  });
  useEffect(() => {
    if (!wanted || wanted === own.current || !drawn || !rootRef.current) return;
    touched.current = true;
    own.current = wanted;
    void setViewport(viewportOf(wanted, sizeOf(rootRef.current)));
  }, [wanted, drawn, rootRef, setViewport]);

  const { focus, jump } = useFocus(rootRef, latest);
  const flowPoint = useCallback(
    ({ clientX, clientY }: { clientX: number; clientY: number }) => screenToFlowPosition({ x: clientX, y: clientY }),
    [screenToFlowPosition],
  );
  return { fit, held: touched, hold, focus, jump, flowPoint };
}

/** Moves the keyboard focus to an op or a line, and the view along when it is out of sight. */
function useFocus(
  rootRef: RefObject<HTMLElement | null>,
  pictureRef: RefObject<Picture | null>,
): { readonly focus: (target: FocusTarget) => void; readonly jump: (id: NodeId) => void } {
  const { setCenter, getZoom } = useReactFlow();
  const focus = useCallback(
    (target: FocusTarget) => {
      const find = (): HTMLElement | SVGElement | null =>
        rootRef.current?.querySelector<HTMLElement | SVGElement>(
          `.react-flow__${target.kind}[data-id="${CSS.escape(target.id)}"]`,
        ) ?? null;
      const now = find();
      if (now) {
        now.focus();
        return;
      }
      const box = target.kind === "node" ? pictureRef.current?.boxes.get(target.id) : null;
      if (!box) return;
      void setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom: getZoom() });
      requestAnimationFrame(() => find()?.focus());
    },
    [rootRef, pictureRef, setCenter, getZoom],
  );

  const jump = useCallback(
    (id: NodeId) => {
      const box = pictureRef.current?.boxes.get(id);
      if (box) void setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom: Math.max(0.9, getZoom()) });
      requestAnimationFrame(() => focus({ kind: "node", id }));
    },
    [pictureRef, setCenter, getZoom, focus],
  );
  return { focus, jump };
}

/** @file The picture of the shown step, from the store: scene, folds, places, ways. */
import { useMemo, useState, useSyncExternalStore } from "react";
import { outputNames, savedMarks, type NodeId } from "../../fusion";
import {
  selectFusion,
  selectHasHoles,
  selectPlan,
  selectStep,
  selectSteps,
  selectKernelColours,
  usePlayground,
} from "../../state";
import { useCanvas } from "./canvas-store";
import {
  capScene,
  foldScene,
  boxesOf,
  pictureOf,
  type Picture,
  withSaved,
  sceneOf,
  type Scene,
  type Box,
  LEGIBLE,
} from "../../picture";

/** px of a window beside the canvas, with the inspector folded, and above and below it. */
const BESIDE = 400;
const ABOVE = 250;
/** Windows up to this width show one pane at a time. */
const NARROW = 1000;

/** Windows too small for the whole layout with text that can be read: kernels fold there, and elsewhere no step moves a box. */
function smallerThan(layout: ReadonlyMap<NodeId, Box>): string {
  const boxes = [...layout.values()];
  if (boxes.length === 0) return "not all";
  const width = Math.max(...boxes.map(({ x, width: own }) => x + own)) - Math.min(...boxes.map(({ x }) => x));
  const height = Math.max(...boxes.map(({ y, height: own }) => y + own)) - Math.min(...boxes.map(({ y }) => y));
  const [wide, high] = [Math.ceil(width * LEGIBLE), Math.ceil(height * LEGIBLE)];
  const beside = `(min-width: ${NARROW + 1}px) and (max-width: ${wide + BESIDE}px)`;
  return `(max-width: ${Math.min(NARROW, wide)}px), ${beside}, (max-height: ${high + ABOVE}px)`;
}

const none: ReadonlyMap<never, never> = new Map<never, never>();

/** Draws one picture after the other: lines whose boxes stay keep their way. */
function drawer(): (scene: Scene, boxes: Picture["boxes"], bends: Parameters<typeof pictureOf>[2]) => Picture {
  let earlier: Picture | null = null;
  return (scene, boxes, bends) => (earlier = pictureOf(scene, boxes, bends, earlier));
}

export interface Drawn {
  /** Null before the first compilation and its layout. */
  readonly picture: Picture | null;
  /** Boxes in all when only some are drawn, else null. */
  readonly outOf: number | null;
  /** Kernels become one box each as they come to be. */
  readonly folds: boolean;
}

const NOTHING = { scene: null, outOf: null } as const;
const NO_NODES: readonly NodeId[] = [];

export function usePicture(): Drawn {
  const fusion = usePlayground(selectFusion);
  const plan = usePlayground(selectPlan);
  const colours = usePlayground(selectKernelColours);
  // With operands left open the graph is that of the text, which has no plan yet.
  const compilation = usePlayground((s) => (selectHasHoles(s) ? s.derived.latest : s.derived.compilation));
  const source = compilation?.naive?.graph ?? null;
  const names = useMemo(() => (compilation ? outputNames(compilation.drawn, compilation.symbols) : []), [compilation]);
  const layout = usePlayground((s) => s.derived.layout);
  const moved = usePlayground((s) => s.document.positions);
  const byHand = usePlayground((s) => s.folds);
  const dragged = useCanvas((s) => s.dragged);
  // The layout has room for every step, so what is too large stays so while one steps.
  const large = useMedia(useMemo(() => smallerThan(layout?.folded ?? layout?.boxes ?? none), [layout]));
  const shown = usePlayground((s) => s.presenter || s.embed);
  const kernels = large || shown;
  const [draw] = useState(drawer);
  const step = usePlayground(selectStep);
  const about = step?.nodes ?? NO_NODES;
  const steps = usePlayground(selectSteps);
  const cursor = usePlayground((s) => s.cursor);
  // The finished plan and an embedded page show what came out; before that, the ops that a step decides about are in sight.
  const embed = usePlayground((s) => s.embed);
  const deciding = embed || cursor >= steps.length ? NO_NODES : about;
  const saved = useMemo(() => fusion && savedMarks(fusion, steps.slice(0, cursor)), [fusion, steps, cursor]);
  const whole = useMemo(() => {
    if (!fusion || !saved) return null;
    const scene = withSaved(sceneOf(fusion, plan, { colours, names }), saved);
    return foldScene(scene, { byHand, kernels, about: deciding, source: source ?? fusion.graph, step });
  }, [fusion, source, plan, colours, names, saved, byHand, kernels, deciding, step]);
  const { scene, outOf } = useMemo(() => (whole ? capScene(whole, about) : NOTHING), [whole, about]);
  const picture = useMemo(() => {
    if (!scene || (!layout && scene.nodes.length > 0)) return null;
    const boxes = boxesOf(scene, {
      layout: layout?.boxes ?? none,
      folded: layout?.folded ?? null,
      moved,
      dragged,
      closed: kernels,
    });
    return draw(scene, boxes, layout?.bends ?? none);
  }, [draw, scene, layout, moved, dragged, kernels]);
  return { picture, outOf, folds: kernels };
}

/** Whether a media query holds, always up to date. */
function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = matchMedia(query);
      list.addEventListener("change", changed);
      return () => list.removeEventListener("change", changed);
    },
    () => matchMedia(query).matches,
  );
}

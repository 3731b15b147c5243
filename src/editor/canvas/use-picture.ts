/** @file The picture of the shown step, from the store: scene, folds, places, ways. */
import { useMemo, useState } from "react";
import { selectFusion, selectPlan, selectTones, usePlayground } from "../../state";
import { foldScene } from "./model/fold";
import { boxesOf } from "./model/place";
import { pictureOf } from "./model/picture";
import type { Picture } from "./model/picture";
import { sceneOf } from "./model/scene";
import type { Scene } from "./model/scene";
import { useCanvas } from "./canvas-store";
import { useMedia } from "./use-media";

/** Small windows fold kernels: text never gets too small to read. */
const SMALL = "(max-width: 1419px), (max-height: 880px)";

const none: ReadonlyMap<never, never> = new Map<never, never>();

/** Draws one picture after the other: lines whose boxes stay keep their way. */
function drawer(): (scene: Scene, boxes: Picture["boxes"], bends: Parameters<typeof pictureOf>[2]) => Picture {
  let earlier: Picture | null = null;
  return (scene, boxes, bends) => (earlier = pictureOf(scene, boxes, bends, earlier));
}

/** Null before the first compilation and its layout. */
export function usePicture(): Picture | null {
  const fusion = usePlayground(selectFusion);
  const plan = usePlayground(selectPlan);
  const tones = usePlayground(selectTones);
  const layout = usePlayground((s) => s.derived.layout);
  const moved = usePlayground((s) => s.document.positions);
  const flipped = usePlayground((s) => s.folded);
  const dragged = useCanvas((s) => s.dragged);
  const kernels = useMedia(SMALL);
  const [draw] = useState(drawer);
  const scene = useMemo(
    () => fusion && foldScene(sceneOf(fusion, plan, tones), { flipped, kernels }),
    [fusion, plan, tones, flipped, kernels],
  );
  return useMemo(() => {
    if (!scene || (!layout && scene.nodes.length > 0)) return null;
    const boxes = boxesOf(scene, { layout: layout?.boxes ?? none, moved: { ...moved, ...dragged } });
    return draw(scene, boxes, layout?.bends ?? none);
  }, [draw, scene, layout, moved, dragged]);
}

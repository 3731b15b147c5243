/** @file What a thick and a thin line mean; and a dashed one and the disks, where there are some. It stands where it covers nothing. */
import { useStore } from "@xyflow/react";
import { useMemo } from "react";
import { SavedSign } from "./nodes/SavedSign";
import { useCanvas } from "./canvas-store";
import { headingRect, legendCorner, rectOf, savedKinds, savedWords, tagRect, type Picture } from "../../picture";

export function Legend({ picture }: { readonly picture: Picture }) {
  const saved = useMemo(() => savedKinds(picture.scene), [picture]);
  const again = picture.scene.edges.some((edge) => edge.again);
  const drawn = useMemo(() => {
    const boxes = [...picture.boxes.values()].map((box) => rectOf(box));
    const headings = picture.headings.map(headingRect);
    return [...boxes, ...headings, ...picture.hulls.flatMap(({ rects, tag }) => [...rects, tagRect(tag)])];
  }, [picture]);
  const card = useCanvas((s) => s.card);
  const corner = useStore(({ transform: [x, y, zoom], width, height }) =>
    legendCorner(drawn, { x, y, zoom }, { width, height }, card, 2 + Number(again) + saved.length),
  );
  return (
    <dl className="legend" data-corner={corner}>
      <dt>
        <svg width="34" height="12" aria-hidden="true">
          <path className="legend-case" d="M2 6h30" />
          <path className="legend-core" d="M2 6h30" />
        </svg>
      </dt>
      <dd>through memory, width = bytes</dd>
      <dt>
        <svg width="34" height="12" aria-hidden="true">
          <path className="legend-hair" d="M2 6h30" />
        </svg>
      </dt>
      <dd>in registers, free</dd>
      {again && (
        <>
          <dt>
            <svg width="34" height="12" aria-hidden="true">
              <path className="legend-hair" data-again d="M2 6h30" />
            </svg>
          </dt>
          <dd>recomputed: inputs are read again</dd>
        </>
      )}
      {saved.map((mark) => [
        <dt key={mark} className="legend-saved">
          <SavedSign mark={mark} />
        </dt>,
        <dd key={`${mark} words`}>{savedWords[mark]}</dd>,
      ])}
    </dl>
  );
}

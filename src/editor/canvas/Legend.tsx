/** @file What a thick and a thin line mean; and the disks, where there are some. */
import { useMemo } from "react";
import { SavedSign } from "./nodes/SavedSign";
import { savedKinds, savedWords, type Scene } from "../../picture";

export function Legend({ scene }: { readonly scene: Scene | null }) {
  const saved = useMemo(() => (scene ? savedKinds(scene) : []), [scene]);
  return (
    <dl className="legend">
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
      {saved.map((mark) => [
        <dt key={mark} className="legend-saved">
          <SavedSign mark={mark} />
        </dt>,
        <dd key={`${mark} words`}>{savedWords[mark]}</dd>,
      ])}
    </dl>
  );
}

/** @file Under the ops: hulls of kernels, their tags, and the brackets of the program's lines. */
import { ViewportPortal } from "@xyflow/react";
import { useLayoutEffect, useRef } from "react";
import { playground, usePlayground } from "../../state";
import { toneStyle } from "./OpNode";
import { around } from "./model/geometry";
import type { Bracket } from "./model/brackets";
import type { Hull as HullShape } from "./model/picture";
import { plural, showBytes } from "./model/words";
import { growFrom } from "./grow";

const MARGIN = 6;

function Hull({ hull }: { readonly hull: HullShape }) {
  const { region, tone, hatched } = hull.kernel;
  const area = around(hull.rects);
  const [left, top] = [area.x0 - MARGIN, area.y0 - MARGIN];
  const element = useRef<SVGSVGElement>(null);
  const before = useRef<{ path: string; left: number; top: number; right: number; bottom: number } | null>(null);
  const selected = usePlayground((s) => s.selection.kind === "region" && s.selection.id === region);
  useLayoutEffect(() => {
    const now = { path: hull.path, left, top, right: area.x1 + MARGIN, bottom: area.y1 + MARGIN };
    if (element.current && before.current?.path !== hull.path) growFrom(element.current, before.current, now);
    before.current = now;
  }, [hull.path, left, top, area.x1, area.y1]);
  const [width, height] = [area.x1 - area.x0 + 2 * MARGIN, area.y1 - area.y0 + 2 * MARGIN];
  return (
    <svg
      ref={element}
      className="hull"
      data-region={region}
      data-selected={selected}
      style={{ ...toneStyle(tone), left, top }}
      width={width}
      height={height}
      viewBox={`${left} ${top} ${width} ${height}`}
      aria-hidden="true"
      onClick={() => playground.getState().actions.select({ kind: "region", id: region })}
      onDoubleClick={() => playground.getState().actions.toggleFold(region)}
    >
      <path className="hull-body" d={hull.path} />
      {hatched && <path className="hull-hatch" d={hull.path} fill="url(#kernel-hatch)" />}
    </svg>
  );
}

function HullTag({ hull: { kernel, tag } }: { readonly hull: HullShape }) {
  const { actions } = playground.getState();
  const bytes = kernel.bytes === null ? null : showBytes(kernel.bytes);
  return (
    <button
      type="button"
      className="hull-tag"
      data-align={tag.align}
      style={{ ...toneStyle(kernel.tone), left: tag.x, top: tag.y }}
      aria-label={`Kernel ${kernel.name} ${kernel.title}, ${plural(kernel.members.length, "op")}${bytes ? `, ${bytes}` : ""}. Space folds it.`}
      onClick={() => actions.select({ kind: "region", id: kernel.region })}
      onKeyDown={(event) => {
        if (event.key !== " ") return;
        event.preventDefault();
        actions.toggleFold(kernel.region);
      }}
    >
      <b>{`${kernel.name} ${kernel.title}`}</b>
      <span className="tag-ops">{plural(kernel.members.length, "op")}</span>
      {bytes && <span className="tag-bytes">{bytes}</span>}
    </button>
  );
}

function SourceBracket({ bracket: { name, x, top, bottom, lane } }: { readonly bracket: Bracket }) {
  return (
    <div className="bracket" data-lane={lane} style={{ left: x, top, height: bottom - top }} aria-hidden="true">
      <code>{name}</code>
    </div>
  );
}

export function HullLayer({
  hulls,
  brackets,
}: {
  readonly hulls: readonly HullShape[];
  readonly brackets: readonly Bracket[];
}) {
  return (
    <ViewportPortal>
      <div className="hull-layer">
        <svg width="0" height="0" aria-hidden="true">
          <pattern id="kernel-hatch" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path className="hatch-line" d="M0 0v8" />
          </pattern>
        </svg>
        {hulls.map((hull) => (
          <Hull key={hull.kernel.region} hull={hull} />
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

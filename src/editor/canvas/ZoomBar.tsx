/** @file Bottom right: add an op, transform the program, the outline, the map, zoom out and in, fit. */
import { useReactFlow, useStore } from "@xyflow/react";
import { CanvasIcon } from "./CanvasIcon";
import { closeList, openList, toggleMap, useCanvas } from "./canvas-store";

export function ZoomBar({ onFit, editable }: { readonly onFit: () => void; readonly editable: boolean }) {
  const { zoomIn, zoomOut } = useReactFlow();
  const percent = useStore((s) => Math.round(s.transform[2] * 100));
  const list = useCanvas((s) => s.list.kind);
  const map = useCanvas((s) => s.map);
  const toggle = (kind: "palette" | "outline" | "transforms"): void =>
    list === kind ? closeList() : openList(kind === "palette" ? { kind, at: null } : { kind });
  return (
    <div className="zoom-bar" role="toolbar" aria-label="Graph">
      <button
        type="button"
        className="zoom-add"
        title="Add an op (or double-click the canvas)"
        disabled={!editable}
        aria-expanded={list === "palette"}
        onClick={() => toggle("palette")}
      >
        <CanvasIcon name="plus" />
        Op
      </button>
      <button
        type="button"
        aria-label="Transform the program"
        title="Transform the program: grad, vjp, jvp, vmap"
        disabled={!editable}
        aria-expanded={list === "transforms"}
        onClick={() => toggle("transforms")}
      >
        <CanvasIcon name="transform" />
      </button>
      <i className="zoom-rule" />
      <button
        type="button"
        aria-label="Outline of ops"
        title="Outline of ops"
        aria-expanded={list === "outline"}
        onClick={() => toggle("outline")}
      >
        <CanvasIcon name="list" />
      </button>
      <button
        type="button"
        aria-label="Map of the graph"
        title="Map of the graph"
        aria-pressed={map}
        onClick={toggleMap}
      >
        <CanvasIcon name="map" />
      </button>
      <i className="zoom-rule" />
      <button type="button" aria-label="Zoom out" title="Zoom out" onClick={() => void zoomOut()}>
        <CanvasIcon name="minus" />
      </button>
      <span className="zoom-percent">{percent} %</span>
      <button type="button" aria-label="Zoom in" title="Zoom in" onClick={() => void zoomIn()}>
        <CanvasIcon name="plus" />
      </button>
      <button type="button" aria-label="Fit" title="Fit the whole graph" onClick={onFit}>
        <CanvasIcon name="fit" />
      </button>
    </div>
  );
}

/** @file Bottom right: add an op, transform the program, the outline, the map, zoom out and in, fit. */
import { useReactFlow, useStore } from "@xyflow/react";
import { Icon } from "../../icons";
import { closeList, openList, toggleMap, useCanvas } from "./canvas-store";

interface ZoomBarProps {
  readonly onFit: () => void;
  readonly onZoom: () => void;
  readonly editable: boolean;
}

export function ZoomBar({ onFit, onZoom, editable }: ZoomBarProps) {
  const { zoomIn, zoomOut } = useReactFlow();
  const zoom = (by: () => unknown): void => {
    onZoom();
    by();
  };
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
        <Icon name="plus" size={15} />
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
        <Icon name="transform" size={15} />
      </button>
      <i className="zoom-rule" />
      <button
        type="button"
        aria-label="Outline of ops"
        title="Outline of ops"
        aria-expanded={list === "outline"}
        onClick={() => toggle("outline")}
      >
        <Icon name="list" size={15} />
      </button>
      <button
        type="button"
        aria-label="Map of the graph"
        title="Map of the graph"
        aria-pressed={map}
        onClick={toggleMap}
      >
        <Icon name="map" size={15} />
      </button>
      <i className="zoom-rule" />
      <button type="button" aria-label="Zoom out" title="Zoom out" onClick={() => zoom(zoomOut)}>
        <Icon name="minus" size={15} />
      </button>
      <span className="zoom-percent">{percent} %</span>
      <button type="button" aria-label="Zoom in" title="Zoom in" onClick={() => zoom(zoomIn)}>
        <Icon name="plus" size={15} />
      </button>
      <button type="button" aria-label="Fit" title="Fit the whole graph" onClick={onFit}>
        <Icon name="fit" size={15} />
      </button>
    </div>
  );
}

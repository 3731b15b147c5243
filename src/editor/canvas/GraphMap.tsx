/** @file The whole graph in small, with the part in sight: drag it to move the view, turn the wheel to zoom. Only while it is asked for. */
import { MiniMap } from "@xyflow/react";
import type { FlowNode } from "./flow";
import { useCanvas } from "./canvas-store";

/** Its kernel's colour, in full: boxes are a few px. */
const colourOf = ({ data }: FlowNode): string => {
  const tone = data.node.kernel?.tone;
  return tone ? `var(--k${tone})` : "var(--line-strong)";
};

export function GraphMap() {
  const isShown = useCanvas((s) => s.map);
  if (!isShown) return null;
  return (
    <MiniMap<FlowNode>
      pannable
      zoomable
      position="bottom-left"
      ariaLabel="Map of the graph"
      style={{ width: 168, height: 120 }}
      nodeColor={colourOf}
      nodeStrokeWidth={0}
      nodeBorderRadius={14}
    />
  );
}

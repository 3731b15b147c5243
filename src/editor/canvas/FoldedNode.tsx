/** @file A folded kernel, composite, `def` or repeat: one box with a second edge behind it. */
import type { NodeProps } from "@xyflow/react";
import { usePlayground } from "../../state";
import { Glyph } from "./Glyph";
import { Ports } from "./Ports";
import { colourStyle } from "./OpNode";
import { isDrawnWith, type FlowNode } from "./flow";
import { showBytes } from "../../picture";

export function FoldedNode({ data: { node, ports } }: NodeProps<FlowNode>) {
  const region = node.kernel?.region ?? null;
  const selected = usePlayground((s) => s.selection.kind === "region" && s.selection.id === region);
  return (
    <>
      <div
        className="op-box folded-box"
        data-selected={selected}
        data-waiting={node.holes.length > 0}
        style={colourStyle(node.kernel?.tone)}
      >
        <span className="op-row">
          <Glyph name="folded" />
          <span className="op-name">{node.title}</span>
          {node.lives === "memory" && <span className="folded-bytes">{showBytes(node.bytes)}</span>}
        </span>
        <span className="folded-ops">{node.formula}</span>
      </div>
      <Ports node={node} ports={ports} start={isDrawnWith(node)} />
    </>
  );
}

/** @file An input or an output of the program: a pill. A docked one says its bytes, the others their shape. */
import type { NodeProps } from "@xyflow/react";
import { usePlayground } from "../../state";
import { Glyph } from "./Glyph";
import { Ports } from "./Ports";
import type { FlowNode } from "./flow";
import { showBytes } from "./model/words";

const DOCKED_WIDTH = 118;

export function PillNode({ id, data: { node, ports }, width, isConnectable }: NodeProps<FlowNode>) {
  const selected = usePlayground((s) => s.selection.kind === "node" && s.selection.id === id);
  const hovered = usePlayground((s) => s.hovered === id);
  return (
    <>
      <div
        className="op-box io-pill"
        data-selected={selected}
        data-hovered={hovered}
        title={node.inside.length > 0 ? node.label : undefined}
      >
        <Glyph name={node.glyph} />
        <code className="io-name">{node.title}</code>
        {node.inside.length === 0 && (
          <span className="io-fact">
            {width === DOCKED_WIDTH && node.bytes > 0 ? showBytes(node.bytes) : node.shape}
          </span>
        )}
      </div>
      <Ports node={node} ports={ports} start={isConnectable} />
    </>
  );
}

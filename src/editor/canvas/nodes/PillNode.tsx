/** @file An input or an output of the program: a pill. A docked one says its bytes, the others their shape. */
import type { NodeProps } from "@xyflow/react";
import { isDocked } from "../../../document";
import { usePlayground } from "../../../state";
import { Glyph } from "./Glyph";
import { Ports } from "./Ports";
import type { FlowNode } from "../flow";
import { AROUND_NAME, showBytes, textWidth } from "../../../picture";

export function PillNode({ id, data: { node, ports }, width = 0, height = 0, isConnectable }: NodeProps<FlowNode>) {
  const selected = usePlayground((s) => s.selection.kind === "node" && s.selection.id === id);
  const hovered = usePlayground((s) => s.hovered === id);
  const docked = isDocked({ height });
  const fact = docked && node.bytes > 0 ? showBytes(node.bytes) : node.shape;
  // A name is worth more than a number that the pointer can ask for.
  const fits = textWidth(node.title, 13, true) + textWidth(fact, 12) <= width - AROUND_NAME;
  return (
    <>
      <div
        className="op-box io-pill"
        data-stack={node.inside.length > 0}
        data-selected={selected}
        data-hovered={hovered}
        title={node.inside.length > 0 ? node.label : `${node.title}, ${fact}`}
      >
        <Glyph name={node.glyph} />
        <code className="io-name" data-joined={/[._]/.test(node.title)}>
          <bdi>{node.title}</bdi>
        </code>
        {node.inside.length === 0 && fits && <span className="io-fact">{fact}</span>}
      </div>
      <Ports node={node} ports={ports} start={isConnectable} />
    </>
  );
}

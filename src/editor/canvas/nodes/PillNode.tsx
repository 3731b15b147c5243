/** @file An input or an output of the program: a pill. A docked one says its bytes, the others their shape. */
import type { NodeProps } from "@xyflow/react";
import { boxSizes } from "../../../document";
import { usePlayground } from "../../../state";
import { Glyph } from "./Glyph";
import { Ports } from "./Ports";
import type { FlowNode } from "../flow";
import { showBytes, textWidth } from "../../../picture";

/** px of a docked pill that its mark, its gaps and its round ends take. */
const AROUND = 45;

const docked = boxSizes.docked.width;

export function PillNode({ id, data: { node, ports }, width, isConnectable }: NodeProps<FlowNode>) {
  const selected = usePlayground((s) => s.selection.kind === "node" && s.selection.id === id);
  const hovered = usePlayground((s) => s.hovered === id);
  const fact = width === docked && node.bytes > 0 ? showBytes(node.bytes) : node.shape;
  // A name is worth more than a number that the pointer can ask for.
  const fits = width !== docked || textWidth(node.title, 13, true) + textWidth(fact, 12) <= width - AROUND;
  return (
    <>
      <div
        className="op-box io-pill"
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

/** @file A box's ports: small signs where lines end, 24 px targets for connecting. Legal ones grow while a line is drawn. */
import { Handle, Position } from "@xyflow/react";
import type { CSSProperties } from "react";
import { outHandle, sides } from "../flow";
import { SavedSign } from "./SavedSign";
import { useCanvas } from "../canvas-store";
import { type SceneNode, type Port, type NodePorts, type OperandPort, savedWords } from "../../../picture";
import { keyOfPort } from "../targets";

function targetOf({ side, offset }: Port): CSSProperties {
  if (side === "top") return { left: offset, top: 0, bottom: "auto" };
  if (side === "bottom") return { left: offset, top: "100%", bottom: "auto" };
  if (side === "left") return { left: 0, top: offset, right: "auto" };
  return { left: "100%", top: offset, right: "auto" };
}

function OperandHandle({ node, port }: { readonly node: SceneNode; readonly port: OperandPort }) {
  const key = keyOfPort(node, port.operand);
  const target = useCanvas((s) => s.connecting?.targets.get(key) ?? null);
  const drawing = useCanvas((s) => s.connecting !== null && s.connecting.from !== node.id);
  const state = !drawing ? "idle" : target?.ok ? "legal" : "illegal";
  const isHole = node.holes.includes(port.operand);
  return (
    <Handle
      type="target"
      id={`in${port.operand}`}
      position={sides[port.side]}
      className="port"
      data-state={state}
      data-shown={port.fed || isHole || drawing}
      data-hole={isHole}
      data-dtype={node.dtype}
      style={targetOf(port)}
      title={isHole ? `Operand ${port.operand + 1} is not connected yet` : undefined}
      isConnectableStart={false}
    />
  );
}

/** `start`: lines may be drawn from here. */
export function Ports({
  node,
  ports,
  start,
}: {
  readonly node: SceneNode;
  readonly ports: NodePorts;
  readonly start: boolean;
}) {
  return (
    <>
      {ports.operands.map((port) => (
        <OperandHandle key={port.operand} node={node} port={port} />
      ))}
      <Handle type="target" id="in" position={Position.Top} className="port-anchor" isConnectable={false} />
      {node.kind !== "output" &&
        ports.out.map((port, i) => (
          <Handle
            key={`${port.side}${port.offset}`}
            type="source"
            id={outHandle(i)}
            position={sides[port.side]}
            className="port"
            data-state="idle"
            data-shown={ports.read}
            data-dtype={node.dtype}
            style={targetOf(port)}
            isConnectable={start}
          />
        ))}
      {node.saved && ports.out[0] && (
        <span
          className="saved-mark"
          data-side={ports.out[0].side}
          style={targetOf(ports.out[0])}
          title={savedWords[node.saved]}
        >
          <SavedSign mark={node.saved} />
        </span>
      )}
    </>
  );
}

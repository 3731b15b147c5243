/** @file What the mouse does on the canvas: select, hover, move, connect. Returned as React Flow's own handlers. */
import { useMemo } from "react";
import type { DragEvent, MouseEvent } from "react";
import type { IsValidConnection, NodeChange, OnConnect, OnConnectEnd, OnConnectStart, OnNodeDrag } from "@xyflow/react";
import { nodeId } from "../../../fusion";
import type { EdgeId, NodeId } from "../../../fusion";
import { foldOf, pillTarget, recordOf } from "../../../document";
import type { Position } from "../../../document";
import { playground } from "../../../state";
import { drag, endDrag, openList, startConnecting, useCanvas } from "../canvas-store";
import type { FlowEdge, FlowNode } from "../flow";
import { OP_MEDIA_TYPE } from "../ListBox";
import { addOp } from "../Palette";
import type { Camera } from "./use-camera";
import { selectTarget } from "./use-graph-keys";
import type { Gate, Picture } from "../../../picture";
import { operandAt, targetKey, targetsOf } from "../targets";
import { connectOn } from "./connect-on";

const operandOf = (handle: string | null | undefined): number | null => {
  const found = /^in(\d+)$/.exec(handle ?? "")?.[1];
  return found === undefined ? null : Number(found);
};

/** The op that a box stands for when a line is drawn from it: of a call without its arguments the one that gives its value. */
function valueOf(picture: Picture | null, id: string): NodeId {
  const box = foldOf(id) === null ? undefined : picture?.scene.nodes.find((node) => node.id === id);
  return box?.inside.at(-1) ?? pillTarget(id) ?? nodeId(id);
}

/** The operand that a line ends at, by the box and its handle. */
function endOf(picture: Picture | null, target: string, handle: string | null | undefined): Gate | null {
  const port = operandOf(handle);
  const box = picture?.scene.nodes.find(({ id }) => id === target);
  return port === null || !box ? null : operandAt(box, port);
}

const startFrom = (picture: Picture | null, box: string): void => {
  const from = valueOf(picture, box);
  startConnecting({ from, targets: targetsOf(playground.getState().document.text, from) });
};

/** Positions while dragging; React Flow's other changes are about state it does not own here. */
function onNodesChange(changes: NodeChange<FlowNode>[]): void {
  const moved = recordOf<Position>();
  for (const change of changes) {
    if (change.type === "position" && change.position && change.dragging) moved[change.id] = change.position;
  }
  if (Object.keys(moved).length > 0) drag(moved);
}

const onNodeDragStop: OnNodeDrag<FlowNode> = () => {
  const { dragged } = useCanvas.getState();
  if (Object.keys(dragged).length > 0) playground.getState().actions.moveNodes(dragged);
  endDrag();
};

const hover = (id: NodeId | null): void => playground.getState().actions.hover(id);

/** Lets an op dragged from the palette fall onto the canvas. */
const onDragOver = (event: DragEvent): void => {
  if (event.dataTransfer.types.includes(OP_MEDIA_TYPE)) event.preventDefault();
};

/** The canvas itself, not what stands on it. */
const isPane = (target: EventTarget): boolean =>
  target instanceof Element && target.classList.contains("react-flow__pane");

export function useGestures(picture: Picture | null, editable: boolean, flowPoint: Camera["flowPoint"]) {
  return useMemo(
    () => ({
      onNodesChange,
      onNodeDragStop,
      onNodeClick: (_event: unknown, { id }: FlowNode) =>
        picture && selectTarget({ kind: "node", id: nodeId(id) }, picture),
      onNodeDoubleClick: (_event: unknown, { id }: FlowNode) => {
        const fold = foldOf(id);
        if (fold) playground.getState().actions.setFold(fold, "open");
      },
      onEdgeClick: (_event: unknown, { id }: FlowEdge) =>
        playground.getState().actions.select({ kind: "edge", id: id as EdgeId }),
      onNodeMouseEnter: (_event: unknown, { id }: FlowNode) => hover(pillTarget(id) ?? nodeId(id)),
      onNodeMouseLeave: () => hover(null),
      onDoubleClick: (event: MouseEvent) => {
        if (editable && isPane(event.target)) openList({ kind: "palette", at: flowPoint(event) });
      },
      onPaneContextMenu: (event: MouseEvent | globalThis.MouseEvent) => {
        if (!editable) return;
        event.preventDefault();
        openList({ kind: "palette", at: flowPoint(event) });
      },
      onDragOver,
      onDrop: (event: DragEvent) => {
        const op = event.dataTransfer.getData(OP_MEDIA_TYPE);
        if (op && editable) addOp(op, flowPoint(event));
      },
      ...(editable
        ? {
            onConnectStart: ((_event, { nodeId: from }) => from && startFrom(picture, from)) satisfies OnConnectStart,
            onConnect: (({ source, target, targetHandle }) => {
              const end = endOf(picture, target, targetHandle);
              if (end) connectOn(picture, valueOf(picture, source), end.node, end.operand);
            }) satisfies OnConnect,
            isValidConnection: (({ target, targetHandle }) => {
              const end = endOf(picture, target, targetHandle);
              const key = end && targetKey(end.node, end.operand);
              return key !== null && useCanvas.getState().connecting?.targets.get(key)?.ok === true;
            }) satisfies IsValidConnection<FlowEdge>,
            onConnectEnd: ((event, { toNode }) => {
              const { connecting } = useCanvas.getState();
              startConnecting(null);
              const at = "changedTouches" in event ? event.changedTouches[0] : event;
              const under = at && document.elementFromPoint(at.clientX, at.clientY);
              // Dropped on nothing: what is to read the value is still to be added.
              if (connecting && !toNode && under && isPane(under))
                openList({ kind: "palette", at: flowPoint(at), from: connecting.from });
            }) satisfies OnConnectEnd,
          }
        : {}),
    }),
    [picture, editable, flowPoint],
  );
}

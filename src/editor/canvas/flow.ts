/** @file From a picture to React Flow's nodes and edges. Unchanged ones keep their object, so that only changes render. */
import type { Edge, Node } from "@xyflow/react";
import type { Box } from "./model/geometry";
import type { EdgeMark } from "./model/marks";
import type { Line, Picture } from "./model/picture";
import { nodePorts } from "./model/ports";
import type { NodePorts } from "./model/ports";
import type { SceneNode } from "./model/scene";
import { showBytes } from "./model/words";

export type FlowNode = Node<{ readonly node: SceneNode; readonly ports: NodePorts }, "op" | "pill" | "folded">;
export type FlowEdge = Edge<
  { readonly line: Line; readonly mark: EdgeMark | null; readonly selected: boolean },
  "pipe"
>;

const kinds = { op: "op", input: "pill", output: "pill", folded: "folded" } as const;

/** A reuser of the last objects, for one canvas. */
export function flowMaker(): {
  nodes(picture: Picture, editable: boolean): FlowNode[];
  edges(picture: Picture, marks: ReadonlyMap<string, EdgeMark>, selected: string | null): FlowEdge[];
} {
  let lastNodes = new Map<string, { key: string; node: FlowNode }>();
  let lastEdges = new Map<string, { key: string; edge: FlowEdge }>();
  return {
    nodes(picture, editable) {
      const next = new Map<string, { key: string; node: FlowNode }>();
      for (const node of picture.scene.nodes) {
        const box = picture.boxes.get(node.id);
        if (!box) continue;
        const ports = nodePorts(picture.ports.get(node.id), node.kind === "op" ? node.operands : 0, box);
        const key = JSON.stringify([node, box, ports, editable]);
        const last = lastNodes.get(node.id);
        next.set(node.id, last?.key === key ? last : { key, node: flowNode(node, box, ports, editable) });
      }
      lastNodes = next;
      return [...next.values()].map(({ node }) => node);
    },
    edges(picture, marks, selected) {
      const next = new Map<string, { key: string; edge: FlowEdge }>();
      for (const line of picture.lines) {
        const { id } = line.edge;
        const mark = marks.get(id) ?? null;
        const key = JSON.stringify([line, mark, selected === id]);
        const last = lastEdges.get(id);
        next.set(id, last?.key === key ? last : { key, edge: flowEdge(line, mark, selected === id) });
      }
      lastEdges = next;
      return [...next.values()].map(({ edge }) => edge);
    },
  };
}

function flowNode(node: SceneNode, { x, y, width, height }: Box, ports: NodePorts, editable: boolean): FlowNode {
  return {
    id: node.id,
    type: kinds[node.kind],
    position: { x, y },
    data: { node, ports },
    width,
    height,
    measured: { width, height },
    handles: [
      { id: "out", type: "source", position: "bottom" as never, x: width / 2, y: height, width: 1, height: 1 },
      { id: "in", type: "target", position: "top" as never, x: width / 2, y: 0, width: 1, height: 1 },
    ],
    ariaLabel: node.label,
    draggable: editable && node.kind !== "folded",
    connectable: editable && node.kind !== "folded",
  };
}

const places = { memory: "through memory", register: "in registers", view: "as a view" } as const;

function flowEdge(line: Line, mark: EdgeMark | null, selected: boolean): FlowEdge {
  const { id, from, to, kind, bytes } = line.edge;
  const outcome = mark?.candidate ? `, candidate, ${mark.candidate.outcome}` : "";
  const pin = mark?.pin ? `, ${mark.pin} by you` : "";
  return {
    id,
    type: "pipe",
    source: from,
    target: to,
    sourceHandle: "out",
    targetHandle: "in",
    data: { line, mark, selected },
    ariaLabel: `${from} to ${to}, ${places[kind]}${kind === "memory" ? `, ${showBytes(bytes)}` : ""}${outcome}${pin}`,
    focusable: true,
    domAttributes: { tabIndex: -1 },
    zIndex: selected || mark?.candidate ? 1 : 0,
  };
}

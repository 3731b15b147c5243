/** @file From a picture to React Flow's nodes and edges. Unchanged ones keep their object, so that only changes render. */
import { Position } from "@xyflow/react";
import type { Edge, Node } from "@xyflow/react";
import {
  type Box,
  type EdgeMark,
  type Line,
  type Picture,
  type Port,
  nodePorts,
  type NodePorts,
  type SceneNode,
  showBytes,
} from "../../picture";

export type FlowNode = Node<{ readonly node: SceneNode; readonly ports: NodePorts }, "op" | "pill" | "folded">;
export type FlowEdge = Edge<
  { readonly line: Line; readonly mark: EdgeMark | null; readonly selected: boolean },
  "pipe"
>;

/** React Flow's names of the sides. */
export const sides = {
  top: Position.Top,
  bottom: Position.Bottom,
  left: Position.Left,
  right: Position.Right,
} as const;

const NO_OPERANDS = { operands: 0 };
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
        const ports = nodePorts(picture.ports.get(node.id), node.kind === "op" || node.gates ? node : NO_OPERANDS, box);
        const key = JSON.stringify([node, box, ports, editable]);
        const last = lastNodes.get(node.id);
        next.set(node.id, last?.key === key ? last : { key, node: flowNode(node, box, ports, editable) });
      }
      lastNodes = next;
      return [...next.values()].map(({ node }) => node);
    },
    edges(picture, marks, selected) {
      const next = new Map<string, { key: string; edge: FlowEdge }>();
      const minor = minorLines(picture.lines);
      for (const line of picture.lines) {
        const { id } = line.edge;
        const mark = marks.get(id) ?? null;
        const key = JSON.stringify([line, mark, selected === id, minor.has(id)]);
        const last = lastEdges.get(id);
        next.set(id, last?.key === key ? last : { key, edge: flowEdge(line, mark, selected === id, minor.has(id)) });
      }
      lastEdges = next;
      return [...next.values()].map(({ edge }) => edge);
    },
  };
}

/** Where lines start and end, for React Flow; the same places as Ports draws. */
function handlesOf({ operands, out }: NodePorts, width: number, height: number): NonNullable<FlowNode["handles"]> {
  const HIT = 24;
  const at = ({ side, offset }: Port): { x: number; y: number } => ({
    x: (side === "left" ? 0 : side === "right" ? width : offset) - HIT / 2,
    y: (side === "top" ? 0 : side === "bottom" ? height : offset) - HIT / 2,
  });
  const size = { width: HIT, height: HIT };
  return [
    { id: "in", type: "target", position: Position.Top, x: width / 2, y: 0, width: 1, height: 1 },
    ...operands.map((port) => ({
      id: `in${port.operand}`,
      type: "target" as const,
      position: sides[port.side],
      ...at(port),
      ...size,
    })),
    ...out.map((port, i) => ({
      id: outHandle(i),
      type: "source" as const,
      position: sides[port.side],
      ...at(port),
      ...size,
    })),
  ];
}

/** What lines can be drawn from and to: an op, or a call, which still misses arguments or stands for its ops. */
export const isDrawnWith = ({ kind, holes, lid }: SceneNode): boolean =>
  kind !== "folded" || holes.length > 0 || lid === true;

/** The first port out is every line's; the others are only places to draw from. */
export const outHandle = (index: number): string => (index === 0 ? "out" : `out${index}`);

function flowNode(node: SceneNode, { x, y, width, height }: Box, ports: NodePorts, editable: boolean): FlowNode {
  return {
    id: node.id,
    type: kinds[node.kind],
    position: { x, y },
    data: { node, ports },
    width,
    height,
    measured: { width, height },
    handles: handlesOf(ports, width, height),
    ariaLabel: node.label,
    draggable: editable && isDrawnWith(node),
    connectable: editable && isDrawnWith(node),
  };
}

const homes = { memory: "through memory", register: "in registers", view: "as a view" } as const;

/** Lines that are left out when the whole graph is seen from afar. */
const MAX_LINES = 200;

function minorLines(lines: readonly Line[]): ReadonlySet<string> {
  if (lines.length <= MAX_LINES) return new Set();
  const byWidth = lines.toSorted((a, b) => b.edge.width - a.edge.width);
  return new Set(byWidth.slice(MAX_LINES).map(({ edge }) => edge.id));
}

function flowEdge(line: Line, mark: EdgeMark | null, selected: boolean, minor: boolean): FlowEdge {
  const { id, from, to, kind, bytes, again } = line.edge;
  const outcome = mark?.candidate ? `, candidate, ${mark.candidate.outcome}` : "";
  const pin = mark?.pin ? `, ${mark.pin} by you` : "";
  return {
    id,
    type: "pipe",
    className: minor ? "minor" : undefined,
    source: from,
    target: to,
    sourceHandle: "out",
    targetHandle: "in",
    data: { line, mark, selected },
    ariaLabel: `${from} to ${to}, ${again ? "recomputed" : homes[kind]}${kind === "memory" && bytes > 0 ? `, ${showBytes(bytes)}` : ""}${outcome}${pin}`,
    focusable: true,
    domAttributes: { tabIndex: -1 },
    zIndex: selected || mark?.candidate ? 1 : 0,
  };
}

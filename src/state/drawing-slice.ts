/** @file Drawing deeds. Each asks the compiler for the smallest text edit; the answer is null, or why it can't be done. */
import {
  addInput,
  addOp,
  applyTextEdits,
  connect,
  disconnect,
  edgeId,
  expandCall,
  nodeId,
  parseEdgeId,
  removeNode,
  renameNode,
  setAttr,
  setInputType,
  type EdgeId,
  type Edited,
  type NodeId,
} from "../fusion";
import { outputPillOf, pillTarget, recordOf, type Document, type Position } from "../document";
import type { Deeds, Slice } from "./slice";

/** Carries what hangs on node identities along with an edit that changes them. */
export function renameIn(document: Document, ids: ReadonlyMap<NodeId, NodeId>): Document {
  if (ids.size === 0) return document;
  const to = (id: string): string => {
    const target = pillTarget(id);
    if (target === null) return ids.get(nodeId(id)) ?? id;
    return outputPillOf(ids.get(target) ?? target);
  };
  const keys = <T>(record: Readonly<Record<string, T>>): Record<string, T> => {
    const moved = recordOf<T>();
    for (const [id, value] of Object.entries(record)) moved[to(id)] = value;
    return moved;
  };
  const edges = (list: readonly EdgeId[]): EdgeId[] =>
    list.map((edge) => {
      const parts = parseEdgeId(edge);
      return parts ? edgeId(nodeId(to(parts.producer)), nodeId(to(parts.consumer)), parts.operand) : edge;
    });
  const { options } = document;
  return {
    ...document,
    positions: keys(document.positions),
    savedChoices: keys(document.savedChoices),
    options: { ...options, forced: edges(options.forced), forbidden: edges(options.forbidden) },
  };
}

/** Makes an edit one undo step; the node it is about stays or becomes selected. `at`: where a new node was dropped. */
function draw(deeds: Deeds, answer: Edited, at: Position | null = null): string | null {
  if (!answer.ok) return answer.text;
  const { document, selection } = deeds.get();
  const text = applyTextEdits(document.text, answer.edits);
  const moved = renameIn({ ...document, text }, answer.ids);
  const placed = at && answer.node ? { ...moved, positions: recordOf(moved.positions, { [answer.node]: at }) } : moved;
  deeds.commit(placed, "canvas");
  const follow = selection.kind === "node" ? answer.ids.get(selection.id) : undefined;
  if (follow) deeds.set({ selection: { kind: "node", id: follow } });
  if (answer.note) deeds.set({ notice: { tone: "info", text: answer.note } });
  return null;
}

export const drawingSlice: Slice<
  | "connect"
  | "disconnect"
  | "addOp"
  | "addInput"
  | "expandCall"
  | "removeNode"
  | "renameNode"
  | "setAttr"
  | "setInputType"
> = (deeds) => {
  const text = (): string => deeds.get().document.text;
  return {
    connect: (producer, consumer, operand) => draw(deeds, connect(text(), producer, consumer, operand)),
    disconnect: (edge) => draw(deeds, disconnect(text(), edge)),
    addOp: (op, at) => draw(deeds, addOp(text(), op), at),
    addInput: () => draw(deeds, addInput(text())),
    expandCall: (id) => draw(deeds, expandCall(text(), id)),
    removeNode: (id) => draw(deeds, removeNode(text(), id)),
    renameNode: (id, name) => draw(deeds, renameNode(text(), id, name)),
    setAttr: (id, attr, value) => draw(deeds, setAttr(text(), id, attr, value)),
    setInputType: (id, type) => draw(deeds, setInputType(text(), id, type)),
  };
};

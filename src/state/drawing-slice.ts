/** @file Drawing deeds. Each asks the compiler for the smallest text edit; the answer is null, or why it can't be done. */
import { nodeId, parseEdgeId, edgeId, type EdgeId, type NodeId, type TextEdit } from "../fusion";
import { recordOf, type Document } from "../document";
import { front } from "./front";
import type { Deeds, Slice } from "./slice";

const edited = (document: Document, edits: readonly TextEdit[]): Document => ({
  ...document,
  text: front.applyTextEdits(document.text, edits),
});

function draw(
  deeds: Deeds,
  answer: { readonly ok: true; readonly edits: readonly TextEdit[] } | { readonly ok: false; readonly text: string },
): string | null {
  if (!answer.ok) return answer.text;
  deeds.commit(edited(deeds.get().document, answer.edits), "canvas");
  return null;
}

/** Carries what hangs on node identities along with a rename. */
export function renameIn(document: Document, renamed: ReadonlyMap<NodeId, NodeId>): Document {
  const to = (id: string): string => renamed.get(nodeId(id)) ?? id;
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

/** The new node of an edit is the one whose name the text did not have before; placed where the person dropped it. */
function placeNew(before: Document, after: Document, at: { x: number; y: number } | null): Document {
  if (!at) return after;
  const names = (text: string): string[] => [...text.matchAll(/^([A-Za-z_]\w*)\s*[=:]/gm)].map((found) => found[1]!);
  const known = new Set(names(before.text));
  const fresh = names(after.text).find((name) => !known.has(name));
  return fresh === undefined ? after : { ...after, positions: recordOf(after.positions, { [fresh]: at }) };
}

export const drawingSlice: Slice<
  "connect" | "disconnect" | "addOp" | "addInput" | "removeNode" | "renameNode" | "setAttr" | "setInputType"
> = (deeds) => {
  const text = (): string => deeds.get().document.text;
  return {
    connect: (producer, consumer, operand) => draw(deeds, front.connect(text(), producer, consumer, operand)),
    disconnect: (edge) => draw(deeds, front.disconnect(text(), edge)),
    addOp(op, at) {
      const answer = front.addOp(text(), op);
      if (!answer.ok) return answer.text;
      const before = deeds.get().document;
      deeds.commit(placeNew(before, edited(before, answer.edits), at), "canvas");
      return null;
    },
    addInput: () => draw(deeds, front.addInput(text())),
    removeNode: (id) => draw(deeds, front.removeNode(text(), id)),
    renameNode(id, name) {
      const answer = front.renameNode(text(), id, name);
      if (!answer.ok) return answer.text;
      deeds.commit(renameIn(edited(deeds.get().document, answer.edits), answer.renamed), "canvas");
      const { selection } = deeds.get();
      const moved = selection.kind === "node" ? answer.renamed.get(selection.id) : undefined;
      if (moved) deeds.set({ selection: { kind: "node", id: moved } });
      return null;
    },
    setAttr: (id, attr, value) => draw(deeds, front.setAttr(text(), id, attr, value)),
    setInputType: (id, type) => draw(deeds, front.setInputType(text(), id, type)),
  };
};

/** @file Drawing actions. Each asks the compiler for the smallest text edit; it resolves to null, or to why it can't be done. */
import { applyTextEdits, edgeId, nodeId, parseEdgeId, type EdgeId, type Edited, type NodeId } from "../../fusion";
import { foldBox, foldOf, outputPillOf, pillTarget, recordOf, type Document, type Position } from "../../document";
import { loadPart } from "../load-part";
import type * as editing from "../edits";
import type { SliceContext, Slice } from "./slice-context";

type Edits = typeof editing;

/** Carries what hangs on node identities along with an edit that changes them. */
export function renameIn(document: Document, ids: ReadonlyMap<NodeId, NodeId>): Document {
  if (ids.size === 0) return document;
  const to = (id: string): string => {
    const call = foldOf(id);
    if (call !== null) return foldBox(ids.get(nodeId(call)) ?? call);
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
  const { savedValues } = options;
  const saved = savedValues ? { savedValues: { ...savedValues, choices: keys(savedValues.choices) } } : {};
  return {
    ...document,
    positions: keys(document.positions),
    options: { ...options, ...saved, forced: edges(options.forced), forbidden: edges(options.forbidden) },
  };
}

/** A box that goes elsewhere: to `at`, or where the layout puts it. */
interface Put {
  readonly box: string;
  readonly at: Position | null;
}

/** Where a new box was dropped, and which one goes elsewhere. */
interface Drop {
  readonly at: Position | null;
  readonly put: Put | null;
  /** A call of several ops, whose box is not that of its result. */
  readonly call: boolean;
  /** An op that was not there before. */
  readonly added: boolean;
}

/** Makes an edit one undo step; the node it is about stays or becomes selected. */
function draw(context: SliceContext, answer: Edited, { at, put, call, added }: Drop): string | null {
  if (!answer.ok) return answer.text;
  const { document, selection } = context.get();
  const text = applyTextEdits(document.text, answer.edits);
  const positions = recordOf(document.positions);
  if (put?.at) positions[put.box] = put.at;
  else if (put) delete positions[put.box];
  const moved = renameIn({ ...document, positions, text }, answer.ids);
  const box = answer.node && (call ? foldBox(answer.node) : answer.node);
  const placed = at && box ? { ...moved, positions: recordOf(moved.positions, { [box]: at }) } : moved;
  context.commit(placed, "canvas");
  const follow = selection.kind === "node" ? answer.ids.get(selection.id) : undefined;
  if (follow) context.set({ selection: { kind: "node", id: follow } });
  // Named, not dropped somewhere: the keys go on from it.
  if (added && at === null && answer.node) context.set({ selection: { kind: "node", id: answer.node } });
  if (answer.note) context.set({ notice: { tone: "info", text: answer.note } });
  return null;
}

export const drawingSlice: Slice<
  | "connect"
  | "disconnect"
  | "addOp"
  | "addInput"
  | "expandCall"
  | "transform"
  | "removeNode"
  | "renameNode"
  | "setAttr"
  | "setInputType"
> = (context) => {
  const change = async (
    edit: (edits: Edits, text: string) => Edited,
    { at = null, op = null, put = null }: { at?: Position | null; op?: string | null; put?: Put | null } = {},
  ): Promise<string | null> => {
    const edits = await loadPart(() => import("../edits"));
    const call = op !== null && edits.findOp(op)?.kind === "composite";
    return draw(context, edit(edits, context.get().document.text), { at, put, call, added: op !== null });
  };
  return {
    connect: (producer, consumer, operand, put = null, at = null) =>
      change((edits, text) => edits.connect(text, producer, consumer, operand), {
        put: put === null ? null : { box: put, at },
      }),
    disconnect: (edge) => change((edits, text) => edits.disconnect(text, edge)),
    addOp: (op, at, from = null) =>
      change((edits, text) => (from === null ? edits.addOp(text, op) : edits.addReader(text, op, from)), { at, op }),
    addInput: (at) => change((edits, text) => edits.addInput(text), { at }),
    expandCall: (id) => change((edits, text) => edits.expandCall(text, id)),
    transform: (name) => change((edits, text) => edits.transformProgram(text, name)),
    removeNode: (id) => change((edits, text) => edits.removeNode(text, id)),
    renameNode: (id, name) => change((edits, text) => edits.renameNode(text, id, name)),
    setAttr: (id, attr, value) => change((edits, text) => edits.setAttr(text, id, attr, value)),
    setInputType: (id, type) => change((edits, text) => edits.setInputType(text, id, type)),
  };
};

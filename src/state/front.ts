/** @file What the store asks of the compiler's front door, by name. */
import * as fusion from "../fusion";
import type { EdgeId, NodeId, TextEdit } from "../fusion";

export type EditResult =
  { readonly ok: true; readonly edits: readonly TextEdit[] } | { readonly ok: false; readonly text: string };
export type RenameResult =
  | { readonly ok: true; readonly edits: readonly TextEdit[]; readonly renamed: ReadonlyMap<NodeId, NodeId> }
  | { readonly ok: false; readonly text: string };

interface Front {
  connect(text: string, producer: NodeId, consumer: NodeId, operand: number): EditResult;
  disconnect(text: string, edge: EdgeId): EditResult;
  addOp(text: string, op: string): EditResult;
  addInput(text: string): EditResult;
  removeNode(text: string, id: NodeId): EditResult;
  renameNode(text: string, id: NodeId, name: string): RenameResult;
  setAttr(text: string, id: NodeId, attr: string, value: string): EditResult;
  setInputType(text: string, id: NodeId, type: string): EditResult;
  setConstant(text: string, name: string, value: number): EditResult;
  applyTextEdits(text: string, edits: readonly TextEdit[]): string;
}

export const front = fusion as unknown as Front;

/** @file What the store asks of the compiler's front door, by name. */
import * as fusion from "../fusion";
import type { EdgeId, NodeId, TextEdit } from "../fusion";

export type Edited =
  | {
      readonly ok: true;
      readonly edits: readonly TextEdit[];
      readonly ids: ReadonlyMap<NodeId, NodeId>;
      readonly note: string | null;
      readonly node: NodeId | null;
    }
  | { readonly ok: false; readonly text: string };

interface Front {
  connect(text: string, producer: NodeId, consumer: NodeId, operand: number): Edited;
  disconnect(text: string, edge: EdgeId): Edited;
  addOp(text: string, op: string): Edited;
  addInput(text: string): Edited;
  removeNode(text: string, id: NodeId): Edited;
  renameNode(text: string, id: NodeId, name: string): Edited;
  setAttr(text: string, id: NodeId, attr: string, value: string): Edited;
  setInputType(text: string, id: NodeId, type: string): Edited;
  setConstant(text: string, name: string, value: number): Edited;
  applyTextEdits(text: string, edits: readonly TextEdit[]): string;
}

export const front = fusion as unknown as Front;

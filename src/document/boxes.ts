/** @file Sizes of what the canvas draws, and the identity of output pills and folds: shared by the layout and the canvas. px at zoom 1. */
import { nodeId } from "../fusion";
import type { NodeId } from "../fusion";

export type BoxKind = "op" | "input" | "docked" | "output" | "folded";

/** A docked box is an input with one reader, drawn beside it. */
export const boxSizes: Readonly<Record<BoxKind, { readonly width: number; readonly height: number }>> = {
  op: { width: 156, height: 44 },
  input: { width: 156, height: 34 },
  docked: { width: 124, height: 30 },
  output: { width: 156, height: 34 },
  folded: { width: 228, height: 64 },
};

/** Whether a box is one of an input beside its only reader, as wide as it may be. */
export const isDocked = ({ height }: { readonly height: number }): boolean => height === boxSizes.docked.height;

const OUTPUT = ">out";

/** The pill drawn under a node whose value the program returns. No node of the language has such a name. */
export const outputPillOf = (id: NodeId): NodeId => nodeId(`${id}${OUTPUT}`);

/** The node an output pill belongs to, or null for anything else. */
export const pillTarget = (id: string): NodeId | null =>
  id.endsWith(OUTPUT) ? nodeId(id.slice(0, -OUTPUT.length)) : null;

/** The box that stands for a fold, and back. */
export const foldBox = (id: string): NodeId => nodeId(`[${id}]`);
export const foldOf = (id: string): string | null => (id.startsWith("[") && id.endsWith("]") ? id.slice(1, -1) : null);

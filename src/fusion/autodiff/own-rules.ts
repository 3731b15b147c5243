/** @file Derivatives that a program writes itself, PyTorch's `autograd.Function`, JAX's `custom_vjp` and `custom_jvp`: nodes that are written again for other operands. */
import type { Node, NodeId } from "../ir";

/** Nodes that were written once, with stand-ins for what comes in. */
export interface Template {
  readonly standIns: readonly Pick<Node, "id" | "type">[];
  /** In an order in which operands come first. */
  readonly nodes: readonly Node[];
  /** Null: nothing. */
  readonly results: readonly (NodeId | null)[];
}

/** A call of a function with a derivative of its own. */
export interface OwnRule {
  /** What the program calls it. */
  readonly label: string;
  readonly operands: readonly NodeId[];
  readonly outputs: readonly NodeId[];
  /** Cotangents of the operands, from those of the outputs; null: there is none. Read when it is first asked for. */
  readonly vjp: () => Template | null;
  /** Tangents of the outputs, from those of the operands; null: there is none. */
  readonly jvp: () => Template | null;
  /** It was read for one example, and the call is one on a batch. */
  readonly ofBatch?: true;
}

/** What a program says of derivatives. */
export interface OwnRules {
  /** By the results of the calls that have them. */
  readonly rules: ReadonlyMap<NodeId, OwnRule>;
  /** Values that no derivative passes through. */
  readonly still: ReadonlySet<NodeId>;
}

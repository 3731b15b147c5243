/** @file Values that derivatives don't pass through: what is computed under `torch.no_grad()`. */
import type { Node, NodeId } from "../ir";

/** The nodes of a program, which notes those that are made while derivatives are off. */
export class NotedNodes extends Map<NodeId, Node> {
  /** Whether derivatives are off. */
  off = false;
  /** Nodes that were made while they were. */
  readonly still = new Set<NodeId>();

  override set(id: NodeId, node: Node): this {
    if (this.off && !this.has(id)) this.still.add(id);
    return super.set(id, node);
  }
}

/** What reads with derivatives off or on; afterwards they are as before. */
export function withDerivatives<T>({ nodes }: { readonly nodes: NotedNodes }, on: boolean, read: () => T): T {
  const { off } = nodes;
  nodes.off = !on;
  const value = read();
  nodes.off = off;
  return value;
}

/** @file What the writer of a shared run leaves behind: stores that nobody reads go, and statements name nodes of the graph. */
import type { NodeId } from "../../../../ir";
import type { SharedArray, Stmt } from "../../../emit/kernel-ir";
import type { Lowering } from "../../../emit/lowering";

const blocksOf = (stmt: Stmt): readonly Stmt[][] =>
  stmt.kind === "if" ? [stmt.body, stmt.otherwise] : "body" in stmt ? [stmt.body] : [];

/**
 * Removes stores to workgroup memory that nobody reads, and says of each statement which nodes of the graph it computes.
 * @param inner nodes of a loop's body, which stand for `results`
 */
export function tidy(low: Lowering, inner: ReadonlySet<NodeId>, results: readonly NodeId[]): void {
  const read = new Set<SharedArray>();
  const look = (block: readonly Stmt[]): void => {
    for (const stmt of block) {
      if ((stmt.kind === "let" || stmt.kind === "var" || stmt.kind === "set") && stmt.value.kind === "loadShared")
        read.add(stmt.value.array);
      blocksOf(stmt).forEach(look);
    }
  };
  look(low.body);
  const named = (stmt: Stmt): Stmt => {
    if (!("nodes" in stmt) || !stmt.nodes.some((id) => inner.has(id))) return stmt;
    return { ...stmt, nodes: [...new Set(stmt.nodes.flatMap((id) => (inner.has(id) ? results : [id])))] };
  };
  const clean = (block: Stmt[]): void => {
    const left = block.filter((stmt) => stmt.kind !== "storeShared" || read.has(stmt.array)).map(named);
    block.splice(0, block.length, ...left);
    for (const stmt of block) blocksOf(stmt).forEach((inside) => clean(inside));
  };
  clean(low.body);
  low.shared.splice(0, low.shared.length, ...low.shared.filter((array) => read.has(array)));
}

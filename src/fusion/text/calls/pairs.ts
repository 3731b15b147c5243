/** @file Calls of PyTorch that answer values and indices. */
import type { NodeId } from "../../ir";
import type { Interpreter } from "../interpreter";
import { lastNameOf } from "../reading/syntax";

/** Whether `node` was written as a call that answers values and indices. */
export function isPair({ sites, nodes }: Interpreter, node: NodeId): boolean {
  const site = sites.get(node);
  if (site?.op?.indices === undefined || nodes.get(node)?.id !== node) return false;
  // amax and amin answer values alone.
  if (site.expr.kind === "call" && /^am(ax|in)$/.test(lastNameOf(site.expr.callee))) return false;
  // A reduction of everything answers one value alone.
  return site.op.kind !== "reduce" || (site.attrs["axes"] ?? null) !== null;
}

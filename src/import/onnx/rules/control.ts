/** @file Ops that hold graphs. */
import { sameShape } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";

/** A known condition takes its branch; otherwise both are computed and one is chosen, where they have one type. */
function branch(c: NodeContext): readonly Value[] {
  const condition = c.in(0);
  const taken = (name: string): readonly Value[] => {
    const results = c.subgraph(name, []);
    return results.length < c.node.outputs.length ? [c.fail("an If with an op that is not understood")] : results;
  };
  if (condition.host) return taken(condition.host.data[0] ? "then_branch" : "else_branch");
  const [yes, no] = [taken("then_branch"), taken("else_branch")];
  return yes.map((value, i) => {
    const other = no[i];
    if (!other || other.type.dtype !== value.type.dtype || !sameShape(value.type.shape, other.type.shape)) {
      c.emit.wants(condition);
      return c.fail("an If whose branches differ in type and whose condition is computed at run time");
    }
    return c.op("where", [c.reshape(condition, []), value, other]);
  });
}

export const controlRules: Rules = { If: branch };

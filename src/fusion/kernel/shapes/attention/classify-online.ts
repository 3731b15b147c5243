/** @file The forms in which rows are folded while a contraction makes them: `flash` with a second contraction, `contract-reduce` without. */
import { node, sizeOf, type Graph, type NodeId } from "../../../ir";
import { opDef } from "../../../ops";
import { onlineParts } from "./online";
import type { Classified } from "../../types";

/** Worth asking: a reduction beside a contraction, or one contraction of what becomes of others. */
export function mayBeOnline(graph: Graph, members: readonly NodeId[]): boolean {
  let [contractions, reductions, between] = [0, 0, 0];
  for (const id of members) {
    const { kind } = opDef(node(graph, id).op);
    if (kind === "contraction") contractions++;
    else if (kind === "reduce") reductions++;
    else if (kind === "elementwise" || kind === "random") between++;
    else if (kind === "scan" || kind === "order") return false;
  }
  return (contractions >= 1 && reductions > 0) || (contractions >= 2 && between > 0);
}

/** The form of a region that folds rows as they come, or why the algebra forbids it. */
export function classifyOnline(graph: Graph, members: readonly NodeId[], outputs: readonly NodeId[]): Classified {
  const answer = onlineParts(graph, members, outputs);
  if (!answer.ok) return answer;
  const { scores, values, peak, folds, resultFolds, space, axis } = answer.parts;
  return {
    ok: true,
    form: {
      template: values === null ? "contract-reduce" : "flash",
      space,
      reducedAxes: [axis],
      rows: sizeOf(space) / space[axis]!,
      columns: space[axis]!,
      reductions: [
        ...(peak === null ? [] : [{ node: peak, stage: 0 }]),
        ...folds.map((fold) => ({ node: fold.node, stage: fold.rescaled ? 1 : 0 })),
        ...resultFolds.map((id, i) => ({ node: id, stage: 2 + i })),
      ],
      scans: [],
      columnFolds: [],
      orders: [],
      contraction: values ?? scores[0]!,
    },
  };
}

/** Forms that only the passes that derive them may make. */
export const isOnline = (template: string): boolean => template === "flash" || template === "contract-reduce";

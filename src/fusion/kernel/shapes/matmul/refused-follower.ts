/** @file Why a member that follows a matmul, or that it follows, is not in one kernel with it. */
import { node, showShape, sizeOf, type Graph, type NodeId, type Verdict, nodeName } from "../../../ir";
import { loadsByData, opDef } from "../../../ops";
import { resolveView } from "../../indices/views";
import { refusal } from "../../refusal";
import { isTrailing } from "../fold/rows/roles";
import { walkedAxes, walksRows } from "../fold/rows/row-ops";
import { MAX_OWNED_COLUMNS } from "./owned-rows";

/** The refusal of a member along rows that the matmul reads. */
export const refuseBefore = (graph: Graph, first: NodeId, contraction: NodeId): Verdict =>
  refusal(
    "L_REDUCE_REDUCE",
    [first, contraction],
    `\`${nodeName(node(graph, first))}\` must finish a whole row before \`${nodeName(node(graph, contraction))}\` can read it: a matmul can compute only elementwise ops on its operands.`,
    `A factor that is the same for a whole row, applied to the matmul's result instead.`,
  );

/**
 * The refusal of a member that follows the matmul.
 * @param why what is known besides of rows that a workgroup owns
 */
export function refuseFollower(
  graph: Graph,
  contraction: NodeId,
  { id, operand }: { readonly id: NodeId; readonly operand: NodeId },
  why?: Verdict,
): Verdict {
  const [core, n, bound] = [node(graph, contraction), node(graph, id), node(graph, operand)];
  const { kind } = opDef(n.op);
  if (walksRows(n)) {
    if (why) return why;
    const label = nodeName(node(graph, resolveView(graph, operand)));
    const columns = core.type.shape.at(-1) ?? 1;
    const { shape } = node(graph, n.inputs[0]!).type;
    const axes = walkedAxes(graph, n)!;
    const values = sizeOf(axes.map((axis) => shape[axis]!));
    if (values !== columns || !isTrailing(shape, axes)) {
      const text = `\`${nodeName(n)}\` combines ${values} values of \`${label}\`, but several threads compute them.`;
      const remedy = "Nothing here: a second kernel has to read them.";
      return refusal("L_ROW_NOT_OWNED", [contraction, id], text, remedy, { values });
    }
    const owned =
      columns > MAX_OWNED_COLUMNS
        ? `a workgroup owns at most ${MAX_OWNED_COLUMNS} of their ${columns} columns`
        : `the ${columns} values of a row are spread over several threads of its tile`;
    const text = `\`${nodeName(n)}\` needs whole rows of \`${label}\`, but ${owned}.`;
    const remedy =
      columns > MAX_OWNED_COLUMNS
        ? `Rows of at most ${MAX_OWNED_COLUMNS} values.`
        : "Nothing here: a second kernel has to read the rows.";
    return refusal("L_ROW_NOT_OWNED", [contraction, id], text, remedy, { columns, limit: MAX_OWNED_COLUMNS });
  }
  if (kind === "movement" || loadsByData(opDef(n.op))) {
    return refusal(
      "L_INDEX",
      [operand, id],
      `\`${nodeName(n)}\` needs other elements of \`${nodeName(bound)}\` than the thread that computed them has, or only a part of them.`,
      "A reader that takes each result of the matmul once, in place.",
    );
  }
  return refusal(
    "L_SHAPE",
    [contraction, id],
    `\`${nodeName(n)}\` is ${showShape(n.type.shape)}, and \`${nodeName(bound)}\` is ${showShape(bound.type.shape)}: its elements do not match the accumulators one to one.`,
    "A reader of the matmul's own shape.",
    { elements: sizeOf(n.type.shape), otherElements: sizeOf(bound.type.shape) },
  );
}

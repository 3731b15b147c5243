/** @file What softmax and log_softmax begin with: exponentials of what is left of each row after its largest value, and their sum. */
import type { Attrs, NodeId } from "../ir";
import { along, AXIS, composite, type CompositeSpec } from "./compose";
import type { CompositeDef, GraphBuilder } from "./define";
import { checkDtype, dtypeNamed, optionalDtype } from "./dtypes";
import { ONE_TENSOR } from "./families";

interface Exponentials {
  readonly shifted: NodeId;
  readonly exp: NodeId;
  readonly sum: NodeId;
}

function exponentials(b: GraphBuilder, given: NodeId, attrs: Attrs): Exponentials {
  const dtype = dtypeNamed(attrs);
  const row = along(attrs["axis"]);
  const x = dtype === undefined ? given : b.op("cast", "cast", [given], { dtype });
  const max = b.op("max", "max", [x], row);
  const shifted = b.op("shifted", "sub", [x, max]);
  const exp = b.op("exp", "exp", [shifted]);
  return { shifted, exp, sum: b.op("sum", "sum", [exp], row) };
}

/** A composite of one tensor, an axis and an optional dtype that shares out a row by its exponentials. */
export const ofExponentials = (
  spec: Pick<CompositeSpec, "name" | "doc" | "floatsInTorch">,
  share: (b: GraphBuilder, parts: Exponentials) => NodeId,
): CompositeDef =>
  composite({
    ...spec,
    saysAxisInTorch: true,
    // Where no axis is said, PyTorch goes by how many there are.
    inTorch: (attrs, [x]) =>
      attrs["axis"] === null && x ? { ...attrs, axis: x.length > 1 && x.length !== 3 ? 1 : 0 } : attrs,
    params: [ONE_TENSOR, AXIS, optionalDtype("x is converted to it first.")],
    check: (_inputs, attrs) => checkDtype(attrs),
    nonDifferentiable: ["max"],
    build: (b, [x], attrs) => share(b, exponentials(b, x!, attrs)),
  });

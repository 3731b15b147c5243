import { broadcastShapes, promote, showShape, type Checked, type Shape } from "../../ir";
import type { OpDef } from "../define";
import { tensor } from "../families";
import { matmulDerivative } from "../matmul-vjp";
import { fine, saySizes, wrong } from "../shapes";

/** NumPy's rule: a vector on the left is a row, on the right a column; the added axis is dropped again. */
function productShape(a: Shape, b: Shape, [left, right]: readonly string[]): Checked<Shape> {
  if (a.length === 0 || b.length === 0) {
    const scalar = a.length === 0 ? left : right;
    return wrong("shape-mismatch", `${scalar} is a scalar, and @ multiplies matrices; write ${left} * ${right}.`);
  }
  const [x, y] = [a.length === 1 ? [1, ...a] : a, b.length === 1 ? [...b, 1] : b];
  const [inner, other] = [x.at(-1)!, y.at(-2)!];
  if (inner !== other) {
    const flip = y.at(-1) === inner && b.length >= 2 ? `; did you mean ${right}.T?` : "; they must be equal.";
    return wrong(
      "shape-mismatch",
      `${saySizes([left!, right!], [a, b])}: the inner sizes ${inner} and ${other} differ${flip}`,
    );
  }
  const batch = broadcastShapes(x.slice(0, -2), y.slice(0, -2));
  if (batch === null) {
    const [p, q] = [showShape(x.slice(0, -2)), showShape(y.slice(0, -2))];
    return wrong("shape-mismatch", `${saySizes([left!, right!], [a, b])}: the batches ${p} and ${q} don't broadcast.`);
  }
  return fine([...batch, ...(a.length === 1 ? [] : [x.at(-2)!]), ...(b.length === 1 ? [] : [y.at(-1)!])]);
}

export const matmul: OpDef = {
  name: "matmul",
  aliases: ["mm", "bmm", "mv", "dot"],
  kind: "contraction",
  oneDtypeInTorch: true,
  doc: {
    formula: "a @ b",
    teaches: "Each tile of the result is in registers until it is stored, so elementwise ops after it cost no traffic.",
  },
  params: [tensor(["a", "input", "x", "x1"], "Rows."), tensor(["b", "other", "mat2", "y", "x2"], "Columns.")],
  infer([a, b], _attrs, names = ["a", "b"]) {
    const shape = productShape(a!.shape, b!.shape, names);
    return shape.ok ? fine({ dtype: promote(promote(a!.dtype, b!.dtype), "i32"), shape: shape.value }) : shape;
  },
  operandTypes: ([a, b]) => [promote(promote(a!, b!), "i32"), promote(promote(a!, b!), "i32")],
  weightedFlops: 0,
  derivative: matmulDerivative,
  expensive: true,
  tolerance: { rtol: 0, atol: 0, reason: "sums K products; the comparison adds 2e-6·√K of the row's scale" },
};

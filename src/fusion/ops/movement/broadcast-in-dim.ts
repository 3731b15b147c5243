import { showShape } from "../../ir";
import { moved } from "../derivatives";
import { movement, ONE_TENSOR } from "../families";
import { checkAxes, fine, normalAxis, numbersOf, wrong } from "../shapes";

export const broadcastInDim = movement({
  name: "broadcast_in_dim",
  doc: {
    formula: "assigns axes, repeats the rest",
    teaches: "States which axes are copied, which NumPy's broadcasting leaves implicit.",
  },
  params: [
    ONE_TENSOR,
    { names: ["shape"], kind: "shape", doc: "The result's sizes." },
    { names: ["dims", "broadcast_dimensions"], kind: "ints", doc: "Output axis of each input axis." },
  ],
  shape([x], attrs, [name]) {
    const [shape, dims] = [numbersOf(attrs["shape"]), numbersOf(attrs["dims"])];
    const bad = checkAxes(attrs["dims"], shape, "the result");
    if (bad) return bad;
    const fits =
      dims.length === x!.length &&
      x!.every((extent, i) => extent === 1 || extent === shape[normalAxis(dims[i]!, shape.length)]);
    if (fits) return fine(shape);
    return wrong(
      "shape-mismatch",
      `${name} is ${showShape(x!)}: its axes can't stand at ${dims.join(", ") || "none"} of ${showShape(shape)}; sizes must be equal or 1.`,
    );
  },
  derivative: moved(({ inputs: [x], attrs, typeOf, of }, g) => {
    const [from, { shape }] = [typeOf(g).shape, typeOf(x!)];
    const dims = numbersOf(attrs["dims"]).map((axis) => normalAxis(axis, from.length));
    const axes = from.flatMap((extent, axis) =>
      dims.includes(axis) && shape[dims.indexOf(axis)] === extent ? [] : [axis],
    );
    const total = axes.length === 0 ? g : of("sum", [g], { axes, keepdims: true });
    const order = dims.map((axis) => dims.filter((other) => other < axis).length);
    const flat = of("reshape", [total], {
      shape: [...dims].sort((a, b) => a - b).map((axis) => typeOf(total).shape[axis]!),
    });
    return order.every((axis, i) => axis === i)
      ? of("reshape", [flat], { shape })
      : of("transpose", [flat], { perm: order });
  }),
  movement: {
    batched: (attrs, { output, size }) => ({
      shape: [size, ...output],
      dims: [0, ...numbersOf(attrs["dims"]).map((axis) => axis + 1)],
    }),
    source(out, { inputs: [x], attrs }, algebra) {
      const dims = numbersOf(attrs["dims"]);
      const index = x!.map((extent, i) => (extent === 1 ? algebra.int(0) : out[normalAxis(dims[i]!, out.length)]!));
      return [{ when: null, operand: 0, index }];
    },
  },
});

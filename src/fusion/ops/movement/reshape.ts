import { sizeOf, showShape, type Shape } from "../../ir";
import { like, moved } from "../derivatives";
import { movement, ONE_TENSOR } from "../families";
import { regroup } from "../indices";
import { fine, numbersOf, wrong } from "../shapes";

export const reshape = movement({
  name: "reshape",
  aliases: ["view"],
  doc: { formula: "same elements, other shape", teaches: "Free: no byte moves, only the index arithmetic changes." },
  params: [
    ONE_TENSOR,
    {
      names: ["shape", "newshape", "size"],
      kind: "shape",
      variadic: true,
      doc: "One size may be −1: what is left over.",
    },
  ],
  shape([x], attrs, [name]) {
    const asked = numbersOf(attrs["shape"]);
    const open = asked.indexOf(-1);
    const known = asked.reduce((product, extent, i) => (i === open ? product : product * extent), 1);
    const size = sizeOf(x!);
    const shape: Shape = asked.map((extent, i) => (i === open ? size / known : extent));
    const whole = shape.every((extent) => Number.isInteger(extent) && extent >= 0);
    if (whole && sizeOf(shape) === size) return fine(shape);
    const to = asked.map((extent) => (extent === -1 ? "?" : extent)).join("×") || "scalar";
    const off = asked.find((extent) => extent < -1);
    const why =
      off !== undefined
        ? `a size can't be ${off}: only -1 stands for what is left`
        : open !== asked.lastIndexOf(-1)
          ? `of ${to} only one size can be left open (-1)`
          : open < 0
            ? `${to} is ${known}`
            : known === 0
              ? `of ${to} the open size can't be known beside a size of 0`
              : `${to} is a multiple of ${known}`;
    return wrong("shape-mismatch", `${name} is ${showShape(x!)}, which is ${size} elements; ${why}.`);
  },
  derivative: moved((context, g) => like(context, g, context.typeOf(context.inputs[0]!))),
  movement: {
    free: true,
    source: (out, { inputs: [x], output }, algebra) => [
      { when: null, operand: 0, index: regroup(out, output, x!, algebra) },
    ],
  },
});

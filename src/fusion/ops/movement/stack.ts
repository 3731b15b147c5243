import { nextAxes } from "../indices";
import { MAX_BINDINGS, sameShape } from "../../ir";
import { like, moved } from "../derivatives";
import { movement } from "../families";
import { checkAxes, fine, normalAxis, numberOf, saySizes, wrong } from "../shapes";

export const stack = movement({
  name: "stack",
  doc: {
    formula: "side by side on a new axis",
    teaches: "Fused into its reader, it is a choice by index; on its own, it copies everything.",
  },
  params: [
    { names: ["tensors", "arrays"], kind: "tensors", doc: "Tensors of equal shape, in order." },
    { names: ["axis", "dim"], kind: "axis", default: 0, doc: "Where the new axis stands in the result." },
  ],
  shape(inputs, attrs, names) {
    const first = inputs[0];
    if (!first) return wrong("bad-attr", "stack needs at least one tensor.");
    const odd = inputs.findIndex((x) => !sameShape(x, first));
    if (odd > 0) {
      const pair = [names[0] ?? "tensor 1", names[odd] ?? `tensor ${odd + 1}`];
      return wrong("shape-mismatch", `${saySizes(pair, [first, inputs[odd]!])}: stacked tensors have one shape.`);
    }
    const result = [1, ...first];
    const bad = checkAxes(numberOf(attrs["axis"], 0), result, "the result");
    return bad ?? fine(first.toSpliced(normalAxis(numberOf(attrs["axis"], 0), result.length), 0, inputs.length));
  },
  derivative: moved((context, g, operand) => {
    const axis = normalAxis(numberOf(context.attrs["axis"], 0), context.typeOf(g).shape.length);
    const one = context.of("slice", [g], { start: [operand], stop: [operand + 1], axes: [axis] });
    return like(context, one, context.typeOf(context.inputs[operand]!));
  }),
  movement: {
    batched: (attrs, { output }) => nextAxes(attrs, output.length),
    joins: { most: MAX_BINDINGS - 1, by: "concat" },
    source(out, { inputs, attrs }, algebra) {
      const axis = normalAxis(numberOf(attrs["axis"], 0), out.length);
      const index = out.toSpliced(axis, 1);
      const last = inputs.length - 1;
      return inputs.map((_, operand) => ({
        when: operand === last ? null : algebra.less(out[axis]!, operand + 1),
        operand,
        index,
      }));
    },
  },
});

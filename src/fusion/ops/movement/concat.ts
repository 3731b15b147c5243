import { nextAxes } from "../indices";
import { MAX_BINDINGS, type Shape } from "../../ir";
import { moved, pieceOf } from "../derivatives";
import { movement } from "../families";
import { checkAxes, fine, normalAxis, numberOf, saySizes, wrong } from "../shapes";

const axisOf = (axis: unknown, x: Shape): number => normalAxis(typeof axis === "number" ? axis : 0, x.length);

export const concat = movement({
  name: "concat",
  aliases: ["cat", "concatenate"],
  doc: {
    formula: "one after the other",
    teaches: "Fused into its reader, it is a choice by index; on its own, it copies everything.",
  },
  params: [
    { names: ["tensors", "arrays", "operands"], kind: "tensors", doc: "The tensors, in order." },
    { names: ["axis", "dim", "dimension"], kind: "axis", default: 0, doc: "The axis that grows." },
  ],
  shape(inputs, attrs, names) {
    const first = inputs[0];
    if (!first) return wrong("bad-attr", "concat needs at least one tensor.");
    if (attrs["axis"] === null) return wrong("bad-attr", "concat joins along an axis: flatten the tensors first.");
    const bad = checkAxes(numberOf(attrs["axis"], 0), first, names[0] ?? "tensor 1");
    if (bad) return bad;
    const axis = axisOf(attrs["axis"], first);
    const odd = inputs.find(
      (x) => x.length !== first.length || x.some((extent, i) => i !== axis && extent !== first[i]),
    );
    if (odd) {
      const other = names[inputs.indexOf(odd)] ?? `tensor ${inputs.indexOf(odd) + 1}`;
      return wrong(
        "shape-mismatch",
        `${saySizes([names[0] ?? "tensor 1", other], [first, odd])}: all sizes but that of axis ${axis} must be equal.`,
      );
    }
    return fine(first.map((extent, i) => (i === axis ? inputs.reduce((sum, x) => sum + x[axis]!, 0) : extent)));
  },
  derivative: moved(pieceOf),
  movement: {
    batched: (attrs, { output }) => nextAxes(attrs, output.length),
    joins: { most: MAX_BINDINGS - 1, by: "concat" },
    source(out, { inputs, attrs }, algebra) {
      const axis = axisOf(attrs["axis"], inputs[0]!);
      let end = 0;
      return inputs.map((x, operand) => {
        const start = end;
        end += x[axis]!;
        const when = operand === inputs.length - 1 ? null : algebra.less(out[axis]!, end);
        const index = out.map((at, i) => (i === axis && start > 0 ? algebra.add(at, algebra.int(-start)) : at));
        return { when, operand, index };
      });
    },
  },
});

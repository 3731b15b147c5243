import { showShape } from "../../ir";
import { moved } from "../derivatives";
import { movement, ONE_TENSOR } from "../families";
import { isAbsent, permOf } from "../indices";
import { checkAxes, fine, numbersOf, wrong } from "../shapes";

export const transpose = movement({
  name: "transpose",
  aliases: ["swapaxes", "t", "swapdims"],
  doc: {
    formula: "xᵀ",
    teaches: "Its reader can load the tensor in the other order; then the transpose costs nothing.",
  },
  params: [
    ONE_TENSOR,
    {
      names: ["perm", "axes", "dims", "dim0", "axis1"],
      kind: "ints",
      default: null,
      doc: "Input axis of each output axis; reversed when left out.",
    },
    { names: ["dim1", "axis2"], kind: "axis", default: null, doc: "Given two single axes, they are swapped." },
  ],
  shape([x], attrs, [name]) {
    const bad = checkAxes(attrs["perm"], x!, name!) ?? checkAxes(attrs["dim1"], x!, name!);
    if (bad) return bad;
    const asked = numbersOf(attrs["perm"]).length;
    if (isAbsent(attrs["dim1"]) && !isAbsent(attrs["perm"]) && asked !== x!.length) {
      return wrong("bad-attr", `${name} is ${showShape(x!)} with ${x!.length} axes; the permutation names ${asked}.`);
    }
    return fine(permOf(attrs, x!.length).map((axis) => x![axis]!));
  },
  derivative: moved(({ attrs, typeOf, output, of }, g) => {
    const perm = permOf(attrs, typeOf(output).shape.length);
    return of("transpose", [g], { perm: perm.map((_, axis) => perm.indexOf(axis)) });
  }),
  movement: {
    batched: (attrs, { inputs: [x] }) => ({
      perm: [0, ...permOf(attrs, x!.length).map((axis) => axis + 1)],
      dim1: null,
    }),
    source(out, { inputs: [x], attrs }) {
      const index = [...out];
      permOf(attrs, x!.length).forEach((axis, i) => (index[axis] = out[i]!));
      return [{ when: null, operand: 0, index }];
    },
  },
});

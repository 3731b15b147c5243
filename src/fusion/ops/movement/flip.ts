import { nextAxes } from "../indices";
import { moved } from "../derivatives";
import { movement, ONE_TENSOR } from "../families";
import { axesOf, checkAxes, fine } from "../shapes";

export const flip = movement({
  name: "flip",
  doc: { formula: "x backwards", teaches: "Fused, it only reverses an index." },
  params: [
    ONE_TENSOR,
    {
      names: ["axes", "dims", "axis", "dim"],
      kind: "axes",
      default: null,
      variadic: true,
      doc: "Axes to reverse; all when left out.",
    },
  ],
  shape: ([x], attrs, [name]) => checkAxes(attrs["axes"], x!, name!) ?? fine(x!),
  derivative: moved(({ attrs, of }, g) => of("flip", [g], attrs)),
  movement: {
    batched: (attrs, { inputs: [x] }) => nextAxes(attrs, x!.length),
    source(out, { inputs: [x], attrs }, algebra) {
      const axes = axesOf(attrs["axes"], x!.length);
      const back = (axis: number) => algebra.add(algebra.mul(out[axis]!, -1), algebra.int(x![axis]! - 1));
      return [{ when: null, operand: 0, index: out.map((index, axis) => (axes.includes(axis) ? back(axis) : index)) }];
    },
  },
});

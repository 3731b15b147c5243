import { sizeOf, type Attrs, type Shape } from "../../ir";
import type { IndexAlgebra } from "../define";
import { moved } from "../derivatives";
import { movement, ONE_TENSOR } from "../families";
import { delinearise, isAbsent, linearise, nextAxes } from "../indices";
import { checkAxes, fine, normalAxis, numbersOf, wrong } from "../shapes";

/** How far back each axis is read, from 0 to extent − 1. */
function shiftsOf(attrs: Attrs, shape: Shape): number[] {
  const back = shape.map(() => 0);
  for (const [i, named] of numbersOf(attrs["axes"]).entries()) {
    const axis = normalAxis(named, shape.length);
    back[axis] = wrapped(-numbersOf(attrs["shifts"])[i]!, shape[axis]!);
  }
  return back;
}
const wrapped = (shift: number, extent: number): number => (extent === 0 ? 0 : ((shift % extent) + extent) % extent);

const rolled = <I, C>(at: I, back: number, extent: number, algebra: IndexAlgebra<I, C>): I =>
  back === 0 ? at : algebra.mod(algebra.add(at, algebra.int(back)), extent);

export const roll = movement({
  name: "roll",
  doc: {
    formula: "shifted, the end re-entering",
    teaches: "Fused, it only adds to an index and takes a remainder.",
  },
  params: [
    ONE_TENSOR,
    { names: ["shifts", "shift"], kind: "ints", doc: "How far elements move, for each axis." },
    {
      names: ["axes", "dims", "axis", "dim"],
      kind: "axes",
      default: null,
      doc: "Axes; the flattened tensor when left out.",
    },
  ],
  shape([x], attrs, [name]) {
    const bad = checkAxes(attrs["axes"], x!, name!);
    const expected = isAbsent(attrs["axes"]) ? 1 : numbersOf(attrs["axes"]).length;
    const given = numbersOf(attrs["shifts"]).length;
    if (given !== expected)
      return wrong("bad-attr", `roll was given ${given} shifts for ${expected} axes; each axis takes one.`);
    return bad ?? fine(x!);
  },
  derivative: moved(({ attrs, of }, g) =>
    of("roll", [g], { ...attrs, shifts: numbersOf(attrs["shifts"]).map((shift) => -shift) }),
  ),
  movement: {
    batched: (attrs, { inputs: [x] }) => nextAxes(attrs, x!.length),
    source(out, { inputs: [x], attrs }, algebra) {
      if (isAbsent(attrs["axes"])) {
        const size = sizeOf(x!);
        const at = rolled(linearise(out, x!, algebra), wrapped(-numbersOf(attrs["shifts"])[0]!, size), size, algebra);
        return [{ when: null, operand: 0, index: delinearise(at, x!, algebra) }];
      }
      const back = shiftsOf(attrs, x!);
      return [{ when: null, operand: 0, index: out.map((at, axis) => rolled(at, back[axis]!, x![axis]!, algebra)) }];
    },
  },
});

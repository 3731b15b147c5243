import { showShape, type Attrs, type Shape } from "../../ir";
import type { IndexAlgebra, IndexCase } from "../define";
import { movement, ONE_TENSOR } from "../families";
import { fine, numberOf, numbersOf, wrong } from "../shapes";

/** Left and right of every axis; the attribute begins with the last axis, as in PyTorch. */
function widths(attrs: Attrs, rank: number): { left: number; right: number }[] {
  const pads = numbersOf(attrs["pads"]);
  return Array.from({ length: rank }, (_, axis) => {
    const at = 2 * (rank - 1 - axis);
    return { left: pads[at] ?? 0, right: pads[at + 1] ?? 0 };
  });
}
const modeOf = (attrs: Attrs): unknown => (attrs["mode"] === "replicate" ? "edge" : attrs["mode"]);

interface Part<I, C> {
  readonly when: C | null;
  readonly index: I;
}

/** Inside, then what stands left and right of it, when the mode puts something there. */
function partsOf<I, C>(
  at: I,
  extent: number,
  left: number,
  right: number,
  mode: unknown,
  algebra: IndexAlgebra<I, C>,
): Part<I, C>[] {
  const { add, atLeast, and, int, less, mul } = algebra;
  if (left === 0 && right === 0) return [{ when: null, index: at }];
  const inside = {
    when: left > 0 ? and(atLeast(at, left), less(at, left + extent)) : less(at, extent - Math.min(left, 0)),
    index: add(at, int(-left)),
  };
  if (mode === "constant") return [inside];
  const before = { when: less(at, left), index: mode === "edge" ? int(0) : add(mul(at, -1), int(left)) };
  const after = { when: null, index: mode === "edge" ? int(extent - 1) : add(mul(at, -1), int(2 * extent - 2 + left)) };
  return left > 0 ? [before, { when: less(at, left + extent), index: inside.index }, after] : [inside, after];
}

export const pad = movement({
  name: "pad",
  doc: {
    formula: "x with a border",
    teaches: "Fused, the border is a condition on the index: it is never read from memory.",
  },
  params: [
    ONE_TENSOR,
    { names: ["pads", "pad", "pad_width"], kind: "ints", doc: "Pairs (before, after), the last axis first." },
    { names: ["mode"], kind: "string", default: "constant", doc: "constant, edge (replicate) or reflect." },
    { names: ["value", "constant_values"], kind: "float", default: 0, doc: "What a constant border holds." },
  ],
  shape([x], attrs, [name]) {
    const pads = numbersOf(attrs["pads"]);
    const mode = modeOf(attrs);
    if (mode !== "constant" && mode !== "edge" && mode !== "reflect") {
      return wrong(
        "bad-attr",
        `pad has no mode ${JSON.stringify(attrs["mode"])}; the modes are constant, edge and reflect.`,
      );
    }
    if (pads.length % 2 === 1 || pads.length > 2 * x!.length) {
      return wrong(
        "bad-attr",
        `${name} is ${showShape(x!)}: pad takes up to ${x!.length} pairs (before, after); ${pads.length} numbers were given.`,
      );
    }
    const sides = widths(attrs, x!.length);
    const shape: Shape = x!.map((extent, axis) => extent + sides[axis]!.left + sides[axis]!.right);
    const limit = (extent: number): number => (mode === "edge" ? (extent === 0 ? 0 : Infinity) : extent - 1);
    const over =
      mode === "constant"
        ? -1
        : sides.findIndex(
            ({ left, right }, axis) => Math.min(left, right) < 0 || Math.max(left, right) > limit(x![axis]!),
          );
    if (over >= 0) {
      return wrong(
        "bad-attr",
        `${name} is ${showShape(x!)}: mode ${String(mode)} can add 0 to ${limit(x![over]!)} on a side of axis ${over}.`,
      );
    }
    return fine(shape);
  },
  movement: {
    source<I, C>(
      out: readonly I[],
      { inputs: [x], attrs }: { inputs: readonly Shape[]; attrs: Attrs },
      algebra: IndexAlgebra<I, C>,
    ) {
      const sides = widths(attrs, x!.length);
      let cases: IndexCase<I, C>[] = [{ when: null, operand: 0, index: [] }];
      for (const [axis, { left, right }] of sides.entries()) {
        const parts = partsOf(out[axis]!, x![axis]!, left, right, modeOf(attrs), algebra);
        const both = (a: C | null, b: C | null): C | null => (a === null ? b : b === null ? a : algebra.and(a, b));
        cases = cases.flatMap(({ when, index }) =>
          parts.map((part) => ({ when: both(when, part.when), operand: 0, index: [...index, part.index] })),
        );
      }
      return cases;
    },
    fill: (attrs) => numberOf(attrs["value"], 0),
  },
});

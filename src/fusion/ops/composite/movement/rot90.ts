import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { checkAxes, normalAxis, numberOf, numbersOf, wrong } from "../../shapes";

export const rot90 = composite({
  name: "rot90",
  doc: {
    formula: "a quarter turn, k times",
    teaches: "A transpose and a flip: its reader only computes another index.",
  },
  params: [
    ONE_TENSOR,
    { names: ["k"], kind: "int", default: 1, doc: "How many quarter turns." },
    { names: ["dims", "axes"], kind: "ints", default: [0, 1], doc: "From the first axis to the second." },
  ],
  check([x], attrs, names) {
    if (numbersOf(attrs["dims"]).length !== 2) return wrong("bad-attr", "rot90 turns within two axes.");
    return checkAxes(attrs["dims"], x!.shape, names[0]!);
  },
  build(b, [x], attrs) {
    const [first, second] = numbersOf(attrs["dims"]).map((axis) => normalAxis(axis, b.typeOf(x!).shape.length)) as [
      number,
      number,
    ];
    const quarterTurns = ((numberOf(attrs["k"], 1) % 4) + 4) % 4;
    if (quarterTurns === 0) return x!;
    if (quarterTurns === 2) return b.op("flipped", "flip", [x!], { axes: [first, second] });
    const swapped = b.op("swapped", "transpose", [x!], { perm: [first], dim1: second });
    return b.op("flipped", "flip", [swapped], { axes: [quarterTurns === 1 ? first : second] });
  },
});

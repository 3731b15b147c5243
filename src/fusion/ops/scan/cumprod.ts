import { prod } from "../reduce/prod";
import { scan } from "../scans";

export const cumprod = scan({
  name: "cumprod",
  saysAxisInTorch: true,
  rowWithoutAxis: "jax",
  doc: {
    formula: "∏ of all up to here",
    teaches: "Its factors may come in any grouping, so threads multiply their parts of a row at the same time.",
  },
  fold: prod,
  exclusive: true,
  // Of rows without zeros: their products are divided by what changes.
  derivative: {
    vjp: ({ inputs: [x], output, attrs, of }, g) =>
      of("div", [of("cumsum", [of("mul", [g, output])], { ...attrs, reverse: attrs["reverse"] !== true }), x!]),
    jvp: ({ inputs: [x], output, attrs, of }, [t]) => of("mul", [output, of("cumsum", [of("div", [t!, x!])], attrs)]),
  },
});

import { prod } from "../reduce/prod";
import { scan } from "../scans";

export const cumprod = scan({
  name: "cumprod",
  doc: {
    formula: "∏ of all up to here",
    teaches: "Its factors may come in any grouping, so threads multiply their parts of a row at the same time.",
  },
  fold: prod,
  exclusive: true,
});

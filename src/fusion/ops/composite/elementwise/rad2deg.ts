import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const rad2deg = composite({
  name: "rad2deg",
  aliases: ["degrees"],
  doc: { formula: "x · 180 / π", teaches: "A constant factor." },
  params: [ONE_TENSOR],
  build: (b, [x]) => b.op("scaled", "mul", [x!, b.scalar(180 / Math.PI)]),
});

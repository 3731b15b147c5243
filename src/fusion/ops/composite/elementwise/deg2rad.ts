import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const deg2rad = composite({
  name: "deg2rad",
  aliases: ["radians"],
  doc: { formula: "x · π / 180", teaches: "A constant factor." },
  params: [ONE_TENSOR],
  build: (b, [x]) => b.op("scaled", "mul", [x!, b.scalar(Math.PI / 180)]),
});

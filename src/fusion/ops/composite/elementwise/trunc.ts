import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { buildTrunc } from "../../truncation";

export const trunc = composite({
  name: "trunc",
  aliases: ["fix"],
  doc: { formula: "x without its fraction", teaches: "Towards 0: floor above it, ceil below." },
  params: [ONE_TENSOR],
  build: (b, [x]) => buildTrunc(b, x!),
});

import { composite } from "../../compose";
import { ONE_TENSOR, tensor } from "../../families";

export const expandAs = composite({
  name: "expand_as",
  doc: {
    formula: "x repeated to the other's sizes",
    teaches: "The other only lends its sizes, so no edge leads here from it.",
  },
  params: [ONE_TENSOR, tensor(["other", "tensor"], "Whose sizes are meant; its values are not read.")],
  build: (b, [x, other]) => b.op("expanded", "expand", [x!], { shape: b.typeOf(other!).shape }),
});

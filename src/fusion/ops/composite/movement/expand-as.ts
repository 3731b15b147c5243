import { composite } from "../../compose";
import { ONE_TENSOR, tensor } from "../../families";

export const expandAs = composite({
  name: "expand_as",
  doc: {
    formula: "x repeated to the other's sizes",
    teaches: "Only the sizes of the other are used, so no edge comes from it.",
  },
  params: [ONE_TENSOR, tensor(["other", "tensor"], "Whose sizes are meant; its values are not read.")],
  build: (b, [x, other]) => b.op("expanded", "expand", [x!], { shape: b.typeOf(other!).shape }),
});

import { composite } from "../../compose";
import { ONE_TENSOR, tensor } from "../../families";

export const typeAs = composite({
  name: "type_as",
  doc: { formula: "x in the other's dtype", teaches: "Only the dtype of the other is used, so no edge comes from it." },
  params: [ONE_TENSOR, tensor(["other", "tensor"], "Whose dtype is meant; its values are not read.")],
  build: (b, [x, other]) => b.op("cast", "cast", [x!], { dtype: b.typeOf(other!).dtype }),
});

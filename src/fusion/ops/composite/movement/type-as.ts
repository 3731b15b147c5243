import { composite } from "../../compose";
import { ONE_TENSOR, tensor } from "../../families";

export const typeAs = composite({
  name: "type_as",
  doc: { formula: "x in the other's dtype", teaches: "The other only lends its dtype, so no edge leads here from it." },
  params: [ONE_TENSOR, tensor(["other", "tensor"], "Whose dtype is meant; its values are not read.")],
  build: (b, [x, other]) => b.op("cast", "cast", [x!], { dtype: b.typeOf(other!).dtype }),
});

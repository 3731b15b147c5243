import { composite } from "../../compose";
import { ONE_TENSOR, tensor } from "../../families";

export const viewAs = composite({
  name: "view_as",
  aliases: ["reshape_as"],
  doc: { formula: "x in the other's shape", teaches: "Only the sizes of the other are used; x is not copied." },
  params: [ONE_TENSOR, tensor(["other", "tensor"], "Whose sizes are meant; its values are not read.")],
  build: (b, [x, other]) => b.op("viewed", "reshape", [x!], { shape: b.typeOf(other!).shape }),
});

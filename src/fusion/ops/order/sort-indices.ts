import { order } from "../sorting";

export const sortIndices = order({
  name: "sort_indices",
  doc: {
    formula: "indices that sort x, the first k",
    teaches: "Each key carries its index along: values and indices come from one sort.",
  },
  indices: true,
});

import { order } from "../sorting";

export const sortIndices = order({
  name: "sort_indices",
  doc: {
    formula: "indices that sort x, the first k",
    teaches: "Each key is sorted with its index, so one sort gives values and indices.",
  },
  indices: true,
});

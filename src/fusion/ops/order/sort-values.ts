import { order } from "../sorting";

export const sortValues = order({
  name: "sort_values",
  doc: {
    formula: "x sorted, the first k",
    teaches: "A row is sorted in workgroup memory, and its producers and consumers can share the kernel.",
  },
  indices: false,
});

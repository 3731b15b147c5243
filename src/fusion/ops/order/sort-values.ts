import { order } from "../sorting";

export const sortValues = order({
  name: "sort_values",
  doc: {
    formula: "x sorted, the first k",
    teaches: "A row is sorted where it lies, in workgroup memory: what makes it and what reads it share the kernel.",
  },
  indices: false,
});

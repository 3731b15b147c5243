import { order } from "../orders";

export const inOrder = order({
  name: "in_order",
  doc: {
    formula: "x in order, the first k",
    teaches: "A row is sorted where it lies, in workgroup memory: what makes it and what reads it share the kernel.",
  },
  places: false,
});

import { composite } from "../compose";
import { scatterElements } from "./scatter-elements";

export const scatterAdd = composite({
  name: "scatter_add",
  withAxisFirst: "scatter_add",
  keeps: "dtype",
  doc: {
    formula: "x[i, index[i, j], …] += updates[i, j, …]",
    teaches: "Atomics would add in an arbitrary order. Here each element sums its own updates in a fixed order.",
  },
  params: scatterElements.params.filter(({ kind }) => kind !== "string"),
  chosen: scatterElements.chosen,
  check(inputs, attrs, names) {
    const found = scatterElements.infer(inputs, { ...attrs, reduction: "add" }, names);
    return found.ok ? null : found;
  },
  build: (b, inputs, attrs) => scatterElements.build(b, inputs, { ...attrs, reduction: "add" }),
});

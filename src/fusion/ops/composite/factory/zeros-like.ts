import { filledLike } from "../../factories";

export const zerosLike = filledLike(
  { name: "zeros_like", aliases: ["empty_like"], formula: "0 for every element of x" },
  0,
);

import { filledLike } from "../../factories";

export const zerosLike = filledLike(
  { name: "zeros_like", aliases: ["empty_like"], formula: "0 on every place of x" },
  0,
);

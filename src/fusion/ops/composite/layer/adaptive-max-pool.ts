import { adaptivePool } from "../../adaptive";

export const adaptiveMaxPool = adaptivePool(
  {
    name: "adaptive_max_pool",
    aliases: ["adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"],
    formula: "max of each part of an axis",
  },
  "max",
);

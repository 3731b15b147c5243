import { adaptivePool } from "../../adaptive";

export const adaptiveAvgPool = adaptivePool(
  {
    name: "adaptive_avg_pool",
    aliases: ["adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"],
    formula: "mean of each part of an axis",
  },
  "mean",
);

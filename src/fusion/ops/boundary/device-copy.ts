import { boundary } from "../boundaries";

export const deviceCopy = boundary({
  name: "device_copy",
  aliases: ["device_put"],
  derivative: { vjp: ({ of }, g) => of("device_copy", [g]) },
  doc: {
    formula: "x on another device",
    teaches: "A transfer needs its tensor whole in memory on both sides: the kernels around it end there.",
  },
});

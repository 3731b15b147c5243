import { boundary } from "../boundaries";

export const deviceCopy = boundary({
  name: "device_copy",
  aliases: ["device_put"],
  doc: {
    formula: "x on another device",
    teaches: "A transfer needs its tensor whole in memory on both sides: the kernels around it end there.",
  },
});

import { boundary } from "../boundaries";

export const deviceCopy = boundary({
  name: "device_copy",
  aliases: ["device_put"],
  derivative: { vjp: ({ of }, g) => of("device_copy", [g]) },
  why: { code: "L_OPAQUE", text: "the whole tensor goes from one device to another" },
  doc: {
    formula: "x on another device",
    teaches:
      "A device transfer needs the whole tensor in memory on both sides, so it ends one kernel and begins another.",
  },
});

import { boundary } from "../boundaries";

export const allReduce = boundary({
  name: "all_reduce",
  aliases: ["psum"],
  derivative: { vjp: ({ of }, g) => of("all_reduce", [g]) },
  why: { code: "L_OPAQUE", text: "devices exchange the whole tensor, in a kernel of their own" },
  doc: {
    formula: "Σ over devices",
    teaches:
      "Communication may overlap with other work, but nothing fuses into its kernel. Here it is simulated on one device, as a copy.",
  },
});

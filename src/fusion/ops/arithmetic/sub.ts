import { binary } from "../families";

export const sub = binary({
  name: "sub",
  aliases: ["subtract"],
  doc: { formula: "a − b", teaches: "As cheap as an addition: alone, its kernel does nothing but wait for memory." },
  derivative: { partials: () => [1, -1] },
  scalar: { js: (a, b) => a - b, wgsl: (a, b) => `${a} - ${b}` },
});

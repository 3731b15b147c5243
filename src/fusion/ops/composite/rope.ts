import { showShape } from "../../ir";
import { composite } from "../compose";
import { tensor } from "../families";
import { buildRope } from "../rotation";
import { wrong } from "../shapes";

export const rope = composite({
  name: "rope",
  aliases: ["rotary_embedding", "apply_rotary_emb"],
  doc: {
    formula: "pairs of x rotated by an angle for each position",
    teaches: "Each result needs its partner half a row away. Once fused, this is an index, not a copy.",
  },
  params: [
    tensor(["x", "input"], "… × positions × numbers."),
    tensor(["cos"], "One cosine for each position and pair; broadcasts against x."),
    tensor(["sin"], "One sine for each position and pair."),
    { names: ["interleaved"], kind: "bool", default: false, doc: "Pairs are neighbours; else half a row apart." },
  ],
  check([x, cos, sin], _attrs, names) {
    const [size, pairs] = [x!.shape.at(-1) ?? 0, cos!.shape.at(-1) ?? 0];
    if (pairs > 0 && 2 * pairs <= size && cos!.shape.join() === sin!.shape.join()) return null;
    return wrong(
      "shape-mismatch",
      `${names[0]} is ${showShape(x!.shape)}, ${names[1]} is ${showShape(cos!.shape)}, ${names[2]} is ${showShape(sin!.shape)}: one angle rotates a pair of numbers.`,
    );
  },
  build: (b, [x, cos, sin], attrs) => buildRope(b, x!, cos!, sin!, attrs["interleaved"] === true),
});

import { moved } from "../derivatives";
import { movement, ONE_TENSOR } from "../families";
import { numberOf } from "../shapes";
import { windowsVjp } from "../windows-vjp";
import { windowShape, windowSource, windowTables } from "../windows";

export const window = movement({
  name: "window",
  doc: {
    formula: "x[…, i·stride + t·dilation − before]",
    teaches: "Every window as a view. Stored, it is one copy for each tap; fused, it is only an index.",
  },
  params: [
    ONE_TENSOR,
    { names: ["kernel_size"], kind: "ints", doc: "Taps along each of the last axes." },
    { names: ["stride"], kind: "ints", default: null, doc: "From one window to the next; 1 when left out." },
    { names: ["dilation"], kind: "ints", default: null, doc: "From one tap to the next; 1 when left out." },
    {
      names: ["padding"],
      kind: "ints",
      default: null,
      doc: "Around the input: one number, one an axis, or all befores and then all afters.",
    },
    {
      names: ["interior"],
      kind: "ints",
      default: null,
      doc: "Spreads the input: this far from one element to the next.",
    },
    { names: ["value"], kind: "float", default: 0, doc: "What lies outside and between." },
  ],
  shape: ([x], attrs, [name]) => windowShape(x!, attrs, name!),
  derivative: {
    ...moved(windowsVjp),
    jvp: ({ attrs, of }, [tangent]) => of("window", [tangent!], { ...attrs, value: 0 }),
  },
  movement: {
    // Its attributes count from the last axis.
    batched: (attrs) => attrs,
    source: (out, { inputs: [x], attrs }, algebra) => windowSource(out, x!, attrs, algebra),
    fill: (attrs) => numberOf(attrs["value"], 0),
    tables: ({ inputs: [x], attrs }) => windowTables(x!, attrs),
  },
});

import type { Attrs } from "../../ir";
import { dtypeNamed } from "../dtypes";
import { elementwise, EXACT } from "../families";
import { fine, numberOf, wrong } from "../shapes";
import { isAbsent } from "../indices";
import type { OpDef } from "../define";

/** `arange(n)` and `arange(end=n)` count from 0; `arange(a, b)` from a to before b. */
function rangeOf(attrs: Attrs): { first: number; step: number; count: number } {
  const open = isAbsent(attrs["stop"]);
  const first = open ? 0 : numberOf(attrs["start"], 0);
  const stop = numberOf(open ? attrs["start"] : attrs["stop"], 0);
  const step = numberOf(attrs["step"], 1);
  return { first, step, count: Math.max(0, Math.ceil((stop - first) / step)) };
}

const isWhole = (attrs: Attrs): boolean =>
  Number.isInteger(rangeOf(attrs).first) && Number.isInteger(numberOf(attrs["step"], 1));

/** Elementwise over nothing: each element knows its own index, so a reader makes it where it needs it. */
export const iota: OpDef = {
  ...elementwise({
    name: "iota",
    aliases: ["arange"],
    doc: {
      formula: "0, 1, 2 …",
      teaches: "Computed from the index where it is needed, which is cheaper than loading it.",
    },
    operands: [],
    attrs: [
      { names: ["start", "n", "size"], kind: "float", default: null, doc: "Where to start; alone, where to stop." },
      { names: ["stop", "end"], kind: "float", default: null, doc: "Ends before this." },
      { names: ["step"], kind: "float", default: 1, doc: "From one element to the next." },
      { names: ["dtype"], kind: "dtype", default: null, doc: "i32 for whole numbers, f32 otherwise." },
    ],
    // Index arithmetic that the kernel does anyway.
    weightedFlops: 0,
    tolerance: EXACT,
    derivative: {},
    scalar: {
      usesIndex: true,
      js: (args, attrs) => rangeOf(attrs).first + rangeOf(attrs).step * args.at(-1)!,
      wgsl(args, attrs, t) {
        const { first, step } = rangeOf(attrs);
        const index = `${t.type}(${args.at(-1)!})`;
        const scaled = step === 1 ? index : `${t.num(step)} * ${index}`;
        return first === 0 ? scaled : `${t.num(first)} + ${scaled}`;
      },
    },
  }),
  bounds(attrs) {
    const { first, step, count } = rangeOf(attrs);
    const last = first + step * Math.max(0, count - 1);
    return { least: Math.floor(Math.min(first, last)), most: Math.ceil(Math.max(first, last)) };
  },
  infer(_inputs, attrs) {
    if (isAbsent(attrs["start"]) && isAbsent(attrs["stop"]))
      return wrong("bad-attr", "iota still needs a number: where to stop.");
    const { step, count } = rangeOf(attrs);
    if (step === 0 || !Number.isFinite(count)) return wrong("bad-attr", "A range with step 0 never ends.");
    const asked = dtypeNamed(attrs);
    const dtype = asked === "f32" || asked === "i32" ? asked : isWhole(attrs) ? "i32" : "f32";
    return fine({ dtype, shape: [count] });
  },
};

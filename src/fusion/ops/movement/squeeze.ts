import { showShape } from "../../ir";
import { like, moved } from "../derivatives";
import { movement, ONE_TENSOR } from "../families";
import { isAbsent, regroup } from "../indices";
import { axesOf, checkAxes, fine, wrong } from "../shapes";

export const squeeze = movement({
  name: "squeeze",
  doc: { formula: "drops axes of size 1", teaches: "Free: no byte moves, only the index arithmetic changes." },
  params: [
    ONE_TENSOR,
    {
      names: ["axes", "dim", "axis"],
      kind: "axes",
      default: null,
      doc: "Axes to drop; every one of size 1 when left out.",
    },
  ],
  shape([x], attrs, [name]) {
    if (isAbsent(attrs["axes"])) return fine(x!.filter((extent) => extent !== 1));
    const bad = checkAxes(attrs["axes"], x!, name!);
    if (bad) return bad;
    const axes = axesOf(attrs["axes"], x!.length);
    const wide = axes.find((axis) => x![axis] !== 1);
    if (wide === undefined) return fine(x!.filter((_, axis) => !axes.includes(axis)));
    return wrong(
      "shape-mismatch",
      `${name} is ${showShape(x!)}: axis ${wide} has size ${x![wide]}; only a size of 1 can be dropped.`,
    );
  },
  inTorch(attrs, [x]) {
    if (isAbsent(attrs["axes"]) || !x || checkAxes(attrs["axes"], x, "x")) return attrs;
    return { ...attrs, axes: axesOf(attrs["axes"], x.length).filter((axis) => x[axis] === 1) };
  },
  derivative: moved((context, g) => like(context, g, context.typeOf(context.inputs[0]!))),
  movement: {
    free: true,
    source: (out, { inputs: [x], output }, algebra) => [
      { when: null, operand: 0, index: regroup(out, output, x!, algebra) },
    ],
  },
});

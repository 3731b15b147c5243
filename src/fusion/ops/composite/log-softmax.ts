import { along, AXIS, composite } from "../compose";
import { checkDtype, dtypeNamed, optionalDtype } from "../dtypes";
import { ONE_TENSOR } from "../families";

export const logSoftmax = composite({
  name: "log_softmax",
  doc: {
    formula: "x − max x − ln Σ e^(x − max x)",
    teaches: "log(softmax(x)) written out would take the logarithm of what has already rounded to 0.",
  },
  params: [ONE_TENSOR, AXIS, optionalDtype("x is converted to it first.")],
  check: (_inputs, attrs) => checkDtype(attrs),
  build(b, [given], { axis, ...attrs }) {
    const dtype = dtypeNamed(attrs);
    const x = dtype === undefined ? given! : b.op("cast", "cast", [given!], { dtype });
    const max = b.op("max", "max", [x], along(axis));
    const shifted = b.op("shifted", "sub", [x, max]);
    const exp = b.op("exp", "exp", [shifted]);
    const sum = b.op("sum", "sum", [exp], along(axis));
    const log = b.op("log", "log", [sum]);
    return b.op("share", "sub", [shifted, log]);
  },
});

import { along, AXIS, composite } from "../compose";
import { checkDtype, dtypeNamed, optionalDtype } from "../dtypes";
import { ONE_TENSOR } from "../families";

export const softmax = composite({
  name: "softmax",
  doc: {
    formula: "e^(x − max x) / Σ e^(x − max x)",
    teaches: "Five passes as five kernels, one when a workgroup keeps its row: 8 full-size transfers become 2.",
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
    return b.op("share", "div", [exp, sum]);
  },
});

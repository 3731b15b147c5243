/** @file Derivatives of the bench: what backward passes are made of. */
import { of, sum, workload, type Workload } from "./workload";

/** dx, dγ and dβ of a layer_norm: rows and columns of the same two tensors. */
export const gradients = ({ big, divide }: { readonly big: number; readonly divide: number }): Workload[] => {
  const columns = 1024 / divide;
  return [
    workload(
      "norm-backward",
      `layer_norm backward with weights, ${big}x${columns}`,
      `x: f32[${big}, ${columns}]\ng: f32[${big}, ${columns}]\nw: f32[${columns}]\nb: f32[${columns}]\ny, pull = vjp(lambda x, w, b: layer_norm(x, w, b), x, w, b)\ndx, dw, db = pull(g)\nreturn dx, dw, db\n`,
      columns,
      (r, c, inputs) => {
        const [x, g, w] = [of(inputs, "x"), of(inputs, "g"), of(inputs, "w")];
        const mean = sum(c, (j) => x[r * c + j]!) / c;
        const rstd = 1 / Math.sqrt(sum(c, (j) => (x[r * c + j]! - mean) ** 2) / c + 1e-5);
        const normal = (j: number): number => (x[r * c + j]! - mean) * rstd;
        const pulled = (j: number): number => g[r * c + j]! * w[j]!;
        const [plain, along] = [sum(c, pulled) / c, sum(c, (j) => pulled(j) * normal(j)) / c];
        return (j) => rstd * (pulled(j) - plain - normal(j) * along);
      },
      1e-4,
    ),
    workload(
      "softplus-backward",
      `gradient of sum(log(exp(x) + 1)), ${big}x${big}`,
      `x: f32[${big}, ${big}]\nloss = sum(log(exp(x) + 1))\nloss.backward()\nd = x.grad\nreturn d\n`,
      big,
      (r, c, inputs) => (j) => 1 / (1 + Math.exp(-of(inputs, "x")[r * c + j]!)),
      1e-5,
    ),
  ];
};

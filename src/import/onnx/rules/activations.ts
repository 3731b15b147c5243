/** @file Activations that an attribute names, with constants of their own. */
import type { Value } from "../emit";
import type { NodeContext } from "../rule";

interface Constants {
  readonly alpha?: number;
  readonly beta?: number;
  readonly gamma?: number;
}
type Given = Readonly<Partial<Record<keyof Constants, number | null>>>;

/** What the constants stand at when nothing is said. */
const CONSTANTS: Readonly<Record<string, Constants>> = {
  affine: { alpha: 1, beta: 0 },
  clip: { alpha: Number.NEGATIVE_INFINITY, beta: Number.POSITIVE_INFINITY },
  elu: { alpha: 1 },
  hardsigmoid: { alpha: 0.2, beta: 0.5 },
  leakyrelu: { alpha: 0.01 },
  parametricsoftplus: { alpha: 1, beta: 1 },
  scaledtanh: { alpha: 1, beta: 1 },
  selu: { alpha: 1.6732631921768188, gamma: 1.0507010221481323 },
  thresholdedrelu: { alpha: 1 },
};

/** Whether the activation has this constant. */
export const takes = (name: string, constant: keyof Constants): boolean => CONSTANTS[name]?.[constant] !== undefined;

/** The activation of a name in small letters; a constant that is not given stands at its default. */
export function activationNamed(c: NodeContext, name: string, given: Given): (x: Value) => Value {
  const { alpha = 0, beta = 0, gamma = 0 } = CONSTANTS[name] ?? {};
  const [a, b, g] = [given.alpha ?? alpha, given.beta ?? beta, given.gamma ?? gamma];
  const scalar = (value: number, x: Value): Value => c.emit.scalar(value, x.type.dtype);
  const times = (x: Value, by: number): Value => c.op("mul", [x, scalar(by, x)]);
  const line = (x: Value): Value => c.op("add", [times(x, a), scalar(b, x)]);
  const plain =
    (op: string) =>
    (x: Value): Value =>
      c.op(op, [x]);
  const makers: Readonly<Record<string, (x: Value) => Value>> = {
    affine: line,
    clip: (x) => c.op("clamp", [x], { min: Number.isFinite(a) ? a : null, max: Number.isFinite(b) ? b : null }),
    elu: (x) => c.op("elu", [x], { alpha: a }),
    hardsigmoid: (x) => c.op("clamp", [line(x)], { min: 0, max: 1 }),
    leakyrelu: (x) => c.op("leaky_relu", [x], { negative_slope: a }),
    parametricsoftplus: (x) => times(c.op("softplus", [times(x, b)]), a),
    relu: plain("relu"),
    scaledtanh: (x) => times(c.op("tanh", [times(x, b)]), a),
    selu: (x) => times(c.op("elu", [x], { alpha: a }), g),
    sigmoid: plain("sigmoid"),
    softplus: plain("softplus"),
    softsign: plain("softsign"),
    tanh: plain("tanh"),
    thresholdedrelu: (x) => c.op("where", [c.op("gt", [x, scalar(a, x)]), x, scalar(0, x)]),
  };
  return makers[name] ?? (() => c.fail(`the activation ${name}`));
}

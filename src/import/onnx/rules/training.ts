/** @file One step of training: each tensor with its gradient and what the step remembers of it. */
import type { Value } from "../emit";
import type { NodeContext, Rule, Rules } from "../rule";
import { range } from "./arithmetic";

/** Numbers as operands beside values of a dtype. */
function steps(c: NodeContext, dtype: Value["type"]["dtype"]) {
  const number = (x: Value | number): Value => (typeof x === "number" ? c.emit.scalar(x, dtype) : x);
  const op =
    (name: string) =>
    (...operands: (Value | number)[]): Value =>
      c.op(name, operands.map(number));
  return {
    add: op("add"),
    sub: op("sub"),
    mul: op("mul"),
    div: op("div"),
    pow: op("pow"),
    sqrt: op("sqrt"),
    where: op("where"),
  };
}

/** Operands after rate and count stand in groups, all tensors of a kind together; results do too. */
const optimiser =
  (kinds: number, one: (c: NodeContext, rate: Value, count: Value, of: readonly Value[]) => readonly Value[]): Rule =>
  (c) => {
    const tensors = (c.node.inputs.length - 2) / kinds;
    const results = range(tensors).map((i) =>
      one(
        c,
        c.in(0),
        c.in(1),
        range(kinds).map((kind) => c.in(2 + kind * tensors + i)),
      ),
    );
    return range(kinds - 1).flatMap((kind) => results.map((values) => values[kind]!));
  };

/** The gradient of a loss to which the squared norm of the tensor belongs. */
const regularised = (c: NodeContext, x: Value, gradient: Value): Value => {
  const { add, mul } = steps(c, x.type.dtype);
  return add(mul(x, c.float("norm_coefficient", 0)), gradient);
};

const adagrad = optimiser(3, (c, rate, count, [x, g, h]) => {
  const { add, sub, mul, div, sqrt } = steps(c, x!.type.dtype);
  const slowed = div(rate, add(mul(c.cast(count, x!.type.dtype), c.float("decay_factor", 0)), 1));
  const gradient = regularised(c, x!, g!);
  const squares = add(h!, mul(gradient, gradient));
  return [sub(x!, div(mul(slowed, gradient), add(sqrt(squares), c.float("epsilon", 1e-6)))), squares];
});

const adam = optimiser(4, (c, rate, count, [x, g, v, h]) => {
  const { dtype } = x!.type;
  const { add, sub, mul, div, pow, sqrt, where } = steps(c, dtype);
  const [alpha, beta] = [c.float("alpha", 0.9), c.float("beta", 0.999)];
  const gradient = regularised(c, x!, g!);
  const mean = add(mul(v!, alpha), mul(gradient, 1 - alpha));
  const squares = add(mul(h!, beta), mul(mul(gradient, gradient), 1 - beta));
  const step = c.cast(count, dtype);
  const corrected = mul(rate, div(sqrt(sub(1, pow(beta, step))), sub(1, pow(alpha, step))));
  const own = where(c.op("gt", [step, c.emit.scalar(0, dtype)]), corrected, rate);
  const next = sub(x!, div(mul(own, mean), add(sqrt(squares), c.float("epsilon", 1e-6))));
  return [mul(next, 1 - c.float("norm_coefficient_post", 0)), mean, squares];
});

const momentum = optimiser(3, (c, rate, count, [x, g, v]) => {
  const { dtype } = x!.type;
  const { add, sub, mul, where } = steps(c, dtype);
  const [alpha, beta] = [c.float("alpha", 0), c.float("beta", 0)];
  const gradient = regularised(c, x!, g!);
  const first = c.op("gt", [c.cast(count, dtype), c.emit.scalar(0, dtype)]);
  const next = add(mul(v!, alpha), mul(gradient, where(first, beta, 1)));
  const way = c.text("mode", "standard") === "nesterov" ? add(gradient, mul(next, alpha)) : next;
  return [sub(x!, mul(rate, way)), next];
});

/** The derivative of `y`, a value of the graph, by each of `xs`; `zs` are what else it was computed from. */
function gradient(c: NodeContext): readonly Value[] {
  const names = ["xs", "zs"].flatMap((list) => c.attribute(list)?.strings ?? []);
  const there = names.every((name, i) => c.called(name).name === c.in(i).name);
  if (!there) return [c.fail("a derivative elsewhere than at the values that the graph was computed from")];
  const wrt = (c.attribute("xs")?.strings ?? []).map((_, i) => c.in(i));
  const hints = wrt.map((_, i) => c.node.outputs[i] || `d_${names[i]}`);
  return c.emit.gradients(hints, c.called(c.text("y", "")), wrt);
}

export const trainingRules: Rules = { Adagrad: adagrad, Adam: adam, Gradient: gradient, Momentum: momentum };

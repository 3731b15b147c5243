/** @file Products of matrices and convolutions, in every order of axes. */
import { sizeOf } from "../../../fusion";
import type { Value } from "../../onnx/emit";
import { dtypeOf, numbersIn } from "../jaxpr";
import type { Equation, Rules } from "../rule";
import { spread } from "./shape";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The dtype that the result is asked in. */
function asked(c: Equation, value: Value): Value {
  const dtype = c.has("preferred_element_type") ? dtypeOf(c.text("preferred_element_type")) : null;
  return dtype ? c.cast(value, c.emit.inside(dtype)) : value;
}

/** Axes that are contracted, and those of the batch, by their letters. */
function dotGeneral(c: Equation): Value {
  const [contracted, batch] = c.raw("dimension_numbers") as readonly (readonly unknown[])[];
  const [[ca, cb], [ba, bb]] = [contracted!, batch!].map((sides) => sides.map(numbersIn)) as [
    [number[], number[]],
    [number[], number[]],
  ];
  const left = c.shape(0).map((_, i) => LETTERS[i]!);
  let next = left.length;
  const right = c.shape(1).map((_, i) => {
    const [shared, same] = [cb.indexOf(i), bb.indexOf(i)];
    return shared >= 0 ? left[ca[shared]!]! : same >= 0 ? left[ba[same]!]! : LETTERS[next++]!;
  });
  const free = (letters: readonly string[], ...taken: readonly number[][]): readonly string[] =>
    letters.filter((_, i) => !taken.flat().includes(i));
  const result = [...ba.map((i) => left[i]!), ...free(left, ca, ba), ...free(right, cb, bb)];
  return asked(c, c.op("einsum", c.args, { equation: `${left.join("")},${right.join("")}->${result.join("")}` }));
}

/** Batches of several groups are channels of as many. */
function batchGroups(c: Equation, x: Value, groups: number): Value {
  const [batch, channels, ...rest] = x.type.shape as [number, number, ...number[]];
  const parted = c.reshape(x, [groups, batch / groups, channels, ...rest]);
  const transposed = c.permute(parted, [1, 0, 2, ...rest.map((_, i) => i + 3)]);
  return c.reshape(transposed, [batch / groups, groups * channels, ...rest]);
}

function convolution(c: Equation): Value {
  const [lhs, rhs, out] = c.tuples("dimension_numbers") as [number[], number[], number[]];
  const { shape } = c.out[0]!;
  const padding = c.tuples("padding");
  const between = c.list("lhs_dilation");
  const grouped = c.number("batch_group_count", 1);
  if (sizeOf(shape) === 0 || [0, 1].some((i) => sizeOf(c.shape(i)) === 0))
    return c.filled(0, shape, c.in(0).type.dtype);
  const none = { low: 0, high: 0, between: 0 };
  const around = padding.map(([low = 0, high = 0], i) => ({ low, high, between: (between[i] ?? 1) - 1 }));
  const ordered = c.permute(c.in(0), lhs);
  const x = spread(c, grouped > 1 ? batchGroups(c, ordered, grouped) : ordered, [none, none, ...around], 0);
  const result = c.op("conv", [x, c.permute(c.in(1), rhs)], {
    stride: c.list("window_strides"),
    dilation: c.list("rhs_dilation"),
    groups: grouped > 1 ? grouped : c.number("feature_group_count", 1),
  });
  return asked(
    c,
    c.permute(
      result,
      out.map((_, axis) => out.indexOf(axis)),
    ),
  );
}

export const products: Rules = { conv_general_dilated: convolution, dot_general: dotGeneral };

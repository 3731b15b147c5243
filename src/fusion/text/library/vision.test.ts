/** @file Convolutions with channels last, windows and boxes against sums that are written out. */
import { describe, expect, test } from "vitest";
import { inputValues, outputValues } from "../../../../test/output-values";

/** A convolution of x (6 × 6 × 2, counted up) with the kernel (3 × 3 × 2 × 1) that the layer draws, by the sum that defines it. */
function windowSums(text: string, steps: number, before: number, out: number): number[] {
  const weights = inputValues(text, "kernel");
  const at = (row: number, column: number, channel: number): number =>
    row < 0 || column < 0 || row >= 6 || column >= 6 ? 0 : (row * 6 + column) * 2 + channel;
  return Array.from({ length: out * out }, (_, i) => {
    const [row, column] = [Math.floor(i / out) * steps - before, (i % out) * steps - before];
    return weights.reduce((sum, weight, k) => {
      const [r, c] = [Math.floor(k / 6), Math.floor(k / 2) % 3];
      return sum + weight * at(row + r, column + c, k % 2);
    }, 0);
  });
}

const layer = (given: string): string =>
  `x: f32[1, 6, 6, 2] = arange()\nconv = nn.Conv(${given}, use_bias=False)\ny = conv(x)\nreturn y\n`;

describe("flax's convolution", () => {
  test.each([
    ["1, (3, 3)", [1, 6, 6, 1]],
    ["4, kernel_size=(3, 3), strides=(2, 2)", [1, 3, 3, 4]],
    ["4, (3, 3), padding='VALID'", [1, 4, 4, 4]],
    ["4, (3, 3), padding=((1, 0), (0, 1))", [1, 5, 5, 4]],
    ["2, (3, 3), padding='CIRCULAR', feature_group_count=2", [1, 6, 6, 2]],
    ["4, (3, 3), strides=2, padding='SAME', kernel_dilation=2", [1, 3, 3, 4]],
  ])("nn.Conv(%s) has the shape", (given, shape) => {
    expect(outputValues(layer(given))[0]!.type.shape).toEqual(shape);
  });

  test.each([
    ["1, (3, 3)", 1, 1, 6],
    ["1, (3, 3), padding='VALID'", 1, 0, 4],
    // SAME with a step of 2 has one row and one column more at the end.
    ["1, (3, 3), strides=2", 2, 0, 3],
  ])("nn.Conv(%s) sums its windows", (given, steps, before, out) => {
    const text = layer(given);
    const sums = windowSums(text, steps, before, out);
    outputValues(text)[0]!.data.forEach((value, i) => expect(value).toBeCloseTo(sums[i]!, 4));
  });

  test("one example is a batch of one", () => {
    const [one, all] = outputValues(
      "x: f32[2, 5, 5] = arange()\nw: f32[3, 2, 2, 2] = arange()\nreturn F.conv2d(x, w), F.conv2d(x[None], w)[0]\n",
    );
    expect(one!.type.shape).toEqual([3, 4, 4]);
    expect(one!.data).toEqual(all!.data);
  });
});

test("flax's windows have channels last", () => {
  const [most, mean] = outputValues(
    "x: f32[1, 4, 4, 1] = arange()\nimport flax.linen as nn\na = nn.max_pool(x, (2, 2), strides=(2, 2))\nb = nn.avg_pool(x, window_shape=(2, 2), strides=(2, 2))\nreturn a, b\n",
  );
  expect(most!.data).toEqual([5, 7, 13, 15]);
  expect(mean!.data).toEqual([2.5, 4.5, 10.5, 12.5]);
});

test("boxes of detectors", () => {
  const [area, iou] = outputValues(
    "from torchvision.ops import box_area, box_iou\na: f32[2, 4] = const([0, 0, 2, 2, 1, 1, 4, 3])\nb: f32[1, 4] = const([1, 0, 3, 2])\nreturn box_area(a), box_iou(a, b)\n",
  );
  expect(area!.data).toEqual([4, 6]);
  expect(iou!.data).toEqual([2 / 6, 2 / 8]);
});

test("jax.image.resize counts from the middles of elements; np.resize goes round", () => {
  const text = `x: f32[2, 3] = const([0, 1, 2, 3, 4, 5])
return jax.image.resize(x, (2, 6), method="linear"), jax.image.resize(x, (4, 2), "nearest"), np.resize(x, 7)
`;
  expect(outputValues(text).map(({ data }) => data)).toEqual([
    [0, 0.25, 0.75, 1.25, 1.75, 2, 3, 3.25, 3.75, 4.25, 4.75, 5],
    [0, 2, 0, 2, 3, 5, 3, 5],
    [0, 1, 2, 3, 4, 5, 0],
  ]);
});

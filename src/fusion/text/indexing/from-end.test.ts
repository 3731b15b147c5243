import { describe, expect, test } from "vitest";
import { outputValues } from "../../../../test/output-values";
import { picture } from "../testing";

const GIVEN = "x: f32[5] = arange()\ni: i32[3] = const([0, 1, 4])\n";
const numbers = (text: string): readonly number[] => outputValues(`${GIVEN}${text}\n`).at(-1)!.data;

describe("an index that is data", () => {
  test.each<readonly [text: string, wanted: readonly number[]]>([
    ["y = x[i - 1]", [4, 0, 3]],
    ["y = x[-i]", [0, 4, 1]],
    ["y = x[torch.tensor([0, -1, -2])]", [0, 4, 3]],
    ["y = x[torch.arange(-2, 1)]", [3, 4, 0]],
    ["y = x.reshape(5, 1)[i - 1, -1]", [4, 0, 3]],
    ["y = torch.zeros(5)\ny[i - 1] = 7.0", [7, 0, 0, 7, 7]],
  ])("counts from the end below 0: %s", (text, wanted) => expect(numbers(text)).toEqual(wanted));

  test.each(["y = x[i]", "y = x[(i - 1).clamp(min=0)]", "y = x[i + 1]", "y = x[torch.arange(3)]"])(
    "is left alone where it can't be below 0: %s",
    (text) => expect(picture(`${GIVEN}${text}`).filter((line) => line.includes("where"))).toEqual([]),
  );
});

describe("several index tensors in an assignment", () => {
  test.each<readonly [text: string, wanted: readonly number[]]>([
    ["z = torch.zeros(2, 2)\nz[torch.tensor([0, 1]), torch.tensor([1, 0])] = x[1:3]", [0, 1, 2, 0]],
    ["z = torch.zeros(2, 2)\nz[0, torch.tensor([1, 0])] = x[1:3]", [2, 1, 0, 0]],
    [
      "z = torch.zeros(2, 2, 2)\nz[torch.tensor([0, 1]), :, torch.tensor([1, 0])] = x[1:5].reshape(2, 2)",
      [0, 1, 0, 2, 3, 0, 4, 0],
    ],
    ["z = torch.zeros(2, 2)\nz[torch.tensor([0, 0]), torch.tensor([1, 1])] += 2", [0, 2, 0, 0]],
  ])("%s", (text, wanted) => expect(numbers(`${text}\nreturn z`)).toEqual(wanted));
});

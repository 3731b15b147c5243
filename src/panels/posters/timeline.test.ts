import { expect, test } from "vitest";
import { wordsWithin } from "./timeline";

test("a bar says whole words of its kernel's name, or none", () => {
  const rooms = [20, 60, 110, 400].map((room) => wordsWithin("softmax matmul add", room));
  expect(rooms).toEqual(["", "softmax", "softmax matmul", "softmax matmul add"]);
});

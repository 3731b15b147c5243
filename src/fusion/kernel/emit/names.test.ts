import { expect, test } from "vitest";
import { identifier, Names } from "./names";

test("identities become identifiers", () => {
  expect(
    ["y", "h.centre", "y@2", "h1/block#0/t", "_x", "2x", "ünï", ""].map((text) => identifier(text, "value")),
  ).toEqual(["y", "h_centre", "y_2", "h1_block_0_t", "x", "value_2x", "n", "value"]);
});

test("words of WGSL and of the kernel's frame are left to them", () => {
  const names = new Names();
  expect(["let", "exp", "tid", "x", "x"].map((name) => names.fresh(name))).toEqual([
    "let_v",
    "exp_v",
    "tid_v",
    "x",
    "x_2",
  ]);
  expect(names.frame("row")).toBe("row");
});

test("a numbered name never meets a name that looks numbered", () => {
  const names = new Names();
  const given = ["x_2", "x", "x", "x_2", "x", "x_2_2"].map((name) => names.fresh(name));
  expect(new Set(given).size).toBe(given.length);
});

/** @file Forward and backward passes as one graph. */
import type { Program } from "./suites";

/** `text` declares inputs and ends in `y`; the gradients of the sum of y·dy by `by` are asked for. */
const backward = (name: string, inputs: readonly string[], expression: string, by: string, dy: string): Program => ({
  name,
  text: [
    ...inputs,
    `dy: f32[${dy}]`,
    `y, pull = vjp(lambda ${by}: ${expression}, ${by})`,
    `${by
      .split(", ")
      .map((each) => `d_${each}`)
      .join(", ")}${by.includes(",") ? "" : ","} = pull(dy)`,
    `return y, ${by
      .split(", ")
      .map((each) => `d_${each}`)
      .join(", ")}`,
    "",
  ].join("\n"),
  expert: null,
});

export const gradientPrograms: readonly Program[] = [
  backward(
    "linear",
    ["x: f32[4096, 1024]", "w: f32[1024, 1024]", "b: f32[1024]"],
    "F.linear(x, w, b)",
    "x, w, b",
    "4096, 1024",
  ),
  backward("softmax", ["x: f32[8192, 2048]"], "softmax(x, dim=-1)", "x", "8192, 2048"),
  backward("log_softmax", ["x: f32[8192, 2048]"], "log_softmax(x, dim=-1)", "x", "8192, 2048"),
  backward(
    "layer_norm",
    ["x: f32[16384, 768]", "g: f32[768]", "b: f32[768]"],
    "layer_norm(x, (768,), g, b)",
    "x, g, b",
    "16384, 768",
  ),
  backward("rms_norm", ["x: f32[8192, 2048]", "g: f32[2048]"], "rms_norm(x, g)", "x, g", "8192, 2048"),
  backward("gelu", ["x: f32[8192, 4096]"], "F.gelu(x)", "x", "8192, 4096"),
  backward(
    "conv",
    ["x: f32[16, 64, 56, 56]", "w: f32[64, 64, 3, 3]"],
    "F.conv2d(x, w, padding=1)",
    "x, w",
    "16, 64, 56, 56",
  ),
  backward("mean_pool", ["x: f32[64, 512, 768]"], "x.mean(dim=1)", "x", "64, 768"),
  backward(
    "attention",
    ["q: f32[16, 1024, 64]", "k: f32[16, 1024, 64]", "v: f32[16, 1024, 64]"],
    "F.scaled_dot_product_attention(q, k, v)",
    "q, k, v",
    "16, 1024, 64",
  ),
];

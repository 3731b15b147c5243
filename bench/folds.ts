/** @file Folds of rows, columns, middle axes and everything, short and long: each is one factorisation of the same nest. */
import type { Program } from "./suites";

const one = (name: string, shape: string, body: string): Program => ({
  name,
  text: `x: f32[${shape}]\n${body}\n`,
  expert: null,
});

export const folds: readonly Program[] = [
  one("softmax of rows of 32", "262144, 32", "y = softmax(x, dim=-1)"),
  one("softmax of rows of 1000", "65536, 1000", "y = softmax(x, dim=-1)"),
  one("softmax of a middle axis", "32, 512, 1024", "y = softmax(x, dim=1)"),
  one("variance of long columns", "100000, 96", "y = x.var(dim=0)"),
  one("batch_norm", "64, 64, 56, 56", "y = batch_norm(x, training=True)"),
  one("mean of channels", "64, 64, 56, 56", "y = x.mean(dim=(0, 2, 3))"),
  one("layer_norm of 64 long rows", "64, 131072", "y = layer_norm(x, 131072)"),
  one("layer_norm of 1024 long rows", "1024, 131072", "y = layer_norm(x, 131072)"),
  one("sum of everything", "16777216", "y = x.sum()"),
  one("sum of columns", "8192, 1024", "y = x.sum(dim=0)"),
  one("sum of short rows", "65536, 64", "y = x.sum(dim=-1)"),
];

/** @file Programs that no schedule was tuned for, each with the least that a hand-written plan would move. */
import type { Program } from "./suites";

const texts: Record<string, string> = import.meta.glob("./programs/*.py", {
  query: "?raw",
  import: "default",
  eager: true,
});

const [Ki, Mi] = [1024, 1024 * 1024];

/** Values of 4 bytes that an expert's kernels would read and write, and why no fewer. */
const expert: Readonly<Record<string, readonly [values: number, why: string]>> = {
  gpt2_block: [
    8 * Ki * 768 * (2 + 2 * 3 + 2 + 3 + 2 * 4 + 1) + 12 * 768 * 768,
    "x twice, the sum behind attention written and read twice, q, k, v, attention and the hidden layer written and read, the result; the weights once",
  ],
  ln_bwd: [3 * 8 * Mi + 4 * Ki, "x and dy are read once and dx is written; sums over columns ride along"],
  ce_fwd_bwd: [
    3 * 8192 * 32000,
    "a row of logits is too long for registers: read for its sum and again for its gradient",
  ],
  mlp_fwd_bwd: [
    6 * 16 * Mi + 11 * 4 * Mi,
    "the hidden layer before its activation is written once and read three times, its gradient written and read, x, weights and the result's gradient once for each product that needs them",
  ],
  attn_bwd: [
    2 * Mi * (4 + 5 + 3),
    "forward reads q, k, v and writes its result; backward reads those and its gradient and writes three",
  ],
  groupnorm_silu: [2 * 8 * 320 * 4096, "a group of 40,960 values stays on the chip: read once, written once"],
  bn_train_relu: [
    3 * 32 * 64 * 3136,
    "statistics need all of a channel before its first result: read twice, written once",
  ],
  dwconv_bn_relu6: [2 * 32 * 144 * 3136, "neighbouring taps come from cache: read once, written once"],
  adam: [7 * 16 * Mi, "four tensors are read, three written"],
  infonce: [
    2 * 4096 * 512 + 2 * 4096 * 512,
    "the scores stay in tiles, folded along rows and columns while they are made; norms need one read before",
  ],
  kl_div: [2 * 4096 * 32000, "sums with a running maximum need each row of both once"],
  col_std: [3 * 32 * Mi, "columns need their statistics before the first result: read twice, written once"],
  decode_mlp: [3 * 11008 * 4096 + 2 * 11008, "every weight once; the hidden row is small"],
  small_bmm_softmax: [3 * 1024 * 4096, "both operands once, the result once"],
  kmeans_assign: [65536 * 65 + 256 * 64, "points once, one index for each; distances stay in tiles"],
  add_rms_norm: [4 * 32 * Mi + 4096, "two tensors are read, two written"],
  rope: [2 * 16 * Mi + 2 * 128 * Ki, "q once, the result once; tables of 2,048 rows"],
  swiglu_mlp: [
    2 * 4 * Mi + 2 * 4096 * 2816 + 3 * 2816 * Ki,
    "x, the weights, the hidden layer stored and read, the result",
  ],
  resnet_block: [5 * 32 * 64 * 3136, "x, the first result stored and read, x again for the sum, the result"],
  softmax_mid: [2 * 16 * Mi, "512 values of a column fit a workgroup: read once, written once"],
  masked_mean: [64 * 512 * 768 + 64 * 512 + 64 * 768, "tokens and mask once"],
  mandelbrot: [3 * 4 * Mi, "two tensors are read, one written; the turns are a loop in registers"],
  cumsum_ema: [2 * 16 * Mi, "a row is held while it is summed: read once, written once"],
  embed_ln: [8 * Ki * 768 * 2 + Ki * 768, "a row of the table for each token, positions once, the result"],
  focal: [65536 * 1001, "a row of 1,000 is held while it is folded: read once"],
  layernorm_long: [
    3 * 32 * Mi,
    "a row of 131,072 is too long for a workgroup: statistics in one read, a second for the result",
  ],
};

/** In the order of their names. */
export const untuned: readonly Program[] = Object.entries(expert).map(([name, [values, why]]) => ({
  name,
  text: texts[`./programs/${name}.py`]!,
  expert: { bytes: 4 * values, why },
}));

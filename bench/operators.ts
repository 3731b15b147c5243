/** @file Operators that libraries ship as kernels written by hand, as plain programs: how many kernels those have, and why ours has more. */

/** Texts by name. */
export const operatorTexts: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(import.meta.glob<string>("./operators/*.py", { query: "?raw", import: "default", eager: true })).map(
    ([path, text]) => [path.replace(/^.*\/|\.py$/g, ""), text],
  ),
);

export interface HandWritten {
  /** Who ships it; "bound": no library, but a count that a chapter or a goal states. */
  readonly library: string;
  /** Kernels that it launches, forward then backward; sums that its host adds up with another library are not among them. */
  readonly kernels: readonly number[];
  /** Launches of ours that this many kernels don't have, and why; left out where there are none. */
  readonly why?: string;
}

const [liger, vllm, flash, flashInfer] = ["Liger-Kernel", "vLLM", "FlashAttention", "FlashInfer"];
const grouped =
  "updates are grouped by their indices first, so that no two meet; by hand atomics add them as they come";
const mean = "the mean over all rows is a launch of its own: workgroups of one launch do not wait for one another";

export const handWritten: Readonly<Record<string, HandWritten>> = {
  add_rms_norm: { library: liger, kernels: [1, 1] },
  add_rms_norm_quantize: { library: vllm, kernels: [1] },
  attention_backward: { library: flash, kernels: [1, 3] },
  attention_decode: {
    library: flashInfer,
    kernels: [1],
    why: "one query a head leaves too few workgroups for one kernel: the scores are stored, and the values are summed in chunks",
  },
  causal_attention: { library: flash, kernels: [1] },
  causal_attention_backward: { library: flash, kernels: [1, 3] },
  cross_entropy: { library: liger, kernels: [1], why: mean },
  cross_entropy_softcap_zloss: { library: liger, kernels: [1], why: mean },
  dpo_loss: {
    library: liger,
    kernels: [1],
    why: "means over a sequence lie between the two passes over its rows, for both models",
  },
  dyt: { library: liger, kernels: [1, 1] },
  embedding: {
    library: liger,
    kernels: [1, 1],
    why: grouped,
  },
  geglu: { library: liger, kernels: [1, 1] },
  group_norm: { library: liger, kernels: [1, 1] },
  grpo_loss: {
    library: liger,
    kernels: [1, 1],
  },
  hyper_connections: {
    library: liger,
    kernels: [1],
    why: "the mean of squares is not added up in the matmul of the same rows, whose k is split",
  },
  jsd: { library: liger, kernels: [1], why: mean },
  kl_div: { library: liger, kernels: [1, 1] },
  layer_norm: { library: liger, kernels: [1, 1] },
  linear_cross_entropy: {
    library: liger,
    kernels: [3],
    why: "the tiles of the scores are recomputed for their gradient, and both gradients are matmuls of their own",
  },
  linear_jsd: { library: liger, kernels: [4], why: "rows of both matmuls meet in one loss: their scores are stored" },
  merge_attention_states: { library: flashInfer, kernels: [1] },
  multi_token_attention: {
    library: liger,
    kernels: [4],
    why: "the windows of the convolution are stored for its two matmuls, and its gradient is summed over the batch",
  },
  multimodal_rope: { library: liger, kernels: [1, 1] },
  poly_norm: {
    library: liger,
    kernels: [1, 1],
    why: "sums over all elements are launches of their own",
  },
  qk_norm_rope: { library: vllm, kernels: [1] },
  reshape_and_cache: {
    library: vllm,
    kernels: [1],
    why: "which update of a slot is the last is found first; by hand the two never collide",
  },
  rms_norm: { library: liger, kernels: [1, 1] },
  rope: { library: liger, kernels: [1, 1] },
  sample_top_p: {
    library: flashInfer,
    kernels: [1],
    why: "a row is put in order, then added up along it, then searched: three walks",
  },
  silu_and_mul: { library: vllm, kernels: [1] },
  softmax: { library: liger, kernels: [1, 1] },
  sparsemax: { library: liger, kernels: [1, 1], why: grouped },
  swiglu: { library: liger, kernels: [1, 1] },
  swiglu_mlp: { library: liger, kernels: [3] },
  topk_softmax: { library: vllm, kernels: [1], why: "a sum over the chosen few is a kernel of its own" },
  tvd: { library: liger, kernels: [1], why: mean },
  gelu_linear_gradients: { library: "bound", kernels: [4] },
  adam_12_tensors: { library: "bound", kernels: [6] },
  attention_scores: { library: "bound", kernels: [1] },
};

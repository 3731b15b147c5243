/** @file How other compilers and libraries do what a pass does here. */
import type { Note } from "./note";

export const elsewhere: readonly Note[] = [
  {
    id: "xla-tidy",
    kind: "elsewhere",
    title: "How XLA does it: before fusing",
    text: [
      "XLA simplifies its graph of HLO instructions first: algebra, common values, what nobody reads. It assigns layouts, and folds transposes into the operands of products. Passes of that kind run again and again until nothing changes.",
    ],
    rows: ["000-24"],
    passes: ["canonicalise", "movement-algebra", "transpose-folding", "scalar-algebra", "reduction-algebra"],
    examples: ["transpose-matmul"],
  },
  {
    id: "xla-fusion",
    kind: "elsewhere",
    title: "How XLA does it: fusing",
    text: [
      "Producers are pulled into consumers. On GPUs a queue keeps the pairs ordered by the time that a cost model expects to save, the best first. A fusion is of a kind: a plain loop over the output, or a reduction with what feeds it.",
      "Further passes join siblings that read the same values into one kernel with several results, and small independent kernels side by side to save launches. The number of operands of a fusion is limited.",
    ],
    rows: ["000-24"],
    passes: ["producer-consumer", "row-groups", "multi-output", "budget-split", "row-picks"],
    examples: ["two-readers", "log-exp"],
  },
  {
    id: "library-epilogues",
    kind: "elsewhere",
    title: "Epilogues of libraries",
    text: [
      "cuBLAS computes products; its cuBLASLt interface can add a bias and apply ReLU or GELU before the result is written, and XLA rewrites such patterns into one call. cuDNN does the like for convolutions and attention. What is not on the list stays outside.",
    ],
    rows: ["000-26", "000-24", "000-08"],
    passes: ["contraction-epilogue", "attention", "recognition", "contract-reduce"],
    examples: ["matmul-bias-relu", "library-matmul", "square-matmul"],
  },
  {
    id: "cutlass",
    kind: "elsewhere",
    title: "CUTLASS",
    text: [
      "C++ templates for products: tiles for a workgroup, for a warp, for one instruction, each a parameter, and an epilogue that the user supplies. One builds a kernel from parts and compiles it for one architecture; here the planner picks the tile and the graph is the epilogue.",
    ],
    rows: ["002-03"],
    passes: ["contraction-epilogue"],
    examples: ["square-matmul", "matmul-bias-relu"],
  },
  {
    id: "torch-compile",
    kind: "elsewhere",
    title: "torch.compile",
    text: [
      'Dynamo records a Python function as a graph, and Inductor fuses it and writes Triton for GPUs. `mode="reduce-overhead"` also records the launches as a CUDA graph, which saves the time between kernels, not the traffic. Its logs tell why two nodes were not fused; the tab Decisions is for the same question.',
    ],
    rows: ["001-11"],
    passes: ["producer-consumer", "multi-output"],
    examples: ["linear-ln-gelu", "bias-gelu"],
  },
  {
    id: "aot-autograd",
    kind: "elsewhere",
    title: "What PyTorch keeps for backward",
    text: [
      "Eager PyTorch keeps what each op's `save_for_backward` names, whether it could be made again or not. AOTAutograd traces forward and backward as one graph and parts it by a minimum cut: a value costs its bytes, what is dear to compute is not made again, and the cheapest set between the two passes is kept. Cheap chains are then computed twice instead of stored.",
      "`torch.utils.checkpoint` and `jax.checkpoint` say the same by hand: inside, nothing is kept. A fused kernel of one's own has to choose too. For LayerNorm, the mean and the reciprocal deviation are two numbers a row; the normalised rows are as large as x.",
    ],
    rows: ["003-22", "003-32"],
    passes: ["saved-values"],
    examples: ["one-graph-or-two", "relu-bits", "layer-norm-backward", "checkpointing"],
    tries: [
      { title: "All kept", opens: "checkpointing/stored" },
      { title: "The cheapest cut", opens: "checkpointing/cut" },
    ],
  },
  {
    id: "onnx-runtime",
    kind: "elsewhere",
    title: "ONNX Runtime",
    text: [
      "Optimises a model's graph before it runs, in levels. Names in its source: `ConvBNFusion`, `MatmulBNFusion`, `ConvActivationFusion`, `GemmActivationFusion`, `LayerNormFusion`, `AttentionFusion`. Each looks for one pattern and puts one op in its place; which of them are active depends on where the model runs.",
      "Lists elsewhere have `ConvBnFusion`, `MatMulBnFusion` and `ReluFusion`: the first two are spelt otherwise in the source, and no class of the third name was found there.",
    ],
    rows: ["001-08", "001-09", "001-12"],
    passes: ["recognition", "weight-folding", "contraction-epilogue"],
    examples: ["conv-bn-relu", "layer-norm"],
  },
  {
    id: "tensorrt",
    kind: "elsewhere",
    title: "TensorRT",
    text: [
      "Builds an engine for one device: convolutions and dense layers with bias and activation, scale with offset and power, neighbours that read the same input. The flag for strict types shown in older notes belongs to older versions.",
    ],
    rows: ["001-10"],
    passes: ["scalar-algebra", "weight-folding"],
    examples: ["scale-offset-power", "conv-bn-relu"],
  },
  {
    id: "sparton",
    kind: "elsewhere",
    title: "SPLADE and Sparton",
    text: [
      "SPLADE represents a text by a weight for each word of a vocabulary: the largest of its scores over all positions. Sparton is a kernel that folds the maximum into the product, so that the scores of all positions never exist. It is right because the activation never turns an order round: the maximum may be taken first.",
    ],
    rows: ["004-07", "004-08"],
    passes: ["monotone-commute", "contract-reduce"],
    examples: ["splade-head", "matmul-max"],
    tries: [
      { title: "SPLADE head", opens: "splade-head" },
      { title: "Maximum only", opens: "matmul-max" },
    ],
  },
  {
    id: "all-reduce",
    kind: "elsewhere",
    title: "Between devices",
    text: [
      "When several devices train together, gradients are summed over all of them: an all-reduce. It waits for the others, so nothing is fused into it. It may overlap: while one gradient travels, the next is computed.",
    ],
    rows: ["003-28"],
    examples: ["all-reduce", "dense-backward"],
  },
];

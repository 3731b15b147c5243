/** @file How other compilers and libraries do what a pass does here. */
import type { Note } from "./note";

export const elsewhere: readonly Note[] = [
  {
    id: "xla-tidy",
    kind: "elsewhere",
    title: "How XLA does it: before fusing",
    text: [
      "XLA simplifies its graph of HLO instructions first: algebra, common subexpressions, dead code. It assigns layouts and folds transposes into the operands of matmuls. These passes repeat until nothing changes.",
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
      "Producers are merged into consumers. On GPUs a priority queue orders the pairs by the time that a cost model expects to save. Each fusion has a kind: a loop over the output, or a reduction with its producers.",
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
      "cuBLAS computes matmuls. Its cuBLASLt interface can add a bias and apply ReLU or GELU before the result is stored, and XLA rewrites such patterns into one call. cuDNN does the same for convolutions and attention. An op that the library does not list stays a separate kernel.",
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
      "C++ templates for matmuls. The tiles of a workgroup, a warp and an instruction are parameters, and the user supplies the epilogue. You build a kernel from these parts and compile it for one architecture. Here the planner picks the tile, and the graph gives the epilogue.",
    ],
    rows: ["002-03"],
    passes: ["contraction-epilogue"],
    examples: ["square-matmul", "matmul-bias-relu"],
  },
  {
    id: "loops-elsewhere",
    kind: "elsewhere",
    title: "Loops elsewhere",
    text: [
      "torch.compile writes a Python loop out: fifty iterations are fifty copies of the body. XLA keeps `fori_loop` as a loop around kernels, so what is carried goes through memory in each iteration. In Triton and CUDA the loop is written inside the kernel by hand.",
      "Here a loop whose body works element by element becomes a loop inside one kernel, and what it carries stays in registers.",
    ],
    rows: ["001-11", "000-24"],
    passes: ["loops"],
    examples: ["mandelbrot"],
  },
  {
    id: "torch-compile",
    kind: "elsewhere",
    title: "torch.compile",
    text: [
      'Dynamo records a Python function as a graph, and Inductor fuses it and writes Triton for GPUs. `mode="reduce-overhead"` also records the launches as a CUDA graph, which saves the time between kernels, not the traffic. Its logs say why two nodes were not fused; the Decisions tab answers the same question.',
    ],
    rows: ["001-11"],
    passes: ["producer-consumer", "multi-output"],
    examples: ["linear-ln-gelu", "bias-gelu"],
  },
  {
    id: "aot-autograd",
    kind: "elsewhere",
    title: "What PyTorch saves for backward",
    text: [
      "Eager PyTorch saves what each op passes to `save_for_backward`, even if it could be recomputed. AOTAutograd traces forward and backward as one graph and divides it by a minimum cut: saving a value costs its bytes, expensive ops are not recomputed, and the cut with the fewest bytes is saved. Cheap chains are then recomputed instead of stored.",
      "`torch.utils.checkpoint` and `jax.checkpoint` ask for this explicitly: no value inside is saved. If you write a fused kernel yourself, you have to choose too. For LayerNorm, the mean and the reciprocal standard deviation are two numbers per row; the normalised rows are as large as x.",
    ],
    rows: ["003-22", "003-32"],
    passes: ["saved-values"],
    examples: ["one-graph-or-two", "relu-bits", "layer-norm-backward", "checkpointing"],
    tries: [
      { title: "All saved", opens: "checkpointing/stored" },
      { title: "Min-cut", opens: "checkpointing/cut" },
    ],
  },
  {
    id: "onnx-runtime",
    kind: "elsewhere",
    title: "ONNX Runtime",
    text: [
      "It optimises a model's graph in several levels before the run. Class names in its source: `ConvBNFusion`, `MatmulBNFusion`, `ConvActivationFusion`, `GemmActivationFusion`, `LayerNormFusion`, `AttentionFusion`. Each looks for one pattern and puts one op in its place; which of them are active depends on where the model runs.",
      "Other lists name `ConvBnFusion`, `MatMulBnFusion` and `ReluFusion`. The source spells the first two differently and has no class with the third name.",
    ],
    rows: ["001-08", "001-09", "001-12"],
    passes: ["recognition", "weight-folding", "contraction-epilogue"],
    examples: ["conv-bn-relu", "layer-norm"],
  },
  {
    id: "embedding-gradients",
    kind: "elsewhere",
    title: "Gradients of an embedding",
    text: [
      "Many positions may name the same row of a table, and each adds to that row's gradient. PyTorch's CUDA kernel sorts the indices first, so that the updates of one row lie side by side and are added without atomic operations.",
    ],
    rows: ["003-27"],
    passes: ["sorted-scatter"],
    examples: ["train-characters"],
  },
  {
    id: "long-scans",
    kind: "elsewhere",
    title: "Scans of long rows",
    text: [
      "A running sum waits for what stands before it, so one row is one workgroup's work. Libraries for GPUs cut a long row into chunks: they fold each chunk, scan the chunks' totals, and scan the chunks with them, which reads the row twice and keeps the whole machine busy. CUB's single-pass scan reads it once by letting each chunk wait for its neighbour's total, which WebGPU can't promise.",
    ],
    rows: ["003-27"],
    passes: ["chunked-scan"],
    examples: ["scan"],
  },
  {
    id: "tensorrt",
    kind: "elsewhere",
    title: "TensorRT",
    text: [
      "It builds an engine for one device. It fuses convolutions and dense layers with bias and activation, scale with offset and power, and layers that read the same input. The flag for strict types exists only in older versions.",
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
      "SPLADE represents a text by a weight for each word of a vocabulary: the largest of its scores over all positions. Sparton is a kernel that computes the maximum inside the matmul, so that the scores are never stored. This is correct because the activation is monotone: the maximum can be taken before it.",
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
      "When several devices train together, gradients are summed over all of them: an all-reduce. It waits for the other devices, so nothing is fused into it. It can overlap: while one gradient is sent, the next is computed.",
    ],
    rows: ["003-28"],
    examples: ["all-reduce", "dense-backward"],
  },
];

/** @file Words and names that the chapters use. */
import type { Note } from "./note";

const term = (
  id: string,
  title: string,
  text: string,
  rows: readonly string[],
  examples: readonly string[] = [],
): Note => ({
  id,
  kind: "term",
  title,
  text: [text],
  rows,
  examples,
});

export const terms: readonly Note[] = [
  term(
    "intensity",
    "Arithmetic intensity",
    "FLOP for each byte that travels. Left of the ridge a kernel waits for memory, right of it for arithmetic; the ridge is the machine's peak over its bandwidth.",
    ["002-06", "000-14"],
    ["square-matmul", "layer-norm"],
  ),
  term(
    "roofline",
    "Roofline",
    "A chart of speed over arithmetic intensity: a slope that memory sets and a flat top that arithmetic sets. Fusion moves a kernel to the right.",
    ["000-14", "000-03"],
    ["square-matmul"],
  ),
  term(
    "occupancy",
    "Occupancy",
    "How many threads a processor holds at once, of those it could. Many threads hide the wait for memory; a kernel that needs many registers leaves room for few.",
    ["004-08", "001-14"],
    ["overfuse"],
  ),
  term(
    "coalescing",
    "Coalescing",
    "Neighbouring threads that read neighbouring addresses are served by one access to memory. Threads that step over rows each need their own.",
    ["002-09", "004-08"],
    ["against-the-grain", "transpose-add"],
  ),
  term(
    "workgroup",
    "Workgroup, block, warp",
    "Threads that share memory and can wait for each other are a workgroup; CUDA says block. Those of them that step together are a subgroup; CUDA says warp. They can hand each other registers without memory and without waiting: subgroupShuffleXor(x, 16u) is what the thread 16 places away holds, as CUDA's __shfl_xor_sync. The knob Threads join of a kernel that folds rows shows both ways.",
    ["004-08", "002-10"],
    ["softmax"],
  ),
  term(
    "register",
    "Register",
    "Where a thread keeps the value it computes with. The nearest and scarcest memory.",
    ["004-08"],
    ["overfuse"],
  ),
  term(
    "hbm",
    "HBM, SRAM",
    "HBM is fast memory beside the chip, gigabytes of it. SRAM is on the chip, kilobytes for each processor, and many times faster.",
    ["004-01", "004-08"],
    ["log-relu"],
  ),
  term(
    "roundings",
    "FMA",
    "A product and a sum with one rounding instead of two. A compiler of shaders may make one of the two, so results can differ in the last digit.",
    ["003-20"],
    ["strict"],
  ),
  term(
    "triton",
    "Triton",
    "A language inside Python for kernels: one writes what a block of elements does, the compiler spreads it over threads.",
    ["000-26", "004-08"],
    ["layer-norm-gelu", "masked-lanes"],
  ),
  term(
    "cublas",
    "cuBLAS, cuDNN",
    "NVIDIA's libraries of products and of the ops of neural networks, tuned by hand for each generation.",
    ["000-26"],
    ["square-matmul"],
  ),
  term(
    "pytorch",
    "PyTorch",
    "Runs each op as it is called, so that every op is a kernel unless a compiler comes between.",
    ["000-26"],
  ),
  term(
    "splade",
    "SPLADE",
    "A search model that writes a text as weights of words; its last layer is a very wide product.",
    ["004-08"],
    ["splade-head"],
  ),
  term(
    "checkpointing",
    "Checkpointing",
    "Backward keeps some values of forward and computes the others again: less memory for more arithmetic.",
    ["003-22"],
    ["checkpointing", "saved-values"],
  ),
  term(
    "conv-bn",
    "σ of a BatchNorm",
    "σ is the root of the variance plus ε, so the folded weight is γ·w over that root, and the bias is β + γ·(b − μ) over it. It holds for fixed statistics only: in training the batch has its own.",
    ["001-04"],
    ["conv-bn-relu", "batch-norm"],
  ),
];

/** @file Words and names that the chapters use. */
import type { Note } from "./note";

const term = (
  id: string,
  title: string,
  text: string,
  rows: readonly string[],
  examples: readonly string[] = [],
  figure?: Note["figure"],
): Note => ({
  id,
  kind: "term",
  title,
  text: [text],
  rows,
  examples,
  ...(figure ? { figure } : {}),
});

export const terms: readonly Note[] = [
  term(
    "intensity",
    "Arithmetic intensity",
    "Floating-point operations per byte moved to or from memory. Left of the ridge a kernel waits for memory, right of it for arithmetic; the ridge is the GPU's peak divided by its bandwidth.",
    ["002-06", "000-14"],
    ["square-matmul", "layer-norm"],
  ),
  term(
    "roofline",
    "Roofline",
    "A chart of speed against arithmetic intensity: memory bandwidth sets the slope, peak arithmetic the flat top. Fusion moves a kernel to the right.",
    ["000-14", "000-01", "000-02", "000-03"],
    ["square-matmul"],
    "rooflines",
  ),
  term(
    "occupancy",
    "Occupancy",
    "The share of a multiprocessor's thread slots that a kernel can fill. Many threads hide memory latency; a kernel that needs many registers leaves room for few.",
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
    "A workgroup is a set of threads that share memory and can wait for each other; CUDA calls it a block. A subgroup is the threads of it that run in lockstep; CUDA calls it a warp. They can exchange registers without memory or barriers: subgroupShuffleXor(x, 16u) gives the value of the thread whose number differs in bit 4, like CUDA's __shfl_xor_sync. In a kernel that reduces rows, the knob Combine threads offers both ways.",
    ["004-08", "002-10"],
    ["softmax"],
  ),
  term(
    "register",
    "Register",
    "Where a thread holds the values that it computes with. The fastest and scarcest memory.",
    ["004-08"],
    ["overfuse"],
  ),
  term(
    "hbm",
    "HBM, SRAM",
    "HBM is fast memory beside the chip, gigabytes of it. SRAM is on the chip, kilobytes for each multiprocessor, and many times faster.",
    ["004-01", "004-08"],
    ["log-relu"],
  ),
  term(
    "roundings",
    "FMA",
    "Fused multiply-add: a multiplication and an addition with one rounding instead of two. A shader compiler may create one, so results can differ in the last digit.",
    ["003-20"],
    ["strict"],
  ),
  term(
    "triton",
    "Triton",
    "A language for kernels inside Python: you write what happens to a block of elements, and the compiler distributes it over threads.",
    ["000-26", "004-08"],
    ["layer-norm-gelu", "masked-lanes"],
  ),
  term(
    "cublas",
    "cuBLAS, cuDNN",
    "NVIDIA's tuned libraries for matrix multiplication and for neural-network ops.",
    ["000-26"],
    ["square-matmul"],
  ),
  term("pytorch", "PyTorch", "Each op runs when it is called, so every op is a kernel unless a compiler fuses them.", [
    "000-26",
  ]),
  term(
    "splade",
    "SPLADE",
    "A search model that represents a text by weights of words; its last layer is a very wide matmul.",
    ["004-08"],
    ["splade-head"],
  ),
  term(
    "checkpointing",
    "Checkpointing",
    "The forward pass saves some values and the backward pass recomputes the others: less memory for more arithmetic.",
    ["003-22"],
    ["checkpointing", "saved-values"],
  ),
  term(
    "conv-bn",
    "σ of a BatchNorm",
    "σ is the square root of the variance plus ε. The folded weight is γ·w/σ, and the folded bias is β + γ·(b − μ)/σ. This holds for fixed statistics only: in training they come from the batch.",
    ["001-04"],
    ["conv-bn-relu", "batch-norm"],
    "folded",
  ),
];

/** @file What fusion is about, and what this page can and cannot show of it. */
import type { Note } from "./note";

export const ideas: readonly Note[] = [
  {
    id: "what-is-a-kernel",
    kind: "idea",
    title: "What a kernel is",
    text: [
      "A small program that many threads run at once. The CPU launches it; it reads tensors from memory and writes tensors to memory. Without fusion each op is a kernel, and every value between two ops goes through memory.",
      "Fusion turns several kernels into one. A value that was only passed from one to the next stays in a register and is never stored.",
    ],
    rows: ["003-02", "002-08"],
    examples: ["log-relu", "mul-add"],
    tries: [
      { title: "Three ops", opens: "mul-add-relu" },
      { title: "By hand", opens: "scale-bias-relu" },
    ],
  },
  {
    id: "what-fusion-gains",
    kind: "idea",
    title: "What fusion gains",
    text: [
      "Fewer transfers, fewer launches, less memory in use, and values that are reused while they are on chip. Fusion alone does not raise occupancy: a kernel with more live values may have fewer threads running at once.",
      "After a run, Measured divides the saved time into traffic, launches and the rest.",
    ],
    rows: ["002-07", "004-04"],
    examples: ["log-relu", "overfuse", "l2-norm"],
    passes: ["producer-consumer"],
    tries: [
      { title: "A gain", opens: "unary-chain" },
      { title: "Too much", opens: "overfuse" },
    ],
  },
  {
    id: "memories",
    kind: "idea",
    title: "Three memories",
    text: [
      "Large and slow: video memory such as HBM, in WebGPU a storage buffer. Small, fast and shared by a workgroup: on-chip SRAM, which CUDA calls shared memory, in WGSL `var<workgroup>`. Fastest and private to a thread: registers, in WGSL a `let` or `var` of the function.",
      "In the graph a thick line is the first, a dashed line the second and a thin line the third.",
    ],
    rows: ["004-01"],
    examples: ["log-relu", "layer-norm", "matmul-bias-relu"],
    passes: ["row-groups"],
  },
  {
    id: "online",
    kind: "idea",
    title: "Online algorithms",
    text: [
      "A softmax seems to need the row's maximum before it can sum. It does not: keep a running one, and when it grows, multiply the sum by `exp(old − new)`.",
      "So flash attention reads the keys block by block, with a maximum, sum and result for each query.",
      "Scores that are stored wait for both: they go through memory once more, or one kernel computes them twice.",
      "The backward pass saves each row's maximum and sum, and turns a recomputed tile of scores directly into probabilities.",
      "A long row is read once if only its sums need a value of the whole row: it is taken out of them.",
    ],
    rows: ["004-04", "000-13", "000-09"],
    examples: ["attention-scores", "attention", "matmul-softmax", "flash-attention", "attention-backward"],
    passes: ["attention", "matmul-rows", "tiles-again", "read-once", "masked-blocks"],
    tries: [
      { title: "Scores only", opens: "attention-scores" },
      { title: "Computed twice", opens: "attention-scores/heads" },
      { title: "With the values", opens: "attention" },
      { title: "Strict: stored", opens: "attention/strict" },
    ],
  },
  {
    id: "three-ways",
    kind: "idea",
    title: "By hand, generated, from a library",
    text: [
      "The same matmul, bias and ReLU. By hand, you write the epilogue into the matmul's loop, once for each combination. A compiler generates it from the graph. A library has fixed kernels: a matmul and perhaps a few epilogues.",
      "The kernels here are complete and run as shown.",
      "The WGSL tab shows the generated code; Diff with naive shows the kernels that it replaces. The two variants below show what is lost when the matmul must stay a library call.",
    ],
    rows: ["004-06", "001-05", "001-13"],
    examples: ["matmul-bias-relu", "library-matmul", "scale-bias-relu"],
    passes: ["contraction-epilogue"],
    tries: [
      { title: "Generated", opens: "matmul-bias-relu" },
      { title: "Library matmul", opens: "matmul-bias-relu/library" },
    ],
  },
  {
    id: "keep-in-memory",
    kind: "idea",
    title: "When to keep a value in memory",
    text: [
      "When it is read often and expensive to compute; when the backward pass needs it; when it is sent to another device; when you want to look at it or restart from it.",
      "The cost model decides the first case. You decide the others: Forbid on an edge stores its value in memory, and the decision says that it was your choice.",
    ],
    rows: ["003-10"],
    examples: ["two-readers", "saved-values"],
    passes: ["producer-consumer"],
    tries: [
      { title: "Stored", opens: "two-readers/store" },
      { title: "Saved for backward", opens: "saved-values/save" },
    ],
  },
  {
    id: "which-width",
    kind: "idea",
    title: "A width taken from the wrong tensor",
    text: [
      "Lecture notes sometimes normalise the result of a linear layer over `x.size(-1)`, the width of the layer's input. That is right only where the weight is square. With any other weight the line is underlined here, with both shapes; the width to take is that of the result.",
    ],
    rows: ["002-05"],
    examples: ["linear-ln-gelu"],
  },
  {
    id: "notes-disagree",
    kind: "idea",
    title: "Where lecture notes disagree",
    text: [
      "Does fusion raise occupancy, or can it fall? Is a matmul with bias and ReLU one kernel or two? Is a transpose before a matmul a barrier, or is it folded? Are a matmul and a softmax hard to fuse, or one kernel as in attention? Is a value with two readers never fused, or does cost decide? Does a fused LayerNorm load the row once or three times?",
      "Each question is a program here, so you can check.",
    ],
    rows: ["002-07", "001-14", "003-11", "001-15", "003-34", "000-09", "001-16", "001-07"],
    tries: [
      { title: "Occupancy", opens: "overfuse" },
      { title: "Two kernels", opens: "matmul-bias-relu/library" },
      { title: "Transpose", opens: "transpose-matmul" },
      { title: "Softmax between", opens: "attention" },
      { title: "Two readers", opens: "two-readers" },
      { title: "Three loads of the row", opens: "layer-norm/three-passes" },
    ],
  },
  {
    id: "loops",
    kind: "idea",
    title: "Two loops become one",
    text: [
      "Without fusion `t` is an array: one loop fills it, another reads it. Fused, `t` is a name inside one loop. The Loops tab shows the selected kernel as loops, before and after fusion.",
    ],
    rows: ["003-31"],
    examples: ["mul-add", "mul-add-relu"],
    passes: ["producer-consumer"],
  },
  {
    id: "tiles",
    kind: "idea",
    title: "Tiles of a matmul",
    text: [
      "Each element of a matmul needs a row and a column, and its neighbours need the same ones. A workgroup loads a tile of both operands once, and each thread keeps a few results in registers. A larger tile needs fewer bytes per FLOP, until registers run out.",
    ],
    rows: ["002-03"],
    examples: ["square-matmul", "matmul-bias-relu"],
    passes: ["contraction-epilogue", "contract-reduce"],
  },
  {
    id: "below-wgsl",
    kind: "idea",
    title: "Below WGSL",
    text: [
      "CUDA allows inline machine instructions. WebGPU does not: the browser checks the WGSL, translates it to the system's shading language and passes it to the driver. A page cannot see the final machine code.",
    ],
    rows: ["002-04"],
    examples: ["scale-bias-relu"],
  },
  {
    id: "targets",
    kind: "idea",
    title: "Other targets",
    text: [
      "Whatever code a compiler emits, it first makes the same decisions: which ops share a kernel, which thread computes which elements, and which values stay on chip. CUDA and HIP are languages, Triton compiles a subset of Python, MLIR is a framework for intermediate representations, and XLA is a compiler with its own. This page emits WGSL because browsers can run it.",
      "Export, in the kernel inspector, shows the kernel in CUDA and in Triton, to be read: they are not run here.",
    ],
    rows: ["003-24"],
  },
  {
    id: "your-device",
    kind: "idea",
    title: "What a page knows of a device",
    text: [
      "Limits (threads of a workgroup, workgroup memory, size and number of buffers), optional features (timestamps, f16, subgroups), and a rough name. Not the sizes of its caches, not its clock, not its matrix units. So the page measures what matters: bandwidth with a copy, peak arithmetic with multiply-adds, and launch time as the slope over many launches.",
    ],
    rows: ["002-18"],
    figure: "device",
    examples: ["l2-norm", "square-matmul"],
  },
  {
    id: "needs",
    kind: "idea",
    title: "What it takes to run this",
    text: [
      "A browser with WebGPU, and nothing to install: no CUDA, no Python, no account. Without a GPU everything except timing works, and results are computed on the CPU.",
    ],
    rows: ["002-21"],
  },
];

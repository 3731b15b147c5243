/** @file What fusion is about, and what this page can and cannot show of it. */
import type { Note } from "./note";

export const ideas: readonly Note[] = [
  {
    id: "what-is-a-kernel",
    kind: "idea",
    title: "What a kernel is",
    text: [
      "A small program that many threads run at once. The CPU launches it; it reads tensors from memory and writes tensors to memory. Op by op, each one is a kernel, and everything between two of them travels.",
      "Fusion makes one kernel of several. What only passed from one to the next stays in a register and never becomes a tensor.",
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
      "Fewer trips to memory, fewer launches, less memory held; and data that is used while it is still near. It does not raise occupancy by itself: a kernel with more live values may keep fewer threads in flight.",
      "After a run, Measured splits the saved time: so much by traffic, so much by launches, and the rest.",
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
      "Far and large: HBM or plain video memory; in WebGPU a storage buffer. Near and shared by a workgroup: SRAM that CUDA calls shared memory; in WGSL `var<workgroup>`. Nearest and private: registers; in WGSL a `let` or a `var` of the function.",
      "A thick line on the graph is the first, dashes are the second, a thin line is the third.",
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
      "A softmax needs the row's maximum before its first sum. It can do without: keep the largest value so far, and when a larger one comes, multiply the old sum by `exp(old − new)`.",
      "With that, rows need not be whole: attention walks the keys block by block and carries a maximum, a sum and a result for each query. A kernel in lecture notes stops before the result is stored; the generated one shows the rest.",
      "Going back, maximum and sum of a row are known: a gradient's kernel makes each tile of scores again and turns it into shares at once.",
    ],
    rows: ["004-04", "000-13", "000-09"],
    examples: ["attention-scores", "attention", "matmul-softmax", "flash-attention", "attention-backward"],
    passes: ["attention", "tiles-again"],
    tries: [
      { title: "Scores only", opens: "attention-scores" },
      { title: "With the values", opens: "attention" },
      { title: "Strict: stored", opens: "attention/strict" },
    ],
  },
  {
    id: "three-ways",
    kind: "idea",
    title: "By hand, generated, from a library",
    text: [
      "The same product, bias and ReLU. By hand one writes the epilogue into the product's own loop, once for each combination. A compiler generates it from the graph. A library has fixed kernels: a product, and perhaps a few epilogues to choose from.",
      "A kernel on paper often uses `row`, `col` and sizes without defining them; the kernels here are complete and run as shown.",
      "The tab WGSL shows what is generated; Diff with naive shows the kernels that it replaces. The two policies show what is lost when the product must stay as the library has it.",
    ],
    rows: ["004-06", "001-05", "001-13"],
    examples: ["matmul-bias-relu", "library-matmul", "scale-bias-relu"],
    passes: ["contraction-epilogue"],
    tries: [
      { title: "Generated", opens: "matmul-bias-relu" },
      { title: "Library product", opens: "matmul-bias-relu/library" },
    ],
  },
  {
    id: "keep-in-memory",
    kind: "idea",
    title: "When to keep a value in memory",
    text: [
      "When it is read often and expensive to compute; when backward needs it; when it goes to another device; when one wants to look at it, or to start again from it.",
      "The first is for the cost model. The others are yours to say: Forbid on a line keeps its value in memory, and the decision tells that it was you.",
    ],
    rows: ["003-10"],
    examples: ["two-readers", "saved-values"],
    passes: ["producer-consumer"],
    tries: [
      { title: "Stored", opens: "two-readers/store" },
      { title: "Kept for backward", opens: "saved-values/save" },
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
      "Does fusion raise occupancy? One says yes, two say that it can fall. A product with bias and ReLU: one kernel or two? A transpose beside a product: incompatible, or folded? A product and a softmax: hard to fuse, or attention in one kernel? A value with two readers: never, or as the cost decides? A fused LayerNorm: one walk over the row, or three?",
      "Each is a program here, so you can check.",
    ],
    rows: ["002-07", "001-14", "003-11", "001-15", "003-34", "000-09", "001-16", "001-07"],
    tries: [
      { title: "Occupancy", opens: "overfuse" },
      { title: "Two kernels", opens: "matmul-bias-relu/library" },
      { title: "Transpose", opens: "transpose-matmul" },
      { title: "Softmax between", opens: "attention" },
      { title: "Two readers", opens: "two-readers" },
      { title: "Three walks", opens: "layer-norm/three-passes" },
    ],
  },
  {
    id: "loops",
    kind: "idea",
    title: "Two loops become one",
    text: [
      "Without fusion `t` is an array: one loop fills it, another reads it. Fused, `t` is a name inside one loop. The tab Loops shows the shown kernel in this way, and what it was before.",
    ],
    rows: ["003-31"],
    examples: ["mul-add", "mul-add-relu"],
    passes: ["producer-consumer"],
  },
  {
    id: "tiles",
    kind: "idea",
    title: "Tiles of a product",
    text: [
      "Each element of a product needs a row and a column, and neighbours need the same ones. A workgroup loads a tile of both once, and each thread keeps a few results in registers: the larger the tile, the fewer bytes for each FLOP, until registers run out.",
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
      "CUDA lets one write single machine instructions inline. WebGPU has nothing of the kind: the browser checks the WGSL, translates it to the system's own language and hands it to the driver. What the machine runs in the end is not shown to a page.",
    ],
    rows: ["002-04"],
    examples: ["scale-bias-relu"],
  },
  {
    id: "targets",
    kind: "idea",
    title: "Other targets",
    text: [
      "Whatever a compiler emits, the decisions before it are the same: which ops share a kernel, who owns which elements, what stays near. CUDA and HIP are languages, Triton is Python that compiles, MLIR is a frame for intermediate languages, XLA a compiler with its own. This page emits WGSL, since a browser can run it.",
    ],
    rows: ["003-24"],
  },
  {
    id: "your-device",
    kind: "idea",
    title: "What a page knows of a device",
    text: [
      "Limits (threads of a workgroup, workgroup memory, size and number of buffers), optional features (timestamps, f16, subgroups), and a rough name. Not the sizes of its caches, not its clock, not its matrix units. What matters is therefore measured: bandwidth by a copy, peak by multiply-adds, a launch by the slope over many.",
    ],
    rows: ["002-18"],
    examples: ["l2-norm", "square-matmul"],
  },
  {
    id: "needs",
    kind: "idea",
    title: "What it takes to run this",
    text: [
      "A browser with WebGPU, and nothing to install: no CUDA, no Python, no account. Without a GPU everything but the timing works, and the results are computed on the CPU.",
    ],
    rows: ["002-21"],
  },
];

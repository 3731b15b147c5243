/** @file The words of this project, each with one meaning: docs/glossary.md is printed from here, and the page explains them from here. */

export interface Term {
  readonly name: string;
  /** One plain sentence for somebody who meets the word for the first time. */
  readonly meaning: string;
  /** Identifiers or folders of src/ that carry it; none where only the page uses the word. */
  readonly code: readonly string[];
  /** Where a reader of the page meets it; null where only code does. */
  readonly page: string | null;
  /** Words that were used for it and are not any more. */
  readonly instead?: readonly string[];
  /** Also a word of everyday English or code: a sentence that has it may mean something else, so it is not explained there. */
  readonly everyday?: boolean;
}

const term = (
  name: string,
  meaning: string,
  code: readonly string[],
  page: string | null,
  more: Pick<Term, "instead" | "everyday"> = {},
): Term => ({ name, meaning, code, page, ...more });

/** In alphabetical order. */
export const terms: readonly Term[] = [
  term("accumulator", "A register in which a loop builds up a sum, a maximum or a product.", ["fusion/kernel"], "WGSL"),
  term(
    "action",
    "Something that a person can do on the page, such as opening an example or undoing an edit.",
    ["Actions", "state/"],
    null,
    { instead: ["deed"], everyday: true },
  ),
  term(
    "arithmetic intensity",
    "FLOP per byte that is transferred; low values mean that memory sets the speed.",
    ["panels/model/run/roofline.ts"],
    "roofline, notes",
  ),
  term(
    "autodiff",
    "Automatic differentiation: the derivative of a graph as more nodes of it.",
    ["fusion/autodiff"],
    null,
  ),
  term("axis", "One dimension of a tensor, counted from 0.", ["axis", "axes"], "types, decisions", { everyday: true }),
  term(
    "backward pass",
    "The part of a gradient program that computes derivatives, from the loss back to the parameters.",
    ["fusion/autodiff/phases.ts"],
    "saved values",
  ),
  term("batch", "The examples that one step of training computes with.", ["fusion/datasets"], "training", {
    everyday: true,
  }),
  term(
    "broadcast",
    "To read one element of a smaller tensor for many elements of a larger one.",
    ["expand"],
    "decisions",
  ),
  term(
    "cached",
    "Said of a value that a kernel holds in registers because it is read more than once.",
    ["fusion/kernel"],
    "WGSL",
    { everyday: true },
  ),
  term(
    "candidate",
    "A change to the plan that a pass proposes; it is accepted or refused, and both are recorded.",
    ["Candidate"],
    "decisions",
    { everyday: true },
  ),
  term("code", "The stable name of a reason for a decision, such as L_CYCLE.", ["ReasonCode"], "decisions", {
    everyday: true,
  }),
  term(
    "composite",
    "An op that is a function of other ops, such as softmax; the graph holds only the ops that it is made of.",
    ["fusion/ops/composite"],
    "palette, canvas",
  ),
  term(
    "contraction",
    "A sum of products over shared axes: matmul, einsum, convolution.",
    ["fusion/ops/contraction"],
    "decisions",
    { instead: ["product"] },
  ),
  term(
    "cost model",
    "The formula that predicts the time of a kernel from bytes, FLOP and launches.",
    ["fusion/cost"],
    "options, decisions",
  ),
  term(
    "cursor",
    "How many decisions are applied to what the page shows; 0 is the naive plan.",
    ["cursor"],
    "scrubber",
    { everyday: true },
  ),
  term(
    "decision",
    "A candidate together with its verdict: what was proposed, whether it was done, and why.",
    ["Step"],
    "decisions, scrubber",
    { everyday: true },
  ),
  term(
    "device profile",
    "The numbers of a GPU that the cost model uses, from a datasheet or measured.",
    ["DeviceProfile"],
    "options",
  ),
  term(
    "document",
    "What a person made and what is saved: the text, positions, options and pins.",
    ["document/"],
    "files, links",
    { everyday: true },
  ),
  term("dtype", "The type of the elements of a tensor, such as f32.", ["DType"], "types"),
  term("element", "One number of a tensor.", ["element"], "everywhere", { everyday: true }),
  term(
    "expensive",
    "Said of an op that takes many cycles, such as exp, so that computing it twice may cost more than a load.",
    ["fusion/kernel/count/flops.ts"],
    "decisions",
    { instead: ["dear"], everyday: true },
  ),
  term(
    "flash attention",
    "Attention in one kernel that never stores the matrix of scores.",
    ["fusion/passes/attention/attention.ts"],
    "decisions",
  ),
  term(
    "FLOP",
    "One floating-point operation: an addition or a function such as exp is one, a multiply-add is two; FLOP/s is how many a second.",
    ["flops"],
    "kernels, roofline",
  ),
  term(
    "forward pass",
    "The part of a gradient program that computes the loss.",
    ["fusion/autodiff/phases.ts"],
    "saved values",
  ),
  term(
    "fusion",
    "Computing several ops in one kernel, so that values between them need not go through memory.",
    ["Fusion", "fusion/"],
    "everywhere",
    { everyday: true },
  ),
  term("gather", "To read elements whose indices are data.", ["gather"], "palette, decisions"),
  term(
    "granularity",
    "What one kernel of the naive plan computes: an op as written, a statement or a primitive.",
    ["Granularity"],
    "options",
  ),
  term("graph", "The program as data: nodes for ops, edges for the tensors between them.", ["Graph"], "canvas", {
    everyday: true,
  }),
  term(
    "group",
    "To put elements of one key side by side by counting how many each key has, in no order: a counting sort that is not stable.",
    ["group_indices", "count_keys", "last_keys", "groups"],
    null,
    { everyday: true },
  ),
  term(
    "in place",
    "Without a copy: read where a value lies in memory, or stored over the value that it replaces.",
    ["inPlace"],
    "decisions",
    { everyday: true },
  ),
  term(
    "index",
    "The numbers that say which element of a tensor is meant, one for each axis.",
    ["index"],
    "WGSL, loops",
    { instead: ["place"], everyday: true },
  ),
  term(
    "index map",
    "How the index of an output element gives the index of the input element that it needs.",
    ["fusion/kernel"],
    "decisions",
  ),
  term("iteration", "One pass through the body of a loop.", ["iteration"], "loops", { everyday: true }),
  term("iteration space", "All indices for which a kernel computes something.", ["fusion/kernel"], "decisions"),
  term(
    "kept",
    "Stored for one person on one machine, such as a draft, earlier work or the weights of a model.",
    ["state/storage"],
    "files, messages",
    { everyday: true },
  ),
  term("kernel", "One program that the GPU runs; starting it is a launch.", ["Kernel"], "everywhere"),
  term(
    "launch",
    "Starting one kernel; each takes a few microseconds, whatever the kernel does.",
    ["launch"],
    "score, decisions",
  ),
  term(
    "legal",
    "Said of a candidate that one kernel can compute correctly, whatever it costs.",
    ["legal"],
    "decisions",
    { everyday: true },
  ),
  term("level", "How many of the passes are on, from 0 (none) upwards.", ["Level"], "options", { everyday: true }),
  term("load", "Reading a value from memory into a register.", ["load"], "traffic, loops", {
    instead: ["trip", "walk"],
    everyday: true,
  }),
  term(
    "matmul",
    "The matrix product of two tensors, over their last two axes.",
    ["fusion/ops/contraction/matmul.ts"],
    "everywhere",
    { instead: ["product"], everyday: true },
  ),
  term(
    "memory",
    "The GPU's main memory, which every kernel reads its inputs from and writes its outputs to.",
    ["fusion/cost"],
    "traffic",
    { everyday: true },
  ),
  term("multi-consumer", "Said of a value that more than one op reads.", ["MultiConsumerPolicy"], "options"),
  term("naive plan", "The plan before fusion: one kernel for each op as written.", ["naivePlan"], "score, scrubber"),
  term("node", "One op of the graph, with its inputs and the type of its output.", ["Node", "NodeId"], "canvas", {
    everyday: true,
  }),
  term(
    "occupancy",
    "The share of the threads that a GPU can hold at once that a kernel lets it hold.",
    ["gpu/"],
    "notes",
  ),
  term("op", "An operation on tensors, such as add, sum or transpose.", ["fusion/ops"], "everywhere", {
    everyday: true,
  }),
  term(
    "opaque op",
    "An op that the compiler can't look into, so that it stays a kernel of its own.",
    ["fusion/ops/boundary"],
    "decisions",
    { instead: ["closed op"] },
  ),
  term("operand", "One input of an op, counted from 0.", ["operand"], "canvas, decisions"),
  term(
    "outer",
    "Said of an axis or a loop that a fold leaves as it is: there is a result for each of its indices.",
    ["outer", "outerAxes"],
    "loops",
    { instead: ["kept"], everyday: true },
  ),
  term(
    "pass",
    "One stage of the compiler that looks for one kind of improvement.",
    ["fusion/passes"],
    "options, scrubber",
    { everyday: true },
  ),
  term("peak memory", "The most bytes of tensors that are alive at the same time.", ["peakBytes"], "memory"),
  term("pin", "A person's own choice that the planner must follow: fuse these, or don't.", ["pins"], "canvas", {
    everyday: true,
  }),
  term(
    "place",
    "The room that a box, a label or a card has in a layout; as a verb, to give it that room.",
    ["picture/place.ts", "placeTag"],
    "canvas",
    { everyday: true },
  ),
  term("plan", "The kernels in the order in which they run, with the bytes and FLOP of each.", ["Plan"], "everywhere", {
    everyday: true,
  }),
  term(
    "position",
    "Where something stands, in numbers: a line and a column, its number in an order, or x and y.",
    ["position", "Position"],
    "errors",
    { instead: ["place"], everyday: true },
  ),
  term(
    "prediction",
    "A time that the cost model computes, as opposed to one that was measured.",
    ["predicted"],
    "kernels, what if",
    { everyday: true },
  ),
  term(
    "primitive",
    "An op that is not made of other ops; the graph consists of them.",
    ["fusion/ops/primitives.ts"],
    "options",
  ),
  term(
    "probability",
    "One number of a softmax: how much a position counts, between 0 and 1.",
    ["fusion/passes"],
    "notes",
    { instead: ["share"] },
  ),
  term(
    "profitable",
    "Said of a legal candidate that the cost model predicts to save time.",
    ["profitable"],
    "decisions",
    { instead: ["worth it"], everyday: true },
  ),
  term(
    "recompute",
    "To compute a value again where it is needed instead of storing and loading it.",
    ["recompute"],
    "decisions, saved values",
    { instead: ["make again"] },
  ),
  term(
    "reduction",
    "An op that folds elements along axes into one, such as sum, max or mean.",
    ["fusion/ops/reduce"],
    "palette, decisions",
  ),
  term("reference", "The interpreter in f64 whose results every kernel must agree with.", ["fusion/reference"], "run", {
    everyday: true,
  }),
  term("region", "The nodes that one kernel computes.", ["Region"], null),
  term(
    "register",
    "Where a thread holds a value that it computes with; the fastest and scarcest memory.",
    ["fusion/cost"],
    "notes, decisions",
  ),
  term("remedy", "What would make a refused candidate work; it stands beside the reason.", ["remedy"], "decisions", {
    instead: ["way out"],
  }),
  term(
    "retained",
    "Said of the first elements of a row that its workgroup, or each of its threads, holds while the rest of the row goes by.",
    ["retained", "retain"],
    null,
    { instead: ["kept"], everyday: true },
  ),
  term(
    "rewrite",
    "A change of the graph that keeps its results, such as x·1 → x.",
    ["fusion/passes/algebra"],
    "decisions",
    { everyday: true },
  ),
  term(
    "roofline",
    "A chart of FLOP/s over arithmetic intensity: the slope is bandwidth, the flat top is peak arithmetic.",
    ["panels/model/run/roofline.ts"],
    "run",
  ),
  term(
    "saved for backward",
    "Said of a value that the forward pass stores because the backward pass reads it.",
    ["fusion/passes/saved"],
    "saved values",
    { instead: ["kept", "held"] },
  ),
  term(
    "schedule",
    "How a kernel's work is given to threads: workgroup size, tiles, elements per thread.",
    ["schedule"],
    "knobs",
  ),
  term("shape", "The length of a tensor along each axis.", ["Shape"], "types", { everyday: true }),
  term(
    "side effect",
    "Something that an op does besides computing its result, such as talking to another device.",
    ["fusion/ops/boundary"],
    "decisions",
    { instead: ["acts on the world"] },
  ),
  term(
    "source",
    "A node that computes nothing from others: an input, a constant, iota.",
    ["fusion/ops/source"],
    "canvas",
    { everyday: true },
  ),
  term(
    "state",
    "An input that training replaces: the next step begins with a value that this step computed.",
    ["Update", "fusion/training"],
    "programs",
    { everyday: true },
  ),
  term("store", "Writing a value from a register to memory.", ["store"], "loops", { everyday: true }),
  term("tensor", "An array of numbers with a shape and a dtype.", ["TensorType"], "everywhere", { everyday: true }),
  term(
    "thread",
    "One of many executions of a kernel that run at once, each with its own index.",
    ["thread"],
    "WGSL, loops",
  ),
  term(
    "tile",
    "A block of a matrix that a workgroup loads into shared memory once and reads many times.",
    ["tile"],
    "knobs, loops",
  ),
  term(
    "transfer",
    "One read or write of a whole tensor between memory and a kernel.",
    ["transfers"],
    "score, traffic",
    { instead: ["trip"] },
  ),
  term("transpose", "To exchange the axes of a tensor.", ["fusion/ops/movement/transpose.ts"], "palette, decisions", {
    instead: ["turn round"],
  }),
  term(
    "turn",
    "What each thread takes of a row or a grid at a time: one in each iteration of its loop, or several loaded together.",
    ["turns"],
    "WGSL",
    { everyday: true },
  ),
  term("verdict", "A yes or no with its code, its numbers and a sentence.", ["Verdict"], "decisions", {
    everyday: true,
  }),
  term(
    "view",
    "A tensor that is another reading of the same memory, such as a reshape.",
    ["fusion/ops/movement"],
    "decisions",
    { everyday: true },
  ),
  term("what if", "A question to the planner: the same program with one option changed.", ["WhatIfAnswer"], "what if", {
    everyday: true,
  }),
  term(
    "workgroup",
    "Threads that share memory and can wait for each other; CUDA calls it a block.",
    ["workgroup"],
    "WGSL, loops",
  ),
];

/** @file Programs with the decisions that they must lead to: each reason code where a student would meet it. */
import { liveValues } from "./live-values";
import { fusionAt } from "../../src/fusion/compile";
import type { Compilation } from "../../src/fusion/compilation";
import { titleOf } from "../../src/fusion/decision-titles";
import { generic } from "../../src/fusion/cost";
import {
  edgeId,
  nodeId,
  type CompileOptions,
  type EdgeId,
  type NodeId,
  type ReasonCode,
  type Step,
} from "../../src/fusion/ir";
import { allPasses } from "../../src/fusion/passes";
import { graphOf } from "../random-graph";
import { compiled } from "./pass-harness";

export interface Example {
  readonly name: string;
  readonly text: string;
  readonly options?: Partial<CompileOptions>;
  /** Codes that must be among the decisions. */
  readonly codes: readonly ReasonCode[];
  /** Codes that must not be. */
  readonly without?: readonly ReasonCode[];
  /** Kernels of the final plan. */
  readonly kernels: number;
  /** Nodes of the final graph, sources aside. */
  readonly ops?: number;
  /** Pairs that must not share a kernel. */
  readonly apart?: readonly (readonly [string, string])[];
}

const edge = (text: string): EdgeId => {
  const [ends, operand] = text.split(":");
  const [producer, consumer] = ends!.split(">");
  return edgeId(nodeId(producer!), nodeId(consumer!), Number(operand));
};
const square = "x: f32[1024, 1024]\nw: f32[1024, 1024]";
const adds = (count: number): string =>
  `${Array.from({ length: count }, (_, i) => `x${i}: f32[1048576]`).join("\n")}\ny = ${Array.from({ length: count }, (_, i) => `x${i}`).join(" + ")}`;
const chain = (count: number): string =>
  `x: f32[1024, 1024]\nt = x\n${Array.from({ length: count }, () => "t = tanh(t)").join("\n")}`;

/** `a` dies at `r`; merging `r` into `y` would keep it alive beside `b` and `n`. */
const longLives = [
  "u: f32[1024, 1]\nv: f32[1, 1024]\nw: f32[1024, 1024]",
  "a = exp(u * v)\nm = a @ w\ns = m.min()\nr = a.sum(dim=-1)",
  "b = sin(v * u)\nn = b @ w\nt = n.max()\ny = tanh(r) + t + s",
].join("\n");

/** One small value of four tensors, read by three kernels that walk different spaces. */
const smallShared = [
  ...["a", "b", "c", "d"].map((name) => `${name}: f32[1024]`),
  "u: f32[512, 1024]\nv: f32[256, 1024]\nw: f32[128, 1024]",
  "t = a * b + c * d\nx = u * t\ny = v * t\nz = w * t",
].join("\n");

/** @param width of a head; `dtype` of the operands of both products */
const heads = (width: number): string =>
  `q: f32[1024, ${width}]\nk: f32[1024, ${width}]\nv: f32[1024, ${width}]\no = softmax(q @ k.T, dim=-1) @ v`;

const normalisedConv =
  "x: f32[2, 16, 64, 64]\nw: f32[16, 16, 3, 3] = param()\nm: f32[16]\nv: f32[16]\ny = batch_norm(conv2d(x, w, padding=1), m, v)";

const picked =
  "x: f32[8192, 1024]\ni: i32[8192, 1] = zeros()\np = softmax(x, dim=-1)\ny = log(gather_elements(p, i, dim=-1))";

const relu =
  "x: f32[1024, 1024]\nw: f32[1024, 1024]\nh = relu(x)\ny = h * w\nloss = sum(y * y)\nloss.backward()\nreturn loss, x.grad";
const wide = "x: f32[512, 512]\nw: f32[512, 512]\nh = gelu(x @ w)\nloss = sum(h)\nloss.backward()\nreturn loss, w.grad";
/** The gradient asks where `h` was positive when `h` is long stored. */
const backward = `x: f32[4096, 1024]
w: f32[1024, 1024] = param()
u: f32[1024, 1024] = param()
def loss(w, u):
  h = relu(x @ w)
  y = h @ u
  return (y * y).mean()
l, g = value_and_grad(loss, argnums=(0, 1))(w, u)
return l, g[0], g[1]`;

export const examples: readonly Example[] = [
  { name: "x * 1 is x", text: "x: f32[4096, 1024]\ny = relu(x * 1)", codes: ["A_PATTERN"], kernels: 1, ops: 1 },
  { name: "x + 0 goes", text: "x: f32[4096, 1024]\ny = relu(x + 0)", codes: ["A_PATTERN"], kernels: 1, ops: 1 },
  {
    name: "a choice by what is not so is the other choice",
    text: "x: f32[4096, 1024]\nmask: bool[4096, 1024]\ny = x.masked_fill(~mask, 0.0)",
    codes: ["A_PATTERN"],
    kernels: 1,
    ops: 1,
  },
  {
    name: "a number is not taken for what it would be as a test",
    text: "x: f32[4096, 1024]\ny = where(logical_not(x), x, x + 1)",
    codes: [],
    without: ["A_PATTERN"],
    kernels: 1,
  },
  {
    name: "two signs cancel, and so does a square's",
    text: "x: f32[4096, 1024]\ny = sin((-x) * (-x)) + square(-x)",
    codes: ["A_PATTERN"],
    kernels: 1,
    ops: 4,
  },
  {
    name: "one sign stays",
    text: "x: f32[4096, 1024]\nw: f32[1024]\ny = (-x) / w",
    codes: ["A_BYTES"],
    without: ["A_PATTERN"],
    kernels: 1,
    ops: 2,
  },
  {
    name: "x + 0 stays in strict mode",
    text: "x: f32[4096, 1024]\ny = relu(x + 0)",
    options: { strict: true },
    codes: ["L_STRICT"],
    kernels: 1,
    ops: 2,
  },
  { name: "x * 0 stays", text: "x: f32[4096, 1024]\ny = relu(x * 0)", codes: ["A_BYTES"], kernels: 1, ops: 2 },
  {
    name: "two transposes cancel",
    text: "x: f32[512, 1024]\ny = relu(transpose(transpose(x, 0, 1), 0, 1))",
    codes: ["A_VIEW"],
    kernels: 1,
    ops: 1,
  },
  {
    name: "two different transposes stay one",
    text: "x: f32[16, 32, 64]\ny = relu(transpose(transpose(x, 0, 1), 1, 2))",
    codes: ["A_VIEW"],
    kernels: 1,
    ops: 2,
  },
  {
    name: "a repeated call is made once",
    text: "x: f32[8192, 1024]\na = softmax(x, dim=-1)\nb = softmax(x, dim=-1)\ny = a + b * 2",
    codes: ["A_PATTERN"],
    kernels: 1,
    ops: 7,
  },
  {
    name: "different sums are not equal",
    text: "x: f32[1024, 1024]\na = x.sum(dim=0)\nb = x.sum(dim=1)\ny = a + b",
    codes: ["L_REDUCE_REDUCE"],
    kernels: 2,
    ops: 3,
  },
  {
    name: "sums of rows and of columns",
    text: "x: f32[8192, 1024]\na = x.sum(dim=0)\nb = x.sum(dim=1)",
    codes: ["A_BYTES"],
    kernels: 2,
  },
  {
    name: "sums of rows and of columns in strict mode",
    text: "x: f32[8192, 1024]\na = x.sum(dim=0)\nb = x.sum(dim=1)",
    options: { strict: true },
    codes: ["L_STRICT"],
    kernels: 2,
  },
  {
    name: "random draws stay apart",
    text: "x: f32[4096, 1024]\na = dropout(x, p=0.5, seed=1)\nb = dropout(x, p=0.5, seed=1)\ny = a * b",
    codes: ["L_EFFECT"],
    kernels: 1,
    ops: 3,
  },
  {
    name: "a result stays, a second store serves its reader",
    text: "x: f32[4096, 1024]\na = relu(x)\nb = exp(a)\nreturn a, b",
    codes: ["L_ROOT", "A_BYTES"],
    kernels: 1,
  },
  {
    name: "a boundary",
    text: "x: f32[4096, 1024]\ny = log(exp(x) + 1)",
    options: { forbidden: [edge("y/0/0>y/0:0")] },
    codes: ["U_USER_BARRIER"],
    kernels: 2,
    apart: [["y/0/0", "y/0"]],
  },
  {
    name: "a backward pass that runs later",
    text: relu,
    options: { savedValues: { apart: true, choices: {} } },
    codes: ["L_SAVED"],
    kernels: 3,
  },
  {
    name: "what it reads recomputed",
    text: relu,
    options: { savedValues: { apart: true, policy: "cut", choices: {} } },
    codes: ["A_BYTES"],
    kernels: 3,
  },
  {
    name: "a bit an element",
    text: relu,
    options: { savedValues: { apart: true, choices: { [nodeId("h")]: "bits" } } },
    codes: ["A_BYTES"],
    kernels: 3,
  },
  {
    name: "a product is saved",
    text: wide,
    options: { savedValues: { apart: true, policy: "cut", choices: {} } },
    codes: ["C_RECOMPUTE"],
    kernels: 5,
  },
  {
    name: "a boundary inside a call",
    text: "x: f32[8192, 1024]\ny = softmax(x, dim=-1)",
    options: { forbidden: [edge("y.exp>y:0")] },
    codes: ["U_USER_BARRIER"],
    kernels: 2,
    apart: [["y.exp", "y"]],
  },
  {
    name: "a forced edge",
    text: "x: f32[4194304]\nv, i = topk(x, 1)\ny = x * v",
    options: { forced: [edge("v>y:1")] },
    codes: ["U_FORCE"],
    kernels: 1,
  },
  {
    name: "one workgroup for the whole tensor",
    text: "x: f32[4194304]\nv, i = topk(x, 1)\ny = x * v",
    codes: ["C_PARALLELISM"],
    kernels: 3,
  },
  {
    name: "softmax after a product",
    text: `${square}\ny = softmax(x @ w, dim=-1)`,
    codes: ["L_ROW_NOT_OWNED"],
    kernels: 2,
  },
  {
    name: "softmax after a product with narrow rows",
    text: "x: f32[8192, 64]\nw: f32[64, 128]\ny = softmax(x @ w, dim=-1)",
    codes: ["A_BYTES"],
    without: ["L_ROW_NOT_OWNED"],
    kernels: 1,
  },
  {
    name: "softmax of scores that are cheap to compute twice",
    text: "q: f32[16, 1024, 16]\nk: f32[16, 1024, 16]\ny = softmax(q @ k.mT, dim=-1)",
    codes: ["L_ROW_NOT_OWNED", "A_BYTES"],
    kernels: 1,
  },
  {
    name: "narrow rows in strict mode",
    text: "x: f32[8192, 64]\nw: f32[64, 128]\ny = softmax(x @ w, dim=-1)",
    options: { strict: true },
    codes: ["L_STRICT"],
    kernels: 2,
  },
  {
    name: "a linear layer and its loss",
    text: 'h: f32[4096, 64]\nw: f32[8192, 64]\ny: i32[4096] = zeros()\nloss = cross_entropy(linear(h, w), y, reduction="none")',
    codes: ["A_BYTES"],
    without: ["L_ROW_NOT_OWNED"],
    kernels: 2,
  },
  {
    name: "two products of different operands",
    text: `${square}\nv: f32[1024, 1024]\ny = (x @ w) * (v @ w)`,
    codes: ["L_TWO_CONTRACT"],
    kernels: 2,
  },
  {
    name: "two products of one operand",
    text: `${square}\nv: f32[1024, 1024]\ny = (x @ w) * (x @ v)`,
    codes: ["A_BYTES"],
    without: ["L_TWO_CONTRACT"],
    kernels: 1,
  },
  {
    name: "the tuned product",
    text: `${square}\ny = relu(x @ w)`,
    options: { matmulPolicy: "library" },
    codes: ["C_LIBRARY"],
    kernels: 2,
  },
  {
    name: "a product above the line",
    text: `${square}\ny = relu(x @ w)`,
    options: { matmulPolicy: "threshold" },
    codes: ["C_LIBRARY"],
    kernels: 2,
  },
  {
    name: "a product below the line",
    text: `${square}\ny = relu(x @ w)`,
    options: { matmulPolicy: "threshold", libraryAbove: 1000 },
    codes: ["A_BYTES"],
    without: ["C_LIBRARY"],
    kernels: 1,
  },
  { name: "an expensive prologue", text: `${square}\ny = gelu(x) @ w`, codes: ["C_RECOMPUTE"], kernels: 2 },
  { name: "a cheap prologue", text: `${square}\ny = relu(x) @ w`, codes: ["A_BYTES"], kernels: 1 },
  {
    name: "a prologue that reads more than it saves",
    text: `${square}\nv: f32[1024, 1024]\ny = (x + v) @ w`,
    codes: ["C_NEGATIVE"],
    kernels: 2,
  },
  {
    name: "a normalised row before a product",
    text: `${square}\ny = rms_norm(x, (1024,)) @ w`,
    codes: ["A_BYTES"],
    kernels: 2,
  },
  { name: "a folded transpose", text: `${square}\ny = x @ w.T`, codes: ["A_VIEW"], kernels: 1 },
  {
    name: "rows stored as columns",
    text: "x: f32[4096, 4096]\ny = softmax(x, dim=-1).T",
    codes: ["C_NEGATIVE"],
    kernels: 2,
  },
  {
    name: "heads stored apart",
    text: "x: f32[2048, 1024]\nw: f32[1024, 1024]\ny = (x @ w).reshape(4, 512, 16, 64).transpose(1, 2)",
    codes: ["A_BYTES"],
    kernels: 1,
  },
  {
    name: "a path that leaves and returns",
    text: `${square}\na = gelu(x)\ny = softmax(a @ w, dim=-1) + a`,
    codes: ["L_CYCLE"],
    kernels: 3,
  },
  { name: "more buffers than bindings", text: adds(12), codes: ["L_BINDINGS"], kernels: 2 },
  {
    name: "more buffers than bindings, small ones among them",
    text: `x: f32[4096, 1024]\n${Array.from({ length: 9 }, (_, i) => `b${i}: f32[1024]`).join("\n")}\ny = x + ${Array.from({ length: 9 }, (_, i) => `b${i}`).join(" + ")}`,
    codes: ["A_BYTES"],
    without: ["L_BINDINGS"],
    kernels: 1,
  },
  {
    name: "more slices than bindings, of two tensors",
    text: "a: f32[1048576, 4]\nb: f32[1048576, 4]\np, q, r, s = a.unbind(-1)\nt, u, v, w = b.unbind(-1)\nreturn stack([p * t - q * u - r * v - s * w, p * u + q * t + r * w - s * v, p * v - q * w + r * t + s * u, p * w + q * v - r * u + s * t], dim=-1)",
    codes: ["L_BINDINGS", "A_BYTES"],
    kernels: 1,
  },
  { name: "more ops than the group size", text: chain(300), codes: ["C_CODE_SIZE"], kernels: 2 },
  {
    name: "a larger group size",
    text: chain(300),
    options: { groupSize: 5 },
    codes: ["A_BYTES"],
    without: ["C_CODE_SIZE"],
    kernels: 1,
  },
  {
    name: "more live values than registers",
    text: liveValues(260),
    options: { groupSize: 31 },
    codes: ["C_REGISTERS"],
    kernels: 2,
  },
  { name: "one element of each row", text: picked, codes: ["A_BYTES"], kernels: 1 },
  {
    name: "one element of each row in strict mode",
    text: picked,
    options: { strict: true },
    codes: ["L_STRICT"],
    kernels: 2,
  },
  { name: "one element of rows that are stored anyway", text: `${picked}\nreturn y, p`, codes: [], kernels: 2 },
  {
    name: "a mask that only the backward pass asks for",
    text: backward,
    codes: ["C_BEATEN", "A_BYTES"],
    kernels: 7,
    apart: [["l/grad#0/gt", "l/loss#0/h"]],
  },
  {
    name: "a value larger than a binding",
    text: "u: f32[8192, 1]\nv: f32[1, 8192]\nw: f32[8192, 1024]\ny = exp(u * v) @ w",
    codes: ["L_BINDINGS"],
    without: ["C_RECOMPUTE"],
    kernels: 1,
  },
  {
    name: "the same value where it can be bound",
    text: "u: f32[8192, 1]\nv: f32[1, 8192]\nw: f32[8192, 1024]\ny = exp(u * v) @ w",
    options: { profile: { ...generic, maxBindingBytes: 2 ** 30 } },
    codes: ["C_RECOMPUTE"],
    without: ["L_BINDINGS"],
    kernels: 2,
  },
  {
    name: "readers of a shared value",
    text: "x: f32[4096, 1024]\nb: f32[4096, 1024]\nt = x * 2\nz1 = t + b\nz2 = t - b",
    codes: ["C_BEATEN", "A_BYTES"],
    kernels: 1,
  },
  {
    name: "a running sum with its neighbours",
    text: "x: f32[4096, 4096]\nn: f32[4096]\ny = cumsum(exp(x), dim=-1) / n",
    codes: ["A_BYTES"],
    kernels: 1,
  },
  {
    name: "a running sum of a softmax",
    text: "x: f32[4096, 1024]\np = softmax(x)\ny = where(cumsum(p, dim=-1) - p < 0.9, p, 0.0)",
    codes: ["A_BYTES"],
    kernels: 1,
  },
  {
    name: "a sort with its neighbours",
    text: "x: f32[4096, 1024]\ny = relu(sort(exp(x))) * 2",
    codes: ["A_BYTES"],
    kernels: 1,
  },
  {
    name: "values and indices from one sort",
    text: "x: f32[4096, 1024]\ny = topk(x, 8)\ni = topk_indices(x, 8)",
    codes: ["A_BYTES"],
    kernels: 1,
  },
  {
    name: "top-p sampling",
    text: "x: f32[1024, 1000]\np = softmax(x)\ns = sort(p, descending=True)\nc = cumsum(s, dim=-1)\ny = where(c - s < 0.9, s, 0.0)",
    codes: ["A_BYTES"],
    kernels: 1,
  },
  {
    name: "two sorts that one workgroup has no room for",
    text: "x: f32[1024, 2048]\na = argsort(x)\nb = argsort(x * x)\ny = a - b",
    codes: ["L_WGMEM"],
    kernels: 2,
  },
  {
    name: "a sort of rows and sums of columns",
    text: "x: f32[4096, 1024]\ny = sort(x)\ns = x.sum(dim=0)\ny = y - s",
    codes: ["L_REDUCE_REDUCE"],
    kernels: 2,
  },
  {
    name: "running sums both ways",
    text: "x: f32[4096, 1024]\ny = cumsum(x, dim=-1) + cumsum(x, dim=-1, reverse=True)",
    codes: ["L_INDEX"],
    kernels: 2,
  },
  {
    name: "running sums over other axes",
    text: "x: f32[1024, 1024]\ny = cumsum(cumsum(x, dim=0), dim=1)",
    codes: ["L_REDUCE_REDUCE"],
    kernels: 2,
  },
  { name: "siblings", text: "x: f32[4096, 1024]\na = sin(x)\nb = cos(x)", codes: ["A_BYTES"], kernels: 1 },
  {
    name: "loops of different sizes",
    text: "x: f32[4096, 1024]\nm = x.max(dim=-1, keepdim=True)\ns = exp(x - m)\ny = s[:, :512] * 2\nreturn s, y",
    codes: ["L_SHAPE"],
    kernels: 2,
  },
  {
    name: "a sum of sums in strict mode",
    text: "x: f32[256, 128, 226]\ny = x.sum(dim=2).sum(dim=1)",
    options: { strict: true },
    codes: ["L_STRICT", "L_REDUCE_REDUCE"],
    kernels: 2,
  },
  {
    name: "what follows a sum, read by a boundary and by others",
    text: "x: f32[512, 4096]\nl = log(x.sum(dim=1))\ny = custom_call(l) + l",
    codes: ["A_BYTES", "L_OPAQUE", "L_CYCLE"],
    kernels: 3,
  },
  { name: "a boundary op", text: "x: f32[4096, 1024]\ny = relu(all_reduce(exp(x)))", codes: ["L_OPAQUE"], kernels: 3 },
  {
    name: "a product of integers folded while it is made",
    text: "x: i32[512, 512] = zeros()\nw: i32[512, 512] = zeros()\ny = (x @ w).max(dim=-1)",
    codes: ["L_DTYPE"],
    kernels: 2,
  },
  { name: "heads too wide for a workgroup", text: heads(256), codes: ["L_WGMEM"], kernels: 3 },
  { name: "a scale that the run brings", text: normalisedConv, codes: ["L_NOT_CONST"], kernels: 1 },
  {
    name: "more statements than a driver builds in good time",
    text: chain(2100),
    options: { groupSize: 40 },
    codes: ["C_COMPILE_BUDGET"],
    kernels: 2,
  },
  {
    name: "a long fold and what follows it, cut in parts that keep the device busy",
    text: "x: f32[65536, 64]\nt = tanh(x)\ns = t.sum(dim=0)\ny = t * s",
    codes: ["A_BYTES"],
    without: ["C_PARALLELISM"],
    kernels: 2,
  },
  { name: "a shared value and its readers of three sizes", text: smallShared, codes: ["A_BYTES"], kernels: 1 },
  {
    name: "one step for parameters of two sizes",
    text: "p: f32[512, 256]\ng: f32[512, 256]\nb: f32[512]\nh: f32[512]\nreturn p - 0.1 * g, b - 0.1 * h",
    codes: ["A_LAUNCH"],
    kernels: 1,
  },
  {
    name: "a merge that would keep a large tensor alive",
    text: longLives,
    options: {
      profile: { ...generic, memoryLimitBytes: 13 * 1048576 },
      disabledPasses: allPasses.map(({ name }) => name).filter((name) => name !== "producer-consumer"),
    },
    codes: ["C_PEAK_MEMORY"],
    kernels: 10,
  },
];

export const runExample = ({ text, options }: Example): Compilation => compiled(graphOf(text), options);

const codeOf = ({ legal, profitable }: Step): ReasonCode => (profitable ?? legal).code;

/** What is not as the example says. */
export function exampleFaults(example: Example): string[] {
  const compilation = runExample(example);
  const { steps } = compilation;
  const final = fusionAt(compilation, steps.length);
  const codes = new Set(steps.map(codeOf));
  const faults: string[] = [];
  for (const code of example.codes) if (!codes.has(code)) faults.push(`no ${code} among ${[...codes].join(" ")}`);
  for (const code of example.without ?? []) if (codes.has(code)) faults.push(`${code} although not expected`);
  const { kernels } = steps.at(-1)?.totals ?? { kernels: final.regions.size };
  if (kernels !== example.kernels) faults.push(`${kernels} kernels, not ${example.kernels}`);
  const ops = [...final.graph.nodes.values()].filter(({ op }) => op !== "input" && op !== "const").length;
  if (example.ops !== undefined && ops !== example.ops) faults.push(`${ops} ops, not ${example.ops}`);
  for (const [a, b] of example.apart ?? []) {
    const together = [...final.regions.values()].some(
      ({ members }) => members.includes(a as NodeId) && members.includes(b as NodeId),
    );
    if (together) faults.push(`${a} and ${b} share a kernel`);
  }
  const last = new Map<string, ReasonCode>();
  for (const step of steps.filter(({ accepted }) => !accepted)) {
    const keys = step.edges.length > 0 ? step.edges : [step.nodes.join()];
    if (keys.every((key) => last.get(key) === codeOf(step)))
      faults.push(`${codeOf(step)} of ${keys.join()} is repeated`);
    for (const key of keys) last.set(key, codeOf(step));
  }
  for (const step of steps) faults.push(...wordFaults(step));
  return faults;
}

/** A sentence a teacher would say: whole, with names, without unfinished numbers or banned words. */
export function wordFaults(step: Step): string[] {
  const verdicts = [step.legal, ...(step.profitable ? [step.profitable] : [])];
  return verdicts.flatMap(({ text, code, ok, remedy }) => {
    const faults: string[] = [];
    if (!/^[A-Z`−0-9]/.test(text) || !/[.!]$/.test(text)) faults.push(`${code}: not a sentence: ${text}`);
    if (/undefined|NaN|null|\[object|Infinity/.test(text)) faults.push(`${code}: unfinished: ${text}`);
    if (/optimi[sz]|magic|smart|simply/i.test(text)) faults.push(`${code}: banned word: ${text}`);
    if (!ok && code.startsWith("C_") && remedy === undefined) faults.push(`${code}: no remedy: ${text}`);
    if (/(`[^`]+`)(?: and| where| from| to| of|, which) \1/.test(text) || /[Ff]using `[^`]+`, which work/.test(text))
      faults.push(`${code}: one name for two ops: ${text}`);
    if (
      step.cost?.criterion === "time" &&
      code === "A_BYTES" &&
      titleOf(step).includes("memory") !== / instead of [\d.]+ [KMGT]?i?B\b/.test(text)
    )
      faults.push(`${code}: ${titleOf(step)} over ${text}`);
    if (step.accepted && !ok) faults.push(`${code}: accepted although not ok`);
    return faults;
  });
}

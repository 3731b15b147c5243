/**
 * @file Plans one of the programs of the budgets in a process of its own, and prints what it took as JSON.
 * `node scripts/planning.mjs BUNDLE NAME`, where BUNDLE is src/fusion/index.ts as one file (what ships is a bundle too).
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** A chain that never repeats an op twice in a row, over a matrix that fits a cache line many times. */
function chainOf(ops) {
  const unary = ["relu", "exp", "tanh", "sigmoid", "neg", "abs"];
  const lines = ["x: f32[64, 64]", "v0 = relu(x)"];
  for (let i = 1; i < ops; i++) lines.push(`v${i} = ${unary[i % unary.length]}(v${i - 1})`);
  return { lines, last: `v${ops - 1}` };
}

/** Blocks of a normalisation and a residual, 9 primitives each as they are counted here. */
function blocksOf(ops) {
  const lines = ["x: f32[256, 128]", "w: f32[128]", "h0 = relu(x)"];
  const blocks = Math.floor((ops - 1) / 9);
  for (let i = 1; i <= blocks; i++) lines.push(`h${i} = h${i - 1} + gelu(rms_norm(h${i - 1}, w))`);
  return { lines, last: `h${blocks}` };
}

/** A residual network of bottleneck blocks, the four stages in the proportions of the deep ones: 3 of 8 of 36 of 3. */
function residualOf(calls) {
  const [parameters, body] = [["x: f32[1, 3, 224, 224]"], []];
  let count = 0;
  const convolved = (from, [inputs, outputs], kernel, stride, isActive) => {
    const k = ++count;
    parameters.push(`w${k}: f32[${outputs}, ${inputs}, ${kernel}, ${kernel}] = param()`);
    for (const name of ["mean", "var", "scale", "shift"]) parameters.push(`${name}${k}: f32[${outputs}] = param()`);
    body.push(`c${k} = conv2d(${from}, w${k}, stride=${stride}, padding=${(kernel - 1) / 2})`);
    body.push(`n${k} = batch_norm(c${k}, mean${k}, var${k}, scale${k}, shift${k})`);
    if (isActive) body.push(`r${k} = relu(n${k})`);
    return isActive ? `r${k}` : `n${k}`;
  };
  const stem = convolved("x", [3, 64], 7, 2, true);
  body.push(`h0 = max_pool2d(${stem}, 3, stride=2, padding=1)`);
  const blocks = Math.round((calls - 17) / 10);
  const deep = Math.round((blocks - 6) * (36 / 44));
  let [channels, at] = [64, 0];
  [3, blocks - 6 - deep, deep, 3].forEach((depth, stage) => {
    const width = 64 << stage;
    for (let block = 0; block < depth; block++) {
      const [from, stride] = [`h${at}`, block === 0 && stage > 0 ? 2 : 1];
      const skip = block > 0 ? from : convolved(from, [channels, 4 * width], 1, stride, false);
      const narrow = convolved(from, [channels, width], 1, 1, true);
      const wide = convolved(convolved(narrow, [width, width], 3, stride, true), [width, 4 * width], 1, 1, false);
      body.push(`h${++at} = relu(${wide} + ${skip})`);
      channels = 4 * width;
    }
  });
  parameters.push(`fc: f32[${channels}, 1000] = param()`);
  body.push(`y = softmax(mean(h${at}, dim=(2, 3)) @ fc)`);
  return { lines: [...parameters, ...body], last: "y" };
}

/** A recurrent layer as it is pasted, over `steps` steps of time: one call. */
function recurrentOver(steps) {
  const lines = [
    "import torch.nn as nn",
    "class M(nn.Module):",
    "    def __init__(self):",
    "        super().__init__()",
    "        self.rnn = nn.LSTM(64, 128, batch_first=True)",
    "    def forward(self, x):",
    "        h, _ = self.rnn(x)",
    "        return h[:, -1]",
    `x = torch.randn(32, ${steps}, 64)`,
    "model = M()",
    "y = model(x)",
  ];
  return { lines, last: "y" };
}

/** The gradient of a chain: values of the forward pass are read again in the backward pass. */
function gradientOf(ops) {
  const cycle = ["tanh(h)", "sigmoid(h)", "exp(-h)", "h * w + 1", "relu(h)"];
  const chain = Array.from({ length: ops }, (_, i) => `h = ${cycle[i % cycle.length]}`);
  const lines = [
    "x: f32[64, 64]",
    "w: f32[64, 64]",
    "h = x",
    ...chain,
    "loss = sum(h)",
    "loss.backward()",
    "g = w.grad",
  ];
  return { lines, last: "g" };
}

/** Programs by name: the least times of how many further runs, and whether they are of the large ones. */
const programs = {
  "chain of 1,000 ops": { make: () => chainOf(1000), again: 7 },
  "chain of 10,000 ops": { make: () => chainOf(10_000), again: 2 },
  "norm blocks of 1,000 ops": { make: () => blocksOf(1000), again: 7 },
  "norm blocks of 10,000 ops": { make: () => blocksOf(10_000), again: 2 },
  "residual network of 1,700 nodes": { make: () => residualOf(264), again: 3 },
  "residual network of 1,700 calls": { make: () => residualOf(1700), again: 2 },
  "recurrent layer of 256 steps": { make: () => recurrentOver(256), again: 2 },
  "gradient of 2,000 ops": { make: () => gradientOf(2000), again: 2 },
};
export const programNames = Object.keys(programs);

/** Milliseconds for which a processor worked on this thread, by Linux's books; elsewhere the time of day. */
function threadMillis() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** The most memory that this process has held so far, in bytes. */
function peakBytes() {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}

/** What `work` took, in milliseconds: on its thread, which other work on the machine lengthens least, and by the clock. */
function taken(work) {
  const [clock, thread] = [performance.now(), threadMillis()];
  const answer = work();
  return { answer, millis: threadMillis() - thread, wall: performance.now() - clock };
}

async function measure(bundle, name) {
  const { compile, defaultOptions } = await import(pathToFileURL(bundle).href);
  const plan = ({ lines, last }, edit) =>
    compile([...lines, `edited = ${last} * ${edit}`].join("\n"), defaultOptions, threadMillis, Infinity);
  const { make, again } = programs[name];
  plan(chainOf(20), 1);
  const program = make();
  const idle = process.memoryUsage.rss();
  const first = taken(() => plan(program, 2));
  const peak = peakBytes();
  const { naive, steps, naivePlan, fusedPlan } = first.answer;
  let best = first;
  for (let run = 0; run < again; run++) {
    const further = taken(() => plan(program, run + 3));
    if (further.millis < best.millis) best = further;
  }
  const ops = [...naive.graph.nodes.values()].filter(({ op }) => op !== "input" && op !== "const").length;
  return {
    nodes: naive.graph.nodes.size,
    ops,
    steps: steps.length,
    kernels: [naivePlan.kernels.length, fusedPlan.kernels.length],
    firstMillis: first.millis,
    againMillis: best.millis,
    againWall: best.wall,
    parts: best.answer.millis,
    growth: Math.max(0, peak - idle),
  };
}

const [, script, bundle, name] = process.argv;
if (script && import.meta.url === pathToFileURL(script).href) console.log(JSON.stringify(await measure(bundle, name)));

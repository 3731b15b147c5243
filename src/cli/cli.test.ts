import { expect, test } from "vitest";
import { encodeFile, encodeLink } from "../document";
import type { SharedState } from "../document";
import { amplifiedWords, compile, defaultOptions, inputData, runReference } from "../fusion";
import { checkOutputs, spread } from "./check";
import { commands, usageText } from "./args";
import { main } from "./index";

const log = `x: f32[64, 64]
b: f32[64, 64]
y = log(relu(x + b))
return y
`;

/** softmax(x · w) with x f32[batch, 4] and w = 0, 1, 2, 3, as ONNX. */
const model =
  "CAo6cwoOCgF4CgF3EgFoIgNNdWwKDwoBaBIBeSIHU29mdG1heBIBZyoZCAQQAUIBd0oQAAAAAAAAgD8AAABAAABAQFoYCgF4EhMKEQgBEg0KBxIFYmF0Y2gKAggEYhgKAXkSEwoRCAESDQoHEgViYXRjaAoCCARCBAoAEBE=";

/** Runs a command on a file `program.py` with this text. */
async function command(line: string, text = log, file = "program.py", others: Record<string, string> = {}) {
  const [printed, complained]: [string[], string[]] = [[], []];
  const written = new Map<string, string>();
  const environment = {
    read: async (path: string) => {
      const found = path === file ? text : others[path];
      if (found === undefined) throw new Error("ENOENT: no such file");
      return found;
    },
    bytes: async () => Buffer.from(model, "base64"),
    tokens: async () => ":root { --canvas: #fefefe; }",
    pixels: async (svg: string) => Buffer.from(`png of ${svg.slice(0, 4)}`),
    write: async (path: string, words: string | Uint8Array) => {
      if (path.includes("/")) throw new Error("ENOENT: no such folder");
      written.set(path, String(words));
    },
    print: (words: string) => void printed.push(words),
    complain: (words: string) => void complained.push(words),
    now: () => 0,
    gpu: async () => "There is no GPU in this test.",
  };
  const code = await main(line === "" ? [] : line.split(" "), environment);
  return { code, out: printed.join("\n"), err: complained.join("\n"), written };
}

const json = async (line: string, text = log) => JSON.parse((await command(`${line} --json`, text)).out);

const shared = (changes: Partial<SharedState["document"]["options"]> = {}): SharedState => ({
  version: 1,
  document: { text: log, positions: {}, options: { ...defaultOptions, ...changes }, example: null },
  decision: null,
});

test("plan --json has the promised keys and the promised numbers", async () => {
  const plan = await json("plan program.py");
  expect(Object.keys(plan)).toEqual(["kernels", "naive", "fused", "decisions", "diagnostics"]);
  expect(plan.naive).toMatchObject({ kernels: 3, transfers: 7, fullSizeTransfers: 7, bytes: 7 * 64 * 64 * 4 });
  expect(plan.fused).toMatchObject({ kernels: 1, transfers: 3, fullSizeTransfers: 3, bytes: 3 * 64 * 64 * 4 });
  expect(plan.naive.peakBytes).toBeGreaterThan(0);
  const [kernel] = plan.kernels;
  expect(Object.keys(kernel)).toEqual([
    "name",
    "template",
    "nodes",
    "inputs",
    "outputs",
    "bytesRead",
    "bytesWritten",
    "bytesReadAgain",
    "flops",
    "predictedMicros",
    "wgsl",
  ]);
  expect([kernel.inputs, kernel.outputs]).toEqual([["x", "b"], ["y"]]);
  expect([kernel.bytesRead, kernel.bytesWritten]).toEqual([2 * 64 * 64 * 4, 64 * 64 * 4]);
  expect(kernel.wgsl).toContain("@compute");
  for (const decision of plan.decisions) {
    expect(Object.keys(decision)).toEqual(["pass", "rule", "verdict", "code", "text", "nodes", "cost"]);
    expect(["accepted", "refused"]).toContain(decision.verdict);
  }
  expect(plan.decisions.some(({ verdict }: { verdict: string }) => verdict === "accepted")).toBe(true);
});

test("plan without --json is for people", async () => {
  const { code, out, err } = await command("plan program.py");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/naive {2}3 kernels, 7 transfers .*\nfused {2}1 kernel, 3 transfers/);
});

test("a claim that does not hold is told, and the plan is as it is", async () => {
  const claimed = log.replace("return y", "assert_kernels(2)\nassert_fused(y, nothing)\nreturn y");
  const { code, out, err } = await command("plan program.py", claimed);
  expect(code).toBe(1);
  expect(err).toContain("The plan has one kernel, not two.");
  expect(err).toContain("Nothing is called `nothing`.");
  expect(out).toBe((await command("plan program.py")).out);
});

test("explain gives a sentence and a code for each decision; wgsl gives the shaders", async () => {
  expect((await command("explain program.py")).out).toMatch(/1\. (yes|no ) .*A_|1\. /);
  const { kernels } = await json("wgsl program.py");
  expect(kernels).toHaveLength(1);
  expect((await command("wgsl program.py")).out).toContain(kernels[0].wgsl.trim());
});

test("run --device cpu agrees with the reference and says so", async () => {
  const answer = await json("run program.py");
  expect(Object.keys(answer)).toEqual([
    "kernels",
    "naive",
    "fused",
    "decisions",
    "diagnostics",
    "device",
    "outputs",
    "timings",
  ]);
  expect(answer.outputs.map((each: object) => Object.keys(each))).toEqual(
    Array.from({ length: 2 }, () => ["name", "plan", "maxAbs", "maxRel", "maxUlp", "loose", "amplified", "pass"]),
  );
  expect(answer.outputs).toMatchObject([
    { name: "y", plan: "naive", pass: true },
    { name: "y", plan: "fused", pass: true },
  ]);
  expect((await command("run program.py")).code).toBe(0);
});

test("run says of a program that amplifies rounding what the page says of it", async () => {
  const chaos = "x: f32[64] = uniform(0.1, 0.9)\nfor i in range(60):\n    x = 3.9 * x * (1 - x)\nreturn x\n";
  const { code, out } = await command("run program.py", chaos);
  expect([code, out.includes("DIFFERS")]).toEqual([0, false]);
  expect(out).toContain(amplifiedWords("where it is off,"));
});

test("a sample is spread over the whole output", () => {
  expect(spread(1)).toEqual([0]);
  expect(spread(5)).toEqual([0, 1, 2, 3, 4]);
  const many = spread(1_000_000);
  expect([many.length, many[0], many.at(-1), new Set(many).size]).toEqual([1024, 0, 999_999, 1024]);
});

test("an output that is an input needs no kernel", async () => {
  const { code } = await command("run program.py", "x: f32[8]\ny = relu(x)\nreturn x, y\n");
  expect(code).toBe(0);
});

test("run --device webgpu without a GPU says why, on the error stream", async () => {
  const { code, out, err } = await command("run program.py --device webgpu");
  expect([code, out, err]).toEqual([1, "", "There is no GPU in this test."]);
});

test("flags reach the compiler: granularity, level, forbid, force, policy, profile", async () => {
  const norm = "x: f32[64, 64]\ny = softmax(x)\n";
  expect((await json("plan program.py", norm)).naive.kernels).toBe(1);
  expect((await json("plan program.py --granularity primitive", norm)).naive.kernels).toBe(5);
  const kernelsAt = async (level: number) =>
    (await json(`plan program.py --granularity primitive --level ${level}`, norm)).fused.kernels;
  expect([await kernelsAt(0), await kernelsAt(3)]).toEqual([5, 1]);
  const apart = await json("plan program.py --forbid y/0>y:0");
  expect(apart.fused.kernels).toBe(2);
  expect(apart.decisions.some(({ code }: { code: string }) => code === "U_USER_BARRIER")).toBe(true);
  const readers =
    "x: f32[512, 512]\ny: f32[512, 512]\nb: f32[512, 512]\nc: f32[512, 512]\nt = x * y\nu = t + b\nv = t - c\nreturn u, v\n";
  const transfers = async (policy: string) =>
    (await json(`plan program.py --policy ${policy}`, readers)).fused.fullSizeTransfers;
  expect([await transfers("materialise"), await transfers("duplicate"), await transfers("multi")]).toEqual([9, 8, 6]);
});

test.each([
  ["", "Usage"],
  ["fuse program.py", "is no command"],
  ["plan", "needs a FILE"],
  ["plan a.py b.py", "left over"],
  ["plan program.py --device tpu", "--device is cpu or webgpu"],
  ["plan program.py --profile toaster", "generic"],
  ["plan program.py --knob threads", "--knob threads is no choice"],
  ["plan program.py --knob threads=17", "threads can't be 17"],
  ["plan program.py --level 4", "--level is 0 or 1 or 2 or 3"],
  ["plan program.py --forbid nonsense", "producer>consumer:operand"],
  ["plan program.py --wat", "--wat"],
  ["plan missing.py", "can't be read"],
])("%j is refused in words", async (line, words) => {
  const { code, out, err } = await command(line);
  // Nothing at all asks for help, which is an answer.
  expect(line === "" ? out : err).toContain(words);
  expect([code, line === "" ? "" : out]).toEqual([line === "" ? 0 : 1, ""]);
});

test("knobs change how kernels are written and counted: all of them, or the one that stores a value", async () => {
  const norm = "x: f32[8, 768]\nz: f32[5, 600]\nh = layer_norm(x)\ny = softmax(z)\nreturn h, y\n";
  const transfersOf = async (flags: string) => (await json(`plan program.py${flags}`, norm)).fused.transfers;
  const plain = await transfersOf("");
  expect(await transfersOf(" --knob h.rows=again")).toBe(plain + 2);
  expect(await transfersOf(" --knob h.rows=one-pass")).toBe(plain + 1);
  expect(await transfersOf(" --knob rows=again")).toBe(plain + 4);
  expect((await command("wgsl program.py --knob threads=64")).out).toContain("@workgroup_size(64)");
});

test("errors in the program go to the error stream with line and column; nothing is printed", async () => {
  const { code, out, err } = await command("plan program.py --json", "x: f32[4]\ny = rellu(x)\nz = x @@ x\n");
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(/^program\.py:2:5: error: /m);
  expect(err).toMatch(/^program\.py:3:\d+: error: /m);
});

test("pasted classes and defs are read by way of their fixes, and that is said", async () => {
  const pasted =
    "class Net(nn.Module):\n    def __init__(self, dim=64):\n        super().__init__()\n        self.fc = nn.Linear(dim, dim)\n    def forward(self, x):\n        return F.relu(self.fc(x))\n";
  const { code, out, err } = await command("plan program.py", pasted);
  expect([code, out.split("\n")[0]]).toEqual([0, expect.stringContaining("linear_relu")]);
  expect(err).toContain(
    "Classes were called with example sizes and inputs; those that the program does not fix are guesses.",
  );
  const def = await command("plan program.py", "def f(x, w, b):\n  return gelu(x @ w + b)\n");
  expect([def.code, def.err]).toEqual([
    0,
    "Inputs were given example shapes; sizes that the program does not fix are guesses.",
  ]);
});

test("a hole makes the plan wait", async () => {
  const { code, out } = await command("plan program.py", "x: f32[4]\ny = add(x, ...)\n");
  expect([code, out]).toEqual([1, ""]);
});

test("a saved document and a share link give the same plan, with their own options under the flags", async () => {
  const state = shared({ granularity: "primitive" });
  const link = await encodeLink(state);
  if (!link.ok) throw new Error(link.text);
  const fromFile = await command("plan saved.fusion.json --json", encodeFile(state), "saved.fusion.json");
  const fromLink = await command(`plan https://example.org/play/${link.value} --json`);
  const fromText = await command("plan link.txt --json", `${link.value}\n`, "link.txt");
  expect(fromFile.code).toBe(0);
  expect(fromLink.out).toBe(fromFile.out);
  expect(fromText.out).toBe(fromFile.out);
  const damaged = await command("plan https://example.org/#f1=AAAA");
  expect([damaged.code, damaged.out]).toEqual([1, ""]);
});

test("a model is planned and run with its own weights; what it leaves open is asked for", async () => {
  const asked = await command("plan net.onnx");
  expect([asked.code, asked.err]).toEqual([1, "net.onnx leaves batch of x open. Say it: --dim batch=8"]);
  const plan = await json("plan net.onnx --dim batch=3");
  expect(plan.kernels.map(({ inputs }: { inputs: string[] }) => inputs)).toEqual([["x", "w"]]);
  const { code, out } = await command("run net.onnx --dim batch=3");
  expect(code).toBe(0);
  expect(out).toContain("agrees");
  expect((await command("plan net.onnx --dim batch")).err).toContain("--dim batch is no extent");
});

test("export writes a module, or prints it; it says where it can't", async () => {
  const { code, out, err, written } = await command("export program.py -o fused.mjs");
  expect([code, out]).toEqual([0, ""]);
  const text = written.get("fused.mjs")!;
  expect(text).toMatch(/^export const create = /m);
  expect(text).not.toMatch(/^\s*import /m);
  expect(err).toBe(`fused.mjs: 1 kernel, ${text.length} characters.`);
  expect((await command("export program.py")).out).toBe(text);
  const refused = await command("export program.py -o nowhere/fused.mjs");
  expect([refused.code, refused.err]).toEqual([1, "nowhere/fused.mjs can't be written: ENOENT: no such folder"]);
  expect((await command("plan program.py -o plan.txt")).err).toMatch(
    /^plan writes no file; -o is for export, picture, report\./,
  );
});

const learning = `x: f32[8, 3] = uniform(-1, 1)
w: f32[3] = param()
loss, g = value_and_grad(lambda w: ((x @ w - x.sum(-1)) ** 2).mean())(w)
w = w - 0.1 * g
return loss
`;

test("train prints both losses, and every step as JSON; the same seed gives the same curve", async () => {
  const said = await command("train program.py --steps 12", learning);
  expect(said).toMatchObject({ code: 0, err: "" });
  expect(said.out).toContain("12 steps on cpu, seed 0, 1 tensor replaced at each step");
  expect(said.out).toMatch(/^step +loss, naive +loss, fused$/m);
  const curve = await json("train program.py --steps 12 --seed 3", learning);
  expect(curve).toMatchObject({ steps: 12, seed: 3, told: ["loss"] });
  expect(curve.naive).toHaveLength(12);
  expect(curve.fused[11][0]).toBeLessThan(curve.fused[0][0]);
  expect(curve.apart.relative).toBeLessThan(1e-4);
  expect(await json("train program.py --steps 12 --seed 3", learning)).toEqual(curve);
});

test("train says what a program lacks, and what no number of steps is", async () => {
  const dull = await command("train program.py");
  expect(dull).toMatchObject({ code: 1, out: "" });
  expect(dull.err).toContain("This program does not train.");
  const silent = await command("train program.py", learning.replace("return loss", "return x"));
  expect(silent.err).toContain("Return the loss");
  expect((await command("train program.py --steps 0", learning)).err).toContain("--steps is a whole number from 1");
  expect((await command("plan program.py --steps 5", learning)).err).toContain("--steps and --seed are for train");
});

test("a kernel of one's own needs a GPU, and is written as a name and a file", async () => {
  expect(await command("run program.py --kernel K1=mine.wgsl")).toMatchObject({
    code: 1,
    err: expect.stringContaining("--kernel is for run --device webgpu"),
  });
  expect(await command("plan program.py --device webgpu --kernel K1=mine.wgsl")).toMatchObject({ code: 1 });
  expect(await command("run program.py --device webgpu --kernel mine.wgsl")).toMatchObject({
    code: 1,
    err: expect.stringContaining("One is written K1=mine.wgsl."),
  });
});

test("picture and report write what the page shows: both plans, a card, a page to print", async () => {
  const fused = await command("picture program.py -o graph.svg");
  expect(fused).toMatchObject({ code: 0, err: "" });
  const svg = fused.written.get("graph.svg")!;
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  for (const word of ["<title>program</title>", "#fefefe", "K1 add relu log", "relu"]) expect(svg).toContain(word);
  const naive = (await command("picture program.py --of naive")).out;
  expect(naive).toContain("16 KiB");
  expect(naive).not.toContain("K1 add relu log");
  const card = (await command("picture program.py --of card")).out;
  for (const word of ["3 kernels, 112 KiB through memory", "1 kernel, 48 KiB through memory"])
    expect(card).toContain(word);
  const chart = async (name: string): Promise<string> => (await command(`picture program.py --of ${name}`)).out;
  for (const word of ["Predicted, not measured", "naive: 3 kernels", "48 of 48 KiB", "done at"])
    expect(await chart("race")).toContain(word);
  // Two FLOP on each element of what is read and stored, under the roofs of the profile and of datasheets.
  for (const word of ["<title>program, under the roofs of datasheets</title>", "a100", "h100", "fused 0."])
    expect(await chart("roofline")).toContain(word);
  for (const word of ["naive: peak 64 KiB", "fused: peak", ">x</text>"]) expect(await chart("memory")).toContain(word);
  for (const word of ["Predicted for the profile generic, not measured", ">naive</text>", ">fused</text>"])
    expect(await chart("times")).toContain(word);
  const sized = "N = 64\nx: f32[N, 32]\nw: f32[32, 32]\ny = softmax(x @ w @ x.T)\n";
  const grows = (await command("picture program.py --of growth", sized)).out;
  for (const word of ["program, growth with N", ">Peak memory</text>", ">Traffic</text>", ">256</text>"])
    expect(grows).toContain(word);
  expect((await command("picture program.py --of growth")).err).toMatch(/a line such as N = 1024 names one/);
  const none = await command("picture program.py --of saved");
  expect([none.code, none.err]).toEqual([1, "The picture can't be written: the program has no backward pass"]);
  expect((await command("picture program.py -o graph.png")).written.get("graph.png")).toBe("png of <svg");
  const page = (await command("report program.py -o report.html")).written.get("report.html")!;
  for (const word of ["<!doctype html>", "<h2>Kernels of the fused plan</h2>", "<svg"]) expect(page).toContain(word);
  expect((await command("report program.py --of card")).err).toContain("--of and --theme are for picture, not report.");
  expect((await command("plan program.py -o plan.txt")).err).toContain(
    "plan writes no file; -o is for export, picture, report.",
  );
});

test("plans for the device of a file, or for that of a saved document", async () => {
  const card = { name: "acme anvil", bandwidth: 4e12, launchMicros: 2, multiprocessors: 132, counted: true };
  const files = {
    "card.json": JSON.stringify(card),
    "saved.fusion.json": encodeFile(shared({ profile: { ...defaultOptions.profile, ...card } })),
    "none.json": JSON.stringify({ bandwidth: "fast" }),
  };
  const planFor = async (profile: string) =>
    command(`plan program.py --json --profile ${profile}`, log, "program.py", files);
  const [plain, own, saved] = await Promise.all(["generic", "card.json", "saved.fusion.json"].map(planFor));
  const micros = ({ out }: { out: string }): number => JSON.parse(out).fused.predictedMicros;
  expect(micros(own!)).toBeLessThan(micros(plain!));
  expect(micros(saved!)).toBe(micros(own!));
  expect((await planFor("none.json")).err).toContain("none.json holds no device. It is JSON with a name and numbers");
  expect((await planFor("gone.json")).err).toContain("gone.json can't be read");
});

test("optimum puts the best plan by the price beside the planner's", async () => {
  const best = await command("optimum program.py");
  expect(best.out).toMatch(
    /^By the cost model, no plan is better: [\d.]+ µs\. \d+ kernels weighed, on the device profile generic\.$/,
  );
  const levelled = await command("optimum program.py --level 0");
  expect(levelled.out).toMatch(/^By the cost model, the plan takes .+, \d+ % more than the best one: /);
  expect(levelled.out).toContain("from ");
  expect(await json("optimum program.py")).toMatchObject({ regret: 0, kernels: [{ outputs: ["y"] }] });
  const long = `x: f32[64]\n${Array.from({ length: 40 }, () => "x = sin(x)").join("\n")}`;
  const large = await command("optimum program.py", long);
  expect(large).toMatchObject({
    code: 1,
    err: "The best plan is not searched for: 40 ops are too many to try every plan: 30 at most.",
  });
});

test("every command answers --help with what there is, and an unknown flag with a sentence", async () => {
  const named = [...usageText.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => name!);
  expect(named).toEqual([...commands, "check"]);
  for (const name of named) {
    for (const asked of [`${name} --help`, `${name} -h`, `${name} program.py -h`]) {
      const { code, out, err } = await command(asked);
      expect([asked, code, out, err]).toEqual([asked, 0, usageText, ""]);
    }
    for (const asked of [name, `${name} program.py --nonsense`, `${name} program.py --device tpu`]) {
      const { code, out, err } = await command(asked);
      expect([asked, code, out]).toEqual([asked, 1, ""]);
      expect(err).toContain("Usage:");
    }
  }
  expect((await command("check program.py --level 3")).err).toContain("check takes no --level.");
  expect((await command("check no-such-folder")).err).toBe("There is no no-such-folder.");
});

test.each([
  ["plan", '{"nodes": [1]}', "program.py: It doesn't say which version made it. A program is Python text"],
  ["plan", '{"cells": [], "nbformat": 4}', "It is a notebook: save its code as a .py file"],
  ["plan", "import os\nos.getcwd()\n", "computes nothing yet, so there is no plan. Call what it defines, and end with"],
  [
    "run",
    "x = zeros(100000, 100000)\nreturn x + 1\n",
    "x has 10,000,000,000 elements; a tensor of at most 268,435,456",
  ],
])("%s refuses %j and says what to do", async (what, text, wanted) => {
  const { code, err } = await command(`${what} program.py`, text);
  expect([code, err]).toEqual([1, expect.stringContaining(wanted)]);
});

test("an agreement that is off by more than 1 % of its scale says why it may be", () => {
  const { naive, naivePlan } = compile("x: f32[1, 65536]\nw: f32[65536, 2]\nreturn x @ w\n", defaultOptions);
  const { graph } = naive!;
  const inputs = new Map(
    [...graph.nodes.values()].flatMap((node) => (node.op === "input" ? [[node.id, inputData(node)] as const] : [])),
  );
  const want = runReference(graph, inputs, { precision: "f64" });
  const off = (share: number) =>
    checkOutputs(graph, naivePlan!, inputs, (_, output) => {
      const { data } = want.get(output)!;
      const most = Math.max(...data.map(Math.abs));
      return data.map((value) => value + share * most);
    }).outputs.map(({ pass, loose }) => [pass, loose !== null]);
  expect([off(0), off(0.02)]).toEqual([
    [
      [true, false],
      [true, false],
    ],
    [
      [true, true],
      [true, true],
    ],
  ]);
});

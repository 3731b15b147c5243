/** @file The Triton view of kernels computes what the graph says, with `tl` played by a few lines of NumPy. Triton itself is not run. */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, inputData, runReference, tritonText } from "../src/fusion";
import { allLessons, optionsFor } from "../src/lessons";

const PRELUDE = `
import json, sys, types
import numpy as np
class V(np.ndarray):
    def to(self, dtype): return self.astype(dtype).view(V)
v = lambda x: np.asarray(x).view(V)
f = lambda g: lambda *a: v(g(*a))
class P:
    def __init__(self, data, at=0): self.data, self.at = data, at
    def __add__(self, more): return P(self.data, self.at + more)
pid = 0
def load(p, mask=None, other=0):
    at = np.asarray(p.at)
    if mask is None: return v(p.data[at])
    return v(np.where(mask, p.data[np.where(mask, at, 0)], other))
def store(p, value, mask=None):
    at = np.asarray(p.at)
    value = np.broadcast_to(value, at.shape)
    if mask is None: p.data[at] = value
    else: p.data[at[mask]] = value[mask]
with_erf = np.vectorize(__import__("math").erf, otypes=[float])
tl = types.SimpleNamespace(load=load, store=store, program_id=lambda _: pid, arange=lambda a, b: v(np.arange(a, b)),
  where=f(np.where), exp=f(np.exp), exp2=f(np.exp2), log=f(np.log), log2=f(np.log2), sqrt=f(np.sqrt), sin=f(np.sin), cos=f(np.cos),
  floor=f(np.floor), ceil=f(np.ceil), abs=f(np.abs), maximum=f(np.maximum), minimum=f(np.minimum), erf=f(with_erf),
  rsqrt=f(lambda x: 1 / np.sqrt(x)), fma=f(lambda a, b, c: a * b + c), clamp=f(lambda a, l, h: np.minimum(np.maximum(a, l), h)),
  sum=lambda x, axis: v(np.sum(x)), max=lambda x, axis: v(np.max(x)), min=lambda x, axis: v(np.min(x)),
  argmax=lambda x, axis: v(np.argmax(x)), argmin=lambda x, axis: v(np.argmin(x)),
  float32=np.float64, int32=np.int64, uint32=np.uint32, constexpr=int)
libdevice = types.SimpleNamespace(tanh=f(np.tanh), pow=f(np.power), sinh=f(np.sinh), cosh=f(np.cosh), tan=f(np.tan), rint=f(np.rint),
  trunc=f(np.trunc), atan2=f(np.arctan2))
triton = types.SimpleNamespace(jit=lambda g: g)
np.seterr(all="ignore")
job = json.load(sys.stdin)
scope = dict(tl=tl, triton=triton, libdevice=libdevice, float=float)
exec(job["text"], scope)
buffers = {k: np.array([float("nan") if x is None else x for x in d], dtype=np.float64) for k, d in job["buffers"].items()}
for pid in range(job["programs"]):
    scope[job["name"]](*[P(buffers[k]) for k in job["order"]], job["block"])
print(json.dumps({k: [repr(float(x)) for x in buffers[k]] for k in job["wanted"]}))
`;

const hasNumpy = spawnSync("python3", ["-c", "import numpy"]).status === 0;
if (!hasNumpy) console.warn("There is no Python with NumPy here: the Triton view is not checked.");

interface Shown {
  readonly text: string;
  readonly wrong: readonly string[];
}

/** Runs a program's single fused kernel as Triton; null where it is not shown. */
function shown(program: string): Shown | string {
  const compilation = compile(program, defaultOptions);
  const { graph } = fusionAt(compilation, compilation.steps.length);
  const [kernel, ...others] = compilation.fusedPlan!.kernels;
  if (!kernel || others.length > 0) throw new Error("one kernel was meant");
  const written = tritonText(graph, kernel);
  if (typeof written === "string") return written;
  const [, order] = /def \w+\((.*), BLOCK/.exec(written.text)!;
  const [, programs, block] = /grid = \((\d+),\), BLOCK = (\d+)/.exec(written.text)!;
  const names = order!.split(", ");
  const data = new Map([...graph.nodes.values()].filter(({ op }) => op === "input").map((n) => [n.id, inputData(n)]));
  const buffers = Object.fromEntries(
    names.map((name) => {
      const label = name.replace(/_ptr$/, "");
      const input = [...graph.nodes.values()].find((n) => n.op === "input" && n.label === label);
      const output = [...graph.nodes.values()].find((n) => n.op !== "input" && n.label === label);
      const size = (input ?? output)!.type.shape.reduce((a, b) => a * b, 1);
      return [name, input ? [...data.get(input.id)!] : Array.from({ length: size }, () => null)];
    }),
  );
  const wanted = names.slice(names.length - kernel.writes.length);
  const job = {
    ...written,
    name: kernel.name,
    programs: Number(programs),
    block: Number(block),
    order: names,
    buffers,
    wanted,
  };
  const { stdout, stderr, status } = spawnSync("python3", ["-c", PRELUDE], {
    input: JSON.stringify(job),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${stderr}\n${written.text}`);
  const answers = JSON.parse(stdout) as Record<string, string[]>;
  const right = runReference(graph, data);
  const wrong = kernel.writes.flatMap(({ value }, i) => {
    const got = answers[wanted[i]!]!.map((text) =>
      text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text),
    );
    const due = right.get(value)!.data;
    const at = got.findIndex(
      (each, k) => !(each === due[k] || Math.abs(each - due[k]!) <= 1e-5 * (1 + Math.abs(due[k]!))),
    );
    return at < 0 ? [] : [`${value}[${at}] is ${got[at]}, not ${due[at]}`];
  });
  return { text: written.text, wrong };
}

describe.skipIf(!hasNumpy)("as NumPy computes it", () => {
  test.each([
    ["a map", "x: f32[300, 7]\nb: f32[7]\ny = relu(x * 2 + b)"],
    ["a map that broadcasts a column", "x: f32[6, 5, 4]\nm: f32[6, 1, 4]\ny = exp(x - m)"],
    ["log of relu, with its infinities", "x: f32[40, 40]\nb: f32[40, 40]\ny = log(relu(x + b))"],
    ["gelu", "x: f32[33, 9]\ny = gelu(x)"],
    ["softmax of rows that fill no power of two", "x: f32[13, 21]\ny = softmax(x, dim=-1)"],
    ["layer_norm with weights", "x: f32[9, 24]\nw: f32[24]\nb: f32[24]\ny = layer_norm(x, (24,), w, b)"],
    ["rms_norm and a residual", "x: f32[9, 32]\nr: f32[9, 32]\ny = rms_norm(x, (32,)) + r"],
    [
      "a sum of exponentials, and the row",
      "x: f32[5, 19]\ns = exp(x).sum(dim=-1, keepdim=True)\ny = x / s\nreturn y, s",
    ],
    ["tanh of a maximum", "x: f32[8, 12]\ny = tanh(x.max(dim=-1))"],
  ])("%s", (_, program) => {
    const answer = shown(program);
    expect(answer).toMatchObject({ wrong: [] });
  });

  test("a mask that is forgotten is noticed", () => {
    const answer = shown("x: f32[13, 21]\ny = softmax(x, dim=-1)");
    if (typeof answer === "string") throw new Error(answer);
    expect(answer.text).toContain("tl.where(mask");
  });
});

test("what it has no words for, it says", () => {
  expect(shown("x: f32[64, 64]\nw: f32[64, 64]\ny = x @ w")).toMatch(/elements or rows/);
  expect(shown("x: f32[64, 64]\ny = x.sum(dim=0)")).toMatch(/other axes/);
});

test("every example has Triton text or a reason, never an error", () => {
  const written = allLessons
    .filter(({ id }) => !id.includes("/"))
    .flatMap((lesson) => {
      const compilation = compile(lesson.text, optionsFor(lesson, defaultOptions, null, defaultOptions));
      const { graph } = fusionAt(compilation, compilation.steps.length);
      return (compilation.fusedPlan?.kernels ?? []).map((kernel) => tritonText(graph, kernel));
    });
  const reasons = written.filter((each) => typeof each === "string");
  expect(reasons.filter((each) => !each.endsWith("."))).toEqual([]);
  expect(written.length - reasons.length).toBeGreaterThan(40);
}, 300_000);

/** @file Exported modules, imported as a page would and run on Dawn: the same bits as the session's own run of the plan. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  compile,
  defaultOptions,
  fusionAt,
  inputData,
  outputNames,
  planForTarget,
  standaloneModule,
  type Compilation,
  type NodeId,
  type Plan,
} from "../../src/fusion";
import { foldedData } from "../../src/fusion/reference";
import { createSession, type NumberArray, type Session } from "../../src/gpu";
import { halfBits, halfValue } from "../../src/gpu/packing";
import { dawn } from "../../src/gpu/testing/dawn";
import { differentiated } from "../laws/gradient-case";
import { caseArbitrary } from "../laws/plan-laws";
import { targetHere } from "./device";

/** Programs a run, and where the random numbers start: EXPORT_LAWS=count:seed says otherwise. */
const [COUNT, SEED] = (process.env["EXPORT_LAWS"] ?? "4:20261124").split(":").map(Number) as [number, number];

type Arrays = Record<string, NumberArray>;
interface Program {
  readonly device: GPUDevice;
  run(inputs?: unknown): Promise<Arrays>;
  destroy(): void;
}
interface Module {
  readonly create: (given?: GPUDevice | { device?: GPUDevice; gpu?: GPU; weights?: unknown }) => Promise<Program>;
}

const gpu = await dawn();

const load = (text: string): Promise<Module> =>
  import(/* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`) as Promise<Module>;

interface Planned {
  readonly compilation: Compilation;
  readonly plan: Plan;
  readonly text: string;
}

/** @param here planned for the adapter at hand; if not, for the profile, as the command line does */
async function planned(session: Session, program: string, here = true): Promise<Planned> {
  const compilation = compile(program, defaultOptions);
  if (!compilation.naive) throw new Error(compilation.diagnostics.map(({ text }) => text).join("\n"));
  const { options, symbols, fusedPlan } = compilation;
  const fusion = fusionAt(compilation, compilation.steps.length);
  const plan = here ? planForTarget(fusion, await targetHere(session), options) : fusedPlan!;
  const text = standaloneModule({ source: compilation.naive.graph, symbols, fusion, plan, options });
  return { compilation, plan, text };
}

/** Data of the source's inputs: those that are given at a run, and all of them. */
function dataOf({ compilation }: Planned): { readonly all: Map<NodeId, NumberArray>; readonly inputs: Arrays } {
  const sources = [...compilation.naive!.graph.nodes.values()].filter(({ op }) => op === "input");
  const all = new Map(sources.map((each) => [each.id, inputData(each)]));
  // A module asks for what its results hang on.
  const { graph } = fusionAt(compilation, compilation.steps.length);
  const read = new Set(graph.outputs);
  for (const id of read) for (const input of graph.nodes.get(id)!.inputs) read.add(input);
  const asked = sources.filter(({ id, attrs }) => attrs["role"] === "input" && read.has(id));
  return { all, inputs: Object.fromEntries(asked.map(({ id }) => [id, all.get(id)!])) };
}

const bits = (data: NumberArray): readonly number[] => [
  ...new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
];

const add = `x: f32[64, 65]
b: f32[65]
y = relu(x + b) * 2
return y
`;

const PROGRAMS: Readonly<Record<string, string>> = {
  "an elementwise chain": add,
  softmax: `x: f32[16, 200]
y = softmax(x, dim=-1)
return y
`,
  "layer norm, with parameters and two outputs": `x: f32[16, 96]
g: f32[96] = param()
b: f32[96] = param(zeros())
y = layer_norm(x, g, b)
z = y.sum(dim=-1)
return y, z
`,
  "a product with an epilogue, and a constant": `x: f32[33, 40]
w: f32[40, 24] = param(uniform(-1, 1))
s: f32[3] = const([1, 2, 3])
y = gelu(x @ w) + s.sum()
return y
`,
  attention: `q: f32[2, 24, 16]
k: f32[2, 24, 16]
v: f32[2, 24, 16]
y = softmax(q @ k.transpose(-1, -2) * 0.25, dim=-1) @ v
return y
`,
  halves: `x: f16[8, 33]
b: f16[33] = param()
y = tanh(x * 1.5 + b)
return y
`,
  "long sums: a product, a softmax, a reduction": `x: f32[65, 300]
w: f32[300, 70] = param()
y = softmax(x @ w, dim=-1)
s = (x * x).sum()
m = x.mean(dim=0)
return y, s, m
`,
  "a gradient": `x: f32[24, 40]
w: f32[40, 16] = param()
b: f32[16] = param()

def f(x, w, b):
    return gelu(x @ w + b).sum()

dx, dw, db = grad(f, argnums=(0, 1, 2))(x, w, b)
return dx, dw, db
`,
  "a product of halves": `x: f16[32, 48]
w: f16[48, 24] = param()
y = relu(x @ w)
s = softmax(y, dim=-1)
return y, s
`,
  "a step of training, with dropout and Adam": `x: f32[32, 24]
t: i32[32] = zeros()
w: f32[24, 16] = param()
v: f32[16, 10] = param()
opt = torch.optim.Adam([w, v], lr=0.01)
opt.zero_grad()
loss = cross_entropy(dropout(relu(x @ w), p=0.1, training=True) @ v, t)
loss.backward()
opt.step()
return loss
`,
  "whole numbers and truths": `i: i32[50]
m: bool[50]
y = where(m, i * 3, 7)
t = y > 9
return y, t
`,
  "several kernels that share buffers": `x: f32[16, 32]
w: f32[32, 32] = param()
a = softmax(x @ w, dim=0)
b = softmax(a @ w, dim=0)
c = softmax(b @ w, dim=0)
return c @ w
`,
};

describe.skipIf(!gpu)("on Dawn", () => {
  let session: Session;
  let ready: Planned;
  let program: Program;
  beforeAll(async () => {
    session = createSession(gpu!);
    ready = await planned(session, add);
    program = await (await load(ready.text)).create({ gpu: gpu! });
  });
  afterAll(async () => {
    program.destroy();
    await session.close();
  });

  const outputs = async ({ compilation, plan }: Planned, data: ReadonlyMap<NodeId, NumberArray>) => {
    const fusion = fusionAt(compilation, compilation.steps.length);
    const folded = [...foldedData(fusion.graph, data)].map(([id, exact]) => [id, Float32Array.from(exact)] as const);
    const answer = await session.run(plan, new Map([...data, ...folded]));
    if (!answer.ok) throw new Error(answer.problem.text);
    const byValue = new Map(answer.value.map(({ value, data: got }) => [value, got]));
    const names = outputNames(compilation.naive!.graph, compilation.symbols);
    // What has no name of its own goes by its value's.
    const own = (i: number) => (names[i] && names.indexOf(names[i]) === i ? names[i] : null);
    return compilation.naive!.graph.outputs.map(
      (id, i) => [own(i) ?? id, byValue.get(fusion.graph.outputs[i]!)!] as const,
    );
  };

  /** A module answers what the session answers, run after run. */
  async function expectSame(made: Planned): Promise<void> {
    const { all, inputs } = dataOf(made);
    const wanted = await outputs(made, all);
    const mine = await (await load(made.text)).create({ gpu: gpu! });
    const runs = await Promise.all([mine.run(inputs), mine.run(inputs)]);
    mine.destroy();
    for (const got of runs) {
      expect(Object.keys(got)).toEqual([...new Set(wanted.map(([name]) => name))]);
      for (const [name, want] of wanted) {
        expect(got[name]!.constructor).toBe(want.constructor);
        expect(bits(got[name]!)).toEqual(bits(want));
      }
    }
  }

  test.each(Object.entries(PROGRAMS))("%s: the bits of the session, run after run", async (_name, text) => {
    // Halves are f16 to the adapter at hand, and pairs in a word to a machine that has none.
    for (const here of text.includes("f16") ? [true, false] : [true])
      await expectSame(await planned(session, text, here));
  });

  test(
    `${COUNT} random programs and their gradients, seed ${SEED}: the bits of the session`,
    { timeout: 300_000 },
    async () => {
      const templates = new Set<string>();
      const law = fc.asyncProperty(caseArbitrary, async (one) => {
        for (const text of [one.text, differentiated(one)?.text]) {
          const made = text === undefined ? null : await planned(session, text);
          for (const { template } of made?.plan.kernels ?? []) templates.add(template);
          if (made) await expectSame(made);
        }
      });
      await fc.assert(law, { numRuns: COUNT, seed: SEED, endOnFailure: true });
      expect([...templates].filter((template) => template !== "elementwise").length).toBeGreaterThan(1);
    },
  );

  test("weights may be given; what is folded of them follows", async () => {
    const folding = `x: f32[1, 4, 6, 6]
w: f32[8, 4, 3, 3] = param()
g: f32[8] = param()
y = conv2d(x, w) * g.reshape(1, 8, 1, 1)
return y
`;
    const made = await planned(session, folding);
    const fusion = fusionAt(made.compilation, made.compilation.steps.length);
    expect([...fusion.graph.nodes.values()].some(({ recipe }) => recipe)).toBe(true);
    const module = await load(made.text);
    const { all, inputs } = dataOf(made);
    const other = { w: all.get("w" as NodeId)!.map((x) => x + 1), g: all.get("g" as NodeId)!.map((x) => x * 3) };
    for (const weights of [{}, other]) {
      const data = new Map([...all, ...(Object.entries(weights) as [NodeId, NumberArray][])]);
      const [[name, want]] = (await outputs(made, data)) as [readonly [NodeId, NumberArray]];
      const mine = await module.create({ gpu: gpu!, weights });
      const got = (await mine.run(inputs))[name]!;
      mine.destroy();
      // The module multiplies the weights in f32 where the page does in f64 and rounds once.
      want.forEach((value, i) => expect(Math.abs(got[i]! - value)).toBeLessThan(1e-5 * (1 + Math.abs(value))));
    }
    await expect(module.create({ gpu: gpu!, weights: { v: [1] } })).rejects.toThrow(/no weight v\. There are: w, g/);
    await expect(module.create({ gpu: gpu!, weights: { g: [1] } })).rejects.toThrow(
      /weight g has 1 numbers and needs 8/,
    );
  });

  test("halves are rounded as the session rounds them", async () => {
    const text = `${ready.text}\nexport { toHalf, fromHalf };`;
    const { toHalf, fromHalf } = (await load(text)) as unknown as Record<"toHalf" | "fromHalf", typeof halfValue>;
    const wrong: unknown[] = [];
    for (let half = 0; half < 0x10000; half++) {
      if (!Object.is(fromHalf(half), halfValue(half))) wrong.push([half, fromHalf(half)]);
      // The half itself, the midpoint to the next one, and what lies just beside it.
      const middle = (halfValue(half) + halfValue(half + 1)) / 2;
      for (const x of [
        halfValue(half),
        middle,
        middle * (1 + 2 ** -20),
        middle * (1 - 2 ** -20),
        halfValue(half) * 1.3,
      ])
        if (toHalf(x) !== halfBits(x)) wrong.push([x, toHalf(x), halfBits(x)]);
    }
    expect(wrong).toEqual([]);
  });

  test("wrong inputs are refused in words, and the next run works", async () => {
    const { inputs } = dataOf(ready);
    await expect(program.run({ x: inputs["x"] })).rejects.toThrow("The input b is missing: f32[65], 65 numbers.");
    await expect(program.run({ ...inputs, b: [1, 2] })).rejects.toThrow(
      "The input b has 2 numbers and needs 65, row by row: f32[65].",
    );
    await expect(program.run({ ...inputs, c: [1] })).rejects.toThrow("There is no input c. There are: x, b.");
    await expect(program.run({ ...inputs, b: 3 })).rejects.toThrow("The input b is not an array of numbers.");
    const { y } = await program.run({ ...inputs, b: [...inputs["b"]!] });
    expect(bits(y!)).toEqual(bits((await outputs(ready, dataOf(ready).all))[0]![1]));
  });

  test("a device that is lent is not given back, one that was asked for is", async () => {
    const { create } = await load(ready.text);
    const { inputs } = dataOf(ready);
    const device = await (await gpu!.requestAdapter())!.requestDevice();
    for (const given of [device, { device }]) {
      const lent = await create(given);
      await lent.run(inputs);
      lent.destroy();
      await expect(lent.run(inputs)).rejects.toThrow("This module was destroyed. Call create() again.");
    }
    const last = await create(device);
    const { y } = await last.run(inputs);
    expect(y!.length).toBe(64 * 65);
    device.destroy();
    await device.lost;
    await expect(last.run(inputs)).rejects.toThrow(/GPU device was lost/);
    const own = await create({ gpu: gpu! });
    own.destroy();
    expect((await own.device.lost).reason).toBe("destroyed");
  });

  test("what the GPU lacks is said before anything is made", async () => {
    const { create } = await load(ready.text.replace("features: []", 'features: ["texture-compression-astc-hdr"]'));
    await expect(create({ gpu: gpu! })).rejects.toThrow(/lacks the feature texture-compression-astc-hdr/);
    const large = await load(ready.text.replace("limits: {}", 'limits: {"maxBufferSize": 1e18}'));
    await expect(large.create({ gpu: gpu! })).rejects.toThrow(
      /need maxBufferSize of 1000000000000000000; this GPU has/,
    );
    const wrong = await load(ready.text.replace("@compute", "wrong @compute"));
    await expect(wrong.create({ gpu: gpu! })).rejects.toThrow(/Building the kernels failed/);
    const none = await load(ready.text);
    await expect(none.create({ gpu: { requestAdapter: async () => null } as unknown as GPU })).rejects.toThrow(
      /found no GPU/,
    );
  });
});

/** @file Training on a device: the same curve as on the CPU, naive beside fused, in memory that stays what it was. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compile, compileGraph, defaultOptions, fusionAt, planForTarget } from "../../src/fusion/compile";
import { targetOf } from "../../src/fusion/cost";
import { node, type NodeId } from "../../src/fusion/ir";
import { type InputData, runReference } from "../../src/fusion/reference";
import {
  answeringGraph,
  batchesAt,
  startingData,
  startingFeeds,
  stepOf,
  trainingOf,
  trainOnCpu,
} from "../../src/fusion/training";
import { createSession, type Session, type Trainer } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { targetHere } from "./device";

const gpu = await dawn();

const SGD = `x: f32[32, 64] = data("digits", "images")
y: i32[32] = data("digits", "labels")
w1: f32[64, 8] = param(fan_in=64)
b1: f32[8] = param(zeros())
w2: f32[8, 10] = param(fan_in=8)
logits = tanh(x @ w1 + b1) @ w2
loss = cross_entropy(logits, y)
loss.backward()
w1 -= 0.3 * w1.grad
b1 -= 0.3 * b1.grad
w2 -= 0.3 * w2.grad
return loss, logits
`;
const ADAM = `x: f32[32, 64] = data("digits", "images")
y: i32[32] = data("digits", "labels")
w: f32[64, 10] = param(fan_in=64)
m: f32[64, 10] = state()
v: f32[64, 10] = state()
t: f32[] = state()
loss = cross_entropy(x @ w, y)
loss.backward()
t = t + 1
m = 0.9 * m + 0.1 * w.grad
v = 0.99 * v + 0.01 * w.grad ** 2
w = w - 0.01 * (m / (1 - 0.9 ** t)) / (sqrt(v / (1 - 0.99 ** t)) + 1e-8)
return loss, t
`;
const SCHEDULED = `import torch.nn.functional as F
from torch import nn, optim
from torch.nn.utils import clip_grad_norm_

x: f32[32, 64] = data("digits", "images")
y: i32[32] = data("digits", "labels")
model = nn.Sequential(nn.Linear(64, 8), nn.Tanh(), nn.Linear(8, 10))
optimizer = optim.SGD(model.parameters(), lr=0.5, momentum=0.5)
warmup = optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 10))
scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=100, eta_min=0.01)
for epoch in range(100):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    norm = clip_grad_norm_(model.parameters(), max_norm=0.7)
    optimizer.step()
    warmup.step()
    scheduler.step()
return loss, norm
`;
/** States that no kernel writes where they are read next: one keeps an input, two are swapped, two share a value. */
const COPIES = `x: f32[4] = uniform(1, 2)
w: f32[4] = param(ones())
old: f32[4] = state()
a: f32[4] = state(ones())
b: f32[4] = state()
loss = (w * x).sum()
loss.backward()
old = w
w = w - 0.1 * w.grad
again: f32[4] = state()
again = w
a, b = b, a
return loss, old.sum(), (again - w).abs().sum(), a.sum()
`;

/** A state whose old value is read by a kernel that may run once it has been written over. */
const LATE = `x: f32[4] = uniform(1, 2)
w: f32[4] = param(ones())
before = w
loss = (w * x).sum()
loss.backward()
w = w - 0.1 * w.grad
return loss, (w * 2).sum(), (before * x * x).sum()
`;

/** Few numbers, slow to learn: ten thousand steps of it take little time, and every one of them counts. */
const TOY = `w: f32[8] = param(ones())
k: f32[8] = arange()
opt = torch.optim.SGD([w], lr=0.0005, momentum=0.5)
opt.zero_grad()
loss = ((w - k) ** 2).sum()
loss.backward()
opt.step()
return loss
`;

function read(text: string) {
  const compilation = compile(text, defaultOptions);
  const { naive, updates, symbols, steps } = compilation;
  expect(compilation.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const source = naive!.graph;
  const training = trainingOf({ graph: source, updates, symbols })!;
  const states = [fusionAt(compilation, 0), fusionAt(compilation, steps.length)];
  return { source, training, states };
}

describe.skipIf(!gpu)("on Dawn", () => {
  let session: Session;
  beforeAll(() => {
    session = createSession(gpu!);
  });
  afterAll(() => session.close());

  async function onDevice({ source, training, states }: ReturnType<typeof read>, seed = 0): Promise<Trainer> {
    const target = await targetHere(session);
    const { answer } = training;
    const asked = answer && compileGraph(answeringGraph(source, answer.index), defaultOptions);
    const final = asked && fusionAt(asked, asked.steps.length);
    const made = await session.train({
      plans: states.map((state) => ({
        plan: planForTarget(state, target, defaultOptions),
        ...stepOf(training, state.graph),
      })),
      answering: final && {
        plan: planForTarget(final, target, defaultOptions),
        output: final.graph.outputs[0]!,
      },
      inputs: startingFeeds(source, seed),
    });
    if (!made.ok) throw new Error(made.problem.text);
    return made.value;
  }

  async function curve(program: ReturnType<typeof read>, plan: number, steps: number, seed = 0): Promise<number[][]> {
    const trainer = await onDevice(program, seed);
    const told: number[][] = [];
    // Odd pieces: what one call leaves, the next goes on with.
    for (let done = 0; done < steps; done += 7) {
      const count = Math.min(7, steps - done);
      const batches = Array.from({ length: count }, (_, i) => batchesAt(program.training, seed, done + i));
      const ran = await trainer.steps(plan, batches);
      if (!ran.ok) throw new Error(ran.problem.text);
      told.push(...ran.value.told.map((row) => [...row]));
    }
    await trainer.close();
    return told;
  }

  test.each([
    ["SGD", SGD, 1e-4],
    ["Adam", ADAM, 1e-3],
    ["SGD with a schedule, its gradients clipped", SCHEDULED, 1e-4],
  ])("%s: naive, fused and the CPU stay together for 100 steps", async (_, text, bound) => {
    const program = read(text);
    const { source, states, training } = program;
    const cpu = trainOnCpu(
      { source, fusion: states[1]!, training },
      targetOf(defaultOptions.profile),
      defaultOptions.profile,
      5,
    );
    const [naive, fused] = [await curve(program, 0, 100, 5), await curve(program, 1, 100, 5)];
    for (const [step, [loss]] of naive.entries()) {
      const slack = bound * Math.abs(loss!);
      expect(Math.abs(fused[step]![0]! - loss!), `step ${step}`).toBeLessThanOrEqual(slack);
      expect(Math.abs(cpu.step()[0]! - loss!), `step ${step}, CPU`).toBeLessThanOrEqual(slack);
    }
    expect(fused.at(-1)![0]!).toBeLessThan(0.8 * fused[0]![0]!);
    expect(session.ledgerBytes).toBe(0);
  });

  test("states that keep an input, are swapped or share a value are right at every step", async () => {
    const program = read(COPIES);
    const x = program.source.nodes.get("x" as NodeId)!;
    const sum = runReference({ nodes: new Map([[x.id, x]]), outputs: [x.id] }, new Map())
      .get(x.id)!
      .data.reduce((all, value) => all + value, 0);
    for (const plan of [0, 1]) {
      const told = await curve(program, plan, 10);
      told.forEach(([, old, same, a], step) => {
        // w before this step: each step takes 0.1 x from it.
        expect(old).toBeCloseTo(4 - 0.1 * sum * step, 4);
        expect(same).toBe(0);
        expect(a).toBe(step % 2 === 0 ? 0 : 4);
      });
    }
  });

  test("what a state was before a step is read as it was", async () => {
    const program = read(LATE);
    const x = [...startingData(program.source, 0).get("x" as NodeId)!];
    const sum = (of: (each: number, w: number) => number, step: number): number =>
      x.reduce((all, each) => all + of(each, 1 - 0.1 * each * step), 0);
    for (const plan of [0, 1]) {
      const told = await curve(program, plan, 6);
      told.forEach(([loss, after, before], step) => {
        expect(loss).toBeCloseTo(
          sum((each, w) => each * w, step),
          4,
        );
        expect(after).toBeCloseTo(
          sum((_, w) => 2 * w, step + 1),
          4,
        );
        expect(before).toBeCloseTo(
          sum((each, w) => each * each * w, step),
          4,
        );
      });
    }
  });

  test("memory is flat, and the answer is the one of the weights at hand", async () => {
    const program = read(SGD);
    const trainer = await onDevice(program);
    const held = session.ledgerBytes;
    const { source, training } = program;
    const batches = Array.from({ length: 50 }, (_, step) => batchesAt(training, 0, step));
    const logits = training.answer!;
    expect(logits).toMatchObject({ name: "logits", type: { shape: [32, 10] } });
    const loss = async () => {
      const answered = await trainer.answer(1, batches[0]!);
      if (!answered.ok) throw new Error(answered.problem.text);
      const labels = batches[0]!.get("y" as NodeId)!;
      return [...labels].reduce((all, label, row) => {
        const ten = [...answered.value.subarray(10 * row, 10 * row + 10)];
        return all + (Math.log(ten.reduce((sum, each) => sum + Math.exp(each), 0)) - ten[label]!) / 32;
      }, 0);
    };
    for (const count of [50, 50, 1]) {
      const ran = await trainer.steps(1, batches.slice(0, count));
      if (!ran.ok) throw new Error(ran.problem.text);
      const next = await trainer.steps(0, batches.slice(0, 1));
      expect(next.ok).toBe(true);
      const now = await loss();
      // The next step's loss on the same batch is told before its weights move.
      const [row] = await firstLoss(trainer, batches[0]!);
      expect(now).toBeCloseTo(row!, 4);
      expect(session.ledgerBytes).toBe(held);
    }
    expect(node(source, source.outputs[0]!).type.shape).toEqual([]);
    await trainer.close();
    expect(session.ledgerBytes).toBe(0);
  });

  test("ten thousand steps allocate nothing, and keep learning", { timeout: 300_000 }, async () => {
    let [living, made] = [0, 0];
    const counting = {
      async requestAdapter(asked?: GPURequestAdapterOptions) {
        const adapter = (await gpu!.requestAdapter(asked))!;
        const request = adapter.requestDevice.bind(adapter);
        adapter.requestDevice = async (wanted) => {
          const device = await request(wanted);
          const create = device.createBuffer.bind(device);
          device.createBuffer = (of) => {
            const buffer = create(of);
            const destroy = buffer.destroy.bind(buffer);
            buffer.destroy = () => {
              living -= of.size;
              return destroy();
            };
            living += of.size;
            made++;
            return buffer;
          };
          return device;
        };
        return adapter;
      },
    } as GPU;
    const own = createSession(counting);
    const { source, states, training } = read(TOY);
    const info = await own.describe();
    if (!info.ok) throw new Error(info.problem.text);
    const trainer = await own.train({
      plans: [
        { plan: planForTarget(states[1]!, info.value.target, defaultOptions), ...stepOf(training, states[1]!.graph) },
      ],
      answering: null,
      inputs: startingFeeds(source, 0),
    });
    if (!trainer.ok) throw new Error(trainer.problem.text);
    const none = Array.from({ length: 250 }, () => null);
    const losses: number[] = [];
    const seen: (readonly number[])[] = [];
    for (let step = 0; step < 10_000; step += 250) {
      const ran = await trainer.value.steps(0, none);
      if (!ran.ok) throw new Error(ran.problem.text);
      losses.push(ran.value.told.at(-1)![0]!);
      seen.push([living, made]);
    }
    expect(made).toBeGreaterThan(0);
    expect(new Set(seen.map(String)).size).toBe(1);
    expect(losses.at(-1)!).toBeLessThan(1e-3 * losses[0]!);
    await trainer.value.close();
    await own.close();
    expect(living).toBe(0);
  });

  async function firstLoss(trainer: Trainer, batch: ReadonlyMap<NodeId, InputData>) {
    const ran = await trainer.steps(1, [batch]);
    if (!ran.ok) throw new Error(ran.problem.text);
    return ran.value.told[0]!;
  }
});

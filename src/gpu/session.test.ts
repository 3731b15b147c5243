import { expect, test } from "vitest";
import { createSession } from "./session";
import { teach } from "./testing/behaviours";
import { FakeGpu } from "./testing/fake-gpu";
import type { Faults } from "./testing/fake-gpu";
import { expected, fusedPlan, inputsFor, naivePlan } from "./testing/plans";
import type { GpuProblem } from "./types";

const N = 1000;

function start(faults: Faults = {}) {
  const fake = teach(new FakeGpu(faults));
  return { fake, session: createSession(fake.gpu, fake.time.env) };
}

test("an insecure origin, a browser without WebGPU and one without an adapter get three different sentences", async () => {
  const { fake } = start();
  const insecure = await createSession(undefined, { ...fake.time.env, secureContext: false }).describe();
  const none = await createSession(undefined, fake.time.env).describe();
  const empty = await start({ nullAdapters: 9 }).session.describe();
  const codes = [insecure, none, empty].map((each) => (each.ok ? "ok" : each.problem.code));
  expect(codes).toEqual(["insecure-origin", "no-webgpu", "no-adapter"]);
  expect(new Set([insecure, none, empty].map((each) => (each.ok ? "" : each.problem.text))).size).toBe(3);
});

test("nothing is asked of the GPU before it is needed", () => {
  expect(start().fake.asked).toBe(0);
});

test("a first adapter that is null is asked for again, silently, after 150 ms", async () => {
  const { fake, session } = start({ nullAdapters: 1 });
  const begin = fake.time.millis;
  expect((await session.describe()).ok).toBe(true);
  expect(fake.asked).toBe(2);
  expect(fake.time.millis - begin).toBeGreaterThanOrEqual(150);
});

test("an adapter that never answers is given up after 5 s", async () => {
  const { fake, session } = start({ adapterNeverSettles: true });
  const begin = fake.time.millis;
  const answer = await session.describe();
  expect(answer).toMatchObject({ ok: false, problem: { code: "timeout" } });
  expect(fake.time.millis - begin).toBe(5000);
});

test("a device that is refused is no adapter, with the reason", async () => {
  expect(await start({ noDevice: true }).session.describe()).toMatchObject({ problem: { code: "no-adapter" } });
});

test("a browser that throws when it is asked for an adapter has none", async () => {
  expect(await start({ adapterThrows: true }).session.describe()).toMatchObject({ problem: { code: "no-adapter" } });
});

test("a device that never comes is given up after 5 s; one that comes too late is given back", async () => {
  let come = (): void => undefined;
  const { fake, session } = start({ deviceLate: new Promise((resolve) => (come = resolve)) });
  const begin = fake.time.millis;
  expect(await session.describe()).toMatchObject({ ok: false, problem: { code: "timeout" } });
  expect(fake.time.millis - begin).toBe(5000);
  come();
  await new Promise((resolve) => setImmediate(resolve));
  expect(fake.devices.map(({ isLost }) => isLost)).toEqual([true]);
});

test("whatever throws in an action is an answer, and the next action is served", async () => {
  const { fake, session } = start();
  await session.describe();
  const { createCommandEncoder } = fake.devices[0]!;
  fake.devices[0]!.createCommandEncoder = () => {
    throw new TypeError("no encoder");
  };
  for (const answer of [session.run(fusedPlan(N), inputsFor(N)), session.measureRoofs()])
    expect(await answer).toMatchObject({ ok: false, problem: { text: expect.stringContaining("no encoder") } });
  expect(fake.alive).toBe(0);
  fake.devices[0]!.createCommandEncoder = createCommandEncoder;
  expect((await session.run(fusedPlan(N), inputsFor(N))).ok).toBe(true);
});

test("a software adapter is known by any of its three marks", async () => {
  const marks = [{ isFallbackAdapter: true }, { vendor: "google" }, { description: "SwiftShader driver 5.0.0" }];
  for (const mark of marks) {
    const { fake, session } = start();
    Object.assign(fake.info, mark);
    expect(await session.describe()).toMatchObject({ value: { software: true, target: { schedule: "cpu" } } });
  }
  expect(await start().session.describe()).toMatchObject({
    value: { software: false, name: "acme anvil", target: { schedule: "gpu", maxBindings: 10 } },
  });
});

test.each([500, 4096, 65_536])("the clock's step is observed: %i ns", async (tickNanos) => {
  const answer = await start({ tickNanos }).session.describe();
  expect(answer).toMatchObject({ value: { clock: "timestamp-query", tickNanos } });
});

test("both plans give the same numbers, and no memory stays behind", async () => {
  const { fake, session } = start();
  for (const plan of [naivePlan(N), fusedPlan(N)]) {
    const answer = await session.run(plan, inputsFor(N), { name: "naive" });
    expect(answer.ok && answer.value.map(({ value, plan: name }) => [value, name])).toEqual([["y", "naive"]]);
    expect(answer.ok && answer.value[0]!.data).toEqual(expected(N));
    expect([session.ledgerBytes, fake.alive]).toEqual([0, 0]);
  }
});

test("a missing or short input is refused, and frees what was made", async () => {
  const { fake, session } = start();
  const short = new Map([...inputsFor(N)].map(([id, data]) => [id, data.subarray(1)]));
  expect(await session.run(fusedPlan(N), new Map())).toMatchObject({ problem: { code: "internal" } });
  expect(await session.run(fusedPlan(N), short)).toMatchObject({ problem: { code: "internal" } });
  expect(fake.alive).toBe(0);
});

test("pipelines are built once for a text", async () => {
  const { fake, session } = start();
  await session.run(naivePlan(N), inputsFor(N));
  const before = fake.pipelines;
  await session.run(naivePlan(N), inputsFor(N));
  expect(fake.pipelines).toBe(before);
});

test("refused WGSL names the kernel, the line and the column in UTF-16 units", async () => {
  const { session } = start({ badWgsl: "max(" });
  const answer = await session.run(naivePlan(N), inputsFor(N));
  const { wgsl } = naivePlan(N).kernels[1]!;
  const line = wgsl.split("\n").findIndex((text) => text.includes("max("));
  const column = wgsl.split("\n")[line]!.indexOf("max(") + 1;
  expect(answer).toMatchObject({ problem: { code: "shader-rejected", kernel: "K2", line: line + 1, column } });
  const words = `at line ${line + 1}, column ${column}: `;
  const told = answer.ok ? "" : answer.problem.text;
  expect(told).toContain(words);
  expect(told).toContain(`The line reads: ${wgsl.split("\n")[line]!.trim()}`);
});

test("out of memory is an answer, and a small run works afterwards", async () => {
  const { fake, session } = start({ memoryBytes: 400_000 });
  expect(await session.run(fusedPlan(200_000), inputsFor(200_000))).toMatchObject({
    problem: { code: "out-of-memory" },
  });
  expect(fake.alive).toBe(0);
  expect((await session.run(fusedPlan(N), inputsFor(N))).ok).toBe(true);
});

test("a loss in the middle of a run is told once; the next action gets a new device", async () => {
  const { fake, session } = start();
  const told: GpuProblem[] = [];
  session.listen((problem) => told.push(problem));
  await session.describe();
  fake.faults.loseAtSubmit = fake.submits + 1;
  expect(await session.run(naivePlan(N), inputsFor(N))).toMatchObject({ problem: { code: "device-lost" } });
  expect(told.map(({ code }) => code)).toEqual(["device-lost"]);
  expect((await session.run(naivePlan(N), inputsFor(N))).ok).toBe(true);
  expect(fake.devices).toHaveLength(2);
  expect(fake.alive).toBe(0);
});

test("after three losses in ten minutes only a reload is offered, later it is tried again", async () => {
  const { fake, session } = start();
  for (let i = 0; i < 3; i++) {
    await session.describe();
    fake.faults.loseAtSubmit = fake.submits + 1;
    await session.run(naivePlan(N), inputsFor(N));
  }
  expect(await session.describe()).toMatchObject({ problem: { code: "device-lost", reload: true } });
  expect(fake.devices).toHaveLength(3);
  fake.time.millis += 600_000;
  expect((await session.describe()).ok).toBe(true);
});

test("no adapter after a loss: reload", async () => {
  const { fake, session } = start();
  await session.describe();
  fake.faults.loseAtSubmit = fake.submits + 1;
  await session.run(naivePlan(N), inputsFor(N));
  fake.faults.nullAdapters = 99;
  expect(await session.describe()).toMatchObject({ problem: { code: "device-lost", reload: true } });
});

test("bytes that no copy wrote are not a result", async () => {
  const { fake, session } = start();
  await session.describe();
  fake.faults.staleCopies = true;
  expect(await session.run(fusedPlan(N), inputsFor(N))).toMatchObject({ problem: { code: "device-lost" } });
});

test("a kernel that does not come back poisons the device: nothing is destroyed, nothing runs", async () => {
  const { fake, session } = start();
  await session.describe();
  fake.faults.hangAtSubmit = fake.submits + 1;
  const begin = fake.time.millis;
  expect(await session.run(fusedPlan(N), inputsFor(N))).toMatchObject({ problem: { code: "timeout", reload: true } });
  expect(fake.time.millis - begin).toBeLessThan(6000);
  const submits = fake.submits;
  expect(await session.run(fusedPlan(N), inputsFor(N))).toMatchObject({ problem: { code: "timeout" } });
  await session.close();
  expect(fake.submits).toBe(submits);
  expect(fake.destroyedInFlight).toBe(0);
});

test("actions wait for one another", async () => {
  const { fake, session } = start();
  const answers = await Promise.all([
    session.run(naivePlan(N), inputsFor(N)),
    session.describe(),
    session.run(fusedPlan(N), inputsFor(N)),
  ]);
  expect(answers.every(({ ok }) => ok)).toBe(true);
  expect(fake.devices).toHaveLength(1);
});

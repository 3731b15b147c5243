import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Plan } from "../fusion";
import { createSession } from "./session";
import type { Session } from "./session";
import { dawn } from "./testing/dawn";
import { expected, fusedPlan, inputsFor, naivePlan } from "./testing/plans";

const gpu = await dawn();
const N = 1 << 16;

/** The fused plan with its shader's text changed. */
const rewritten = (change: (wgsl: string) => string): Plan => {
  const plan = fusedPlan(N);
  return { ...plan, kernels: plan.kernels.map((kernel) => ({ ...kernel, wgsl: change(kernel.wgsl) })) };
};

// Runs wherever bench/ has Dawn installed and a Vulkan driver is found (vite.config.ts offers Chromium's).
describe.skipIf(!gpu)("on Dawn, a real implementation", () => {
  let session: Session;
  beforeAll(() => {
    session = createSession(gpu!);
  });
  afterAll(() => session.close());

  test("the adapter is described, with the step of its clock", async () => {
    const info = await session.describe();
    expect(info).toMatchObject({ ok: true, value: { software: true, clock: "timestamp-query", tickNanos: 65_536 } });
  });

  test("with quantisation off the clock steps finely", async () => {
    const fine = createSession((await dawn(["disable-dawn-features=timestamp_quantization"]))!);
    const info = await fine.describe();
    expect(info.ok && info.value.tickNanos).toBeLessThan(1000);
    await fine.close();
  });

  test("naive and fused run, agree and are timed, kernel by kernel", async () => {
    const answer = await session.bench({ naive: naivePlan(N), fused: fusedPlan(N) }, inputsFor(N), {
      budgetMillis: 300,
    });
    if (!answer.ok) throw new Error(answer.problem.text);
    const { outputs, timings, roofs } = answer.value;
    for (const { data } of outputs) expect(data).toEqual(expected(N));
    expect(timings.map(({ plan, kernel }) => `${plan} ${kernel}`)).toHaveLength(5);
    expect(timings.every(({ nanoseconds }) => nanoseconds.length > 0 && nanoseconds.every((ns) => ns > 0))).toBe(true);
    expect(roofs!.bandwidth).toBeGreaterThan(1e8);
    expect(roofs!.flops).toBeGreaterThan(1e8);
    expect(session.ledgerBytes).toBe(0);
  });

  test("a shader error is found at its line and UTF-16 column, behind characters of two and four bytes", async () => {
    const plan = rewritten((wgsl) => wgsl.replace("if (i <", "/* é𝄞 */ wrong(); if (i <"));
    const line = plan.kernels[0]!.wgsl.split("\n").findIndex((text) => text.includes("wrong"));
    const column = plan.kernels[0]!.wgsl.split("\n")[line]!.indexOf("wrong") + 1;
    const answer = await session.run(plan, inputsFor(N));
    expect(answer).toMatchObject({ problem: { code: "shader-rejected", kernel: "K1", line: line + 1, column } });
    expect((await session.run(fusedPlan(N), inputsFor(N))).ok).toBe(true);
  });

  test("a buffer of the adapter's maximum is out of memory, and the device lives on", async () => {
    const info = await session.describe();
    const most = info.ok ? info.value.maxBufferBytes / 4 : 0;
    const inputs = new Map([...inputsFor(1)].map(([id]) => [id, { length: most } as Float32Array]));
    const answer = await session.run(fusedPlan(most), inputs, { memoryBudget: Infinity });
    expect(answer).toMatchObject({ problem: { code: "out-of-memory" } });
    expect((await session.run(fusedPlan(N), inputsFor(N))).ok).toBe(true);
    expect(session.ledgerBytes).toBe(0);
  });

  test("Cancel answers while a long kernel still runs", async () => {
    const slow = rewritten((wgsl) =>
      wgsl.replace(
        /(\w+\[i\]) = (.*);/,
        "var s = 0.0; for (var k = 0u; k < 4000u; k++) { s += sin(f32(k)) * x[i]; } $1 = s;",
      ),
    );
    const stop = new AbortController();
    let [started, asked] = [false, 0];
    const cancel = () => {
      asked = performance.now();
      stop.abort();
    };
    const onProgress = ({ text }: { text: string }) => {
      if (!started && text.startsWith("First run")) setTimeout(cancel, 50);
      started ||= text.startsWith("First run");
    };
    const answer = await session.bench({ naive: slow, fused: slow }, inputsFor(N), { signal: stop.signal, onProgress });
    expect(answer).toMatchObject({ problem: { code: "cancelled" } });
    const answered = performance.now() - asked;
    // The next action waits until the kernel is out of the way.
    expect((await session.run(fusedPlan(N), inputsFor(N))).ok).toBe(true);
    expect(answered).toBeLessThan(0.7 * (performance.now() - asked));
  });
});

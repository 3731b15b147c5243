import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Plan } from "../fusion";
import { createSession } from "./session";
import type { Session } from "./session";
import { dawn } from "./testing/dawn";
import type { FirstRuns } from "./types";
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
    const fine = createSession((await dawn(["timestamp_quantization"]))!);
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

  test("outputs are compared in full on the device, and chosen elements of every value are read", async () => {
    const naive = naivePlan(N);
    const wrong = rewritten((wgsl) => wgsl.replace(/= (max.*);/, "= select($1, $1 + 0.25, i == 40001u);"));
    const nan = rewritten((wgsl) =>
      wgsl.replace(/= (max.*);/, "= select($1, bitcast<f32>(0x7fc00000u + i), i == 7u);"),
    );
    const infinite = rewritten((wgsl) => wgsl.replace(/= (max.*);/, "= select($1, 1.0 / (x[i] - x[i]), i == 9u);"));
    const flats = Uint32Array.of(0, 5, 40_001, N - 1);
    const y = naive.buffers.find(({ role }) => role === "output")!.value;
    const s = naive.buffers.find(({ role }) => role === "temporary")!.value;
    const taps = [
      { plan: "naive", value: s, kernel: 1, when: "before", flats },
      { plan: "naive", value: y, kernel: 1, when: "after", flats },
      { plan: "fused", value: y, kernel: 0, when: "after", flats },
    ] as const;
    const first = async (fused: Plan): Promise<FirstRuns> => {
      let seen: FirstRuns | null = null;
      const answer = await session.bench({ naive, fused }, inputsFor(N), {
        budgetMillis: 1,
        roofs: false,
        outputs: false,
        kernels: false,
        compare: [{ names: { naive: y, fused: y }, atol: 1e-6, ofSize: 0, rtol: 1e-6 }],
        taps: Promise.resolve(taps),
        onFirst: (runs) => (seen = runs),
      });
      if (!answer.ok) throw new Error(answer.problem.text);
      expect(answer.value.outputs).toEqual([]);
      return seen!;
    };
    const want = expected(N);
    const scale = want.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const right = await first(fusedPlan(N));
    const same = {
      plan: "fused",
      output: y,
      elements: N,
      maxAbs: 0,
      scale,
      farthest: [],
      beyond: 0,
      nan: 0,
      infinite: 0,
    };
    expect(right.apart).toMatchObject([{ ...same, ulps: { bins: [N], nearZero: 0, nan: 0 } }]);
    const numbers = right.tapped.map(({ words }) => [...new Float32Array(words.buffer)]);
    const inputs = [...inputsFor(N).values()] as [Float32Array, Float32Array];
    const sums = [...flats].map((i) => Math.fround(inputs[0][i]! + inputs[1][i]!));
    const products = [...flats].map((i) => want[i]!);
    expect(numbers).toEqual([sums, products, products]);
    const [off] = (await first(wrong)).apart;
    expect(off).toMatchObject({ beyond: 1, farthest: [{ at: 40_001, naive: want[40_001]! }] });
    expect(off!.maxAbs).toBeCloseTo(0.25, 6);
    expect(off!.ulps.bins[0]).toBe(N - 1);
    expect((await first(nan)).apart[0]).toMatchObject({ nan: 1, infinite: 0, beyond: 1, maxAbs: 0, ulps: { nan: 1 } });
    expect((await first(infinite)).apart[0]!.beyond).toBe(1);
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

  // A kernel that a busy machine starts late may be done before Cancel is: one of three tries shows it.
  test("Cancel answers while a long kernel still runs", { retry: 2 }, async () => {
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

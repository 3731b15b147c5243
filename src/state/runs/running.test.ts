import { expect, test } from "vitest";
import type { Compilation, Plan } from "../../fusion";
import type { BenchResult, DeviceInfo, Outcome } from "../../gpu";
import { localPort, type CheckRequest, type CompileRequest } from "../../workers";
import { createPlayground, type Playground } from "../playground";
import type { Environment } from "../environment";

const device = {
  name: "a slow one",
  software: true,
  maxBufferBytes: 2 ** 28,
  maxBindingBytes: 2 ** 27,
  target: { maxBindings: 8, maxWorkgroupsPerDimension: 65_535, maxWorkgroupSize: 256, maxWorkgroupBytes: 16_384 },
} as unknown as DeviceInfo;
const planOf = (flops: number, bytes = 0) =>
  ({
    kernels: [
      {
        id: "K1",
        flops,
        reads: [],
        writes: [],
        bindings: [],
        wgsl: "",
        workgroups: [1],
        workgroupSize: [1],
        workgroupBytes: 0,
      },
    ],
    buffers: [{ value: "x", role: "input", slot: 0, bytes, type: { shape: [bytes / 4] } }],
    totals: { bytes },
  }) as unknown as Plan;

/** A page whose plans have `flops` and an input of `bytes` each, how often they were run and how often their data was made. */
interface Changed {
  /** By cursor, 0 and 1. */
  readonly plans?: (text: string) => ReadonlyMap<number, Plan>;
  readonly bench?: Environment["session"]["bench"];
  readonly device?: DeviceInfo;
}

function pageWith(
  flops: number,
  bytes = 0,
  changed: Changed = {},
): { page: Playground; runs: () => number; made: () => number } {
  let [runs, made] = [0, 0];
  const graph = { nodes: new Map(), outputs: [] };
  const compilation = ({ text, options }: Extract<CompileRequest, { kind: "compile" }>) =>
    ({
      text,
      options,
      diagnostics: [],
      steps: changed.plans ? [{ fusion: { graph, regions: new Map() } }] : [],
      symbols: [],
      naive: { graph, regions: new Map() },
      drawn: graph,
    }) as unknown as Compilation;
  const environment: Environment = {
    compileWorker: localPort((request: CompileRequest) => {
      if (request.kind === "compile") return { kind: "compiled" as const, compilation: compilation(request) };
      if (request.kind === "plans")
        return {
          kind: "planned" as const,
          plans: changed.plans?.(request.text) ?? new Map([[0, planOf(flops, bytes)]]),
        };
      throw new Error("nothing to import here");
    }) as Environment["compileWorker"],
    checkWorker: localPort((request: CheckRequest) => {
      if (request.kind === "inputs") {
        made++;
        return { kind: "inputs" as const, inputs: new Map() };
      }
      throw new Error("no check here");
    }) as Environment["checkWorker"],
    countWorker: localPort(() => ({ ok: false, text: "No count here.", line: null })),
    layoutWorker: localPort(() => ({ boxes: new Map(), bends: new Map(), width: 0, height: 0 })),
    session: {
      measureRoofs: async () => ({ ok: false, problem: { code: "internal", text: "none" } }),
      describe: async () => ({ ok: true, value: changed.device ?? device }),
      run: async () => ({ ok: true, value: [] }),
      build: async () => ({ ok: true, value: null }),
      sweep: async () => ({ ok: true, value: [] }),
      train: async () => ({ ok: false, problem: { code: "internal", text: "none" } }),
      bench:
        changed.bench ??
        (async () => {
          runs++;
          return { ok: false, problem: { code: "internal", text: "enough" } };
        }),
      listen: () => () => undefined,
    },
    storage: { read: () => null, write: () => true, clear: () => undefined },
    weightStorage: { read: async () => null, write: async () => true },
    now: () => 0,
    prefersDark: () => false,
    followDark: () => undefined,
    draftOwner: { follow: () => undefined, takeOver: () => undefined },
    reload: () => undefined,
    download: () => undefined,
  };
  const page = createPlayground(environment);
  page.start();
  return { page, runs: () => runs, made: () => made };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

test("a short run runs at once", async () => {
  const { page, runs } = pageWith(1e6);
  await settled();
  await page.getState().actions.runBoth();
  expect(runs()).toBe(1);
  page.dispose();
});

test("Run pressed before there is a plan waits for it", async () => {
  const { page, runs } = pageWith(1e6);
  const done = page.getState().actions.runBoth();
  expect(page.getState().run).toMatchObject({ status: "running", progress: { text: "Waiting for the plan" } });
  await done;
  expect(runs()).toBe(1);
  expect(page.getState().notice).toBeNull();
  page.dispose();
});

test("a run that waits for its plan can be cancelled", async () => {
  const { page, runs } = pageWith(1e6);
  const done = page.getState().actions.runBoth();
  page.getState().actions.cancelRun();
  await done;
  await settled();
  expect([runs(), page.getState().run.status]).toEqual([0, "idle"]);
  page.dispose();
});

test.each([
  [true, "Stopped. The samples so far count."],
  [false, "Stopped after the last sample: all count."],
])("what Cancel leaves is told by what there is: stopped %s", async (stopped, text) => {
  const result = { stopped, timings: [], device } as unknown as BenchResult;
  const { page } = pageWith(1e6, 0, {
    bench: async () => {
      page.getState().actions.cancelRun();
      return { ok: true, value: result };
    },
  });
  await settled();
  await page.getState().actions.runBoth();
  expect(page.getState().run.status).toBe("done");
  expect(page.getState().notice?.text).toBe(text);
  page.dispose();
});

test("a run that may take more than two seconds is asked about, and runs when it is wanted anyway", async () => {
  const { page, runs } = pageWith(3e9);
  await settled();
  await page.getState().actions.runBoth();
  expect(runs()).toBe(0);
  expect(page.getState().run.status).toBe("idle");
  expect(page.getState().notice).toMatchObject({ action: { label: "Run anyway" } });
  expect(page.getState().notice?.text).toContain("up to 12 s");
  page.getState().actions.followNotice();
  await settled();
  expect(runs()).toBe(1);
  page.dispose();
});

test("what the device can't hold is refused with both numbers, before its data is made", async () => {
  const { page, runs, made } = pageWith(1e6, 2 ** 28);
  await settled();
  await page.getState().actions.runBoth();
  expect([runs(), made()]).toEqual([0, 0]);
  const { run } = page.getState();
  expect(run.status === "failed" && run.problem.text).toBe(
    "x takes 256 MiB (268435456 bytes); this device binds at most 128 MiB (134217728). Choose a smaller size.",
  );
  page.dispose();
});

const enough: Outcome<BenchResult> = { ok: false, problem: { code: "internal", text: "enough" } };

/** A page whose naive plan stores `naiveBytes` and whose fused plan stores next to nothing; what was run with how much. */
function pageWithPlans(naiveBytes: number, outcome: Outcome<BenchResult> = enough, fusedBytes = 1024) {
  const ran: { readonly plans: string; readonly budget: number | undefined }[] = [];
  const stored = (bytes: number) =>
    ({
      ...planOf(1e6),
      buffers: [{ value: "s", role: "output", slot: 0, bytes, type: { shape: [bytes / 4] } }],
      aliases: [],
    }) as unknown as Plan;
  const made = pageWith(1e6, 0, {
    plans: (text) =>
      new Map([
        [0, stored(naiveBytes * (Number(/^N = (\d+)/.exec(text)?.[1] ?? 4096) / 4096) ** 2)],
        [1, stored(fusedBytes)],
      ]),
    bench: async (plans, _, { memoryBudget }) => {
      ran.push({
        plans: Object.keys(plans)
          .filter((name) => plans[name as "naive"])
          .join(),
        budget: memoryBudget,
      });
      return outcome;
    },
    device: { ...device, maxBufferBytes: 2 ** 32, maxBindingBytes: 2 ** 31, software: false },
  });
  return { page: made.page, ran };
}

test("a run that needs more memory than it may use asks once, and remembers the answer", async () => {
  const { page, ran } = pageWithPlans(900 * 2 ** 20);
  await settled();
  await page.getState().actions.runBoth(true);
  expect(ran).toEqual([]);
  expect(page.getState().notice).toMatchObject({
    action: { label: "Allow 1 GiB", kind: "allow-memory", amount: 1024 },
    others: [{ label: "Run fused only", kind: "run-fused" }],
  });
  expect(page.getState().notice?.text).toContain("needs 900 MiB of GPU memory: the page may use 512 MiB");
  page.getState().actions.followNotice();
  await settled();
  expect(ran).toEqual([{ plans: "naive,fused", budget: 2 ** 30 }]);
  expect(page.getState().memoryMiB).toBe(1024);
  page.dispose();
});

test("where the naive plan fits no device, the fused one is offered, with what the naive one would need", async () => {
  const { page, ran } = pageWithPlans(128 * 2 ** 30);
  await settled();
  await page.getState().actions.runBoth(true);
  expect(page.getState().notice).toMatchObject({ action: { label: "Run fused only", kind: "run-fused" } });
  expect(page.getState().notice?.text).toContain("The naive plan would store 128 GiB for s alone.");
  page.getState().actions.followNotice();
  await settled();
  expect(ran.map(({ plans }) => plans)).toEqual(["fused"]);
  page.dispose();
});

test("memory that runs out on the way offers the fused plan alone, as running out before does", async () => {
  const problem = { code: "out-of-memory", text: "The GPU has no memory left for this." } as const;
  const { page, ran } = pageWithPlans(2 ** 20, { ok: false, problem });
  await settled();
  await page.getState().actions.runBoth(true);
  expect(page.getState().run.status).toBe("idle");
  expect(page.getState().notice).toMatchObject({ action: { label: "Run fused only", kind: "run-fused" } });
  expect(page.getState().notice?.text).toContain("The GPU has no memory left for both plans.");
  expect(page.getState().notice?.text).toContain("The naive plan would store 1 MiB for s alone.");
  page.getState().actions.followNotice();
  await settled();
  expect(ran.map(({ plans }) => plans)).toEqual(["naive,fused", "fused"]);
  // Nothing smaller is left to offer.
  expect(page.getState().run).toMatchObject({ status: "failed", problem });
  page.dispose();
});

test("what is allowed or run anyway is the run that was asked about", async () => {
  const { page, ran } = pageWithPlans(2 ** 20, undefined, 900 * 2 ** 20);
  await settled();
  await page.getState().actions.runBoth(true, "fused");
  expect(page.getState().notice).toMatchObject({ action: { label: "Allow 1 GiB" } });
  page.getState().actions.followNotice();
  await settled();
  expect(ran.map(({ plans }) => plans)).toEqual(["fused"]);
  page.dispose();
});

test("the largest size that fits is offered, set in the text and run", async () => {
  const { page, ran } = pageWithPlans(128 * 2 ** 30);
  page.getState().actions.typeText("N = 4096\nx: f32[N, N]\ny = x + 1\n");
  await settled();
  await settled();
  await page.getState().actions.runBoth(true);
  // 128 GiB at 4,096, and as the square of it: 512 MiB at 256, where nothing is left for the fused plan.
  expect(page.getState().notice).toMatchObject({
    action: { label: "Run fused only" },
    others: [{ label: "Use N = 128", kind: "use-size", constant: "N", amount: 128 }],
  });
  page.getState().actions.followNotice(1);
  await settled();
  await settled();
  expect(page.getState().document.text).toContain("N = 128\n");
  expect(ran.map(({ plans }) => plans)).toEqual(["naive,fused"]);
  page.dispose();
});

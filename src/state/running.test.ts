import { expect, test } from "vitest";
import type { Compilation, Plan } from "../fusion";
import type { DeviceInfo } from "../gpu";
import { localPort, type CheckRequest, type CompileRequest } from "../workers";
import { createPlayground, type Playground } from "./playground";
import type { Environment } from "./environment";

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
function pageWith(flops: number, bytes = 0): { page: Playground; runs: () => number; made: () => number } {
  let [runs, made] = [0, 0];
  const graph = { nodes: new Map(), outputs: [] };
  const compilation = ({ text, options }: Extract<CompileRequest, { kind: "compile" }>) =>
    ({
      text,
      options,
      diagnostics: [],
      steps: [],
      symbols: [],
      naive: { graph, regions: new Map() },
      drawn: graph,
    }) as unknown as Compilation;
  const environment: Environment = {
    compileWorker: localPort((request: CompileRequest) => {
      if (request.kind === "compile") return { kind: "compiled" as const, compilation: compilation(request) };
      if (request.kind === "plans") return { kind: "planned" as const, plans: new Map([[0, planOf(flops, bytes)]]) };
      throw new Error("nothing to import here");
    }) as Environment["compileWorker"],
    checkWorker: localPort((request: CheckRequest) => {
      if (request.kind === "inputs") {
        made++;
        return { kind: "inputs" as const, inputs: new Map() };
      }
      throw new Error("no check here");
    }) as Environment["checkWorker"],
    layoutWorker: localPort(() => ({ boxes: new Map(), bends: new Map(), width: 0, height: 0 })),
    session: {
      describe: async () => ({ ok: true, value: device }),
      sweep: async () => ({ ok: true, value: [] }),
      bench: async () => {
        runs++;
        return { ok: false, problem: { code: "internal", text: "enough" } };
      },
      listen: () => () => undefined,
    },
    storage: { read: () => null, write: () => true },
    weightStorage: { read: async () => null, write: async () => true },
    now: () => 0,
    prefersDark: () => false,
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

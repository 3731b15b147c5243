import { expect, test } from "vitest";
import type { Compilation, Plan } from "../fusion";
import type { DeviceInfo } from "../gpu";
import { localPort, type CheckRequest, type CompileRequest } from "../workers";
import { createPlayground, type Playground } from "./playground";
import type { World } from "./world";

const device = { name: "a slow one", software: true, target: {} } as unknown as DeviceInfo;
const planOf = (flops: number) => ({ kernels: [{ flops }], totals: { bytes: 0 } }) as unknown as Plan;

/** A page whose plans have `flops` each, and how often they were run. */
function pageWith(flops: number): { page: Playground; runs: () => number } {
  let runs = 0;
  const graph = { nodes: new Map(), outputs: [] };
  const compilation = ({ text, options }: Extract<CompileRequest, { kind: "compile" }>) =>
    ({ text, options, diagnostics: [], steps: [], symbols: [], naive: { graph, regions: new Map() }, drawn: graph }) as unknown as Compilation; // prettier-ignore
  const world: World = {
    compileWorker: localPort((request: CompileRequest) => {
      if (request.kind === "compile") return { kind: "compiled" as const, compilation: compilation(request) };
      if (request.kind === "plans") return { kind: "planned" as const, plans: new Map([[0, planOf(flops)]]) };
      throw new Error("nothing to import here");
    }) as World["compileWorker"],
    checkWorker: localPort((request: CheckRequest) => {
      if (request.kind === "inputs") return { kind: "inputs" as const, inputs: new Map() };
      throw new Error("no check here");
    }) as World["checkWorker"],
    layoutWorker: localPort(() => ({ boxes: new Map(), bends: new Map(), width: 0, height: 0 })),
    session: {
      describe: async () => ({ ok: true, value: device }),
      bench: async () => {
        runs++;
        return { ok: false, problem: { code: "internal", text: "enough" } };
      },
      listen: () => () => undefined,
    },
    storage: { read: () => null, write: () => true },
    vault: { read: async () => null, write: async () => true },
    now: () => 0,
    prefersDark: () => false,
    reload: () => undefined,
  };
  const page = createPlayground(world);
  page.start();
  return { page, runs: () => runs };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

test("a short run runs at once", async () => {
  const { page, runs } = pageWith(1e6);
  await settled();
  await page.getState().actions.runBoth();
  expect(runs()).toBe(1);
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

import { expect, test } from "vitest";
import { decodeLink, encodeLink } from "../document";
import { compile, defaultOptions, fusionAt, planForTarget, targetOf } from "../fusion";
import type { DeviceInfo, Roofs } from "../gpu";
import { findExample } from "../lessons";
import { localPort, type CompileReply, type CompileRequest } from "../workers";
import { createPlayground } from "./playground";
import { environmentWith, fakeAnswer, Shelf } from "./testing/fake-environment";

/** A GPU with cheap launches and fast memory. */
const roofs: Roofs = { bandwidth: 4.13e12, flops: 50.8e12, launchMicros: 1.85 };
const device = (software: boolean) =>
  ({
    name: "acme anvil",
    software,
    tickNanos: 1,
    maxBufferBytes: 2 ** 28,
    maxBindingBytes: 2 ** 27,
    target: {
      schedule: "gpu",
      maxBindings: 10,
      maxWorkgroupSize: 256,
      maxWorkgroupBytes: 32_768,
      maxWorkgroupsPerDimension: 65_535,
      shaderF16: false,
      subgroups: true,
      machine: { multiprocessors: 132, counted: true },
    },
  }) as unknown as DeviceInfo;

/** The compiler itself; what else the page may ask is made up. */
function planning(request: CompileRequest): CompileReply {
  if (request.kind === "compile") return { kind: "compiled", compilation: compile(request.text, request.options) };
  if (request.kind !== "plans") return fakeAnswer(request);
  const { text, options, cursors, target } = request;
  const compilation = compile(text, options);
  const plans = cursors.map((cursor) => {
    const plan = planForTarget(fusionAt(compilation, cursor), target ?? targetOf(options.profile), options);
    return [cursor, plan] as const;
  });
  return { kind: "planned", plans: new Map(plans) };
}

async function pageOn(software: boolean, storage = new Shelf()) {
  let measured = 0;
  const environment = environmentWith(storage, localPort(planning) as never);
  const page = createPlayground({
    ...environment,
    session: {
      ...environment.session,
      describe: async () => ({ ok: true, value: device(software) }),
      measureRoofs: async () => {
        measured++;
        return { ok: true, value: roofs };
      },
      bench: async () => ({ ok: false, problem: { code: "internal", text: "enough" } }),
    },
  });
  page.start();
  const ready = async (): Promise<void> => {
    while (page.getState().derived.status === "compiling") await new Promise((resolve) => setTimeout(resolve, 5));
  };
  /** As a program of one's own: an example keeps the plan that its note tells of. */
  const open = async (id: string): Promise<void> => {
    page.getState().actions.openExample(id);
    await ready();
    page.getState().actions.typeText(`${findExample(id)!.text}\n# mine\n`);
    await new Promise((resolve) => setTimeout(resolve, 400));
    await ready();
  };
  await ready();
  return { page, open, ready, run: () => page.getState().actions.runBoth(), measured: () => measured };
}

const kernels = (page: Awaited<ReturnType<typeof pageOn>>["page"]): number =>
  page.getState().derived.compilation!.fusedPlan!.kernels.length;

test("the first run plans for the device, says so, and goes back when asked", async () => {
  const storage = new Shelf();
  const { page, open, run, ready, measured } = await pageOn(false, storage);
  await open("attention");
  const before = kernels(page);
  await run();
  const { profile } = page.getState().document.options;
  expect(profile).toMatchObject({ name: "acme anvil", launchMicros: 1.85, multiprocessors: 132, maxBindings: 8 });
  expect(kernels(page)).not.toBe(before);
  expect(page.getState().notice).toMatchObject({
    text: expect.stringContaining(`${before} were planned before`) as string,
    action: { label: "Plan as before" },
  });
  page.getState().actions.followNotice();
  await ready();
  expect(page.getState().document.options.profile).toEqual(defaultOptions.profile);
  expect(kernels(page)).toBe(before);
  // What a person took back stays so, in later visits too.
  await run();
  expect([kernels(page), measured()]).toEqual([before, 1]);
  const later = await pageOn(false, storage);
  expect(later.page.getState().planHere).toBe(false);
  // Until the device is chosen again.
  later.page.getState().actions.setProfile(profile);
  expect(later.page.getState().planHere).toBe(true);
  page.dispose();
  later.page.dispose();
});

test("one undo takes the device back, and the link holds the plan that was made", async () => {
  const { page, open, run, ready } = await pageOn(false);
  await open("attention");
  await run();
  const written = await encodeLink({ version: 1, document: page.getState().document, decision: null });
  const link = written.ok ? await decodeLink(written.value) : written;
  if (!link.ok) throw new Error(link.text);
  const { text, options } = link.value.state.document;
  expect(options.profile).toEqual(page.getState().document.options.profile);
  expect(compile(text, options).fusedPlan!.kernels.length).toBe(kernels(page));
  page.getState().actions.undo();
  await ready();
  expect(page.getState().document.options.profile).toEqual(defaultOptions.profile);
  page.dispose();
});

test("a plan that stays the same is not announced", async () => {
  const { page, open, run } = await pageOn(false);
  await open("layer-norm-gelu");
  await run();
  expect(page.getState().document.options.profile.name).toBe("acme anvil");
  expect(page.getState().notice?.action?.kind).not.toBe("plan-as-before");
  page.dispose();
});

test("what came with its plan keeps it: examples, links, goals, chosen devices; a CPU has no card", async () => {
  const example = await pageOn(false);
  example.page.getState().actions.openExample("attention");
  await example.ready();
  await example.run();
  const { text } = findExample("attention")!;
  const linked = await pageOn(false);
  const document = { text, positions: {}, options: defaultOptions, example: null };
  linked.page.getState().actions.openDocument(document, null, "link");
  await linked.ready();
  await linked.run();
  const goal = await pageOn(false);
  goal.page.getState().actions.typeText(`${text}\nassert_kernels(9)\n`);
  await new Promise((resolve) => setTimeout(resolve, 400));
  await goal.ready();
  expect(goal.page.getState().derived.compilation!.goals.length).toBe(1);
  await goal.run();
  const software = await pageOn(true);
  await software.run();
  const chosen = await pageOn(false);
  chosen.page.getState().actions.setProfile({ ...defaultOptions.profile, name: "own", launchMicros: 1 });
  await chosen.ready();
  await chosen.run();
  for (const { page, measured } of [example, linked, goal, software, chosen]) {
    expect(measured()).toBe(0);
    page.dispose();
  }
});

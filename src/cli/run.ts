/** @file run: both plans on a device, every output against the 64-bit reference. */
import {
  amplifiedWords,
  UNSETTLED,
  chosenFor,
  foldedData,
  fusionAt,
  inputData,
  planForTarget,
  runPlanOnCpu,
  sizeOf,
} from "../fusion";
import type { Fusion, Graph, InputData, NodeId } from "../fusion";
import { createSession, hostEnv, median } from "../gpu";
import type { BenchResult, DeviceInfo, PlanName } from "../gpu";
import type { Request } from "./args";
import { byHandPlan } from "./by-hand";
import { checkOutputs } from "./check";
import type { CheckedOutput, Data } from "./check";
import { planJson, planText } from "./report";
import type { Planned } from "./report";
import { plural, table, timeText } from "./format";
import type { Environment } from "./environment";

type PlanOutputs = readonly { readonly plan: PlanName; readonly value: NodeId; readonly data: Data }[];

/** What a device answered. */
interface Ran {
  readonly device: {
    readonly name: string;
    readonly description: string;
    readonly software: boolean;
    readonly clock: string | null;
    readonly tickNanos: number | null;
  };
  /** The plans that ran: schedules follow the device. */
  readonly planned: Planned;
  readonly outputs: PlanOutputs;
  readonly timings: BenchResult["timings"];
  /** About kernels of one's own. */
  readonly lines: readonly string[];
}

/** 0 when every output of both plans agrees, else 1. */
export async function run(request: Request, planned: Planned, environment: Environment): Promise<number> {
  const source = planned.compilation.naive!.graph;
  const large = largest(source);
  if (large.size > MOST_ELEMENTS) {
    environment.complain(
      `${large.label} has ${large.size.toLocaleString("en")} elements; a tensor of at most ${MOST_ELEMENTS.toLocaleString("en")} is run and compared here. Make it smaller, or ask for its plan: plan FILE.`,
    );
    return 1;
  }
  const inputs = new Map<NodeId, InputData>();
  for (const node of source.nodes.values())
    if (node.op === "input") inputs.set(node.id, planned.given.get(node.id) ?? inputData(node));
  const { graph } = finalOf(planned);
  for (const [id, data] of foldedData(graph, inputs)) inputs.set(id, Float32Array.from(data));
  const ran =
    request.device === "cpu" ? onCpu(planned, inputs) : await onWebgpu(planned, inputs, environment, request.kernels);
  if (typeof ran === "string") {
    environment.complain(ran);
    return 1;
  }
  for (const line of ran.lines) environment.complain(line);
  const got = (plan: PlanName, value: NodeId): Data | null =>
    ran.outputs.find((each) => each.plan === plan && each.value === value)?.data ?? null;
  const plans: PlanName[] = ["naive", "fused", ...(request.kernels.size > 0 ? ["hand" as const] : [])];
  const { outputs, sampled } = checkOutputs(source, planned.naive, inputs, got, plans);
  if (sampled !== null)
    environment.complain(
      `The reference is slow for this program, so only ${sampled} elements of each output are compared.`,
    );
  environment.print(request.json ? JSON.stringify(runJson(ran, outputs), null, 2) : runText(ran, outputs));
  const wrong = outputs.filter(({ pass }) => !pass);
  for (const { name, plan } of wrong)
    environment.complain(`${name} of the ${plan} plan does not agree with the reference.`);
  return wrong.length === 0 ? 0 : 1;
}

/** Elements of a tensor that fit into memory as the reference holds them. */
const MOST_ELEMENTS = 2 ** 28;

/** The largest tensor of a program. */
const largest = ({ nodes }: Graph): { readonly label: string; readonly size: number } =>
  [...nodes.values()]
    .map(({ label, type }) => ({ label, size: sizeOf(type.shape) }))
    .reduce((most, each) => (each.size > most.size ? each : most), { label: "", size: 0 });

const finalOf = ({ compilation }: Planned): Fusion => fusionAt(compilation, compilation.steps.length);

function onCpu(planned: Planned, inputs: ReadonlyMap<NodeId, InputData>): Ran {
  const exact = new Map([...inputs].map(([id, data]) => [id, Float64Array.from(data)]));
  const { options } = planned.compilation;
  const { profile } = options;
  const target = chosenFor(options);
  const outputsOf = (plan: PlanName, fusion: Fusion) =>
    [...runPlanOnCpu(fusion, target, profile, exact, { precision: "f32" }).outputs].map(([value, data]) => ({
      plan,
      value,
      data,
    }));
  return {
    device: {
      name: "cpu",
      description: "An interpreter of the generated kernels",
      software: true,
      clock: null,
      tickNanos: null,
    },
    planned,
    outputs: [...outputsOf("naive", fusionAt(planned.compilation, 0)), ...outputsOf("fused", finalOf(planned))],
    timings: [],
    lines: [],
  };
}

async function onWebgpu(
  planned: Planned,
  inputs: ReadonlyMap<NodeId, InputData>,
  environment: Environment,
  kernels: Request["kernels"],
): Promise<Ran | string> {
  const gpu = await environment.gpu();
  if (typeof gpu === "string") return gpu;
  const session = createSession(gpu, hostEnv());
  const info = await session.describe();
  if (!info.ok) return info.problem.text;
  const { options } = planned.compilation;
  const naive = planForTarget(fusionAt(planned.compilation, 0), info.value.target, options);
  const fused = planForTarget(finalOf(planned), info.value.target, options);
  const own = kernels.size > 0 ? await byHandPlan(fused, kernels, info.value, session, inputs, environment) : null;
  if (typeof own === "string") return own;
  const hand = own?.plan ?? null;
  const result = await session.bench({ naive, fused, hand }, inputs, { budgetMillis: 1500, roofs: false });
  if (!result.ok) {
    const { text, kernel, line, column } = result.problem;
    return kernel ? `${kernel}:${line ?? 1}:${column ?? 1}: ${text}` : text;
  }
  await session.close();
  const { device, outputs, timings } = result.value;
  return {
    device: described(device),
    planned: { ...planned, naive, fused },
    outputs,
    timings,
    lines: own?.lines ?? [],
  };
}

const described = ({ name, description, software, clock, tickNanos }: DeviceInfo): Ran["device"] => ({
  name,
  description,
  software,
  clock,
  tickNanos,
});

/** `plan --json` of the plans that ran, with what the device said. Infinite errors are null: JSON has no infinity. */
const runJson = (ran: Ran, outputs: readonly CheckedOutput[]) => ({
  ...planJson(ran.planned),
  device: ran.device,
  outputs,
  timings: ran.timings.map(({ plan, kernel, nanoseconds }) => ({ plan, kernel, ns: Math.round(median(nanoseconds)) })),
});

function runText(ran: Ran, outputs: readonly CheckedOutput[]): string {
  const { device, planned, timings } = ran;
  const clock = device.clock ? `, ${device.clock}, step ${device.tickNanos} ns` : "";
  const head = `${device.name} (${device.description})${device.software && clock ? ", CPU timings, not a GPU speed-up" : ""}${clock}`;
  const checks = outputs.map(({ name, plan, maxAbs, maxRel, maxUlp, loose, amplified, pass }) => [
    pass ? "agrees" : "DIFFERS",
    name,
    plan,
    `max abs ${maxAbs.toPrecision(3)}`,
    `max rel ${maxRel.toPrecision(3)}`,
    plural(maxUlp, "ULP"),
    ...(amplified === true ? [amplifiedWords("where it is off,")] : []),
    ...(amplified === null ? [UNSETTLED] : []),
    ...(loose === null ? [] : [`off by more than 1 % of its scale, which rounding may explain: ${loose}`]),
  ]);
  const times = timings.map(({ plan, kernel, nanoseconds, repeats }) => [
    plan,
    kernel ?? "whole plan",
    timeText(median(nanoseconds)),
    `${timeText(Math.min(...nanoseconds))} to ${timeText(Math.max(...nanoseconds))}`,
    `${nanoseconds.length} × ${repeats}`,
  ]);
  return [head, "", planText(planned), "", table(checks), ...(times.length > 0 ? ["", table(times)] : [])].join("\n");
}

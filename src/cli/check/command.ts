/** @file check: folders of external cases, each imported, planned, run naive and fused, and compared with what it expects. */
import { existsSync } from "node:fs";
import type { CheckRequest } from "../args";
import type { Environment } from "../environment";
import type { ExternalCase } from "./case";
import { findCases, type CaseSource } from "./cases";
import { onCpu, runCase, type CaseResult, type RunPlans } from "./run-case";
import { fusionAt, node, planForTarget, type Graph, type InputData, type NodeId } from "../../fusion";
import { createSession, hostEnv, type Session } from "../../gpu";

/** Between two lines of progress. */
const PROGRESS_MILLIS = 10_000;

/** Larger cases are left to the CPU: a software adapter would take minutes over each. */
const WEBGPU_ELEMENTS = 1 << 20;

interface Report {
  readonly passed: string[];
  /** Computed with nothing to compare with: naive and fused agree with the reference. */
  readonly alone: { readonly case: string; readonly why: string }[];
  readonly failed: {
    readonly case: string;
    readonly output: string;
    readonly maxAbs: number;
    readonly maxRel: number;
    readonly why: string;
  }[];
  readonly unsupported: { readonly case: string; readonly op: string; readonly why: string }[];
}

const elementsOf = ({ inputs, expected }: ExternalCase): number =>
  [...inputs, ...expected].reduce((sum, { tensor }) => sum + (tensor?.data.length ?? 0), 0);

const failure = (error: unknown): CaseResult => {
  const why = error instanceof Error ? error.message : String(error);
  return { kind: "failed", output: "", maxAbs: 0, maxRel: 0, why };
};

/** The cases of a source; what can't be read is one case that failed. */
function casesOf({
  name,
  read,
}: CaseSource): readonly ExternalCase[] | { readonly name: string; readonly result: CaseResult } {
  try {
    return read();
  } catch (error) {
    return { name, result: failure(error) };
  }
}

async function resultOf(one: ExternalCase, run: RunPlans, limit: number): Promise<CaseResult> {
  if (elementsOf(one) > limit) return { kind: "unsupported", op: "", why: "size" };
  try {
    return await runCase(one, run);
  } catch (error) {
    return failure(error);
  }
}

/** `check PATH… [--device cpu|webgpu] [--json]`: 0 when no case failed. */
export async function checkCases({ paths, device, json }: CheckRequest, environment: Environment): Promise<number> {
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) {
    environment.complain(`There is no ${missing}.`);
    return 1;
  }
  const gpu = device === "webgpu" ? await onWebgpu(environment) : null;
  if (typeof gpu === "string") {
    environment.complain(gpu);
    return 1;
  }
  const report: Report = { passed: [], alone: [], failed: [], unsupported: [] };
  const limit = gpu ? WEBGPU_ELEMENTS : Number.POSITIVE_INFINITY;
  let done = 0;
  let told = environment.now();
  for (const source of findCases(paths)) {
    done++;
    if (environment.now() - told > PROGRESS_MILLIS) {
      told = environment.now();
      environment.complain(`${done} cases read, ${report.passed.length} passed, now ${source.name}`);
    }
    const cases = casesOf(source);
    if ("result" in cases) take(report, cases.name, cases.result, !json, environment);
    else
      for (const one of cases)
        take(report, one.name, await resultOf(one, gpu?.run ?? onCpu, limit), !json, environment);
  }
  await gpu?.close();
  const { passed, alone, failed, unsupported } = report;
  if (json) environment.print(JSON.stringify(report, null, 2));
  else {
    const without = alone.length > 0 ? `, ${alone.length} without values to compare agree with the reference` : "";
    environment.print(`${passed.length} passed${without}, ${failed.length} failed, ${unsupported.length} unsupported`);
  }
  return failed.length === 0 ? 0 : 1;
}

function take(report: Report, name: string, result: CaseResult, tell: boolean, environment: Environment): void {
  switch (result.kind) {
    case "passed":
      report.passed.push(name);
      return;
    case "alone":
      report.alone.push({ case: name, why: result.why });
      return;
    case "failed": {
      const { output, maxAbs, maxRel, why } = result;
      report.failed.push({ case: name, output, maxAbs, maxRel, why });
      if (tell) environment.print(`failed ${name}${output ? ` ${output}` : ""}: ${why}`);
      return;
    }
    case "unsupported":
      report.unsupported.push({ case: name, op: result.op, why: result.why });
      if (tell) environment.print(`unsupported ${name}${result.op ? ` ${result.op}` : ""}: ${result.why}`);
  }
}

/** Bytes: whole models, on a machine that runs nothing else. */
const MEMORY_BUDGET = 2 ** 32;

/** Numbers as the dtype of their node is uploaded. */
function uploaded(graph: Graph, id: NodeId, data: Float64Array): InputData {
  switch (node(graph, id).type.dtype) {
    case "f32":
    case "f16":
      return Float32Array.from(data);
    case "i32":
      return Int32Array.from(data);
    case "bool":
      return Uint32Array.from(data);
  }
}

/** A runner on the device and what closes it; a sentence where there is no device. */
async function onWebgpu(
  environment: Environment,
): Promise<{ readonly run: RunPlans; close(): Promise<void> } | string> {
  const gpu = await environment.gpu();
  if (typeof gpu === "string") return gpu;
  const session: Session = createSession(gpu, hostEnv());
  const info = await session.describe();
  if (!info.ok) return info.problem.text;
  const { target } = info.value;
  const run: RunPlans = async (compilation, inputs) => {
    const ran: { plan: string; outputs: ReadonlyMap<NodeId, ArrayLike<number>> }[] = [];
    for (const [plan, cursor] of [["naive", 0] as const, ["fused", compilation.steps.length] as const]) {
      const fusion = fusionAt(compilation, cursor);
      const known = [...inputs].filter(([id]) => fusion.graph.nodes.has(id));
      const data = new Map(known.map(([id, values]) => [id, uploaded(fusion.graph, id, values)]));
      const result = await session.run(planForTarget(fusion, target, compilation.options), data, {
        memoryBudget: MEMORY_BUDGET,
      });
      if (!result.ok) throw new Error(`${plan}: ${result.problem.text}`);
      ran.push({ plan, outputs: new Map(result.value.map(({ value, data: out }) => [value, out])) });
    }
    return ran;
  };
  return { run, close: () => Promise.resolve(session.close()) };
}

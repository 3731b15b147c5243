/** @file Kernels written by hand, in a run: which plan they belong to, whether they may run, and a first run with their limits watched. */
import { bytesOfKernel, type Compilation, type Fusion, type Kernel, type Plan } from "../../fusion";
import { preflight, type DeviceInfo, type GpuProblem } from "../../gpu";
import { handPlan, prepare, watchedPlan, type Counted, type Prepared } from "../../wgsl";
import { asWritten, faultOf } from "./hand-check";
import type { Environment, GpuSession } from "../environment";
import { say, type RunRequest } from "./run-request";
import type { plansFor as plansForTarget, States } from "./running";
import type { SliceContext } from "../slices/slice-context";
import type { FinishedRun, HandOutcome } from "../types";

/** A state and a plan of it. */
interface Candidate {
  readonly fusion: Fusion;
  readonly plan: Plan;
}

/** The text that runs instead of a kernel; null where it is generated. */
type TextOf = (kernel: Kernel) => string | null;

/** Kernels of a plan that have a text of their own, by their index. */
const textsIn = (plan: Plan, textOf: TextOf): ReadonlyMap<number, string> =>
  new Map(
    plan.kernels.flatMap((kernel, i) => {
      const text = textOf(kernel);
      return text === null ? [] : [[i, text] as const];
    }),
  );

/** The plan that most of the texts belong to, the earlier where several do; null where none does. */
function chosenPlan(candidates: readonly Candidate[], textOf: TextOf): Candidate | null {
  let best: Candidate | null = null;
  let most = 0;
  for (const each of candidates) {
    const { size } = textsIn(each.plan, textOf);
    if (size > most) [best, most] = [each, size];
  }
  return best;
}

/** What may run of the texts, after a first run that told no loop reached its limit. */
export interface HandReady {
  readonly fusion: Fusion;
  /** null where no text may run. */
  readonly plan: Plan | null;
  readonly kernels: readonly HandOutcome[];
}

interface Trial {
  readonly environment: Environment;
  readonly chosen: Candidate;
  readonly textOf: TextOf;
  /** The count of a text that was looked at before. */
  readonly knownCount: (binds: string, wgsl: string) => Counted | null;
  readonly bindsOf: (kernel: Kernel) => string;
  readonly device: DeviceInfo;
  readonly inputs: Parameters<GpuSession["run"]>[1];
  readonly memoryBudget: number;
  readonly signal: AbortSignal;
  /** Told when all of its workgroups begin to run. */
  readonly begun: () => void;
}

const NOT_COUNTED: Counted = { ok: false, text: "It was stopped before that.", line: null };

/** Why a kernel that passed its own checks may not run all the same; null where it may. */
function refusedFor(plan: Plan, { device, memoryBudget }: Trial): string | null {
  const checked = preflight([plan], device, memoryBudget);
  return checked.ok ? null : checked.problem.text;
}

/**
 * Checks the texts of the chosen plan, counts what they move, and runs them once. A problem of the device as a whole is
 * handed back; what one kernel did wrong is in its outcome.
 */
async function tryByHand(trial: Trial): Promise<HandReady | GpuProblem> {
  const { environment, chosen, textOf, bindsOf, device } = trial;
  const { plan } = chosen;
  const ready = new Map<number, Prepared>();
  const outcomes = new Map<number, HandOutcome>();
  const counting = new Map<number, Promise<Counted>>();
  for (const [i, wgsl] of textsIn(plan, textOf)) {
    const kernel = plan.kernels[i]!;
    const about = aboutOf(kernel, bindsOf(kernel), wgsl);
    const made = prepare(kernel, wgsl, device.target, device.software);
    if (!("kernel" in made)) outcomes.set(i, { ...about, status: "refused", faults: made });
    else {
      ready.set(i, made);
      outcomes.set(i, { ...about, limit: made.limit });
      const known = trial.knownCount(about.binds, wgsl);
      counting.set(i, known ? Promise.resolve(known) : countOf(environment, asWritten(made, wgsl)));
    }
  }
  const problem = await firstRun(trial, ready, outcomes);
  if (problem) return problem;
  const counted = new Map<number, Counted>();
  for (const [i, count] of counting) counted.set(i, await count);
  const kernels = [...outcomes]
    .toSorted(([a], [b]) => a - b)
    .map(([i, each]) => ({ ...each, counted: counted.get(i) ?? NOT_COUNTED }));
  return { fusion: chosen.fusion, kernels, plan: ready.size > 0 ? handPlan(plan, ready, counted) : null };
}

const aboutOf = (kernel: Kernel, binds: string, wgsl: string): HandOutcome => ({
  kernel: kernel.id,
  name: kernel.name,
  binds,
  wgsl,
  status: "ran",
  faults: [],
  limit: 0,
  counted: NOT_COUNTED,
  generatedBytes: bytesOfKernel(kernel),
});

async function countOf(environment: Environment, kernel: Kernel): Promise<Counted> {
  const answer = await environment.countWorker.ask(kernel);
  return answer.ok ? answer.value : { ok: false, text: answer.text, line: null };
}

/** Runs what is ready until nothing more is refused; what reached a limit is taken out. */
async function firstRun(
  trial: Trial,
  ready: Map<number, Prepared>,
  outcomes: Map<number, HandOutcome>,
): Promise<GpuProblem | null> {
  const { environment, chosen, inputs, memoryBudget, signal, begun } = trial;
  const refuse = (i: number, change: Partial<HandOutcome>): void => {
    outcomes.set(i, { ...outcomes.get(i)!, ...change });
    ready.delete(i);
  };
  const refuseAll = (text: string): void => {
    for (const i of ready.keys()) refuse(i, { status: "refused", faults: [{ line: 1, column: 1, text }] });
  };
  let probe = true;
  while (ready.size > 0) {
    const { plan, flags } = watchedPlan(chosen.plan, ready, probe);
    const unfit = refusedFor(plan, trial);
    if (unfit !== null) {
      refuseAll(unfit);
      return null;
    }
    const ran = await environment.session.run(plan, inputs, { memoryBudget, signal, ...(probe ? {} : { begun }) });
    if (ran.ok) {
      const words = new Map(ran.value.map(({ value, data }) => [value, data[0]]));
      for (const { value, kernel } of flags) if (words.get(value) !== 0) refuse(kernel, { status: "limit" });
      if (!probe) return null;
      probe = false;
      continue;
    }
    const { problem } = ran;
    if (problem.code === "invalid" || problem.code === "internal" || problem.code === "refused") {
      refuseAll(problem.text);
      return null;
    }
    const i = plan.kernels.findIndex(({ id }) => id === problem.kernel);
    const made = ready.get(i);
    if (problem.code !== "shader-rejected" || !made)
      return told(
        problem,
        [...ready.keys()].map((at) => chosen.plan.kernels[at]!.id),
      );
    refuse(i, { status: "refused", faults: [faultOf(problem, made.watched?.guarded ?? made.guarded)] });
  }
  return null;
}

/** A loss or a hang, with the kernels that may be behind it. */
function told(problem: GpuProblem, kernels: readonly string[]): GpuProblem {
  if (problem.code !== "device-lost" && problem.code !== "timeout") return problem;
  const names = kernels.length === 1 ? `${kernels[0]}, edited by hand,` : `${kernels.join(", ")}, edited by hand,`;
  return { ...problem, text: `While ${names} ran: ${problem.text}` };
}

/** What a run hands over. */
interface ByHandRequest extends Pick<Trial, "textOf" | "bindsOf"> {
  readonly context: SliceContext;
  readonly request: RunRequest;
  readonly compilation: Compilation;
  readonly states: States;
  readonly plans: FinishedRun["plans"];
  readonly device: DeviceInfo;
  readonly inputs: Trial["inputs"];
  /** Plans of the document's own schedules, where those of the device have other kernels. */
  readonly plansFor: typeof plansForTarget;
}

/** Texts of the document that run instead of kernels, tried once; null where none does. */
export async function runByHand(wanted: ByHandRequest): Promise<HandReady | GpuProblem | null> {
  const { context, request, compilation, states, plans, device, inputs, plansFor, textOf, bindsOf } = wanted;
  const { cursor, memoryMiB } = context.get();
  const both = ({ naive, step, fused }: FinishedRun["plans"]): Candidate[] => [
    ...(cursor === 0 ? [{ fusion: states.naive, plan: naive }] : []),
    ...(step && states.step ? [{ fusion: states.step, plan: step }] : []),
    { fusion: states.fused, plan: fused },
    { fusion: states.naive, plan: naive },
  ];
  const written = await plansFor(context, compilation, cursor, null);
  const chosen = chosenPlan([...both(plans), ...("code" in written ? [] : both(written))], textOf);
  if (!chosen) return null;
  say(context, request, "Preparing the hand-written kernel");
  const begun = (): void => {
    if (!request.signal.aborted) say(context, request, "Trying the hand-written kernel");
  };
  const { environment } = context;
  const knownCount = (binds: string, wgsl: string): Counted | null => {
    const known = context.get().handChecks.get(binds);
    return known?.wgsl === wgsl ? known.counted : null;
  };
  const { signal } = request;
  const memoryBudget = memoryMiB * 2 ** 20;
  return tryByHand({ environment, chosen, textOf, bindsOf, knownCount, device, inputs, memoryBudget, signal, begun });
}

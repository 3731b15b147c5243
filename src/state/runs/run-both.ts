/** @file Running both plans on the machine, or on the CPU where there is none: in a chunk of its own, asked for by Run. */
import { ENDED } from "../../workers";
import { rest, type RunRequest, say } from "./run-request";
import { fail, runOn, statesOf } from "./running";
import type { SliceContext } from "../slices/slice-context";
import { runData } from "../storage/weights";
import { changedFields, type Compilation, defaultOptions, type DeviceProfile } from "../../fusion";
import type { DeviceInfo } from "../../gpu";
import { cardOf } from "./card";
import { selectExample, selectIsEdited } from "../selectors";
import type { Notice } from "../types";

/**
 * Whether the first run may plan for the device: not a document that was given with its plan (a link or file, a lesson, a
 * goal, an example whose note tells of it), nor one whose device somebody chose. A CPU that pretends to be a GPU has no card: plans are made for GPUs.
 */
function mayPlanHere(context: SliceContext, { goals, options }: Compilation, device: DeviceInfo): boolean {
  const { lesson, planHere } = context.get();
  if (selectExample(context.get()) && !selectIsEdited(context.get())) return false;
  if (device.software || !planHere || lesson || (goals ?? []).length > 0 || context.isGiven()) return false;
  return changedFields(options.profile, defaultOptions.profile).length === 0;
}

/** Kernels of the fused plan, by what they compute: equal texts, equal kernels. */
const kernelsOf = ({ fusedPlan }: Compilation): string[] => (fusedPlan?.kernels ?? []).map(({ nodes }) => nodes.join());

/** What a person is told whose program was planned again; null where the kernels are the same. */
function announcement(card: DeviceProfile, before: Compilation, after: Compilation): Notice | null {
  const [old, fresh] = [kernelsOf(before), kernelsOf(after)];
  if (old.join(";") === fresh.join(";")) return null;
  const known = new Set(old);
  const changed = fresh.filter((each) => !known.has(each)).length;
  const text = `This run measured ${card.name}, and the program was planned for it: ${changed} of ${fresh.length} kernels are new, ${old.length} were planned before. Its link keeps this plan.`;
  return { tone: "info", text, action: { label: "Plan as before", kind: "plan-as-before" } };
}

/**
 * Measures the device and plans for it, where the document leaves that open: once, before the first run.
 * @returns what is to run, and what to say of it afterwards; null when the run was cancelled
 */
async function plannedHere(
  context: SliceContext,
  request: RunRequest,
  compilation: Compilation,
  device: DeviceInfo,
): Promise<{ readonly compilation: Compilation; readonly notice: Notice | null } | null> {
  const asBefore = { compilation, notice: null };
  if (!mayPlanHere(context, compilation, device)) return asBefore;
  const { document } = context.get();
  say(context, request, "Measuring this device");
  const roofs = await context.environment.session.measureRoofs();
  if (request.signal.aborted) return null;
  // Not measured, or edited meanwhile: the run goes on with the plan that was asked for.
  if (!roofs.ok || context.get().document !== document) return asBefore;
  const card = cardOf(device, roofs.value);
  say(context, request, "Planning for this device");
  context.commit({ ...document, options: { ...document.options, profile: card } }, "option");
  await context.until(({ derived }) => derived.status !== "compiling", request.signal);
  if (request.signal.aborted) return null;
  const after = context.get().derived.compilation;
  if (!after?.naive || after.options.profile !== card) return asBefore;
  return { compilation: after, notice: announcement(card, compilation, after) };
}

/** The reference and the generated kernels on the CPU, in a worker. */
export async function runOnCpu(context: SliceContext): Promise<void> {
  const { compilation } = context.get().derived;
  if (!compilation?.naive) return;
  const none = { program: compilation.text, outputs: [], check: [] };
  const running = { ...none, status: "running", text: "Computing the reference on the CPU…" } as const;
  context.set({ cpuCheck: running });
  const { naive, fused } = statesOf(compilation, 0);
  const { given, source } = await runData(context.weights, context.get().document.weights, naive.graph);
  const answer = await context.environment.checkWorker.ask({
    kind: "cpu",
    given,
    fusion: naive,
    options: compilation.options,
    plans: [
      { plan: "naive", fusion: naive },
      { plan: "fused", fusion: fused },
    ],
  });
  // Asked again meanwhile.
  if (context.get().cpuCheck !== running) return;
  if (answer.ok && answer.value.kind === "cpu") {
    const { summaries, rows } = answer.value;
    const text = source ? `${answer.value.text} ${source}` : answer.value.text;
    context.set({ cpuCheck: { ...none, status: "done", text, outputs: summaries, check: rows } });
  } else if (!answer.ok) {
    const text = answer.text === ENDED ? "Stopped." : `The reference could not finish: ${answer.text}`;
    context.set({ cpuCheck: { ...none, status: "failed", text } });
  }
}

/** Runs what is written now; `request` hears what becomes of it. */
export async function runBoth(context: SliceContext, request: RunRequest): Promise<void> {
  // What is run can be had again, however soon typing goes on.
  context.pause();
  if (context.get().derived.status === "compiling") {
    // What is written now is what runs, not the program before it.
    say(context, request, "Waiting for the plan");
    await context.until(({ derived }) => derived.status !== "compiling", request.signal);
    if (request.signal.aborted) return;
  }
  const { compilation, latest, status } = context.get().derived;
  if (!compilation?.naive || status === "broken" || !latest?.naive) {
    rest(context, request.previous);
    context.set({ notice: { tone: "warn", text: "Nothing to run yet: the program has no plan." } });
    return;
  }
  context.set({ notice: null });
  say(context, request, "Asking for the GPU");
  // A crash of the GPU must not cost a word.
  context.flush();
  const described = await context.environment.session.describe();
  if (request.signal.aborted) return;
  if (described.ok) {
    context.set({ device: described.value, deviceProblem: null });
    const planned = await plannedHere(context, request, compilation, described.value);
    if (!planned) return;
    await runOn(context, request, planned.compilation, described.value);
    if (planned.notice && request.latest() && !context.get().notice) context.set({ notice: planned.notice });
    return;
  }
  context.set({ deviceProblem: described.problem, device: null });
  fail(context, request, described.problem);
  await runOnCpu(context);
}

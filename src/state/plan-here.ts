/** @file Planning for the device at hand: measured before the first run, where the document leaves its device open. */
import { changedFields, defaultOptions, type Compilation, type DeviceProfile } from "../fusion";
import type { DeviceInfo } from "../gpu";
import { cardOf } from "./card";
import { say, type RunRequest } from "./run-request";
import { selectExample, selectIsEdited } from "./selectors";
import type { SliceContext } from "./slice-context";
import type { Notice } from "./types";

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
export async function plannedHere(
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

/** @file What is wrong with a hand-written kernel before it runs. Comes late: it brings the reader of WGSL. */
import type { Kernel, Target } from "../../fusion";
import type { DeviceInfo, GpuProblem } from "../../gpu";
import { prepare, type Fault, type Prepared } from "../../wgsl";
import type { SliceContext } from "../slices/slice-context";
import type { Environment } from "../environment";
import type { HandCheck } from "../types";

/** Where the device's compiler points, in the text as it was written. */
export function faultOf({ line = 1, column = 1, text, reason }: GpuProblem, { written }: Prepared["guarded"]): Fault {
  return { ...written(line, column), text: reason ?? text };
}

/** Before a device has told its limits. */
export const NO_LIMITS: Target = {
  schedule: "gpu",
  maxWorkgroupSize: Infinity,
  maxWorkgroupBytes: Infinity,
  maxBindings: Infinity,
  maxWorkgroupsPerDimension: Infinity,
  shaderF16: true,
  subgroups: true,
};

/** A kernel of the plan with the sizes of its text, for the count. */
export const asWritten = ({ kernel }: Prepared, wgsl: string): Kernel => ({ ...kernel, wgsl });

/**
 * Looks at a text: its interface and sizes, then the device's compiler where `device` is there, and its traffic.
 * `show` is told as it is found.
 */
async function lookAt(
  environment: Environment,
  kernel: Kernel,
  wgsl: string,
  device: DeviceInfo | null,
  show: (change: Partial<HandCheck>) => void,
): Promise<void> {
  const made = prepare(kernel, wgsl, device?.target ?? NO_LIMITS, device?.software ?? false);
  if (!("kernel" in made)) return show({ faults: made, compiled: device !== null, counted: null });
  show({ faults: [] });
  const building = device ? environment.session.build(made.kernel) : null;
  const counting = environment.countWorker.ask(asWritten(made, wgsl));
  const built = await building;
  const refused =
    built && !built.ok && built.problem.code === "shader-rejected" ? [faultOf(built.problem, made.guarded)] : [];
  show({ faults: refused, compiled: built !== null });
  const counted = await counting;
  show({ counted: counted.ok ? counted.value : { ok: false, text: counted.text, line: null } });
}

/** Lets a pause in typing pass before the device is asked, ms. */
const PAUSE_MILLIS = 500;

/** Looks at the hand-written text of `kernel`, a little later where it is being typed. */
export async function check(context: SliceContext, kernel: Kernel, binds: string, build: boolean): Promise<void> {
  const wgsl = context.get().document.byHand?.[binds];
  if (wgsl === undefined) return;
  const isStale = (): boolean => context.get().document.byHand?.[binds] !== wgsl;
  const before = context.get().handChecks.get(binds);
  const show = (change: Partial<HandCheck>): void => {
    if (isStale()) return;
    const { handChecks } = context.get();
    const known = handChecks.get(binds);
    const own = known?.wgsl === wgsl ? known : { wgsl, faults: [], compiled: false, counted: null };
    context.set({ handChecks: new Map(handChecks).set(binds, { ...own, ...change }) });
  };
  if (before?.wgsl === wgsl && (before.compiled || !build)) return;
  if (build) await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
  if (isStale()) return;
  const { device } = context.get();
  await lookAt(context.environment, kernel, wgsl, build ? device : null, show);
}

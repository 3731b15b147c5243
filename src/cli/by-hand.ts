/** @file Kernels of one's own for `run`: read, checked, tried once, and the plan with them. */
import { bytesOfKernel, showBytes, type Kernel, type Plan } from "../fusion";
import type { DeviceInfo, Session } from "../gpu";
import { countTraffic, handPlan, prepare, watchedPlan, type Counted, type Prepared } from "../wgsl";
import type { Environment } from "./environment";

/** A plan with hand-written kernels, and a line about each of them. */
export interface ByHand {
  readonly plan: Plan;
  readonly lines: readonly string[];
}

/**
 * `plan` with the texts of `files` instead of its kernels, by id or name. A text is refused with its position
 * (`mine.wgsl:12:5: …`); one whose loop has too many iterations is never timed.
 */
export async function byHandPlan(
  plan: Plan,
  files: ReadonlyMap<string, string>,
  device: DeviceInfo,
  session: Session,
  inputs: Parameters<Session["run"]>[1],
  environment: Environment,
): Promise<ByHand | string> {
  const ready = new Map<number, Prepared>();
  const counted = new Map<number, Counted>();
  const paths = new Map<number, string>();
  for (const [name, path] of files) {
    const at = plan.kernels.findIndex((kernel) => kernel.id === name || kernel.name === name);
    const kernel = plan.kernels[at];
    if (!kernel) {
      const all = plan.kernels.map((each) => `${each.id} ${each.name}`).join(", ");
      return `The fused plan has no kernel ${name} on this device. It has ${all}.`;
    }
    const text = await environment.read(path).catch((refused: unknown) => refused);
    if (typeof text !== "string")
      return `${path} can't be read: ${text instanceof Error ? text.message : String(text)}`;
    const made = prepare(kernel, text, device.target, device.software);
    if (!("kernel" in made)) return made.map((fault) => located(path, fault)).join("\n");
    ready.set(at, made);
    paths.set(at, path);
    counted.set(at, countTraffic({ ...made.kernel, wgsl: text }));
  }
  for (const probe of [true, false]) {
    const problem = await tried(plan, ready, paths, session, inputs, probe);
    if (problem !== null) return problem;
  }
  const lines = [...ready].map(([at, made]) => told(plan.kernels[at]!, made.kernel, paths.get(at)!, counted.get(at)!));
  return { plan: handPlan(plan, ready, counted), lines };
}

/** Runs the texts once; answers what is wrong with one of them. `probe`: one workgroup of each alone. */
async function tried(
  plan: Plan,
  ready: ReadonlyMap<number, Prepared>,
  paths: ReadonlyMap<number, string>,
  session: Session,
  inputs: Parameters<Session["run"]>[1],
  probe: boolean,
): Promise<string | null> {
  const watched = watchedPlan(plan, ready, probe);
  const answer = await session.run(watched.plan, inputs);
  if (!answer.ok) {
    const { kernel, line = 1, column = 1, text, reason } = answer.problem;
    const at = watched.plan.kernels.findIndex(({ id }) => id === kernel);
    const made = ready.get(at);
    if (!made) return text;
    const position = (made.watched?.guarded ?? made.guarded).written(line, column);
    return located(paths.get(at)!, { ...position, text: reason ?? text });
  }
  const reached = watched.flags.find(({ value }) => answer.value.find((each) => each.value === value)?.data[0] !== 0);
  if (!reached) return null;
  const { limit } = ready.get(reached.kernel)!;
  return `${paths.get(reached.kernel)!}: a loop took more than ${limit} iterations in one thread and was stopped.`;
}

const located = (path: string, { line, column, text }: { line: number; column: number; text: string }): string =>
  `${path}:${line}:${column}: ${text}`;

/** `K1 from mine.wgsl: 16 × 1 × 1 workgroups of 64 × 1 × 1 threads, 768 KiB, generated 768 KiB` */
function told(kernel: Kernel, { workgroups, workgroupSize }: Kernel, path: string, counted: Counted): string {
  const generated = showBytes(bytesOfKernel(kernel));
  const grid = `${workgroups.join(" × ")} workgroups of ${workgroupSize.join(" × ")} threads`;
  const own = counted.ok ? showBytes(bytesOfKernel(counted)) : `traffic not counted: ${counted.text}`;
  return `${kernel.id} from ${path}: ${grid}, ${own}, generated ${generated}`;
}

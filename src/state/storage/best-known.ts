/** @file The best result known of a puzzle: what its own solution scores. Comes with a puzzle. */
import { evaluate, scopeOf, type HandFacts, type Task } from "../../course";
import { bytesOfKernel, type Compilation } from "../../fusion";
import { prepare } from "../../wgsl";
import { asWritten, NO_LIMITS } from "../runs/hand-check";
import type { SliceContext } from "../slices/slice-context";

/** What the plan moves with `wgsl` instead of its first kernel; null where it can't be counted. */
async function handOf(
  { environment }: SliceContext,
  compilation: Compilation,
  wgsl: string,
): Promise<HandFacts | null> {
  const [kernel, ...others] = compilation.fusedPlan?.kernels ?? [];
  const made = kernel && prepare(kernel, wgsl, NO_LIMITS, true);
  if (!made || !("kernel" in made)) return null;
  const counted = await environment.countWorker.ask(asWritten(made, wgsl));
  if (!counted.ok || !counted.value.ok) return null;
  const bytes = [counted.value, ...others].reduce((sum, each) => sum + bytesOfKernel(each), 0);
  return { bytes, right: true };
}

/** The score that the solution of `task` reaches; null where the task has no score. */
export async function bestKnown(context: SliceContext, task: Task, begun: Compilation): Promise<number | null> {
  if (task.score === undefined) return null;
  const options = { ...begun.options, ...task.solutionOptions };
  const compilation = await context.get().actions.planOf(task.solution, options);
  if (!compilation) return null;
  const hand = task.kernel === undefined ? null : await handOf(context, compilation, task.kernel);
  const scope = scopeOf(compilation, null, hand);
  const score = scope ? Number(evaluate(task.score, scope)) : Infinity;
  return Number.isFinite(score) ? score : null;
}

/** @file Everything between a plan and its first dispatch: memory first, since that is what fails, then data and bind groups. */
import type { Plan } from "../fusion";
import { fillInputs } from "./inputs";
import type { Inputs } from "./inputs";
import { allocate, bind } from "./memory";
import type { BoundPlan } from "./memory";
import type { Built } from "./pipelines";
import { done } from "./problem";
import type { Job } from "./queue";
import { scoped } from "./scopes";
import type { Outcome, PlanName } from "./types";

/** Puts plans that passed preflight on the device, with their inputs. */
export async function prepare(
  job: Job,
  named: readonly (readonly [PlanName, Plan])[],
  inputs: Inputs,
  pipelines: ReadonlyMap<string, Built>,
): Promise<Outcome<BoundPlan[]>> {
  const plans = named.map(([, plan]) => plan);
  const { device } = job.held;
  const memory = await scoped(device, () => allocate(job.arena, plans));
  if (!memory.ok) return memory;
  const bound = await scoped(device, (): Outcome<BoundPlan[]> => {
    const filled = fillInputs(device, job.arena, memory.value.inputs, plans, inputs, pipelines);
    return filled.ok
      ? done(named.map(([name, plan], order) => bind(device, memory.value, name, plan, order, pipelines)))
      : filled;
  });
  return bound.ok ? bound.value : bound;
}

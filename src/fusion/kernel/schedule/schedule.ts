/** @file How a region's loops meet the threads, and what that takes: rereads, registers, workgroup memory. */
import { bug, knobsFor, node, sizeOf, type Graph, type Knobs, type Target } from "../../ir";
import { classify } from "../classify";
import { isViewRegion } from "../indices/views";
import { joiningOf } from "../nest/threads";
import { isOnline } from "../shapes/attention/classify-online";
import { scheduleOnline } from "../shapes/attention/online-schedule";
import { scheduleRows } from "../shapes/fold/schedule-rows";
import { scheduleGroups } from "../shapes/groups/schedule";
import { launchedKey } from "../shapes/loop/launched";
import { scheduleRowLoop } from "../shapes/loop/row-region";
import { scheduleLaunched } from "../shapes/loop/schedule-launched";
import { scheduleMap } from "../shapes/map/schedule";
import { scheduleMatmul } from "../shapes/matmul/schedule";
import type { RegionForm, RegionSchedule } from "../types";
import { knobsApplied } from "./schedule-overrides";
import { BASE_REGISTERS, blank, liveScalars, type Body } from "./schedule-parts";

type Schedule = (graph: Graph, region: Body, form: RegionForm, target: Target, knobs: Knobs) => RegionSchedule;

/** The first whose `takes` says yes schedules a form; the last takes all. */
const SHAPES: readonly { readonly takes: (form: RegionForm) => boolean; readonly schedule: Schedule }[] = [
  { takes: ({ template }) => isOnline(template), schedule: scheduleAttention },
  { takes: ({ template }) => template === "row-loop", schedule: scheduleRowLoop },
  { takes: ({ template }) => template === "groups", schedule: scheduleGroups },
  { takes: ({ contraction }) => contraction !== null, schedule: scheduleMatmul },
  {
    takes: ({ reductions, scans, orders }) => reductions.length + scans.length + orders.length > 0,
    schedule: scheduleRows,
  },
  { takes: () => true, schedule: scheduleMap },
];

/**
 * The schedule that the written kernel follows and cost prices. Deterministic in its arguments. What was chosen for the kernel holds as far as
 * the machine can do it (`knobsApplied`); the planner chooses the rest.
 * @param form classify's answer for exactly these members and outputs
 */
export function scheduleRegion(graph: Graph, region: Body, form: RegionForm, target: Target): RegionSchedule {
  if (isViewRegion(graph, region) || storesNothing(graph, region)) return blank({ variant: "view", dispatches: 0 });
  if (launchedKey(graph, region.members) !== null) return scheduleLaunched(graph, region, target, scheduleIteration);
  const knobs = knobsFor(target.knobs, region.outputs);
  return knobsApplied(knobs, target, (applied) => scheduleWith(graph, region, form, target, applied)).schedule;
}

/** The schedule with these knobs, whatever it takes. Not of views. */
export const scheduleWith: Schedule = (graph, region, form, target, knobs) =>
  SHAPES.find(({ takes }) => takes(form))!.schedule(graph, region, form, target, knobs);

/** The schedule of a kernel of an iteration, which has a form of its own. */
function scheduleIteration(graph: Graph, region: Body, target: Target): RegionSchedule {
  const found = classify(graph, region.members, region.outputs);
  if (!found.ok) throw bug(found.verdict.text);
  return scheduleRegion(graph, region, found.form, target);
}

function scheduleAttention(graph: Graph, region: Body, form: RegionForm, target: Target, knobs: Knobs): RegionSchedule {
  const planned = scheduleOnline(graph, region, form, target, liveScalars(graph, region), knobs.tile);
  // Chunks of rows are joined by a workgroup each.
  const joined = planned.dispatches === 2 ? { joined: joiningOf(target, knobs) } : {};
  return blank({ ...planned, ...joined, registers: BASE_REGISTERS + planned.registers! });
}

/** Outputs without an element: there is nothing to launch for. */
const storesNothing = (graph: Graph, { outputs }: Body): boolean =>
  outputs.every((id) => sizeOf(node(graph, id).type.shape) === 0);

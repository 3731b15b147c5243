/** @file The knobs of one kernel: what each stands at, and what else it could be on a machine. */
import { knobsFor, withKnob, type Graph, type KnobName, type Region, type Target, type Verdict } from "../../ir";
import { classify } from "../classify";
import { analyseRows } from "../shapes/fold/classify-rows";
import { isOnline } from "../shapes/attention/classify-online";
import { knobsApplied, refusalOf, standing, valuesOf, type KnobOffer } from "./schedule-overrides";
import { mergedStages } from "../shapes/fold/rows/merged-stages";
import { scheduleRegion, scheduleWith } from "./schedule";
import type { OrderWay, RegionForm, RegionSchedule } from "../types";

function canMerge(graph: Graph, region: Region, form: RegionForm): boolean {
  if (form.reductions.length === 0 || isOnline(form.template)) return false;
  const analysis = analyseRows(graph, region.members);
  return !("ok" in analysis) && mergedStages(graph, region, form, analysis).length > 0;
}

/** On a CPU adapter a thread walks a row or a tile of its own: there is nothing to choose about how threads share one. */
const ON_GPU: ReadonlySet<KnobName> = new Set(["rows", "tile", "transposed"]);

/** Why the planner has not taken this way, which the machine can do. */
const againstOf = ({ order }: RegionSchedule, way: string): Verdict[] =>
  [order?.against.get(way as OrderWay) ?? []].flat();

/** Knobs of a region's kernel; none for a view, or for what no single kernel computes. */
export function knobOffers(graph: Graph, region: Region, target: Target): KnobOffer[] {
  const classified = classify(graph, region.members, region.outputs);
  if (!classified.ok || scheduleRegion(graph, region, classified.form, target).variant === "view") return [];
  const { form } = classified;
  const schedule = (knobs: typeof chosen) => scheduleWith(graph, region, form, target, knobs);
  const chosen = knobsFor(target.knobs, region.outputs);
  const { applied, schedule: now } = knobsApplied(chosen, target, schedule);
  const merges = canMerge(graph, region, form);
  const stands = standing(now, schedule({}), merges);
  return [...stands].flatMap(([knob, stood]): KnobOffer[] => {
    if (target.schedule === "cpu" && ON_GPU.has(knob)) return [];
    if (knob === "joined" && !target.subgroups) return [];
    const values = [...new Set([...valuesOf(knob, now, merges), stood])];
    const offered = values.map((value) => {
      const tried = schedule(withKnob(applied, knob, value));
      return { value, refusal: refusalOf(knob, value, tried, target, region.members) };
    });
    const why =
      knob === "order"
        ? (offered.flatMap(({ value, refusal }) => (refusal === null ? againstOf(schedule({}), value) : [])).at(0) ??
          null)
        : null;
    return [{ knob, now: stood, chosen: applied[knob] !== undefined, values: offered, why }];
  });
}

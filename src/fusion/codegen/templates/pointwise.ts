/** @file Everything elementwise, and movement as index maps: one thread per four neighbours of the output. */
import { node, sizeOf } from "../../ir";
import { loweringOf, programOf, threadPerItem, type Job } from "../frame";
import type { KernelProgram } from "../kernel-ir";

/** Variant `flat`. Several outputs of one size share the loop. */
export function lowerFlat(job: Job): KernelProgram {
  const { graph, region, form, schedule, target } = job;
  const low = loweringOf(job);
  const size = sizeOf(form.space);
  const width = size % 4 === 0 ? 4 : 1;
  const grid = threadPerItem(low, size / width, schedule.threadsPerWorkgroup, target);
  const { space } = low;
  const linear = width === 4 ? space.add(space.mul(grid.index, 4), space.of(space.lane)) : grid.index;
  const values = region.outputs.map((id) => {
    const at = space.tuple(space.unravel(linear, node(graph, id).type.shape));
    return { id, value: low.valueAt(id, at) };
  });
  for (const { id, value } of values) low.store(low.buffer(id), linear, value, [id]);
  return programOf(low, job, {
    template: form.template,
    schedule: `One thread per ${width === 4 ? "four neighbouring elements" : "element"}, ${schedule.threadsPerWorkgroup} threads a workgroup.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

/** @file What leaves the page as files: the kernels' WGSL in an archive, and the plan as JSON. */
import { strToU8, zipSync } from "fflate";
import type { Plan } from "../../../fusion";

/** `k1_add_relu_log.wgsl` */
export const wgslFileName = (kernel: Plan["kernels"][number]): string =>
  `${kernel.id.toLowerCase()}_${kernel.name}.wgsl`;

// ZIP keeps times from 1980 on; a fixed one makes equal plans equal archives.
const EPOCH = new Date(1980, 0, 1).getTime();

/** A ZIP with one file for each kernel and `plan.json`. */
export function planArchive(plan: Plan): Uint8Array {
  const files = Object.fromEntries(plan.kernels.map((kernel) => [wgslFileName(kernel), strToU8(kernel.wgsl)]));
  return zipSync({ ...files, "plan.json": strToU8(planJson(plan)) }, { mtime: EPOCH });
}

/** The plan without the WGSL texts, indented, with the totals first. */
export function planJson(plan: Plan): string {
  const kernels = plan.kernels.map((kernel) => ({
    ...kernel,
    wgsl: undefined,
    lines: undefined,
    file: wgslFileName(kernel),
  }));
  return JSON.stringify(
    { totals: plan.totals, plannedBytes: plan.plannedBytes, kernels, buffers: plan.buffers },
    null,
    2,
  );
}

/** @file Matmul without workgroup memory: 4×4 outputs in registers for CPU adapters, a vector of outputs per thread for small ones. */
import { node } from "../../../../ir";
import { programOf, threadPerItem, type Job } from "../../../emit/kernel-frame";
import { literal, type KernelProgram, type Reg, type Value } from "../../../emit/kernel-ir";
import { isFreeView } from "../../../indices/views";
import type { Index } from "../../../emit/index-space";
import { Contraction, finishAll, productsIn } from "./contraction";
import { lowerMatmulSliding } from "./matmul-sliding";
import { lowerMatmulThin } from "./matmul-thin";

/** Variant `matmul-registers`. */
export const lowerMatmulRegisters = (job: Job): KernelProgram =>
  lowerBlock(job, Math.min(4, new Contraction(job).sizes.m));
/** Variant `matmul-direct`. */
export function lowerMatmulDirect(job: Job): KernelProgram[] {
  const { thin, sliding } = job.schedule;
  if (thin) return lowerMatmulThin(job, thin);
  return [sliding ? lowerMatmulSliding(job, sliding) : lowerBlock(job, 1)];
}

/** Loops over the taps of a convolution, innermost first; what is outside of them are channels. */
const TAPS = ["tap_x", "tap_y", "tap_z"];

/** One loop of k. */
interface Depth {
  readonly name: string;
  readonly extent: number;
}

/** k as nested loops over the axes that a reshape joined into it (channels and taps of windows): their indices then need no division. */
function depthsOf({ job, sizes, id }: Contraction): readonly Depth[] {
  let operand = node(job.graph, node(job.graph, id).inputs[1]!);
  while (isFreeView(operand)) operand = node(job.graph, operand.inputs[0]!);
  const { shape } = operand.type;
  let [axis, inner] = [shape.length - 1, 1];
  while (axis >= 0 && inner < sizes.n) inner *= shape[axis--]!;
  const spatial = shape.length - 1 - axis;
  const extents: number[] = [];
  let depth = 1;
  while (axis >= 0 && inner === sizes.n && depth < sizes.k) {
    depth *= shape[axis]!;
    extents.push(shape[axis--]!);
  }
  const named = extents.map((extent, at) => ({ name: at < spatial ? (TAPS[at] ?? "tap") : "channel", extent }));
  const depths = named.filter(({ extent }) => extent > 1).toReversed();
  return depth === sizes.k && inner === sizes.n && depths.length > 1 ? depths : [{ name: "k", extent: sizes.k }];
}

/** Taps that stand side by side in the kernel's text, so that what neighbours share is loaded once. */
const SIDE_BY_SIDE = 8;

/** A thread keeps `rows`×4 outputs in registers and walks k. */
function lowerBlock(job: Job, rows: number): KernelProgram {
  const c = new Contraction(job);
  const { low, space, sizes } = c;
  const [columns, bands] = [Math.ceil(sizes.n / 4), Math.ceil(sizes.m / rows)];
  const threads = Math.min(64, job.schedule.threadsPerWorkgroup);
  const grid = threadPerItem(low, columns * bands * sizes.batch, threads, job.target);
  const unit = low.bind("unit", space.mod(grid.index, columns));
  const band = low.bind("band", space.mod(space.div(grid.index, columns), bands));
  const batch = low.bind("batch", space.div(grid.index, columns * bands));
  const lines = Array.from({ length: rows }, (_, i) => space.add(space.mul(band, rows), space.int(i)));
  const held = lines.map((m) => space.clamp(m, sizes.m - 1));
  const n = c.quad(unit, sizes.n).at;
  const products = productsIn(job, c);
  const accs = products.map(({ scalar, id }, p) =>
    lines.map((_, i) => low.variable(`${"cdef"[p]}_${i}`, scalar, 4, literal(0, scalar), [id])),
  );
  const step = (a: readonly Value[], lane: number | null, k: Index): void =>
    products.forEach((product, p) => {
      const b = product.right(batch, k, n);
      accs[p]!.forEach((acc: Reg, i) => product.fma(acc, a[i]!, lane, b));
    });
  const depths = depthsOf(c);
  const byFours = depths.length === 1 && sizes.k > 0 && sizes.k % 4 === 0 && c.alongK(0);
  const sideBySide = job.target.schedule === "gpu" && depths.length > 1 && depths.at(-1)!.extent <= SIDE_BY_SIDE;
  const nest = (level: number, k: Index): void => {
    if (level === depths.length)
      return step(
        held.map((m) => c.left(batch, m, k)),
        null,
        k,
      );
    const { name, extent } = depths[level]!;
    const inner = (i: Index): void => nest(level + 1, space.add(space.mul(k, extent), i));
    if (sideBySide && level === depths.length - 1) for (let i = 0; i < extent; i++) inner(space.int(i));
    else low.loop(name, extent, inner);
  };
  low.lean = sideBySide;
  if (!byFours) nest(0, space.int(0));
  low.lean = false;
  low.loop("k", byFours ? sizes.k / 4 : 0, (k) => {
    const first = space.mul(k, 4);
    const a = held.map((m) => c.left(batch, m, space.add(first, space.of(space.lane))));
    for (const lane of [0, 1, 2, 3]) step(a, lane, space.add(first, space.int(lane)));
  });
  lines.forEach((m, i) =>
    finishAll(
      products,
      accs.map((own) => own[i]!),
      batch,
      m,
      unit,
    ),
  );
  return programOf(low, job, {
    template: "matmul",
    schedule: `One thread per ${rows}×4 outputs, held in registers; k in order.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

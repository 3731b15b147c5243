/** @file What every template shares: the job, the grid of threads, and the finished program. */
import { type Fusion, type Graph, KERNEL_SUFFIX, node, type NodeId, type Region, sizeOf, type Target } from "../../ir";
import { opDef } from "../../ops";
import { isFreeView, resolveView, storedInputs } from "../indices/views";
import { uniformsOf } from "../count/uniforms";
import type { RegionForm, RegionSchedule } from "../types";
import type { Index } from "./index-space";
import type { KernelProgram } from "./kernel-ir";
import { Lowering } from "./lowering";
import { kernelName, titleOf } from "./kernel-names";
import { isTaken } from "./names";
import { propagateCopies } from "./copy-propagation";
import { joinAccesses } from "./joined-accesses";

/** One region and how it is to run. */
export interface Job {
  readonly graph: Fusion["graph"];
  readonly region: Region;
  readonly form: RegionForm;
  readonly schedule: RegionSchedule;
  readonly target: Target;
}

/**
 * The region as memory sees it: an output that only shows another member stores that member (readers look through views),
 * and a view of something outside stores nothing.
 */
export function storedForm(graph: Graph, region: Region): Region {
  if (!region.outputs.some((id) => isFreeView(node(graph, id)))) return region;
  const inside = new Set(region.members);
  const outputs = new Set(region.outputs.map((id) => resolveView(graph, id)).filter((id) => inside.has(id)));
  return { ...region, outputs: [...outputs] };
}

/**
 * A lowering with the region's inputs and outputs declared in the order a reader expects.
 * @param known values that the kernel has otherwise
 */
export function loweringOf({ graph, region, schedule }: Job, known: readonly NodeId[] = []): Lowering {
  const low = new Lowering(graph, region.members, []);
  const over = new Map(schedule.inPlace?.map(({ output, input }) => [input, output]));
  // What no element is read of, as what joins other values before a part of it is taken, is not bound.
  const read = new Set(schedule.reads.flatMap(({ value, elements }) => (elements > 0 ? [value] : [])));
  for (const id of storedInputs(graph, region.members)) {
    if (!isMemory(graph, id) || known.includes(id) || !(read.has(id) || over.has(id))) continue;
    const output = over.get(id);
    if (output === undefined) low.buffer(id);
    else low.inPlace(output, id);
  }
  for (const id of region.outputs) low.buffer(id);
  return low;
}

const isMemory = (graph: Graph, id: NodeId): boolean =>
  opDef(node(graph, id).op).generate === undefined && sizeOf(node(graph, id).type.shape) > 0;

/** Workgroups as a grid: folded into a second dimension past the limit of one. */
export function gridOf(workgroups: number, target: Target): [number, number] {
  const limit = target.maxWorkgroupsPerDimension;
  if (workgroups <= limit) return [Math.max(1, workgroups), 1];
  const y = Math.ceil(workgroups / limit);
  return [Math.ceil(workgroups / y), y];
}

export interface Grid {
  readonly index: Index;
  readonly workgroupSize: readonly [number, number, number];
  readonly workgroups: readonly [number, number, number];
}

/** One thread per item: `i` in 0 … count−1, the rest of the last workgroup is sent home. */
export function threadPerItem(low: Lowering, count: number, threads: number, target: Target, name = "i"): Grid {
  const needed = Math.ceil(count / threads);
  const [x, y] = gridOf(needed, target);
  const gx = low.space.of(low.space.variable("gid.x", x * threads - 1, 0, "gid.x"));
  const gy = low.space.of(low.space.variable("gid.y", y - 1, 0, "gid.y"));
  const index = named(low, name, low.space.add(gx, low.space.mul(gy, x * threads)), count);
  return { index, workgroupSize: [threads, 1, 1], workgroups: [x, y, 1] };
}

/** One workgroup per item, and the thread's number in it. */
export function workgroupPerItem(
  low: Lowering,
  count: number,
  threads: number,
  target: Target,
  name = "row",
): Grid & { readonly tid: Index } {
  const [x, y] = gridOf(count, target);
  const wx = low.space.of(low.space.variable("wid.x", x - 1, 0, "wid.x"));
  const wy = low.space.of(low.space.variable("wid.y", y - 1, 0, "wid.y"));
  const index = named(low, name, low.space.add(wx, low.space.mul(wy, x)), count);
  const tid = low.space.of(low.space.variable("tid", threads - 1, 0, "tid"));
  return { index, tid, workgroupSize: [threads, 1, 1], workgroups: [x, y, 1] };
}

/** Names the grid's number and sends home what lies past the end. Within `count` afterwards. */
function named(low: Lowering, name: string, value: Index, count: number): Index {
  const total = value.max + 1;
  if (total === 1) return value;
  const variable = low.space.variable(low.names.frame(name), Math.max(1, count - 1), 0);
  low.emit({ kind: "bind", variable, value });
  const index = low.space.of(variable);
  if (total > count) {
    low.emit({ kind: "guard", when: { kind: "less", index, bound: count } });
  }
  return count === 1 ? low.space.int(0) : index;
}

type Rest = Pick<KernelProgram, "template" | "schedule" | "workgroupSize" | "workgroups"> &
  Partial<Pick<KernelProgram, "name" | "title">>;

/** The finished program of one dispatch. */
export function programOf(
  low: Lowering,
  { graph, region, target }: Pick<Job, "graph" | "region" | "target">,
  rest: Rest,
): KernelProgram {
  // Inputs first, then what is written.
  const buffers = [...new Set(low.buffers.values())].toSorted(
    (a, b) => Number(a.access === "read_write") - Number(b.access === "read_write"),
  );
  const reads = buffers.filter(({ access }) => access === "read");
  const uniforms = uniformsOf(
    graph,
    reads.map(({ value }) => value),
    buffers.length,
    target.maxBindings,
  );
  for (const buffer of reads.filter(({ value }) => uniforms.has(value)))
    Object.assign(buffer, { access: "uniform", width: 4 });
  const name = rest.name ?? kernelName(graph, region);
  const body = joinAccesses(low.body, low);
  return {
    title: titleOf(graph, region),
    ...rest,
    name: isTaken(name) || buffers.some((buffer) => buffer.name === name) ? name + KERNEL_SUFFIX : name,
    region: region.id,
    nodes: region.members,
    buffers,
    shared: low.shared,
    body: propagateCopies(body, low.space, low.names),
    space: low.space,
    registerCount: low.registers,
    largestNumber: low.names.largestNumber,
    packedHalves: !target.shaderF16,
  };
}

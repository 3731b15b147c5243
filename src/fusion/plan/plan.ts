/** @file From a fusion to a plan: kernels in order with WGSL, bindings and exact counts, and a buffer for every value. */
import { fullSizeBytes, regionTraffic, resolveView } from "../kernel";
import { kernelTime, occupancyLimits, openSums, type RegionFacts } from "../cost";
import {
  type Access,
  type Accesses,
  type Binding,
  bytesOf,
  bytesOfKernel,
  type DeviceProfile,
  dtypeBytes,
  type Fusion,
  type Graph,
  isInput,
  type Kernel,
  node,
  type NodeId,
  type Plan,
  type Region,
  type RegionId,
  type Target,
  isPartials,
} from "../ir";
import { boundValues, type KernelProgram } from "../kernel/code";
import { peakOf, planMemory, type Tenant } from "./memory";
import { kernelOrders } from "./kernel-order";
import { shapeRegion, type PrintedBinding, type PrintedProgram, type PrintedRegion } from "./printed-region";
import { printCached } from "./kernel-cache";

/** One region, lowered. */
export interface LoweredRegion {
  readonly region: Region;
  readonly facts: RegionFacts;
  readonly programs: readonly KernelProgram[];
}

/**
 * The plan of a fusion for one target.
 * @param target schedules: what the machine at hand (or the profile, for display) may use
 * @param profile what predicted times are computed on
 */
export function planFusion(fusion: Fusion, target: Target, profile: DeviceProfile): Plan {
  const { graph } = fusion;
  const fullSize = fullSizeBytes(graph);
  const { ordered, tenants, peakBytes } = inRunningOrder(fusion, (region) => {
    const printed = printCached(graph, region, target);
    const facts = factsOf(graph, region, printed, profile, fullSize);
    const kernels = kernelsOf(region, facts, printed.programs, profile, fullSize);
    return { region, facts, kernels, bound: kernels.map(({ bindings }) => bindings) };
  });
  const sums = openSums();
  for (const { facts } of ordered) sums.add(facts);
  const kernels = ordered.flatMap((each) => each.kernels).map((kernel, i): Kernel => ({ id: `K${i + 1}`, ...kernel }));
  const { buffers, plannedBytes, lowerBoundBytes } = planMemory(tenants, kernels.length);
  const aliases = graph.outputs.flatMap((output) => {
    const value = resolveView(graph, output);
    return value === output && !isInput(node(graph, output)) ? [] : [{ output, value }];
  });
  return { kernels, buffers, aliases, totals: { ...sums.totals(), peakBytes }, plannedBytes, lowerBoundBytes };
}

/** Every kernel of a fusion as a lowered program, in running order: what `interpretProgram` runs. */
export function lowerFusion(fusion: Fusion, target: Target, profile: DeviceProfile): LoweredRegion[] {
  const fullSize = fullSizeBytes(fusion.graph);
  const { ordered } = inRunningOrder(fusion, (region) => {
    const shaped = shapeRegion(fusion.graph, region, target);
    const facts = factsOf(fusion.graph, region, shaped, profile, fullSize);
    return { region, facts, programs: shaped.programs, bound: shaped.programs.map(bindingsOf) };
  });
  return ordered.map(({ region, facts, programs }) => ({ region, facts, programs }));
}

/** What a kernel binds of one value. */
type Bound = Pick<Binding, "value" | "type" | "begins">;

/** The kernels of one region, by what each of them binds. */
interface Launches {
  readonly region: Region;
  readonly bound: readonly (readonly Bound[])[];
}

const bindingsOf = (program: KernelProgram): readonly Bound[] => {
  const values = boundValues(program);
  return program.buffers.map(({ type, begins }, i) => ({
    value: values[i]!,
    type,
    ...(begins !== undefined && { begins }),
  }));
};

/** What running the kernels in an order needs. */
interface Running<T> {
  readonly ordered: readonly T[];
  readonly tenants: readonly Tenant[];
  readonly peakBytes: number;
}

/** Regions that need kernels, each made ready by `ready`, in the order in which a plan runs them: that of the text, unless less is alive at the peak of the other one. */
function inRunningOrder<T extends Launches>(fusion: Fusion, ready: (region: Region) => T): Running<T> {
  const { text, depthFirst } = kernelOrders(fusion);
  const made = new Map(text.map((region) => [region, ready(region)]));
  const running = (order: readonly Region[]): Running<T> => {
    const ordered = order.map((region) => made.get(region)!);
    const kernels = ordered.flatMap(({ region, bound }) => bound.map((bindings) => ({ region: region.id, bindings })));
    const tenants = tenantsOf(fusion, kernels);
    return { ordered, tenants, peakBytes: peakOf(tenants, kernels.length) };
  };
  const [asWritten, other] = [running(text), running(depthFirst)];
  return other.peakBytes < asWritten.peakBytes ? other : asWritten;
}

function factsOf(
  graph: Graph,
  region: Region,
  { form, schedule, arithmetic }: Pick<PrintedRegion, "form" | "schedule" | "arithmetic">,
  profile: DeviceProfile,
  fullSize: number,
): RegionFacts {
  const traffic = regionTraffic(graph, region, form, schedule, fullSize);
  const time = kernelTime(traffic, arithmetic, schedule, profile);
  return { form, schedule, traffic, flops: arithmetic.flops, time };
}

/** Kernels of one region; its counts are shared out among them. */
function kernelsOf(
  region: Region,
  facts: RegionFacts,
  programs: readonly PrintedProgram[],
  profile: DeviceProfile,
  fullSize: number,
): Omit<Kernel, "id">[] {
  const { schedule, traffic, time } = facts;
  const walks = new Map(traffic.reads.map((access) => [access, 1 + access.rereads]));
  const launched = schedule.handed ? programs.map((program) => launchedAccesses(program, fullSize)) : null;
  const bytesOfAll = launched?.reduce((sum, each) => sum + bytesOfKernel(each), 0) ?? 0;
  const launch = time.launchMicros / programs.length;
  const occupancy = occupancyLimits(schedule, profile);
  const shareOf = (i: number): number =>
    launched ? bytesOfKernel(launched[i]!) / Math.max(1, bytesOfAll) : (schedule.shares?.[i] ?? (i === 0 ? 1 : 0));
  const flopsUpTo = (i: number): number =>
    Math.round(facts.flops * programs.slice(0, i).reduce((sum, _, each) => sum + shareOf(each), 0));
  return programs.map((program, i) => ({
    name: program.name,
    template: program.template,
    schedule: program.schedule,
    region: region.id,
    nodes: region.members,
    bindings: program.bindings.map(({ name, value, access, type, begins, adds }, binding) => ({
      binding,
      name,
      value,
      access,
      type,
      ...(begins !== undefined && { begins }),
      ...(adds && { adds }),
    })),
    ...(launched?.[i] ?? accessesOf(program, programs.slice(i + 1), traffic, walks, fullSize)),
    flops: program.flops ?? flopsUpTo(i + 1) - flopsUpTo(i),
    modelledBytes: i === 0 ? schedule.modelledBytes : 0,
    workgroupSize: program.workgroupSize,
    workgroups: program.workgroups,
    workgroupBytes: program.workgroupBytes,
    registers: schedule.registers,
    wgsl: program.wgsl,
    lines: program.lines,
    predictedMicros: launch + time.workMicros * shareOf(i),
    predicted: {
      launchMicros: launch,
      readMicros: time.readMicros * shareOf(i),
      cachedMicros: time.cachedMicros * shareOf(i),
      writeMicros: time.writeMicros * shareOf(i),
      computeMicros: time.computeMicros * shareOf(i),
      waitingMicros: time.waitingMicros * shareOf(i),
      occupancy,
    },
  }));
}

const wholeAccess = (value: NodeId, bytes: number, fullSize: number): Access => ({
  value,
  bytes,
  rereads: 0,
  fullSize: bytes > 0 && bytes >= fullSize,
});

/** What a launch of a loop reads and writes of what it binds. */
function launchedAccesses({ bindings }: PrintedProgram, fullSize: number): Accesses {
  const of = (writes: boolean): Access[] =>
    bindings
      .filter(({ access }) => (access === "read_write") === writes)
      .map(({ value, elements, rereads = 0, type }) => ({
        ...wholeAccess(value, elements * dtypeBytes(type.dtype), fullSize),
        rereads,
      }));
  return { reads: of(false), writes: of(true) };
}

/**
 * The region's counted accesses that belong to this dispatch; partials are written by one and read by the other.
 * @param walks of each access that nobody has made yet: one is left for each dispatch that follows
 */
function accessesOf(
  program: PrintedProgram,
  later: readonly PrintedProgram[],
  traffic: RegionFacts["traffic"],
  walks: Map<Access, number>,
  fullSize: number,
): { reads: Access[]; writes: Access[] } {
  const boundBy = ({ bindings }: PrintedProgram): Map<NodeId, PrintedBinding> =>
    new Map(bindings.flatMap((binding) => [binding.value, binding.begins ?? []].flat().map((id) => [id, binding])));
  const bound = boundBy(program);
  const others = later.map(boundBy);
  const done = new Set<NodeId>();
  const own = (access: Access): Access[] => {
    const { value } = access;
    const left = walks.get(access)!;
    if (!bound.has(value) || left === 0 || done.has(value)) return [];
    // Parts of a value are left to one dispatch each.
    done.add(value);
    const after = others.filter((some) => some.has(value)).length;
    const made = Math.max(1, left - after);
    walks.set(access, left - made);
    return [{ ...access, rereads: made - 1 }];
  };
  const partials = (access: PrintedBinding["access"]): Access[] =>
    program.bindings
      .filter((binding) => isPartials(binding.value) && binding.access === access)
      .map(({ value, elements, type }) => wholeAccess(value, elements * dtypeBytes(type.dtype), fullSize));
  // What is added to is read, too.
  const added = program.bindings
    .filter(({ adds }) => adds)
    .map(({ value, elements, type }) => wholeAccess(value, elements * dtypeBytes(type.dtype), fullSize));
  return {
    reads: [...traffic.reads.flatMap(own), ...partials("read"), ...added],
    writes: [
      ...traffic.writes.filter(({ value }) => bound.get(value)?.access === "read_write"),
      ...partials("read_write"),
    ],
  };
}

/** Every value that needs a buffer, with its life. */
function tenantsOf(
  { graph, regions }: Fusion,
  kernels: readonly { readonly region: RegionId; readonly bindings: readonly Bound[] }[],
): Tenant[] {
  const outputs = new Set(graph.outputs.map((id) => resolveView(graph, id)));
  const lives = new Map<NodeId, { first: number; last: number; binding: Bound }>();
  kernels.forEach(({ bindings }, at) => {
    for (const binding of bindings) {
      const { begins } = binding;
      for (const each of begins === undefined
        ? [binding]
        : [{ ...binding, value: begins, begins: undefined }, binding]) {
        const life = lives.get(each.value);
        if (life) life.last = at;
        else lives.set(each.value, { first: at, last: at, binding: each });
      }
    }
  });
  // What a region stores is there once all of its kernels have run, though nobody may read it.
  for (const [region, end] of new Map(kernels.map((kernel, at) => [kernel.region, at])))
    for (const value of regions.get(region)?.outputs ?? []) {
      const life = lives.get(value);
      if (life) life.last = Math.max(life.last, end);
    }
  const tenants: Tenant[] = [];
  for (const [value, { first, last, binding }] of lives) {
    const source = graph.nodes.get(value)?.op === "input";
    const role = source ? "input" : outputs.has(value) ? "output" : "temporary";
    tenants.push({
      value,
      type: binding.type,
      bytes: bytesOf(binding.type),
      role,
      ...(binding.begins !== undefined && { begins: binding.begins }),
      firstKernel: source ? -1 : first,
      lastKernel: outputs.has(value) ? kernels.length : last,
    });
  }
  for (const id of outputs) {
    const n = node(graph, id);
    // A result without elements has no kernel either.
    if (lives.has(id) || (!isInput(n) && bytesOf(n.type) > 0)) continue;
    tenants.push({
      value: id,
      type: n.type,
      bytes: bytesOf(n.type),
      role: isInput(n) ? "input" : "output",
      firstKernel: -1,
      lastKernel: kernels.length,
    });
  }
  return tenants;
}

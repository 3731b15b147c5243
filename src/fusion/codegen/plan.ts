/** @file From a fusion to a plan: kernels in order with WGSL, bindings and exact counts, and a place for every value. */
import {
  openLedger,
  positionsOf,
  regionFlops,
  fullSizeBytes,
  kernelTime,
  regionTraffic,
  type RegionFacts,
} from "../cost";
import { bug, bytesOf, dtypeBytes, node, type Access, type Binding, type DeviceProfile, type Fusion, type Kernel, type NodeId, type Plan, type Region, type Target } from "../ir"; // prettier-ignore
import { classify, resolveView, scheduleRegion } from "../region";
import { sharedBytes, type Buffer, type KernelProgram } from "./kernel-ir";
import { lowerJob } from "./lower";
import { planMemory, type Tenant } from "./memory";
import { kernelOrder } from "./order";
import { printWgsl } from "./print";

/** One region, lowered. */
interface Lowered {
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
  const lowered = lowerFusion(fusion, target, profile);
  const kernels = lowered.flatMap((entry) => kernelsOf(entry)).map((kernel, i) => ({ ...kernel, id: `K${i + 1}` }));
  const memory = planMemory(tenantsOf(fusion, kernels), kernels.length);
  const ledger = openLedger(fusion.graph, positionsOf(fusion.graph));
  for (const { region, facts } of lowered) ledger.add(region, facts);
  const aliases = fusion.graph.outputs.flatMap((output) => {
    const value = resolveView(fusion.graph, output);
    return value === output ? [] : [{ output, value }];
  });
  const { buffers, plannedBytes, lowerBoundBytes } = memory;
  return { kernels, buffers, aliases, totals: ledger.totals(), plannedBytes, lowerBoundBytes };
}

/** Every kernel of a fusion as a lowered program, in running order: what `interpretProgram` runs. */
export function lowerFusion(fusion: Fusion, target: Target, profile: DeviceProfile): Lowered[] {
  const fullSize = fullSizeBytes(fusion.graph);
  return kernelOrder(fusion).map((region) => {
    const facts = factsFor(fusion, region, target, profile, fullSize);
    const { form, schedule } = facts;
    if (!form) throw bug(`region ${region.id} has no form`);
    return { region, facts, programs: lowerJob({ graph: fusion.graph, region, form, schedule, target }) };
  });
}

function factsFor(
  { graph }: Fusion,
  region: Region,
  target: Target,
  profile: DeviceProfile,
  fullSize: number,
): RegionFacts {
  const classified = classify(graph, region.members, region.outputs);
  if (!classified.ok) throw bug(`region ${region.id} is no kernel: ${classified.verdict.text}`);
  const { form } = classified;
  const schedule = scheduleRegion(graph, region, form, target);
  const traffic = regionTraffic(graph, region, form, schedule, fullSize);
  const flops = regionFlops(graph, region, form, schedule);
  return { form, schedule, traffic, flops, time: kernelTime(traffic, flops, schedule, profile) };
}

/** Kernels of one region; a split reduction's counts are shared out between its two. */
function kernelsOf({ region, facts, programs }: Lowered): Omit<Kernel, "id">[] {
  const { schedule, traffic, time } = facts;
  const counted = new Set<NodeId>();
  return programs.map((program, i) => {
    const { wgsl, lines } = printWgsl(program);
    const accesses = accessesOf(program, traffic, counted);
    const last = i === programs.length - 1;
    const launch = time.launchMicros / programs.length;
    return {
      name: program.name,
      template: program.template,
      schedule: program.schedule,
      region: region.id,
      nodes: region.members,
      bindings: program.buffers.map((buffer, binding) => bindingOf(buffer, binding)),
      ...accesses,
      flops: i === 0 ? facts.flops : 0,
      modelledBytes: i === 0 ? schedule.modelledBytes : 0,
      workgroupSize: program.workgroupSize,
      workgroups: program.workgroups,
      workgroupBytes: sharedBytes(program.shared),
      registers: schedule.registers,
      wgsl,
      lines,
      predictedMicros: launch + (programs.length === 1 || !last ? time.workMicros : 0),
    };
  });
}

const bindingOf = ({ name, value, access, type }: Buffer, binding: number): Binding => ({
  binding,
  name,
  value,
  access,
  type,
});

/** The region's counted accesses that belong to this dispatch; partials are written by one and read by the other. */
function accessesOf(
  program: KernelProgram,
  traffic: RegionFacts["traffic"],
  counted: Set<NodeId>,
): { reads: Access[]; writes: Access[] } {
  const bound = new Map(program.buffers.map((buffer) => [buffer.value, buffer]));
  const fresh = (access: Access): boolean => {
    if (!bound.has(access.value) || counted.has(access.value)) return false;
    counted.add(access.value);
    return true;
  };
  const partials = program.buffers.filter(({ value }) => value.endsWith("~partials")).map((buffer) => ({
    buffer,
    access: { value: buffer.value, bytes: buffer.elements * dtypeBytes(buffer.type.dtype), rereads: 0, fullSize: false },
  })); // prettier-ignore
  const of = (access: Buffer["access"]): Access[] => partials.filter(({ buffer }) => buffer.access === access).map((p) => p.access); // prettier-ignore
  return {
    reads: [...traffic.reads.filter(fresh), ...of("read")],
    writes: [...traffic.writes.filter(({ value }) => bound.get(value)?.access === "read_write"), ...of("read_write")],
  };
}

/** Every value that needs a buffer, with its life. */
function tenantsOf({ graph }: Fusion, kernels: readonly Omit<Kernel, "id">[]): Tenant[] {
  const kept = new Set(graph.outputs.map((id) => resolveView(graph, id)));
  const lives = new Map<NodeId, { first: number; last: number; binding: Binding }>();
  kernels.forEach(({ bindings }, at) => {
    for (const binding of bindings) {
      const life = lives.get(binding.value);
      if (life) life.last = at;
      else lives.set(binding.value, { first: at, last: at, binding });
    }
  });
  const tenants: Tenant[] = [];
  for (const [value, { first, last, binding }] of lives) {
    const source = graph.nodes.get(value)?.op === "input";
    const role = source ? "input" : kept.has(value) ? "output" : "temporary";
    tenants.push({
      value,
      type: binding.type,
      bytes: bytesOf(binding.type),
      role,
      firstKernel: source ? -1 : first,
      lastKernel: kept.has(value) ? kernels.length : last,
    });
  }
  for (const id of kept) {
    const n = node(graph, id);
    if (n.op !== "input" || lives.has(id)) continue;
    tenants.push({
      value: id,
      type: n.type,
      bytes: bytesOf(n.type),
      role: "input",
      firstKernel: -1,
      lastKernel: kernels.length,
    });
  }
  return tenants;
}

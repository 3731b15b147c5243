/** @file Predicts time from counts, on a device profile. Estimates only: counts come from traffic.ts and flops.ts. */
import type { DeviceProfile, Graph, NodeId, OccupancyLimits, Region, Target, Verdict } from "../ir";
import {
  type Arithmetic,
  CACHED_SPEEDUP,
  NEAR_SPEEDUP,
  classify,
  isViewRegion,
  LINES_PER_MICRO,
  THREADS,
  MAX_REGISTERS,
  scheduleRegion,
  type RegionForm,
  type RegionSchedule,
  regionArithmetic,
  noTraffic,
  regionTraffic,
  type RegionTraffic,
} from "../kernel";
import { shaderRate, targetOf } from "./profiles";

/** What neighbours store with a stride moves about four times what it uses; priced, never counted. */
const STRIDED_WASTE = 4;
/** Share of the shorter of computing, moving and reading again from the cache that hides behind the longest. */
const OVERLAP = 0.95;
/**
 * Threads a multiprocessor wants to keep in flight. Sixteen to 192 values alive in a thread of one element each, on an H200: 96 and 128
 * of them (108 and 140 registers) took 1.15 times as long for each op as sixteen, 192 of them (204 registers) 1.7 times.
 */
const THREADS_IN_FLIGHT = 512;
/** Bandwidth of registers that spill to memory, of that of a copy: 1.1 to 1.4 of 4.1 TB/s were measured where 140 to 525 of them were. */
const SPILLED_SPEED = 0.3;
/** Workgroup memory that the workgroups of a multiprocessor share: several times what WebGPU grants to one of them. */
const MULTIPROCESSOR_BYTES = 192 * 1024;

/** Parts of a predicted time, µs. */
export interface KernelTime {
  readonly launchMicros: number;
  readonly readMicros: number;
  /** What tiles and shifted views read again from the cache, while others read from memory. */
  readonly cachedMicros: number;
  readonly writeMicros: number;
  readonly computeMicros: number;
  /** What the work takes above all of these parts; 0 where they hide one another. */
  readonly waitingMicros: number;
  /** 0…1 */
  readonly occupancy: number;
  /** Without the launches: what priorities compare. */
  readonly workMicros: number;
  readonly micros: number;
}

const instant: KernelTime = {
  launchMicros: 0,
  readMicros: 0,
  cachedMicros: 0,
  writeMicros: 0,
  computeMicros: 0,
  waitingMicros: 0,
  occupancy: 1,
  workMicros: 0,
  micros: 0,
};

/** Share of the machine that has a workgroup to run, 0…1. */
export const machineShare = ({ workgroups }: Pick<RegionSchedule, "workgroups">, profile: DeviceProfile): number =>
  Math.min(1, Math.max(workgroups, 1) / profile.multiprocessors);

/** A thread with several results hides latency as several plain ones do: four neighbours count for four, 8×8 outputs of a tile for eight. */
const independentWork = ({ matmul, width }: RegionSchedule): number =>
  matmul ? Math.min(8, Math.max(1, (matmul.rm * matmul.rn) / 8)) : width;

/** Threads that must be in flight on a multiprocessor to hide its latencies. */
const wantedThreads = (schedule: RegionSchedule): number => THREADS_IN_FLIGHT / independentWork(schedule);

const registersAllow = (schedule: RegionSchedule, profile: DeviceProfile): number =>
  profile.registersPerMultiprocessor / (Math.max(schedule.registers, 1) * wantedThreads(schedule));

function memoryAllows(schedule: RegionSchedule): number {
  if (schedule.workgroupBytes === 0) return 1;
  const resident = Math.max(1, wantedThreads(schedule) / Math.max(schedule.threadsPerWorkgroup, 1));
  return MULTIPROCESSOR_BYTES / (schedule.workgroupBytes * resident);
}

/** How full the multiprocessors are: limited by registers, workgroup memory or too few workgroups. */
export const occupancy = (schedule: RegionSchedule, profile: DeviceProfile): number =>
  Math.min(1, registersAllow(schedule, profile), memoryAllows(schedule), machineShare(schedule, profile));

/** What each of the three would allow by itself, as shares of full; above 1 there is room to spare. The least of them is `occupancy`. */
export const occupancyLimits = (schedule: RegionSchedule, profile: DeviceProfile): OccupancyLimits => ({
  registers: registersAllow(schedule, profile),
  workgroupMemory: memoryAllows(schedule),
  workgroups: machineShare(schedule, profile),
});

/** µs that a thread takes for one weighted FLOP, and for what a function takes above those, where nobody is there to hide it: each waits for the one before it. */
const SERIAL = 0.0023;
const SERIAL_FUNCTION = 0.0004;

/** µs of a single thread of an elementwise kernel: however few there are, it takes no less. */
function serialMicros({ weighted, work }: Arithmetic, { segments }: RegionSchedule): number {
  if (!segments) return 0;
  const threads = segments.reduce((sum, { size, width, run, turns }) => sum + size / (width * run * turns), 0);
  return (weighted * SERIAL + (work - weighted) * SERIAL_FUNCTION) / Math.max(1, threads);
}

/** t = launch + the longest of compute, memory and cache + 0.05 · the others, µs. */
export function kernelTime(
  traffic: RegionTraffic,
  arithmetic: Arithmetic,
  schedule: RegionSchedule,
  profile: DeviceProfile,
): KernelTime {
  if (schedule.dispatches === 0) return instant;
  const { weighted, work, lines, waits, shifted } = arithmetic;
  // A workgroup draws only its share of the bandwidth: few workgroups leave memory idle.
  const bandwidth = (profile.bandwidth * machineShare(schedule, profile)) / 1e6;
  const waste = new Map<NodeId, number>();
  for (const read of schedule.reads) if (read.waste > 1) waste.set(read.value, read.waste);
  let readMicros = traffic.temporaryBytes / bandwidth;
  for (const { value, bytes, rereads } of traffic.reads) {
    const speedup = bytes < profile.l2Bytes ? CACHED_SPEEDUP : 1;
    readMicros += (waste.get(value) ?? 1) * (bytes / bandwidth + (bytes * rereads) / (bandwidth * speedup));
  }
  // What tiles and shifted views read again comes from the cache, however large the operands are: workgroups that run together share their rows.
  const cachedMicros = (schedule.modelledBytes + shifted.far) / (bandwidth * CACHED_SPEEDUP);
  const scattered = new Set(schedule.stridedWrites);
  const wasted = traffic.writes.reduce((sum, { value, bytes }) => sum + (scattered.has(value) ? bytes : 0), 0);
  const nearMicros = shifted.near / (bandwidth * NEAR_SPEEDUP);
  const storeMicros = traffic.bytesWritten / bandwidth;
  // Threads store with a stride when they are done, and hold up those that load meanwhile: nothing hides it.
  const stridedMicros = ((STRIDED_WASTE - 1) * wasted) / bandwidth;
  const writeMicros = storeMicros + stridedMicros;
  const share = occupancy(schedule, profile);
  const { efficiency = 1 } = schedule;
  const { reached = share * efficiency } = schedule;
  // A share that was found for all of a kernel's weighted FLOP says nothing of what its functions take above theirs.
  const units = weighted / reached + (work - weighted) / (share * efficiency);
  const computeMicros = (units / shaderRate(profile)) * 1e6;
  // What a thread has no register for is written to memory and read back, once each.
  const spilled =
    8 * Math.max(0, schedule.registers - MAX_REGISTERS) * schedule.workgroups * schedule.threadsPerWorkgroup;
  const spilledMicros = spilled / (bandwidth * SPILLED_SPEED);
  // Memory, both caches and arithmetic work side by side.
  const linesMicros = lines / (LINES_PER_MICRO * profile.multiprocessors * machineShare(schedule, profile));
  // All threads of a tile wait until the last of them has what it stages.
  const waitMicros = waits / (profile.multiprocessors * THREADS * share);
  const times = [computeMicros, readMicros + storeMicros, cachedMicros + spilledMicros, nearMicros, linesMicros];
  const longest = Math.max(...times);
  const { leastMicros = 0 } = schedule;
  const workMicros = Math.max(
    leastMicros,
    serialMicros(arithmetic, schedule),
    longest + (1 - OVERLAP) * (times.reduce((sum, time) => sum + time, 0) - longest) + stridedMicros + waitMicros,
  );
  const launchMicros = profile.launchMicros * schedule.dispatches;
  return {
    launchMicros,
    readMicros,
    cachedMicros,
    writeMicros,
    computeMicros,
    waitingMicros: Math.max(0, workMicros - (readMicros + cachedMicros + writeMicros + computeMicros)),
    occupancy: share,
    workMicros,
    micros: launchMicros + workMicros,
  };
}

/** Σ t°(apart) − Σ t°(fused) + launch · kernels removed, µs; above 0 it pays. */
export const priority = (
  workMicrosApart: number,
  workMicrosFused: number,
  kernelsRemoved: number,
  profile: DeviceProfile,
): number => workMicrosApart - workMicrosFused + profile.launchMicros * kernelsRemoved;

/** Everything counted and predicted about one region. */
export interface RegionFacts {
  readonly form: RegionForm | null;
  readonly schedule: RegionSchedule;
  readonly traffic: RegionTraffic;
  readonly flops: number;
  readonly time: KernelTime;
  /** Those of another region of the same shape, with its names; absent: these are the first. */
  readonly like?: RegionFacts;
  /** The values of `traffic.reads`, where they are known without the rest; absent: those of `traffic.reads`. */
  readonly valuesRead?: readonly NodeId[];
}

/** A list of which the length alone is known. */
interface Counted {
  readonly length: number;
}

type Unnamed<T> = readonly Omit<T, "value">[];

/** Facts without the names of nodes: one object for all regions of a shape. */
export interface Figures extends Pick<RegionFacts, "flops" | "time"> {
  readonly form:
    | (Pick<RegionForm, "template" | "space" | "rows" | "columns"> & {
        readonly [Field in "reductions" | "scans" | "columnFolds" | "orders"]: Counted;
      } & { readonly contraction: unknown })
    | null;
  readonly schedule: Omit<RegionSchedule, "reads" | "stridedWrites" | "cached" | "inPlace"> & {
    readonly reads: Unnamed<RegionSchedule["reads"][number]>;
    readonly stridedWrites: Counted;
    readonly inPlace?: Counted;
  };
  readonly traffic: Omit<RegionTraffic, "reads" | "writes"> & {
    readonly reads: Unnamed<RegionTraffic["reads"][number]>;
    readonly writes: Unnamed<RegionTraffic["writes"][number]>;
  };
}

/** What facts say without a name: much cheaper to ask for than the facts with their names. */
export const figuresIn = (facts: RegionFacts): Figures => facts.like ?? facts;

/** Values that the region reads from memory. */
export const valuesReadBy = (facts: RegionFacts): readonly NodeId[] =>
  facts.valuesRead ?? facts.traffic.reads.map(({ value }) => value);

/**
 * The facts of a region on a profile, or the verdict of why one kernel can't compute it.
 * @param fullSize see `regionTraffic`
 * @param target whose schedules; those that the planner chooses for the profile by default
 */
export function regionFacts(
  graph: Graph,
  region: Pick<Region, "members" | "outputs">,
  profile: DeviceProfile,
  fullSize: number,
  target: Target = targetOf(profile),
): RegionFacts | Verdict {
  const classified = classify(graph, region.members, region.outputs);
  if (!classified.ok) return classified.verdict;
  const { form } = classified;
  const schedule = scheduleRegion(graph, region, form, target);
  if (isViewRegion(graph, region)) return { form, schedule, traffic: noTraffic, flops: 0, time: instant };
  const traffic = regionTraffic(graph, region, form, schedule, fullSize);
  const arithmetic = regionArithmetic(graph, region, form, schedule);
  const time = kernelTime(traffic, arithmetic, schedule, profile);
  return { form, schedule, traffic, flops: arithmetic.flops, time };
}

export const isRefusal = (answer: RegionFacts | Verdict): answer is Verdict => "ok" in answer;

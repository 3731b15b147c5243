/** @file One kernel as a profiler would show it, from the model: launch, memory, arithmetic, registers, occupancy. Estimates, and called so. */
import {
  bytesMoved,
  bytesOfKernel,
  intensity,
  MAX_REGISTERS,
  shaderRate,
  type DeviceProfile,
  type InstructionCounts,
  type Kernel,
  type OccupancyLimits,
} from "../../../fusion";
import { isCountedBefore } from "../plan/traffic";
import { count, decimal, plural, showBytes, showMicros, significant } from "../units";

export interface CardPart {
  readonly name: string;
  /** µs */
  readonly micros: number;
  /** What it is made of, with units. */
  readonly text: string;
}

export interface Meter {
  readonly name: string;
  /** Filled share, 0 to 1. */
  readonly share: number;
  readonly value: string;
  readonly text: string;
}

export interface KernelCard {
  /** The bars share one scale. */
  readonly parts: readonly CardPart[];
  /** `33.2 µs predicted: 398 ns of arithmetic hide behind memory` */
  readonly sum: string;
  /** The formula of the arithmetic intensity with this kernel's numbers, and the side of the ridge; what the arithmetic comes to in the predicted time, and of what it could be. */
  readonly arithmetic: readonly string[];
  readonly registers: Meter;
  readonly occupancy: Meter;
}

const LIMITS: readonly (readonly [keyof OccupancyLimits, string])[] = [
  ["registers", "registers"],
  ["workgroupMemory", "workgroup memory"],
  ["workgroups", "too few workgroups"],
];

export const wgslLines = ({ wgsl }: Kernel): number => wgsl.trimEnd().split("\n").length;

/** 0 to 1: the least of what its resources allow. */
export const occupancyOf = ({ predicted: { occupancy } }: Kernel): number =>
  Math.min(1, ...LIMITS.map(([limit]) => occupancy[limit]));

/** µs: a part or an overlap that is shorter says nothing. */
const LEAST_SHOWN = 0.001;

const percent = (share: number): string => `${significant(share * 100, 2)} %`;

function limitOf(kernel: Kernel): string | null {
  const share = occupancyOf(kernel);
  return share >= 1 ? null : (LIMITS.find(([limit]) => kernel.predicted.occupancy[limit] <= share)?.[1] ?? null);
}

/** @param naive the naive kernels that compute the same, for the occupancy before fusion; empty when they are the same */
function occupancyMeter(kernel: Kernel, naive: readonly Kernel[]): Meter {
  const share = occupancyOf(kernel);
  const limit = limitOf(kernel);
  const before = naive.map(occupancyOf);
  const [least, most] = [Math.min(...before), Math.max(...before)];
  const was = least === most ? percent(least) : `${percent(least)} to ${percent(most)}`;
  const apart = before.length > 0 ? ` The naive ${before.length === 1 ? "kernel has" : "kernels have"} ${was}.` : "";
  const text = `${limit ? `Limited by ${limit}.` : "Nothing limits it."}${apart}`;
  return { name: "Occupancy", share, value: percent(share), text };
}

function registerMeter({ registers, predicted: { occupancy } }: Kernel): Meter {
  const full = Math.min(MAX_REGISTERS, Math.floor(registers * occupancy.registers));
  const text =
    registers <= full
      ? `Up to ${count(full)} per thread, enough threads run at the same time to hide waiting.`
      : registers <= MAX_REGISTERS
        ? `With more than ${count(full)} per thread, too few threads run at the same time to hide waiting.`
        : `A thread has ${count(MAX_REGISTERS)} at most: the others spill to memory.`;
  return {
    name: "Registers",
    share: Math.min(1, registers / full),
    value: `${count(registers)} of ${count(full)}`,
    text,
  };
}

/** What the parts take above the whole, in words: `: 398 ns of arithmetic hide behind memory`. */
function overlapOf({ predicted, predictedMicros }: Kernel): string {
  const { launchMicros, readMicros, cachedMicros, writeMicros, computeMicros, waitingMicros } = predicted;
  const memoryMicros = readMicros + writeMicros;
  const hidden = launchMicros + memoryMicros + cachedMicros + computeMicros + waitingMicros - predictedMicros;
  if (hidden <= LEAST_SHOWN) return "";
  // Reads from the cache hide behind those from memory, or hide them: then more hides than the shorter of the two.
  if (cachedMicros > LEAST_SHOWN || hidden > Math.min(computeMicros, memoryMicros))
    return `: ${showMicros(hidden)} of the parts hide behind others`;
  const behind = computeMicros < memoryMicros ? "arithmetic hide behind memory" : "memory hide behind arithmetic";
  return `: ${showMicros(hidden)} of ${behind}`;
}

/** Above its FLOP by so much, a kernel's arithmetic is told as what it is priced as. */
const PRICED_ABOVE = 1.05;

/** `50.1 MFLOP, priced like 102 MFLOP of multiply-adds at 100 TFLOP/s (functions, tests at edges, threads that wait)`: what makes it take longer than it counts. */
function pricedWork({ flops, predicted }: Kernel, profile: DeviceProfile): string {
  const rate = shaderRate(profile);
  const priced = (predicted.computeMicros * rate) / 1e6;
  const counted = decimal(flops, "FLOP");
  return priced > PRICED_ABOVE * flops
    ? `${counted}, priced like ${decimal(priced, "FLOP")} of multiply-adds at ${decimal(rate, "FLOP/s")} (functions, tests at edges, threads that wait)`
    : counted;
}

export function kernelCard(kernel: Kernel, naive: readonly Kernel[], profile: DeviceProfile): KernelCard {
  const { launchMicros, readMicros, cachedMicros, writeMicros, computeMicros, waitingMicros } = kernel.predicted;
  const bytes = bytesOfKernel(kernel);
  const [x, y] = [intensity(kernel.flops, bytes), shaderRate(profile) / profile.bandwidth];
  const rate = (kernel.flops / Math.max(kernel.predictedMicros, 1e-9)) * 1e6;
  const groups = kernel.workgroups.reduce((product, each) => product * each, 1);
  const threads = kernel.workgroupSize.reduce((product, each) => product * each, 1);
  const onChip = kernel.workgroupBytes > 0 ? `, ${showBytes(kernel.workgroupBytes)} on chip` : "";
  return {
    parts: [
      {
        name: "Launch",
        micros: launchMicros,
        text: `${plural(groups, "workgroup")} of ${plural(threads, "thread")}${onChip}`,
      },
      {
        name: "Reads",
        micros: readMicros,
        text: `${showBytes(bytesMoved(kernel.reads))} in ${plural(kernel.reads.length, "tensor")}`,
      },
      ...(cachedMicros > LEAST_SHOWN
        ? [
            {
              name: "Cache",
              micros: cachedMicros,
              text: `${kernel.modelledBytes > 0 ? showBytes(kernel.modelledBytes) : "what shifted views share is"} read again from it`,
            },
          ]
        : []),
      {
        name: "Writes",
        micros: writeMicros,
        text: `${showBytes(bytesMoved(kernel.writes))} in ${plural(kernel.writes.length, "tensor")}`,
      },
      {
        name: "Arithmetic",
        micros: computeMicros,
        text: `${isCountedBefore(kernel) ? "counted with the kernel before it" : pricedWork(kernel, profile)}, ${plural(wgslLines(kernel), "line")} of WGSL`,
      },
      ...(waitingMicros > LEAST_SHOWN
        ? [{ name: "Waiting", micros: waitingMicros, text: "for loads, for other threads, or for earlier arithmetic" }]
        : []),
    ],
    sum: `${showMicros(kernel.predictedMicros)} predicted${overlapOf(kernel)}`,
    arithmetic: isCountedBefore(kernel)
      ? ["It joins partial results: its FLOP are counted with the kernel before it"]
      : [
          `${decimal(kernel.flops, "FLOP")} ÷ ${showBytes(bytes)} = ${significant(x)} FLOP/B, ${x < y ? "left" : "right"} of the ridge at ${significant(y)}: ${x < y ? "memory" : "arithmetic"} decides`,
          `${decimal(rate, "FLOP/s")} in the predicted time, ${percent(rate / shaderRate(profile))} of the peak of ${decimal(shaderRate(profile), "FLOP/s")}`,
        ],
    registers: registerMeter(kernel),
    occupancy: occupancyMeter(kernel, naive),
  };
}

const INSTRUCTIONS: readonly (readonly [keyof InstructionCounts, string])[] = [
  ["loads", "Loads from memory"],
  ["stores", "Stores to memory"],
  ["shared", "Workgroup memory, read or written"],
  ["arithmetic", "Arithmetic"],
  ["branches", "Branches and loop iterations"],
  ["barriers", "Barriers"],
];

/** What one thread executes, row by row; what it never does is left out. */
export const instructionRows = (counts: InstructionCounts): (readonly [name: string, times: number])[] =>
  INSTRUCTIONS.flatMap(([sort, name]) => (counts[sort] > 0 ? [[name, counts[sort]] as const] : []));

/** @file What a lesson may ask of a program: counts of both plans, from the functions that the page's own numbers come from. */
import {
  bytesOf,
  savedBuffers,
  sizeOf,
  type Compilation,
  type DeviceProfile,
  type Fusion,
  type Kernel,
  type NodeId,
  type Plan,
  type TensorType,
  type Totals,
} from "../fusion";
import type { Scope, Value } from "./expression";

/** Times that the visitor's own run measured, in microseconds; null before a run. */
export interface MeasuredTimes {
  readonly naive: number;
  readonly fused: number;
}

/** Kernels that were written by hand. */
export interface HandFacts {
  /** Bytes that the fused plan moves with them; null where they were not counted. */
  readonly bytes: number | null;
  /** Their values are the reference's; null where these very texts have not run to their end: not yet, refused, or stopped. */
  readonly right: boolean | null;
}

interface Counted extends Totals {
  readonly flops: number;
  /** Bytes saved for the backward pass, where it runs later. */
  readonly saved: number;
}

const COUNTS: Readonly<Record<string, (counted: Counted) => number>> = {
  kernels: (totals) => totals.kernels,
  transfers: (totals) => totals.transfers,
  large: (totals) => totals.fullSizeTransfers,
  bytes: (totals) => totals.bytes,
  peak: (totals) => totals.peakBytes,
  micros: (totals) => totals.predictedMicros,
  flops: (counted) => counted.flops,
  saved: (counted) => counted.saved,
};

/** Numbers of the device that the program is planned for. */
const DEVICE: Readonly<Record<string, (profile: DeviceProfile) => number>> = {
  "device.bandwidth": ({ bandwidth }) => bandwidth,
  "device.flops": ({ peakFlops }) => peakFlops,
  "device.launch": ({ launchMicros }) => launchMicros,
  "device.multiprocessors": ({ multiprocessors }) => multiprocessors,
};

/** Numbers of the fused kernel that computes a value. */
const OF_KERNEL: Readonly<Record<string, (kernel: Kernel) => number>> = {
  registers: ({ registers }) => registers,
  workgroups: ({ workgroups: [x, y, z] }) => x * y * z,
  threads: ({ workgroupSize: [x, y, z] }) => x * y * z,
  workgroupBytes: ({ workgroupBytes }) => workgroupBytes,
};

/** Numbers of a value of the program as it is written: `size(x)` in bytes, `elements(x)`, and `dim(x, 0)`, the length of an axis. */
const OF_VALUE: Readonly<Record<string, (type: TensorType, axis: number) => number | null>> = {
  size: bytesOf,
  elements: ({ shape }) => sizeOf(shape),
  dim: ({ shape }, axis) => shape[axis] ?? null,
};

const OF_PROGRAM = [...Object.keys(COUNTS).flatMap((name) => [name, `naive.${name}`]), "decisions", "refusals"];

/**
 * Every name that a check or a sentence may use; `naive.` before a count asks the naive plan, `beside.` before any of
 * them the program that a step compares with.
 */
export const factNames: readonly string[] = [
  ...OF_PROGRAM,
  ...OF_PROGRAM.map((name) => `beside.${name}`),
  ...Object.keys(DEVICE),
  "measured.naive",
  "measured.fused",
  "hand.bytes",
  "hand.right",
];

/** The nodes that a name stands for where the program ends: the value itself, else the nodes that the fused graph made of it. */
function nodesNamed({ symbols }: Compilation, { graph }: Fusion, name: string): NodeId[] {
  const node = symbols.findLast((symbol) => symbol.name === name)?.node;
  if (!node) return [];
  if (graph.nodes.has(node)) return [node];
  return [...graph.nodes.values()].filter(({ origins }) => origins.includes(node)).map(({ id }) => id);
}

/**
 * Facts of a compiled program; `final` is its fused state.
 * @param beside facts of the program that a step compares with
 */
export function factsOf(
  compilation: Compilation,
  final: Fusion,
  measured: MeasuredTimes | null = null,
  hand: HandFacts | null = null,
  beside: Scope | null = null,
): Scope {
  const { naivePlan, fusedPlan, steps, options } = compilation;
  const totals = (plan: Plan, fusion: Fusion): Counted => ({
    ...plan.totals,
    flops: plan.kernels.reduce((sum, { flops }) => sum + flops, 0),
    saved: savedBuffers(fusion).reduce((sum, { bytes }) => sum + bytes, 0),
  });
  const homes = (name: string): Set<string> => {
    const ids = new Set(nodesNamed(compilation, final, name));
    return new Set(
      [...final.regions.values()].flatMap(({ id, members }) => (members.some((m) => ids.has(m)) ? id : [])),
    );
  };
  return {
    number(name): Value | null {
      if (name === "decisions") return steps.length;
      if (name === "refusals") return steps.filter((step) => !(step.profitable ?? step.legal).ok).length;
      // What nobody knows yet is no success.
      if (name === "hand.bytes") return hand?.bytes ?? Infinity;
      if (name === "hand.right") return hand?.right ?? false;
      if (name === "measured.naive") return measured?.naive ?? null;
      if (name === "measured.fused") return measured?.fused ?? null;
      if (name.startsWith("beside.")) return beside?.number(name.slice("beside.".length)) ?? null;
      const ofDevice = DEVICE[name];
      if (ofDevice) return ofDevice(options.profile);
      const count = COUNTS[name.replace(/^naive\./, "")];
      const [plan, fusion] = name.startsWith("naive.") ? [naivePlan, compilation.naive] : [fusedPlan, final];
      return count && plan && fusion ? count(totals(plan, fusion)) : null;
    },
    /**
     * `fused(a, b)`: one kernel of the fused plan computes all of them, in one launch: what is folded in parts, which a
     * second kernel joins, is not. `stored(a)`: a kernel writes it to memory.
     * `registers(a)`, `workgroups(a)`, `threads(a)`, `workgroupBytes(a)`: of the kernel that computes it.
     * `size(a)`, `elements(a)`, `dim(a, 0)`: of the tensor.
     */
    call(name, names): Value | null {
      const ofKernel = OF_KERNEL[name];
      if (ofKernel) {
        const home = homes(names[0] ?? "");
        const kernel = fusedPlan?.kernels.find(({ region }) => home.has(region));
        return kernel ? ofKernel(kernel) : null;
      }
      const ofValue = OF_VALUE[name];
      if (ofValue) {
        const node = compilation.symbols.findLast((symbol) => symbol.name === names[0])?.node;
        const value = node ? compilation.drawn.nodes.get(node) : undefined;
        return value ? ofValue(value.type, Number(names[1] ?? 0)) : null;
      }
      if (name === "fused") {
        const [first, ...rest] = names.map(homes);
        const launches = (region: string) => fusedPlan?.kernels.filter((kernel) => kernel.region === region).length;
        return [...(first ?? [])].some((region) => launches(region) === 1 && rest.every((home) => home.has(region)));
      }
      if (name === "stored") {
        const ids = new Set(names.flatMap((each) => nodesNamed(compilation, final, each)));
        return [...final.regions.values()].some(({ outputs }) => outputs.some((id) => ids.has(id)));
      }
      return null;
    },
  };
}

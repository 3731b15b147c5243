/** @file What the machine answers with. Outcomes are values; nothing here throws. */
import type { NodeId, Target } from "../fusion";

export type GpuProblemCode =
  | "insecure-origin"
  | "no-webgpu"
  | "no-adapter"
  | "device-lost"
  | "out-of-memory"
  | "invalid"
  | "internal"
  | "shader-rejected"
  | "timeout"
  | "cancelled"
  | "refused";

export interface GpuProblem {
  readonly code: GpuProblemCode;
  /** What happened and what to do, for the person in front of the page. */
  readonly text: string;
  /** shader-rejected: which kernel, 1-based line and column in its WGSL. */
  readonly kernel?: string;
  readonly line?: number;
  readonly column?: number;
  /** shader-rejected: the compiler's own words. */
  readonly reason?: string;
  /** shader-rejected: the WGSL that was refused. */
  readonly wgsl?: string;
  /** Only a reload helps. */
  readonly reload?: boolean;
}

export type Outcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: GpuProblem };

export type Clock = "timestamp-query" | "queue-wait";

export interface DeviceInfo {
  /** What a person calls it: `nvidia lovelace`, `swiftshader`. */
  readonly name: string;
  readonly vendor: string;
  readonly description: string;
  /** A CPU pretends to be a GPU: timings are not GPU timings and no speed-up is printed. */
  readonly software: boolean;
  readonly clock: Clock;
  /** Smallest step of the clock seen, ns. */
  readonly tickNanos: number;
  readonly target: Target;
  readonly maxBufferBytes: number;
  readonly maxBindingBytes: number;
  readonly features: readonly string[];
}

/** `hand`: the plan with kernels that a person wrote. */
export type PlanName = "naive" | "step" | "fused" | "hand";

/** Raw samples; medians are selectors. One sample = one pass's time divided by its repeats. */
export interface Timing {
  readonly plan: PlanName;
  /** A kernel's id, or null for the whole plan. */
  readonly kernel: string | null;
  readonly nanoseconds: readonly number[];
  /** Dispatches repeated inside one pass for each sample. */
  readonly repeats: number;
}

/** Roofs measured on this device by a copy kernel and an FMA kernel, and the slope of time over dispatches. */
export interface Roofs {
  /** bytes/s, read + write */
  readonly bandwidth: number;
  /** FLOP/s */
  readonly flops: number;
  readonly launchMicros: number;
}

export interface RunOutput {
  readonly plan: PlanName;
  readonly value: NodeId;
  readonly data: Float32Array | Int32Array | Uint32Array;
}

/** An element that two plans compute differently. */
export interface DifferentElement {
  /** Row-major. */
  readonly at: number;
  readonly naive: number;
  readonly other: number;
}

/** A tensor of a plan against the naive plan's, element by element, all of them. */
export interface ComparedInFull {
  readonly plan: Exclude<PlanName, "naive">;
  /** The naive plan's name for it. */
  readonly output: NodeId;
  /** What the program calls it; added by who knows the program. */
  readonly called?: string | undefined;
  readonly elements: number;
  /** Largest finite difference. */
  readonly maxAbs: number;
  /** Largest finite |naive|. */
  readonly scale: number;
  /** A few elements, the largest difference first: row-major index and both values. NaN or infinite on one side is farthest. */
  readonly farthest: readonly DifferentElement[];
  /** Elements farther apart than atol + rtol · |naive|, or NaN or infinite on one side. */
  readonly beyond: number;
  /** Elements that are NaN on one side only. */
  readonly nan: number;
  /** Elements that are infinite on one side only, or with another sign. */
  readonly infinite: number;
  readonly atol: number;
  /** What of `atol` is meant for values of size 1. */
  readonly ofSize: number;
  readonly rtol: number;
  /** By distance in f32 steps, as `UlpHistogram`. */
  readonly ulps: { readonly bins: readonly number[]; readonly nearZero: number; readonly nan: number };
}

/** Elements of a value to be read while a plan runs for the first time. */
export interface Tap {
  readonly plan: PlanName;
  readonly value: NodeId;
  /** Index of a kernel in the plan: the elements are read right before or right after it. */
  readonly kernel: number;
  readonly when: "before" | "after";
  /** Row-major. */
  readonly flats: Uint32Array;
}

/** A tap with its elements as they are stored; of f16 the pair of halves that holds the element. */
export interface Tapped {
  readonly tap: Tap;
  readonly words: Uint32Array;
}

/** What the first run of each plan gave, before anything was timed. */
export interface FirstRuns {
  readonly apart: readonly ComparedInFull[];
  readonly tapped: readonly Tapped[];
}

/** What a clock shows that stops once the work is handed over, and what it shows once the GPU has finished; ms wall. */
export interface TwoStops {
  readonly handedOver: number;
  readonly finished: number;
}

export interface BenchResult {
  readonly device: DeviceInfo;
  readonly timings: readonly Timing[];
  /** First, cold run of each plan, ns wall; shown apart. */
  readonly coldMillis: Readonly<Partial<Record<PlanName, number>>>;
  readonly pipelineMillis: Readonly<Partial<Record<PlanName, number>>>;
  /** One run of each plan that fits a submit, timed as one should and as one should not. */
  readonly twoStops: Readonly<Partial<Record<PlanName, TwoStops>>>;
  readonly outputs: readonly RunOutput[];
  readonly roofs: Roofs | null;
  /** True while clocks still rise: the samples so far are replaced. */
  readonly warming: boolean;
  /** True when the user stopped it: the samples so far count. */
  readonly stopped: boolean;
  /** Working set smaller than 4× a typical L2: results are cache-resident. */
  readonly cacheResident: boolean;
}

export interface BenchProgress {
  /** 0..1 */
  readonly fraction: number;
  /** `Running naive, repeat 212 of 400` */
  readonly text: string;
  readonly secondsLeft: number | null;
}

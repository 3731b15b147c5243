/** @file Device profiles (what the cost model believes), targets (what codegen may use) and compile options. Data only. */
import type { EdgeId } from "./ids";
import type { KnobChoices } from "./knobs";
import type { SavedValues } from "./saved";

/** Storage buffers that every WebGPU device binds to one kernel (maxStorageBuffersPerShaderStage). */
export const MAX_BINDINGS = 8;

/** What the planner believes about a machine. Stored with the document by value, so that a link fuses the same everywhere. */
export interface DeviceProfile {
  readonly name: string;
  /** The profile that it was before the person changed some of its numbers; absent for ready-made and measured ones. */
  readonly base?: string | undefined;
  /** bytes/s */
  readonly bandwidth: number;
  /** bytes */
  readonly l2Bytes: number;
  /** FLOP/s: the flat roof of the roofline. */
  readonly peakFlops: number;
  /** FLOP/s that shaders reach in f32, where the peak is of units that WGSL cannot use. Absent: the peak. */
  readonly shaderFlops?: number | undefined;
  /** µs per kernel launch */
  readonly launchMicros: number;
  readonly multiprocessors: number;
  /** They were counted on that very machine. Absent: it has about so many. */
  readonly counted?: boolean | undefined;
  readonly registersPerMultiprocessor: number;
  readonly maxBindings: number;
  readonly workgroupBytes: number;
  readonly maxBindingBytes: number;
  /** Refuse plans above this; bytes. */
  readonly memoryLimitBytes: number;
}

/** What generated code may use on the machine that runs it. `cpu`: thread per row, no barriers, rolled loops. */
export interface Target {
  readonly schedule: "gpu" | "cpu";
  readonly maxWorkgroupSize: number;
  readonly maxWorkgroupBytes: number;
  readonly maxBindings: number;
  readonly maxWorkgroupsPerDimension: number;
  readonly shaderF16: boolean;
  /** Threads that run in step can hand each other their registers. */
  readonly subgroups: boolean;
  /** Threads of its smallest subgroups and of its largest; absent: any number there may be. */
  readonly subgroupSizes?: readonly [number, number] | undefined;
  /** What decides between factors that the machine allows alike; round numbers of a large GPU where it is not known. */
  readonly machine?:
    | Partial<
        Pick<DeviceProfile, "multiprocessors" | "bandwidth" | "peakFlops" | "l2Bytes" | "launchMicros" | "counted">
      >
    | undefined;
  /** What a person chose instead of the planner. */
  readonly knobs?: KnobChoices | undefined;
  /** No choice of a schedule may change a rounding. */
  readonly strict?: boolean;
  /** A region is one kernel: neither rows nor products are cut into parts that another kernel joins. */
  readonly uncut?: boolean;
}

/** What one kernel of the naive plan computes: a call as written, a statement, or a primitive. */
export type Granularity = "op" | "statement" | "primitive";
/** What to do with a value that several kernels read; `cost` lets the model choose. */
export type MultiConsumerPolicy = "cost" | "materialise" | "duplicate" | "multi";

/** `library` keeps the kernel of a product apart from its epilogue; `threshold` does where it computes more per byte than a line. */
export type MatmulPolicy = "epilogue" | "library" | "threshold";

/** Why a person forbids an edge, and so stores a value though it could be fused: `often` read, `expensive` to recompute, … */
export const forbidReasons = ["often", "expensive", "backward", "device", "inspect"] as const;
export type ForbidReason = (typeof forbidReasons)[number];

/** A forbidden edge and why. */
export interface ForbidNote {
  readonly edge: EdgeId;
  readonly reason: ForbidReason;
}

/** Most ops of a kernel for one notch of the group-size slider: longer ones take long to compile. */
export const OPS_PER_NOTCH = 256;
/** Ops up to which kernels grow for one notch; when all have grown, whole ones are joined up to the maximum. */
export const OPS_GROWING = 64;

export interface CompileOptions {
  readonly granularity: Granularity;
  /** Names of passes that are switched off, and `pass/rule` where one rule of a pass is. */
  readonly disabledPasses: readonly string[];
  readonly strict: boolean;
  /** Which passes run: 0 none, 1 op by op, 2 with rows and products, 3 all; absent: 3. */
  readonly level?: 0 | 1 | 2 | 3 | undefined;
  /** Names of passes in the order in which they run; absent: the usual order. One that can't run is not followed. */
  readonly order?: readonly string[] | undefined;
  readonly policy: MultiConsumerPolicy;
  readonly matmulPolicy: MatmulPolicy;
  /** FLOP per byte that `threshold` draws the line at; absent: the profile's ridge. */
  readonly libraryAbove?: number | undefined;
  /** Group-size slider k: at most 256·k ops in a kernel. */
  readonly groupSize: number;
  readonly profile: DeviceProfile;
  readonly forced: readonly EdgeId[];
  readonly forbidden: readonly EdgeId[];
  /** Why edges are forbidden, for those where the person said so; it changes the sentence, never the plan. */
  readonly kept?: readonly ForbidNote[] | undefined;
  /** Choices of code generation; absent: all are the planner's. They never change what is fused. */
  readonly knobs?: KnobChoices | undefined;
  /** What the backward pass keeps of the forward pass; absent: both are one graph, and fusion decides. */
  readonly savedValues?: SavedValues | undefined;
}

/** @file What the page asks its workers, and what they answer. Plain data: it is cloned. */
import type { ImportedModel } from "../import";
import type {
  BestPlan,
  Compilation,
  CompileOptions,
  DeviceProfile,
  Drawing,
  Fusion,
  KernelLook,
  KnobName,
  KnobSheet,
  KnobSweep,
  NodeId,
  Plan,
  RegionId,
  OrderRow,
  SavedSheet,
  ShownValues,
  Target,
  PlanTotals,
  SizeRow,
  Training,
  UlpHistogram,
  WatchedKernel,
  WhatIf,
  stepOf,
} from "../fusion";

/** One kernel of a state, by the region that it computes. */
export interface AboutKernel {
  readonly text: string;
  readonly options: CompileOptions;
  readonly cursor: number;
  readonly region: RegionId;
}

export type CompileRequest =
  | { readonly kind: "compile"; readonly text: string; readonly options: CompileOptions }
  | {
      /** Plans of states of that text: what crosses is small, since the worker still has the compilation. */
      readonly kind: "plans";
      readonly text: string;
      readonly options: CompileOptions;
      /** Steps applied, 0 for the naive plan. */
      readonly cursors: readonly number[];
      /** Whose schedules; null for those that the options' profile wants. */
      readonly target: Target | null;
      /** Whose times are predicted; the options' own when absent. */
      readonly profile?: DeviceProfile;
    }
  | {
      /** The same program with other choices: what comes out otherwise? */
      readonly kind: "what-if";
      readonly text: string;
      readonly options: CompileOptions;
      readonly change: Partial<CompileOptions>;
    }
  /** Under its knobs. */
  | (AboutKernel & { readonly kind: "knobs" })
  /** What it says of itself: addresses of neighbouring threads, instructions. */
  | (AboutKernel & { readonly kind: "looks" })
  /** At work: its `nth` kernel, and one of its workgroups. */
  | (AboutKernel & { readonly kind: "watch"; readonly nth: number; readonly workgroup: number })
  | {
      /** The numbers of a value of a state. */
      readonly kind: "numbers";
      readonly text: string;
      readonly options: CompileOptions;
      readonly cursor: number;
      readonly node: NodeId;
    }
  | {
      /** The same kernel with one knob at each of its values, for a machine. */
      readonly kind: "sweep";
      readonly text: string;
      readonly options: CompileOptions;
      readonly cursor: number;
      readonly region: RegionId;
      readonly knob: KnobName;
      readonly target: Target;
    }
  | {
      /** What the backward pass could keep. */
      readonly kind: "saved";
      readonly text: string;
      readonly options: CompileOptions;
    }
  | {
      /** Transformed and fused, in either order. */
      readonly kind: "orders";
      readonly text: string;
      readonly options: CompileOptions;
    }
  | {
      /** The best plan by the price, where the graph is small. */
      readonly kind: "optimum";
      readonly text: string;
      readonly options: CompileOptions;
    }
  | {
      /** The steps of a program that trains, for a machine. */
      readonly kind: "training";
      readonly text: string;
      readonly options: CompileOptions;
      readonly target: Target;
      /** Of the weights; 0: as a run draws them. */
      readonly seed: number;
    }
  | {
      /** The same program at other sizes: totals of both plans at each. */
      readonly kind: "sizes";
      readonly text: string;
      readonly options: CompileOptions;
      /** A constant of the text, and what it is to be. */
      readonly name: string;
      readonly values: readonly number[];
    }
  | {
      /** Other programs: what fusing does for each. */
      readonly kind: "totals";
      readonly programs: readonly { readonly text: string; readonly options: CompileOptions }[];
    }
  | {
      /** Two programs: do they take the same inputs, do they compute the same outputs? */
      readonly kind: "values";
      readonly what: "inputs" | "values";
      readonly original: string;
      readonly changed: string;
    }
  | {
      /** A model in a foreign format, to be written in the typed language. */
      readonly kind: "import";
      readonly bytes: Uint8Array;
      /** Extents of dimensions and shapes of inputs that the model leaves open, by name. */
      readonly dims: ReadonlyMap<string, number>;
      readonly shapes: ReadonlyMap<string, readonly number[]>;
    };

/** Do two programs compute the same? Where not, a sentence says what differs. */
export type Sameness = { readonly same: true } | { readonly same: false; readonly text: string };

export type CompileReply =
  | { readonly kind: "compiled"; readonly compilation: Compilation }
  | { readonly kind: "planned"; readonly plans: ReadonlyMap<number, Plan> }
  | { readonly kind: "saved"; readonly sheet: SavedSheet | null }
  | { readonly kind: "orders"; readonly rows: readonly OrderRow[] }
  | { readonly kind: "optimum"; readonly best: BestPlan | null }
  | { readonly kind: "sizes"; readonly rows: readonly SizeRow[] }
  | { readonly kind: "values"; readonly sameness: Sameness }
  | { readonly kind: "totals"; readonly totals: readonly (PlanTotals | null)[] }
  | { readonly kind: "looks"; readonly kernels: ReadonlyMap<string, KernelLook> }
  | { readonly kind: "watched"; readonly watched: WatchedKernel | null }
  | { readonly kind: "numbers"; readonly numbers: ShownValues | null }
  | { readonly kind: "knobs"; readonly sheet: KnobSheet | null }
  | { readonly kind: "sweep"; readonly sweep: SweepAnswer | null }
  | { readonly kind: "training"; readonly training: TrainingPlans | null }
  | { readonly kind: "what-if"; readonly answer: WhatIfAnswer | null }
  | { readonly kind: "imported"; readonly imported: ImportAnswer };

/** Plans of one kernel at each value of a knob, and data for what it reads. */
export interface SweepAnswer extends Pick<KnobSweep, "values"> {
  readonly inputs: ReadonlyMap<NodeId, TensorData | Drawing>;
}

/** Both plans of one step, naive first, and the plan that only answers, with the data that they begin with. */
export interface TrainingPlans {
  readonly training: Training;
  readonly request: {
    readonly plans: readonly (ReturnType<typeof stepOf> & { readonly plan: Plan })[];
    readonly answering: { readonly plan: Plan; readonly output: NodeId } | null;
    readonly inputs: ReadonlyMap<NodeId, TensorData | Drawing>;
  };
}

/** What comes out otherwise; the steps themselves stay behind. */
export type WhatIfAnswer = Omit<WhatIf, "steps">;

/** Data of one tensor in row-major order: f32, i32, or 0 and 1 as u32 for bool. */
export type TensorData = Float32Array | Int32Array | Uint32Array;

/** Numbers of a model's weights and constants, by the names they have in the text. */
export type Weights = ReadonlyMap<string, { readonly shape: readonly number[]; readonly data: TensorData }>;

/** What an import comes to: the text, and the weights apart from it under their key. */
export type ImportAnswer =
  | {
      readonly ok: true;
      readonly value: Omit<ImportedModel, "data"> & { readonly weights: Weights; readonly key: string };
    }
  | { readonly ok: false; readonly text: string };

/** Data for some inputs instead of what their seeds give. */
export type Given = ReadonlyMap<NodeId, TensorData>;

export type PlanName = "naive" | "step" | "fused" | "hand";

export type CheckRequest =
  | {
      /** The data that a run feeds: what is drawn from the seeds in the text is drawn by the device. */
      readonly kind: "inputs";
      readonly fusion: Fusion;
      /** States whose folded constants are wanted too. */
      readonly plans?: readonly Fusion[];
      readonly given: Given;
    }
  | {
      /** Which elements a device is to hand out while these plans run, so that its kernels can be checked. */
      readonly kind: "points";
      /** The source graph: what is right. */
      readonly fusion: Fusion;
      readonly plans: readonly PlannedRun[];
      readonly given: Given;
    }
  | {
      /** The elements that the last `points` asked for. */
      readonly kind: "tapped";
      readonly tapped: readonly TappedElements[];
      /** Where plans differ from the naive one. */
      readonly apart: readonly DifferentOutput[];
    }
  | {
      /** The reference's results, and the plans' kernels run on the CPU where they are small enough. */
      readonly kind: "cpu";
      readonly fusion: Fusion;
      readonly options: CompileOptions;
      readonly plans: readonly { readonly plan: PlanName; readonly fusion: Fusion }[];
      readonly given: Given;
    };

/** A plan that runs: the region of each kernel, and the values that are in memory. */
export interface PlannedRun {
  readonly plan: PlanName;
  readonly fusion: Fusion;
  readonly regions: readonly RegionId[];
  readonly stored: readonly NodeId[];
}

/** Elements of a value to be read right before or right after a kernel of the first run, by its index in the plan. */
export interface TapRequest {
  readonly plan: PlanName;
  readonly value: NodeId;
  readonly kernel: number;
  readonly when: "before" | "after";
  /** Row-major. */
  readonly flats: Uint32Array;
}

/** Elements as they are stored; of f16 the pair of halves that holds the element. */
export interface TappedElements {
  readonly tap: TapRequest;
  readonly words: Uint32Array;
}

/** Elements of an output that a plan and the naive one compute differently. */
export interface DifferentOutput {
  /** The naive plan's name for it. */
  readonly output: NodeId;
  /** Row-major indices and both values. */
  readonly farthest: readonly { readonly at: number; readonly naive: number; readonly other: number }[];
}

/** One output of one plan against the f64 reference. */
export interface ComparedOutput {
  readonly plan: PlanName;
  readonly output: NodeId;
  /** What the program calls it; added by who knows the program. */
  readonly called?: string | undefined;
  /** Compared with f64 from the very numbers that this kernel read; absent: with f64 from the program's inputs. */
  readonly kernel?: string;
  /** Elements beyond the limit where roundings alone can move f64 as far: the program amplifies them there. */
  readonly sensitive?: number;
  /** Largest finite |f64 value| compared; a difference is small or large beside it. */
  readonly scale?: number;
  /** Which ops the limit is wide for. */
  readonly because?: string;
  readonly maxAbs: number;
  readonly maxRel: number;
  readonly maxUlp: number;
  /** Where the elements lie; absent where there is nothing to compare. */
  readonly ulps?: UlpHistogram;
  readonly limit: string;
  /** Coordinates of the worst element, both values there, and how far apart they may be. */
  readonly worst: {
    readonly index: readonly number[];
    readonly got: number;
    readonly want: number;
    readonly allowed: number;
  } | null;
  readonly nanMismatches: number;
  /** Elements compared and elements in all; fewer when sampled, and the page says so. */
  readonly compared: number;
  readonly elements: number;
  readonly pass: boolean;
}

/** A few numbers of one output of the reference. */
export interface ReferenceSummary {
  readonly output: NodeId;
  readonly shape: readonly number[];
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly first: readonly number[];
  readonly compared: number;
  readonly elements: number;
}

/** A kernel that was not compared with f64. */
export interface Skipped {
  /** `fused K3` */
  readonly kernel: string;
  /** One element of it depends on too many values, what it read was not fetched, or the time was over. */
  readonly because: "large" | "unread" | "late";
}

export type CheckReply =
  | { readonly kind: "inputs"; readonly inputs: ReadonlyMap<NodeId, TensorData | Drawing> }
  | { readonly kind: "points"; readonly taps: readonly TapRequest[] }
  | {
      readonly kind: "tapped";
      readonly rows: readonly ComparedOutput[];
      readonly skipped: readonly Skipped[];
      /** For each of `apart`: true where roundings alone move f64 as far; null where f64 can't be had there. */
      readonly amplified: readonly (boolean | null)[];
    }
  | {
      readonly kind: "cpu";
      readonly summaries: readonly ReferenceSummary[];
      readonly rows: readonly ComparedOutput[];
      readonly text: string;
    };

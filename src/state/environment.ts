/** @file What the store needs of its environment. Tests pass fakes; `browser.ts` passes the real one. */
import type { Drawing, Kernel, NodeId, Plan } from "../fusion";
import type {
  BenchOptions,
  BenchPlans,
  BenchProgress,
  BenchResult,
  DeviceInfo,
  GpuProblem,
  Outcome,
  Roofs,
  RunOutput,
  TrainRequest,
  Trainer,
} from "../gpu";
import type { CheckReply, CheckRequest, CompileReply, CompileRequest, Port, TensorData, Weights } from "../workers";
import type { LayoutRequest } from "../picture";
import type { Counted, CountedKernel } from "../wgsl";
import type { Layout } from "./types";

/** The GPU session, as far as the store uses it. */
export interface GpuSession {
  describe(): Promise<Outcome<DeviceInfo>>;
  bench(
    plans: BenchPlans,
    inputs: ReadonlyMap<NodeId, TensorData | Drawing>,
    how: BenchOptions,
  ): Promise<Outcome<BenchResult>>;
  /** What a copy, multiply-adds and one more launch take on this device; measured once. */
  measureRoofs(): Promise<Outcome<Roofs>>;
  /** Runs a plan once and reads its outputs back. */
  run(
    plan: Plan,
    inputs: ReadonlyMap<NodeId, TensorData | Drawing>,
    how: { readonly signal?: AbortSignal; readonly memoryBudget?: number },
  ): Promise<Outcome<readonly RunOutput[]>>;
  /** Builds a kernel without running it: what the device's compiler says. */
  build(kernel: Kernel): Promise<Outcome<null>>;
  /** Samples in ns of each of these variants of one program. */
  sweep(
    plans: readonly Plan[],
    inputs: ReadonlyMap<NodeId, TensorData | Drawing>,
    how: { readonly onProgress?: (progress: BenchProgress) => void; readonly signal?: AbortSignal },
  ): Promise<Outcome<(readonly number[])[]>>;
  /** Puts a training on the device, where its weights stay until it is closed. */
  train(request: TrainRequest): Promise<Outcome<Trainer>>;
  /** Faults that no call answers with: a lost device, an uncaptured error. */
  listen(listener: (problem: GpuProblem) => void): () => void;
}

/** Text by name that outlives the page. */
export interface Shelf {
  read(key: string): string | null;
  /** False when it could not be kept: full or blocked. */
  write(key: string, text: string): boolean;
  /** Removes all that the page has written, and writes nothing more. */
  clear(): void;
}

/** Which of several open tabs saves the draft. */
export interface DraftOwner {
  /** `changed` hears whether this tab owns the draft; `beforeGiving` runs when another tab asks for it. */
  follow(changed: (owner: boolean) => void, beforeGiving: () => void): void;
  /** The person wants this tab to save; `changed` hears true when it does. */
  takeOver(): void;
}

/** Weights of models by key, beyond the page's life. */
export interface WeightStorage {
  read(key: string): Promise<Weights | null>;
  /** False when they could not be kept: full or blocked. */
  write(key: string, weights: Weights): Promise<boolean>;
}

export interface Environment {
  readonly compileWorker: Port<CompileRequest, CompileReply>;
  readonly checkWorker: Port<CheckRequest, CheckReply>;
  readonly layoutWorker: Port<LayoutRequest, Layout>;
  /** Counts the traffic of a kernel's text. */
  readonly countWorker: Port<CountedKernel, Counted>;
  readonly session: GpuSession;
  readonly storage: Shelf;
  readonly draftOwner: DraftOwner;
  readonly weightStorage: WeightStorage;
  /** ms since 1970 */
  now(): number;
  /** The system's colour scheme. */
  prefersDark(): boolean;
  /** Tells each time the system's colour scheme changes. */
  followDark(changed: () => void): void;
  reload(): void;
  /** Hands the person a text as a file. */
  download(name: string, text: string): void;
}

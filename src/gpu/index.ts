/** @file The machine: a session that describes the device, runs plans and times them. */
export type * from "./types";
export { createSession } from "./session";
export type { RunOptions, Session, Trainer } from "./session";
export { MAX_STEPS } from "./train";
export type { AnsweringPlan, StepBatches, StepsDone, TrainedPlan, TrainRequest } from "./train";
export type { SweepOptions } from "./sweep";
export type { BenchOptions, BenchPlans, CompareRequest } from "./bench";
export { hostEnv } from "./env";
export type { SessionEnv } from "./env";
export type { Inputs } from "./inputs";
export type { NumberArray } from "./packing";
export { MEMORY_BUDGET, memoryNeed, preflight, runSeconds } from "./preflight";
export type { MemoryNeed } from "./preflight";
export { median } from "./stopwatch";

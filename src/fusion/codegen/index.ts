/** @file From a graph with regions to kernels: lowering, WGSL, the CPU interpreter of the same kernels, and the memory plan. */
export type { AccessLog, BufferAccess } from "./interpret/access-log";
export { interpretProgram, type InterpretOptions } from "./interpret/machine";
export { tritonText } from "./triton";
export { cudaText, type ForeignText } from "./cuda";
export type { Buffer, KernelProgram } from "./kernel-ir";
export { boundValues } from "./kernel-ir";
export { lowerRegion } from "./lower";
export { aliveIn, liveBytes, peakOf, planMemory, type MemoryPlan, type Tenant } from "./memory";
export { instructionCounts, type InstructionCounts } from "./instructions";
export { neighbourAccesses, type NeighbourAccess } from "./neighbours";
export { lowerFusion, planFusion, type LoweredRegion } from "./plan";
export { printWgsl, type PrintedKernel } from "./print";
export { recordKernel, valuesInMemory, type KernelRecording, type RecordedMoment } from "./record";
export { cpuPlan, runPlanOnCpu, type CpuRun, type RegionRun } from "./run-cpu";

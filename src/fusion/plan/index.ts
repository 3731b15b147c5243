/** @file From a graph with regions to the kernels of a plan: their code, their memory, and a run of them on the CPU. */
export { aliveIn, liveBytes } from "./memory";
export { lowerFusion, planFusion, type LoweredRegion } from "./plan";
export { recordKernel, type KernelRecording, type RecordedMoment, valuesInMemory } from "./record";
export { cpuPlan, runPlanOnCpu, type CpuRun, type RegionRun } from "./run-cpu";

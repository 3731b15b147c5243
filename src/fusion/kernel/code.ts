/** @file A kernel as statements: written, printed as WGSL, CUDA and Triton, and interpreted. */
export { wordFor } from "./emit/emitter";
export { type InstructionCounts, instructionCounts } from "./emit/instructions";
export { storedForm } from "./emit/kernel-frame";
export { kernelName, titleOf } from "./emit/kernel-names";
export { type KernelProgram, boundValues, sharedBytes } from "./emit/kernel-ir";
export { lowerJob, lowerRegion } from "./emit/lower";
export { isTaken, stemOf } from "./emit/names";
export { type NeighbourAccess, neighbourAccesses } from "./emit/neighbours";
export { endOfName } from "./emit/split";
export { type ForeignText, cudaText } from "./print/cuda";
export { laidOut } from "./print/line-breaking";
export { type PrintedKernel, printWgsl, printWithStatements } from "./print/print";
export { tritonText } from "./print/triton";
export type { AccessLog, BufferAccess } from "./simulate/access-log";
export { type InterpretOptions, interpretProgram } from "./simulate/machine";
export { type Counting, type Moment, type Moved, Recorder } from "./simulate/recorder";
export { translate } from "./simulate/translate";

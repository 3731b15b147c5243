/** @file The steps of a training: what they begin with, what they see, and how they run on the CPU, by the kernels that a GPU would run. */
import { cpuPlan } from "../plan";
import { isWholeSet } from "../datasets";
import {
  bug,
  type DeviceProfile,
  type Fusion,
  type Graph,
  hashText,
  isInput,
  type Node,
  type NodeId,
  type Target,
} from "../ir";
import { batchData, drawnAs, foldedData, inputData, inputFeed, type InputData } from "../reference";
import { readsBatches, type Training } from "./description";

/** Seeds of one run apart from those of another; 0 leaves what the program says. */
const mixed = (text: string, seed: number): number => Number.parseInt(hashText(`${text} ${seed}`), 16);

/** Data of inputs at the start is that of a run; another seed draws other weights, and never other examples. */
export const seededInput = (input: Node, seed: number): Node =>
  seed === 0 || readsBatches(input)
    ? input
    : {
        ...input,
        attrs: { ...input.attrs, seed: mixed(`${drawnAs(input)} ${String(input.attrs["seed"] ?? "")}`, seed) },
      };

/** Data of all inputs of the source graph before the first step, row-major. */
export function startingData(graph: Graph, seed: number): Map<NodeId, ReturnType<typeof inputData>> {
  const inputs = [...graph.nodes.values()].filter(isInput);
  return new Map(inputs.map((input) => [input.id, inputData(seededInput(input, seed))]));
}

/** What a step replaces and tells, by the outputs of a state of the program. */
export const stepOf = (
  { replaced, told }: Training,
  { outputs }: Graph,
): { readonly replaced: readonly { input: NodeId; output: NodeId }[]; readonly told: readonly NodeId[] } => ({
  replaced: replaced.map(({ input, index }) => ({ input, output: outputs[index]! })),
  told: told.map(({ index }) => outputs[index]!),
});

/** What a device is fed for the inputs of `graph` before the first step; random numbers are drawn there. */
export const startingFeeds = (graph: Graph, seed: number): Map<NodeId, ReturnType<typeof inputFeed>> =>
  new Map([...graph.nodes.values()].filter(isInput).map((each) => [each.id, inputFeed(seededInput(each, seed))]));

/** What an input that is drawn at each step holds at this one. */
const redrawnAt = (input: Node, seed: number, step: number): InputData =>
  inputData(step === 0 ? input : seededInput(input, mixed(`step ${step}`, seed)));

/**
 * The data that a step brings, by input: its batches, and what is drawn anew.
 * @param seed of the order of examples and of what is drawn
 * @returns null where it is that of the step before it
 */
export function batchesAt(
  { batches, redrawn }: Training,
  seed: number,
  step: number,
): ReadonlyMap<NodeId, InputData> | null {
  const changing = batches.filter(({ attrs, type }) => step === 0 || !isWholeSet(attrs["set"], type.shape[0]!));
  if (changing.length === 0 && redrawn.length === 0) return null;
  return new Map([
    ...changing.map((input) => [input.id, batchData(input, seed, step)] as const),
    ...redrawn.map((input) => [input.id, redrawnAt(input, seed, step)] as const),
  ]);
}

/** All that step `step` reads of data sets and draws, brought by it or before. */
export const examplesAt = (training: Training, seed: number, step: number): ReadonlyMap<NodeId, InputData> =>
  new Map([...(batchesAt(training, seed, 0) ?? []), ...(batchesAt(training, seed, step) ?? [])]);

export interface CpuTraining {
  /** Runs one step; what the program tells, in the order of `training.told`. */
  step(): readonly number[];
  /** The values of inputs that the next step begins with. */
  readonly values: ReadonlyMap<NodeId, Float64Array>;
}

/**
 * A training of `fusion`'s kernels in f32. Equal arguments give equal steps, on every machine.
 * @param source the graph that `training` was found in
 * @param fusion a state of the same program
 * @param seed of weights and of the order of examples; 0: as a run draws them
 */
export function trainOnCpu(
  { source, fusion, training }: { readonly source: Graph; readonly fusion: Fusion; readonly training: Training },
  target: Target,
  profile: DeviceProfile,
  seed: number,
): CpuTraining {
  const start = startingData(source, seed);
  const folded = foldedData(fusion.graph, start);
  const values = new Map<NodeId, Float64Array>(
    [...start, ...folded].map(([id, data]) => [id, Float64Array.from(data)]),
  );
  const run = cpuPlan(fusion, { ...target, schedule: "cpu" }, profile, "f32");
  const outputs = fusion.graph.outputs;
  let steps = 0;
  return {
    values,
    step() {
      for (const [id, data] of batchesAt(training, seed, steps++) ?? []) values.set(id, Float64Array.from(data));
      const results = run(values);
      const at = (index: number): Float64Array => {
        const data = results.get(outputs[index]!);
        if (!data) throw bug(`output ${index} was not computed`);
        return data;
      };
      const told = training.told.map(({ index }) => at(index)[0]!);
      for (const { input, index } of training.replaced) values.set(input, at(index));
      return told;
    },
  };
}

/** @file Training on the CPU, step by step, by the kernels that a GPU would run. */
import { cpuPlan } from "../codegen";
import { bug, type DeviceProfile, type Fusion, type Graph, type NodeId, type Target } from "../ir";
import { isInput } from "../ops";
import { foldedData, inputData } from "../reference";
import { batchesAt, seededInput, type Training } from "./description";

export interface CpuTraining {
  /** Runs one step; what the program tells, in the order of `training.told`. */
  step(): readonly number[];
  /** The values of inputs that the next step begins with. */
  readonly values: ReadonlyMap<NodeId, Float64Array>;
}

/** Data of all inputs of the source graph before the first step, row-major. */
export function startingData(graph: Graph, seed: number): Map<NodeId, ReturnType<typeof inputData>> {
  const inputs = [...graph.nodes.values()].filter(isInput);
  return new Map(inputs.map((input) => [input.id, inputData(seededInput(input, seed))]));
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

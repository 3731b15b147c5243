/** @file The numbers of one value of a program, at a size that can be looked at: what is right, and what two plans have in memory. */
import { valuesInMemory } from "./codegen";
import type { Compilation } from "./compilation";
import { fusionAt } from "./compile";
import { chosenFor } from "./cost";
import { node as nodeOf, sizeOf, type Fusion, type NodeId, type TensorType } from "./ir";
import { runReference } from "./reference";
import { resolveView } from "./region";
import { dataFor, smallPrograms } from "./small-sizes";

/** Numbers are row-major; bool is 0 and 1. */
export interface ShownValues {
  readonly node: NodeId;
  readonly type: TensorType;
  /** The program's numbers were made smaller. */
  readonly smaller: boolean;
  /** In f64, op by op. */
  readonly reference: Float64Array;
  /** What the naive plan and the shown one store, in f32; null where a plan does not store the value. */
  readonly naive: Float64Array | null;
  readonly shown: Float64Array | null;
}

/**
 * The numbers of node `id`.
 * @param cursor steps applied in the shown state
 * @returns null where no smaller size could be found, or the small program has no such node
 */
export function valuesAt(compilation: Compilation, cursor: number, id: NodeId): ShownValues | null {
  for (const { compilation: small, smaller } of smallPrograms(compilation)) {
    const { steps } = small;
    const last = compilation.steps.length;
    const states = [
      fusionAt(small, cursor === last ? steps.length : Math.min(cursor, steps.length)),
      fusionAt(small, 0),
      fusionAt(small, steps.length),
    ] as const;
    const known = states.find(({ graph }) => graph.nodes.has(id));
    if (!known) continue;
    const { graph } = known;
    const reference = runReference(graph, dataFor(known), { keep: new Set([id]) }).get(id)!.data;
    return {
      node: id,
      type: nodeOf(graph, id).type,
      smaller,
      reference,
      naive: storedBy(states[1], small, id),
      shown: storedBy(states[0], small, id),
    };
  }
  return null;
}

/** What a state's plan holds of a value when all its kernels have run. */
function storedBy(fusion: Fusion, { options }: Compilation, id: NodeId): Float64Array | null {
  if (!fusion.graph.nodes.has(id)) return null;
  const stored = valuesInMemory(fusion, chosenFor(options), options.profile, dataFor(fusion));
  const found = stored.get(id) ?? stored.get(resolveView(fusion.graph, id));
  // A view that repeats what it looks at has no numbers of its own.
  return found?.length === sizeOf(nodeOf(fusion.graph, id).type.shape) ? found : null;
}

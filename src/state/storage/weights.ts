/** @file Numbers of imported models: in memory while the page is open, in the browser's database beyond that, never in a document. */
import type { WeightsRef } from "../../document";
import { sizeOf, type DType, type Graph } from "../../fusion";
import type { Given, TensorData, Weights } from "../../workers";
import type { WeightStorage } from "../environment";

export interface WeightsStore {
  /** Keeps them; false when they will not outlive the page. */
  keep(key: string, weights: Weights): Promise<boolean>;
  /** Null when this device does not have them. */
  find(key: string): Promise<Weights | null>;
}

/** Models whose numbers stay in memory: the one that is open, and the one that undo leads back to. */
const HELD = 2;

export function weightsStore(weightStorage: WeightStorage): WeightsStore {
  const held = new Map<string, Weights>();
  const hold = (key: string, weights: Weights): void => {
    held.delete(key);
    held.set(key, weights);
    for (const old of [...held.keys()].slice(0, -HELD)) held.delete(old);
  };
  return {
    keep(key, weights) {
      hold(key, weights);
      return weightStorage.write(key, weights);
    },
    async find(key) {
      const known = held.get(key);
      if (known) return known;
      const stored = await weightStorage.read(key);
      if (stored) hold(key, stored);
      return stored;
    },
  };
}

const holds = (data: TensorData, dtype: DType): boolean =>
  dtype === "i32"
    ? data instanceof Int32Array
    : dtype === "bool"
      ? data instanceof Uint32Array
      : data instanceof Float32Array;

/** The numbers for those parameters of `graph` that still are what the model made them: same name, type and extents. */
export function givenTo({ nodes }: Graph, weights: Weights): Given {
  return new Map(
    [...nodes.values()].flatMap(({ id, op, type, attrs }) => {
      const found = op === "input" && attrs["role"] === "param" ? weights.get(id) : undefined;
      const fits = found && found.data.length === sizeOf(type.shape) && holds(found.data, type.dtype);
      return fits && found.shape.join() === type.shape.join() ? [[id, found.data] as const] : [];
    }),
  );
}

/** What a run computes with, and in words where that comes from; no words where every number is from a seed in the text. */
export interface RunData {
  readonly given: Given;
  readonly source: string | null;
}

export async function runData(store: WeightsStore, ref: WeightsRef | undefined, graph: Graph): Promise<RunData> {
  if (!ref) return { given: new Map(), source: null };
  const weights = await store.find(ref.key);
  const random = "random numbers stand in";
  if (!weights)
    return {
      given: new Map(),
      source: `The weights of ${ref.file} are not on this device: ${random}. Open the file again to run with them.`,
    };
  const given = givenTo(graph, weights);
  const params = [...graph.nodes.values()].filter(
    ({ op, attrs }) => op === "input" && attrs["role"] === "param",
  ).length;
  const missing = params - given.size;
  const changed = missing > 0 ? ` For ${missing} changed since, ${random}.` : "";
  return {
    given,
    source: `Weights: ${given.size} of ${params} parameters have ${ref.file}'s numbers.${changed} Inputs are random.`,
  };
}

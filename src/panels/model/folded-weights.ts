/** @file Weights that were folded before the run: values before and after, and how far f32 is from exact. */
import { foldedData, inputData, sizeOf, type Graph, type Node } from "../../fusion";

export interface FoldedWeight {
  readonly name: string;
  /** What it was folded from, when one of its sources has the same size; null for a shift, which had no value before. */
  readonly from: string | null;
  /** Pairs of values, spread over the tensor; `before` is null where there was none. */
  readonly values: readonly { readonly before: number | null; readonly after: number }[];
  /** The largest change of a value by folding; null without a before. */
  readonly largestChange: number | null;
  /** The largest difference between the exact weights and the f32 that the kernel reads. */
  readonly largestError: number;
}

const SHOWN = 4;

/** The weight that a recipe scales: the input of its own size, the first of them. */
function sourceOf({ recipe = [], type }: Node): Node | null {
  const size = sizeOf(type.shape);
  return recipe.find((each) => each.op === "input" && sizeOf(each.type.shape) === size && size > 1) ?? null;
}

const largest = (values: Iterable<number>): number => {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value));
  return most;
};

/**
 * The folded weights of a graph, in f64 from its inputs' own data.
 * @param inputs data that takes the place of the inputs' own, row-major
 */
export function foldedWeights(
  graph: Graph,
  inputs: ReadonlyMap<Node["id"], ArrayLike<number>> = new Map(),
): readonly FoldedWeight[] {
  return [...foldedData(graph, inputs)].map(([id, after]) => {
    const n = graph.nodes.get(id)!;
    const source = n.label.startsWith("folded_shift") ? null : sourceOf(n);
    const before = source && (inputs.get(source.id) ?? inputData(source));
    const at = Array.from({ length: Math.min(SHOWN, after.length) }, (_, i) =>
      Math.floor((i * after.length) / Math.min(SHOWN, after.length)),
    );
    return {
      name: n.label,
      from: source?.label ?? null,
      values: at.map((i) => ({ before: before ? before[i]! : null, after: after[i]! })),
      largestChange: before ? largest(after.map((value, i) => value - before[i]!)) : null,
      largestError: largest(after.map((value) => value - Math.fround(value))),
    };
  });
}

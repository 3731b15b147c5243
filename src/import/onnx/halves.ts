/** @file Which ops round to f16 where f16 is worked with as f32: the habits of runtimes that have few ops on halves. */
import type { OnnxGraph, OnnxNode } from "./model";

/** Ops that move elements or pick one: they are done on f16 itself. */
const MOVES: ReadonlySet<string> = new Set([
  "Clip",
  "Concat",
  "Expand",
  "Flatten",
  "Gather",
  "GatherND",
  "Identity",
  "Max",
  "Min",
  "Reshape",
  "Slice",
  "Split",
  "Squeeze",
  "Transpose",
  "Unsqueeze",
]);
/** Others that read and write f16. */
const READS: ReadonlySet<string> = new Set(["Cast", "LayerNormalization", "SkipLayerNormalization"]);

/** Tells ops that work on f16 from those for which it is widened. */
export class Halves {
  private readonly makers: ReadonlyMap<string, string>;
  private readonly readers = new Map<string, string[]>();
  private readonly results: ReadonlySet<string>;

  constructor({ nodes, outputs }: OnnxGraph) {
    this.makers = new Map(nodes.flatMap((node) => node.outputs.map((name) => [name, node.op] as const)));
    for (const { op, inputs } of nodes)
      for (const name of inputs) {
        const known = this.readers.get(name);
        if (known) known.push(op);
        else this.readers.set(name, [op]);
      }
    this.results = new Set(outputs.map(({ name }) => name));
  }

  /** Whether a node rounds those of its operands that are f16 in the model, `halves`: not where all around it is widened. */
  rounds({ op, outputs }: OnnxNode, halves: readonly string[]): boolean {
    if (!MOVES.has(op) || halves.length === 0) return false;
    const wide = (other: string | undefined): boolean => other !== undefined && !MOVES.has(other) && !READS.has(other);
    const before = halves.every((name) => wide(this.makers.get(name)));
    const after = outputs.every((name) => !this.results.has(name) && (this.readers.get(name) ?? []).every(wide));
    return !(before && after);
  }
}

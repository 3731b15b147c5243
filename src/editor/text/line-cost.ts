/** @file What each line of the text costs as written: FLOPs and bytes of the naive plan's kernels, summed by line. Pure. */
import { bytesOfKernel, findNode, type Compilation } from "../../fusion";
import { indexLines, lineAt } from "./line-index";

export interface LineCost {
  /** 1-based */
  readonly line: number;
  readonly flops: number;
  readonly bytes: number;
}

/** Width of the longest bar and of the shortest that is not nothing, px. */
const MAX_WIDTH = 22;
const MIN_WIDTH = 4;

const cache = new WeakMap<Compilation, readonly LineCost[]>();

/** Lines that have a kernel of the naive plan, ascending; empty without a plan. */
export function lineCosts(compilation: Compilation): readonly LineCost[] {
  const known = cache.get(compilation);
  if (known) return known;
  const costs = new Map<number, { flops: number; bytes: number }>();
  const graph = compilation.naive?.graph;
  if (graph && compilation.naivePlan) {
    const { starts } = indexLines(graph, compilation.text);
    for (const kernel of compilation.naivePlan.kernels) {
      const last = kernel.nodes.at(-1);
      const span = last && findNode(graph, last)?.span;
      if (!span) continue;
      const line = lineAt(starts, span.from);
      const sum = costs.get(line) ?? { flops: 0, bytes: 0 };
      costs.set(line, { flops: sum.flops + kernel.flops, bytes: sum.bytes + bytesOfKernel(kernel) });
    }
  }
  const found = [...costs].map(([line, cost]) => ({ line, ...cost })).toSorted((a, b) => a.line - b.line);
  cache.set(compilation, found);
  return found;
}

export interface CostBar {
  readonly flopWidth: number;
  readonly byteWidth: number;
  readonly cost: LineCost;
}

/** Bars in px by line; FLOPs and bytes are each scaled to their own largest line. */
export function costBars(costs: readonly LineCost[]): ReadonlyMap<number, CostBar> {
  const [flops, bytes] = [
    Math.max(1, ...costs.map((each) => each.flops)),
    Math.max(1, ...costs.map((each) => each.bytes)),
  ];
  const width = (value: number, most: number): number =>
    value === 0 ? 0 : Math.max(MIN_WIDTH, Math.round((value / most) * MAX_WIDTH));
  return new Map(
    costs.map((cost) => [
      cost.line,
      { cost, flopWidth: width(cost.flops, flops), byteWidth: width(cost.bytes, bytes) },
    ]),
  );
}

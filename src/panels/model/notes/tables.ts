/** @file What three tables beside a note say: traffic in narrower storage, folded weights, and what the device offers. */
import {
  bytesOfAccess,
  findNode,
  foldedData,
  inputData,
  sizeOf,
  type Access,
  type DType,
  type Graph,
  type Node,
  type Plan,
} from "../../../fusion";
import type { Device } from "../run/run-types";
import { count, showBytes } from "../units";

/** How a real number may be stored, and its bytes. */
export const storageTypes = [
  { name: "f32", bytes: 4, text: "as WebGPU computes" },
  { name: "f16", bytes: 2, text: "10 bits of mantissa, up to 65,504" },
  { name: "bf16", bytes: 2, text: "7 bits of mantissa, the range of f32" },
  { name: "i8", bytes: 1, text: "256 steps, and a scale for each tensor" },
] as const;

const REAL: Partial<Record<DType, number>> = { f32: 4, f16: 2 };
/** Bytes of the f32 scale that turns whole numbers back. */
const SCALE = 4;

export interface StorageRow {
  readonly name: string;
  readonly text: string;
  /** Bytes moved by each plan. */
  readonly naive: number;
  readonly fused: number;
}

function accessAs(graph: Graph, access: Access, type: (typeof storageTypes)[number]): number {
  const dtype = findNode(graph, access.value)?.type.dtype;
  const width = dtype && REAL[dtype];
  const bytes = bytesOfAccess(access);
  // Indices, masks and what a pass stores packed stay as they are.
  if (!width) return bytes;
  return (bytes / width) * type.bytes + (type.name === "i8" ? SCALE * (1 + access.rereads) : 0);
}

const planAs = (graph: Graph, plan: Plan, type: (typeof storageTypes)[number]): number =>
  plan.kernels.reduce(
    (sum, { reads, writes }) => [...reads, ...writes].reduce((part, each) => part + accessAs(graph, each, type), sum),
    0,
  );

/** Traffic of both plans with every real tensor stored in each type. */
export const storageRows = (
  naive: { readonly plan: Plan; readonly graph: Graph },
  fused: { readonly plan: Plan; readonly graph: Graph },
): readonly StorageRow[] =>
  storageTypes.map((type) => ({
    name: type.name,
    text: type.text,
    naive: planAs(naive.graph, naive.plan, type),
    fused: planAs(fused.graph, fused.plan, type),
  }));

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
 * @param inputs data that replaces the inputs' own, row-major
 */
export function foldedWeights(
  graph: Graph,
  inputs: ReadonlyMap<Node["id"], ArrayLike<number>> = new Map(),
): readonly FoldedWeight[] {
  return [...foldedData(graph, inputs)].map(([id, after]) => {
    const n = graph.nodes.get(id)!;
    const source = n.label.startsWith("shift_folded") ? null : sourceOf(n);
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

export interface DeviceFact {
  readonly name: string;
  readonly value: string;
  /** What it decides. */
  readonly text: string;
}

/** Optional features that kernels or clocks here use. */
const FEATURES: readonly (readonly [feature: string, name: string, text: string])[] = [
  ["timestamp-query", "GPU clock", "times are taken on the device, not by waiting for it"],
  ["subgroups", "Subgroups", "threads that run in lockstep exchange registers in a reduction"],
  ["shader-f16", "f16 arithmetic", "kernels store f16 and compute in it; otherwise f16 is storage only"],
];

export function deviceFacts({ target, maxBufferBytes, maxBindingBytes, features }: Device): readonly DeviceFact[] {
  const has = (feature: string): string => (features.includes(feature) ? "yes" : "no");
  return [
    { name: "Threads of a workgroup", value: count(target.maxWorkgroupSize), text: "at most, as a kernel may ask for" },
    {
      name: "Workgroup memory",
      value: showBytes(target.maxWorkgroupBytes),
      text: "holds tiles of a matmul and partial results of a row",
    },
    { name: "Buffers of a kernel", value: count(target.maxBindings), text: "more inputs and outputs split a kernel" },
    { name: "Largest binding", value: showBytes(maxBindingBytes), text: "a larger tensor can't be stored" },
    { name: "Largest buffer", value: showBytes(maxBufferBytes), text: "what one allocation may hold" },
    {
      name: "Workgroups",
      value: count(target.maxWorkgroupsPerDimension),
      text: "along one dimension of a launch; larger grids use two",
    },
    ...FEATURES.map(([feature, name, text]) => ({ name, value: has(feature), text })),
  ];
}

/** Optional features that nothing here uses. */
export const otherFeatures = ({ features }: Device): readonly string[] =>
  features.filter((feature) => FEATURES.every(([known]) => known !== feature));

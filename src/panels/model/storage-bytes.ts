/** @file What a plan would move if its tensors were stored in narrower types: counted from its transfers, kernels and arithmetic unchanged. */
import { findNode, type Access, type DType, type Graph, type Plan } from "../../fusion";
import { bytesOfAccess } from "./traffic";

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

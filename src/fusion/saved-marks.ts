/** @file What becomes of the values of the forward pass that the backward pass needs, in the state that the steps so far led to. */
import { savedBuffers } from "./cost";
import type { Fusion, NodeId, Step } from "./ir";

/** In memory until the backward pass has read it; the same as one bit an element, or as f16; recomputed; inverted from a result. */
export type SavedMark = "saved" | "bits" | "f16" | "again" | "inverted";

const markOfRule: Readonly<Partial<Record<string, SavedMark>>> = { recompute: "again", invert: "inverted" };
const NONE: ReadonlyMap<NodeId, SavedMark> = new Map();

/** Marks by value; none where there is no backward pass. `steps` are those that led to `fusion`. A value that is stored counts as saved, whatever is recomputed of it. */
export function savedMarks(fusion: Fusion, steps: readonly Step[]): ReadonlyMap<NodeId, SavedMark> {
  if (![...fusion.graph.nodes.values()].some(({ phase }) => phase === "backward")) return NONE;
  const marks = new Map<NodeId, SavedMark>();
  const forms = new Map<NodeId, SavedMark>();
  for (const { pass, rule, accepted, nodes, patch } of steps) {
    if (pass !== "saved-values" || !accepted) continue;
    const mark = markOfRule[rule];
    if (mark && fusion.graph.nodes.has(nodes[0]!)) marks.set(nodes[0]!, mark);
    if (rule === "bits" || rule === "f16") for (const { id } of patch?.addedNodes ?? []) forms.set(id, rule);
  }
  for (const { value } of savedBuffers(fusion)) marks.set(value, forms.get(value) ?? "saved");
  return marks;
}

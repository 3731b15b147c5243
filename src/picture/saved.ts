/** @file Marks of values that the backward pass needs: their signs, their words, and on which boxes they stand. */
import type { NodeId, SavedChoice, SavedMark } from "../fusion";
import type { Scene, SceneNode } from "./scene";

/** In words: the legend's line, the sign's title, what a screen reader adds. */
export const savedWords: Readonly<Record<SavedMark, string>> = {
  saved: "saved for the backward pass",
  bits: "saved as one bit per element",
  f16: "saved as f16",
  again: "recomputed in the backward pass",
  inverted: "inverted from a result",
};

/** What can be done about a value, as a choice says it. */
export const choiceWords: Readonly<Record<SavedChoice, string>> = {
  save: "save",
  recompute: "recompute",
  invert: "invert from a result",
  bits: "save one bit per element",
  f16: "save as f16",
};
export const isChoice = (value: string): value is SavedChoice => Object.hasOwn(choiceWords, value);

/** In the order of the legend, and of what a folded box shows of its ops. */
const order: readonly SavedMark[] = ["saved", "bits", "f16", "again", "inverted"];

/** A disk, 16 by 16: its body and the rim of its upper side. */
export const DISK = { body: "M2 4.5c0-3 12-3 12 0v7c0 3-12 3-12 0z", rim: "M2 4.5c0 3 12 3 12 0" } as const;
/** Solid, striped, with a dash, hollow, or hollow with an arrow. */
export const savedSign: Readonly<Record<SavedMark, { readonly fill: boolean; readonly lines: string }>> = {
  saved: { fill: true, lines: "" },
  bits: { fill: false, lines: "M5 7v6M8 7v6.5M11 7v6" },
  f16: { fill: false, lines: "M5 9.5h6" },
  again: { fill: false, lines: "" },
  inverted: { fill: false, lines: "M11 10.2H5.4M7.4 8.2l-2 2 2 2" },
};

const inMemory: ReadonlySet<SavedMark> = new Set(["saved", "bits", "f16"]);

/** The scene with its marks, and what they add up to. */
export function withSaved(scene: Scene, marks: ReadonlyMap<NodeId, SavedMark>): Scene {
  if (marks.size === 0) return scene;
  const marked = (node: SceneNode): SceneNode => {
    const saved = node.kind === "op" ? marks.get(node.id) : undefined;
    return saved ? { ...node, saved, label: `${node.label}, ${savedWords[saved]}` } : node;
  };
  const saved = scene.nodes.filter(({ id }) => inMemory.has(marks.get(id)!));
  return { ...scene, nodes: scene.nodes.map(marked), savedBytes: saved.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** What a folded box shows: the first kind that one of its ops has. */
export const savedIn = (members: readonly SceneNode[]): SavedMark | undefined =>
  order.find((mark) => members.some(({ saved }) => saved === mark));

/** The kinds of marks in a scene. */
export const savedKinds = ({ nodes }: Scene): readonly SavedMark[] =>
  order.filter((mark) => nodes.some(({ saved }) => saved === mark));

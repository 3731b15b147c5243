/** @file The inputs that only one folded box reads, and its results: when there are many, one pill stands for them. */
import { parseEdgeId } from "../fusion";
import type { NodeId } from "../fusion";
import { foldBox, type Folds } from "../document";
import { linesBetween } from "./lines/lines-between";
import type { Scene, SceneEdge, SceneNode } from "./scene";
import { plural, showBytes } from "./format";

/** More inputs of one box than this are one pill. */
const MAX_PILLS = 3;

/** By folded box: the value that it continues. That of another op where it reads one, else what its first op reads. */
function throughOf({ nodes, edges }: Scene): ReadonlyMap<NodeId, NodeId> {
  const kinds = new Map(nodes.map(({ id, kind, lid }) => [id, lid ? "lid" : kind] as const));
  const order = new Map(nodes.flatMap(({ inside }) => inside.map((id, i) => [id, i] as const)));
  const first = (edge: SceneEdge): number =>
    Math.min(...edge.also.map((id) => order.get(parseEdgeId(id)?.consumer ?? edge.to) ?? Infinity));
  const best = new Map<NodeId, { readonly from: NodeId; readonly at: number }>();
  for (const edge of edges) {
    if (kinds.get(edge.to) !== "folded") continue;
    const at = kinds.get(edge.from) === "input" ? first(edge) : -1;
    if (at < (best.get(edge.to)?.at ?? Infinity)) best.set(edge.to, { from: edge.from, at });
  }
  return new Map([...best].map(([fold, { from }]) => [fold, from]));
}

/** The inputs of each folded box that nothing else reads, without the one that flows through it. */
export function inputsOfFolds(scene: Scene): ReadonlyMap<NodeId, readonly SceneNode[]> {
  const through = throughOf(scene);
  const readers = new Map<NodeId, Set<NodeId>>();
  for (const { from, to } of scene.edges) readers.set(from, (readers.get(from) ?? new Set()).add(to));
  const found = new Map<NodeId, SceneNode[]>();
  for (const node of scene.nodes) {
    const [reader, ...others] = readers.get(node.id) ?? [];
    if (node.kind !== "input" || !reader || others.length > 0 || !through.has(reader)) continue;
    if (through.get(reader) !== node.id) found.set(reader, [...(found.get(reader) ?? []), node]);
  }
  return found;
}

/** The scene with such inputs as one pill, unless that was opened by hand. */
export function stackInputs(scene: Scene, byHand: Folds): Scene {
  const homeOf = new Map<NodeId, NodeId>();
  const pills = new Map<NodeId, SceneNode>();
  for (const [reader, inputs] of inputsOfFolds(scene)) {
    const id = `inputs of ${reader}`;
    if (inputs.length <= MAX_PILLS || byHand.get(id) === "open") continue;
    for (const input of inputs) homeOf.set(input.id, foldBox(id));
    pills.set(inputs[0]!.id, pillOf(id, inputs, "input"));
  }
  if (homeOf.size === 0) return scene;
  const nodes = scene.nodes.flatMap((node) => (homeOf.has(node.id) ? (pills.get(node.id) ?? []) : node));
  const lines = new Map(linesBetween(scene.edges, homeOf).map((edge) => [`${edge.from}>${edge.to}`, edge] as const));
  return { ...scene, nodes, edges: [...lines.values()] };
}

/** The scene with the results of a folded box as one pill where there are many, unless that was opened by hand. */
export function stackOutputs(scene: Scene, byHand: Folds): Scene {
  const folds = new Set(scene.nodes.flatMap(({ id, kind, lid }) => (kind === "folded" && !lid ? [id] : [])));
  const byId = new Map(scene.nodes.map((node) => [node.id, node] as const));
  const results = new Map<NodeId, SceneNode[]>();
  for (const { from, to } of scene.edges) {
    const node = byId.get(to);
    if (folds.has(from) && node?.kind === "output") results.set(from, [...(results.get(from) ?? []), node]);
  }
  const homeOf = new Map<NodeId, NodeId>();
  const pills = new Map<NodeId, SceneNode>();
  for (const [fold, outputs] of results) {
    const id = `results of ${fold}`;
    if (outputs.length <= MAX_PILLS || byHand.get(id) === "open") continue;
    for (const output of outputs) homeOf.set(output.id, foldBox(id));
    pills.set(outputs[0]!.id, pillOf(id, outputs, "result"));
  }
  if (homeOf.size === 0) return scene;
  const nodes = scene.nodes.flatMap((node) => (homeOf.has(node.id) ? (pills.get(node.id) ?? []) : node));
  return { ...scene, nodes, edges: linesBetween(scene.edges, homeOf) };
}

function pillOf(id: string, pills: readonly SceneNode[], kind: "input" | "result"): SceneNode {
  const bytes = pills.reduce((sum, pill) => sum + pill.bytes, 0);
  const title = plural(pills.length, kind);
  return {
    ...pills[0]!,
    id: foldBox(id),
    title,
    shape: showBytes(bytes),
    bytes,
    label: `${title} folded, ${showBytes(bytes)}: ${pills.map((pill) => pill.title).join(", ")}`,
    inside: pills.map((pill) => pill.id),
  };
}

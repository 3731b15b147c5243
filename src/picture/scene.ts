/** @file What is to be drawn at a step, without places: ops, pills, lines and kernels, from the graph, its regions and its plan. */
import { bytesOf, bytesOfKernel, edgeId, kernelWords, nodeName, shapeLabel, showType, boundName } from "../fusion";
import type {
  DType,
  Fusion,
  Graph,
  GroupRef,
  Kernel,
  Node,
  NodeId,
  Plan,
  Region,
  RegionId,
  SavedMark,
} from "../fusion";
import { outputPillOf } from "../document";
import { formulaOf } from "./formula";
import { holesOf, waitingOf } from "./lines/gaps";
import { linesOf, pipeWidth, type SceneEdge } from "./lines/lines-of";
import { glyphOf, isFreeView } from "./ops";
import type { Glyph } from "./ops";
import { showBytes } from "./format";

export type { SceneEdge } from "./lines/lines-of";

/** 1 to 6: `--k1` …; from the seventh colour on they start again, hatched. */
export interface KernelMark {
  readonly region: RegionId;
  /** `K2`, or `K4–5` where one region is computed by several kernels in turn. */
  readonly name: string;
  readonly tone: number;
  readonly hatched: boolean;
}

export interface SceneKernel extends KernelMark {
  /** `row stats`: the kernel's name in words, of several what their names begin with; empty until the plan is known. */
  readonly title: string;
  /** Kernels that compute the region in turn: as many as the loop has ops and iterations, before it runs inside one. */
  readonly count: number;
  readonly members: readonly NodeId[];
  /** Bytes read and written; null until the plan is known. */
  readonly bytes: number | null;
  /** What it reads more than once, which `bytes` count as often: `reads q and k twice`; null where there is nothing. */
  readonly again: string | null;
}

/** `nowhere`: an operand is missing here or before, so there is no value yet. */
export type Lives = "memory" | "register" | "view" | "nowhere";

/** An operand that nothing feeds, inside a call that is drawn as one box. */
export interface Gate {
  readonly node: NodeId;
  readonly operand: number;
}

export interface SceneNode {
  readonly id: NodeId;
  readonly kind: "op" | "input" | "output" | "folded";
  readonly glyph: Glyph;
  readonly title: string;
  readonly formula: string;
  readonly shape: string;
  readonly type: string;
  readonly dtype: DType;
  readonly bytes: number;
  readonly lives: Lives;
  readonly kernel: KernelMark | null;
  /** The only op of its kernel: no hull, a pill instead. */
  readonly alone: boolean;
  /** Operands that nothing feeds yet. */
  readonly holes: readonly number[];
  /** What each of `holes` waits for: ops of one call that miss the same argument share it. */
  readonly missing?: readonly NodeId[];
  /** For a folded call with missing arguments: the operands inside that its `holes` stand for, by their number. */
  readonly gates?: readonly Gate[];
  readonly operands: number;
  readonly groups: readonly GroupRef[];
  /** What a screen reader says. */
  readonly label: string;
  /** For folded boxes: what is inside, in order. */
  readonly inside: readonly NodeId[];
  /** For folded boxes: a call that stands where its ops would stand, so that nothing moves when it opens. */
  readonly lid?: boolean;
  /** For a lid: what its ops are called, in order. */
  readonly parts?: readonly string[];
  /** Choice for it until the backward pass; absent where that has no need of it. */
  readonly saved?: SavedMark;
  /** Of the backward pass. */
  readonly late?: boolean;
}

export interface Scene {
  /** Producers first. */
  readonly nodes: readonly SceneNode[];
  readonly edges: readonly SceneEdge[];
  readonly kernels: readonly SceneKernel[];
  /** Bytes that are saved for the backward pass, folded or not; absent where nothing is marked. */
  readonly savedBytes?: number;
}

const drawnOps = (graph: Graph): Node[] =>
  [...graph.nodes.values()].filter(({ op }) => op !== "const" && op !== "hole");

/** Colours by region, from 0; a kernel without one takes its number in the plan. */
type KernelColours = ReadonlyMap<RegionId, number>;
const inPlanOrder: KernelColours = new Map();

/** What is not of the step: `names` are what the text calls the results, in their order. */
interface Marked {
  readonly colours?: KernelColours;
  readonly names?: readonly (string | null)[];
}

/** The scene of one step. `plan` may lag behind: names and bytes then stay out, shapes and lines are right. */
export function sceneOf(
  { graph, regions }: Fusion,
  plan: Plan | null,
  { colours = inPlanOrder, names = [] }: Marked = {},
): Scene {
  const kernels = kernelsOf(graph, regions, plan, colours);
  const homes = homesOf(kernels, regions);
  const shown = drawnOps(graph);
  const alone = aloneIn(shown, homes);
  const waiting = waitingOf(graph);
  const bytes: BytesOf = ({ id, type }) => (waiting.has(id) ? 0 : bytesOf(type));
  const largest = shown.reduce((most, node) => Math.max(most, bytes(node)), 1);
  const stored = new Set([...regions.values()].flatMap(({ outputs }) => outputs));
  const nodes = shown.map((node) => nodeOf(graph, node, { stored, homes, waiting, planned: regions.size > 0, alone }));
  const edges = linesOf({ graph, kernels, homes, planned: regions.size > 0, bytes, largest });
  for (const [i, id] of graph.outputs.entries()) {
    const node = graph.nodes.get(id);
    if (!node || node.op === "const" || node.op === "hole") continue;
    nodes.push(outputOf(node, names[i] ?? calledBy(node), waiting.has(id) ? missingAt(graph, node) : null));
    edges.push(outputLine(node, { bytes, largest }));
  }
  return { nodes, edges, kernels };
}

function kernelsOf(
  graph: Graph,
  regions: ReadonlyMap<RegionId, Region>,
  plan: Plan | null,
  colours: KernelColours,
): SceneKernel[] {
  const planned = new Map<RegionId, Kernel[]>();
  for (const kernel of plan?.kernels ?? []) {
    const known = planned.get(kernel.region);
    if (known) known.push(kernel);
    else planned.set(kernel.region, [kernel]);
  }
  const isReal = ({ members }: Region): boolean => !members.every((id) => isFreeView(graph.nodes.get(id)?.op ?? ""));
  const inOrder = [...planned.keys()].filter((id) => regions.has(id));
  for (const [id, region] of regions) if (!planned.has(id) && isReal(region)) inOrder.push(id);
  // A view that others read where it lies is nobody's, whoever computes its indices again.
  const views = new Set([...regions.values()].flatMap((region) => (isReal(region) ? [] : region.outputs)));
  return inOrder.map((id, index) => {
    const kernels = planned.get(id) ?? [];
    const colour = colours.get(id) ?? index;
    return {
      region: id,
      name: kernels.length > 0 ? spanned(kernels) : `K${index + 1}`,
      tone: (colour % 6) + 1,
      hatched: colour >= 6,
      title: sharedWords(kernels),
      count: Math.max(1, kernels.length),
      members: regions.get(id)!.members.filter((member) => !views.has(member)),
      bytes: kernels.length > 0 ? kernels.reduce((sum, kernel) => sum + bytesOfKernel(kernel), 0) : null,
      again: againOf(kernels, graph),
    };
  });
}

const timesWords = (times: number): string => (times === 2 ? "twice" : `${times} times`);

/** More inputs than these are counted. */
const MAX_NAMED = 3;

function named(names: readonly string[]): string {
  const last = names.at(-1)!;
  if (names.length > MAX_NAMED) return `${names.length} inputs`;
  return names.length === 1 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

function againOf(kernels: readonly Kernel[], graph: Graph): string | null {
  const names = new Map<number, string[]>();
  for (const { value, rereads } of kernels.flatMap(({ reads }) => reads)) {
    const node = graph.nodes.get(value);
    if (rereads > 0) names.set(1 + rereads, [...(names.get(1 + rereads) ?? []), node ? nodeName(node) : value]);
  }
  const parts = [...names].map(([times, all]) => `${named(all)} ${timesWords(times)}`);
  return parts.length > 0 ? `reads ${parts.join(", ")}` : null;
}

/** `K4`; `K4–5`. */
const spanned = (kernels: readonly Kernel[]): string =>
  kernels.length === 1 ? kernels[0]!.id : `${kernels[0]!.id}–${kernels.at(-1)!.id.slice(1)}`;

/** `matmul` of `matmul partials` and `matmul finish`; what their names do not share is counted: `300 kernels`. */
function sharedWords(kernels: readonly Kernel[]): string {
  const [first = [], ...others] = kernels.map(({ name }) => kernelWords(name).split(" "));
  const end = first.findIndex((word, i) => others.some((words) => words[i] !== word));
  return (
    first.slice(0, end < 0 ? first.length : end).join(" ") || (others.length > 0 ? `${kernels.length} kernels` : "")
  );
}

/** The kernel a node is drawn in: the one that stores it, else the first that computes it. */
function homesOf(kernels: readonly SceneKernel[], regions: ReadonlyMap<RegionId, Region>): Map<NodeId, SceneKernel> {
  const homes = new Map<NodeId, SceneKernel>();
  for (const kernel of kernels) for (const id of kernel.members) if (!homes.has(id)) homes.set(id, kernel);
  for (const kernel of kernels) for (const id of regions.get(kernel.region)!.outputs) homes.set(id, kernel);
  return homes;
}

function aloneIn(shown: readonly Node[], homes: ReadonlyMap<NodeId, SceneKernel>): Set<RegionId> {
  const counts = new Map<RegionId, number>();
  for (const { id } of shown) {
    const region = homes.get(id)?.region;
    if (region !== undefined) counts.set(region, (counts.get(region) ?? 0) + 1);
  }
  return new Set([...counts].flatMap(([region, count]) => (count === 1 ? region : [])));
}

/** Bytes of a node's value; 0 while nobody knows. */
type BytesOf = (node: Node) => number;

interface Facts {
  readonly stored: ReadonlySet<NodeId>;
  readonly homes: ReadonlyMap<NodeId, SceneKernel>;
  readonly waiting: ReadonlySet<NodeId>;
  readonly planned: boolean;
  /** Regions with one op that is drawn in them. */
  readonly alone: ReadonlySet<RegionId>;
}

function nodeOf(graph: Graph, node: Node, { stored, homes, waiting, planned, alone }: Facts): SceneNode {
  const input = node.op === "input";
  const home = homes.get(node.id) ?? null;
  const view = planned && !home && !input;
  const lives: Lives = view ? "view" : input || !planned || stored.has(node.id) ? "memory" : "register";
  const title = nodeName(node);
  const holes = holesOf(graph, node);
  const waits = waiting.has(node.id);
  return {
    id: node.id,
    kind: input ? "input" : "op",
    glyph: glyphOf(node.op),
    title,
    formula: input ? "" : formulaOf(graph, node, title),
    shape: holes.length > 0 ? "not connected" : waits ? NO_SHAPE : shapeLabel(node.type.shape),
    type: showType(node.type),
    dtype: node.type.dtype,
    bytes: waits ? 0 : bytesOf(node.type),
    lives: waits ? "nowhere" : lives,
    kernel: home,
    alone: home !== null && alone.has(home.region),
    holes,
    missing: holes.map((operand) => node.inputs[operand]!),
    operands: node.inputs.length,
    ...(node.phase === "backward" && { late: true }),
    groups: node.groups,
    label: waits
      ? `${title} ${node.id}, ${holes.length > 0 ? "not connected yet" : NO_SHAPE}`
      : sayNode(node, title, home, lives),
    inside: [],
  };
}

const NO_SHAPE = "no shape yet";

/** What an output waits for, in words. */
const missingAt = (graph: Graph, node: Node): string =>
  holesOf(graph, node).length > 0 ? `${nodeName(node)} is not connected` : "an op before it is not connected";

/** `gelu y, f32[32, 128, 768], kernel 2, in memory`. */
function sayNode(node: Node, title: string, home: KernelMark | null, lives: Lives): string {
  if (node.op === "input") return `input ${node.label}, ${showType(node.type)}`;
  const name = node.id === title ? title : `${title} ${node.id}`;
  const where = home ? `, kernel ${home.name.replace(/^K/, "")}` : "";
  const livesIn = { memory: ", in memory", register: ", in registers", view: ", a view", nowhere: "" }[lives];
  return `${name}, ${showType(node.type)}${where}${livesIn}`;
}

/** What a result without a name is called: one statement may give several gradients. */
export const calledBy = ({ op, phase, label, id }: Node): string =>
  op === "input" || phase === "backward" ? label : boundName(id);

/** `missing`: why there is no value yet. */
const outputOf = (node: Node, title: string, missing: string | null): SceneNode => ({
  id: outputPillOf(node.id),
  kind: "output",
  glyph: "output",
  title,
  formula: "",
  shape: missing === null ? shapeLabel(node.type.shape) : NO_SHAPE,
  type: showType(node.type),
  dtype: node.type.dtype,
  bytes: missing === null ? bytesOf(node.type) : 0,
  lives: missing === null ? "memory" : "nowhere",
  kernel: null,
  alone: false,
  holes: [],
  operands: 1,
  ...(node.phase === "backward" && { late: true }),
  groups: [],
  label:
    missing === null
      ? `output ${node.id}, ${showType(node.type)}, ${showBytes(bytesOf(node.type))}`
      : `output ${node.id}, ${NO_SHAPE}: ${missing}`,
  inside: [],
});

interface Sizes {
  readonly bytes: BytesOf;
  readonly largest: number;
}

function outputLine(node: Node, { bytes, largest }: Sizes): SceneEdge {
  const to = outputPillOf(node.id);
  const id = edgeId(node.id, to, 0);
  const width = pipeWidth(bytes(node), largest);
  return { id, from: node.id, to, also: [id], operand: 0, kind: "memory", bytes: bytes(node), width, tone: null };
}

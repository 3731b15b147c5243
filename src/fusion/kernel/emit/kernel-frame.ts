/** @file What every template shares: the job, the grid of threads, and the finished program. */
import {
  type Fusion,
  type Graph,
  isLiteral,
  KERNEL_SUFFIX,
  node,
  type Node,
  type NodeId,
  type Region,
  sizeOf,
  type Target,
} from "../../ir";
import { opDef } from "../../ops";
import { isFreeView, resolveView, storedInputs } from "../indices/views";
import { uniformsOf } from "../count/uniforms";
import type { RegionForm, RegionSchedule } from "../types";
import type { Index } from "./index-space";
import type { KernelProgram } from "./kernel-ir";
import { wordFor } from "./emitter";
import { Lowering } from "./lowering";
import { identifier, isTaken } from "./names";
import { propagateCopies } from "./copy-propagation";
import { joinAccesses } from "./joined-accesses";

/** One region and how it is to run. */
export interface Job {
  readonly graph: Fusion["graph"];
  readonly region: Region;
  readonly form: RegionForm;
  readonly schedule: RegionSchedule;
  readonly target: Target;
}

/**
 * The region as memory sees it: an output that only shows another member stores that member (readers look through views),
 * and a view of something outside stores nothing.
 */
export function storedForm(graph: Graph, region: Region): Region {
  if (!region.outputs.some((id) => isFreeView(node(graph, id)))) return region;
  const inside = new Set(region.members);
  const outputs = new Set(region.outputs.map((id) => resolveView(graph, id)).filter((id) => inside.has(id)));
  return { ...region, outputs: [...outputs] };
}

/**
 * A lowering with the region's inputs and outputs declared in the order a reader expects.
 * @param known values that the kernel has otherwise
 */
export function loweringOf({ graph, region, schedule }: Job, known: readonly NodeId[] = []): Lowering {
  const low = new Lowering(graph, region.members, []);
  const over = new Map(schedule.inPlace?.map(({ output, input }) => [input, output]));
  // What no element is read of, as what joins other values before a part of it is taken, is not bound.
  const read = new Set(schedule.reads.flatMap(({ value, elements }) => (elements > 0 ? [value] : [])));
  for (const id of storedInputs(graph, region.members)) {
    if (!isMemory(graph, id) || known.includes(id) || !(read.has(id) || over.has(id))) continue;
    const output = over.get(id);
    if (output === undefined) low.buffer(id);
    else low.inPlace(output, id);
  }
  for (const id of region.outputs) low.buffer(id);
  return low;
}

const isMemory = (graph: Graph, id: NodeId): boolean =>
  opDef(node(graph, id).op).generate === undefined && sizeOf(node(graph, id).type.shape) > 0;

/** Workgroups as a grid: folded into a second dimension past the limit of one. */
export function gridOf(workgroups: number, target: Target): [number, number] {
  const limit = target.maxWorkgroupsPerDimension;
  if (workgroups <= limit) return [Math.max(1, workgroups), 1];
  const y = Math.ceil(workgroups / limit);
  return [Math.ceil(workgroups / y), y];
}

export interface Grid {
  readonly index: Index;
  readonly workgroupSize: readonly [number, number, number];
  readonly workgroups: readonly [number, number, number];
}

/** One thread per item: `i` in 0 … count−1, the rest of the last workgroup is sent home. */
export function threadPerItem(low: Lowering, count: number, threads: number, target: Target, name = "i"): Grid {
  const needed = Math.ceil(count / threads);
  const [x, y] = gridOf(needed, target);
  const gx = low.space.of(low.space.variable("gid.x", x * threads - 1, 0, "gid.x"));
  const gy = low.space.of(low.space.variable("gid.y", y - 1, 0, "gid.y"));
  const index = named(low, name, low.space.add(gx, low.space.mul(gy, x * threads)), count);
  return { index, workgroupSize: [threads, 1, 1], workgroups: [x, y, 1] };
}

/** One workgroup per item, and the thread's number in it. */
export function workgroupPerItem(
  low: Lowering,
  count: number,
  threads: number,
  target: Target,
  name = "row",
): Grid & { readonly tid: Index } {
  const [x, y] = gridOf(count, target);
  const wx = low.space.of(low.space.variable("wid.x", x - 1, 0, "wid.x"));
  const wy = low.space.of(low.space.variable("wid.y", y - 1, 0, "wid.y"));
  const index = named(low, name, low.space.add(wx, low.space.mul(wy, x)), count);
  const tid = low.space.of(low.space.variable("tid", threads - 1, 0, "tid"));
  return { index, tid, workgroupSize: [threads, 1, 1], workgroups: [x, y, 1] };
}

/** Names the grid's number and sends home what lies past the end. Within `count` afterwards. */
function named(low: Lowering, name: string, value: Index, count: number): Index {
  const total = value.max + 1;
  if (total === 1) return value;
  const variable = low.space.variable(low.names.frame(name), Math.max(1, count - 1), 0);
  low.emit({ kind: "bind", variable, value });
  const index = low.space.of(variable);
  if (total > count) {
    low.emit({ kind: "guard", when: { kind: "less", index, bound: count } });
  }
  return count === 1 ? low.space.int(0) : index;
}

type Rest = Pick<KernelProgram, "template" | "schedule" | "workgroupSize" | "workgroups"> &
  Partial<Pick<KernelProgram, "name" | "title">>;

/** The finished program of one dispatch. */
export function programOf(
  low: Lowering,
  { graph, region, target }: Pick<Job, "graph" | "region" | "target">,
  rest: Rest,
): KernelProgram {
  // Inputs first, then what is written.
  const buffers = [...new Set(low.buffers.values())].toSorted(
    (a, b) => Number(a.access === "read_write") - Number(b.access === "read_write"),
  );
  const reads = buffers.filter(({ access }) => access === "read");
  const uniforms = uniformsOf(
    graph,
    reads.map(({ value }) => value),
    buffers.length,
    target.maxBindings,
  );
  for (const buffer of reads.filter(({ value }) => uniforms.has(value)))
    Object.assign(buffer, { access: "uniform", width: 4 });
  const name = rest.name ?? kernelName(graph, region);
  const body = joinAccesses(low.body, low);
  return {
    title: titleOf(graph, region),
    ...rest,
    name: isTaken(name) || buffers.some((buffer) => buffer.name === name) ? name + KERNEL_SUFFIX : name,
    region: region.id,
    nodes: region.members,
    buffers,
    shared: low.shared,
    body: propagateCopies(body, low.space, low.names),
    space: low.space,
    registerCount: low.registers,
    largestNumber: low.names.largestNumber,
    packedHalves: !target.shaderF16,
  };
}

const groupSizes = new WeakMap<Graph, ReadonlyMap<string, number>>();

/** How many nodes each composite's instance has. */
function groupSizesOf(graph: Graph): ReadonlyMap<string, number> {
  const known = groupSizes.get(graph);
  if (known) return known;
  const sizes = new Map<string, number>();
  for (const n of graph.nodes.values()) {
    const group = isLiteral(n) ? undefined : compositeOf(n);
    if (group) sizes.set(group.id, (sizes.get(group.id) ?? 0) + 1);
  }
  groupSizes.set(graph, sizes);
  return sizes;
}

const compositeOf = (n: Node): Node["groups"][number] | undefined => n.groups.find(({ kind }) => kind === "composite");

/** Says where elements come from, not what becomes of them. */
function onlyMoves({ op, inputs }: Node): boolean {
  const { movement } = opDef(op);
  return movement !== undefined && movement.fill === undefined && inputs.length === 1;
}

/** What the members are called: composites that are here as a whole by their own name, copies and casts only where nothing is computed. */
export function wordsOf(graph: Graph, members: readonly NodeId[]): string[] {
  const here = new Map<string, number>();
  for (const id of members) {
    const group = compositeOf(node(graph, id));
    if (group) here.set(group.id, (here.get(group.id) ?? 0) + 1);
  }
  const whole = (group: string): boolean => here.get(group) === groupSizesOf(graph).get(group);
  const words: string[] = [];
  const spare: string[] = [];
  const named = new Set<string>();
  for (const id of members) {
    const n = node(graph, id);
    if (isFreeView(n)) continue;
    const group = compositeOf(n);
    const together = group && whole(group.id);
    if (!together) (onlyMoves(n) || n.op === "cast" ? spare : words).push(n.op);
    else if (!named.has(group.id)) words.push(group.label);
    if (group) named.add(group.id);
  }
  return words.length > 0 ? words : spare.length > 0 ? spare : ["view"];
}

/** `add_relu_log`, `softmax`, `exp_to_add`; of a backward pass also which value's: `matmul_d_w`. */
export function kernelName(graph: Graph, { members, outputs }: Pick<Region, "members" | "outputs">): string {
  const words = wordsOf(graph, members).map((word) => identifier(word, "op"));
  const [first, last] = [words[0]!, words.at(-1)!];
  const many = words.every((word) => word === first) ? `${first}_${words.length}_times` : `${first}_to_${last}`;
  const ops = words.length <= 4 ? words.join("_") : many;
  const late = outputs.map((id) => node(graph, id)).findLast((n) => n.phase === "backward" && n.label !== n.op);
  return late ? `${ops}_${wordFor(late)}` : ops;
}

const TITLE_LENGTH = 70;

/** What a kernel reads, in the order in which a call names its arguments. */
function argumentsOf(graph: Graph, { members, outputs }: Pick<Region, "members" | "outputs">): NodeId[] {
  const inside = new Set(members);
  const stored = new Set(storedInputs(graph, members));
  const found = new Set<NodeId>();
  const seen = new Set<NodeId>();
  const ahead = outputs.toReversed();
  for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    if (inside.has(id)) ahead.push(...node(graph, id).inputs.toReversed());
    else if (stored.has(resolveView(graph, id))) found.add(resolveView(graph, id));
  }
  return [...found];
}

/** `y = log(relu(x + b))` when that is short, `y = softmax(x)` for a composite, else the list of ops. */
export function titleOf(graph: Graph, region: Pick<Region, "members" | "outputs">): string {
  const { members, outputs } = region;
  const inside = new Set(members);
  const words = wordsOf(graph, members);
  const named = outputs.map((id) => wordFor(node(graph, id))).join(", ");
  const composite = members.some((id) => words.includes(compositeOf(node(graph, id))?.label ?? ""));
  if (composite && words.length === 1) {
    const inputs = argumentsOf(graph, region).map((id) => wordFor(node(graph, id)));
    return `${named} = ${words[0]}(${inputs.join(", ")})`;
  }
  if (!composite && members.length <= 6 && outputs.length === 1) {
    const text = `${named} = ${callText(graph, inside, node(graph, outputs[0]!), true)}`;
    if (text.length <= TITLE_LENGTH) return text;
  }
  const shown = words.length <= 8 ? words : [...words.slice(0, 3), `… ${words.length - 4} more …`, words.at(-1)!];
  return `${named}: ${shown.join(", ")}`;
}

const INFIX: ReadonlyMap<string, string> = new Map([
  ["add", "+"],
  ["sub", "-"],
  ["mul", "*"],
  ["div", "/"],
  ["matmul", "@"],
]);

/** Only for a handful of members: it may recurse. Views and copies of one element are said by what they show. */
function callText(graph: Graph, inside: ReadonlySet<NodeId>, n: Node, root = false): string {
  const source = onlyMoves(n) && !root ? node(graph, n.inputs[0]!) : null;
  if (source && (isFreeView(n) || sizeOf(source.type.shape) === 1)) return callText(graph, inside, source);
  if (isLiteral(n)) return String(n.attrs["value"]);
  if (!inside.has(n.id) && !root) return wordFor(n);
  const sign = n.inputs.length === 2 ? INFIX.get(n.op) : undefined;
  const args = n.inputs.map((input) => {
    const arg = node(graph, input);
    const text = callText(graph, inside, arg);
    return sign && inside.has(input) && INFIX.has(arg.op) ? `(${text})` : text;
  });
  return sign ? args.join(` ${sign} `) : `${n.op}(${args.join(", ")})`;
}

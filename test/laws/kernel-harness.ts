/** @file Runs a program's regions on the CPU interpreter of the generated kernels and holds them to the reference and to the counts. */
import { factorsOf } from "../../src/fusion/kernel";
import { lowerFusion, planFusion, runPlanOnCpu, type CpuRun, type RegionRun } from "../../src/fusion/plan";
import { printWgsl, sharedBytes } from "../../src/fusion/kernel/code";
import { generic, targetOf } from "../../src/fusion/cost";
import {
  node,
  sizeOf,
  type Fusion,
  type Graph,
  type NodeId,
  type Region,
  type RegionId,
  type Target,
  isPartials,
} from "../../src/fusion/ir";
import { loadsByData, opDef } from "../../src/fusion/ops";
import { naiveFusion } from "../../src/fusion/passes";
import { inputData, runReference } from "../../src/fusion/reference";
import { parseProgram } from "../../src/fusion/text";

export const gpu: Target = targetOf(generic);
export const cpu: Target = { ...gpu, schedule: "cpu" };

export function graphOf(text: string): Graph {
  const parsed = parseProgram(text);
  const errors = parsed.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(`${errors.map((d) => d.text).join("; ")}\n${text}`);
  return parsed.graph;
}

/** Everything that computes, in one region. */
export function oneRegion(graph: Graph): Fusion {
  const members = [...graph.nodes.values()]
    .filter(({ op }) => !["input", "const", "hole"].includes(op))
    .map(({ id }) => id);
  const region: Region = { id: "all" as RegionId, members, outputs: graph.outputs };
  return { graph, regions: new Map([[region.id, region]]) };
}
export const oneEach = (graph: Graph): Fusion => naiveFusion(graph, "primitive");

export function dataOf(graph: Graph): Map<NodeId, Float64Array> {
  const data = new Map<NodeId, Float64Array>();
  for (const n of graph.nodes.values()) if (n.op === "input") data.set(n.id, Float64Array.from(inputData(n)));
  return data;
}

/** Of machines for which a plan launches and counts the same, the first: what runs alike is asked once. */
export function unlike(fusion: Fusion, targets: readonly Target[]): readonly Target[] {
  const known = new Map<string, Target>();
  for (const target of targets) {
    const key = JSON.stringify(planFusion(fusion, target, generic).kernels);
    if (!known.has(key)) known.set(key, target);
  }
  return [...known.values()];
}

/** What is wrong with a run: values, counted traffic, or what the interpreter noticed. Empty when nothing is. */
export function complaints(fusion: Fusion, target: Target, rtol = 1e-7, subgroupSize = 32): string[] {
  const { graph } = fusion;
  const inputs = dataOf(graph);
  const run = runPlanOnCpu(fusion, target, generic, inputs, { subgroupSize });
  return [
    ...valuesOff(graph, run, runReference(graph, inputs), rtol),
    ...run.regions.flatMap((region) => countsOff(graph, region)),
  ];
}

function valuesOff(graph: Graph, run: CpuRun, reference: ReturnType<typeof runReference>, rtol: number): string[] {
  const wrong: string[] = [];
  for (const [id, got] of run.outputs) {
    const want = reference.get(id)!.data;
    const at = got.findIndex((value, i) => !close(value, want[i]!, rtol));
    if (got.length !== want.length || at >= 0)
      wrong.push(`${id}[${at}] is ${got[at]}, not ${want[at]} (${node(graph, id).op})`);
  }
  return wrong;
}

const close = (a: number, b: number, rtol: number): boolean =>
  Object.is(a, b) ||
  a === b ||
  (Number.isNaN(a) && Number.isNaN(b)) ||
  Math.abs(a - b) <= rtol * (1 + Math.abs(b)) ||
  big(a, b);
/** A finite stand-in for ∞ is allowed where nothing was folded. */
const big = (a: number, b: number): boolean =>
  Math.abs(a) > 3.4e38 && Math.abs(b) > 3.4e38 && Math.sign(a) === Math.sign(b);

/**
 * Tiles of a contraction overlap in time: their rereads are modelled, not counted. What is searched or listed in ranges is looked at
 * again as often as data says. A cached row that is looked at in two
 * orders, by the kernel or through a view outside it, is loaded in both, and counted as one tensor used twice.
 */
export const countsPasses = (graph: Graph, { region, facts }: Pick<RegionRun, "region" | "facts">): boolean =>
  (facts.form!.contraction === null || facts.schedule.variant === "matmul-rows-thread") &&
  !region.members.some((id) => ["search", "ranges"].includes(opDef(node(graph, id).op).kind)) &&
  !(
    facts.schedule.fold !== undefined &&
    factorsOf(facts.schedule.fold).held &&
    region.members
      .flatMap((id) => [id, ...node(graph, id).inputs])
      .some((id) => ["movement", "gather"].includes(opDef(node(graph, id).op).kind))
  );

/** What a contraction reads: its rereads are modelled. */
function multipliedBy(graph: Graph, { members }: Region, contraction: NodeId | null): ReadonlySet<NodeId> {
  const found = new Set<NodeId>(contraction === null ? [] : [contraction]);
  for (const id of found) if (members.includes(id)) for (const input of node(graph, id).inputs) found.add(input);
  return found;
}

/** Declared reads and writes of one region against its logged addresses. */
export function countsOff(graph: Graph, { region, facts, programs, logs }: RegionRun): string[] {
  const wrong = logs.flatMap((log, i) => log.problems.map((text) => `${programs[i]!.name}: ${text}`));
  const read = new Map<NodeId, { read: number; passes: number }>();
  const { schedule } = facts;
  const isLaunched = schedule.handed !== undefined;
  const isAddedTo = (value: NodeId): boolean =>
    programs.some(({ buffers }) => buffers.some((buffer) => buffer.atomic && buffer.value === value));
  for (const access of logs.flatMap((log) => log.buffers)) {
    if (isPartials(access.value) || access.passes === 0) continue;
    if (isLaunched && region.outputs.includes(access.value)) continue;
    if (isAddedTo(access.value)) continue;
    const known = read.get(access.value) ?? { read: 0, passes: 0 };
    // Each dispatch reads for itself.
    read.set(access.value, { read: Math.max(known.read, access.read), passes: known.passes + access.passes });
  }
  const defs = region.members.map((id) => opDef(node(graph, id).op));
  const indexed = defs.some(loadsByData);
  const multiplied = multipliedBy(graph, region, facts.form!.contraction);
  // Which lanes load what only some columns read is the kernel's choice.
  const bound = indexed || defs.some(({ movement }) => movement?.joins !== undefined || movement?.fill !== undefined);
  // Launches of a loop may read parts of a value: the largest is what one of them touches.
  const declared = new Map<NodeId, { elements: number; rereads: number }>();
  for (const { value, elements, rereads } of schedule.reads) {
    const known = declared.get(value);
    if (known)
      declared.set(value, { elements: Math.max(known.elements, elements), rereads: known.rereads + 1 + rereads });
    else declared.set(value, { elements, rereads });
  }
  for (const [value, { elements, rereads }] of declared) {
    const logged = read.get(value);
    const where = `${region.id} (${schedule.variant}): ${value}`;
    // Which rows are gathered is data: as many as are asked for, and several may be the same one.
    const asked = indexed ? (logged?.read ?? 0) <= elements : (logged?.read ?? 0) === elements;
    if (!asked) wrong.push(`${where} declares ${elements} elements, logs ${logged?.read}`);
    // What is smaller than a row is one value per row or fewer: used twice, counted once.
    const once = elements < facts.form!.columns && rereads === 0;
    // Where indices repeat, the few elements that are there stand for more than were asked for: a part is read as the whole.
    const repeated = indexed && (logged?.read ?? 0) < elements;
    if (
      countsPasses(graph, { region, facts }) &&
      !multiplied.has(value) &&
      logged &&
      !once &&
      !repeated &&
      !fits(1 + rereads, logged.passes, bound)
    )
      wrong.push(`${where} declares ${1 + rereads} passes, logs ${logged.passes}`);
    read.delete(value);
  }
  for (const [value] of read) wrong.push(`${region.id}: reads ${value} undeclared`);
  const tiles = programs.reduce((sum, { shared }) => sum + sharedBytes(shared), 0);
  if (schedule.variant === "tile" && tiles !== schedule.workgroupBytes)
    wrong.push(`${region.id} (tile): declares ${schedule.workgroupBytes} bytes of tiles, has ${tiles}`);
  for (const id of region.outputs) {
    const each = logs.flatMap((log) => log.buffers).map((access) => (access.value === id ? access.written : 0));
    // Launches of a loop write a row each, and kernels of a region parts that no other writes.
    const written = each.reduce((sum, one) => sum + one, 0);
    if (written !== sizeOf(node(graph, id).type.shape))
      wrong.push(`${region.id}: ${id} has ${written} elements written`);
  }
  return wrong;
}

/** A whole number beside the mean where some elements are loaded more often than others; or at most a bound. */
const fits = (declared: number, mean: number, bound: boolean): boolean =>
  Math.ceil(mean) === declared || Math.floor(mean) === declared || (bound && mean <= declared);

/** WGSL of the only region. */
export const wgslOf = (text: string, target: Target = gpu): string =>
  lowerFusion(oneRegion(graphOf(text)), target, generic)
    .flatMap(({ programs }) => programs.map((program) => printWgsl(program).wgsl))
    .join("\n");

/** @file Which kernel the inspector shows, what its lines belong to, and how it is described. */
import {
  bytesMoved,
  findNode,
  opDef,
  parseEdgeId,
  sizeOf,
  type Accesses,
  type Binding,
  type Graph,
  type Kernel,
  type NodeId,
  type Plan,
  type Step,
} from "../../../fusion";
import type { KernelColours } from "../../../picture";
import type { Selection } from "../../../state";
import { isCountedBefore, tensorName } from "../plan/traffic";
import { plural, showBytes, showFigures } from "../units";

/** 1 to 6: the token `--k1` … of a kernel, which keeps its colour while it lives; one without takes its number in the plan. */
export const kernelColour = (colours: KernelColours, { region }: Pick<Kernel, "region">, index: number): number =>
  ((colours.get(region) ?? index) % 6) + 1;

const withNode = (plan: Plan, id: NodeId): Kernel | null =>
  plan.kernels.find((kernel) => kernel.nodes.includes(id)) ?? null;

function selected(plan: Plan, selection: Selection): Kernel | null {
  switch (selection.kind) {
    case "none":
      return null;
    case "node":
      return withNode(plan, selection.id);
    case "region":
      return plan.kernels.find((kernel) => kernel.region === selection.id) ?? null;
    case "edge": {
      const ends = parseEdgeId(selection.id);
      return ends && (withNode(plan, ends.consumer) ?? withNode(plan, ends.producer));
    }
  }
}

/** The kernel asked for by name, else the selection's, else that of the current step, else the first; null without kernels. */
export function shownKernel(plan: Plan, asked: string | null, selection: Selection, step: Step | null): Kernel | null {
  const byName = asked === null ? null : (plan.kernels.find((kernel) => kernel.id === asked) ?? null);
  const ofStep = step?.nodes.map((id) => withNode(plan, id)).findLast((kernel) => kernel !== null);
  return byName ?? selected(plan, selection) ?? ofStep ?? plan.kernels[0] ?? null;
}

/** `Reads 6 MiB, writes 6 MiB, 3 FLOP per element of y.` That is the largest tensor that the kernel touches, of equal ones the last that it stores; of a product it is what it stores, for which each operand is loaded many times. */
export function trafficSentence(kernel: Kernel, graph: Graph): string {
  const elements = ({ type }: Binding): number => sizeOf(type.shape);
  const multiplies = kernel.nodes.some((id) => {
    const found = findNode(graph, id);
    return found && opDef(found.op).kind === "contraction";
  });
  const asked = kernel.bindings.filter(({ access }) => !multiplies || access === "read_write");
  const most = Math.max(1, ...asked.map(elements));
  const largest = asked.findLast((each) => elements(each) === most);
  const work =
    isCountedBefore(kernel) || !largest
      ? ""
      : `, ${showFigures(kernel.flops / most)} FLOP per element of ${tensorName(graph, largest.value)}`;
  return `Reads ${showBytes(bytesMoved(kernel.reads))}, writes ${showBytes(bytesMoved(kernel.writes))}${work}.`;
}

/** The same of a kernel by hand, whose arithmetic nobody counts. */
export const handTraffic = (moves: Accesses | null): string =>
  moves
    ? `Reads ${showBytes(bytesMoved(moves.reads))}, writes ${showBytes(bytesMoved(moves.writes))}.`
    : "What it moves is not counted.";

/** A node of the planned state and one named by the text or the canvas are the same when one came from the other. */
export function isFrom(graph: Graph, planned: NodeId, named: NodeId): boolean {
  return planned === named || (findNode(graph, planned)?.origins.includes(named) ?? false);
}

export interface LineNote {
  /** 1-based line of the WGSL. */
  readonly line: number;
  readonly label: string;
  readonly nodes: readonly NodeId[];
}

/** Labels for the ends of the lines: the ops a line came from; a store says how much leaves. Neighbours with the same label say it once. */
export function lineNotes(kernel: Kernel, graph: Graph): LineNote[] {
  const code = kernel.wgsl.split("\n");
  const labels = kernel.lines.map((nodes, i) =>
    nodes.length === 0 ? "" : (storeLabel(kernel, code[i] ?? "") ?? labelsOf(nodes, graph)),
  );
  return kernel.lines.flatMap((nodes, i) => {
    const label = labels[i]!;
    return label === "" || label === labels[i - 1] ? [] : [{ line: i + 1, label, nodes }];
  });
}

function labelsOf(nodes: readonly NodeId[], graph: Graph): string {
  const labels = [...new Set(nodes.map((id) => findNode(graph, id)?.label ?? id))];
  return labels.length <= 2 ? labels.join(", ") : `${labels[0]} + ${labels.length - 1} more`;
}

/** `6 MiB out` for a line that stores into a written binding. */
function storeLabel(kernel: Kernel, code: string): string | null {
  const target = /^\s*(\w+)\[.*\]\s*=[^=]/.exec(code)?.[1];
  const binding = kernel.bindings.find(({ name, access }) => name === target && access === "read_write");
  const written = binding && kernel.writes.find(({ value }) => value === binding.value);
  return written ? `${showBytes(written.bytes)} out` : null;
}

/** Lines (1-based) that belong to the node `named`, by itself or as what it became. */
export function linesOfNode(kernel: Kernel, graph: Graph, named: NodeId | null): number[] {
  if (named === null) return [];
  return kernel.lines.flatMap((nodes, i) => (nodes.some((id) => isFrom(graph, id, named)) ? [i + 1] : []));
}

/** Lines (from 1) that fold away when a kernel opens, so that its own code is in sight. */
export interface Prelude {
  readonly what: "bindings" | "helpers";
  readonly first: number;
  readonly last: number;
  /** Functions of a fold of helpers. */
  readonly names: readonly string[];
}

/** The binding declarations when there are several, and the functions in front of the kernel with their comments. */
export function preludesOf(wgsl: string): readonly Prelude[] {
  const lines = wgsl.split("\n");
  const isBinding = (line: string): boolean => /^\s*@group\(/.test(line);
  const [first, last] = [lines.findIndex(isBinding), lines.findLastIndex(isBinding)];
  const bindings: Prelude[] = last > first ? [{ what: "bindings", first: first + 1, last: last + 1, names: [] }] : [];
  const entry = lines.findIndex((line) => line.startsWith("@compute"));
  const helper = lines.findIndex((line, i) => i < entry && line.startsWith("fn "));
  if (helper < 0) return bindings;
  let top = helper;
  while (lines[top - 1]?.startsWith("//")) top--;
  let bottom = entry;
  while (lines[bottom - 1]!.trim() === "" || lines[bottom - 1]!.startsWith("//")) bottom--;
  const names = lines.slice(helper, entry).flatMap((line) => /^fn (\w+)/.exec(line)?.[1] ?? []);
  return [...bindings, { what: "helpers", first: top + 1, last: bottom, names }];
}

/** `4 bindings: x, mean → centre, rstd`, `2 helpers: from_bits4, ln4`. */
export function preludeSentence(kernel: Kernel, { what, names }: Prelude): string {
  if (what === "helpers") return `${plural(names.length, "helper")}: ${names.join(", ")}`;
  const bound = (written: boolean): string =>
    kernel.bindings.flatMap((each) => ((each.access === "read_write") === written ? [each.name] : [])).join(", ");
  return `${plural(kernel.bindings.length, "binding")}: ${bound(false)} → ${bound(true)}`;
}

/** The naive kernels that compute what `kernel` computes, in plan order. */
export function naiveKernels(naive: Plan, naiveGraph: Graph, kernel: Kernel, graph: Graph): readonly Kernel[] {
  const origins = new Set(kernel.nodes.flatMap((id) => findNode(graph, id)?.origins ?? [id]));
  const same = (id: NodeId): boolean =>
    origins.has(id) || (findNode(naiveGraph, id)?.origins.some((each) => origins.has(each)) ?? false);
  return naive.kernels.filter(({ nodes }) => nodes.some(same));
}

/** WGSL of the naive kernels that compute what `kernel` computes, in plan order: the left side of the diff. */
export const naiveWgsl = (naive: Plan, naiveGraph: Graph, kernel: Kernel, graph: Graph): string =>
  naiveKernels(naive, naiveGraph, kernel, graph)
    .map(({ wgsl }) => wgsl.trimEnd())
    .join("\n\n");

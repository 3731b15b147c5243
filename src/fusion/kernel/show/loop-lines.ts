/** @file Lines of a loop that the text asks for: what it carries before the first iteration, what an iteration computes, and what it carries on. */
import { node, type Graph, type Kernel, type Node, type NodeId, type Region } from "../../ir";
import { neededFor, opDef, ownShape, resultAt, type BodyArg, type BodyParam } from "../../ops";
import { LaunchedLoop } from "../shapes/loop/launched";
import { resultsOf } from "../shapes/loop/map-loops";
import { sharesRuns } from "../shapes/loop/run-steps";

export interface LoopLine {
  readonly depth: number;
  readonly text: string;
  /** Comment at the line's end, for what reaches memory. */
  readonly note: string;
  readonly nodes: readonly NodeId[];
  /** Stored values that the line reads, and how it names each. */
  readonly reads?: readonly { readonly value: NodeId; readonly text: string }[];
}

/** The loop's number, which no axis is called. */
const numberOf = (iteration: string): string => (/^[i-n]$/.test(iteration) ? "iteration" : iteration);

/** How a call reads: `a + b`, `max(a, b)`. */
export type Spelling = (op: string, args: readonly string[]) => string;

/** The body of a loop, what these results of it need, and how its arguments read. */
function spellingOf(results: readonly Node[]) {
  const [{ op, attrs }] = results as [Node];
  const body = opDef(op).loop!.bodyOf(attrs);
  const { params, iteration, values } = body;
  const nodes = results.map(({ id }) => id);
  return {
    body,
    needed: neededFor(body, resultsOf(results)),
    line: (at: number, text: string, note = ""): LoopLine => ({ depth: at, text, note, nodes }),
    name: (arg: BodyArg): string =>
      arg.kind === "literal"
        ? String(arg.value)
        : arg.kind === "iteration"
          ? numberOf(iteration)
          : arg.kind === "param"
            ? params[arg.at]!.name
            : values[arg.at]!.name,
  };
}

/**
 * All iterations inside a kernel, for these results of one loop.
 * @param operand what the kernel calls an operand, and whether it comes from memory
 */
export function iterationLines(
  results: readonly Node[],
  operand: (id: NodeId) => { readonly text: string; readonly loads: boolean },
  spelling: Spelling,
  depth: number,
): LoopLine[] {
  const [{ op, attrs, inputs }] = results as [Node];
  const meaning = opDef(op).loop!;
  const { body, needed, name, line } = spellingOf(results);
  const { params, iteration, values, next } = body;
  const { carried } = needed;
  const before = params.flatMap((param, at) => {
    if (!carried.includes(at) && !needed.params.has(at)) return [];
    const { text, loads } = operand(inputs[at]!);
    return text === param.name && !loads ? [] : [line(depth, `${param.name} = ${text}`, loads ? "from memory" : "")];
  });
  const computed = [...needed.values]
    .toSorted((a, b) => a - b)
    .map((at) => {
      const value = values[at]!;
      return line(depth + 1, `${value.name} = ${spelling(value.op, value.args.map(name))}`);
    });
  const changed = carried.filter((at) => name(next[at]!) !== params[at]!.name);
  const carry = `${changed.map((at) => params[at]!.name).join(", ")} = ${changed.map((at) => name(next[at]!)).join(", ")}`;
  return [
    ...before,
    line(depth, `for ${numberOf(iteration)} in ${meaning.iterations(attrs)}:`),
    ...computed,
    ...(changed.length > 0 ? [line(depth + 1, carry, "in registers")] : []),
  ];
}

interface RowSpelling {
  readonly depth: number;
  readonly spelling: Spelling;
  /** What the kernel calls an operand, or a row of it, and whether it comes from memory. */
  readonly operand: (id: NodeId, param: BodyParam) => { readonly text: string; readonly loads: boolean };
}

/** A loop along rows inside a kernel: what stands before it, in each of its iterations, and what that carries on. */
export function rowIterationLines(
  results: readonly Node[],
  { depth, spelling, operand }: RowSpelling,
): Readonly<Record<"before" | "inside" | "carry", readonly LoopLine[]>> {
  const [{ op, inputs }] = results as [Node];
  const { body, needed, name, line } = spellingOf(results);
  const { params, values, next } = body;
  const bound = (at: number, where: number): LoopLine[] => {
    const { text, loads } = operand(inputs[at]!, params[at]!);
    return text === params[at]!.name && !loads
      ? []
      : [line(where, `${params[at]!.name} = ${text}`, loads ? "from memory" : "")];
  };
  const read = [...params.keys()].filter((at) => needed.carried.includes(at) || needed.params.has(at));
  const shared = sharesRuns(results[0]!);
  // Threads that share a row read again what all iterations do.
  const isInside = (at: number): boolean =>
    params[at]!.walk !== undefined || (shared && at >= next.length && ownShape(params[at]!).length > 0);
  const meaning = opDef(op).loop!;
  const given = results.flatMap((n) => {
    const { kind, at } = resultAt(body, meaning.result(n.attrs));
    const shown = kind === "rows" ? name(body.rows[at]!) : kind === "before" ? params[at]!.name : n.label;
    return shown === n.label ? [] : [line(depth + 1, `${n.label} = ${shown}`)];
  });
  const changed = needed.carried.filter((at) => name(next[at]!) !== params[at]!.name);
  const carry = `${changed.map((at) => params[at]!.name).join(", ")} = ${changed.map((at) => name(next[at]!)).join(", ")}`;
  const computed = [...needed.values].toSorted((a, b) => a - b).map((at) => values[at]!);
  return {
    before: read.filter((at) => !isInside(at)).flatMap((at) => bound(at, depth)),
    inside: [
      ...read.filter(isInside).flatMap((at) => bound(at, depth + 1)),
      ...computed.map((value) => line(depth + 1, `${value.name} = ${spelling(value.op, value.args.map(name))}`)),
      ...given,
    ],
    carry: changed.length > 0 ? [line(depth + 1, carry, shared ? "in workgroup memory" : "in registers")] : [],
  };
}

/** Iterations that are launched: a nest for each kernel of one. */
export function launchedLines(
  graph: Graph,
  outputs: readonly NodeId[],
  nestLines: (graph: Graph, region: Region) => readonly LoopLine[],
): LoopLine[] {
  const loop = new LaunchedLoop(graph, outputs);
  const { graph: iteration, launches } = loop.kernels(loop.first, 0);
  const head = {
    depth: 0,
    text: `for ${numberOf(loop.body.iteration)} in ${loop.iterations}:`,
    note: "a launch for each nest",
    nodes: outputs,
  };
  const shown = outputs.map((id) => node(graph, id).id);
  const given = loop.given(loop.first, 0, loop.kernels(loop.first, 0)).map(({ output }) => ({
    depth: 1,
    text: `store a row of ${node(graph, output).label}`,
    note: "to memory",
    nodes: [output],
  }));
  return [
    head,
    ...launches.flatMap(({ region }) =>
      nestLines(iteration, region).map((line) => ({ ...line, depth: line.depth + 1, nodes: shown })),
    ),
    ...given,
  ];
}

/** How often the kernels of a region load each stored value as a whole: what traffic counts. */
export function loadsBy(kernels: readonly Pick<Kernel, "reads">[]): ReadonlyMap<NodeId, number> {
  const loads = new Map<NodeId, number>();
  for (const { value, rereads } of kernels.flatMap(({ reads }) => reads))
    loads.set(value, (loads.get(value) ?? 0) + 1 + rereads);
  return loads;
}

/** The loop that each line stands in; none for what stands in no loop. */
function loopsAround(lines: readonly LoopLine[]): (LoopLine | undefined)[] {
  const around: LoopLine[] = [];
  return lines.map((line) => {
    while (around.length > 0 && around.at(-1)!.depth >= line.depth) around.pop();
    const inner = around.at(-1);
    if (line.text.startsWith("for ")) around.push(line);
    return inner;
  });
}

/** Stored values that are counted more often than loops read them. */
export function readAgain(lines: readonly LoopLine[], counted: ReadonlyMap<NodeId, number>): ReadonlySet<NodeId> {
  const around = loopsAround(lines);
  const reading = new Map<NodeId, Set<LoopLine | undefined>>();
  for (const [i, { reads = [] }] of lines.entries())
    for (const { value } of reads) reading.set(value, (reading.get(value) ?? new Set()).add(around[i]));
  return new Set([...reading].flatMap(([value, { size }]) => ((counted.get(value) ?? 0) > size ? [value] : [])));
}

/** Says where each line's stored values come from: from memory in as many loops as they are counted, from registers in the others. */
export function withSources(
  graph: Graph,
  lines: readonly LoopLine[],
  counted: ReadonlyMap<NodeId, number>,
): LoopLine[] {
  const around = loopsAround(lines);
  const loading = new Map<NodeId, Set<LoopLine | undefined>>();
  const seen = new Map<LoopLine | undefined, Set<string>>();
  return lines.map((line, i) => {
    const inner = around[i];
    if (!line.reads || line.reads.length === 0) return line;
    const named = seen.get(inner) ?? new Set();
    seen.set(inner, named);
    const loaded = line.reads.filter(({ value, text }) => {
      const loops = loading.get(value) ?? new Set();
      const isCounted = loops.has(inner) || loops.size < (counted.get(value) ?? Infinity);
      if (isCounted) loading.set(value, loops.add(inner));
      return isCounted && !named.has(`${value} ${text}`);
    });
    for (const { value, text } of line.reads) named.add(`${value} ${text}`);
    const values = new Set(line.reads.map(({ value }) => value));
    const labels = [...new Set(loaded.map(({ value }) => value))].map((id) => node(graph, id).label);
    const which = labels.length < values.size ? `${labels.join(", ")} ` : "";
    return { ...line, note: labels.length === 0 ? "from registers" : `${which}from memory` };
  });
}

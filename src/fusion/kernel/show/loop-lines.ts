/** @file Lines of a loop that the text asks for: what it carries before the first iteration, what an iteration computes, and what it carries on. */
import { node, type Graph, type Node, type NodeId, type Region } from "../../ir";
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

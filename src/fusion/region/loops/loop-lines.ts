/** @file Lines of a loop that the text asks for: what it carries before the first iteration, what an iteration computes, and what it carries on. */
import { node, type Graph, type Node, type NodeId, type Region } from "../../ir";
import { neededFor, opDef, type BodyArg } from "../../ops";
import { LaunchedLoop } from "./launched";
import { resultsOf } from "./map-loops";

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
  const body = meaning.bodyOf(attrs);
  const { params, iteration, values, next } = body;
  const needed = neededFor(body, resultsOf(results));
  const { carried } = needed;
  const nodes = results.map(({ id }) => id);
  const line = (at: number, text: string, note = ""): LoopLine => ({ depth: at, text, note, nodes });
  const name = (arg: BodyArg): string =>
    arg.kind === "literal"
      ? String(arg.value)
      : arg.kind === "iteration"
        ? numberOf(iteration)
        : arg.kind === "param"
          ? params[arg.at]!.name
          : values[arg.at]!.name;
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
  return [
    head,
    ...launches.flatMap(({ region }) =>
      nestLines(iteration, region).map((line) => ({ ...line, depth: line.depth + 1, nodes: shown })),
    ),
  ];
}

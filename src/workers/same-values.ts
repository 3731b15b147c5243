/** @file Do two programs take the same inputs and compute the same outputs? Values are asked of the f64 reference, at small sizes. */
import type { Sameness } from "./messages";
import { inputData, parseProgram, runReference, sizeOf, type Graph, type Node, type NodeId } from "../fusion";

/** Constants that name a size are cut down to this. */
const SMALL = 16;
/** Elements of all values together that are computed without a noticeable wait. */
const MAX_ELEMENTS = 2 ** 21;
/** Relative to the largest value of the output; f64 leaves much less where the algebra is the same. */
const TOLERANCE = 1e-9;

/** `N = 2048` becomes `N = 16`, in both programs alike. */
export const atSmallSizes = (text: string): string =>
  text.replace(
    /^([A-Z]\w*\s*=\s*)(\d+)\s*$/gm,
    (_, name: string, value: string) => name + Math.min(Number(value), SMALL),
  );

/** What a program computes, before anything is planned; null where it has errors. */
function graphOf(text: string): Graph | null {
  const { graph, complete } = parseProgram(text);
  return complete && graph.outputs.length > 0 ? graph : null;
}

const elementsOf = (graph: Graph): number =>
  [...graph.nodes.values()].reduce((sum, { type }) => sum + sizeOf(type.shape), 0);

/** The graph of a program with its size constants cut down; as written where that does not compile. */
function smallGraph(text: string): Graph | null {
  return graphOf(atSmallSizes(text)) ?? graphOf(text);
}

const ERRORS: Sameness = { same: false, text: "The program has errors, so nothing can be compared." };

const inputsOf = (graph: Graph): Map<NodeId, Node> =>
  new Map([...graph.nodes.values()].filter(({ op }) => op === "input").map((node) => [node.id, node]));

const typeOf = ({ type: { dtype, shape } }: Node): string => `${dtype}[${shape.join(", ")}]`;

/** Whether `changed` takes no other inputs than `original`: the same names, types, data and roles, at full size. One that nobody reads may be left out. */
export function sameInputs(original: string, changed: string): Sameness {
  const [a, b] = [graphOf(original), graphOf(changed)];
  if (!a || !b) return ERRORS;
  const known = inputsOf(a);
  for (const [id, input] of inputsOf(b)) {
    const begun = known.get(id);
    if (!begun) return { same: false, text: `\`${id}\` is no input of the task.` };
    if (typeOf(begun) !== typeOf(input))
      return { same: false, text: `\`${id}\` is ${typeOf(input)} here; the task gives ${typeOf(begun)}.` };
    if (JSON.stringify(begun.attrs) !== JSON.stringify(input.attrs))
      return { same: false, text: `\`${id}\` has different data or a different role than in the task.` };
  }
  return { same: true };
}

/** Whether `changed` returns what `original` does, output by output. Inputs get the same data by name. */
export function sameValues(original: string, changed: string): Sameness {
  const [a, b] = [smallGraph(original), smallGraph(changed)];
  if (!a || !b) return ERRORS;
  if (a.outputs.length !== b.outputs.length)
    return { same: false, text: `It returns ${b.outputs.length} values; the task asks for ${a.outputs.length}.` };
  if (Math.max(elementsOf(a), elementsOf(b)) > MAX_ELEMENTS)
    return { same: false, text: "The tensors are too large to compare here. Make the size constants smaller." };
  const [before, after] = [outputsOf(a), outputsOf(b)];
  for (const [i, expected] of before.entries()) {
    const found = after[i]!;
    if (expected.shape.join() !== found.shape.join())
      return { same: false, text: `Output ${i + 1} is ${found.shape.join("×")}; it was ${expected.shape.join("×")}.` };
    const scale = expected.data.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-30);
    const worst = expected.data.reduce((most, value, at) => Math.max(most, Math.abs(value - found.data[at]!)), 0);
    // Not `>`: NaN is a difference.
    if (!(worst <= TOLERANCE * scale))
      return {
        same: false,
        text: `Output ${i + 1} differs by ${Number(worst.toPrecision(2))}; its largest value is ${Number(scale.toPrecision(2))}.`,
      };
  }
  return { same: true };
}

function outputsOf(graph: Graph): { readonly shape: readonly number[]; readonly data: Float64Array }[] {
  const data = new Map<NodeId, ArrayLike<number>>();
  for (const node of graph.nodes.values()) if (node.op === "input") data.set(node.id, inputData(node));
  const values = runReference(graph, data);
  return graph.outputs.map((id) => ({ shape: values.get(id)!.type.shape, data: values.get(id)!.data }));
}

/** @file What a program that trains is, as data: what it replaces, what it reads batches of, what it tells at each step. */
import {
  type Graph,
  isInput,
  node,
  type Node,
  type NodeId,
  outputNames,
  partOf,
  type TensorType,
  type Update,
} from "../ir";

/** An output of the program, by its number among the graph's outputs: passes rename outputs and keep their order. */
export interface ShownOutput {
  readonly name: string;
  readonly index: number;
  readonly type: TensorType;
}

/** An input that begins the next step with what output `index` holds now. */
export interface Replacement {
  readonly input: NodeId;
  readonly index: number;
  readonly type: TensorType;
}

export interface Training {
  readonly replaced: readonly Replacement[];
  /** Inputs that read a data set: another batch at each step. */
  readonly batches: readonly Node[];
  /** Random numbers that the loop draws: others at each step. */
  readonly redrawn: readonly Node[];
  /** What should fall: the first single number that the program returns. Null where it returns none. */
  readonly loss: ShownOutput | null;
  /** Every single number that it returns, the loss first. */
  readonly told: readonly ShownOutput[];
  /** What the program answers about each example, before anything is learned from it; null where it does not return it. */
  readonly answer: ShownOutput | null;
}

/** The part of a program that says whether and how it trains. */
export interface Trained {
  /** The source graph. */
  readonly graph: Graph;
  readonly updates: readonly Update[];
  readonly symbols: readonly { readonly name: string; readonly node: NodeId | null }[];
}

/** Whether an input's data is another batch at each step. */
export const readsBatches = (each: Node): boolean => isInput(each) && each.attrs["source"] === "data";

/** Whether an input's numbers are drawn again at each step. */
export const isRedrawn = (each: Node): boolean => isInput(each) && each.attrs["redrawn"] === true;

/** Whether `a` is computed from any of `from`. */
function dependsOn(graph: Graph, a: NodeId, from: ReadonlySet<NodeId>): boolean {
  const seen = new Set([a]);
  for (const id of seen) {
    if (from.has(id)) return true;
    for (const input of node(graph, id).inputs) seen.add(input);
  }
  return false;
}

/** How a program trains; null where it does not: nothing that it computes replaces an input. */
export function trainingOf({ graph, updates, symbols }: Trained): Training | null {
  if (updates.length === 0) return null;
  const replacing = new Set(updates.map(({ value }) => value));
  const names = outputNames(graph, symbols);
  const outputs = graph.outputs.map((id, index) => {
    const { type, label, phase } = node(graph, id);
    return { id, early: phase === undefined, shown: { name: names[index] ?? label, index, type } };
  });
  const batches = [...graph.nodes.values()].filter(readsBatches);
  const inputs = new Set(batches.map(({ id }) => id));
  const returned = outputs.filter(({ id }) => !replacing.has(id));
  const told = returned.filter(({ shown }) => shown.type.shape.length === 0).map(({ shown }) => shown);
  const answer = returned.find(
    ({ id, early, shown }) => early && shown.type.shape.length > 0 && dependsOn(graph, id, inputs),
  );
  return {
    replaced: updates.map(({ input, value }) => {
      return { input, index: graph.outputs.indexOf(value), type: node(graph, input).type };
    }),
    batches,
    redrawn: [...graph.nodes.values()].filter(isRedrawn),
    loss: told[0] ?? null,
    told,
    answer: answer?.shown ?? null,
  };
}

/** The program that only answers: what the output `index` needs, and nothing else. */
export function answeringGraph(graph: Graph, index: number): Graph {
  const output = graph.outputs[index]!;
  const needed = new Set([output]);
  for (const id of needed) for (const input of node(graph, id).inputs) needed.add(input);
  return partOf(
    [...graph.nodes.values()].filter(({ id }) => needed.has(id)),
    [output],
  );
}

/** @file Makes the elements between two products once more, right before the late product that reads them: tile by tile, transposed where its rows lie across. */
import { node, type Graph, type Node, type NodeId, type TensorType } from "../../ir";
import { opDef } from "../../ops";
import { permutationOf, isMatrixTranspose } from "../../kernel";
import type { Planner } from "../driver/planner";
import type { Rewriter } from "../driver/rewriter";
import { NodeFactory } from "../saved/node-factory";
import type { Recomputation, Sink } from "./attention-recompute-match";

/** What to change so that every sink makes its elements itself. */
export interface RecomputedNodes {
  /** New nodes, operands first. */
  readonly made: readonly Node[];
  /** Nodes under their own names that read them. */
  readonly changed: readonly Node[];
  readonly gone: readonly NodeId[];
  /** For each sink, the node whose kernel they go into. */
  readonly homes: readonly NodeId[];
}

/** The products once more, and everything between them and each sink. */
export function recomputedNodes(planner: Planner, rewriter: Rewriter, { sinks }: Recomputation): RecomputedNodes {
  const { graph } = planner;
  const [made, changed, gone, homes]: [Node[], Node[], NodeId[], NodeId[]] = [[], [], [], []];
  const copies = new Map<string, NodeId>();
  const types = new Map<NodeId, TensorType>();
  for (const sink of sinks) {
    const n = node(graph, sink.id);
    const factory = new NodeFactory(graph, sink.id, "again", types);
    const elements = copyOf(planner, factory, sink, copies);
    const back = sink.operand === 1 ? undoneTranspose(planner, rewriter, n.id) : null;
    homes.push(back ?? n.id);
    if (sink.operand === 0) changed.push({ ...n, inputs: [elements, sourceIn(graph, factory, n.inputs[1]!)] });
    else {
      // (A·W)ᵀ = Wᵀ·Aᵀ: the rows of that product are rows of elements.
      const inputs = [factory.transposed(elements, n), transposedOf(graph, factory, n.inputs[0]!, n)];
      if (back !== null) {
        changed.push({ ...node(graph, back), op: n.op, attrs: n.attrs, inputs });
        gone.push(n.id);
      } else {
        factory.transposed(factory.call(n.op, inputs, n.attrs, n, true), n);
        const last = factory.made.pop()!;
        changed.push({ ...n, op: last.op, attrs: last.attrs, inputs: last.inputs });
      }
    }
    made.push(...factory.made);
  }
  return { made, changed, gone, homes };
}

/** The sink's operand once more, of copies of all that lies behind it. */
function copyOf(
  planner: Planner,
  factory: NodeFactory,
  { id, operand, chain }: Sink,
  copies: Map<string, NodeId>,
): NodeId {
  const { graph } = planner;
  const key = (each: NodeId): string => `${each} ${chain.get(each)}`;
  const copied = (each: NodeId): NodeId => (chain.has(each) ? (copies.get(key(each)) ?? each) : each);
  for (const each of [...chain.keys()].toSorted((a, b) => planner.position(a) - planner.position(b))) {
    if (copies.has(key(each))) continue;
    const n = node(graph, each);
    const isMatmul = opDef(n.op).kind === "contraction";
    const transposes = chain.get(each)! && isMatmul;
    copies.set(
      key(each),
      transposes
        ? transposedProduct(graph, factory, n)
        : factory.copy(
            n,
            n.inputs.map((input) => (isMatmul ? sourceIn(graph, factory, input) : copied(input))),
            true,
          ),
    );
  }
  return copied(node(graph, id).inputs[operand]!);
}

/** A·B as (Bᵀ·Aᵀ)ᵀ: tiles of Bᵀ·Aᵀ have the rows that the sink walks. */
function transposedProduct(graph: Graph, factory: NodeFactory, n: Node): NodeId {
  const [a, b] = n.inputs as [NodeId, NodeId];
  const product = factory.call(
    n.op,
    [transposedOf(graph, factory, b, n), transposedOf(graph, factory, a, n)],
    n.attrs,
    n,
    true,
  );
  return factory.transposed(product, n);
}

/** What `id` transposes, or `id` transposed. */
function transposedOf(graph: Graph, factory: NodeFactory, id: NodeId, like: Node): NodeId {
  const n = node(graph, id);
  return isMatrixTranspose(graph, n)
    ? sourceIn(graph, factory, n.inputs[0]!)
    : factory.transposed(sourceIn(graph, factory, id), like);
}

/** A matrix that is another one in some order, read where that one lies: several orders of it are one value to read. */
function sourceIn(graph: Graph, factory: NodeFactory, id: NodeId): NodeId {
  const steps: Node[] = [];
  let at = node(graph, id);
  for (; opDef(at.op).kind === "movement" && permutationOf(graph, at) !== null; at = node(graph, at.inputs[0]!))
    steps.push(at);
  return steps.reduceRight((value, step) => factory.copy(step, [value], true), at.id);
}

/** The only reader, where all it does is to transpose the result back. */
function undoneTranspose(planner: Planner, rewriter: Rewriter, id: NodeId): NodeId | null {
  const [reader, other] = rewriter.readersOf(id);
  const alone = reader !== undefined && other === undefined && !planner.isOutput(id);
  return alone && isMatrixTranspose(planner.graph, node(planner.graph, reader)) ? reader : null;
}

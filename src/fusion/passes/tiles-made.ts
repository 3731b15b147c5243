/** @file Makes the elements between two products once more, right before the late product that reads them: tile by tile, turned where it walks across. */
import { node, type Graph, type Node, type NodeId, type TensorType } from "../ir";
import { opDef } from "../ops";
import { permutationOf, turnsMatrix } from "../region";
import type { Planner } from "./planner";
import type { Rewriter } from "./rewriter";
import { Maker } from "./saved/maker";
import type { Again, Sink } from "./tiles-parts";

/** What to change so that every sink makes its elements itself. */
export interface MadeAgain {
  /** New nodes, operands first. */
  readonly made: readonly Node[];
  /** Nodes under their own names that read them. */
  readonly changed: readonly Node[];
  readonly gone: readonly NodeId[];
  /** For each sink, the node whose kernel they go into. */
  readonly homes: readonly NodeId[];
}

/** The products once more, and everything between them and each sink. */
export function madeAgain(planner: Planner, rewriter: Rewriter, { sinks }: Again): MadeAgain {
  const { graph } = planner;
  const [made, changed, gone, homes]: [Node[], Node[], NodeId[], NodeId[]] = [[], [], [], []];
  const copies = new Map<string, NodeId>();
  const types = new Map<NodeId, TensorType>();
  for (const sink of sinks) {
    const n = node(graph, sink.id);
    const maker = new Maker(graph, sink.id, "again", types);
    const elements = copyOf(planner, maker, sink, copies);
    const back = sink.operand === 1 ? turnedBack(planner, rewriter, n.id) : null;
    homes.push(back ?? n.id);
    if (sink.operand === 0) changed.push({ ...n, inputs: [elements, inPlace(graph, maker, n.inputs[1]!)] });
    else {
      // (A·W)ᵀ = Wᵀ·Aᵀ: the rows of that product are rows of elements.
      const inputs = [maker.turned(elements, n), turnedOf(graph, maker, n.inputs[0]!, n)];
      if (back !== null) {
        changed.push({ ...node(graph, back), op: n.op, attrs: n.attrs, inputs });
        gone.push(n.id);
      } else {
        maker.turned(maker.call(n.op, inputs, n.attrs, n, true), n);
        const last = maker.made.pop()!;
        changed.push({ ...n, op: last.op, attrs: last.attrs, inputs: last.inputs });
      }
    }
    made.push(...maker.made);
  }
  return { made, changed, gone, homes };
}

/** The sink's operand once more, of copies of all that lies behind it. */
function copyOf(planner: Planner, maker: Maker, { id, operand, chain }: Sink, copies: Map<string, NodeId>): NodeId {
  const { graph } = planner;
  const key = (each: NodeId): string => `${each} ${chain.get(each)}`;
  const copied = (each: NodeId): NodeId => (chain.has(each) ? (copies.get(key(each)) ?? each) : each);
  for (const each of [...chain.keys()].toSorted((a, b) => planner.position(a) - planner.position(b))) {
    if (copies.has(key(each))) continue;
    const n = node(graph, each);
    const turns = chain.get(each)! && n.op === "matmul";
    copies.set(
      key(each),
      turns
        ? turnedProduct(graph, maker, n)
        : maker.copy(
            n,
            n.inputs.map((input) => (n.op === "matmul" ? inPlace(graph, maker, input) : copied(input))),
            true,
          ),
    );
  }
  return copied(node(graph, id).inputs[operand]!);
}

/** A·B as (Bᵀ·Aᵀ)ᵀ: tiles of Bᵀ·Aᵀ have the rows that the sink walks. */
function turnedProduct(graph: Graph, maker: Maker, n: Node): NodeId {
  const [a, b] = n.inputs as [NodeId, NodeId];
  const product = maker.call(n.op, [turnedOf(graph, maker, b, n), turnedOf(graph, maker, a, n)], n.attrs, n, true);
  return maker.turned(product, n);
}

/** What `id` turns, or `id` turned. */
function turnedOf(graph: Graph, maker: Maker, id: NodeId, like: Node): NodeId {
  const n = node(graph, id);
  return turnsMatrix(graph, n) ? inPlace(graph, maker, n.inputs[0]!) : maker.turned(inPlace(graph, maker, id), like);
}

/** A matrix that is another one in some order, read where that one lies: several orders of it are one value to read. */
function inPlace(graph: Graph, maker: Maker, id: NodeId): NodeId {
  const steps: Node[] = [];
  let at = node(graph, id);
  for (; opDef(at.op).kind === "movement" && permutationOf(graph, at) !== null; at = node(graph, at.inputs[0]!))
    steps.push(at);
  return steps.reduceRight((value, step) => maker.copy(step, [value], true), at.id);
}

/** The only reader, where all it does is to turn the result back. */
function turnedBack(planner: Planner, rewriter: Rewriter, id: NodeId): NodeId | null {
  const [reader, other] = rewriter.readersOf(id);
  const alone = reader !== undefined && other === undefined && !planner.isOutput(id);
  return alone && turnsMatrix(planner.graph, node(planner.graph, reader)) ? reader : null;
}

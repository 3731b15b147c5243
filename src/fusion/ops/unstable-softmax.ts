/** @file Softmax that is written out without its maximum: exp(89) is no f32, and ∞ / ∞ is NaN. */
import type { Node, NodeId } from "../ir";
import { primitive } from "./primitives";
import { axesOf } from "./shapes";

/** Whether a node hands on what it is given: in another shape or dtype, or without its derivative. */
const passes = ({ op, inputs }: Node): boolean =>
  inputs.length === 1 &&
  (primitive(op).kind === "movement" || primitive(op).algebra?.sameValue === true || op === "stop_gradient");

/** Whether two nodes compute the same, as far as their formulas say. */
const isSame = (a: Node, b: Node, nodes: ReadonlyMap<NodeId, Node>): boolean =>
  a === b ||
  (a.op === b.op &&
    a.op !== "input" &&
    JSON.stringify(a.attrs) === JSON.stringify(b.attrs) &&
    a.inputs.length === b.inputs.length &&
    a.inputs.every((input, i) => isSame(nodes.get(input)!, nodes.get(b.inputs[i]!)!, nodes)));

/** Never far above 0: less a maximum, or the opposite of what is never negative, or cut off from above. */
function isBounded(x: Node, behind: (id: NodeId) => Node): boolean {
  if (x.op === "sub") return behind(x.inputs[1]!).op === "max";
  if (x.op === "clamp") return typeof x.attrs["max"] === "number";
  if (x.op !== "neg") return false;
  const of = behind(x.inputs[0]!);
  const exponent = of.op === "pow" ? Number(behind(of.inputs[1]!).attrs["value"]) : 1;
  return (
    primitive(of.op).algebra?.range !== undefined ||
    exponent % 2 === 0 ||
    (of.op === "mul" && of.inputs[0] === of.inputs[1])
  );
}

/** Every exp whose sum divides it and that may overflow, with the axes of the sum. */
export function unstableSoftmaxes(
  nodes: ReadonlyMap<NodeId, Node>,
): readonly { readonly exp: NodeId; readonly axes: readonly number[] }[] {
  const behind = (id: NodeId): Node => {
    let n = nodes.get(id)!;
    while (passes(n)) n = nodes.get(n.inputs[0]!)!;
    return n;
  };
  const found = new Map<NodeId, readonly number[]>();
  for (const n of nodes.values()) {
    if (n.op !== "div") continue;
    const [exp, sum] = [behind(n.inputs[0]!), behind(n.inputs[1]!)];
    if (exp.op !== "exp" || sum.op !== "sum" || !isSame(behind(sum.inputs[0]!), exp, nodes)) continue;
    if (isBounded(behind(exp.inputs[0]!), behind)) continue;
    const rank = nodes.get(sum.inputs[0]!)!.type.shape.length;
    found.set(exp.id, axesOf(sum.attrs["axes"], rank));
  }
  return [...found].map(([exp, axes]) => ({ exp, axes }));
}

/** @file What types the inputs without one should have, by what they meet: a layer says what it takes, `x + flow` that both are alike. */
import { isHole, type Node, type NodeId, showType } from "../../ir";
import { findOp } from "../../ops";
import { type Interpreter, typeOf } from "../interpreter";

/** Remembers in `types` what type an input should have that has none yet, through what works element by element. */
function note(interpreter: Interpreter, types: Map<NodeId, string>, input: NodeId, type: string): void {
  const seen = new Set<NodeId>();
  for (let at: NodeId | undefined = input; at !== undefined && !seen.has(at);) {
    seen.add(at);
    const node: Node = interpreter.nodes.get(at)!;
    if (isHole(node)) {
      if (!types.has(at)) types.set(at, type);
      return;
    }
    const open: NodeId[] = node.inputs.filter((id) => interpreter.unknown.has(id));
    at = findOp(node.op)?.kind === "elementwise" ? open[0] : undefined;
  }
}

/** Remembers what a layer takes. */
export const noteWanted = (interpreter: Interpreter, input: NodeId, type: string): void =>
  note(interpreter, interpreter.wanted, input, type);

/** Remembers that what meets element by element is alike; a vector may meet anything. */
export function noteAlike(interpreter: Interpreter, inputs: readonly (NodeId | null)[]): void {
  const known = inputs.find(
    (id) => id !== null && !interpreter.unknown.has(id) && typeOf(interpreter, id).shape.length > 1,
  );
  if (!known) return;
  const { dtype, shape } = typeOf(interpreter, known);
  const type = showType({ dtype: dtype === "bool" ? "bool" : "f32", shape });
  for (const id of inputs)
    if (id !== null && interpreter.unknown.has(id)) note(interpreter, interpreter.alike, id, type);
}

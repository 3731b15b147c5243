/** @file The language's edits. In a chunk with the reader of programs and the ops: the first screen needs neither. */
import { addOp, applyTextEdits, connect, legalSources, parseProgram, type Edited, type NodeId } from "../fusion";
import { opCount } from "./selectors";

export {
  addInput,
  addOp,
  connect,
  disconnect,
  expandCall,
  findOp,
  removeNode,
  renameNode,
  setAttr,
  setConstant,
  setInputType,
  transformProgram,
} from "../fusion";

/** Adds a call whose first empty operand that takes the result of `from` is fed by it; none may. */
export function addReader(text: string, op: string, from: NodeId): Edited {
  const added = addOp(text, op);
  if (!added.ok || !added.node) return added;
  const { node } = added;
  const longer = applyTextEdits(text, added.edits);
  const source = legalSources(parseProgram(longer), node).find(({ producer }) => producer === from);
  const fed = source && connect(longer, from, source.consumer, source.operand);
  if (!fed?.ok) return added;
  const whole = { span: { from: 0, to: text.length }, insert: applyTextEdits(longer, fed.edits) };
  return { ...fed, edits: [whole], node: fed.ids.get(node) ?? node };
}

/** Ops of a program before fusion, as many as its graph shows. */
export const opsOf = (text: string): number => opCount(parseProgram(text).graph);

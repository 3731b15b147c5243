/** @file The language's edits. In a chunk with the reader of programs and the ops: the first screen needs neither. */
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

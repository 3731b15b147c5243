/** @file The typed language: text to graph and back, the smallest edits for what is drawn, and what an editor asks. */
export { parseProgram, type Parsed, type ParseOptions } from "./program";
export type { Assertion, CallInstance, CountedKind, OperandSource, StatementRun, Site, Frame } from "./interpreter";
export { SymbolRecord, type SymbolKind } from "./values/values";
export { printGraph } from "./print";
export { applyTextEdits } from "./edits/apply";
export type { Edited } from "./edits/draft";
export { connect, disconnect } from "./edits/connect";
export { legalTargets, type ConnectTarget } from "./edits/legal";
export { expandCall } from "./edits/expand-call";
export { BATCH, transformNames, transformProgram, type TransformName } from "./edits/transform";
export { removeNode } from "./edits/remove";
export { renameNode } from "./edits/rename";
export { setAttr, setConstant, setInputType, writtenAttr, type WrittenAttr } from "./edits/attrs";
export { addInput, addOp } from "./edits/add";
export { completionsAt, type Completion } from "./services/complete";
export { hoverAt, inlayHints, signatureAt, type Hover, type InlayHint, type SignatureHelp } from "./services/hover";
export { definitionAt, renameEdits, symbolAt } from "./services/symbols";
export { lineAndColumn } from "./reading/lines";

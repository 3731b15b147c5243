/** @file The typed language: text to graph and back. */
export { parseProgram, type Parsed, type ParseOptions } from "./program";
export type { CallInstance, Operand, Place, Site, Turn } from "./machine";
export { SymbolRecord, type SymbolKind } from "./scope";

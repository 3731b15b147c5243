/** @file The only door to the compiler. */
export * from "./ir";
export type { Compilation, Symbol } from "./compilation";

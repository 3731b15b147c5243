/** @file What a class is read from, and what comes of it: the types that its reader and its helpers share. */
import type { ClassStatement, DefStatement } from "../syntax";

/** One class with its constants, weights and methods written out. */
export interface TranslatedModule {
  readonly lines: readonly string[];
  /** Type of the first input of its forward(), where it shows. */
  readonly input: string | null;
}

export interface Source {
  readonly text: string;
  readonly classes: ReadonlyMap<string, ClassStatement>;
  /** Defs that may make a layer. */
  readonly defs: ReadonlyMap<string, DefStatement>;
  /** What every constant of the program is, by its name there. */
  readonly shared: Map<string, string>;
  /** Lines of all constants so far, in their order. */
  readonly constantLines: string[];
  /** The number that an expression over those constants is, or null. */
  readonly number: (source: string) => number | null;
  /** Whether an expression over them stands for something. */
  readonly readable: (source: string) => boolean;
}

export interface ModuleRequest {
  readonly made: ClassStatement;
  readonly name: string;
  readonly prefix: string;
  readonly args: CallArguments;
  readonly depth: number;
}

/** Arguments of a call as the program says them. */
export type CallArguments = readonly (readonly [name: string | null, source: string])[];
